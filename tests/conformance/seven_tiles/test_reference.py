"""The oracle against the worked examples of section 4 of the rule model, and its figures of the maps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from . import reference as ref
from .reference import Board, Config, Game, Territory

UNTURNED = Board(ref.TILES, (0,) * 7)
GREY, ORANGE, WHITE = 0, 1, 2

# Unturned, the tile in the middle is tile 1; its c touches a, b and d of it.
CENTRE = (1, "c")
AROUND = ((1, "a"), (1, "b"), (1, "d"))


def conquest(
    held: Mapping[Territory, tuple[int, int]], players: int = 3, first: int = ORANGE, **switches: Any
) -> Game:
    """A game at the beginning of the conquest, with these owners and numbers of knights."""
    game = Game(Config(players, **switches), UNTURNED, colonist=GREY, conqueror=first)
    game.reserve = [0] * players
    game.phase = "conquer"
    game.owner = {t: owner for t, (owner, _) in held.items()}
    game.knights.update({t: n for t, (_, n) in held.items()})
    game._apply_conqueror(first)
    return game


def siege(defenders: int, *attackers: int, **switches: Any) -> Game:
    """Grey in the centre, and Orange around it."""
    held = {t: (ORANGE, n) for t, n in zip(AROUND, attackers, strict=False)}
    return conquest({CENTRE: (GREY, defenders), **held}, **switches)


def options(game: Game) -> list[Any]:
    assert game.pending is not None
    return list(game.pending.options)


def can_attack(game: Game, player: int = ORANGE) -> bool:
    return ("conquer", CENTRE) in game._conquer_options(player)


def mixes(game: Game) -> list[dict[Territory, int]]:
    game.apply(("conquer", CENTRE))
    return [dict(mix) for _, mix in options(game)]


# ---- setup


@pytest.mark.parametrize(("players", "knights"), [(2, 36), (3, 24), (4, 18)])
def test_seventy_two_knights(players: int, knights: int) -> None:
    game = Game(Config(players))
    assert game.reserve == [knights] * players
    assert sum(game.reserve) == 72


def test_borders_of_the_uniform_map() -> None:
    neighbors = ref.adjacency("U28", UNTURNED)
    assert ref.edges(neighbors) == 54
    assert Counter(ref.degrees(neighbors)) == {3: 13, 4: 6, 5: 9}


@pytest.mark.parametrize(("name", "edges", "least"), [("U28", 54, 3), ("M28", 50, 2)])
def test_borders_of_random_boards(name: str, edges: int, least: int) -> None:
    rng = random.Random(1)
    for _ in range(300):
        board = Board(tuple(rng.sample(ref.TILES, 7)), tuple(rng.randrange(6) for _ in ref.TILES))
        neighbors = ref.adjacency(name, board)
        assert len(neighbors) == 28
        assert ref.edges(neighbors) == edges
        assert min(ref.degrees(neighbors)) >= least
        reached = {CENTRE}
        while more := set().union(*(neighbors[t] for t in reached)) - reached:
            reached |= more
        assert len(reached) == 28


def test_a_turned_tile_shows_other_sides() -> None:
    """Tile 1 in the middle: its side 0 touches side 3 of tile 2, which is b while that lies straight."""
    assert (2, "b") in ref.adjacency("U28", UNTURNED)[1, "a"]
    turned = ref.adjacency("U28", Board(ref.TILES, (2, 0, 0, 0, 0, 0, 0)))  # d has come to side 0
    assert (2, "b") in turned[1, "d"]
    assert (2, "b") not in turned[1, "a"]


def test_castles_stand_in_the_middle_or_first_territory() -> None:
    castles = Game(Config(3, map="M28", castles="every_tile"), UNTURNED).castles
    assert castles == {(1, "c"), (2, "c"), (3, "c"), (4, "c"), (5, "a"), (6, "a"), (7, "c")}
    assert len(Game(Config(3, castles="outer_tiles"), UNTURNED).castles) == 6
    assert Game(Config(3, castles="middle_tile"), UNTURNED).castles == {CENTRE}


def test_no_castles_with_two_players() -> None:
    with pytest.raises(ValueError, match="castles"):
        Config(2, castles="every_tile")


# ---- colonisation


def test_no_sixth_knight_and_none_on_enemies() -> None:
    game = Game(Config(3), UNTURNED, colonist=ORANGE, conqueror=GREY)
    game.owner = {CENTRE: ORANGE, AROUND[0]: GREY}
    game.knights.update({CENTRE: 5, AROUND[0]: 1})
    game._seek_turn(ORANGE, game._place_options)
    found = {t for _, t in options(game)}
    assert CENTRE not in found and AROUND[0] not in found
    assert len(found) == 26


def test_who_finds_no_room_is_passed_over() -> None:
    """CA9: five full territories, eleven knights left, and no territory empty."""
    game = Game(Config(2), UNTURNED, colonist=GREY, conqueror=GREY)
    full = ref.territories("U28")[:5]
    for t in ref.territories("U28"):
        game.owner[t] = GREY if t in full else ORANGE
        game.knights[t] = 5 if t in full else 1
    game.reserve = [11, 13]
    game._seek_turn(GREY, game._place_options)
    assert game.active == ORANGE
    for _ in range(13):
        game.apply(options(game)[0])
    assert game.discarded[GREY] == 11 and game.phase != "place"


# ---- conquest


def test_nine_beat_four() -> None:
    game = siege(4, 3, 4, 2)
    assert game.strength(ORANGE, CENTRE) == 9
    found = mixes(game)
    assert game.discarded[GREY] == 4
    assert {AROUND[0]: 2, AROUND[1]: 3} in found
    assert max(sum(mix.values()) for mix in found) == 5
    game.apply(("advance", ((AROUND[0], 2), (AROUND[1], 3))))
    assert [game.knights[t] for t in (CENTRE, *AROUND)] == [5, 1, 1, 2]
    assert game.owner[CENTRE] == ORANGE


def test_equals_do_not_win() -> None:
    assert not can_attack(siege(4, 4))
    assert can_attack(siege(4, 4, 1))


def test_a_castle_is_worth_one_defender() -> None:
    assert not can_attack(siege(4, 5, castles="every_tile"))
    assert can_attack(siege(4, 5, 1, castles="every_tile"))
    assert can_attack(siege(4, 5))


def test_a_castle_is_worth_nothing_to_the_attacker() -> None:
    """Grey next to Orange's castle: five against five."""
    game = conquest({CENTRE: (ORANGE, 5), AROUND[0]: (GREY, 5)}, castles="every_tile")
    assert ("conquer", AROUND[0]) not in list(game._conquer_options(ORANGE))


def test_one_always_stays() -> None:
    assert mixes(siege(1, 5)) == [{AROUND[0]: n} for n in (1, 2, 3, 4)]


def test_three_alone_against_two() -> None:
    assert not can_attack(siege(2, 1, 1, 1))
    game = siege(2, 1, 1, 1, hollow=True)
    game.apply(("conquer", CENTRE))
    assert game.knights[CENTRE] == 0 and CENTRE not in game.owner
    assert game.phase == "over"


def test_the_stack_that_cannot_be_taken_may_attack() -> None:
    assert ("conquer", AROUND[0]) in list(siege(2, 1, 1, 1)._conquer_options(GREY))


def test_empty_territories() -> None:
    held = {AROUND[0]: (ORANGE, 2), (4, "c"): (GREY, 1)}
    assert conquest(held).phase == "over"
    game = conquest(held, capture_empty=True)
    assert ("conquer", CENTRE) in options(game)
    alone = {AROUND[0]: (ORANGE, 1), (4, "c"): (GREY, 1)}
    assert conquest(alone, capture_empty=True, hollow=True).phase == "over"


def test_an_empty_castle_defends_nobody() -> None:
    held = {AROUND[0]: (ORANGE, 1), AROUND[1]: (ORANGE, 2)}
    assert can_attack(conquest(held, capture_empty=True, castles="every_tile"))


def test_who_cannot_conquer_is_passed_over() -> None:
    game = siege(1, 5, first=WHITE)
    assert game.active == ORANGE  # neither White nor Grey


# ---- end


def test_castles_count_two_at_the_end() -> None:
    game = conquest({CENTRE: (GREY, 5), AROUND[0]: (ORANGE, 5), AROUND[1]: (WHITE, 2)}, castles="every_tile")
    assert game.scores == [2, 1, 1]
    assert game.phase == "conquer" and game.active == ORANGE  # 5 against 2


def test_ties() -> None:
    held = {CENTRE: (GREY, 5), AROUND[0]: (ORANGE, 4)}
    assert conquest(held, players=2).ranks == [1, 1]
    assert conquest(held, players=2, tie="knights").ranks == [1, 2]


@pytest.mark.parametrize("switches", [{}, {"hollow": True, "capture_empty": True}])
def test_each_conquest_ends_something(switches: dict[str, Any]) -> None:
    """Every one removes a knight or settles an empty territory, so that the game ends."""
    rng = random.Random(3)
    for players in (2, 3, 4):
        for _ in range(5):
            game = Game(Config(players, **switches))
            while (pending := game.pending) is not None:
                if pending.who == "board":
                    tiles = tuple(rng.sample(ref.TILES, 7))
                    game.apply(Board(tiles, tuple(rng.randrange(6) for _ in ref.TILES)))
                elif pending.type == "chance":
                    game.apply(rng.choice(pending.options)[0])
                else:
                    game.apply(rng.choice(pending.options))
            bound = 72 if not switches else 72 + 28 + 72
            assert game.conquests < bound
            assert sum(game.left) + sum(game.discarded) == 72
