"""Ways to read the words of moves of two sides alike, the plainest first.

In: the moves that were seen of either side, read by each of its readers. Out: matchings, lazily,
most of which do not even fit the first position.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice, permutations, product
from typing import Final, TypeAlias

import numpy as np

from gdl.conform.conventions import PASS_LEFT_OUT, WHOLE_TURNS
from gdl.conform.matching.columns import (
    MOST_READINGS,
    NONE,
    Kind,
    Reading,
    are_as_many,
    are_told,
    in_ranges,
    partners,
    readings,
    shape_of,
)
from gdl.conform.matching.directions import READERS, of_middle
from gdl.conform.matching.matching import Key, Matching, Unmet, by_moves
from gdl.conform.matching.outcomes import OutcomeKeys, outcome_keys
from gdl.conform.matching.race import Race
from gdl.conform.matching.sample import Rows
from gdl.conform.matching.synonyms import by_synonyms
from gdl.conform.matching.tokens import (
    Reader,
    Word,
    Words,
    in_digits,
    last_apart,
    of_kif,
    of_letters,
    of_number,
    of_signed,
    of_text,
    of_value,
)
from gdl.conform.source import CHANCE, EngineMove, Position, Source

TRIED: Final = 40_000
"""Candidates that are held against the first position."""
MOST_DIRECTED: Final = 1_000
"""Ways to read a square and a way as some of their words, at most: many orders of the ways fit."""
OURS: Final[tuple[tuple[str, Reader], ...]] = (("notation", of_text), ("KIF", of_kif))
THEIRS: Final[tuple[tuple[str, Reader], ...]] = (
    ("text", of_text),
    ("numbers", of_number),
    ("values", of_value),
    ("letters", of_letters),
    ("text with signs", of_signed),
)


def role_orders(ours: Source, theirs: Source) -> list[tuple[int, ...]]:
    """Return ways to match the roles: by their names, where these are the same.

    Names that do not even say alike who begins are only names: in one engine red begins, in
    another one yellow.
    """
    orders = list(permutations(range(len(ours.roles))))
    if set(ours.roles) != set(theirs.roles):
        return orders
    named = tuple(map(theirs.roles.index, ours.roles))
    first, other = ours.movers(ours.initial()), theirs.movers(theirs.initial())
    is_one = len(first) == len(other) == 1 and CHANCE not in (*first, *other)
    if not is_one or named[first[0]] == other[0]:
        return [named]
    return [named, *(order for order in orders if order != named)]


OnStage: TypeAlias = Callable[[str], None]
"""Told of what is done."""
Seen: TypeAlias = tuple[tuple[Rows, ...], tuple[Rows, ...]]
"""The moves that were seen of either side, for each of its readers."""


def candidates(
    race: Race, seen: Seen, on_stage: OnStage, *, is_any: bool, tried: int = TRIED
) -> Iterator[Matching]:
    """Yield ways to name moves that fit the first position, the plainest first."""
    before = race.count
    for number, matching in enumerate(islice(ways(race, seen, is_any=is_any), tried)):
        if number % 500 == 0:
            count = race.count - before
            on_stage(f"matching moves: {count} of {number} ways to read them fit at first")
        if matching is not None and race.fits(matching):
            yield matching


def ways(
    race: Race, seen: Seen, *, is_any: bool, most_outcomes: int | None = None
) -> Iterator[Matching | None]:
    """Yield ways to name moves, None for one that cannot fit the first position."""
    left, right = seen
    orders = role_orders(race.ours, race.theirs)
    for mine, order in product(left, orders):
        plain = _plain(race.ours, mine.reader), _plain(race.theirs, of_text)
        static = mine.is_static and right[0].is_static
        yield Matching(
            order, *plain, "the same text", is_static=static, is_verbatim=True, is_told=True
        )
    yield from _in_order(left[0], right, orders)
    yield from _by_synonyms(left[0], right, orders)
    numbers = [*_last_apart(right[1]), *(_in_digits(right[1], left) if is_any else ())]
    numbers += [middle for rows in dict.fromkeys(right) for middle in _in_the_middle(rows)]
    mine_read = [(rows, name, False) for rows, (name, _) in zip(left, OURS, strict=True)]
    for (mine, name, directed), (yours, (text, _)) in product(
        [*mine_read, *_by_directions(left[1])], [*zip(right, THEIRS, strict=False), *numbers]
    ):
        if yours.is_empty or _is_read_before(yours, right):
            continue
        method = f"{name} read as {text}: the same words in other places or orders"
        first = _First(race, mine, yours)
        tried: set[Hashable] = set()
        outcomes = list(enumerate(outcome_keys(mine, right)[:most_outcomes]))
        for order, (kinds_, by_kind) in product(orders, _tellings(mine, yours, is_any=is_any)):
            most = MOST_DIRECTED if directed else MOST_READINGS
            for pair in readings(*kinds_, by_kind=by_kind, is_any=is_any, most=most):
                reading = _Read(mine, yours, pair, kinds_)
                may_fit = first.may_fit(reading, order)
                for number, chance in outcomes:
                    identity = order, number, reading.partners.tobytes()
                    if identity not in tried:
                        tried.add(identity)
                        yield reading.matching(order, chance, method) if may_fit else None


def _is_read_before(yours: Rows, other: Sequence[Rows]) -> bool:
    """Return whether another of their readers, before this one, reads all moves so."""
    before = other[: other.index(yours)] if yours in other else ()
    return any(rows.every == yours.every for rows in before)


Told: TypeAlias = tuple[Sequence[Kind], Sequence[Kind]]
"""The kinds of the moves of either side."""


def _tellings(mine: Rows, yours: Rows, *, is_any: bool) -> list[tuple[Told, bool]]:
    """Return ways to tell kinds of moves apart, and whether long words do; plain ones at first."""
    plain: list[tuple[Told, bool]] = [
        ((mine.kinds[by_kind], yours.kinds[by_kind]), by_kind) for by_kind in (True, False)
    ]
    if are_as_many(mine.products, yours.products):
        return [((mine.products, yours.products), True), *plain]
    if not is_any:
        return plain
    sizes = [len(kind.numbers) for kind in mine.products]
    ranges = in_ranges(yours.kinds[True], sizes if len(sizes) > 1 else ())
    return [*plain, *(((mine.products, parts), True) for parts in ranges)]


def _in_order(
    mine: Rows, other: tuple[Rows, ...], orders: Sequence[tuple[int, ...]]
) -> Iterator[Matching]:
    """Yield the ways in which the moves of each player, put in order, stand for each other.

    The houses of kalah are A1 to F1 and A2 to F2 here, 1 to 6 and 8 to 13 there. Play has to meet
    as many moves of a player on either side. Outcomes of chance are for other ways to read.
    """
    if mine.source.has_chance or other[0].source.has_chance:
        return
    for yours, order in product(other, orders):
        if yours.is_empty or not (mine.moves and yours.moves):
            continue
        tables: list[list[dict[EngineMove, EngineMove]]] = []
        for role, theirs in enumerate(order):
            lists = _sorted(mine, role), _sorted(yours, theirs)[:1]
            if lists[0] and _are_same_words(mine, role, yours, theirs):
                # Who calls one side of a coin heads does not mean tails: no order but their own.
                lists = lists[0][:1], lists[1]
            same = [zip(a, b, strict=True) for a, b in product(*lists) if len(a) == len(b)]
            tables.append(_distinct(map(dict, same)))
        for choice in product(*tables):
            yield by_moves(choice, order, "the moves of each player in their order")


def _by_synonyms(
    mine: Rows, other: tuple[Rows, ...], orders: Sequence[tuple[int, ...]]
) -> Iterator[Matching]:
    """Yield the ways in which one side has several words for one move of the other."""
    method = "several words of one side for one of the other, never legal together"
    for order in orders:
        for words in by_synonyms(mine, other[0], order):
            for chance in outcome_keys(mine, other):
                keys = (_called(words[0], chance[0]), _called(words[1], chance[1]))
                yield Matching(order, *keys, method, is_static=True)


def _called(words: Mapping[EngineMove, EngineMove], chance: Key) -> Key:
    """Return the key of moves by what they are called."""

    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        if role == CHANCE:
            return chance(position, role, move)
        return words.get(move, Unmet(move))

    return key


def _sorted(rows: Rows, role: int) -> list[list[EngineMove]]:
    """Return the moves of a player in order of their words, from either end, up and down."""
    moves, numbers = rows.moves.get(role, ((), ()))
    pairs = [
        (move, tuple(map(_rank, rows.every[n]))) for move, n in zip(moves, numbers, strict=True)
    ]
    if len({move for move, _ in pairs}) < len(pairs):
        return []
    orderings = []
    for step, is_down in product((1, -1), (False, True)):
        pairs.sort(key=lambda pair: pair[1][::step], reverse=is_down)  # at once
        orderings.append([move for move, _ in pairs])
    return orderings


def _are_same_words(mine: Rows, role: int, yours: Rows, theirs: int) -> bool:
    """Return whether the moves of a player have the same words on both sides, not only numbers."""
    left, right = (
        {rows.every[number] for number in rows.moves.get(player, ((), ()))[1]}
        for rows, player in ((mine, role), (yours, theirs))
    )
    return left == right and any(isinstance(word, str) for words in left for word in words)


def _rank(word: Word) -> tuple[bool, Word]:
    return isinstance(word, str), word


def _distinct(tables: Iterable[dict[EngineMove, EngineMove]]) -> list[dict[EngineMove, EngineMove]]:
    tables_found: list[dict[EngineMove, EngineMove]] = []
    for table in tables:
        if table not in tables_found:
            tables_found.append(table)
    return tables_found


def _last_apart(rows: Rows) -> Iterator[tuple[Rows, tuple[str, Reader]]]:
    """Yield the numbers that were seen, with the last one as a word, where there are several."""
    numbers = {word for row in rows.every for word in row if len(row) == 1}
    if len(numbers) > 1 and rows.is_static:
        reader = last_apart(max(number for number in numbers if isinstance(number, int)))
        yield rows.read_by(reader), ("numbers, the last one apart", reader)


def with_signs(theirs: tuple[Rows, ...]) -> tuple[Rows, ...]:
    """Return the moves that were seen, without the reading of signs where hyphens are none.

    A hyphen that stands between two words stands there in every move; a sign in some of them.
    """
    *others, signed = theirs
    plain = {row for row in signed.every if all(isinstance(word, str) or word >= 0 for word in row)}
    shapes = {shape_of(row, by_kind=True) for row in plain & set(others[0].every)}
    is_sign = any(shape_of(row, by_kind=True) in shapes for row in set(signed.every) - plain)
    return theirs if is_sign else tuple(others)


def _in_the_middle(rows: Rows) -> Iterator[tuple[Rows, tuple[str, Reader]]]:
    """Yield moves between two places as one place between them, where that tells them apart.

    Only those that are read by what they are: the text of a move may hang on its position.
    """
    read_ = rows.reader

    def read(source: Source, position: Position, role: int, move: EngineMove) -> Words:
        return of_middle(read_(source, position, role, move))

    between = [of_middle(row) for row in rows.every]
    if (
        read_ in {of_number, of_value}
        and rows.is_static
        and between != rows.every
        and len(set(between)) == len(between) > 1
    ):
        yield rows.read_by(read), ("the middle of two places", read)


def _in_digits(rows: Rows, ours: Sequence[Rows]) -> Iterator[tuple[Rows, tuple[str, Reader]]]:
    """Yield the numbers that were seen as the squares that they are made of, 64 times one, say."""
    numbers = sorted(word for row in rows.every for word in row if isinstance(word, int))
    is_bare = len(numbers) == len(rows.every) > 1 and numbers[0] >= 0
    if not is_bare or not rows.is_static:
        return
    kinds_ = (kind for mine in ours for kind in mine.kinds[True])
    squares = {
        len(left) * len(right) for kind in kinds_ for left, right in combinations(kind.values, 2)
    }
    for size in sorted(squares):
        count = next((n for n in (1, 2, 3) if numbers[-2] < size**n), 1)
        if count > 1:
            reader = in_digits(size, count)
            yield rows.read_by(reader), (f"numbers in base {size}", reader)


class _First:
    """The first position of both sides, where a way to read moves is tried on all at once."""

    def __init__(self, race: Race, mine: Rows, yours: Rows) -> None:
        self._race = race
        self._rows = _first_rows(race.ours, mine), _first_rows(race.theirs, yours)
        self._is_plain = not race.allowed & {PASS_LEFT_OUT, WHOLE_TURNS}

    def may_fit(self, reading: _Read, order: tuple[int, ...]) -> bool:
        """Return whether no move is left over, or a comparison has to say."""
        ours, theirs = self._rows
        if not self._is_plain or ours is None or theirs is None:
            return True
        if order[ours[0]] != theirs[0]:
            return False
        given, asked = np.sort(reading.partners[ours[1]]), np.sort(reading.same[theirs[1]])
        if np.array_equal(given, asked):
            return True
        share = len(np.intersect1d(given, asked)) / max(len(given), len(asked))
        # One that is nearer than all before is compared in full, which takes note of it.
        return self._race.is_near(share)


def _by_directions(rows: Rows) -> Iterator[tuple[Rows, str, bool]]:
    """Yield our moves from square to square as a square and a way, where they are such."""
    for name, reader in READERS:
        read = rows.read_by(reader)
        if read.every != rows.every:
            yield read, name, True


def _first_rows(source: Source, rows: Rows) -> tuple[int, np.ndarray] | None:
    """Return who moves first, and the numbers of the first moves; None where several do."""
    position = source.initial()
    movers = source.movers(position)
    if len(movers) != 1 or movers == (CHANCE,):
        return None
    (role,) = movers
    numbers = [rows.number(position, role, move) for move in source.legal(position, role)]
    if not all(isinstance(number, int) for number in numbers):
        return None
    return role, np.array(numbers, np.int64)


class _Read:
    """A way to read the moves of both sides alike.

    The key of a move is the number of the move of theirs that it is read as; a move that was not
    seen has the key that the reading gives it.

    Attributes:
        partners: For each move of ours that was seen the number of theirs, ``int64[moves]``.
        same: For each move of theirs the number of the first one that is read alike.
    """

    def __init__(
        self, mine: Rows, yours: Rows, pair: tuple[Reading, Reading], kinds_: Told
    ) -> None:
        self._mine, self._yours, self._pair, self._kinds = mine, yours, pair, kinds_
        self.partners, self.same = partners(
            pair[0].keys(kinds_[0], len(mine.every)),
            pair[1].keys(kinds_[1], len(yours.every)),
        )

    @cached_property
    def _by_key(self) -> dict[Hashable, int]:
        """The first number of their moves by the key that the reading gives them."""
        numbers: dict[Hashable, int] = {}
        for number, row in enumerate(self._yours.every):
            numbers.setdefault(self._pair[1].key(row), number)
        return numbers

    def matching(self, order: tuple[int, ...], chance: OutcomeKeys, method: str) -> Matching:
        """Return the matching of moves that are read so."""
        mine, yours = self._mine, self._yours
        keys = (
            self._key(mine, self.partners, self._pair[0], chance[0]),
            self._key(yours, self.same, self._pair[1], chance[1]),
        )

        def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
            moves, numbers = (mine, yours)[side].moves.get(role, ((), np.zeros(0, np.int64)))
            seen = (self.partners, self.same)[side][numbers].tolist()
            return {m: key for m, key in zip(moves, seen, strict=True) if key != NONE}

        is_static = mine.is_static and yours.is_static
        is_told = are_told(self._kinds, self._pair)
        return Matching(
            order, *keys, method, is_static=is_static, is_told=is_told, met_keys=met_keys
        )

    def _key(self, rows: Rows, numbers: np.ndarray, reading: Reading, chance: Key) -> Key:
        """Return the key of a move of one side, given what its seen moves are read as."""

        def key(position: Position, role: int, move: EngineMove) -> Hashable:
            if role == CHANCE:
                return chance(position, role, move)
            row = rows.number(position, role, move)
            if isinstance(row, int):
                number = int(numbers[row])
                if number != NONE:
                    return number
                row = rows.every[row]
            read = reading.key(row)
            return self._by_key.get(read, Unmet(read))

        return key


def _plain(source: Source, reader: Reader) -> Key:
    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        return reader(source, position, role, move)

    return key
