r"""One AlphaZero learner in three environments: ``python tests/benchmarks/alphazero.py``.

The learner is ``examples/zero.py``: its network, its trees, its loop. Connect Four is played by
this project, by pgx and by open_spiel; what the latter two lack of a `Batch`, rows of positions
that are saved, restored and forked, is written here and its lines are counted. Each makes an
iteration by turns. A row each tells games a second, and the seconds until two matches in a row
against the same trees with a judge that knows nothing brought the share of points asked for; of the
processor, one thread each, without matches and compilation. Needs ``pgx`` and ``openspiel``.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 XLA_FLAGS=--xla_cpu_multi_thread_eigen=false \
        python tests/benchmarks/alphazero.py --seconds 60 --share 0.8
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

import gdl

COLUMNS: Final = 7
EXAMPLES: Final = Path(__file__).parents[2] / "examples"
Bools: TypeAlias = NDArray[np.bool_]
Foreign: TypeAlias = Any
"""What has no types: modules and games of others."""


class Rows:
    """Rows of Connect Four as a `Batch` gives them; who waits has one legal move, the first."""

    roles = moves = (range(COLUMNS),) * 2

    def __init__(self, seen: int, size: int) -> None:
        self.facts, self.size = range(seen), size

    def tell(self, legal: Bools, mover: NDArray[np.int64], first: NDArray[np.float32]) -> None:
        """Say what is legal, for whom, and what the first role got (-1 to 1)."""
        waits = np.eye(1, COLUMNS, dtype=np.bool_)
        self.columns = legal
        self.legal = [np.where((mover == role)[:, None], legal, waits) for role in (0, 1)]
        self.goals = np.stack([50 + 50 * first, 50 - 50 * first], axis=1)

    def forced(self, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return moves, the only one where there is but one: then nobody has a choice."""
        alone = self.columns.sum(axis=1) == 1
        return np.where(alone, self.columns.argmax(axis=1), moves)


class PgxRows(Rows):
    """Rows of pgx: states are trees of arrays, padded to a size that was compiled."""

    def __init__(self, made: tuple[Any, ...], size: int) -> None:
        import jax

        super().__init__(84, size)
        self.made, self.room = made, 1 << (size - 1).bit_length()
        state = made[0](jax.random.split(jax.random.PRNGKey(0), self.room))
        self.leaves, self.tree = jax.tree_util.tree_flatten(state)
        self.look()

    def look(self) -> None:
        self.leaves = [np.asarray(leaf) for leaf in self.leaves]
        state, size = self.tree.unflatten(self.leaves), self.size
        self.terminal = state.terminated[:size]
        self.observations = state.observation[:size].reshape(size, -1)
        mover = state._x.color[:size].astype(np.int64)
        own = state.rewards[np.arange(size), state.current_player[:size]]
        self.tell(state.legal_action_mask[:size], mover, np.where(mover == 0, own, -own))

    def save(self) -> NDArray[np.uint8]:
        rows = [np.ascontiguousarray(leaf[: self.size]) for leaf in self.leaves]
        return np.hstack([row.reshape(self.size, -1).view(np.uint8) for row in rows])

    def restore(self, saved: NDArray[np.uint8]) -> None:
        padded = saved[np.arange(self.room) % len(saved)]
        sizes = np.cumsum([0] + [leaf[0].nbytes for leaf in self.leaves])
        parts = [np.ascontiguousarray(padded[:, a:b]) for a, b in pairwise(sizes)]
        pairs = zip(parts, self.leaves, strict=True)
        self.leaves = [part.view(leaf.dtype).reshape(leaf.shape) for part, leaf in pairs]
        self.look()

    def step(self, moves: NDArray[np.int64]) -> None:
        actions = np.resize(self.forced(moves), self.room).astype(np.int32)
        state = self.made[1](self.tree.unflatten(self.leaves), actions)
        self.leaves = self.tree.flatten_up_to(state)
        self.look()

    def fork(self, rows: NDArray[np.int64]) -> PgxRows:
        forked = PgxRows(self.made, len(rows))
        forked.restore(self.save()[rows])
        return forked


class SpielRows(Rows):
    """Rows of open_spiel: a list of states, of which the number of a kept one is a row."""

    kept: Final[dict[int, Any]] = {}
    most: Final = 200_000

    def __init__(self, game: Foreign, size: int) -> None:
        super().__init__(game.observation_tensor_size(), size)
        self.game, self.states = game, [game.new_initial_state() for _ in range(size)]
        self.look()

    def look(self) -> None:
        states, size = self.states, self.size
        self.terminal = np.array([state.is_terminal() for state in states])
        self.observations = np.zeros((size, len(self.facts)), np.bool_)
        legal = np.zeros((size, COLUMNS), np.bool_)
        for row, state in enumerate(states):
            if not self.terminal[row]:
                self.observations[row] = state.observation_tensor(0)
                legal[row, state.legal_actions()] = True
        mover = np.array([max(0, state.current_player()) for state in states])
        self.tell(legal, mover, np.array([state.returns()[0] for state in states], np.float32))

    def save(self) -> NDArray[np.uint8]:
        first = next(reversed(self.kept), -1) + 1
        self.kept.update(enumerate(self.states, first))
        while len(self.kept) > self.most:
            del self.kept[next(iter(self.kept))]
        return np.arange(first, first + self.size).view(np.uint8).reshape(self.size, -1)

    def restore(self, saved: NDArray[np.uint8]) -> None:
        numbers = np.ascontiguousarray(saved).view(np.int64)[:, 0].tolist()
        self.states = [self.kept[number] for number in numbers]
        self.look()

    def step(self, moves: NDArray[np.int64]) -> None:
        self.states = [state.clone() for state in self.states]
        for state, move in zip(self.states, self.forced(moves).tolist(), strict=True):
            state.apply_action(move)
        self.look()

    def fork(self, rows: NDArray[np.int64]) -> SpielRows:
        forked = SpielRows(self.game, len(rows))
        forked.restore(self.save()[rows])
        return forked


class Peer:
    """What a search asks of a game."""

    hides_facts = False
    roles = ("first", "second")

    def __init__(self, name: str, kind: type[Rows], made: Foreign) -> None:
        self.id, self.kind, self.made = name, kind, made

    def batch(self, size: int) -> Rows:
        return self.kind(self.made, size)


def worlds() -> dict[str, tuple[Any, int]]:
    """Return the games by what plays them, each with the lines that it takes here."""
    import jax
    import pgx
    import pyspiel

    env = pgx.make("connect_four")
    compiled = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    common = lines(Rows) + lines(Peer)
    return {
        "gdl": (gdl.load("connectfour", backend="native"), 0),
        "pgx": (Peer("pgx", PgxRows, compiled), common + lines(PgxRows)),
        "open_spiel": (
            Peer("open_spiel", SpielRows, pyspiel.load_game("connect_four")),
            common + lines(SpielRows),
        ),
    }


def lines(of: object) -> int:
    """Return how many lines a class has, without empty ones."""
    return sum(bool(line.strip()) for line in inspect.getsource(of).splitlines())  # type: ignore[arg-type]


class Learner:
    """One learner in one environment.

    Attributes:
        spent: Seconds of the processor so far.
        games: Games played so far.
        shares: Points of each match so far.
        reached: Seconds when two matches in a row brought enough, None before.
    """

    def __init__(self, zero: Foreign, game: Foreign, wanted: argparse.Namespace) -> None:
        self.zero, self.game, self.wanted = zero, game, wanted
        self.rng = np.random.default_rng(wanted.seed)
        batch = game.batch(1)
        self.net = zero.Net(len(batch.facts), max(map(len, batch.moves)), self.rng)
        self.search = zero.Search(game, self.net, simulations=wanted.simulations, noise=0.25)
        self.spent, self.games = 0.0, 0
        self.kept: list[list[NDArray[Any]]] = []
        self.shares: list[float] = []
        self.reached: float | None = None
        zero.match(game, self.net, self.rng, wanted.games)  # what has to be compiled is

    def iterate(self) -> None:
        """Play and learn for one iteration, then measure."""
        began = time.process_time()
        size = self.wanted.games
        plays = zip(*self.zero.self_play(self.game, self.search, size, self.rng), strict=True)
        self.kept.append([np.array(each) for each in plays])
        self.zero.learn(self.net, self.kept, self.rng)
        self.spent += time.process_time() - began
        self.games += size
        self.shares.append(self.zero.match(self.game, self.net, self.rng))
        enough = min(self.shares[-2:]) >= self.wanted.share and len(self.shares) > 1
        if enough and self.reached is None:
            self.reached = self.spent


def main() -> None:
    """Print a row for each environment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each, at most")
    parser.add_argument("--share", type=float, default=0.8, help="of points, that is enough")
    parser.add_argument("--games", type=int, default=64, help="at once")
    parser.add_argument("--simulations", type=int, default=32, help="a move")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    spec = importlib.util.spec_from_file_location("zero", EXAMPLES / "zero.py")
    assert spec is not None
    assert spec.loader is not None
    zero = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(zero)
    own = worlds()
    learners = {name: Learner(zero, game, wanted) for name, (game, _) in own.items()}
    for _ in range(1 << 20):
        on = [x for x in learners.values() if x.reached is None and x.spent < wanted.seconds]
        if not on:
            break
        for learner in on:
            learner.iterate()
    sys.stdout.write(f"the learner has {lines(zero)} lines\n")
    for name, learner in learners.items():
        when = "not reached" if learner.reached is None else f"{learner.reached:.1f} s"
        sys.stdout.write(
            f"| {name} | {own[name][1]} more lines"
            f" | {learner.games / learner.spent:.1f} games a second"
            f" | {wanted.share:.0%} of points: {when} ({learner.games} games) |"
            f" {' '.join(f'{share:.0%}' for share in learner.shares)} |\n"
        )


if __name__ == "__main__":
    main()
