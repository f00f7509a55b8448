"""A rule file against a reference engine, in lockstep.

In goes a game and a hand-written engine that claims to play the same; both make the
same moves, and in every state everything that can be seen is compared: whose turn it
is, the legal moves by notation, terminal, goals, and the board. Out comes how much was
compared, and the first `Difference` with the play that leads to it.

The engine is any object with the questions of `Reference`; nothing here imports one.

Source: ours; the practice is differential testing (McKeeman, "Differential Testing for
Software", 1998).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from gdl.game import Game, State
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term

EMPTY_MARK: Final = "."

P = TypeVar("P")
"""A position of the engine: hashable, immutable."""
M = TypeVar("M")
"""A move of the engine."""


class Reference(Protocol[P, M]):
    """A two-player engine in which one role chooses at a time; positions are immutable."""

    @property
    def roles(self) -> tuple[str, str]:
        """The roles, first mover first."""
        ...

    def initial(self) -> P:
        """Return the first position."""
        ...

    def to_move(self, position: P) -> str | None:
        """Return whose turn it is, None at the end."""
        ...

    def legal_moves(self, position: P) -> tuple[M, ...]:
        """Return the mover's legal moves."""
        ...

    def play(self, position: P, move: M, role: str | None = None) -> P:
        """Return the position after a move."""
        ...

    def is_terminal(self, position: P) -> bool:
        """Return whether the game is over."""
        ...

    def goals(self, position: P) -> dict[str, int]:
        """Return each role's goal."""
        ...

    def key(self, position: P) -> object:
        """Return a hashable value, equal for positions with the same future."""
        ...

    def parse(self, text: str) -> M:
        """Return the move that a notation text means."""
        ...

    def format(self, move: M) -> str:
        """Return a move in notation."""
        ...

    def draw(self, position: P) -> str:
        """Return the board, a line a row, a character a cell: the role's initial or a dot."""
        ...


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
class Difference:
    """Where the two sides part.

    Attributes:
        what: What was compared: ``legal moves``, ``terminal``, ``goals``, ``board`` ...
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
                f"{self.what} differ after {len(self.moves)} moves",
                f"  rules:     {self.rules}",
                f"  reference: {self.reference}",
                f"  moves:     {'; '.join(self.moves) or '(none)'}",
                *(f"  {line}" for line in self.board.splitlines()),
            )
        )


@dataclass(slots=True)
class Report:
    """How much was compared, and what was found.

    Attributes:
        states: States compared, repeated ones counted again.
        games: Games that were played to the end.
        difference: The first difference; None when there is none.
    """

    states: int = 0
    games: int = 0
    difference: Difference | None = None


def start(game: Game, reference: Reference[P, M]) -> Pair[P]:
    """Return both initial positions."""
    return Pair(game.initial(), reference.initial())


def step(reference: Reference[P, M], pair: Pair[P], move: M) -> Pair[P]:
    """Make a move of the engine on both sides.

    Raises:
        GdlError: The rule file refuses it.
    """
    text = reference.format(move)
    state = pair.state.play(text)
    return Pair(state, reference.play(pair.position, move), (*pair.moves, text))


def compare(reference: Reference[P, M], pair: Pair[P]) -> Difference | None:
    """Return the first thing that differs in a position, None when all agree.

    Compared are terminal, goals, the board where the ruleset has a picture, and in open
    positions whose turn it is and the legal moves of both roles.
    """
    state, position = pair.state, pair.position
    for what, rules, expected in _answers(state, reference, position):
        if rules != expected:
            return Difference(what, rules, expected, pair.moves, reference.draw(position))
    return None


def _answers(
    state: State, reference: Reference[P, M], position: P
) -> Iterator[tuple[str, str, str]]:
    yield "terminal", str(state.is_terminal), str(reference.is_terminal(position))
    for role in reference.roles:
        goals = state.game.machine.goals(state.inner, state.game.role(role))
        yield f"goals of {role}", _words(goals), _words([reference.goals(position)[role]])
    grid = draw_grid(state)
    if grid is not None:
        yield "board", grid, reference.draw(position).upper()
    mover = reference.to_move(position)
    if mover is None or state.is_terminal:
        return
    yield "roles to move", _words(state.movers), mover
    for role in reference.roles:
        texts = {_canonical(state, reference, move) for move in state.legal(role)}
        if role == mover:
            expected = {reference.format(move) for move in reference.legal_moves(position)}
            yield f"legal moves of {role}", *_contrast(texts, expected)
        else:
            yield f"legal moves of {role}", _words(texts), "noop"


def _canonical(state: State, reference: Reference[P, M], move: Term) -> str:
    # The engine's spelling of a move: both may write the same move a little differently.
    text = state.notation(move)
    try:
        return reference.format(reference.parse(text))
    except ValueError:
        return text


def _contrast(rules: set[str], expected: set[str]) -> tuple[str, str]:
    """Return both sets as text, in full when equal, else only what the other side lacks."""
    if rules == expected:
        return "", ""
    extra, missing = _words(rules - expected), _words(expected - rules)
    return f"also {extra or 'nothing'}", f"also {missing or 'nothing'}"


def _words(items: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, items)))


def draw_grid(state: State) -> str | None:
    """Return the board with the initial of each mark's title, as engines draw it; None without."""
    board = state.game.ruleset.board(state.facts)
    if board is None:
        return None
    return "\n".join(
        "".join(EMPTY_MARK if mark is None else mark.title[0].upper() for mark in row)
        for row in board.cells
    )


Chooser: TypeAlias = Callable[[Reference[P, M], P, random.Random], M]
"""Picks one of the engine's legal moves in a position."""


def choose_uniformly(reference: Reference[P, M], position: P, rng: random.Random) -> M:
    """Pick any legal move, each with the same chance."""
    return rng.choice(reference.legal_moves(position))


def random_game(
    reference: Reference[P, M],
    pair: Pair[P],
    rng: random.Random,
    report: Report,
    *,
    choose: Chooser[P, M] = choose_uniformly,
) -> Pair[P]:
    """Play one game to the end from a position, comparing every state on the way.

    Returns:
        The last pair; ``report`` has the counts and the difference that stopped it, if any.
    """
    while True:
        report.states += 1
        report.difference = compare(reference, pair)
        if report.difference is not None:
            return pair
        if reference.is_terminal(pair.position):
            report.games += 1
            return pair
        following = try_step(reference, pair, choose(reference, pair.position, rng))
        if isinstance(following, Difference):
            report.difference = following
            return pair
        pair = following


def try_step(reference: Reference[P, M], pair: Pair[P], move: M) -> Pair[P] | Difference:
    """Make a move on both sides; a refusal by the rule file is a difference."""
    try:
        return step(reference, pair, move)
    except GdlError as error:
        return Difference(
            f"answers to {reference.format(move)}",
            str(error).splitlines()[0],
            "legal",
            pair.moves,
            reference.draw(pair.position),
        )


def random_games(  # noqa: PLR0913  # each keyword is one knob of one loop
    game: Game,
    reference: Reference[P, M],
    n: int,
    *,
    seed: int = 0,
    choose: Chooser[P, M] = choose_uniformly,
    on_game: Callable[[Report], None] | None = None,
) -> Report:
    """Compare on ``n`` random games from the start to the end; stops at a difference.

    Game number ``i`` depends on ``(seed, i)`` alone.

    Args:
        game: The rule file's side.
        reference: The engine.
        n: Number of games.
        seed: Makes the run repeatable.
        choose: How a move is chosen, uniformly by default.
        on_game: Called after each game, for progress.
    """
    report = Report()
    for i in range(n):
        rng = random.Random(f"{seed}/{i}")  # noqa: S311  # chance for play, not for secrets
        random_game(reference, start(game, reference), rng, report, choose=choose)
        if report.difference is not None:
            break
        if on_game is not None:
            on_game(report)
    return report


def every_state(
    game: Game,
    reference: Reference[P, M],
    depth: int,
    *,
    on_state: Callable[[Report], None] | None = None,
) -> Report:
    """Compare on every position that up to ``depth`` moves reach, each once.

    Positions are told apart by both sides' own notion of sameness: when these differ, both
    are visited. Cost: one comparison and one expansion for each distinct position.
    """
    report = Report()
    level = {_key(reference, pair): pair for pair in [start(game, reference)]}
    for remaining in range(depth, -1, -1):
        following: dict[object, Pair[P]] = {}
        for pair in level.values():
            report.states += 1
            report.difference = compare(reference, pair)
            if on_state is not None:
                on_state(report)
            if report.difference is not None:
                return report
            if remaining == 0 or reference.is_terminal(pair.position):
                continue
            for move in reference.legal_moves(pair.position):
                child = try_step(reference, pair, move)
                if isinstance(child, Difference):
                    report.difference = child
                    return report
                following.setdefault(_key(reference, child), child)
        level = following
    return report


def _key(reference: Reference[P, M], pair: Pair[P]) -> object:
    return reference.key(pair.position), pair.state
