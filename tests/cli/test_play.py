"""`ludex play` through a pipe: what is typed stands beside what is answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Ludex = Callable[..., Result]


def played(ludex: Ludex, save: Path) -> list[str]:
    """The history in a save, as it is shown to who resumes it."""
    log = ludex("play", "--resume", str(save), typed="log\n").output.split("> log\n")[1]
    return [line.split(None, 1)[1] for line in log.splitlines() if line[:4].strip().isdigit()]


ME = ("--players", "2", "--seat", "1=human", "--bots", "random", "--seed", "1")
BOTH = ("--players", "2", "--seat", "all=human", "--seed", "1")
ALONE = ("--players", "1", "--seed", "1")


def test_a_game_to_its_end(heap: Ludex) -> None:
    result = heap("play", "heap", *BOTH, "-o", "size=4", typed="take(3)\n1\n")
    assert result.exit_code == 0
    assert "player_1 is to decide: take some" in result.output
    assert "1  take 1   take(1)" in result.output
    assert "The game is over: the heap is empty." in result.output
    assert "player_2 wins." in result.output


def test_input_that_ends_ends_the_session_and_nothing_is_lost(heap: Ludex, state_home: Path) -> None:
    result = heap("play", "heap", *BOTH, typed="take(2)\n")
    assert result.exit_code == 0
    (save,) = state_home.iterdir()
    assert f"ludex play --resume {save}" in result.output
    assert played(heap, save) == ["player_1: take(2)"]


def test_quit_says_how_to_go_on(heap: Ludex) -> None:
    result = heap("play", "heap", *BOTH, typed="quit\n")
    assert result.exit_code == 0
    assert "Saved. Go on with: ludex play --resume" in result.output


@pytest.mark.parametrize("typed", ["2", "take(2)", "take 2", " TAKE( 2 ) ", "gamble"])
def test_ways_to_say_an_action(heap: Ludex, typed: str) -> None:
    result = heap("play", "heap", *BOTH, typed=f"{typed}\nquit\n")
    assert "player_2 is to decide" in result.output


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("99", "There is no option 99: they are numbered 1 to 3."),
        ("0", "There is no option 0"),
        ("dance", "`dance`"),
        ("why take(3)", "there are that many  [book / Taking / 1]"),
        ("take(9)", "(`help` lists what can be typed)"),
        ("why", "Why what?"),
        ("undo", "There is nothing to take back."),
        ("log", "Nothing has happened yet."),
        ("rules", "No rule has been at work yet."),
        ("rules there are that many", "n <= heap"),
        ("rules nothing", "There is no rule `nothing`."),
        ("scores", "stones"),
        ("help", "why it is refused"),
        (":help", "why it is refused"),
        ("board", "heap"),
        ("\x1b[31m", "(`help` lists what can be typed)"),
    ],
)
def test_answers(heap: Ludex, typed: str, answer: str) -> None:
    result = heap("play", "heap", "-o", "size=2", *BOTH, typed=f"{typed}\nquit\n")
    assert result.exit_code == 0
    assert answer in result.output
    assert "\x1b" not in result.output.replace(typed, "")


def test_a_decision_can_be_taken_back_before_anybody_learns_from_it(heap: Ludex) -> None:
    result = heap("play", "heap", *BOTH, typed="take(1)\nundo\nquit\n")
    assert "The last decision is player_1's, and only your own can be taken back." in result.output


def test_not_past_a_reveal(heap: Ludex) -> None:
    result = heap("play", "heap", *BOTH, typed="show\nundo\nquit\n")
    assert "Too late: something hidden has been revealed." in result.output


def test_not_past_chance(heap: Ludex) -> None:
    result = heap("play", "heap", *ALONE, typed="gamble\nundo\nquit\n")
    assert "Too late: chance has had its say since." in result.output


def test_undo(heap: Ludex) -> None:
    result = heap("play", "heap", *ALONE, typed="take(1)\nundo\nlog\nquit\n")
    assert "Taken back." in result.output
    assert "Nothing has happened yet." in result.output


def test_the_log_and_the_rule_behind_the_last_event(heap: Ludex) -> None:
    result = heap("play", "heap", *BOTH, typed="take(1)\nlog\nrules\nquit\n")
    assert "   1  player_1: take(1)" in result.output
    assert "\nactions/take\n" in result.output
    assert "heap -= n" in result.output


def test_bots_play_the_other_seats(heap: Ludex) -> None:
    result = heap("play", "heap", *ME, typed="take(1)\nquit\n")
    assert "player_2: random" in result.output
    assert "player_2 is to decide" not in result.output


def test_bots_alone_play_to_the_end(heap: Ludex) -> None:
    result = heap("play", "heap", "-p", "2", "--seat", "all=mc:10", "--seed", "3")
    assert result.exit_code == 0
    assert "The game is over" in result.output


def test_the_same_seed_is_the_same_game(heap: Ludex) -> None:
    games = [heap("play", "heap", "-p", "2", "--seat", "all=mc:10", "--seed", "3").output for _ in range(2)]
    assert games[0] == games[1]


def test_a_person_sees_his_own_hand_only(heap: Ludex) -> None:
    result = heap("play", "heap", *ME, typed="quit\n")
    (hands,) = [line for line in result.output.splitlines() if line.startswith("hand")]
    assert hands.split() == ["hand", "card(player_1)", "#"]


def test_people_at_one_screen_are_told_whose_it_is(heap: Ludex) -> None:
    result = heap("play", "heap", *BOTH, typed="take(1)\ntake(1)\nquit\n")
    assert "--- for player_2 only ---" in result.output
    assert result.output.index("--- for player_2 only ---") > result.output.index("player_1> take(1)")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seat", "7=human"), "there is no seat `7`"),
        (("--seat", "1=clever"), "there is no bot `clever`"),
        (("--bots", "mcc"), "did you mean `mc`?"),
        (("--resume", "nowhere.ludex"), "nowhere.ludex"),
    ],
)
def test_mistakes(heap: Ludex, words: tuple[str, ...], message: str) -> None:
    result = heap("play", "heap", *words)
    assert result.exit_code == 1
    assert message in result.output


def test_a_file_that_is_there_is_not_saved_over(heap: Ludex, tmp_path: Path) -> None:
    path = tmp_path / "diary.txt"
    path.write_text("dear diary")
    assert heap("play", "heap", "--save", str(path)).exit_code == 1
    result = heap("play", "heap", *BOTH, typed=f"save {path}\nquit\n")
    assert "exists already" in result.output
    assert path.read_text() == "dear diary"


def test_saving_to_a_file_of_ones_own(heap: Ludex, tmp_path: Path) -> None:
    path = tmp_path / "mine.ludex"
    result = heap("play", "heap", *BOTH, typed=f"save {path}\ntake(1)\nquit\n")
    assert f"--resume {path}" in result.output
    assert played(heap, path) == ["player_1: take(1)"]


def saved(heap: Ludex, path: Path, typed: str) -> str:
    heap("play", "heap", *BOTH, "--save", str(path), typed=typed)
    return str(path)


def test_going_on_where_one_stopped(heap: Ludex, tmp_path: Path) -> None:
    path = saved(heap, tmp_path / "a.ludex", "take(3)\ntake(3)\nquit\n")
    result = heap("play", "--resume", path, typed="take(3)\ntake(1)\n")
    assert result.exit_code == 0
    assert "player_1> take(3)" in result.output
    assert "player_2 wins." in result.output


def test_the_last_game(heap: Ludex) -> None:
    heap("play", "heap", *BOTH, typed="take(2)\nquit\n")
    assert "player_2> " in heap("play", "--resume", "last", typed="quit\n").output


def test_a_game_taken_to_other_rules_stops_where_they_part(heap: Ludex, tmp_path: Path) -> None:
    path = saved(heap, tmp_path / "a.ludex", "take(3)\ntake(3)\nquit\n")
    before = Path(path).read_bytes()
    result = heap("play", "heap", "-p", "2", "-o", "size=5", "--resume", path)
    assert result.exit_code == 1
    assert "take(3)" in result.output
    assert Path(path).read_bytes() == before
    other = tmp_path / "b.ludex"
    result = heap(
        "play", "heap", "-p", "2", "-o", "size=5", "--resume", path, "--save", str(other), typed="quit\n"
    )
    assert "player_2> " in result.output
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b.replace(b"take(3)", b"take(9)"), lambda b: b""]
)
def test_a_damaged_save_is_told_and_left_alone(
    heap: Ludex, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = Path(saved(heap, tmp_path / "a.ludex", "take(3)\nquit\n"))
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    result = heap("play", "--resume", str(path), typed="take(1)\n")
    assert result.exit_code == 1
    assert "error" in result.output
    assert path.read_bytes() == before
