"""`ludex diff`: which rules of one game differ in another."""

from __future__ import annotations

import json
import sys

import click

from ludex.cli.games import parse_spec, resolved_document
from ludex.cli.terminal import has_colours, write
from ludex.diagnostics import printable


@click.command(help="Show which rules differ between two games, such as `emerald` and `emerald+variant_b`.")
@click.argument("before", metavar="GAME[+OVERLAY]...")
@click.argument("after", metavar="GAME[+OVERLAY]...")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(before: str, after: str, as_json: bool) -> None:
    from ludex.overlay import describe, diff_documents

    old = resolved_document(parse_spec([before]))
    new = resolved_document(parse_spec([after]))
    changes = diff_documents(old, new)
    if as_json:
        rows = [
            {
                "kind": change.kind,
                "path": list(change.path),
                "detail": change.detail,
                "before": change.before.span.text if change.before is not None else None,
                "after": change.after.span.text if change.after is not None else None,
            }
            for change in changes
        ]
        write(json.dumps({"changes": rows}, indent=2, ensure_ascii=False))
    elif not changes:
        write("No rule differs.")
    else:
        write("\n\n".join(_coloured(printable(describe(change))) for change in changes))


def _coloured(text: str) -> str:
    if not has_colours(sys.stdout):
        return text
    head, *lines = text.split("\n")
    colours = {"-": "red", "+": "green"}
    return "\n".join(
        [click.style(head, bold=True), *(click.style(s, fg=colours.get(s.strip()[:1])) for s in lines)]
    )
