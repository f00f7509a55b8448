"""Games played by numbers find what `Comparison` finds, and machine code counts the same rules."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gdl
from gdl.conform.coverage import Coverage
from gdl.conform.piece import Piece
from gdl.conform.search import run_piece
from gdl.conform.source import Source
from gdl.conform.task import Sides, Task
from gdl.conform.twin import Parting
from gdl.language.limits import DEFAULT_LIMITS
from tests.conform.bugs import CASES
from tests.conform.faulty import Faulty
from tests.shared import missing, needs, some

pytestmark = needs("native")

ENGINES = "tests.conform.engines"
WITHOUT = """
(role white) (role black)
(init (step 0)) (init (control white))
(<= (legal white (go ?n)) (true (control white)) (number ?n))
(<= (legal white noop) (not (true (control white))))
(<= (legal black (go ?n)) (true (control black)) (number ?n))
(<= (legal black noop) (not (true (control black))))
(number 1) (number 2) (number 3)
(<= (moved ?r) (does ?r (go ?n)))
(<= quiet (not (moved white)) (not (moved black)))
(<= (even ?r) (does ?r (go 2)) (not quiet))
(<= (next odd) (role ?r) (not (even ?r)) (moved ?r))
(<= (next nobody) quiet)
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 4)))
(<= (goal ?r 100) (role ?r) (true odd))
(<= (goal ?r 0) (role ?r) (not (true odd)))
"""
"""Rules that look at moves, directly or not, and deny it, too."""


def opened(game: str, engine: str | Source, allow: tuple[str, ...] = ()) -> Sides:
    compiled = gdl.load(game, backend="native")
    return Task(compiled, engine, allow, None, 0, 2, DEFAULT_LIMITS).open()


def pieces(
    sides: Sides, coverage: Coverage | None, numbers: range, *, is_quick: bool
) -> list[Piece]:
    by_numbers = sides.by_numbers if is_quick else None
    return [
        run_piece(sides.comparison.fresh(), coverage, by_numbers, number, seed=5, depth=1)
        for number in numbers
    ]


def told(parting: Parting | None) -> object:
    if parting is None:
        return None
    return parting.kind, parting.what, parting.ours, parting.theirs, parting.twin.choices


def hold_alike(sides: Sides, count: int) -> None:
    """Run pieces by numbers with machine code, and by `Comparison` with the reasoner."""
    assert sides.by_numbers is not None
    assert sides.coverage is not None
    assert sides.coverage.watch(60)
    slowly = Coverage(sides.rules.game)
    slowly.keep_reasoning()
    quick = pieces(sides, sides.coverage, range(1, count + 1), is_quick=True)
    slow = pieces(sides, slowly, range(1, count + 1), is_quick=False)
    for one, other in zip(quick, slow, strict=True):
        assert told(one.parting) == told(other.parting)
        one.parting = other.parting = None
        assert one.met
        assert not other.met  # counted where games are played by numbers alone
        one.met = {}
        assert one == other
        assert one.positions


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["TicTacToe", "OneLineMissing", "Raising", "Changing"])
def test_games_by_numbers_find_what_comparison_finds(engine: str) -> None:
    hold_alike(opened("tictactoe", f"{ENGINES}:{engine}"), 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "engine", "allow"),
    some(
        [
            ("connectfour", "connect_four", ()),
            ("breakthrough", "breakthrough", ()),
            ("clobber", "clobber", ()),
            ("kalah", "mancala", ()),
            ("othello", "othello", ("pass-left-out",)),
            ("quoridor", "quoridor(board_size=5)", ("move-limit",)),
        ],
        4,
    ),
)
def test_games_of_open_spiel_go_the_same_either_way(
    game: str, engine: str, allow: tuple[str, ...]
) -> None:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    hold_alike(opened(game, f"pyspiel:{engine}", allow), 1)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_a_bug_is_met_in_the_same_play_either_way(number: int) -> None:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    case = next(case for case in CASES if case.rules == "connectfour")
    hold_alike(opened(case.rules, Faulty(case.engine, case.bugs[number])), 2)


@pytest.mark.parametrize("name", ["tictactoe", "without"])
def test_machine_code_says_which_rules_fire_as_the_reasoner_does(name: str, tmp_path: Path) -> None:
    file = tmp_path / "without.kif"
    file.write_text(WITHOUT, encoding="utf-8")
    game = gdl.load(str(file) if name == "without" else name)
    one, other = Coverage(game), Coverage(game)
    other.keep_reasoning()
    assert one.watch(60)
    rng, machine = random.Random(3), game.machine
    state, fired = machine.initial(), set[int]()
    for _ in range(40):
        assert one.fired(state) == other.fired(state)
        fired |= one.fired(state)
        if machine.is_terminal(state):
            state = machine.initial()
            continue
        joint = tuple(rng.choice(machine.legal(state, role)) for role in machine.roles)
        assert one.fired(state, joint) == other.fired(state, joint)
        fired |= one.fired(state, joint)
        state = machine.successor(state, joint)
    assert len(fired) > len(one.rules) // 2


@pytest.mark.slow
def test_what_hides_or_deals_by_chance_has_no_quick_way() -> None:
    assert opened("rockpaperscissors", "rockpaperscissors").by_numbers is not None
    assert opened("kuhnpoker", "kuhnpoker").by_numbers is None
