"""The native state machine and perft say what the plain evaluation says."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import gdl.perft
from gdl.circuit.game import GameCircuit
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Constant
from gdl.machine import IllegalMoveError, StateMachine
from gdl.native.code.target import native_target
from gdl.native.kernel.kernel import Kernel, compile_kernel
from gdl.native.kernel.perft import perft
from gdl.native.kernel.state_machine import NativeMachine, UnknownFactError
from gdl.playouts import playout
from tests.native.circuits import hidden, marbles, over, speechless, stuck, tictactoe, urn, walk
from tests.native.plain import PlainMachine

CIRCUITS = {
    "tictactoe": tictactoe(),
    "urn": urn(5, [[0, 1, 4], [2, 3]], waits=2),
    "walk": walk(5),
    "stuck": stuck(),
    "hidden": hidden(),
    "marbles": marbles(),
    "over": over(),
    "speechless": speechless(),
}
PERFT_TICTACTOE = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def machine(circuit: GameCircuit, width: int = 64) -> NativeMachine:
    return NativeMachine(compile_kernel(circuit, target=native_target(width)))


@pytest.mark.sample(4)
@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("name", CIRCUITS)
def test_native_and_plain_agree_along_random_games(name: str, width: int) -> None:
    plain, native = PlainMachine(CIRCUITS[name]), machine(CIRCUITS[name], width)
    typed: StateMachine[bytes] = native
    rng = random.Random(1)
    for _ in range(30):
        here = typed.initial()
        assert typed.facts(here) == plain.facts(plain.initial())

        def compare(state: frozenset[int], joint_move: tuple[object, ...]) -> None:
            nonlocal here
            _same(plain, native, state, here)
            for role in plain.roles:
                expected = plain.percepts(state, joint_move, role)  # type: ignore[arg-type]
                assert native.percepts(here, joint_move, role) == expected  # type: ignore[arg-type]
            here = native.successor(here, joint_move)  # type: ignore[arg-type]

        last, _ = playout(plain, plain.initial(), rng, max_plies=50, on_step=compare)
        _same(plain, native, last, here)


def _same(plain: PlainMachine, native: NativeMachine, state: frozenset[int], other: bytes) -> None:
    assert native.facts(other) == plain.facts(state)
    assert native.state(plain.facts(state)) == other
    assert native.is_terminal(other) == plain.is_terminal(state)
    for role in plain.roles:
        assert native.legal(other, role) == plain.legal(state, role)
        assert native.goals(other, role) == plain.goals(state, role)


def test_an_illegal_move_is_refused_with_its_neighbours() -> None:
    native = machine(tictactoe())
    x, o = native.roles
    state = native.initial()
    with pytest.raises(IllegalMoveError) as caught:
        native.successor(state, (Constant("noop"), Constant("noop")))
    assert caught.value.role == x
    assert caught.value.legal == native.legal(state, x)
    assert str(caught.value) == (
        "noop is not legal for x here\n"
        "  expected: one of 9 moves, such as (mark 0), (mark 1), (mark 2), (mark 3) or (mark 4)"
    )
    with pytest.raises(IllegalMoveError, match=r"^resign is not legal for o here"):
        native.successor(state, (native.legal(state, x)[0], Constant("resign")))
    assert native.legal(state, o) == (Constant("noop"),)
    with pytest.raises(GdlError) as told:
        native.successor(state, (Constant("noop"),))
    assert str(told.value) == (
        "1 move was given\n  expected: one for each role, in this order: x, o"
    )


def test_a_fact_that_the_game_does_not_know_is_refused() -> None:
    with pytest.raises(UnknownFactError) as caught:
        machine(tictactoe()).state([Constant("rain")])
    assert str(caught.value) == (
        "rain is true in no reachable state of this game\n"
        '  help: the reasoner takes any facts: gdl.load(..., backend="reason")'
    )


def test_threads_do_not_see_each_others_states() -> None:
    native, plain = machine(tictactoe()), PlainMachine(tictactoe())

    def game(seed: int) -> bool:
        last, plies = playout(native, native.initial(), random.Random(seed))
        other, expected = playout(plain, plain.initial(), random.Random(seed))
        return plies == expected and native.facts(last) == plain.facts(other)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(game, range(40)))


def test_perft_of_tictactoe_is_the_known_one() -> None:
    native = machine(tictactoe())
    counts = perft(Kernel(compile_kernel(tictactoe())), native.initial(), 10)
    assert [count.nodes for count in counts] == [*PERFT_TICTACTOE, 0]
    assert counts[8].terminal == 127872


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CIRCUITS)
def test_perft_counts_as_the_slow_one_does(name: str) -> None:
    native = machine(CIRCUITS[name])
    kernel = Kernel(compile_kernel(CIRCUITS[name]))
    levels: list[tuple[int, int]] = []
    found = perft(kernel, native.initial(), 4, on_level=lambda d, n: levels.append((d, n)))
    assert found == gdl.perft.perft(PlainMachine(CIRCUITS[name]), CIRCUITS[name].initial, 4)
    assert levels[0] == (1, 0)


def test_perft_is_exact_beyond_64_bits() -> None:
    """A walker who never comes back: two or three ways at each step, few states."""
    native = machine(walk(4))
    found = perft(Kernel(compile_kernel(walk(4))), native.initial(), 120)
    expected = gdl.perft.perft(PlainMachine(walk(4)), walk(4).initial, 120)
    assert found == expected
    assert found[-1].nodes > 2**64
