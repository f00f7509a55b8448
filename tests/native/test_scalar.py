"""The event-driven game is the game of the circuit."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gdl.ruleset
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import find_phases
from gdl.compile import build
from gdl.language.parse import parse, read
from gdl.native.scalar import effects
from gdl.native.scalar.effects import NoTablesError
from gdl.native.scalar.events import Tables, make_tables
from gdl.native.scalar.game import Position, Scalar, scalar_code
from gdl.reason.machine import Reasoner
from tests.native.chi_square import p_value
from tests.native.circuits import hidden, marbles, stuck, tictactoe, urn, walk
from tests.native.plain import PlainMachine
from tests.native.stages import play, scalar_difference
from tests.shared import SHARED, needs_games

CODE = scalar_code()
EXACT = {(100, 0): 0.584921, (0, 100): 0.288095, (50, 50): 0.126984}
SEQUENTIAL = {
    "tictactoe": tictactoe(),
    "walk": walk(5),
    "urn": urn(70, [sorted(random.Random(1).sample(range(70), 66))]),
    "stuck": stuck(),
    "hidden": hidden(),
    "marbles": marbles(),
}


def scalar(circuit: GameCircuit) -> Scalar:
    return Scalar(make_tables(circuit, find_phases(circuit)), CODE)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SEQUENTIAL)
def test_scalar_and_plain_agree_along_random_games(name: str) -> None:
    circuit = SEQUENTIAL[name]
    plain, fast = PlainMachine(circuit), scalar(circuit)
    stored = frozenset(fast.tables.fact_index)
    rng = random.Random(2)
    for _ in range(40):
        state, position = plain.initial(), fast.initial()
        for _ in range(30):
            _same(plain, fast, stored, state, position)
            legal = fast.legal(position)
            if fast.is_terminal(position) or len(legal) == 0:
                break
            move = int(rng.choice(list(legal)))
            joint = [plain.legal(state, role)[0] for role in plain.roles]
            mover = fast.mover(position)
            joint[mover] = circuit.moves[mover][fast.tables.moves[position.phase][move]]
            state = plain.successor(state, tuple(joint))
            position = fast.play(position, move)


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["pentago/utwente", "connectfour"])
def test_what_only_some_processors_have_changes_nothing(name: str) -> None:
    """Seeds lead to the same games with the code for any processor; some moves turn many facts."""
    tables = tables_of(name)
    games = [Scalar(tables, code) for code in (scalar_code(is_plain=True), CODE)]
    plain, fast = (game.rollouts(game.initial(), 500, seed=3) for game in games)
    assert plain == fast


@cache
def tables_of(name: str) -> Tables:
    circuit = build(gdl.ruleset.find(name).description)
    return make_tables(circuit, find_phases(circuit))


def _same(
    plain: PlainMachine,
    fast: Scalar,
    stored: frozenset[int],
    state: frozenset[int],
    position: Position,
) -> None:
    assert fast.facts(position) == state & stored
    assert fast.is_terminal(position) == plain.is_terminal(state)
    assert fast.goals(position) == tuple(plain.goals(state, role) for role in plain.roles)
    mover = fast.mover(position)
    names = [
        plain.circuit.moves[mover][fast.tables.moves[position.phase][i]]
        for i in fast.legal(position)
    ]
    assert tuple(names) == plain.legal(state, plain.roles[mover])


@pytest.mark.slow
def test_rollouts_end_as_often_as_they_should() -> None:
    n = 300_000
    fast = scalar(tictactoe())
    counts = fast.rollouts(fast.initial(), n, seed=4)
    assert counts.n == n
    found = [counts.goals[end] for end in EXACT]
    assert p_value(found, [n * p / sum(EXACT.values()) for p in EXACT.values()]) > 1e-4
    assert counts == fast.rollouts(fast.initial(), n, seed=4)
    assert counts != fast.rollouts(fast.initial(), n, seed=5)


def test_rollouts_from_the_middle_are_uniform() -> None:
    """With five marks set, all 24 orders of the rest that nobody cuts short are as likely."""
    fast = scalar(tictactoe())
    position = fast.initial()
    for square in (0, 1, 2, 3):
        position = fast.play(position, square)
    n = 100_000
    counts = fast.rollouts(position, n, seed=1)
    plain = PlainMachine(tictactoe())
    state = plain.initial()
    noop = plain.circuit.moves[0][9]
    for ply, square in enumerate((0, 1, 2, 3)):
        move = plain.circuit.moves[0][square]
        state = plain.successor(state, (move, noop) if ply % 2 == 0 else (noop, move))
    expected = _chances(plain, state)
    assert counts.goals.keys() == expected.keys()
    found = [counts.goals[end] for end in expected]
    assert p_value(found, [n * p for p in expected.values()]) > 1e-4


def _chances(plain: PlainMachine, state: frozenset[int]) -> dict[tuple[int | None, ...], float]:
    if plain.is_terminal(state):
        return {tuple(plain.goals(state, role)[0] for role in plain.roles): 1.0}
    total: dict[tuple[int | None, ...], float] = {}
    joints = [
        (a, b)
        for a in plain.legal(state, plain.roles[0])
        for b in plain.legal(state, plain.roles[1])
    ]
    for joint in joints:
        for end, chance in _chances(plain, plain.successor(state, joint)).items():
            total[end] = total.get(end, 0.0) + chance / len(joints)
    return total


def test_every_move_of_many_is_drawn_alike() -> None:
    fast = scalar(SEQUENTIAL["urn"])
    counts = fast.rollouts(fast.initial(), 66 * 3000)
    assert len(counts.goals) == 66
    assert p_value(list(counts.goals.values())) > 1e-4


def test_stuck_rollouts_are_counted_apart() -> None:
    fast = scalar(stuck())
    counts = fast.rollouts(fast.initial(), 1000)
    assert counts.stuck + counts.finished == 1000
    assert counts.stuck > 400


def test_positions_are_values() -> None:
    fast = scalar(tictactoe())
    first = fast.play(fast.initial(), 3)
    assert fast.play(fast.initial(), 3) == first
    assert hash(fast.play(fast.initial(), 3)) == hash(first)
    assert np.array_equal(fast.legal(fast.initial()), np.arange(9))


def test_two_choosers_at_once_are_refused() -> None:
    with pytest.raises(NoTablesError, match=r"^r0 and r1 may choose at the same time$"):
        make_tables(urn(3, [[0, 1], [1, 2]]), find_phases(urn(3, [[0, 1], [1, 2]])))


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_NODES", r"^what the moves do takes more than 5 gates$"),
        ("MOST_VISITS", r"^the moves reach more than 5 gates$"),
    ],
)
def test_moves_that_do_too_much_are_refused(
    monkeypatch: pytest.MonkeyPatch, limit: str, message: str
) -> None:
    monkeypatch.setattr(effects, limit, 5)
    with pytest.raises(NoTablesError, match=message):
        make_tables(tictactoe(), find_phases(tictactoe()))


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("name", ["checkersTiny", "escortLatch"])
def test_what_waits_for_its_phase_changes_no_rollout(name: str) -> None:
    """Rollouts leave out what only the other role asks for; with everything asked for, the same."""
    circuit = build(read(SHARED / "games" / f"{name}.kif"))
    tables = make_tables(circuit, find_phases(circuit))
    assert len(set(tables.summary.tolist())) > 1
    lazy = Scalar(tables, CODE)
    always = Scalar(replace(tables, summary=np.full_like(tables.summary, (1 << 63) - 1)), CODE)
    position = lazy.initial()
    for _ in range(3):
        found = lazy.rollouts(position, 3_000, seed=1)
        assert found == always.rollouts(position, 3_000, seed=1)
        assert len(found.lengths) > 1
        position = lazy.play(position, int(lazy.legal(position)[-1]))


WAITING = """
    (role chooser) (role waiter) (init (ply 0)) (init able)
    (after 0 1) (after 1 2) (after 2 3)
    (legal chooser stay) (legal chooser go) (legal chooser spoil)
    (<= (legal waiter noop) (true able))
    (<= (next able) (true able) (not (does chooser spoil)))
    (<= (next (ply ?y)) (true (ply ?x)) (after ?x ?y))
    (<= terminal (true (ply 3)))
    (goal chooser 100) (goal waiter 0)
"""


def test_nobody_goes_on_where_a_role_that_waits_has_no_move() -> None:
    """Two of three moves of the first two plies leave the waiter its move."""
    description = parse(WAITING)
    circuit = build(description)
    fast = scalar(circuit)
    steps = play(Reasoner(description), states=200, seed=4)
    assert any(not all(step.legal or ()) and not step.terminal for step in steps)
    assert scalar_difference(fast, circuit, steps) is None
    counts = fast.rollouts(fast.initial(), 9_000, seed=5)
    assert counts.lengths.keys() == {3}
    assert p_value([counts.finished, counts.stuck], [4_000, 5_000]) > 1e-4


def test_nothing_is_played_where_a_role_never_has_a_move() -> None:
    circuit = build(parse(WAITING.replace("(legal waiter noop)", "(legal nobody noop)")))
    fast = scalar(circuit)
    assert len(fast.legal(fast.initial())) == 0
    assert fast.rollouts(fast.initial(), 100).stuck == 100
