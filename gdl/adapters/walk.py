"""How an environment of one game goes from position to position.

In: a `MarkovGame`. Out: a `Walk`, which gives a `Look` at each position: whether play goes on, who
is asked, what is legal and seen. `walk` chooses: a game that runs as machine code is walked by
numbers and bytes, with no term and no `State` made, and a `State` is made of a look where somebody
asks for it; every other game, and one that hides facts, is walked by its states.

`NumberedWalk` says the same as `Walk`, which is the definition; tests hold them in lockstep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.adapters.markov_game import MarkovGame, Status, worth
from gdl.machine import NumberedMachine
from gdl.state import State

ABSENT: Final = -1
"""Stands for a move of the table that a role does not have, and for one that is not in it."""
GOING, OVER, STUCK, CUT = Status.GOING, Status.OVER, Status.STUCK, Status.CUT
"""By names of their own: an attribute of an enumeration takes as long as a call."""


class Look:
    """One position of an episode. Nothing of it changes but that its state is made.

    Attributes:
        status: Whether play goes on.
        asked: The players who are asked, by number; nobody where play does not go on.
        ply: Joint moves since the first state known.
        state: The position as a state, None until it is made; `Walk.state` makes it.
        inner: The state of the machine that is walked by numbers.
        seen: What that machine sees of it.
        turn: Who has a choice there; see `gdl.machine.NumberedMachine.turn`.
        previous: The look before, None for the first one.
        chosen: The joint move that led here, by number.
    """

    __slots__ = ("asked", "chosen", "inner", "ply", "previous", "seen", "state", "status", "turn")

    def __init__(  # noqa: PLR0913, PLR0917  # made for every position: keywords take as long again
        self,
        status: Status,
        asked: tuple[int, ...],
        ply: int,
        inner: bytes = b"",
        seen: bytes = b"",
        turn: tuple[int, tuple[int, ...]] | None = None,
    ) -> None:
        """Say what is known before anybody asks; a walk adds its own."""
        self.status, self.asked, self.ply = status, asked, ply
        self.inner, self.seen, self.turn = inner, seen, turn
        self.state: State | None = None
        self.previous: Look | None = None
        self.chosen: tuple[int, ...] = ()

    def __deepcopy__(self, memo: dict[int, object]) -> Look:
        """Return this very object."""
        return self


class Walk:
    """The walk by states, of any game.

    Attributes:
        markov_game: The game.
    """

    def __init__(self, markov_game: MarkovGame) -> None:
        """Prepare."""
        self.markov_game = markov_game

    def __reduce__(self) -> tuple[Callable[[MarkovGame], Walk], tuple[MarkovGame]]:
        """Pickle the game."""
        return walk, (self.markov_game,)

    def __deepcopy__(self, memo: dict[int, object]) -> Walk:
        """Return this very object: it never changes."""
        return self

    def start(self, rng: np.random.Generator) -> Look:
        """Return the first position in which somebody is asked; see `MarkovGame.start`."""
        return self.look(self.markov_game.start(rng))

    def look(self, state: State) -> Look:
        """Return what is to be known of a state."""
        status = self.markov_game.status(state)
        asked = self.markov_game.asked(state) if status is Status.GOING else ()
        look = Look(status, asked, state.ply)
        look.state = state
        return look

    def state(self, look: Look) -> State:
        """Return a position as a state, which knows how it was reached."""
        assert look.state is not None
        return look.state

    def check(self, look: Look, player: int, number: int) -> None:
        """Refuse a move that is not legal; see `MarkovGame.check`."""
        self.markov_game.check(self.state(look), player, number)

    def after(self, look: Look, chosen: Mapping[int, int], rng: np.random.Generator) -> Look:
        """Return the next position in which somebody is asked, or the last one.

        Args:
            look: Where.
            chosen: For each player who is asked, the number of a move that `check` let pass.
            rng: Draws the moves of ``random``.
        """
        return self.look(self.markov_game.after(self.state(look), chosen, rng))

    def options(self, look: Look, player: int) -> list[int]:
        """Return the numbers of a player's legal moves; see `MarkovGame.options`."""
        return self.markov_game.options(self.state(look), player)

    def mask(self, look: Look, player: int) -> NDArray[np.int8]:
        """Return the mask of a player's legal moves, ``int8[moves]``, a new array."""
        return self.markov_game.mask(self.state(look), player)

    def observe(self, look: Look, player: int) -> NDArray[np.int8]:
        """Return what a player sees, ``int8[*planes.shape]``, a new array."""
        return self.markov_game.observe(self.state(look), player)

    def goals(self, look: Look) -> list[int | None]:
        """Return each player's goal, None where the rules give no single value."""
        state = self.state(look)
        return [self.markov_game.goal(state, p) for p in range(len(self.markov_game.players))]

    def rewards(self, look: Look) -> list[float]:
        """Return what the end of an episode is worth to each player; see `worth`."""
        return worth(look.status, self.goals(look))


class NumberedWalk(Walk):
    """The walk by numbers, of a game that runs as machine code and hides nothing."""

    def __init__(self, markov_game: MarkovGame, machine: NumberedMachine[Any]) -> None:
        """Prepare. Cost O(roles * moves)."""
        super().__init__(markov_game)
        self._machine = machine
        self._max_plies = markov_game.max_plies
        table, players = markov_game.table, markov_game.players
        self._alone = tuple(
            (players.index(r),) if r in players else () for r in range(len(table.roles))
        )
        own, numbers = [], []
        for role in players:
            mine = {move: i for i, move in enumerate(machine.moves[role])}
            own.append([mine.get(move, ABSENT) for move in table.moves])
            numbers.append([table.numbers.get(move, ABSENT) for move in mine])
        self._own, self._numbers = own, numbers
        # Mostly the table is the moves of a role but for those of waiting, at one end of the order:
        # then its mask is a piece of what is seen.
        self._pieces = [
            (row[0], row[-1] + 1) if row == list(range(row[0], row[-1] + 1)) else None
            for row in own
        ]
        self._places = [np.array(row, np.intp) for row in own]
        self._first: Look | None = None

    def start(self, rng: np.random.Generator) -> Look:
        """Return the first position in which somebody is asked; where nothing is drawn, made once.

        Raises:
            UnplayableError: The game is over before anybody is asked.
        """
        if self._first is not None:
            return self._first
        first = self.look(self.markov_game.start(rng))
        if self.markov_game.nature is None:
            self._first = first
        return first

    def look(self, state: State) -> Look:
        """Return what is to be known of a state."""
        assert state.machine is self._machine
        look = self._look(state.inner, state.ply)
        look.state = state
        return look

    def _look(self, inner: bytes, ply: int) -> Look:
        machine = self._machine
        seen = machine.look(inner)
        turn = None
        asked: tuple[int, ...] = ()
        if machine.is_over(seen):
            status = OVER
        else:
            turn = machine.turn(seen)
            status = GOING if ply < self._max_plies else CUT
            if turn is None:  # nobody chooses, several do, or a role is stuck: found by the terms
                roles = range(len(self._alone))
                legal = tuple(machine.legal_moves(seen, r) for r in roles)
                if not all(legal):
                    status = STUCK
                elif status is GOING:
                    named = self.markov_game.table.asked(legal)
                    asked = tuple(p for r in named for p in self._alone[r])
            elif status is GOING:
                asked = self._alone[turn[0]]
        return Look(status, asked, ply, inner, seen, turn)

    def state(self, look: Look) -> State:
        """Return a position as a state; those on the way to it are made, once each."""
        way = []
        at = look
        while at.state is None:
            way.append(at)
            assert at.previous is not None
            at = at.previous
        state = at.state
        for at in reversed(way):
            state = at.state = state.apply(at.chosen)
        return state

    def check(self, look: Look, player: int, number: int) -> None:
        """Refuse a move that is not legal; see `MarkovGame.check`."""
        own = self._own[player]
        mine = own[number] if 0 <= number < len(own) else ABSENT
        if not self._machine.is_legal(look.seen, self.markov_game.players[player], mine):
            super().check(look, player, number)

    def after(self, look: Look, chosen: Mapping[int, int], rng: np.random.Generator) -> Look:
        """Return the next position in which somebody is asked, or the last; see `Walk.after`."""
        look = self._played(look, chosen, rng)
        while look.status is GOING and not look.asked:
            look = self._played(look, {}, rng)
        return look

    def _played(self, look: Look, chosen: Mapping[int, int], rng: np.random.Generator) -> Look:
        """Return the position after one joint move: what is chosen, drawn, and forced."""
        turn = look.turn
        if turn is not None:
            r, forced = turn
            ids = list(forced)
            ids[r] = self._move(look, r, chosen, rng)
        else:
            ids = [self._move(look, r, chosen, rng) for r in range(len(self._alone))]
        following = self._look(self._machine.after(look.inner, ids), look.ply + 1)
        following.previous, following.chosen = look, tuple(ids)
        return following

    def _move(
        self, look: Look, role: int, chosen: Mapping[int, int], rng: np.random.Generator
    ) -> int:
        """Return a role's own number of its move."""
        for player in self._alone[role]:
            if player in chosen:
                return self._own[player][chosen[player]]
        return self._unasked(look, role, rng)

    def _unasked(self, look: Look, role: int, rng: np.random.Generator) -> int:
        legal = self._machine.legal_ids(look.seen, role)
        if role == self.markov_game.nature and len(legal) > 1:
            return legal[int(rng.integers(len(legal)))]
        assert len(legal) == 1, (
            f"{self.markov_game.table.roles[role]} has a choice and was not asked"
        )
        return legal[0]

    def options(self, look: Look, player: int) -> list[int]:
        """Return the numbers of a player's legal moves; see `MarkovGame.options`."""
        # Both the table and a role's own moves are in canonical order, so the numbers rise.
        numbers = self._numbers[player]
        legal = self._machine.legal_ids(look.seen, self.markov_game.players[player])
        return [numbers[mine] for mine in legal if numbers[mine] >= 0]

    def mask(self, look: Look, player: int) -> NDArray[np.int8]:
        """Return the mask of a player's legal moves, ``int8[moves]``, a new array."""
        row = self._machine.legal_row(look.seen, self.markov_game.players[player])
        if piece := self._pieces[player]:
            return np.frombuffer(bytearray(row[piece[0] : piece[1]]), np.int8)
        # What a role does not have is at the place -1: the zero behind its moves.
        mask: NDArray[np.int8] = np.frombuffer(row + b"\0", np.int8).take(self._places[player])
        return mask

    def observe(self, look: Look, player: int) -> NDArray[np.int8]:
        """Return what a player sees, ``int8[*planes.shape]``, a new array."""
        del player  # nothing is hidden
        return self.markov_game.planes.encode_packed(look.inner)

    def goals(self, look: Look) -> list[int | None]:
        """Return each player's goal, None where the rules give no single value."""
        goals_of_players = [
            self._machine.goal_values(look.seen, r) for r in self.markov_game.players
        ]
        return [values[0] if len(values) == 1 else None for values in goals_of_players]


def walk(markov_game: MarkovGame) -> Walk:
    """Return the quickest walk through a game."""
    machine = markov_game.game.numbered
    if machine is None or machine is not markov_game.game.machine or markov_game.hides_facts:
        return Walk(markov_game)
    return NumberedWalk(markov_game, machine)
