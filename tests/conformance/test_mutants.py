"""The tests bite: every broken ruleset is told from its engine, and the shipped ones are not."""

from collections import Counter
from pathlib import Path

import pytest

import gdl
from engine import GAMES
from gdl.conform import Divergence, Lockstep
from gdl.language.checks.check import check
from gdl.language.diagnostics import Severity
from tests.conformance.attack import attack
from tests.conformance.games import load
from tests.conformance.mutants import Mutant, all_mutants, broken_rulesets

MUTANTS = all_mutants()


def named(mutant: Mutant) -> str:
    return mutant.name


def first_difference(game: gdl.Game, ruleset: str) -> Divergence | None:
    lockstep = Lockstep(game, GAMES[ruleset])
    reports = [report for _, report in attack(lockstep, ruleset)]
    return reports[-1].difference


def test_each_ruleset_is_broken_in_at_least_ten_ways() -> None:
    counts = Counter(mutant.ruleset for mutant in MUTANTS)
    assert set(counts) == set(GAMES)
    assert min(counts.values()) >= 10, counts
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", GAMES)
def test_a_shipped_ruleset_withstands_what_mutants_do_not(ruleset: str) -> None:
    difference = first_difference(load(ruleset), ruleset)
    assert difference is None, str(difference)


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    broken = mutant.write(tmp_path)
    errors = [each for each in check(broken.description) if each.severity is Severity.ERROR]
    assert not errors, "only its play may be wrong"
    difference = first_difference(gdl.load(broken, backend="reason"), mutant.ruleset)
    assert difference is not None, f"not caught: {mutant.why}"
    assert_replays(difference, mutant, tmp_path)


def assert_replays(difference: Divergence, mutant: Mutant, folder: Path) -> None:
    """The report's play leads a fresh game to the same difference."""
    lockstep = Lockstep(
        gdl.load(mutant.write(folder / "again"), backend="reason"), GAMES[mutant.ruleset]
    )
    pair = lockstep.reach(difference.moves)
    found = lockstep.compare(pair)
    if difference.what.startswith("answer to "):
        move = difference.what.removeprefix("answer to ")
        found = lockstep.step(pair, lockstep.reference.parse(move))  # type: ignore[assignment]  # a pair would be a fault
    assert found == difference


@pytest.mark.slow
def test_broken_rulesets_come_with_their_names(tmp_path: Path) -> None:
    broken = dict(broken_rulesets(tmp_path))
    assert list(broken) == [mutant.name for mutant in MUTANTS]
    assert all(ruleset.id == name for name, ruleset in broken.items())


def test_a_mutant_of_a_text_that_is_not_there_is_an_error() -> None:
    mutant = Mutant("pentago/strict", "nothing", "strict.kif", "no such text", "", "")
    with pytest.raises(ValueError, match=r"occur once in strict\.kif, not 0 times"):
        mutant.change("(role black)")
