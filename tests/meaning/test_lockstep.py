"""Every back end against the definition: shipped rules, published ones, and mutants of these."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import gdl
from gdl.backend import missing_packages
from gdl.language.diagnostics import InvalidDescriptionError, LimitError
from gdl.language.limits import Limits
from gdl.language.parse import read
from gdl.language.syntax import Description
from gdl.meaning.machine import Meaning
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from tests.meaning.lockstep import differences
from tests.mutants import mutant
from tests.shared import GAMES, needs_games, some

SHIPPED = (
    *("tictactoe", "connectfour", "gomoku/freestyle"),
    *("pentago/strict", "pentago/utwente", "pentago/classic", "pentago/phased"),
)
SMALL = ("tictactoe", "connectfour")
SECONDS = Limits(seconds=20.0)


@pytest.mark.later
@pytest.mark.parametrize("name", SHIPPED)
def test_the_reasoner_agrees_on_shipped_rules(name: str) -> None:
    rules = find(name).checked()
    count, what = differences(Meaning(rules), Reasoner(rules), plies=6, seconds=3.0)
    assert what == ""
    assert count > 0


@pytest.mark.skipif(bool(missing_packages()), reason="needs the extra for machine code")
@pytest.mark.parametrize("name", SMALL)
def test_machine_code_agrees_on_shipped_rules(name: str) -> None:
    game = gdl.load(name, backend="native")
    meaning = gdl.load(name, backend="meaning")
    assert meaning.backend == "meaning"
    assert meaning.roles == game.roles
    count, what = differences(meaning.machine, game.machine, plies=30, seconds=3.0)
    assert what == ""
    assert count > 0


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seed", range(30))
def test_the_reasoner_agrees_on_mutants(name: str, seed: int) -> None:
    compare_mutant(find(name).description, seed, plies=8)


def compare_mutant(description: Description, seed: int, *, plies: int) -> int:
    """Compare a mutant; both refuse it, or neither does and they agree. Return states compared."""
    rules = mutant(description, Random(seed), edits=1)
    try:
        meaning = Meaning(rules, limits=SECONDS)
    except InvalidDescriptionError as refused:
        with pytest.raises(type(refused)):
            Reasoner(rules, limits=SECONDS)
        return 0
    count, what = differences(meaning, Reasoner(rules), plies=plies, seconds=5.0, seed=seed)
    assert what == ""
    return count


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", some(GAMES, 20), ids=lambda path: path.stem)
def test_the_reasoner_agrees_on_published_rules(path: Path) -> None:
    rules = read(path)
    try:
        meaning = Meaning(rules, limits=SECONDS)
        count, what = differences(meaning, Reasoner(rules), plies=20, seconds=10.0)
    except LimitError as limit:
        pytest.skip(f"too much for the definition: {str(limit).splitlines()[0]}")
    assert what == ""
    assert count > 0


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", some(GAMES, 8), ids=lambda path: path.stem)
def test_the_reasoner_agrees_on_mutants_of_published_rules(path: Path) -> None:
    rules = read(path)
    for seed in range(4):
        try:
            compare_mutant(rules, seed, plies=4)
        except LimitError as limit:
            pytest.skip(f"too much for the definition: {str(limit).splitlines()[0]}")
