"""Builders of statements.

May import: `source`, `ast`, `codes_dsl`, `dsl_builder`, `dsl_expressions`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ludex.node import replace
from ludex.source import Span
from ludex.syntax import ast, codes_dsl
from ludex.syntax.dsl_builder import Builder, BuilderFunction, Kids, first, plain_node
from ludex.syntax.dsl_expressions import plain_arguments
from ludex.syntax.dsl_parser import Tree


def _end_at(span: Span, last: ast.Block) -> Span:
    """The span of a statement with a block, without the line end that closes the block."""
    return Span(span.source, span.start, last[-1].span.end) if last else span


def _steps(b: Builder, k: Kids, t: Tree) -> ast.Block:
    return tuple(k)


def _act_stmt(b: Builder, k: Kids, t: Tree) -> ast.Act:
    act: ast.Act = k[0]
    orelse: ast.Block = next((x for x in k[1:] if isinstance(x, tuple)), ())
    return replace(act, orelse=orelse, span=_end_at(act.span, orelse))


def _if_block(b: Builder, k: Kids, t: Tree) -> ast.If:
    test, then, *elifs, orelse = k
    last: ast.Block = orelse or ()
    for elif_test, elif_then, elif_span in reversed(elifs):
        last = (ast.If(elif_test, elif_then, last, _end_at(elif_span, last or elif_then)),)
    return ast.If(test, then, last, _end_at(b.tree_span(t), last or then))


def _elif_block(b: Builder, k: Kids, t: Tree) -> tuple[Any, ast.Block, Span]:
    return k[0], k[1], b.tree_span(t)


def _if_line(b: Builder, k: Kids, t: Tree) -> ast.If:
    return ast.If(k[0], (k[1],), (k[2],) if len(k) > 2 else (), b.tree_span(t))


def _for_block(b: Builder, k: Kids, t: Tree) -> ast.ForEach:
    return ast.ForEach(b.ident(k[0]), k[1], k[2], k[3], _end_at(b.tree_span(t), k[3]))


def _for_line(b: Builder, k: Kids, t: Tree) -> ast.ForEach:
    return ast.ForEach(b.ident(k[0]), k[1], k[2], (k[3],), b.tree_span(t))


def _repeat_forever(b: Builder, k: Kids, t: Tree) -> ast.Repeat:
    return ast.Repeat(None, k[0], _end_at(b.tree_span(t), k[0]))


def _repeat_block(b: Builder, k: Kids, t: Tree) -> ast.Repeat:
    return ast.Repeat(k[0], k[1], _end_at(b.tree_span(t), k[1]))


def _headed(node: Callable[..., Any]) -> BuilderFunction:
    """`WORD EXPR:` and a block."""

    def make(b: Builder, k: Kids, t: Tree) -> Any:
        return node(k[0], k[1], _end_at(b.tree_span(t), k[1]))

    return make


def _act(b: Builder, k: Kids, t: Tree) -> ast.Act:
    *offers, default, longest = k
    return ast.Act(tuple(offers), default, longest is not None, (), b.tree_span(t))


def _offer(b: Builder, k: Kids, t: Tree) -> ast.Offer:
    return ast.Offer(b.ident(k[0]), plain_arguments(b, k[1], t), b.tree_span(t))


def _choose_bare(b: Builder, k: Kids, t: Tree) -> Any:
    return k[0]


def _choose_block(b: Builder, k: Kids, t: Tree) -> Any:
    head, body, orelse = k
    return replace(head, body=body, orelse=orelse or (), span=_end_at(head.span, orelse or body))


def _choose_one(b: Builder, k: Kids, t: Tree) -> ast.Choose:
    return ast.Choose(b.ident(k[0]), k[1], k[2], None, k[3], (), (), b.tree_span(t))


def _choose_count(b: Builder, k: Kids, t: Tree) -> ast.Choose:
    return ast.Choose(b.ident(k[1]), k[2], k[3], k[0], None, (), (), b.tree_span(t))


def _choose_several(b: Builder, k: Kids, t: Tree) -> ast.ChooseSeveral:
    weight, total = k[4] or (None, None)
    return ast.ChooseSeveral(b.ident(k[0]), k[1], k[2], k[3], weight, total, (), (), b.tree_span(t))


def _choose_amounts(b: Builder, k: Kids, t: Tree) -> ast.ChooseAmounts:
    return ast.ChooseAmounts(
        b.ident(k[0]), b.ident(k[1]), k[2], k[3], k[4], k[5], (), (), b.tree_span(t)
    )


def _weighing(b: Builder, k: Kids, t: Tree) -> tuple[Any, Any]:
    return k[0], k[1]


def _let(b: Builder, k: Kids, t: Tree) -> ast.Let:
    return ast.Let(b.ident(k[0]), _value(k[1], t.children[1]), b.tree_span(t))


def _assign(b: Builder, k: Kids, t: Tree) -> ast.Assign:
    return ast.Assign(k[0], "=", _value(k[1], t.children[1]), b.tree_span(t))


def _assign_op(b: Builder, k: Kids, t: Tree) -> ast.Assign:
    return ast.Assign(k[0], k[1].text, _value(k[2], t.children[2]), b.tree_span(t))


def _value(value: Any, tree: Any) -> Any:
    """`roll(die)` is chance where it is a whole right-hand side."""
    if (
        isinstance(tree, Tree)
        and tree.rule == "call"
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "roll"
        and value.is_plain
        and len(value.args) == 1
    ):
        return ast.Roll(value.args[0], value.span)
    return value


def _random_in(b: Builder, k: Kids, t: Tree) -> ast.RandomIn:
    return ast.RandomIn(b.ident(k[0]), k[1], k[2], b.tree_span(t))


def _target(b: Builder, k: Kids, t: Tree) -> Any:
    if isinstance(k[0], ast.Call) and not k[0].is_plain:
        b.error(
            codes_dsl.DSL_TARGET,
            "only a state item can get a value: a name, `name(index)` or `thing.name`",
            b.tree_span(t),
        )
    return k[0]


def _move(*, counted: bool, under: bool) -> BuilderFunction:
    def make(b: Builder, k: Kids, t: Tree) -> ast.Move:
        count = k.pop(0) if counted else None
        return ast.Move(k[0], count, k[1], k[2], under, b.tree_span(t))

    return make


def _reveal(b: Builder, k: Kids, t: Tree) -> ast.Show:
    return ast.Show(k[0], None, b.tree_span(t))


def _say(b: Builder, k: Kids, t: Tree) -> ast.Say:
    text = k[0].text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return ast.Say(text, k[1], b.tree_span(t))


def _end(b: Builder, k: Kids, t: Tree) -> ast.End:
    return ast.End(k[0].text, b.tree_span(t))


def _result(kind: str) -> BuilderFunction:
    def make(b: Builder, k: Kids, t: Tree) -> ast.Result:
        return ast.Result(kind, k[0] if k else None, b.tree_span(t))

    return make


def _run(b: Builder, k: Kids, t: Tree) -> ast.Run:
    return ast.Run(b.ident(k[0]), plain_arguments(b, k[1], t), b.tree_span(t))


STATEMENTS: Final[dict[str, BuilderFunction]] = {
    "start_steps": _steps,
    "start_offer": first,
    "act_stmt": _act_stmt,
    "if_block": _if_block,
    "elif_block": _elif_block,
    "else_block": first,
    "block": _steps,
    "for_block": _for_block,
    "repeat_forever": _repeat_forever,
    "repeat_block": _repeat_block,
    "while_block": _headed(ast.While),
    "ask_block": _headed(ast.Ask),
    "secretly_block": _headed(ast.SecretlyAsk),
    "choose_bare": _choose_bare,
    "choose_block": _choose_block,
    "choose_one": _choose_one,
    "choose_count": _choose_count,
    "choose_several": _choose_several,
    "choose_amounts": _choose_amounts,
    "default": first,
    "size": first,
    "weighing": _weighing,
    "if_line": _if_line,
    "for_line": _for_line,
    "let": _let,
    "assign": _assign,
    "assign_op": _assign_op,
    "random_in": _random_in,
    "target": _target,
    "move": _move(counted=False, under=False),
    "move_counted": _move(counted=True, under=False),
    "move_under": _move(counted=False, under=True),
    "move_counted_under": _move(counted=True, under=True),
    "all_of": first,
    "put": plain_node(ast.Put),
    "remove": plain_node(ast.Remove),
    "replace": plain_node(ast.Replace),
    "deal": plain_node(ast.Deal),
    "shuffle": plain_node(ast.Shuffle),
    "turn_over": plain_node(ast.TurnOver),
    "lay": plain_node(ast.Lay),
    "roll_step": plain_node(ast.RollStep),
    "show": plain_node(ast.Show),
    "reveal": _reveal,
    "note": plain_node(ast.Note),
    "forget": plain_node(ast.Forget),
    "say": _say,
    "end": _end,
    "again": plain_node(ast.Again),
    "stop": plain_node(ast.Stop),
    "win": _result("win"),
    "lose": _result("lose"),
    "tie": _result("tie"),
    "run": _run,
    "act": _act,
    "offer": _offer,
}
