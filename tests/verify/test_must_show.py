"""Differences whose length is known by counting marbles, and rulesets broken on purpose.

Every play is held against the hand-written engines, which know nothing of solvers.
"""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import gdl
from engine import GAMES
from gdl.conform import Lockstep, Report, replay
from gdl.game import Game
from gdl.language.render import render
from gdl.machine import JointMove
from gdl.ruleset import Ruleset, find
from tests.conformance.mutants import Mutant, all_mutants
from tests.shared import SHARED, needs_games, some
from tests.verify.scramble import scramble

ROOT = Path(__file__).resolve().parents[2]
TURNS = {
    # Two lines at once need five marbles of each colour: the white fifth is the tenth.
    ("pentago/strict", "pentago/utwente"): 10,
    # Black's fifth marble can make a line that the rotation breaks.
    ("pentago/strict", "pentago/classic"): 9,
    ("pentago/utwente", "pentago/classic"): 9,
    ("pentago/strict", "pentago/phased"): 9,
    ("pentago/utwente", "pentago/phased"): 9,
    # Only the last marble is followed by a rotation in one and not in the other.
    ("pentago/classic", "pentago/phased"): 36,
}
"""Whole turns after which two rulesets part."""


def along(
    ruleset: str | Ruleset, engine: str, play: tuple[JointMove, ...], *, last: int | None = None
) -> Report:
    """Compare rules and an engine along a play: everywhere, or after so many of the last moves."""
    game = gdl.load(ruleset, backend="reason")
    lockstep: Lockstep[Any, Any] = Lockstep(game, GAMES[engine])
    return replay(lockstep, notation(game, play), compare_last=last)


def notation(game: Game, play: tuple[JointMove, ...]) -> list[str]:
    """Return the moves of those who have a choice."""
    return [game.initial().notation(next(m for m in joint if str(m) != "noop")) for joint in play]


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), some(list(TURNS), 3))
def test_pairs_of_pentago_part_after_so_many_turns(one: str, other: str) -> None:
    answer = gdl.diff(one, other, seconds=480)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, TURNS[one, other])
    assert answer.plays is not None
    for name, play in zip((one, other), answer.plays, strict=True):
        assert along(name, name, play).difference is None


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), some([("strict", "classic"), ("classic", "strict")], 1))
def test_names_that_mean_nothing_do_not_hide_a_difference(
    one: str, other: str, tmp_path: Path
) -> None:
    """One has moves more than the other; the words of one are scrambled."""
    path = tmp_path / "scrambled.kif"
    text = render(scramble(find(f"pentago/{one}").description, seed=1))
    path.write_text(text, encoding="utf-8")
    answer = gdl.diff(path, f"pentago/{other}", seconds=480)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 9)
    assert answer.plays is not None
    ruleset = f"pentago/{other}"
    assert along(ruleset, ruleset, answer.plays[1]).difference is None


def test_the_table_in_the_readme_says_so_too() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("$ gdl diff --matrix pentago\n")[2].partition("\n\n")[0]
    head, *rows = (re.split(r"\s{3,}", line.strip()) for line in table.splitlines())
    found = {}
    for name, *cells in rows:
        others = [other for other in head if other != name]
        for other, cell in zip(others, cells, strict=True):
            found[name, other] = int(cell.partition(":")[0])
    names = [name for name, *_ in rows]
    assert len(names) == 4
    for pair in combinations(names, 2):
        assert found[pair] == found[pair[::-1]] == TURNS[pair]


@needs_games
@pytest.mark.slow
def test_six_in_a_row_need_eleven_stones() -> None:
    answer = gdl.diff("gomoku/freestyle", SHARED / "games" / "gomoku_15x15.kif", seconds=480)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 11)
    assert answer.play is not None
    assert along("gomoku/freestyle", "gomoku/freestyle", answer.play).difference is None
    assert answer.what[0].startswith("the game is over in gomoku/freestyle, not in ")


@pytest.mark.slow
@pytest.mark.parametrize("mutant", some(all_mutants(), 3), ids=lambda mutant: mutant.name)
def test_a_broken_ruleset_is_told_apart_by_a_shortest_play(mutant: Mutant, tmp_path: Path) -> None:
    broken = mutant.write(tmp_path)
    answer = gdl.diff(mutant.ruleset, broken, seconds=480)
    assert (answer.equivalent, answer.proved) == (False, True)
    assert answer.plays is not None
    sound, wrong = answer.plays
    assert along(mutant.ruleset, mutant.ruleset, sound).difference is None
    assert along(broken, mutant.ruleset, wrong, last=1).difference is not None
