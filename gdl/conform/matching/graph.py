"""Places of a board matched by the steps between them, however they are numbered.

In: the moves that play met on both sides. Out: matchings. A move is a row of places, each of one
word or of several (``a5-c5``, ``("go", 1, 2)``, ``("hand", "d2")``), or one number that is made of
them; the moves of a kind are a relation of places, and the relations of both sides have to be the
same but for the names of places. So points that are numbered ring by ring, or in no order at all,
are found where pieces step from point to point, and what was met names the places of moves that
were not met as well.

A few men may fly where all others step: their moves are met seldom, one by one, and are never all
seen. So beside the whole of a relation its core is tried, which is what was met far more often
than the rest.

What is the same but for names may be so in several ways; play says which is right. Where there are
more than can be tried, none is: games under a wrong one would be false alarms. Relations that were
not met whole, or that a bug of the engine changes, match in none.

Most programs number the places of a board that is no rectangle row by row, or column by column, and
leave out what is none: the points of a star, the holes of a cross. These are tried, too, from
either end, whatever of them was met.

Source: colour refinement and individualisation, as for isomorphism of graphs (McKay, Piperno,
"Practical graph isomorphism, II", 2014).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise, permutations, product
from operator import eq
from typing import Final, TypeAlias

from gdl.adapters.propositions import UnlistedError, propositions
from gdl.conform.matching.columns import shape_of
from gdl.conform.matching.matching import Key, Matching, Unmet
from gdl.conform.matching.sample import Rows
from gdl.conform.matching.tokens import Word, Words
from gdl.conform.source import CHANCE, EngineMove, Position
from gdl.conform.sources.merged import inner
from gdl.conform.sources.rules import RulesSource

Place: TypeAlias = Words
Colours: TypeAlias = dict[Place, int]
Naming: TypeAlias = dict[Place, Place]
"""For each place of ours the one of theirs."""
Named: TypeAlias = tuple[Naming, tuple[Hashable, ...]]
"""Names of places, and for each kind of our moves the one of theirs."""
Read: TypeAlias = tuple[Hashable, tuple[Place, ...]]
"""The kind of a move, and its places."""
Form: TypeAlias = Callable[[Words], "Read | None"]
"""How a move is read so; None for one that is of no kind."""

WIDEST: Final = 3
"""Words that name one place, at most."""
MOST_MOVES: Final = 3_000
"""Moves of a side that are looked at, at most."""
MOST_KINDS: Final = WIDEST + 1
"""Kinds of moves, at most: there are as many orders as their factorial."""
MOST_WAYS: Final = 48
"""Ways to name places that are tried, at most."""
HALF: Final = 0.5
"""The part of the places that has to be met on either side, at least."""
MOST_CHOICES: Final = 300
"""Choices of a partner in one search, at most."""
FAR_MORE: Final = 2.0
"""How many times as often the last move of a core was met as the first one behind it, at least."""
BASES: Final = (8, 10, 16, 32, 64, 100, 128, 256, 1_000)
"""What a first place may be multiplied by in a number, beside how many places there are."""
METHOD: Final = "places of the board by the steps between them"
IN_ROWS: Final = "places of the board numbered one row or column after another"


class TooSymmetricError(Exception):
    """There are more ways to name places than can be tried."""


@dataclass(frozen=True, eq=False)
class _Board:
    """The moves of one side as relations of places.

    Attributes:
        form: How a move is read.
        kinds: The kind of each relation.
        relations: For each kind of moves its rows of places.
        listed: Places that there are, met or not, where rules or numbers say so.
    """

    form: Form
    kinds: tuple[Hashable, ...]
    relations: tuple[frozenset[tuple[Place, ...]], ...]
    listed: frozenset[Place] = frozenset()

    @property
    def places(self) -> list[Place]:
        """All places, in order."""
        return sorted({p for relation in self.relations for row in relation for p in row}, key=repr)

    @property
    def every(self) -> list[Place]:
        """The same with those that were not met."""
        return sorted({*self.places, *self.listed}, key=repr)

    def shape(self, number: int) -> tuple[int, int]:
        """Return how many places a row of a relation has, and how many rows there are."""
        relation = self.relations[number]
        return len(next(iter(relation))), len(relation)


def by_steps_between(
    mine: Rows, yours: Rows, order: tuple[int, ...], chance: tuple[Key, Key]
) -> Iterator[Matching]:
    """Yield matchings, way after way.

    Args:
        mine: Our moves.
        yours: Theirs.
        order: For each of our roles, theirs.
        chance: The keys of outcomes of chance of either side.
    """
    tried: set[tuple[Hashable, ...]] = set()
    moves = _listed(mine)
    for met in _boards(mine):
        read = filter(None, map(met.form, moves))
        left = replace(met, listed=frozenset(place for _, places in read for place in places))
        for right in (*_boards(yours), *_of_numbers(yours, left)):
            partners = {right.form(row): row for row in yours.every}
            ways = chain(
                ((METHOD, *named) for named in _by_graph(left, right)),
                ((IN_ROWS, *named) for named in _in_rows(left, right)),
            )
            for method, naming, kinds in ways:
                named = _named(left, naming, dict(zip(left.kinds, kinds, strict=True)))
                pairs = tuple(partners.get(named(row)) for row in mine.every)
                if pairs not in tried:
                    tried.add(pairs)
                    yield _matching((mine, yours), (named, right.form), order, chance, method)


def _listed(rows: Rows) -> list[Words]:
    """Return the moves that rules list, as they are read here; none of what lists none."""
    rules = inner(rows.source)
    if not isinstance(rules, RulesSource):
        return []
    try:
        moves = propositions(rules.game).moves
    except UnlistedError:
        return []
    return list({rows.reader(rules, None, 0, move) for role in moves for move in role})


def _by_graph(left: _Board, right: _Board) -> Sequence[Named]:
    """Return the names of places under which both boards are the same; none where too many are."""
    if len(left.places) != len(right.places):
        return ()
    try:
        namings = list(islice(_namings(left, right), MOST_WAYS + 1))
    except TooSymmetricError:
        return ()
    # the right one may be among those that would not be tried
    return () if len(namings) > MOST_WAYS else namings


def _in_rows(left: _Board, right: _Board) -> Iterator[Named]:
    """Yield the names of places that are numbered row by row, or column by column.

    Where some were not met they are counted from 0 or from 1.
    """
    mine, yours = left.every, right.every
    numbers = [place[0] for place in yours if len(place) == 1 and isinstance(place[0], int)]
    width = len(mine[0]) if mine else 0
    if not 2 <= width <= WIDEST or len(numbers) < len(yours):  # noqa: PLR2004  # rows and columns
        return
    counted = [c for c in _counted(set(numbers), len(mine)) if c[-1] - c[0] == len(mine) - 1]
    ranks = [
        {word: n for n, word in enumerate(sorted({place[k] for place in mine}, key=_rank))}
        for k in range(width)
    ]
    kinds = list(_orders(left, right, lambda ours, theirs: ours[0] == theirs[0]))
    for columns, signs in product(permutations(range(width)), product((1, -1), repeat=width)):

        def at(place: Place) -> list[int]:
            return [sign * ranks[k][place[k]] for k, sign in zip(columns, signs, strict=True)]  # noqa: B023  # called at once

        in_order = sorted(mine, key=at)
        for kinds_of_rows, names in product(kinds, counted):
            naming: Naming = {place: (name,) for place, name in zip(in_order, names, strict=True)}
            yield naming, tuple(right.kinds[kind] for kind in kinds_of_rows)


def _rank(word: Word) -> tuple[bool, Word]:
    return isinstance(word, str), word


def _named(board: _Board, naming: Naming, kind_of: Mapping[Hashable, Hashable]) -> Form:
    """Return how a move of ours is read in their kinds and places."""

    def named(row: Words) -> Read | None:
        read = board.form(row)
        if read is None or read[0] not in kind_of or any(p not in naming for p in read[1]):
            return None
        return kind_of[read[0]], tuple(naming[place] for place in read[1])

    return named


def _matching(
    sides: tuple[Rows, Rows],
    forms: tuple[Form, Form],
    order: tuple[int, ...],
    chance: tuple[Key, Key],
    method: str,
) -> Matching:
    """Return the matching of moves that are read alike."""

    def key_of(side: int, row: Words, move: EngineMove) -> Hashable:
        return forms[side](row) or Unmet((side, move))

    def key(side: int) -> Key:
        rows = sides[side]

        def of(position: Position, role: int, move: EngineMove) -> Hashable:
            if role == CHANCE:
                return chance[side](position, role, move)
            return key_of(side, rows.reader(rows.source, position, role, move), move)

        return of

    def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
        rows = sides[side]
        moves, numbers = rows.moves.get(role, ((), ()))
        met = zip(moves, numbers, strict=True)
        return {move: key_of(side, rows.every[int(n)], move) for move, n in met}

    is_static = all(rows.is_static for rows in sides)
    return Matching(order, key(0), key(1), method, is_static=is_static, met_keys=met_keys)


def _boards(rows: Rows) -> Iterator[_Board]:
    """Yield ways to read the moves of a side as rows of places."""
    if not 0 < len(rows.every) <= MOST_MOVES:
        return
    for shape, width in product(_shapes(rows), range(1, WIDEST + 1)):
        columns = _columns(rows.every, shape)
        if not any(len(column) % width for column in columns.values()):
            yield from _read_by(rows, _form(shape, columns, width))


def _shapes(rows: Rows) -> Iterator[Callable[[Words], Hashable]]:
    """Yield ways to tell kinds of moves: by long words, none, some alone, or a number for each."""
    yield lambda row: shape_of(row, by_kind=True)
    if len(rows.kinds[False]) < len(rows.kinds[True]):
        yield lambda row: shape_of(row, by_kind=False)
    labels = _labels(rows)
    if labels:
        yield lambda row: (
            shape_of(row, by_kind=False),
            *(word if (n, word) in labels else None for n, word in enumerate(row)),
        )
    if min(map(len, rows.every), default=0) > 1:  # a place beside the word that says the kind
        for at in (0, -1):
            lengths = {(row[at], len(row)) for row in rows.every}
            if 1 < len(dict(lengths)) == len(lengths) <= MOST_KINDS:
                yield partial(_by_word, at)


def _by_word(at: int, row: Words) -> Hashable:
    """Return the kind of a move that one of its words names: 0 to put a man, 1 to move one."""
    return (shape_of(row, by_kind=False), row[at]) if row else None


def _labels(rows: Rows) -> set[tuple[int, Word]]:
    """Return words that stand at one place of a move alone, where others do at several.

    In ``("hand", "d2")`` and ``("d2", "d3")`` the hand is no point of the board.
    """
    labels = set()
    for kind in rows.kinds[False]:
        met = Counter(word for values in kind.values for word in values)
        if max(met.values(), default=0) > 1:
            for column, values in zip(kind.columns, kind.values, strict=True):
                labels |= {(column, word) for word in values if met[word] == 1}
    return labels


def _columns(
    every: Sequence[Words], shape: Callable[[Words], Hashable]
) -> dict[Hashable, list[int]]:
    """Return where the moves of each kind have a word that varies."""
    met: defaultdict[Hashable, list[Words]] = defaultdict(list)
    for row in every:
        met[shape(row)].append(row)
    return {
        kind: [n for n, words in enumerate(zip(*rows, strict=True)) if len(set(words)) > 1]
        for kind, rows in met.items()
    }


def _form(
    shape: Callable[[Words], Hashable], columns: Mapping[Hashable, Sequence[int]], width: int
) -> Form:
    def form(row: Words) -> Read | None:
        at = columns.get(kind := shape(row))
        if at is None:
            return None
        words = [row[column] for column in at]
        return kind, tuple(tuple(words[n : n + width]) for n in range(0, len(words), width))

    return form


def _read_by(rows: Rows, form: Form) -> Iterator[_Board]:
    """Yield the board that moves read so are, and that of the cores of its relations."""
    met: defaultdict[Hashable, Counter[tuple[Place, ...]]] = defaultdict(Counter)
    for row in rows.every:
        if (read := form(row)) is not None:
            met[read[0]][read[1]] += rows.often[row]
    whole = _Board(form, tuple(met), tuple(map(frozenset, met.values())))
    cores = _Board(form, tuple(met), tuple(map(_core, met.values())))
    for board in (whole, cores) if cores.relations != whole.relations else (whole,):
        if any(board.shape(n)[0] > 1 for n in range(len(board.relations))):
            yield board  # else there are no steps between places: nothing tells these apart


def _core(met: Counter[tuple[Place, ...]]) -> frozenset[tuple[Place, ...]]:
    """Return what was met far more often than the rest, all where nothing was."""
    ranked = met.most_common()
    falls = [a / b for (_, a), (_, b) in pairwise(ranked)]
    steepest = max(range(len(falls)), key=falls.__getitem__, default=0)
    if not falls or falls[steepest] < FAR_MORE:
        return frozenset(met)
    return frozenset(row for row, _ in ranked[: steepest + 1])


def _of_numbers(rows: Rows, board: _Board) -> Iterator[_Board]:
    """Yield ways to read moves that are bare numbers as those of a board, one sort after another.

    All but one sort name one place each: numbers in a row. The others are a first place, times a
    base, and a second one, from some number on. What names no place (a pass) is before or behind
    all.
    """
    numbers = sorted(row[0] for row in rows.every if len(row) == 1 and isinstance(row[0], int))
    shapes = [board.shape(n) for n in range(len(board.relations))]
    widths = Counter(width for width, _ in shapes)
    count = len(board.every)
    is_whole = all(length == count for width, length in shapes if width == 1)
    if len(numbers) < len(rows.every) or not is_whole or widths[2] != 1 or max(widths) > 2:  # noqa: PLR2004
        return
    single, alone = widths[1], widths[0]
    for cut, before in product({0, len(numbers) - alone}, range(single + 1)):
        apart, listed = numbers[cut : cut + alone], numbers[:cut] + numbers[cut + alone :]
        behind = single - before
        at = [count * n for n in range(before + 1)]
        at += [len(listed) - count * n for n in range(behind, -1, -1)]
        parts = [listed[a:b] for a, b in pairwise(at)]
        steps = parts[before] if at == sorted(at) else []
        if not steps:
            continue
        last = parts[before - 1][-1] if before else -1
        for base in sorted({count, count + 1, *(base for base in BASES if base > count)}):
            rounded = {steps[0] // ten * ten for ten in (base, 10, 100, 1_000, 10_000)}
            for first in sorted({0, last + 1, *rounded}):
                read = [divmod(number - first, base) for number in steps if number >= first]
                for names in _counted({place for pair in read for place in pair}, count):
                    form = _beside(_digits(parts, before, (first, base), names), apart)
                    places = frozenset((name,) for name in names)
                    yield from (replace(listing, listed=places) for listing in _read_by(rows, form))


def _counted(met: set[int], count: int) -> Iterator[Sequence[int]]:
    """Yield the numbers of so many places of which these were met: all, or counted from 0 or 1."""
    if len(met) == count:
        yield sorted(met)
    elif HALF * count < len(met) < count:
        for first in (0, 1):
            if first <= min(met) and max(met) - first < count:
                yield range(first, first + count)


def _beside(form: Form, apart: Sequence[int]) -> Form:
    """Return a form that reads these numbers as moves without a place, each of its own kind."""

    def read(row: Words) -> Read | None:
        return (("apart", row), ()) if row[0] in apart else form(row)

    return read


def _digits(
    parts: Sequence[Sequence[int]], double: int, counted: tuple[int, int], names: Sequence[int]
) -> Form:
    """Return how numbers are read of which some are two places, and others name one."""
    single = {
        number: (part, names[place])
        for part, of_part in enumerate(parts)
        if part != double
        for place, number in enumerate(of_part)
    }
    first, base = counted
    named = set(names)

    def form(row: Words) -> Read | None:
        (number,) = row
        assert isinstance(number, int)
        if number in single:
            part, place = single[number]
            return part, ((place,),)
        places = divmod(number - first, base)
        return (double, ((places[0],), (places[1],))) if named.issuperset(places) else None

    return form


def _namings(left: _Board, right: _Board) -> Iterator[tuple[Naming, tuple[Hashable, ...]]]:
    """Yield names of places under which both boards are the same, and the kind of each relation."""
    for kinds in _orders(left, right, eq):
        ordered = _Board(
            right.form,
            tuple(right.kinds[kind] for kind in kinds),
            tuple(right.relations[kind] for kind in kinds),
        )
        search = _Isomorphisms(left, ordered)
        for naming in search.ways(dict.fromkeys(left.places, 0), dict.fromkeys(right.places, 0)):
            yield naming, ordered.kinds


def _orders(
    left: _Board, right: _Board, are_alike: Callable[[tuple[int, int], tuple[int, int]], bool]
) -> Iterator[tuple[int, ...]]:
    """Yield which relation of the other each of ours may be; nothing where there are many.

    There are as many orders as the factorial of their number, so that is looked at before.
    """
    count = len(left.relations)
    if count != len(right.relations) or count > MOST_KINDS:
        return
    for kinds in permutations(range(count)):
        if all(are_alike(left.shape(n), right.shape(kind)) for n, kind in enumerate(kinds)):
            yield kinds


class _Isomorphisms:
    """A search for the ways to name the places of one board as those of another."""

    def __init__(self, left: _Board, right: _Board) -> None:
        self._boards, self._choices = (left, right), 0

    def ways(self, ours: Colours, theirs: Colours) -> Iterator[Naming]:
        """Yield all under which places of a colour stand for places of that colour.

        Raises:
            TooSymmetricError: There are too many to look at.
        """
        refined = self._refined(ours, theirs)
        if refined is None:
            return
        ours, theirs = refined
        classes: defaultdict[int, tuple[list[Place], list[Place]]]
        classes = defaultdict(lambda: ([], []))
        for side, colours in enumerate(refined):
            for place, colour in colours.items():
                classes[colour][side].append(place)
        open_ = [both for both in classes.values() if len(both[0]) > 1]
        if not open_:
            naming = {both[0][0]: both[1][0] for both in classes.values()}
            if self._is_same(naming):
                yield naming
            return
        mine, yours = min(open_, key=lambda both: len(both[0]))
        for partner in yours:
            self._choices += 1
            if self._choices > MOST_CHOICES:
                raise TooSymmetricError
            yield from self.ways({**ours, mine[0]: -1}, {**theirs, partner: -1})

    def _refined(self, *colours: Colours) -> tuple[Colours, Colours] | None:
        """Return the coarsest finer colours that neighbours agree with; None where sides differ."""
        ours, theirs = colours
        count = len(set(ours.values()))
        while True:
            signed = self._signed(0, ours), self._signed(1, theirs)
            if Counter(signed[0].values()) != Counter(signed[1].values()):
                return None
            # numbered in the order of our side, so that equal colours are equal on both
            numbers: dict[Hashable, int] = {}
            for signature in signed[0].values():
                numbers.setdefault(signature, len(numbers))
            ours, theirs = (
                {place: numbers[signature] for place, signature in signatures.items()}
                for signatures in signed
            )
            if len(numbers) == count:
                return ours, theirs
            count = len(numbers)

    def _signed(self, side: int, colours: Colours) -> dict[Place, Hashable]:
        """Return for each place its colour, and those of the rows that it is in."""
        rows: dict[Place, Counter[Hashable]] = {place: Counter() for place in colours}
        for number, relation in enumerate(self._boards[side].relations):
            for row in relation:
                of = tuple(colours[place] for place in row)
                for at, place in enumerate(row):
                    rows[place][number, at, of] += 1
        return {place: (colours[place], frozenset(rows[place].items())) for place in colours}

    def _is_same(self, naming: Naming) -> bool:
        left, right = self._boards
        return all(
            tuple(naming[place] for place in row) in relation
            for mine, relation in zip(left.relations, right.relations, strict=True)
            for row in mine
        )
