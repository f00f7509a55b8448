"""Rules as a source: the side that every engine is held against, and another ruleset.

A position is a state of the machine together with what roles have chosen while others have not
yet, and, where the rules hide facts, what each role has done and seen. Plies in which nobody is
asked (everybody waits) are passed over. Where chance moves together with players, it is asked
after them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from gdl.conform.source import CHANCE, Board, EngineMove, Plain, SourceError
from gdl.game import Game
from gdl.language.keywords import RANDOM
from gdl.language.terms import Constant, Term
from gdl.machine import JointMove
from gdl.state import NOOP, State
from gdl.view.scene import place

NATURE: Final = Constant(RANDOM)
MOST_WAITING: Final = 1_000
"""Plies in a row in which nobody is asked; a game with more never asks again."""


@dataclass(frozen=True, slots=True)
class RulesPosition:
    """Where a play of the rules stands.

    Attributes:
        inner: The machine's state.
        chosen: What roles have chosen in this ply while others have not: number and move.
        before: The position before this ply, None at the start.
        joint: The joint move that led from there.
        legal: The legal moves of each role of the machine, in its order.
        is_terminal: Whether play is over.
        seen: What each player knows, where the rules hide facts: a number for each memory.
    """

    inner: Any
    chosen: tuple[tuple[int, Term], ...]
    before: RulesPosition | None = field(repr=False)
    joint: JointMove | None
    legal: tuple[tuple[Term, ...], ...] = field(repr=False)
    is_terminal: bool
    seen: tuple[int, ...] = ()


class RulesSource(Plain):
    """A game of this project as a source; moves are terms.

    Attributes:
        game: The game.
        players: For each player its place among the roles of the machine.
        nature: The place of ``random`` among them, None where chance never moves.
    """

    bounds = (0.0, 100.0)

    def __init__(self, game: Game) -> None:
        """Ask a game."""
        self.game = game
        self.name = game.id
        self.version = ""
        self.hides = game.hides_facts
        self.has_chance = NATURE in game.machine.roles
        self._machine = game.machine
        terms = self._machine.roles
        self.players = tuple(n for n, role in enumerate(terms) if role is not NATURE)
        self.nature = terms.index(NATURE) if NATURE in terms else None
        self.roles = tuple(game.roles[n] for n in self.players)
        self._texts: dict[Term, str] = {}
        self._memories: dict[tuple[int, Term, frozenset[Term]], int] = {}

    @cached_property
    def _start(self) -> RulesPosition:
        seen = (0,) * len(self.players) if self.hides else ()
        return self._settled(self._at(self._machine.initial(), None, None, seen))

    def initial(self) -> RulesPosition:
        """Return where play begins."""
        return self._start

    def _at(
        self,
        inner: Any,  # noqa: ANN401  # states of a machine are its own
        before: RulesPosition | None,
        joint: JointMove | None,
        seen: tuple[int, ...],
    ) -> RulesPosition:
        machine = self._machine
        over = machine.is_terminal(inner)
        legal = () if over else tuple(machine.legal(inner, role) for role in machine.roles)
        return RulesPosition(inner, (), before, joint, legal, over, seen)

    def position(
        self,
        inner: Any,  # noqa: ANN401  # states of a machine are their own
        before: RulesPosition | None,
        joint: JointMove | None,
    ) -> RulesPosition:
        """Return the position of a state, given what led there; where nothing is hidden.

        Plies in which nobody is asked are passed over.
        """
        return self._settled(self._at(inner, before, joint, ()))

    def _settled(self, position: RulesPosition) -> RulesPosition:
        """Return the first position from here on in which somebody is asked."""
        for _ in range(MOST_WAITING):
            if position.is_terminal or self._asked(position):
                return position
            for number, moves in enumerate(position.legal):
                if not moves:
                    raise SourceError(
                        f"{self.game.id}: {self.game.roles[number]} has no legal move in a "
                        "position that is not terminal",
                        help="gdl verify finds a play that leads there",
                    )
            position = self._advance(position)
        raise SourceError(f"{self.game.id}: {MOST_WAITING} plies in a row in which nobody is asked")

    def _advance(self, position: RulesPosition) -> RulesPosition:
        """Return what follows when every role has chosen, or has one move alone."""
        chosen = dict(position.chosen)
        joint = tuple(
            chosen[number] if number in chosen else moves[0]
            for number, moves in enumerate(position.legal)
        )
        machine = self._machine
        seen = position.seen
        if self.hides:
            seen = tuple(
                self._remembered(memory, joint[place], position.inner, joint, place)
                for place, memory in zip(self.players, seen, strict=True)
            )
        start = position.before if position.chosen else position
        return self._at(machine.successor(position.inner, joint), start, joint, seen)

    def _remembered(
        self,
        memory: int,
        move: Term,
        inner: Any,  # noqa: ANN401
        joint: JointMove,
        place: int,
    ) -> int:
        """Return the number of a memory with one more ply; waiting and seeing nothing adds none."""
        percepts = self._machine.percepts(inner, joint, self._machine.roles[place])
        if move == NOOP and not percepts:
            return memory
        return self._memories.setdefault((memory, move, percepts), len(self._memories) + 1)

    def _asked(self, position: RulesPosition) -> list[int]:
        """Return the places of the roles that still choose here, chance only after the players."""
        chosen = dict(position.chosen)
        open_places = [n for n, moves in enumerate(position.legal) if len(moves) > 1]
        if not open_places and not chosen:
            open_places = [
                n for n, moves in enumerate(position.legal) if moves and moves != (NOOP,)
            ]
        left = [n for n in open_places if n not in chosen]
        return [n for n in left if n != self.nature] or left

    def movers(self, position: RulesPosition) -> tuple[int, ...]:
        """Return who chooses here."""
        if position.is_terminal:
            return ()
        return tuple(
            CHANCE if place == self.nature else self.players.index(place)
            for place in self._asked(position)
        )

    def place(self, role: int) -> int:
        """Return the place of a role among those of the machine; chance is there too."""
        if role != CHANCE:
            return self.players[role]
        assert self.nature is not None
        return self.nature

    def legal(self, position: RulesPosition, role: int) -> Sequence[EngineMove]:
        """Return the legal moves of a role."""
        return position.legal[self.place(role)]

    def chances(self, position: RulesPosition) -> Mapping[EngineMove, float]:
        """Return the moves of ``random``, each as likely."""
        moves = self.legal(position, CHANCE)
        return dict.fromkeys(moves, 1 / len(moves))

    def play(self, position: RulesPosition, moves: Mapping[int, EngineMove]) -> RulesPosition:
        """Return what follows; roles that were not given choose later."""
        chosen = (*position.chosen, *((self.place(r), m) for r, m in moves.items()))
        before = position.before if position.chosen else position
        after = RulesPosition(
            position.inner,
            chosen,  # type: ignore[arg-type]  # moves of rules are terms
            before,
            position.joint,
            position.legal,
            is_terminal=False,
            seen=position.seen,
        )
        if self._asked(after):
            return after
        return self._settled(self._advance(after))

    def is_terminal(self, position: RulesPosition) -> bool:
        """Return whether play is over."""
        return position.is_terminal

    def returns(self, position: RulesPosition) -> tuple[float, ...]:
        """Return the goals.

        Raises:
            SourceError: The rules give a role no goal here, or several.
        """
        goals = []
        for number in self.players:
            values = self._machine.goals(position.inner, self._machine.roles[number])
            if len(values) != 1:
                role = self.game.roles[number]
                told = " and ".join(map(str, values)) or "no goal"
                raise SourceError(
                    f"{self.game.id}: the rules give {role} {told} where play is over",
                    help="gdl verify finds a play that leads there",
                )
            goals.append(float(values[0]))
        return tuple(goals)

    def text(self, position: RulesPosition, role: int, move: EngineMove) -> str:
        """Return a move in the ruleset's notation."""
        del position, role
        assert isinstance(move, Term)
        text = self._texts.get(move)
        if text is None:
            text = self._texts[move] = self.game.ruleset.notation.format(move)
        return text

    def observation(self, position: RulesPosition, role: int) -> Hashable | None:
        """Return what a role has done and seen so far; None where nothing is hidden."""
        return position.seen[role] if self.hides else None

    def state(self, position: RulesPosition) -> State:
        """Return the state, with the states that led there, for pictures and explanations."""
        joints: list[JointMove] = []
        walk: RulesPosition | None = position.before if position.chosen else position
        while walk is not None and walk.joint is not None:
            joints.append(walk.joint)
            walk = walk.before
        state = self.game.initial()
        for joint in reversed(joints):
            state = state.play(joint)
        return state

    def board(self, position: RulesPosition) -> Board:
        """Return the men, with their sites, and the lines; the facts where there is no picture."""
        facts, picture = self._machine.facts(position.inner), self.game.ruleset.picture
        if picture is None:
            return frozenset((fact, 1) for fact in facts)
        pieces, links, _ = place(picture, facts)
        return frozenset(
            ((site, number, piece.mark), int(piece.count) if piece.count.isdecimal() else 1)
            for site, on in pieces.items()
            for number, piece in enumerate(on)
        ) | {(link, 1) for link in links}

    def draw(self, position: RulesPosition) -> str:
        """Return the board picture, or the facts."""
        return str(self.state(position))
