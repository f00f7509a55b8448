"""One position on both sides, the step to the next one, and what differs.

In: a game and a `Reference`. Out: `Pair`s of positions that ought to be the same, and a
`Divergence` where they are not, with the play from which it can be seen again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from gdl.conform.reference import Reference
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.language.words import counted
from gdl.state import State

EMPTY_MARK: Final = "."
NOOP_TEXT: Final = "noop"

P = TypeVar("P")
M = TypeVar("M")
OnStep: TypeAlias = Callable[[P, M, P], None]
"""Told of each step: position before, move, position after."""


@dataclass(frozen=True, slots=True)
class Pair(Generic[P]):
    """The same position on both sides.

    Attributes:
        state: The rule file's state.
        position: The engine's position.
        moves: The moves from the start, in the ruleset's notation.
    """

    state: State
    position: P
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where the two sides part.

    Attributes:
        what: What was compared: ``legal moves of black``, ``terminal``, ``board`` ...
        rules: What the rule file says.
        reference: What the engine says.
        moves: The play from the start that leads there, in notation.
        board: The engine's board.
    """

    what: str
    rules: str
    reference: str
    moves: tuple[str, ...]
    board: str

    def __str__(self) -> str:
        """Return a report from which the difference can be seen again."""
        return "\n".join(
            (
                f"{self.what}: rules and reference differ after {counted(len(self.moves), 'move')}",
                f"  rules:     {_indented(self.rules)}",
                f"  reference: {_indented(self.reference)}",
                f"  moves:     {'; '.join(self.moves) or '(none)'}",
                "  board:",
                *(f"    {line}" for line in self.board.splitlines()),
            )
        )


def _indented(text: str) -> str:
    """Return a text that may have lines, such as a board, so that it stands below its label."""
    return text.replace("\n", "\n" + " " * 13) or "(nothing)"


@dataclass(frozen=True, slots=True)
class Lockstep(Generic[P, M]):
    """A game and an engine that claims to play the same.

    Attributes:
        game: The rule file's side.
        reference: The engine.
        on_step: Told of each move made on both sides, to count what occurred.
    """

    game: Game
    reference: Reference[P, M]
    on_step: OnStep[P, M] | None = None
    _texts: dict[Term, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def start(self) -> Pair[P]:
        """Return both initial positions."""
        return Pair(self.game.initial(), self.reference.initial())

    def reach(self, moves: Iterable[str]) -> Pair[P]:
        """Return both positions after moves in notation; nothing is compared on the way.

        Raises:
            GdlError: The rule file refuses a move.
            ValueError: The engine does.
        """
        pair = self.start()
        for text in moves:
            position = self.reference.play(pair.position, self.reference.parse(text))
            pair = Pair(pair.state.play(text), position, (*pair.moves, text))
        return pair

    def step(self, pair: Pair[P], move: M) -> Pair[P] | Divergence:
        """Make a legal move of the engine on both sides; a refusal is a difference."""
        text = self.reference.format(move)
        try:
            state = pair.state.play(text)
        except GdlError as error:
            what = f"answer to {text}"
            return self._divergence(pair, what, f"refused: {error.headline}", "legal")
        position = self.reference.play(pair.position, move)
        if self.on_step is not None:
            self.on_step(pair.position, move, position)
        return Pair(state, position, (*pair.moves, text))

    def attempt(self, pair: Pair[P], role: str, text: str) -> Pair[P] | Divergence | None:
        """Let a role try a move that may be illegal, on both sides.

        Roles other than ``role`` do what is right: wait, or make their first legal move.

        Returns:
            The next pair when both accept, None when both refuse, else the difference.
        """
        rules, state = self._attempt_by_rules(pair.state, role, text)
        engine, position = self._attempt_by_engine(pair.position, role, text)
        if state is not None and position is not None:
            return Pair(state, position, (*pair.moves, text))
        if state is None and position is None:
            return None
        return self._divergence(pair, f"answer to {text} by {role}", rules, engine)

    def _attempt_by_rules(self, state: State, role: str, text: str) -> tuple[str, State | None]:
        joint_move: dict[str, str | Term] = {}
        for other in self.game.roles:
            legal = state.legal(other)
            if other != role and legal:
                joint_move[other] = legal[0]
        try:
            return "accepted", state.play({**joint_move, role: text})
        except GdlError as error:
            return f"refused: {error.headline}", None

    def _attempt_by_engine(self, position: P, role: str, text: str) -> tuple[str, P | None]:
        try:
            move = self.reference.parse(text)
            return "accepted", self.reference.play(position, move, role)
        except ValueError as error:
            return f"refused: {error}", None

    def compare(self, pair: Pair[P]) -> Divergence | None:
        """Return the first thing that differs in a position, None when all agree.

        Compared are terminal, goals, the board where the ruleset has a picture, and in open
        positions whose turn it is and the legal moves of both roles, the waiting one's being
        exactly ``noop``.
        """
        for what, rules, expected in self._answers(pair.state, pair.position):
            if rules != expected:
                return self._divergence(pair, what, rules, expected)
        return None

    def _answers(self, state: State, position: P) -> Iterator[tuple[str, str, str]]:
        reference = self.reference
        yield "roles", " ".join(self.game.roles), " ".join(reference.roles)
        yield "terminal", str(state.is_terminal), str(reference.is_terminal(position))
        goals = reference.goals(position)
        for role in reference.roles:
            goals_of_role = self.game.machine.goals(state.inner, self.game.role(role))
            yield f"goals of {role}", _words(map(str, goals_of_role)), str(goals[role])
        yield from self._boards(state, position)
        mover = reference.to_move(position)
        if mover is None or state.is_terminal:
            return
        yield "roles to move", _words(state.movers), mover
        for role in reference.roles:
            texts = Counter(map(self._text, state.legal(role)))
            if role == mover:
                expected = Counter(map(reference.format, reference.legal_moves(position)))
            else:
                expected = Counter((NOOP_TEXT,))
            yield f"legal moves of {role}", *_contrast(texts, expected)

    def _boards(self, state: State, position: P) -> Iterator[tuple[str, str, str]]:
        picture, facts = self.game.ruleset.picture, state.facts
        board = self.game.ruleset.board(facts)
        if board is None or picture is None:
            return
        grid = "\n".join(
            "".join(EMPTY_MARK if mark is None else mark.title[0].upper() for mark in row)
            for row in board.cells
        )
        drawn = self.reference.draw(position).upper()
        yield "board", grid, drawn
        if picture.is_plain and not picture.blank:
            # A cell with two marks is drawn with one of them.
            marks = sum(len(line) - line.count(EMPTY_MARK) for line in drawn.splitlines())
            yield "number of marks", str(len(facts) - len(board.rest)), str(marks)

    def _text(self, move: Term) -> str:
        """Return a move in notation; each is written once and kept."""
        text = self._texts.get(move)
        if text is None:
            text = self._texts[move] = self.game.ruleset.notation.format(move)
        return text

    def _divergence(self, pair: Pair[P], what: str, rules: str, reference: str) -> Divergence:
        board = self.reference.draw(pair.position)
        return Divergence(what, rules, reference, pair.moves, board)


def _contrast(rules: Counter[str], expected: Counter[str]) -> tuple[str, str]:
    """Return both as text: nothing when equal, else what the other side lacks."""
    if rules == expected:
        return "", ""
    extra, missing = (rules - expected).elements(), (expected - rules).elements()
    return f"also {_words(extra) or 'nothing'}", f"also {_words(missing) or 'nothing'}"


def _words(items: Iterable[str]) -> str:
    return ", ".join(sorted(items))
