"""Positions in Forsyth-Edwards notation, as statements that set them up when the opening has been laid."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.backends.machine import Words
from ludex.game import Game

KINDS = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
FILES = "abcdefgh"


def _men(board: str) -> Iterator[tuple[str, str]]:
    """Signs and squares, from the upper left."""
    for row, signs in zip(range(8, 0, -1), board.split("/"), strict=True):
        column = 0
        for sign in signs:
            if sign.isdigit():
                column += int(sign)
            else:
                yield sign, f"{FILES[column]}{row}"
                column += 1


def _castling_files(board: str, castling: str) -> dict[str, str]:
    """The file of the rook of each right (`KQkq`). Of chess960 they may name it (`HAha`)."""
    kings = {sign: square[0] for sign, square in _men(board) if sign in "Kk"}
    found = {}
    for right in castling.replace("-", ""):
        upper = right.isupper()
        if right in "KQkq":
            found[right] = "h" if right in "Kk" else "a"
        else:
            short = right.lower() > kings["K" if upper else "k"]
            found[("K" if short else "Q") if upper else ("k" if short else "q")] = right.lower()
    return found


def _castles(king: str, castling: str) -> bool:
    return any(right.isupper() == king.isupper() for right in castling if right != "-")


def given(fen: str) -> str:
    """White must be to move, and no side may have more men of a kind than at the start."""
    board, to_move, castling, passed = fen.split()[:4]
    assert to_move == "w"
    rooks = _castling_files(board, castling)
    lines = ["for each m in man do remove m"]
    counts: dict[str, int] = {}
    for sign, square in _men(board):
        counts[sign] = counts.get(sign, 0) + 1
        upper = sign.isupper()
        man = f"man({'white' if upper else 'black'}, {KINDS[sign.lower()]}, {counts[sign]})"
        lines.append(f"move {man} to {square}")
        own = {file for right, file in rooks.items() if right.isupper() == upper}
        if sign in "Pp":
            at_home = square[1] == ("2" if upper else "7")
        elif sign in "Kk":
            at_home = bool(own)
        else:
            at_home = sign in "Rr" and square in {f"{file}{1 if upper else 8}" for file in own}
        if not at_home:
            lines.append(f"{man}.moved = true")
    if passed != "-":
        lines.append(f"passed = {passed}")
    return "\n".join(lines)


def given_960(fen: str) -> str:
    """The same of chess960, where kings and rooks have stood elsewhere."""
    board, _, castling, _ = fen.split()[:4]
    rooks = _castling_files(board, castling)
    kings = {square[0] for sign, square in _men(board) if sign in "Kk" and _castles(sign, castling)}
    assert len(kings) == 1, "both kings that castle stand on one file"
    lines = [given(fen), f"king_file = {FILES.index(kings.pop()) + 1}"]
    for wing, rights in (("short", "Kk"), ("long", "Qq")):
        files = {rooks[right] for right in rights if right in rooks}
        assert len(files) < 2
        lines += [f"rook_file({wing}) = {FILES.index(file) + 1}" for file in files]
    return "\n".join(lines)


def board_of(game: Game, words: Words) -> str:
    """The first part of the notation."""
    reader, naming = game.context.reader, game.context.naming
    signs = {}
    for man in reader.movables:
        owner, kind, _ = naming.name(man)[len("man(") : -1].split(", ")
        sign = next(sign for sign, name in KINDS.items() if name == kind)
        signs[naming.name(reader.place(words, man))] = sign.upper() if owner == "white" else sign
    rows = ["".join(signs.get(f"{file}{row}", " ") for file in FILES) for row in range(8, 0, -1)]
    board = "/".join(rows)
    for empty in range(8, 0, -1):
        board = board.replace(" " * empty, str(empty))
    return board
