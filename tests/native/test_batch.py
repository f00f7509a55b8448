"""Row i of a batch is game i played alone."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import ArgumentTypeError
from gdl.machine import IllegalMoveError
from gdl.native import game as native_game
from gdl.native.code.target import native_target
from gdl.native.game import NativeGame
from gdl.native.kernel.batch import Batch
from gdl.native.kernel.kernel import Kernel, compile_kernel
from tests.native.chi_square import p_value
from tests.native.circuits import tictactoe, urn
from tests.native.plain import PlainMachine
from tests.shared import examples


@cache
def marks(width: int) -> Kernel:
    """Return tic-tac-toe in lanes so wide."""
    return Kernel(compile_kernel(tictactoe(), target=native_target(width)))


def row_facts(batch: Batch, row: int) -> frozenset[object]:
    return frozenset(batch.facts[i] for i in np.flatnonzero(batch.observations[row]))


@pytest.mark.parametrize("many", [0, 10**9])
def test_games_that_are_there_soon_are_the_same_games(
    monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """Where code for wide vectors takes long to make: those of the state machine, or else wide."""
    monkeypatch.setattr(native_game, "MANY", many)
    game = NativeGame("marks", tictactoe, width=512, keep=False)
    soon = game.batch(1024, auto_reset=True, is_soon=True)
    assert ("kernel" in vars(game)) == bool(many)
    wide = game.batch(1024, auto_reset=True)
    rngs = [np.random.default_rng(5) for _ in range(2)]
    for _ in range(30):
        ids, others = soon.sample(rngs[0]), wide.sample(rngs[1])
        assert (ids == others).all()
        soon.step(ids)
        wide.step(others)
        assert (soon.observations == wide.observations).all()
        assert (soon.goal_values == wide.goal_values).all()
        assert (soon.terminal == wide.terminal).all()


@settings(max_examples=examples(20))
@given(st.integers(1, 700), st.sampled_from([64, 512]), st.integers(0, 2**32), st.booleans())
def test_each_row_is_a_game_of_its_own(
    size: int,
    width: int,
    seed: int,
    auto_reset: bool,  # noqa: FBT001  # drawn by hypothesis
) -> None:
    plain = PlainMachine(tictactoe())
    batch = Batch(marks(width), size, auto_reset=auto_reset)
    rng = np.random.default_rng(seed)
    watched = sorted({0, size // 2, size - 1})
    states = [plain.initial()] * len(watched)
    for _ in range(12):
        ids = batch.sample(rng)
        batch.step(ids)
        for i, row in enumerate(watched):
            if not plain.is_terminal(states[i]):
                mover = 0 if 18 in states[i] else 1
                joint = [plain.circuit.moves[r][9] for r in range(2)]
                legal = plain.legal(states[i], plain.roles[mover])
                move = plain.circuit.moves[mover][ids[row]]
                assert len(legal) == 1 or move in legal
                joint[mover] = legal[0] if len(legal) == 1 else move
                states[i] = plain.successor(states[i], tuple(joint))
            over = plain.is_terminal(states[i])
            assert batch.terminal[row] == over
            goals = [plain.goals(states[i], role)[0] for role in plain.roles]
            if over:
                assert batch.goals[row].tolist() == goals
            if over and auto_reset:
                states[i] = plain.initial()
            assert row_facts(batch, row) == plain.facts(states[i])
            for r, role in enumerate(plain.roles):
                names = tuple(batch.moves[r][j] for j in np.flatnonzero(batch.legal[r][row]))
                assert names == plain.legal(states[i], role)


def test_shapes_and_types_are_as_promised() -> None:
    batch = Batch(marks(512), 100)
    assert [mask.shape for mask in batch.legal] == [(100, 10), (100, 10)]
    assert batch.observations.shape == (100, 19)
    assert batch.terminal.shape == (100,)
    assert batch.goals.shape == (100, 2)
    assert {batch.legal[0].dtype, batch.terminal.dtype} == {np.dtype(bool)}
    taken = np.from_dlpack(batch.legal[0])
    assert (taken == batch.legal[0]).all()


def test_moves_of_all_roles_can_be_given() -> None:
    batch = Batch(Kernel(compile_kernel(urn(5, [[0, 1, 4], [2, 3]], waits=1))), 6)
    batch.step(np.full((6, 2), 5))
    batch.step([[0, 2], [1, 3], [4, 2], [0, 3], [1, 2], [4, 3]])
    assert batch.terminal.all()
    assert batch.goals.tolist() == [[0, 2], [1, 3], [4, 2], [0, 3], [1, 2], [4, 3]]
    batch.reset()
    assert not batch.terminal.any()


def test_nothing_changes_when_one_move_is_illegal() -> None:
    batch = Batch(marks(512), 600)
    batch.step(np.zeros(600, int))
    before = batch.observations.copy()
    ids = np.ones(600, int)
    ids[555] = 0
    with pytest.raises(IllegalMoveError) as caught:
        batch.step(ids)
    assert str(caught.value).startswith(
        "(mark 0) is not legal for o here\n  expected: one of 8 moves"
    )
    assert caught.value.__notes__ == ["row 555 of the batch, number 0; nothing was changed"]
    assert (batch.observations == before).all()
    with pytest.raises(IllegalMoveError, match="99 is the number of no move"):
        batch.step(np.full(600, 99))
    batch.step(np.ones(600, int))


@pytest.mark.parametrize("width", [64, 512])
def test_some_rows_begin_anew_and_the_others_go_on(width: int) -> None:
    batch = Batch(marks(width), 700)
    start = row_facts(batch, 0)
    batch.step(np.zeros(700, int))
    after = row_facts(batch, 0)
    rows = np.arange(700) % 3 == 1
    batch.reset(rows)
    assert {row_facts(batch, int(i)) for i in np.flatnonzero(rows)} == {start}
    assert {row_facts(batch, int(i)) for i in np.flatnonzero(~rows)} == {after}
    assert batch.legal[0][rows, 0].all()
    assert not batch.legal[1][~rows, 0].any()
    with pytest.raises(ValueError, match="rows") as caught:
        batch.reset([True])
    assert str(caught.value) == "rows has the shape (1,)\n  expected: (700,)"


def test_a_wrong_shape_is_refused() -> None:
    batch = Batch(marks(64), 4)
    with pytest.raises(ValueError, match="move_ids") as caught:
        batch.step([1, 2, 3])
    assert str(caught.value) == (
        "move_ids has the shape (3,)\n"
        "  expected: (4, 2), a move of each role, or (4,), the move of the one that has a choice"
    )
    with pytest.raises(ValueError, match=r"^the size of a batch must be at least 1, not 0$"):
        Batch(marks(64), 0)


@pytest.mark.parametrize("rng", [np.random, random, random.Random(0), np.random.RandomState(0), 0])
def test_what_is_no_generator_is_refused(rng: object) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        Batch(marks(64), 4).sample(rng)  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value).startswith("rng must be a numpy.random.Generator, not ")


@pytest.mark.parametrize("wrong", ["x", 1, None])
def test_what_is_neither_true_nor_false_is_refused(wrong: object) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        Batch(marks(64), 4, auto_reset=wrong)  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value) == f"auto_reset must be True or False, not {wrong!r}"


@pytest.mark.parametrize("ids", [[0.9] * 4, ["0"] * 4, [True] * 4, [np.nan] * 4, [None] * 4])
def test_what_are_no_whole_numbers_is_refused(ids: list[object]) -> None:
    """Not rounded to the move below, which may be legal."""
    batch = Batch(marks(64), 4)
    with pytest.raises(ValueError, match="move_ids") as caught:
        batch.step(ids)  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value) == (
        f"move_ids has the type {np.asarray(ids).dtype}\n"
        "  expected: whole numbers, each the index of a move in moves"
    )
    assert batch.legal[0].all(axis=1).sum() == 0


@pytest.mark.parametrize("number", [1 << 32, -(1 << 32), (1 << 64) - 1, (1 << 40) + 3])
@pytest.mark.parametrize("is_free", [True, False])
def test_a_number_beyond_32_bits_is_no_other_move(number: int, *, is_free: bool) -> None:
    batch = Batch(marks(64), 4)
    ids = np.full(4 if is_free else (4, 2), number)
    with pytest.raises(IllegalMoveError, match=f"^{number} is the number of no move of x\n"):
        batch.step(ids)
    assert not batch.legal[1][:, 0].any()


def test_numbers_of_rows_are_no_mask_of_them() -> None:
    batch = Batch(marks(64), 2)
    with pytest.raises(ValueError, match="rows") as caught:
        batch.reset([0, 1])
    assert str(caught.value) == (
        "rows has the type int64\n  expected: bool, whether each game begins anew"
    )


def test_moves_are_drawn_uniformly() -> None:
    """Each of the nine squares, and of the eight that the second player has left, alike."""
    batch = Batch(marks(512), 90_000)
    rng = np.random.default_rng(5)
    first = batch.sample(rng)
    batch.step(first)
    second = batch.sample(rng)
    pairs = Counter(zip(first.tolist(), second.tolist(), strict=True))
    assert len(pairs) == 72
    assert p_value(list(pairs.values())) > 1e-4


class _Edge(np.random.Generator):
    """Chance that is always as near to one as a float can be."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64())

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:  # noqa: ANN401  # numpy has overloads
        assert size is None
        assert dtype is np.float32
        out[:] = np.nextafter(np.float32(1), np.float32(0))


def test_the_last_move_is_drawn_and_none_beyond_it() -> None:
    batch = Batch(marks(64), 3)
    assert batch.sample(_Edge()).tolist() == [8, 8, 8]
    for ids in (8, 7, 6):
        batch.step(np.full(3, ids))
    assert batch.sample(_Edge()).tolist() == [5, 5, 5]


@settings(max_examples=examples(60))
@given(st.integers(1, 130), st.sampled_from([64, 512]), st.data())
def test_positions_are_saved_restored_and_forked(
    size: int, width: int, data: st.DataObject
) -> None:
    """A program of operations on a batch, beside a list of states played alone."""
    plain = PlainMachine(tictactoe())
    batch = Batch(marks(width), size)
    states = [plain.initial()] * size
    saved = batch.save()
    kept = states
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for what in data.draw(st.lists(st.sampled_from(["step", "save", "restore", "some", "fork"]))):
        if what == "step":
            ids = batch.sample(rng)
            states = [_stepped(plain, state, ids[row]) for row, state in enumerate(states)]
            batch.step(ids)
        elif what == "save":
            saved, kept = pickle.loads(pickle.dumps(batch.save())), states  # our own
        elif what == "restore":
            batch.restore(saved)
            states = kept
        elif what == "some":
            rows = rng.permutation(size)[: rng.integers(size + 1)]
            batch.restore(saved[rows], rows)
            chosen = set(rows.tolist())
            states = [kept[row] if row in chosen else each for row, each in enumerate(states)]
        else:
            rows = rng.integers(size, size=size)
            batch, before = batch.fork(rows), batch
            before.reset()
            states = [states[row] for row in rows]
    observed = [frozenset(np.flatnonzero(row).tolist()) for row in batch.observations]
    assert observed == [frozenset(state) for state in states]
    assert batch.terminal.tolist() == [plain.is_terminal(state) for state in states]


def _stepped(plain: PlainMachine, state: frozenset[int], number: int) -> frozenset[int]:
    if plain.is_terminal(state):
        return state
    mover = 0 if 18 in state else 1
    joint = [plain.circuit.moves[r][9] for r in range(2)]
    joint[mover] = plain.circuit.moves[mover][number]
    return plain.successor(state, tuple(joint))


def test_copies_share_nothing_and_a_pickle_is_refused() -> None:
    batch = Batch(marks(64), 3)
    for copied in (copy.copy(batch), copy.deepcopy(batch), batch.fork(n=2)):
        copied.step(copied.sample(np.random.default_rng(0)))
        assert batch.observations.sum() == 3
    assert batch.fork([1], 4).size == 4
    with pytest.raises(GdlError) as caught:
        pickle.dumps(batch)
    assert str(caught.value) == (
        "a batch cannot be pickled\n"
        "  help: pickle the game and batch.save(), then game.batch(n).restore(saved)"
    )


NO_NUMBERS = (
    "rows has the shape (1,) and the type float64\n"
    "  expected: numbers of games, int[n], or which, bool[3]"
)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([3], "there is no row 3\n  expected: 0 to 2"),
        ([-1], "there is no row -1\n  expected: 0 to 2"),
        ([0.5], NO_NUMBERS),
    ],
)
def test_rows_that_are_not_there_are_named(rows: list[float], text: str) -> None:
    with pytest.raises(GdlError) as caught:
        Batch(marks(64), 3).save(rows)
    assert str(caught.value) == text


def test_positions_of_another_shape_are_refused() -> None:
    batch = Batch(marks(64), 3)
    with pytest.raises(GdlError) as caught:
        batch.restore(batch.save(), [0, 1])
    assert str(caught.value) == (
        "saved has the shape (3, 3) and the type uint8\n"
        "  expected: (2, 3) and uint8, as save gives it for so many rows"
    )
