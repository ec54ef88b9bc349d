"""The AST as DSL text: its one stable form, for goldens, messages and the printed rulebook.

Parsing what is printed gives the same tree, spans apart. May import: `ast`.
"""

from __future__ import annotations

from typing import Final, assert_never

from ludex.syntax import ast

_INDENT: Final = "  "

# How tightly an expression binds; an operand that binds less than its place asks for is put
# into parentheses. The order is that of the grammar's rules.
_ANY, _EITHER, _BOTH, _NEGATION, _COMPARISON, _SEQ, _SPAN = range(7)
_SUM, _TERM, _UNARY, _PLACED, _OWNED, _POSTFIX = range(7, 13)


def print_expr(expr: ast.Expr) -> str:
    """An expression on one line."""
    return _at(expr, _ANY)


def print_block(block: ast.Block, indent: int = 0) -> str:
    """Statements, one a line, without the last line end."""
    return "\n".join(line for statement in block for line in _lines(statement, _INDENT * indent))


def print_type(type_ref: ast.TypeRef) -> str:
    """A type; an inline enumeration as YAML writes it."""
    base = type_ref.base
    match base:
        case ast.EnumType():
            text = "[" + ", ".join(member.text for member in base.members) + "]"
        case ast.Range():
            text = _expr(base)
        case _:
            text = " or ".join(name.text for name in base)
    return ("optional " if type_ref.optional else "") + ("set of " if type_ref.set_of else "") + text


def print_signature(name: ast.Ident, params: tuple[ast.Param, ...]) -> str:
    """The key of a define or a procedure."""
    if not params:
        return name.text
    return f"{name.text}({', '.join(f'{print_type(p.type)} {p.name.text}' for p in params)})"


# ------------------------------------------------------------------------- expressions


def _at(expr: ast.Expr, level: int) -> str:
    text = _expr(expr)
    return text if _level(expr) >= level else f"({text})"


def _level(expr: ast.Expr) -> int:
    match expr:
        case ast.Cond() | ast.Try():
            return _ANY
        case ast.Logic(op=op):
            return _EITHER if op == "or" else _BOTH
        case ast.Not():
            return _NEGATION
        case ast.Compare() | ast.Member() | ast.Within() | ast.Is():
            return _COMPARISON
        case ast.SeatsFrom():
            return _SEQ
        case ast.Range():
            return _SPAN
        case ast.Binary(op=op):
            return _SUM if op in ("+", "-") else _TERM
        case ast.Neg():
            return _UNARY
        case ast.At():
            return _PLACED
        case ast.Of():
            return _OWNED
        case ast.Name() | ast.Int() | ast.Bool() | ast.NoneLiteral() | ast.Attr() | ast.Call():
            return _POSTFIX
        case _:
            assert_never(expr)


def _expr(expr: ast.Expr) -> str:
    match expr:
        case ast.Name(id=id):
            return id
        case ast.Int(value=value):
            return str(value)
        case ast.Bool(value=value):
            return "true" if value else "false"
        case ast.NoneLiteral():
            return "none"
        case ast.Cond():
            return f"if {_expr(expr.test)} then {_expr(expr.then)} else {_expr(expr.orelse)}"
        case ast.Try():
            return f"try {expr.procedure.text}{_args(expr.args)} then {_expr(expr.body)}"
        case ast.Logic():
            # Operands that are themselves logic keep their parentheses: the two never mix.
            return f" {expr.op} ".join(_at(operand, _NEGATION) for operand in expr.operands)
        case ast.Not():
            return f"not {_at(expr.operand, _NEGATION)}"
        case ast.Compare():
            return f"{_at(expr.left, _SEQ)} {expr.op} {_at(expr.right, _SEQ)}"
        case ast.Member():
            word = "not in" if expr.negated else "in"
            return f"{_at(expr.left, _SEQ)} {word} {_at(expr.right, _SEQ)}"
        case ast.Within():
            return f"{_at(expr.left, _SEQ)} within {_at(expr.right, _SEQ)}"
        case ast.Is():
            return f"{_at(expr.operand, _SEQ)} is {'not ' if expr.negated else ''}{expr.what}"
        case ast.SeatsFrom():
            return f"{_at(expr.direction, _SPAN)} from {_at(expr.start, _SPAN)}"
        case ast.Range():
            return f"{_at(expr.lo, _SUM)}..{_at(expr.hi, _SUM)}"
        case ast.Binary(op="+" | "-"):
            return f"{_at(expr.left, _SUM)} {expr.op} {_at(expr.right, _TERM)}"
        case ast.Binary():
            return f"{_at(expr.left, _TERM)} {expr.op} {_at(expr.right, _UNARY)}"
        case ast.Neg():
            # `--` is no sign of the language
            return f"-{_at(expr.operand, _PLACED)}"
        case ast.At():
            return f"{_at(expr.thing, _OWNED)} at {_at(expr.place, _POSTFIX)}"
        case ast.Of():
            return f"{_at(expr.left, _POSTFIX)} of {_at(expr.right, _POSTFIX)}"
        case ast.Attr():
            return f"{_at(expr.base, _POSTFIX)}.{expr.name.text}"
        case ast.Call():
            return _call(expr)
        case _:
            assert_never(expr)


def _call(call: ast.Call) -> str:
    inner = ", ".join(_expr(arg) for arg in call.args)
    if call.from_ is not None:
        inner += f" from {_at(call.from_, _SPAN)}"
    if call.binders:
        inner += " for " + ", ".join(f"{b.var.text} in {_at(b.domain, _SEQ)}" for b in call.binders)
    for word, part in (("where", call.where), ("by", call.by), ("else", call.orelse)):
        if part is not None:
            inner += f" {word} {_expr(part)}"
    return f"{_at(call.func, _POSTFIX)}({inner})"


def _args(args: tuple[ast.Expr, ...]) -> str:
    return f"({', '.join(_expr(arg) for arg in args)})" if args else ""


# -------------------------------------------------------------------------- statements


def _value(value: ast.Value) -> str:
    match value:
        case ast.Roll():
            return f"roll({_expr(value.die)})"
        case ast.RandomIn():
            return f"random {value.var.text} in {_expr(value.domain)}{_where(value.where)}"
        case ast.Call(func=ast.Name(id="roll")) if value.is_plain and len(value.args) == 1:
            return f"({_expr(value)})"  # in parentheses it is a call like any other
        case _:
            return _expr(value)


def _where(where: ast.Expr | None) -> str:
    return "" if where is None else f" where {_expr(where)}"


def _sum(expr: ast.Expr) -> str:
    return _at(expr, _SUM)


def _offer(offer: ast.Offer) -> str:
    return offer.name.text + _args(offer.args)


def _block(head: str, body: ast.Block, indent: str) -> list[str]:
    return [f"{indent}{head}:"] + [line for s in body for line in _lines(s, indent + _INDENT)]


def _else(orelse: ast.Block, indent: str) -> list[str]:
    return _block("else", orelse, indent) if orelse else []


def _lines(statement: ast.Stmt, indent: str) -> list[str]:
    """A statement, always in its block form."""
    match statement:
        case ast.If():
            lines = _block(f"if {_expr(statement.test)}", statement.then, indent)
            rest = statement.orelse
            while len(rest) == 1 and isinstance(rest[0], ast.If):
                lines += _block(f"elif {_expr(rest[0].test)}", rest[0].then, indent)
                rest = rest[0].orelse
            return lines + _else(rest, indent)
        case ast.ForEach(var=var, domain=domain, where=where):
            return _block(f"for each {var.text} in {_expr(domain)}{_where(where)}", statement.body, indent)
        case ast.Repeat(count=count):
            return _block("repeat" if count is None else f"repeat {_expr(count)}", statement.body, indent)
        case ast.While():
            return _block(f"while {_expr(statement.test)}", statement.body, indent)
        case ast.Ask():
            return _block(f"ask {_expr(statement.player)}", statement.body, indent)
        case ast.SecretlyAsk():
            return _block(f"secretly ask {_expr(statement.players)}", statement.body, indent)
        case ast.Act():
            head = "act " + " or ".join(_offer(offer) for offer in statement.offers)
            if statement.default is not None:
                head += f" default {_offer(statement.default)}"
            head += " longest" if statement.longest else ""
            return [indent + head, *_else(statement.orelse, indent)]
        case ast.Choose() | ast.ChooseSeveral() | ast.ChooseAmounts():
            head = _choose(statement)
            lines = _block(head, statement.body, indent) if statement.body else [indent + head]
            return lines + _else(statement.orelse, indent)
        case _:
            return [indent + _simple(statement)]


def _choose(s: ast.Choose | ast.ChooseSeveral | ast.ChooseAmounts) -> str:
    of = f"{s.var.text} in {_expr(s.domain)}{_where(s.where)}"
    match s:
        case ast.Choose():
            count = "" if s.count is None else f"{_sum(s.count)} "
            return f"choose {count}{of}" + ("" if s.default is None else f" default {_expr(s.default)}")
        case ast.ChooseSeveral():
            head = f"choose several {of}"
            head += "" if s.size is None else f" size {_at(s.size, _SEQ)}"
            if s.weight is not None and s.total is not None:
                head += f" total {_sum(s.weight)} in {_at(s.total, _SEQ)}"
            return head
        case ast.ChooseAmounts():
            return (
                f"choose amounts {s.amount.text} for {of} each {_at(s.each, _SEQ)} total {_at(s.total, _SEQ)}"
            )
        case _:
            assert_never(s)


_Simple = (
    ast.Let
    | ast.Assign
    | ast.Move
    | ast.Put
    | ast.Remove
    | ast.Replace
    | ast.Deal
    | ast.Shuffle
    | ast.TurnOver
    | ast.Lay
    | ast.RollStep
    | ast.Show
    | ast.Note
    | ast.Forget
    | ast.Say
    | ast.End
    | ast.Again
    | ast.Stop
    | ast.Result
    | ast.Run
)


def _simple(s: _Simple) -> str:
    match s:
        case ast.Let():
            return f"let {s.name.text} = {_value(s.value)}"
        case ast.Assign():
            return f"{_expr(s.target)} {s.op} {_value(s.value)}"
        case ast.Move():
            what = _sum(s.thing) if s.count is None else f"{_sum(s.count)} {_at(s.thing, _PLACED)}"
            source = "" if s.source is None else f" from {_sum(s.source)}"
            return f"move {what}{source} {'under' if s.under else 'to'} {_sum(s.target)}"
        case ast.Put():
            return f"place {_sum(s.thing)} on {_sum(s.target)}"
        case ast.Remove():
            return f"remove {_sum(s.thing)}"
        case ast.Replace():
            return f"replace {_sum(s.thing)} with {_sum(s.by)}"
        case ast.Deal():
            return f"deal {_sum(s.count)} from {_sum(s.source)} to {_sum(s.target)}"
        case ast.Shuffle():
            return f"shuffle {_sum(s.pile)}"
        case ast.TurnOver():
            return f"turn {_sum(s.pile)} over"
        case ast.Lay():
            return f"lay {s.diagram.text}"
        case ast.RollStep():
            return f"roll {_sum(s.dice)}"
        case ast.Show():
            return f"reveal {_sum(s.thing)}" if s.to is None else f"show {_sum(s.thing)} to {_sum(s.to)}"
        case ast.Note():
            return f"note {s.record.text}"
        case ast.Forget():
            return f"forget {s.record.text}"
        case ast.Say():
            text = s.text.replace("\\", "\\\\").replace('"', '\\"')
            return f'say "{text}"' + ("" if s.to is None else f" to {_sum(s.to)}")
        case ast.End():
            return f"end {s.what}"
        case ast.Again():
            return "again"
        case ast.Stop():
            return "stop"
        case ast.Result():
            return s.kind if s.players is None else f"{s.kind} {_sum(s.players)}"
        case ast.Run():
            return f"run {s.procedure.text}{_args(s.args)}"
        case _:
            assert_never(s)
