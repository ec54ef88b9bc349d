"""Positions in Forsyth-Edwards notation, as statements that set them up when the opening has been laid."""

from __future__ import annotations

KINDS = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
CASTLING = {"e1": "KQ", "h1": "K", "a1": "Q", "e8": "kq", "h8": "k", "a8": "q"}
"""With which of these rights the man on a square has not moved."""


def given(fen: str) -> str:
    """White must be to move, and no side may have more men of a kind than at the start."""
    board, to_move, castling, passed = fen.split()[:4]
    assert to_move == "w"
    lines = ["for each m in man do remove m"]
    counts: dict[str, int] = {}
    for row, signs in zip(range(8, 0, -1), board.split("/"), strict=True):
        column = 0
        for sign in signs:
            if sign.isdigit():
                column += int(sign)
                continue
            square = f"{'abcdefgh'[column]}{row}"
            column += 1
            counts[sign] = counts.get(sign, 0) + 1
            owner = "white" if sign.isupper() else "black"
            man = f"man({owner}, {KINDS[sign.lower()]}, {counts[sign]})"
            lines.append(f"move {man} to {square}")
            if sign in "Pp":
                at_home = row == (2 if sign == "P" else 7)
            else:
                at_home = any(right in castling for right in CASTLING.get(square, ""))
            if not at_home:
                lines.append(f"{man}.moved = true")
    if passed != "-":
        lines.append(f"passed = {passed}")
    return "\n".join(lines)
