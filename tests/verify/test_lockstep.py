"""Random play as machine code against the same on numpy, and against the reasoner."""

import random
from pathlib import Path

import pytest

import gdl
from gdl.ruleset import Ruleset, find
from gdl.verify.correspondence.compared_game import ComparedGame, prepare_game
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.replay import replay
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems import compiled_simulation
from gdl.verify.systems.compiled_simulation import RandomSimulation, simulate_at_random
from gdl.verify.systems.matching import Matching
from gdl.verify.systems.product import Product, product
from gdl.verify.systems.sampling import sample
from tests.conformance.mutants import Mutant, all_mutants

Pair = tuple[tuple[ComparedGame, ComparedGame], Matching, Product]


def paired(one: str | Ruleset, other: str | Path | Ruleset, *, turns: bool | None = None) -> Pair:
    """Return two games side by side."""
    budget = Budget(120)
    made = [
        prepare_game(each if isinstance(each, Ruleset) else find(each)) for each in (one, other)
    ]
    sides, matching = find_matching((made[0], made[1]), budget, turns=turns)
    first, second = sides
    broken = first.broken, second.broken
    return sides, matching, product(first.circuit, second.circuit, matching, broken=broken)


def changed(folder: Path, name: str, old: str, new: str) -> Path:
    text = "\n".join(source.text for source in find(name).texts())
    path = folder / "changed.kif"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def played(
    pair: Pair, *, positions: int = 200_000, width: int | None = None, seed: int = 0
) -> RandomSimulation:
    found = simulate_at_random(
        pair[2].system,
        Budget(120),
        compiling=60,
        playing=60,
        positions=positions,
        width=width,
        seed=seed,
    )
    assert found is not None
    return found


def test_draws_come_as_often_as_in_random_tictactoe(tmp_path: Path) -> None:
    """Of all random plays 46080 of 362880 are draws, all of nine moves; only they pay otherwise."""
    other = changed(tmp_path, "tictactoe", "(goal ?player 50)", "(goal ?player 40)")
    pair = paired("tictactoe", other)
    found = played(pair)
    share, expected = found.bad / found.plays, 46_080 / 362_880
    assert abs(share - expected) < 5 * (expected * (1 - expected) / found.plays) ** 0.5
    assert found.play is not None
    assert len(found.play) == 9
    seen = replay(*pair[:2], found.play, with_open_goals=False)
    assert seen.findings[0].text.startswith("goal of x: 50 in tictactoe, 40 in ")


@pytest.mark.slow
def test_what_is_played_does_not_depend_on_the_width_of_vectors(tmp_path: Path) -> None:
    other = changed(tmp_path, "connectfour", "(goal ?player 50)", "(goal ?player 40)")
    pair = paired("connectfour", other)
    wide, narrow = (played(pair, positions=50_000, width=width) for width in (256, 64))
    assert wide == narrow
    assert wide != played(pair, positions=50_000, seed=1)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_game_shows_nothing(seed: int) -> None:
    found = played(paired("connectfour", "connectfour"), seed=seed)
    assert (found.bad, found.play) == (0, None)
    assert found.positions >= 200_000


def test_a_spent_budget_ends_the_plays_without_an_error() -> None:
    pair = paired("tictactoe", "tictactoe")
    found = simulate_at_random(pair[2].system, Budget(120), compiling=60, playing=0)
    assert found == RandomSimulation(0, 0, 0, None)


QUICK = [m for m in all_mutants() if not m.ruleset.startswith("gomoku")]
"""The machine code of two large boards takes its time."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutant", random.Random(1).sample(QUICK, 4), ids=lambda mutant: mutant.name
)
def test_it_finds_what_numpy_finds(mutant: Mutant, tmp_path: Path) -> None:
    """What a few hundred plays show, thousands show too, and the reasoner sees it."""
    pair = paired(mutant.ruleset, mutant.write(tmp_path))
    plain = sample(pair[2].system, Budget(120), lanes=256)
    found = played(pair)
    assert plain.play is None or found.play is not None
    for play in (plain.play, found.play):
        if play is not None:
            assert replay(*pair[:2], play, with_open_goals=False).findings


def test_a_difference_before_the_first_move_needs_no_play(tmp_path: Path) -> None:
    other = changed(tmp_path, "tictactoe", "(init (control x))", "(init (control o))")
    assert played(paired("tictactoe", other)) == RandomSimulation(1, 0, 0, [])


@pytest.mark.slow
def test_whole_turns_against_plies() -> None:
    """Several pairs of moves end in one state; any of them will do."""
    pair = paired("pentago/phased", "pentago/strict", turns=True)
    found = played(pair)
    assert found.play is not None
    assert replay(*pair[:2], found.play, with_open_goals=False).findings


def test_without_the_compiler_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    system = paired("tictactoe", "tictactoe")[2].system
    assert simulate_at_random(system, Budget(120), compiling=0, playing=60) is None
    monkeypatch.setattr(compiled_simulation, "find_spec", lambda _: None)
    assert simulate_at_random(system, Budget(120), compiling=60, playing=60) is None


@pytest.mark.slow
def test_without_the_compiler_a_difference_is_found_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled_simulation, "find_spec", lambda _: None)
    answer = gdl.diff("pentago/strict", "pentago/utwente")
    assert (answer.proved, answer.depth) == (True, 10)
    assert "compiled play" not in {stage.name for stage in answer.stages}
