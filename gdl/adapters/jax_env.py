"""A game as pure functions of JAX arrays: what holds is an array, a step returns the next one.

In: a `MarkovGame` whose roles take turns. Out: a `JaxEnv`. Two things do the work, both from
what holds in N games, ``bool[N, facts]``: `Gates` writes the circuit down in JAX, gate by gate, on
words of 32 games; `Callback` lets a batch of machine code do it. Both say what is legal, what is
over and who gets what, and what follows a joint move; all else is the same.

A compiled function cannot raise. So who makes a move that is not legal loses, and nothing changes
in games that are over.

Source: the form of a state after Koyamada et al., "Pgx", NeurIPS 2023; bit-parallel evaluation as
in `gdl.circuit.evaluate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from gdl.adapters.markov_game import EVEN, MOST_GOAL, MarkovGame
from gdl.adapters.moves import one_chooses
from gdl.circuit.cone import cone
from gdl.circuit.game import GameCircuit
from gdl.language.diagnostics import GdlError
from gdl.native.game import NativeGame
from gdl.native.kernel.kernel import NO_GOAL

__all__ = ["JaxEnv", "State"]

MOST_GATES: Final = 4096
"""Gates that JAX is given to compile: some seconds."""
NOBODY: Final = -1
"""Stands for the mover where nobody is asked."""
ABSENT: Final = -1
"""Stands for a move of the table that a role does not have."""
BITS: Final = 32
ONES: Final = np.uint32(0xFFFF_FFFF)
WAYS: Final = ("auto", "gates", "callback")

Array = Any
"""An array of JAX."""


class State(NamedTuple):
    """Games as they stand, one for each place of the leading axes; a tree of JAX arrays.

    Attributes:
        facts: What holds.
        mover: The number of the player who is asked, `NOBODY` where any action will do.
        legal: Its legal moves by their numbers in the table.
        terminated: Whether the game is over, or was lost by an illegal move.
        truncated: Whether a role has no legal move and the game is not over.
        rewards: What each player gets by the last step; see `MarkovGame.rewards`.
        first: The first legal move of each role, by its own number.
    """

    facts: Array  # bool[..., facts]
    mover: Array  # int8[...]
    legal: Array  # bool[..., moves]
    terminated: Array  # bool[...]
    truncated: Array  # bool[...]
    rewards: Array  # float32[..., players]
    first: Array  # int32[..., roles]


class Rules(Protocol):
    """What holds in N games, looked at and moved on."""

    def look(self, facts: Array) -> tuple[list[Array], Array, Array]:
        """Return legal moves ``bool[N, moves]`` of each role, ends ``bool[N]``, and goals.

        Goals are ``int32[N, roles]``, `NO_GOAL` where the rules give no single value.
        """
        ...

    def after(self, facts: Array, ids: Array) -> Array:
        """Return what holds after joint moves, ``int32[N, roles]`` by each role's own numbers."""
        ...


class Gates:
    """A circuit in JAX."""

    def __init__(self, circuit: GameCircuit) -> None:
        """Prepare; JAX compiles when a function of it is compiled."""
        self.circuit = circuit
        self._ends = [edge for pairs in circuit.goals for _, edge in pairs]

    def look(self, facts: Array) -> tuple[list[Array], Array, Array]:
        """See `Rules.look`."""
        circuit, count = self.circuit, len(facts)
        legal = [edge for edges in circuit.legal for edge in edges]
        words = dict(zip(circuit.fact_inputs, _packed(facts), strict=True))
        bits = _unpacked(self._values(words, [*legal, circuit.terminal, *self._ends]), count)
        split = np.cumsum([len(edges) for edges in circuit.legal]).tolist()
        *rows, rest = jnp.split(bits, split, axis=1)
        goals, at = [], 1
        for pairs in circuit.goals:
            held = rest[:, at : at + len(pairs)]
            at += len(pairs)
            values = jnp.array([value for value, _ in pairs], jnp.int32)
            goals.append(jnp.where(held.sum(axis=1) == 1, (held * values).sum(axis=1), NO_GOAL))
        return rows, rest[:, 0], jnp.stack(goals, axis=1)

    def after(self, facts: Array, ids: Array) -> Array:
        """See `Rules.after`."""
        circuit = self.circuit
        words = dict(zip(circuit.fact_inputs, _packed(facts), strict=True))
        for role, edges in enumerate(circuit.move_inputs):
            is_chosen = ids[:, role, None] == jnp.arange(len(edges))
            words |= dict(zip(edges, _packed(is_chosen), strict=True))
        return _unpacked(self._values(words, circuit.next), len(facts))

    def _values(self, words: Mapping[int, Array], edges: Sequence[int]) -> Array:
        """Return the values of edges, ``uint32[edges, W]``, by those of inputs."""
        aig = self.circuit.aig
        values = {edge >> 1: word for edge, word in words.items()}
        values[0] = jnp.zeros_like(next(iter(values.values())))

        def value(edge: int) -> Array:
            return values[edge >> 1] ^ ONES if edge & 1 else values[edge >> 1]

        for node in cone(aig, edges):
            values[node] = value(aig.left[node]) & value(aig.right[node])
        return jnp.stack([value(edge) for edge in edges])


def _packed(bits: Array) -> Array:
    """Return bits as words, a row for each column: of ``bool[N, K]``, ``uint32[K, W]``."""
    count, columns = bits.shape
    padded = jnp.pad(bits, ((0, -count % BITS), (0, 0))).reshape(-1, BITS, columns)
    places = jnp.arange(BITS, dtype=jnp.uint32)[None, :, None]
    return (padded.astype(jnp.uint32) << places).sum(axis=1, dtype=jnp.uint32).T


def _unpacked(words: Array, count: int) -> Array:
    """Return the first N bits of words: of ``uint32[K, W]``, ``bool[N, K]``."""
    places = jnp.arange(BITS, dtype=jnp.uint32)[None, :, None]
    bits = (words.T[:, None, :] >> places) & jnp.uint32(1)
    return bits.reshape(-1, len(words))[:count].astype(bool)


class Callback:
    """Machine code that JAX calls back."""

    def __init__(self, native: NativeGame) -> None:
        """Prepare."""
        self.native = native
        compiled = native.kernel.compiled
        self._moves = [len(moves) for moves in compiled.moves]
        self._facts = len(compiled.facts)

    def look(self, facts: Array) -> tuple[list[Array], Array, Array]:
        """See `Rules.look`."""
        lead, roles = facts.shape[:-1], len(self._moves)
        shapes = (
            *(jax.ShapeDtypeStruct((*lead, many), bool) for many in self._moves),
            jax.ShapeDtypeStruct(lead, bool),
            jax.ShapeDtypeStruct((*lead, roles), np.int32),
        )
        *legal, over, goals = jax.pure_callback(
            self._look, shapes, facts, vmap_method="broadcast_all"
        )
        return legal, over, goals

    def after(self, facts: Array, ids: Array) -> Array:
        """See `Rules.after`."""
        shape = jax.ShapeDtypeStruct(facts.shape, bool)
        return jax.pure_callback(self._after, shape, facts, ids, vmap_method="broadcast_all")

    def _look(self, facts: Array) -> tuple[NDArray[Any], ...]:
        held, lead = self._flat(facts), np.shape(facts)[:-1]
        batch = self.native.batch(len(held))
        batch.restore(np.packbits(held, axis=1))
        arrays = (*batch.legal, batch.terminal, batch.goals.astype(np.int32))
        return tuple(array.reshape(*lead, *array.shape[1:]) for array in arrays)

    def _after(self, facts: Array, ids: Array) -> NDArray[np.bool_]:
        held = self._flat(facts)
        batch = self.native.batch(len(held))
        batch.restore(np.packbits(held, axis=1))
        batch.step(np.asarray(ids).reshape(len(held), -1))
        return batch.observations.reshape(np.shape(facts))

    def _flat(self, facts: Array) -> NDArray[np.bool_]:
        return np.asarray(facts).reshape(-1, self._facts)


class JaxEnv:
    """A game as pure functions; all may be compiled, mapped and scanned.

    Attributes:
        markov_game: The game as learners take it, a Markov game.
        by: ``gates`` or ``callback``.
    """

    def __init__(self, markov_game: MarkovGame, by: str) -> None:
        """Prepare; see `gdl.adapters.jax.env`."""
        if by not in WAYS:
            raise ValueError(f"by must be {' or '.join(WAYS)}, not {by!r}")
        self.markov_game = markov_game
        native = _suited(markov_game)
        circuit = native.circuit
        if by == "auto":
            gates = len(cone(circuit.aig, list(circuit.outputs())))
            by = "gates" if gates <= MOST_GATES else "callback"
        self.by = by
        self.rules: Rules = Gates(circuit) if by == "gates" else Callback(native)
        table = markov_game.table
        self._own = [
            np.array([moves.index(m) if m in moves else ABSENT for m in table.moves], np.int32)
            for moves in circuit.moves
        ]
        self._is_waiting = [
            np.array([move in waits for move in moves], np.bool_)
            for moves, waits in zip(circuit.moves, table.waiting, strict=True)
        ]
        self._values = np.unique([NO_GOAL, *(v for pairs in circuit.goals for v, _ in pairs)])
        alone = np.maximum(self._values, 0) / MOST_GOAL
        worth = alone if len(markov_game.players) == 1 else self._values / EVEN - 1
        self._worth = worth.astype(np.float32)
        facts = np.zeros((1, len(circuit.facts)), np.bool_)
        facts[0, list(circuit.initial)] = True
        # Not later: while something is compiled, arrays are none yet.
        self._compiled = jax.jit(self._stepped)
        self._first: State = jax.jit(self._looked)(facts, np.zeros(1, np.bool_))

    @property
    def moves(self) -> int:
        """The number of moves in the table."""
        return len(self.markov_game.table)

    @property
    def players(self) -> tuple[str, ...]:
        """The role of each player."""
        return self.markov_game.names

    def init(self, shape: Sequence[int] = ()) -> State:
        """Return games that begin, one for each place of a shape."""
        return State(
            *(jnp.broadcast_to(array[0], (*shape, *array.shape[1:])) for array in self._first)
        )

    def step(self, state: State, action: Array) -> State:
        """Make a move in each game.

        Args:
            state: Games.
            action: The number of the mover's move, ``int[...]``. Who makes one that is not legal
                loses, and the others get nothing. Where nobody is asked, and in games that have
                ended, it counts for nothing; these stay as they are and bring nothing more.

        Raises:
            GdlError: The shape or the type of the actions is another.
        """
        action = jnp.asarray(action)
        if action.shape != state.mover.shape or not jnp.issubdtype(action.dtype, jnp.integer):
            raise GdlError(
                f"action has the shape {action.shape} and the type {action.dtype}",
                expected=f"the number of a move for each game, int{list(state.mover.shape)}",
            )
        lead, count = action.shape, prod(action.shape)
        flat = State(*(array.reshape(count, *array.shape[len(lead) :]) for array in state))
        after = self._compiled(flat, action.reshape(count))
        return State(*(array.reshape(*lead, *array.shape[1:]) for array in after))

    def _stepped(self, state: State, action: Array) -> State:
        going = ~(state.terminated | state.truncated)
        is_known = (action >= 0) & (action < self.moves)
        number = jnp.where(is_known, action, 0)
        is_legal = is_known & jnp.take_along_axis(state.legal, number[:, None], axis=1)[:, 0]
        lost = going & (state.mover != NOBODY) & ~is_legal
        moved = going & ~lost
        ids = state.first
        for player, role in enumerate(self.markov_game.players):
            own = jnp.asarray(self._own[role])[number]
            ids = ids.at[:, role].set(jnp.where(state.mover == player, own, ids[:, role]))
        # Games that do not go on make the first moves of all, which are legal there.
        start = self._first
        facts = jnp.where(moved[:, None], state.facts, start.facts)
        after = self.rules.after(facts, jnp.where(moved[:, None], ids, start.first))
        looked = self._looked(jnp.where(moved[:, None], after, state.facts), ~moved)
        players = jnp.arange(len(self.players))
        worst = jnp.where(players == state.mover[:, None], jnp.float32(self.markov_game.worst), 0)
        return looked._replace(
            terminated=jnp.where(moved, looked.terminated, state.terminated | lost),
            truncated=jnp.where(moved, looked.truncated, state.truncated),
            rewards=jnp.where(lost[:, None], worst, looked.rewards),
        )

    def _looked(self, facts: Array, still: Array) -> State:
        """Return what there is to know of what holds; games that stand still bring nothing."""
        legal, over, goals = self.rules.look(facts)
        counts = jnp.stack([moves.sum(axis=1) for moves in legal], axis=1)
        first = jnp.stack([moves.argmax(axis=1) for moves in legal], axis=1).astype(jnp.int32)
        stuck = ~over & (counts == 0).any(axis=1)
        # At most one role has a choice, as was proved; else who does more than wait is asked.
        alone = [
            (counts[:, role] == 1) & ~jnp.asarray(waits)[first[:, role]]
            for role, waits in enumerate(self._is_waiting)
        ]
        acting = jnp.stack(alone, axis=1)
        acting &= (acting.sum(axis=1) == 1)[:, None]
        asked = jnp.where((counts > 1).any(axis=1)[:, None], counts > 1, acting)
        asked = asked[:, jnp.asarray(self.markov_game.players)]
        mover = jnp.where(asked.any(axis=1), asked.argmax(axis=1), NOBODY).astype(jnp.int8)
        table = jnp.zeros((len(facts), self.moves), bool)
        for player, role in enumerate(self.markov_game.players):
            own = self._own[role]
            table |= legal[role][:, own] & (own != ABSENT) & (mover == player)[:, None]
        ended = (over | stuck)[:, None] & ~still[:, None]
        rewards = jnp.where(ended, self._rewards(over, goals), jnp.float32(0))
        return State(facts, mover, table, over, stuck, rewards, first)

    def _rewards(self, over: Array, goals: Array) -> Array:
        """Return what ends are worth; see `MarkovGame.rewards`."""
        goals = goals[:, jnp.asarray(self.markov_game.players)]
        # Looked up: compilers that divide by a constant may be off by the last bit.
        worth = jnp.asarray(self._worth)[jnp.searchsorted(self._values, goals)]
        if len(self.players) == 1:
            return worth
        is_decided = over & (goals != NO_GOAL).all(axis=1)
        return jnp.where(is_decided[:, None], worth, jnp.float32(0))

    def observe(self, state: State) -> Array:
        """Return what is seen, ``int8[..., *shape]``: the planes of `MarkovGame.planes`."""
        sources, flips = self.markov_game.planes.sources
        none, most = state.facts.shape[-1], max(map(len, sources))
        places = np.array([[*row, *[none] * (most - len(row))] for row in sources], np.int32)
        facts = jnp.concatenate([state.facts, jnp.zeros_like(state.facts[..., :1])], axis=-1)
        seen = facts[..., places].any(axis=-1) ^ np.array(flips, np.bool_)
        shape = self.markov_game.planes.shape
        return seen.reshape(*state.mover.shape, *shape).astype(jnp.int8)


def _suited(markov_game: MarkovGame) -> NativeGame:
    """Return the compiled game.

    Raises:
        NoNativeError: The game does not run as machine code.
        GdlError: It is none that functions of this kind can play.
    """
    game = markov_game.game
    why = ""
    if markov_game.hides_facts:
        why = "hides facts from its players, and arrays show all of them"
    elif markov_game.nature is not None:
        why = "has nature draw moves"
    elif (
        game.back_end.native is not None
        and not markov_game.table.is_turn_taking
        and not one_chooses(game.back_end.native.circuit)
    ):
        why = "may let several roles choose at once, as far as its rules show"
    if why:
        raise GdlError(f"{game.id} {why}", expected="a game whose roles take turns, all seen")
    if game.back_end.native is None:
        game.batch(1)  # says why
    assert game.back_end.native is not None
    return game.back_end.native
