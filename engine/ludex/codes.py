"""Diagnostics of finding files and games; `ALL` gathers those of every stage."""

from __future__ import annotations

from ludex.diagnostics import Code

NO_SUCH_GAME = Code("no-such-game", "No game of that name ships with ludex, and no file of that name exists. `ludex list` shows the games; a definition of your own is named by its path, such as `./my_game/game.yaml`.")
NO_SUCH_OVERLAY = Code("no-such-overlay", "No overlay of that name lies in the game's folder. An overlay of your own is named by its path, such as `./mine.yaml`.")
