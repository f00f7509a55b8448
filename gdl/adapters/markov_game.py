"""A game as a learner takes it, a Markov game: who chooses, what may be chosen, what follows.

In: a game's name, or a `Game`. Out: a `MarkovGame`: states, the joint moves of those who choose in
them, the next state with its rewards, and what each player observes. Plies in which nobody has
anything to decide are made without asking, and so is what the role ``random`` does: a learner sees
neither the noops of those who wait nor chance itself. A Markov game is immutable; states are those
of `gdl.state`, and chance comes from a generator that is handed in.

Source: Littman, "Markov Games as a Framework for Multi-Agent Reinforcement Learning", 1994; the
role ``random`` after Thielscher, "A General Game Description Language for Incomplete Information
Games", AAAI 2010.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.adapters.arguments import MAX_PLIES
from gdl.adapters.moves import MoveTable, move_table
from gdl.adapters.propositions import Propositions, propositions
from gdl.backend import NoNativeError
from gdl.boards.inferred import written_picture
from gdl.boards.planes import Planes, flat_planes, planes_of
from gdl.game import Game, GameLike, load
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require_whole
from gdl.language.syntax import Constant, Term, kif_text
from gdl.machine import IllegalMoveError, illegal_move
from gdl.play.information import is_nature
from gdl.ruleset import Ruleset
from gdl.state import State

MOST_GOAL: Final = 100
EVEN: Final = 50
"""The goal of a draw."""


class Status(Enum):
    """Whether play goes on."""

    GOING = "going"
    OVER = "over"
    STUCK = "stuck"
    """A role has no legal move, and the rules do not say that the game is over."""
    CUT = "cut"
    """The limit of plies is reached."""


class OldName:
    """The attribute ``course`` of environments, which is ``markov_game`` now; for one release."""

    def __get__(self, env: Any, owner: type | None = None) -> Any:  # noqa: ANN401  # of any class
        """Return the Markov game of an environment, with a warning."""
        if env is None:
            return self
        warnings.warn("course is called markov_game now", DeprecationWarning, stacklevel=2)
        return env.markov_game


class UnplayableError(GdlError):
    """A game in which nobody is ever asked for a move."""


@dataclass(frozen=True, eq=False)
class MarkovGame:
    """A game as a learner takes it.

    Attributes:
        game: The game.
        table: Its moves by number.
        planes: How a state is seen.
        players: The roles that learners play, as indices into the roles; chance is left out.
        nature: The index of the role ``random``, None where there is none.
        drawn: The moves of that role in canonical order, those of waiting last.
        hides_facts: Whether players see only their percepts (GDL-II).
        max_plies: Joint moves after which an episode is cut off.
    """

    game: Game
    table: MoveTable
    planes: Planes
    players: tuple[int, ...]
    nature: int | None
    drawn: tuple[Term, ...]
    hides_facts: bool
    max_plies: int

    def __deepcopy__(self, memo: dict[int, object]) -> MarkovGame:
        """Return this very object: it never changes."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The role of each player, as KIF text."""
        return tuple(self.game.roles[r] for r in self.players)

    def player(self, role: str) -> int:
        """Return the number of the player who has a role.

        Raises:
            UnknownRoleError: No such role, or it is chance.
        """
        names = self.names
        if role not in names:
            from gdl.state import UnknownRoleError

            raise UnknownRoleError(
                f"{self.game.id} has no role {role!r} to play", expected=" or ".join(names)
            )
        return names.index(role)

    def start(self, rng: np.random.Generator) -> State:
        """Return the first state in which somebody is asked.

        Raises:
            UnplayableError: The game is over before anybody is asked.
        """
        state = self.settle(self.game.initial(), rng)
        if self.status(state) is not Status.GOING:
            raise UnplayableError(
                f"{self.game.id} ends before anybody is asked for a move",
                expected="a game in which a role has a choice",
            )
        return state

    def status(self, state: State) -> Status:
        """Return whether play goes on."""
        if state.is_terminal:
            return Status.OVER
        if not all(self._legal(state)):
            return Status.STUCK
        return Status.CUT if state.ply >= self.max_plies else Status.GOING

    def asked(self, state: State) -> tuple[int, ...]:
        """Return the players who are asked, by number; nobody in a ply that is made unasked."""
        asked = self.table.asked(self._legal(state))
        return tuple(p for p, r in enumerate(self.players) if r in asked)

    def options(self, state: State, player: int) -> list[int]:
        """Return the numbers of a player's legal moves, rising; those of waiting are left out."""
        role = self.table.roles[self.players[player]]
        numbers = self.table.numbers
        moves = state.machine.legal(state.inner, role)
        return sorted(numbers[move] for move in moves if move in numbers)

    def mask(self, state: State, player: int) -> NDArray[np.int8]:
        """Return the mask of a player's legal moves, ``int8[moves]``, a new array."""
        mask = np.zeros(len(self.table), np.int8)
        mask[self.options(state, player)] = 1
        return mask

    def check(self, state: State, player: int, number: int) -> Term:
        """Return the move of a number.

        Raises:
            IllegalMoveError: It is not legal for the player.
        """
        role = self.table.roles[self.players[player]]
        legal = state.machine.legal(state.inner, role)
        is_listed = 0 <= number < len(self.table)
        move = self.table.moves[number] if is_listed else Constant(f"number {number}")
        if move in legal:
            return move
        if not is_listed:
            said = f"{number} is the number of no move of {role}"
            raise IllegalMoveError(role, move, legal, said, expected=f"0 to {len(self.table) - 1}")
        error: IllegalMoveError = illegal_move(
            role, move, legal, show=self.game.ruleset.notation.format
        )
        raise error

    def after(self, state: State, chosen: Mapping[int, int], rng: np.random.Generator) -> State:
        """Return the next state in which somebody is asked, or the last one.

        Args:
            state: Where.
            chosen: For each player who is asked, the number of a move.
            rng: Draws the moves of ``random``.

        Raises:
            IllegalMoveError: A move is not legal.
        """
        moves = {self.players[p]: self.check(state, p, n) for p, n in chosen.items()}
        return self.settle(self.play(state, moves, rng), rng)

    def play(
        self, state: State, moves: Mapping[int, Term], rng: np.random.Generator | None
    ) -> State:
        """Return the state after one joint move: what is chosen, drawn, and forced.

        Args:
            state: Where.
            moves: The moves of those who choose, by the index of the role.
            rng: Draws for ``random``; None where it has no choice, or its move is given.
        """
        legal = self._legal(state)
        joint = tuple(
            moves[r] if r in moves else self._unasked(r, row, rng) for r, row in enumerate(legal)
        )
        return state.play(joint)

    def _unasked(self, role: int, legal: tuple[Term, ...], rng: np.random.Generator | None) -> Term:
        if role == self.nature and len(legal) > 1 and rng is not None:
            return legal[int(rng.integers(len(legal)))]
        assert len(legal) == 1, f"{self.table.roles[role]} has a choice and was not asked"
        return legal[0]

    def settle(self, state: State, rng: np.random.Generator) -> State:
        """Return the state after the plies in which no player is asked."""
        while self.status(state) is Status.GOING and not self.asked(state):
            state = self.play(state, {}, rng)
        return state

    def goal(self, state: State, player: int) -> int | None:
        """Return a player's goal, None where the rules give no single value."""
        values = state.machine.goals(state.inner, self.table.roles[self.players[player]])
        return values[0] if len(values) == 1 else None

    def is_decided(self, state: State) -> bool:
        """Return whether a state is an end in which every player has a single goal."""
        if self.status(state) is not Status.OVER:
            return False
        return all(self.goal(state, p) is not None for p in range(len(self.players)))

    def rewards(self, state: State) -> list[float]:
        """Return what the end of an episode is worth to each player; see `worth`."""
        goals = [self.goal(state, p) for p in range(len(self.players))]
        return worth(self.status(state), goals)

    @property
    def worst(self) -> float:
        """The reward of a goal of 0."""
        return 0.0 if len(self.players) == 1 else -1.0

    def observe(self, state: State, player: int) -> NDArray[np.int8]:
        """Return what a player sees, ``int8[*planes.shape]``, a new array."""
        held = np.zeros((1, len(self.planes.facts)), np.bool_)
        seen = (
            self.percepts(state, player) if self.hides_facts else state.machine.facts(state.inner)
        )
        for fact in seen:
            number = self.planes.numbers.get(fact)
            if number is None:
                raise GdlError(
                    f"{kif_text(fact)} is true, but the rules do not list it",
                    expected="a (base ...) for each fact that can become true",
                )
            held[0, number] = True
        observed: NDArray[np.int8] = self.planes.encode(held)[0]
        return observed

    def percepts(self, state: State, player: int) -> frozenset[Term]:
        """Return what a player was shown since it was last asked (GDL-II)."""
        role = self.table.roles[self.players[player]]
        seen: set[Term] = set()
        while (before := state.previous) is not None and state.last_move is not None:
            seen |= before.machine.percepts(before.inner, state.last_move, role)
            if player in self.asked(before):
                break
            state = before
        return frozenset(seen)

    def _legal(self, state: State) -> tuple[tuple[Term, ...], ...]:
        machine = state.machine
        return tuple(machine.legal(state.inner, role) for role in self.table.roles)


def worth(status: Status, goals: Sequence[int | None]) -> list[float]:
    """Return what the end of an episode is worth to each player.

    For a single player its goal, from 0 to 1, and 0 where there is none. Else each player's goal,
    from -1 to 1; an end that the rules do not decide (it was cut off, somebody was stuck, somebody
    has no single goal) is a draw, worth 0 to everybody.

    Args:
        status: How it ended.
        goals: The goal of each player, None where the rules give no single value.
    """
    if len(goals) == 1:
        return [(goals[0] or 0) / MOST_GOAL]
    if status is not Status.OVER or None in goals:
        return [0.0] * len(goals)
    return [(goal or 0) / EVEN - 1 for goal in goals]


def markov_game(game: GameLike, *, max_plies: int = MAX_PLIES) -> MarkovGame:
    """Return a game as a learner takes it.

    A name is loaded as machine code however long that takes, not as ``auto`` does it: the table
    of moves must not depend on how busy the machine was.

    Args:
        game: A ruleset id, a rule file or a game.
        max_plies: Joint moves after which an episode is cut off.

    Raises:
        UnlistedError: Its moves or facts cannot be listed before it is played.
        UnknownRulesetError: There is no such ruleset or file.
        ValueError: A limit below 1.
    """
    max_plies = require_whole("max_plies", max_plies, 1)
    loaded = game if isinstance(game, Game) else _compiled(game)
    listed = propositions(loaded)
    hidden = loaded.hides_facts
    nature = next((r for r, role in enumerate(listed.roles) if is_nature(role)), None)
    if len(listed.roles) == 1:
        nature = None
    players = tuple(r for r in range(len(listed.roles)) if r != nature)
    table = move_table(loaded, listed)
    drawn: tuple[Term, ...] = ()
    if nature is not None:
        drawn = tuple(sorted(listed.moves[nature], key=lambda m: m in table.waiting[nature]))
    planes = _planes(loaded, listed, hidden)
    return MarkovGame(loaded, table, planes, players, nature, drawn, hidden, max_plies)


def _compiled(name: str | os.PathLike[str] | Ruleset) -> Game:
    """Return a game as machine code, or run by the reasoner where that cannot be had."""
    from gdl.compile.limits import CompileError

    try:
        return load(name, backend="native")
    except (CompileError, NoNativeError):
        return load(name)


def _planes(game: Game, listed: Propositions, hidden: bool) -> Planes:  # noqa: FBT001  # a fact of the game
    if hidden:
        return flat_planes(listed.percepts)
    return planes_of(written_picture(game.ruleset), listed.facts)
