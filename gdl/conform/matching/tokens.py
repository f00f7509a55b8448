"""A move as a row of words: numbers, letters, in the order in which they are written.

``b3c4``, ``(move b 3 c 4)`` and ``From (2, 3) to (3, 4)`` have the same four coordinates, in other
words and at other places. What places and words stand for each other is for
`gdl.conform.matching.columns` to try.

Example:
    >>> words("b3xc4")
    ('b', 3, 'c', 4)
    >>> words("32x28")
    (32, 28)
    >>> words("(mark 1 2)")
    ('mark', 1, 2)
    >>> words("step(across=-1, up=0)")
    ('step', 'across', -1, 'up', 0)
    >>> words("bid three")
    ('bid', 3)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from numbers import Complex, Integral, Real
from typing import Final, TypeAlias

from gdl.conform.source import EngineMove, Position, Source
from gdl.language.terms import Term, kif_text

Word: TypeAlias = "str | int"
Words: TypeAlias = tuple[Word, ...]
Reader: TypeAlias = Callable[[Source, Position, int, EngineMove], Words]

FEW_LETTERS: Final = 3
"""Letters of a word that may be as many words."""
_CAPTURE: Final = re.compile(r"(?<=\d)x(?=[a-z]?\d)")
_SIGNED: Final = re.compile(r"(?<=[a-z])-(?=\d)")
_NAMES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen"),
)
_COUNTED: Final = {name: number for number, name in enumerate(_NAMES)} | {"ace": 1}
_WORD: Final = re.compile(r"[a-z]+|(?<![^\s(\[{=,:])-\d+|\d+")


@lru_cache(1 << 16)
def words(text: str) -> Words:
    """Return the words of a text; a capture's x between two squares is none, nor is a hyphen.

    Numbers up to the thirteen cards of a suit may be spelled out.
    """
    parts = _WORD.findall(_CAPTURE.sub(" ", text.lower()))
    return tuple(int(part) if part[-1].isdigit() else _COUNTED.get(part, part) for part in parts)


def of_text(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move as its source writes it."""
    return words(source.text(position, role, move))


def of_signed(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move as its source writes it, a hyphen between a letter and a digit as a sign."""
    return words(_SIGNED.sub(" -", source.text(position, role, move).lower()))


def of_letters(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move as its source writes it, words of few letters letter by letter: hb3, jq."""
    row = of_text(source, position, role, move)
    return tuple(
        part
        for word in row
        for part in (word if isinstance(word, str) and len(word) <= FEW_LETTERS else (word,))
    )


def of_kif(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move of rules as KIF."""
    del source, position, role
    parts = move if isinstance(move, tuple) else (move,)
    return words(" ".join(kif_text(part) for part in parts if isinstance(part, Term)))


def of_number(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move that is a number, or several."""
    del source, position, role
    return numbers(move)


def numbers(move: EngineMove) -> tuple[int, ...]:
    """Return the numbers of a move that is one, or several."""
    parts = move if isinstance(move, tuple) else (move,)
    return tuple(number for part in parts for number in whole_numbers(part))


def whole_numbers(value: object) -> tuple[int, ...]:
    """Return the whole number that a value is, or two: a square of the complex plane."""
    if isinstance(value, Integral):
        return (int(value),)
    if not isinstance(value, Complex):
        return ()
    number = complex(value)
    parts = (number.real,) if isinstance(value, Real) else (number.real, number.imag)
    return tuple(map(int, parts)) if all(part.is_integer() for part in parts) else ()


def last_apart(last: int) -> Reader:
    """Return the reader of numbers of which the last one is no square: a pass, or a swap."""

    def read(source: Source, position: Position, role: int, move: EngineMove) -> Words:
        row = of_number(source, position, role, move)
        return ("last",) if row == (last,) else row

    return read


def in_digits(base: int, count: int) -> Reader:
    """Return the reader of numbers that squares are written as, one a digit; more is no square.

    Where a board has 64 squares, 64 times one and another is how a piece goes from here to there.
    """

    def read(source: Source, position: Position, role: int, move: EngineMove) -> Words:
        del source, position, role
        (number,) = numbers(move)
        if not 0 <= number < base**count:
            return ("last",)
        return tuple(number // base**place % base for place in reversed(range(count)))

    return read


def of_value(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move that is any value of Python: its numbers, and the words of all else it shows."""
    del source, position, role
    return _words_of(move)


def _words_of(value: object) -> Words:
    if whole := whole_numbers(value):
        return whole
    if isinstance(value, tuple):
        return tuple(word for part in value for word in _words_of(part))
    if isinstance(value, AbstractSet | Mapping):  # their parts come in any order
        parts = map(_words_of, value.items() if isinstance(value, Mapping) else value)
        in_order = sorted(parts, key=lambda row: [(isinstance(word, str), word) for word in row])
        return tuple(word for row in in_order for word in row)
    return words(value if isinstance(value, str) else repr(value))
