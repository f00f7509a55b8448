"""Moves of rules named by how far they lead, for engines that say a way where rules say a square.

In: rules as a source. Out: the same rules, whose moves have other names: ``(move b1 c 3)`` is
called ``(move b1 se 1)`` where ``(cell b 4 b1)`` says where it begins. The
square from which a move leads is that of a fact which is true of one square alone: of a word of the
move, of the mover, or of some other word (the hole among sliding tiles). Or a move that names one
square is called by what stands there: ``(slide b 2)`` is ``(slide 5)`` where ``(cell b 2 5)`` says
that this is tile 5. Which one, is a scheme; a scheme is of use where it has fewer names than the
rules have, and no two moves of a position have the same.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from gdl.conform.matching.matching import Matching
from gdl.conform.source import CHANCE, EngineMove, Position, Source
from gdl.conform.sources.merged import inner
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.language.terms import Compound, Constant, Term

POSITIONS: Final = 150
"""Positions of random play in which a scheme has to tell the moves apart."""
MOST_SCHEMES: Final = 3
"""Schemes that are of use, those with the fewest names first."""

WAYS: Final = (("w", "", "e"), ("s", "", "n"), ("d", "", "u"))
"""What ways along each of the coordinates are called."""
_PLACE: Final = re.compile(r"[a-z]|\d+")

_K = TypeVar("_K")
_V = TypeVar("_V")
Square: TypeAlias = tuple[Term, ...]
Owner: TypeAlias = tuple[str, Term | None]
"""A relation, and the word beside the square in its facts; None for the mover's name or a word of
the move."""


@dataclass(frozen=True)
class Scheme:
    """What the moves are called by.

    Attributes:
        owner: Whose square a move leads from.
        is_far: Whether it says how far, not only which way.
        is_turned: Whether ways are those that the mover sees: the second player sits opposite.
        is_man: Whether it says what stands on the square of a move instead, in facts of the owner's
            relation.
    """

    owner: Owner
    is_far: bool = False
    is_turned: bool = False
    is_man: bool = False

    @property
    def either_way(self) -> tuple[Scheme, ...]:
        """The scheme as it is, and as the mover sees the board, where it speaks of ways."""
        return (self,) if self.is_man else (self, replace(self, is_turned=True))


class Steps:
    """Rules as a source, whose moves are called by a scheme."""

    def __init__(self, source: Source, scheme: Scheme) -> None:
        """Rename the moves of rules."""
        self._source, self._scheme = source, scheme
        self._rules = cast("RulesSource", inner(source))
        self._last: tuple[Position, int, dict[EngineMove, EngineMove]] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # all else is as it was
        """Return what the source has."""
        return getattr(self._source, name)

    def as_source(self) -> Source:
        """Return this as what it is."""
        return cast("Source", self)

    def unnamed(self, matching: Matching) -> Matching:
        """Return a matching of these names as one of the moves themselves."""

        def key(position: Position, role: int, move: EngineMove) -> Hashable:
            return matching.ours(position, role, self.name_of(position, role, move))

        by = "what stands there" if self._scheme.is_man else "how far they lead"
        return Matching(
            matching.roles,
            key,
            matching.theirs,
            f"{matching.method}; ours named by {by}",
            doubt=matching.doubt,
            is_positional=True,
        )

    def _names(self, position: Position, role: int) -> dict[EngineMove, EngineMove]:
        """Return for each legal move of a role its name."""
        if self._last is None or self._last[0] is not position or self._last[1] != role:
            moves = self._source.legal(position, role)
            named: dict[EngineMove, EngineMove] = {move: move for move in moves}
            if role != CHANCE and isinstance(position, RulesPosition):
                stand = stand_of(self._rules, position)
                mover = role, Constant(self._rules.roles[role])
                named = {m: _renamed(m, stand, self._scheme, mover) for m in moves}
            self._last = position, role, named
        return self._last[2]

    def name_of(self, position: Position, role: int, move: EngineMove) -> EngineMove:
        """Return what a legal move is called."""
        return self._names(position, role).get(move, move)

    def legal(self, position: Position, role: int) -> Sequence[EngineMove]:
        """Return the names of the moves of a role."""
        return list(self._names(position, role).values())

    def chances(self, position: Position) -> Mapping[EngineMove, float]:
        """Return how likely outcomes are; these keep their names."""
        return self._source.chances(position)

    def play(self, position: Position, moves: Mapping[int, EngineMove]) -> Position:
        """Return what follows."""
        chosen = {}
        for role, name in moves.items():
            names = self._names(position, role)
            chosen[role] = next(move for move, own in names.items() if own == name)
        return self._source.play(position, chosen)

    def text(self, position: Position, role: int, move: EngineMove) -> str:
        """Return a name for people."""
        del position, role
        return str(move)


def schemes(source: Source, seed: int) -> list[Scheme]:
    """Return schemes of use for a source; none where it is no rules."""
    rules = inner(source)
    if not isinstance(rules, RulesSource):
        return []
    seen = list(_seen(source, seed))
    met = {(role, move) for _, role, moves in seen for move in moves}
    named = {Constant(role) for role in rules.roles} | {w for _, move in met for w in _words(move)}
    owners = dict.fromkeys(
        (relation, None if word in named else word)
        for stand, _, _ in seen
        for relation, word in stand.squares
    )
    men = dict.fromkeys(relation for stand, _, _ in seen for relation, _ in stand.men)
    ranked: list[tuple[int, int, Scheme]] = []
    # How far is said where the way alone tells too little.
    ways = [[Scheme(owner, is_far) for is_far in (False, True)] for owner in owners]
    for number, tried in enumerate([*ways, *([Scheme((name, None), is_man=True)] for name in men)]):
        for scheme in tried:
            names = _names_under(scheme, seen, rules.roles)
            if names is not None and len(names) < len(met):
                ranked.append((len(names), number, scheme))
                break
    return [scheme for _, _, scheme in sorted(ranked, key=lambda entry: entry[:2])[:MOST_SCHEMES]]


def _names_under(
    scheme: Scheme, seen: Sequence[Seen], roles: Sequence[str]
) -> set[tuple[int, EngineMove]] | None:
    """Return the names of moves under a scheme; None where two of a position have the same."""
    names: set[tuple[int, EngineMove]] = set()
    for stand, role, moves in seen:
        mover = role, Constant(roles[role])
        here = {_renamed(move, stand, scheme, mover) for move in moves}
        if len(here) < len(moves):
            return None
        names |= {(role, name) for name in here}
    return names


class Stand(NamedTuple):
    """What stands where.

    Attributes:
        squares: For a relation and a word beside it the one square of which its fact is true.
        men: For a relation and a square the one last word of its facts there.
    """

    squares: Mapping[tuple[str, Term], Square]
    men: Mapping[tuple[str, Square], Term]


Seen: TypeAlias = tuple[Stand, int, Sequence[EngineMove]]
"""Of a position of random play: what stands where, who moves, and the moves."""


def stand_of(rules: RulesSource, position: RulesPosition) -> Stand:
    """Return the squares of what stands on one square alone, and what stands alone on a square."""
    met: defaultdict[tuple[str, Term], list[Square]] = defaultdict(list)
    men: defaultdict[tuple[str, Square], list[Term]] = defaultdict(list)
    for fact in rules.game.machine.facts(position.inner):
        if isinstance(fact, Compound):
            square = tuple(arg for arg in fact.args if _is_place(arg))
            words = [arg for arg in fact.args if not _is_place(arg)]
            if square and len(words) == 1:
                met[fact.name, words[0]].append(square)
            if fact.args[1:] and all(map(_is_place, fact.args[:-1])):
                men[fact.name, fact.args[:-1]].append(fact.args[-1])
    return Stand(_single(met), _single(men))


def _single(met: Mapping[_K, Sequence[_V]]) -> dict[_K, _V]:
    return {key: values[0] for key, values in met.items() if len(values) == 1}


def _seen(source: Source, seed: int) -> Iterator[Seen]:
    """Yield positions of random play, once for each role that moves."""
    rules = cast("RulesSource", inner(source))
    rng = random.Random(f"{seed}/steps")  # noqa: S311  # chance for play, not for secrets
    position = source.initial()
    for _ in range(POSITIONS):
        if source.is_terminal(position):
            position = source.initial()
        movers = source.movers(position)
        legal_of = {role: source.legal(position, role) for role in movers}
        if not all(legal_of.values()):
            return
        for role, moves in legal_of.items():
            if role != CHANCE and isinstance(position, RulesPosition):
                yield stand_of(rules, position), role, moves
        choice = {role: rng.choice(moves) for role, moves in legal_of.items()}
        position = source.play(position, choice)


def _words(move: EngineMove) -> list[Term]:
    """Return the words of a move that are no part of a square."""
    return [arg for arg in move.args if not _is_place(arg)] if isinstance(move, Compound) else []


def _is_place(term: Hashable) -> bool:
    return isinstance(term, Constant) and _PLACE.fullmatch(term.name) is not None


def _renamed(move: EngineMove, stand: Stand, scheme: Scheme, mover: tuple[int, Term]) -> EngineMove:
    """Return the name of a move: the square to which it leads as seen from where it begins."""
    if not isinstance(move, Compound):
        return move
    relation, word = scheme.owner
    squares, ends = stand.squares, [arg for arg in move.args if _is_place(arg)]
    if scheme.is_man:
        man = stand.men.get((relation, tuple(ends)))
        return move if man is None else Compound(move.name, (man, *_words(move)))
    words = [mover[1], *_words(move)] if word is None else [word]
    begins = next((squares[relation, w] for w in words if (relation, w) in squares), None)
    if begins is None or not len(ends) == len(begins) <= len(WAYS):
        return move
    far = [_rank(end) - _rank(begin) for end, begin in zip(ends, begins, strict=True)]
    if scheme.is_turned and mover[0] % 2:
        far = [-distance for distance in far]
    parts = [arg for arg in move.args if not _is_place(arg)]
    way = [names[(n > 0) - (n < 0) + 1] for names, n in zip(WAYS, far, strict=False)]
    parts.append(Constant("".join(reversed(way)) or "stay"))
    if scheme.is_far:
        parts += [Constant(str(abs(distance))) for distance in far]
    return Compound(move.name, tuple(parts))


def _rank(place: Term) -> int:
    assert isinstance(place, Constant)
    return int(place.name) if place.name.isdecimal() else ord(place.name)
