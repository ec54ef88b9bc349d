"""The text form of a program: one stable, readable page, for goldens and for people.

Entities are written by name, variables as `name%number`, blocks as `b3`. Arithmetic that is
not tested for overflow has a dot (`+.`). Large tables are cut; fault sites and labels are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.text_expr import Expressions
from ludex.typed import expr as e

TABLE_CELLS = 16
"""Values of a table that are written out."""


def print_program(program: p.Program) -> str:
    return _Printer(program).program()


def print_expr(program: p.Program, expr: e.Expr) -> str:
    return Expressions(program).expr(expr)


class _Printer:
    def __init__(self, program: p.Program) -> None:
        self._program = program
        self._x = Expressions(program)
        self._lines: list[str] = []

    def _line(self, depth: int, text: str) -> None:
        self._lines.append("  " * depth + text)

    def _rule(self, index: int) -> str:
        rules = self._program.rules
        return f'"{rules[index].path}"' if 0 <= index < len(rules) else "-"

    def program(self) -> str:
        program = self._program
        self._line(0, f'program "{program.title}" players {program.players} games {program.games}')
        self._world()
        self._layout()
        self._tables()
        for function in program.functions:
            mark = "recursive " if function.recursive else ""
            self._line(0, f"{mark}define {self._call(function.name, function.params)}")
            self._line(1, self._x.expr(function.body))
        for atomic in program.atomics:
            self._line(0, f"atomic {self._call(atomic.name, atomic.params)}")
            self._code(1, atomic.body)
        for i, block in enumerate(program.blocks):
            self._block(i, block)
        self._ending()
        return "\n".join(self._lines) + "\n"

    def _call(self, name: str, params: Iterable[int]) -> str:
        return f"{name}({', '.join(self._x.variable(var) for var in params)})"

    def _world(self) -> None:
        self._line(0, "world")
        for kind in self._program.world.kinds:
            words = [f"{kind.name}: {kind.category} {kind.base}..{kind.base + kind.count - 1}"]
            if kind.is_location:
                words.append(f"seen by {kind.audience}")
            if kind.capacity:
                words.append(f"capacity {kind.capacity}")
            words += [word for word, on in (("ordered", kind.ordered), ("shuffled", kind.shuffled)) if on]
            words += [f"{a.name}={_cut(a.values)}" for a in kind.attributes]
            self._line(1, " ".join(words))
        for track in self._program.world.tracks:
            self._line(1, f"track {track.name}: {' '.join(self._x.entity(x) for x in track.spaces)}")

    def _layout(self) -> None:
        layout = self._program.layout
        self._line(0, f"layout {layout.words} words, {self._program.registers} registers")
        for f in layout.fields:
            dims = "".join(f"[{d.kind or f'{d.base}..{d.base + d.size - 1}'}]" for d in f.dims)
            text = f"{f.offset} {f.name}{dims}: {f.type} {f.lo}..{f.hi} {f.role} seen by {f.audience}"
            if f.owner_dim is not None:
                text += f" (dimension {f.owner_dim})"
            if f.width > 1 or f.set_base:
                text += f" width {f.width} from {f.set_base}"
            self._line(1, text)
        for record in layout.records:
            self._line(1, f"record {record.name}: length at {record.offset}, keeps {record.keep}")
        for i, v in enumerate(self._program.variables):
            self._line(1, f"%{i} {v.name}: {v.type} {'word' if v.frame else 'register'} {v.word}")

    def _tables(self) -> None:
        for table in self._program.tables:
            dims = "".join(f"[{d.kind or f'{d.base}..{d.base + d.size - 1}'}]" for d in table.dims)
            cells: tuple[object, ...] = table.values or table.families or table.sequences
            self._line(0, f"table {table.name}{dims} = {_cut(cells)}")

    # --------------------------------------------------------------------------------- code

    def _code(self, depth: int, code: s.Code) -> None:
        for statement in code:
            self._statement(depth, statement)

    def _statement(self, depth: int, st: s.Stmt) -> None:
        x = self._x.expr
        match st:
            case s.SetVar(var, value):
                self._line(depth, f"{self._x.variable(var)} = {x(value)}")
            case s.Store(field, index, value):
                self._line(depth, f"{self._x.element(field, index)} := {x(value)}")
            case s.MoveOne(thing, target, under):
                self._line(depth, f"move {x(thing)} {'under' if under else 'to'} {x(target)}")
            case s.MoveAll(things, target, under):
                self._line(depth, f"move all {x(things)} {'under' if under else 'to'} {x(target)}")
            case s.MoveTokens(count, face, source, target):
                self._line(depth, f"move {x(count)} of {x(face)} from {x(source)} to {x(target)}")
            case s.MoveAllTokens(faces, source, target):
                self._line(depth, f"move all of {x(faces)} from {x(source)} to {x(target)}")
            case s.ShufflePile(pile):
                self._line(depth, f"shuffle {x(pile)}")
            case s.ReversePile(pile):
                self._line(depth, f"turn over {x(pile)}")
            case s.If(test, then, orelse):
                self._line(depth, f"if {x(test)}")
                self._code(depth + 1, then)
                if orelse:
                    self._line(depth, "else")
                    self._code(depth + 1, orelse)
            case s.For(var, domain, guard, body):
                where = "" if guard is None else f" where {x(guard)}"
                self._line(depth, f"for {self._x.variable(var)} in {self._x.domain(domain)}{where}")
                self._code(depth + 1, body)
            case s.Loop(times, test, body):
                limit = "" if times is None else f" {x(times)}"
                until = "" if test is None else f" while {x(test)}"
                self._line(depth, f"loop{limit}{until}")
                self._code(depth + 1, body)
            case s.Break():
                self._line(depth, "break")
            case s.RunAtomic(procedure, args):
                self._line(depth, f"run {procedure}({', '.join(map(x, args))})")
            case s.Reveal(things, to):
                self._line(depth, f"show {x(things)} to {x(to)}")
            case s.Announce(parts, to_whom):
                to_text = "" if to_whom is None else f" to {x(to_whom)}"
                self._line(depth, f"say {self._x.template(parts)}{to_text}")
            case s.NoteRecord(record):
                self._line(depth, f"note {record}")
            case s.ForgetRecord(record):
                self._line(depth, f"forget {record}")
            case s.Enter(rule):
                self._line(depth, f"enter {self._rule(rule)}")
            case s.Resume(rule):
                self._line(depth, f"resume {self._rule(rule)}")
            case _:
                assert_never(st)

    # -------------------------------------------------------------------------------- blocks

    def _block(self, index: int, block: p.Block) -> None:
        notes = (" tick" if block.tick else "") + (f" clear {_cut(block.clear)}" if block.clear else "")
        self._line(0, f"b{index}{notes}")
        self._code(1, block.code)
        self._end(block.end)

    def _end(self, end: p.Terminator) -> None:
        x = self._x.expr
        match end:
            case p.Jump(target):
                self._line(1, f"jump b{target}")
            case p.Branch(test, then, orelse):
                self._line(1, f"branch {x(test)} ? b{then} : b{orelse}")
            case p.Return(var):
                self._line(1, f"return {self._x.variable(var)}")
            case p.Decide():
                self._decide(end)
            case p.Chance(event, var, following, name, audience, rule):
                to = "" if var < 0 else f"{self._x.variable(var)} = "
                about = f"seen by {audience} rule {self._rule(rule)}"
                self._line(1, f'chance "{name}" {to}{self._event(event)} then b{following} {about}')
            case p.Simultaneous(players, entries, following, rule):
                blocks = " ".join(f"b{entry}" for entry in entries)
                self._line(1, f"seal {x(players)} from {blocks} then b{following} rule {self._rule(rule)}")
            case p.StrandEnd():
                self._line(1, "strand end")
            case p.GameOver():
                self._line(1, "over")
            case _:
                assert_never(end)

    def _event(self, event: p.RollChance | p.MemberChance | p.DrawChance) -> str:
        match event:
            case p.RollChance(faces):
                return f"roll {' '.join(map(str, faces))}"
            case p.MemberChance(var, domain, guard):
                where = "" if guard is None else f" where {self._x.expr(guard)}"
                return f"random {self._x.variable(var)} in {self._x.domain(domain)}{where}"
            case p.DrawChance(pile):
                return f"draw {self._x.expr(pile)}"

    def _decide(self, end: p.Decide) -> None:
        longest = f" longest by {' '.join(end.effects)}" if end.longest else ""
        default = f" default {end.default}" if end.default >= 0 else ""
        about = f"seen by {end.audience} rule {self._rule(end.rule)}"
        self._line(1, f"decide {self._x.expr(end.player)} else b{end.orelse}{default}{longest} {about}")
        for option in end.options:
            self._line(2, f"option {option.site.name} rule {self._rule(option.rule)}")
            for line in self._x.site(option.site):
                self._line(3, line)
            for var, value in option.stores:
                self._line(3, f"store {self._x.variable(var)} = {self._x.expr(value)}")
            self._line(3, f"then b{option.target}")

    def _ending(self) -> None:
        program, x = self._program, self._x.expr
        for line in program.scoring:
            self._line(0, f"score {self._rule(line.rule)} for {self._x.variable(line.me)} = {x(line.value)}")
        for key in program.ranking:
            value = "score" if key.value is None else x(key.value)
            order = "most" if key.most else "least"
            self._line(0, f"rank {self._rule(key.rule)} for {self._x.variable(key.me)} {order} {value}")
        if program.payoff is not None:
            self._line(0, f"payoff for {self._x.variable(program.payoff[0])} = {x(program.payoff[1])}")
        if (h := program.heuristic) is not None:
            self._line(0, f"heuristic for {self._x.variable(h.me)} = {x(h.value)} after {h.horizon}")
        for record in program.records:
            self._line(0, f"record {record.name}")
            for bindings, part in record.parts:
                self._line(1, f"{x(part)}{self._x.bindings(bindings)}")
        for invariant in program.invariants:
            self._line(0, f"invariant {self._rule(invariant.rule)} {x(invariant.test)}")
        for panel in program.panels:
            if isinstance(panel, p.MapPanel):
                self._map(panel)
                continue
            if isinstance(panel, p.PicturePanel):
                self._picture(panel)
                continue
            across = "" if panel.across is None else f" across{self._x.bindings((panel.across,))}"
            where = "" if panel.across_guard is None else f" where {x(panel.across_guard)}"
            down = "" if panel.down is None else f" down{self._x.bindings((panel.down,))}"
            self._line(0, f"panel {panel.name}{across}{where}{down}")
            for name, template in (("head", panel.head), ("foot", panel.foot), ("side", panel.side)):
                if template is not None:
                    self._line(1, f"{name} {self._x.template(template)}")
            if panel.empty:
                self._line(1, f"empty {panel.empty}")
            for row in panel.rows:
                self._line(1, f"row {row.name} {self._x.template(row.cell)}")
        for glyph in program.glyphs:
            for sign in glyph.signs:
                self._line(0, f"glyph {glyph.kind} {self._x.variable(glyph.var)} {self._sign(sign)}")

    def _sign(self, sign: p.Sign) -> str:
        color = "" if sign.color is None else f" color {self._x.expr(sign.color)}"
        where = "" if sign.guard is None else f" where {self._x.expr(sign.guard)}"
        return f"{self._x.template(sign.text)}{color}{where}"

    def _picture(self, panel: p.PicturePanel) -> None:
        across = "" if panel.across is None else f" across{self._x.bindings((panel.across,))}"
        where = "" if panel.guard is None else f" where {self._x.expr(panel.guard)}"
        at = "" if panel.at is None else f" at {self._x.expr(panel.at[0])}, {self._x.expr(panel.at[1])}"
        self._line(0, f"picture {panel.name}{across}{where}{at}")
        for line in panel.lines:
            self._line(1, f"line {line}")
        for hole, signs in panel.legend:
            for sign in signs:
                self._line(1, f"{hole} {self._sign(sign)}")

    def _map(self, panel: p.MapPanel) -> None:
        def over(binding: e.Binding, guard: e.Expr | None) -> str:
            return self._x.bindings((binding,)) + ("" if guard is None else f" where {self._x.expr(guard)}")

        self._line(0, f"map {panel.name}{over(panel.spaces, panel.guard)}")
        self._line(1, f"sign {self._x.template(panel.sign)}")
        if panel.links is not None:
            self._line(1, f"links{over(panel.links, panel.links_guard)}")
            self._line(1, f"mark {self._x.template(panel.mark)}")


def _cut(values: Iterable[object]) -> str:
    """The first values, and how many there are if that is more."""
    cells = list(values)
    shown = " ".join(str(cell) for cell in cells[:TABLE_CELLS])
    return shown if len(cells) <= TABLE_CELLS else f"{shown} ... ({len(cells)})"
