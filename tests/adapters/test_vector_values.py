"""Rows of a vector environment are values: saved, forked, pickled, beside lists of states."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gdl.adapters import vector
from gdl.adapters.vector_env import VectorEnv
from gdl.language.diagnostics import GdlError
from gdl.machine import IllegalMoveError
from gdl.state import State
from tests.adapters.games import load, load_markov_game
from tests.adapters.rules import CARD, DICE, write
from tests.shared import examples

ALIKE = """
; Two choose at once, and no fact says who did what.
(role a) (role b)
(init go)
(<= (legal ?r (pick ?n)) (role ?r) (number ?n))
(number 1) (number 2)
(<= (next equal) (does a (pick ?n)) (does b (pick ?n)))
(<= terminal (not (true go)))
(<= (goal a 100) (true equal)) (<= (goal a 0) (not (true equal)))
(<= (goal b 0) (true equal)) (<= (goal b 100) (not (true equal)))
"""
MIXED = """
; Both choose at first, then b alone, then both again, and so on.
(role a) (role b)
(init (turn 0 both))
(<= (legal ?r (pick ?n)) (role ?r) (number ?n) (true (turn ?t both)))
(<= (legal b (pick ?n)) (number ?n) (true (turn ?t alone)))
(<= (legal a wait) (true (turn ?t alone)))
(number 1) (number 2) (number 3) (number 4) (number 5)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (next (turn ?t2 alone)) (true (turn ?t both)) (succ ?t ?t2))
(<= (next (turn ?t2 both)) (true (turn ?t alone)) (succ ?t ?t2))
(<= (next (last ?n)) (does b (pick ?n)))
(<= terminal (true (turn 6 ?k)))
(<= (goal a 100) (true (last 1))) (<= (goal a 0) (not (true (last 1))))
(<= (goal b 0) (true (last 1))) (<= (goal b 100) (not (true (last 1))))
"""
OPERATIONS = ("step", "part", "save", "restore", "fork", "set", "pickle", "copy", "reset")


class Program:
    """A program of operations on an environment, made on a list of states beside it."""

    def __init__(self, name: str, size: int, seed: int) -> None:
        self.env = VectorEnv(load_markov_game(name), size, seed=seed)
        self.game = self.env.markov_game.game
        self.rng = np.random.default_rng(seed)
        self.states = [self.game.initial()] * size
        self.saved, self.kept = self.env.save(), list(self.states)

    def rows(self) -> list[int]:
        count = int(self.rng.integers(1, len(self.states) + 1))
        return [int(row) for row in self.rng.choice(len(self.states), count, replace=False)]

    def do(self, operation: str) -> None:
        getattr(self, operation)()
        assert self.env.states() == self.states
        assert self.env.lengths.tolist() == [state.ply for state in self.states]
        masks = self.env.masks
        for row, state in enumerate(self.states):
            (asked,) = self.env.markov_game.asked(state)
            assert (masks[row] == self.env.markov_game.mask(state, asked)).all()

    def step(self, rows: list[int] | None = None) -> None:
        actions = self.env.sample()
        ended = self.env.step(actions, rows).ended
        for row in range(len(self.states)) if rows is None else rows:
            move = self.env.markov_game.table.moves[int(actions[row])]
            after = self.states[row].play(move)
            assert ended[row] == after.is_terminal
            self.states[row] = self.game.initial() if after.is_terminal else after

    def part(self) -> None:
        self.step(self.rows())

    def save(self) -> None:
        rows = self.rows()
        self.saved = pickle.loads(pickle.dumps(self.env.save(rows)))
        self.kept = [self.states[row] for row in rows]

    def restore(self) -> None:
        rows = self.rows()
        chosen = [int(i) for i in self.rng.integers(0, len(self.kept), len(rows))]
        self.env.restore(self.saved[chosen], rows)
        for row, i in zip(rows, chosen, strict=True):
            self.states[row] = self.kept[i]

    def fork(self) -> None:
        rows, times = self.rows()[:8], int(self.rng.integers(1, 4))
        before, was = self.env, list(self.states)
        self.env = before.fork(rows, times)
        self.states = [self.states[row] for row in rows for _ in range(times)]
        self.step()
        assert before.states() == was

    def set(self) -> None:
        rows = self.rows()
        chosen = [self.kept[int(i)] for i in self.rng.integers(0, len(self.kept), len(rows))]
        self.env.set(chosen, rows)
        for row, state in zip(rows, chosen, strict=True):
            self.states[row] = state

    def pickle(self) -> None:
        self.env = pickle.loads(pickle.dumps(self.env))

    def copy(self) -> None:
        before, was = self.env, list(self.states)
        self.env = copy.copy(before) if self.rng.random() < 0.5 else copy.deepcopy(before)
        self.step()
        assert before.states() == was

    def reset(self) -> None:
        rows = self.rows()
        self.env.reset(rows)
        for row in rows:
            self.states[row] = self.game.initial()


@settings(max_examples=examples(12), deadline=None)
@given(st.integers(1, 70), st.integers(0, 2**32), st.lists(st.sampled_from(OPERATIONS), max_size=9))
def test_programs_in_lockstep_with_a_list_of_states(
    size: int, seed: int, operations: list[str]
) -> None:
    program = Program("tictactoe", size, seed)
    for operation in operations:
        program.do(operation)


@pytest.mark.slow
@settings(max_examples=examples(1000), deadline=None)
@given(
    st.sampled_from(["tictactoe", "connectfour", "pentago/phased", "breakthrough"]),
    st.integers(1, 20),
    st.integers(0, 2**32),
    st.lists(st.sampled_from(OPERATIONS), min_size=5, max_size=30),
)
def test_long_programs_of_several_games(
    name: str, size: int, seed: int, operations: list[str]
) -> None:
    program = Program(name, size, seed)
    for operation in operations:
        program.do(operation)


CHILD = """
import pickle, sys
env = pickle.loads(sys.stdin.buffer.read())
for _ in range(20):
    env.step(env.sample())
sys.stdout.buffer.write(pickle.dumps(env.save()))
"""


@pytest.mark.slow
def test_another_process_goes_on_as_this_one_does() -> None:
    env = vector.env(load("connectfour"), 40, seed=5)
    for _ in range(7):
        env.step(env.sample())
    sent = pickle.dumps(env)
    assert len(sent) < 3000
    done = subprocess.run(
        [sys.executable, "-c", CHILD], input=sent, capture_output=True, check=True
    )
    for _ in range(20):
        env.step(env.sample())
    assert pickle.loads(done.stdout) == env.save()


def test_what_happens_in_a_row_depends_on_its_seed_alone(tmp_path: Path) -> None:
    path = write(tmp_path, "dice", DICE)
    many = vector.env(path, 50, seed=np.arange(50))
    one = vector.env(path, 1, seed=[17])
    for _ in range(30):
        assert (many.sample()[17] == one.sample()[0]).all()
        rewards = many.step(np.tile([0, 2], (50, 1))).rewards[17]
        assert (one.step([[0, 2]]).rewards[0] == rewards).all()


def test_draws_of_a_row_do_not_hang_on_who_is_asked_in_others(tmp_path: Path) -> None:
    alike = vector.env(write(tmp_path, "mixed", MIXED), 8, seed=3)
    alike.step(alike.sample())
    mixed = alike.fork()
    mixed.reset([7])  # there both choose again
    assert alike.sample().shape == (8,)
    drawn = mixed.sample()
    assert drawn.shape == (8, 2)
    alike.reseed(5)
    mixed.reseed(5)
    one, other = alike.sample(), mixed.sample()
    assert (one[:7] == other[:7, 1]).all()
    alike.step(one, range(7))
    mixed.step(other, range(7))
    assert alike.save(range(7)) == mixed.save(range(7))


def test_a_row_that_waits_may_be_given_anything(tmp_path: Path) -> None:
    env = vector.env(write(tmp_path, "mixed", MIXED), 4, seed=3)
    env.step(env.sample(), [0, 1, 2])
    actions = np.full(4, 99)
    actions[:3] = env.sample()[:3, 1]
    waits = env.save([3])
    env.step(actions, [0, 1, 2])
    assert env.lengths.tolist() == [2, 2, 2, 0]
    assert env.save([3]) == waits
    with pytest.raises(GdlError, match="several players are asked in row 0"):
        env.step(actions, [0])


def test_chance_before_a_fork_is_the_same_until_it_is_given_another_seed(tmp_path: Path) -> None:
    env = vector.env(write(tmp_path, "dice", DICE), 1, seed=3)
    forked = env.fork(n=300)
    actions = np.tile([0, 2], (300, 1))
    assert (forked.step(actions).rewards == env.step([[0, 2]]).rewards).all()
    forked.reseed(4)
    assert len(np.unique(forked.step(actions).rewards, axis=0)) > 1


def test_an_error_tells_row_and_number_as_they_were_given() -> None:
    env = vector.env(load("connectfour"), 4)
    with pytest.raises(IllegalMoveError) as caught:
        env.step([0, 0, 99, 0])
    assert str(caught.value) == "99 is the number of no move of red\n  expected: 0 to 6"
    assert caught.value.__notes__ == ["row 2 of the batch, number 99; nothing was changed"]
    before = env.save()
    with pytest.raises(IllegalMoveError):
        env.step([0, 0, 99, 0], rows=[1, 2])
    assert env.save() == before


def test_the_end_of_an_episode_is_told() -> None:
    final = vector.env(load("tictactoe"), 90, seed=1, final=True)
    plain = vector.env(load("tictactoe"), 90, seed=1)
    states: list[State] = plain.states()
    played = plain.markov_game
    for _ in range(12):
        actions = plain.sample()
        assert (final.sample() == actions).all()
        outcome, other = final.step(actions), plain.step(actions)
        assert (outcome.rewards == other.rewards).all()
        assert (outcome.terminated == other.terminated).all()
        assert other.final_observations is None
        assert outcome.final_observations is not None
        assert final.states() == plain.states()
        after = [s.play(played.table.moves[int(a)]) for s, a in zip(states, actions, strict=True)]
        ends = [state for state in after if state.is_terminal]
        assert len(outcome.final_observations) == len(ends)
        for seen, state in zip(outcome.final_observations, ends, strict=True):
            assert (seen == played.observe(state, 0)).all()
        assert outcome.lengths[outcome.ended].tolist() == [state.ply for state in ends]
        assert not outcome.lengths[~outcome.ended].any()
        states = plain.states()


def test_arrays_as_they_are_asked_for() -> None:
    plain = vector.env(load("connectfour"), 30, seed=2)
    asked = vector.env(
        load("connectfour"), 30, seed=2, dtype="float32", turned=True, contiguous=True
    )
    for _ in range(9):
        seen, turned = plain.observations, asked.observations
        assert turned.dtype == np.float32
        assert turned.flags.c_contiguous
        assert asked.masks.flags.c_contiguous
        # Planes are: empty, red, yellow, red to move, yellow to move.
        is_second = plain.movers == 1
        assert (turned[~is_second] == seen[~is_second]).all()
        assert (turned[is_second] == seen[is_second][:, [0, 2, 1, 4, 3]]).all()
        assert (asked.observations_of(0) == seen).all()
        actions = plain.sample()
        plain.step(actions)
        asked.step(actions)


class Foreign:
    """An array of another library, which has nothing but dlpack."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> object:  # noqa: ANN401  # as the protocol has it
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries_are_taken() -> None:
    env, other = (vector.env(load("tictactoe"), 20, seed=1) for _ in range(2))
    for _ in range(5):
        actions = env.sample()
        env.step(cast("Any", Foreign(actions)))
        other.step(actions)
    assert env.states() == other.states()


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    env = vector.env(load("tictactoe"), 3)
    state = env.states()[0]
    alike = write(tmp_path, "alike", ALIKE)
    refusals: list[tuple[Callable[[], object], str]] = [
        (
            lambda: env.restore(vector.env(load("connectfour"), 3).save()),
            (
                "the saved rows are of another game than tictactoe\n"
                "  expected: rows of a vector environment with the same moves and facts"
            ),
        ),
        (
            lambda: env.restore(cast("Any", b"")),
            "bytes is nothing that was saved\n  expected: what save() of a vector environment gave",
        ),
        (lambda: env.set([state]), "1 states for 3 rows\n  expected: one a row"),
        (
            lambda: env.set([load("connectfour").initial()], [0]),
            "state 0 is of connectfour, not of tictactoe\n  expected: states of tictactoe",
        ),
        (
            lambda: env.set(cast("Any", ["a", "b", "c"])),
            "state 0 is no state but of the type str\n  expected: states of tictactoe",
        ),
        (
            lambda: env.set(cast("Any", None)),
            "states must be a list of states of the game, not None",
        ),
        (
            lambda: env.step(cast("Any", [[0], [1, 2], [3]])),
            (
                "what was given is no array: its rows are not of one length\n"
                "  expected: an array, or lists of numbers of one length"
            ),
        ),
        (lambda: env.masks_of(-1), "there is no player -1\n  expected: 0 to 1"),
        (lambda: env.observations_of(2), "there is no player 2\n  expected: 0 to 1"),
        (
            lambda: vector.env(load("tictactoe"), cast("Any", "4")),
            "the size of a batch must be a whole number of at least 1, not '4'",
        ),
        (
            lambda: vector.env(load("tictactoe"), 4, max_plies=cast("Any", 2.5)),
            "max_plies must be a whole number of at least 1, not 2.5",
        ),
        (lambda: env.save([3]), "there is no row 3\n  expected: 0 to 2"),
        (
            lambda: vector.env(load("tictactoe"), 3, seed=[1, 2]),
            (
                "seed has the shape (2,) and the type int64\n"
                "  expected: a whole number, or one for each row, int[3]"
            ),
        ),
        (
            lambda: vector.env(load("tictactoe"), 3, seed=-1),
            "-1 is no seed\n  expected: whole numbers from 0 on",
        ),
        (
            lambda: vector.env(load("tictactoe"), 3, dtype="float16"),
            "observations have no type 'float16'\n  expected: int8 or float32",
        ),
        (
            lambda: vector.env(load("tictactoe"), 3, final=cast("Any", "x")),
            "final must be True or False, not 'x'",
        ),
        (
            lambda: vector.env(alike, 3, turned=True),
            (
                f"what is seen in {alike} cannot be turned by the names of roles: "
                "no fact speaks of one\n"
                "  help: leave turned out: whose turn it is is among the planes"
            ),
        ),
    ]
    for call, said in refusals:
        with pytest.raises(GdlError) as caught:
            call()
        assert str(caught.value) == said


@pytest.mark.parametrize("how", [{"final": True}, {"turned": True}])
def test_arrays_that_a_game_of_hidden_facts_cannot_have_are_refused_at_once(
    how: dict[str, Any], tmp_path: Path
) -> None:
    path = write(tmp_path, "card", CARD)
    with pytest.raises(GdlError, match="hides facts from its players"):
        vector.env(path, 4, **how)


TAKE = """
; Three things are taken in turn.
(role a) (role b) (init (turn a)) (other a b) (other b a) (thing 1) (thing 2) (thing 3)
(<= (legal ?r (take ?n)) (true (turn ?r)) (thing ?n) (not (true (gone ?n))))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (gone ?n)) (does ?r (take ?n)))
(<= (next (gone ?n)) (true (gone ?n)))
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= left (thing ?n) (not (true (gone ?n))))
(<= terminal (not left))
(goal a 50) (goal b 50)
"""


def test_rows_of_a_game_with_the_same_moves_and_other_facts_are_refused(tmp_path: Path) -> None:
    one = vector.env(write(tmp_path, "one", TAKE), 2)
    other = vector.env(write(tmp_path, "other", TAKE.replace("turn", "a-turn")), 2)
    assert one.markov_game.table.moves == other.markov_game.table.moves
    one.step([0, 1])
    with pytest.raises(GdlError, match="the saved rows are of another game than"):
        other.restore(one.save())


def test_no_rows_and_all_rows_one_by_one() -> None:
    env = vector.env(load("tictactoe"), 3, seed=1)
    saved = env.save()
    env.set([], [])
    env.restore(saved[[]], [])
    assert env.save() == saved
    assert [len(row) for row in saved] == [1, 1, 1]
    assert saved[np.int64(1)] == saved[1] == saved[[1]]
    assert saved[-1] == saved[2]
    with pytest.raises(IndexError):
        _ = saved[3]


def test_chance_stands_in_rows_in_which_nothing_is_drawn() -> None:
    env = vector.env(load("connectfour"), 6, seed=3)
    before = env.save()
    env.sample([0, 4])
    moved = [one != two for one, two in zip(before, env.save(), strict=True)]
    assert moved == [True, False, False, False, True, False]
    env.restore(before)
    drawn = env.sample()
    env.restore(before)
    assert (env.sample([0, 4])[[0, 4]] == drawn[[0, 4]]).all()
