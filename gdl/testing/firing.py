"""Which rules fired in tests, and which moves were legal and made there.

In: a game run by the rules as written, and the positions and moves of its tests. Out: the rules
that no test exercised, by `gdl.conform.coverage`, clause by clause: a body with ``or`` is as many
rules as it has ways to hold; and the moves of which no test came to a position that allows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from gdl.conform.coverage import Coverage, CoveredRule
from gdl.game import Game
from gdl.language.dependencies import INPUT, LEGAL
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Compound, Signature, Term, Variable, arguments, signature
from gdl.machine import JointMove
from gdl.state import State


def place_of(rule: CoveredRule) -> str:
    """Return where a rule stands in short, ``board.kif:41``; ``a rule`` where that is not known."""
    if not rule.place:
        return "a rule"
    path, line, _ = rule.place.rsplit(":", 2)
    return f"{PurePath(path).name}:{line}"


class Firing:
    """The rules of one game, and which fired.

    Attributes:
        game: The game.
        coverage: How often each fired.
        legal: Moves that were legal in a position of a test.
        played: Those of them that a test made.
    """

    def __init__(self, game: Game) -> None:
        """Count from nothing."""
        self.game = game
        self.coverage = Coverage(game)
        self.legal: set[Term] = set()
        self.played: set[Term] = set()
        self._seen: set[tuple[State, JointMove]] = set()

    def note(self, state: State, joint: JointMove = ()) -> None:
        """Count the rules that fire in a state, and after the moves that are made there."""
        if (state, joint) not in self._seen:
            self._seen.add((state, joint))
            self.coverage.note(state.inner, joint)
            if not state.is_terminal:
                self.legal.update(*map(state.legal, self.game.roles))
            self.played.update(joint)

    @property
    def left(self) -> tuple[CoveredRule, ...]:
        """The rules that fired in no test of this game."""
        return self.coverage.left


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The rules of one file, in whatever games they play.

    Attributes:
        path: The file; empty for rules that come from none.
        total: How many rules with a body it has.
        left: Those that fired in no test of any game.
    """

    path: str
    total: int
    left: tuple[CoveredRule, ...]


def by_file(firings: Iterable[Firing]) -> list[FileCoverage]:
    """Return for each file which of its rules fired in the tests of all games together.

    A variant shares files with its base: a rule that fired in one of them is exercised.
    """
    rules: dict[str, dict[tuple[str, str], CoveredRule]] = {}
    fired: set[tuple[str, str]] = set()
    for firing in firings:
        for rule in firing.coverage.rules:
            key = rule.place, rule.text
            rules.setdefault(rule.place.rsplit(":", 2)[0], {}).setdefault(key, rule)
            if firing.coverage.counts[rule.number]:
                fired.add(key)
    return [
        FileCoverage(path, len(those), tuple(r for key, r in those.items() if key not in fired))
        for path, those in rules.items()
    ]


@dataclass(frozen=True, slots=True)
class MoveCoverage:
    """The moves of a family of games: a ruleset, its variants and sizes.

    Attributes:
        family: Its name, ``chess`` for ``chess/gardner``; of a file the file.
        listed: What ``input`` lists; empty where it lists nothing.
        legal: Moves that were legal in a position of a test.
        played: Moves that a test made.
        unmade: Kinds of moves, by word and arguments, of which no test made one.
    """

    family: str
    listed: frozenset[Term]
    legal: frozenset[Term]
    played: frozenset[Term]
    unmade: tuple[Signature, ...]

    @property
    def never(self) -> frozenset[Term]:
        """Moves that are listed and were legal in no test."""
        return self.listed - self.legal


def moves_by_family(firings: Iterable[Firing]) -> list[MoveCoverage]:
    """Return which moves were legal, and made, in the tests of all games of a family together."""
    families: dict[str, list[Firing]] = {}
    for firing in firings:
        name = firing.game.id.partition("?")[0]
        families.setdefault(name.rpartition("/")[0] or name, []).append(firing)
    return [_moves_of(family, those) for family, those in families.items()]


def _moves_of(family: str, firings: Sequence[Firing]) -> MoveCoverage:
    legal = frozenset().union(*(firing.legal for firing in firings))
    played = frozenset().union(*(firing.played for firing in firings))
    named = (move for firing in firings for move in _named(firing.game))
    kinds = {*_kinds(named), *_kinds(legal)} - _kinds(played)
    listed = frozenset().union(*(_listed(firing.game) for firing in firings))
    return MoveCoverage(family, listed, legal, played, tuple(sorted(kinds)))


def _kinds(moves: Iterable[Term]) -> set[Signature]:
    return {signature(move) for move in moves if not isinstance(move, Variable)}


def _named(game: Game) -> Iterator[Term]:
    """Yield the moves of which rules say when they are legal, with their variables."""
    for clause in game.ruleset.checked(game.limits).played:
        if signature(clause.head) in (LEGAL, INPUT):
            yield arguments(clause.head)[1]


def _listed(game: Game) -> set[Term]:
    """Return the moves that ``input`` lists; none where it has no rules, or no one meaning."""
    query = Compound(INPUT.name, (Variable("role"), Variable("move")))
    reasoner = game.reasoner
    try:
        answers = reasoner.instances(reasoner.initial(), query)
    except GdlError:
        return set()
    return {arguments(answer)[1] for answer in answers}
