"""Whole-number arithmetic as manifests write it: ``size - 1``, ``max(1, i - 2)``, ``heaps[i]``.

In: a text and what its names stand for. Out: a number, or the numbers of an interval.

    interval = sum [ ".." sum ]
    sum      = product { ("+" | "-") product }
    product  = factor { ("*" | "//" | "%") factor }
    factor   = "-" factor | NUMBER | NAME | NAME "[" sum "]" | "(" sum ")"
             | ("min" | "max") "(" sum { "," sum } ")" | "count" "(" NAME ")"

``//`` and ``%`` are those of Python; a list begins at 1. There is no power, so that a short text
stands for a number of few digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import add, floordiv, mod, mul, sub
from typing import Final, TypeAlias

Size: TypeAlias = "int | tuple[int, ...]"
"""What a name stands for: a number or a list of numbers."""
Sizes: TypeAlias = Mapping[str, Size]
Expression: TypeAlias = Callable[[Sizes], int]

MAX_LENGTH: Final = 100
"""Characters of an expression; brackets in it nest less deep than Python's stack."""
FUNCTIONS: Final[Mapping[str, Callable[[Sequence[int]], int]]] = {"min": min, "max": max}
RESERVED: Final = frozenset((*FUNCTIONS, "count"))
_OPERATORS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": add, "-": sub, "*": mul, "//": floordiv, "%": mod,
}  # fmt: skip
_TOKEN: Final = re.compile(r"\s*(\d{1,6}(?!\w)|[a-zA-Z_]\w*|//|[-+*%()\[\],])")


class ExpressionError(ValueError):
    """A text that is no expression, or has no value; the message says why."""


def evaluate(text: str, sizes: Sizes) -> int:
    """Return the number that an expression stands for.

    Raises:
        ExpressionError: It is none, names what is not there, divides by zero, or asks a list for
            an item that it does not have.

    Example:
        >>> evaluate("max(1, i - size + 1) * 2", {"i": 9, "size": 5})
        10
    """
    return _expression(text)(sizes)


def interval(text: str, sizes: Sizes) -> range:
    """Return the numbers from the first to the last of an interval, none where it is empty.

    Raises:
        ExpressionError: As `evaluate`.

    Example:
        >>> list(interval("2..size - 1", {"size": 5})), list(interval("size", {"size": 5}))
        ([2, 3, 4], [5])
    """
    first, dots, last = text.partition("..")
    start = evaluate(first, sizes)
    return range(start, (evaluate(last, sizes) if dots else start) + 1)


def check(text: str) -> None:
    """Refuse what is no interval, whatever its names stand for.

    Raises:
        ExpressionError: It is none.
    """
    first, dots, last = text.partition("..")
    for part in (first, last) if dots else (first,):
        _expression(part)


def names(text: str) -> frozenset[str]:
    """Return the names that an expression or interval asks for."""
    tokens = (token for part in text.split("..") for token in _tokens(part))
    return frozenset(token for token in tokens if token.isidentifier()) - RESERVED


@lru_cache(1 << 10)
def _expression(text: str) -> Expression:
    return _Parser(_tokens(text)).whole()


def _tokens(text: str) -> list[str]:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    tokens, position, stop = [], 0, len(text.rstrip())
    while position < stop:
        token = _TOKEN.match(text, position)
        if token is None:
            raise ExpressionError(f"{text[position:].strip()!r} is no arithmetic")
        tokens.append(token[1])
        position = token.end()
    return tokens


class _Parser:
    """Reads the symbols of one expression from left to right; a method a rule of the grammar."""

    def __init__(self, symbols: list[str]) -> None:
        self._symbols = [*symbols, "its end"]
        self._next = 0

    def whole(self) -> Expression:
        """Return the expression that all symbols are."""
        value = self._sum()
        self._expect("its end")
        return value

    def _sum(self) -> Expression:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Expression:
        return self._chain(("*", "//", "%"), self._factor)

    def _chain(self, operators: tuple[str, ...], operand: Callable[[], Expression]) -> Expression:
        value = operand()
        while self._symbol in operators:
            value = _operation(self._take(), value, operand())
        return value

    def _factor(self) -> Expression:
        symbol = self._take()
        if symbol == "-":
            return _operation("-", lambda _: 0, self._factor())
        if symbol == "(":
            value = self._sum()
            self._expect(")")
            return value
        if symbol.isdigit():
            number = int(symbol)
            return lambda _: number
        if symbol in FUNCTIONS:
            function, values = FUNCTIONS[symbol], self._values()
            return lambda sizes: function([value(sizes) for value in values])
        if symbol == "count":
            self._expect("(")
            name = self._take()
            self._expect(")")
            return lambda sizes: len(_list(sizes, name))
        if not symbol.isidentifier():
            raise ExpressionError(f"a number or a name is expected before {symbol}")
        if self._symbol == "[":
            self._take()
            index = self._sum()
            self._expect("]")
            return lambda sizes: _item(_list(sizes, symbol), index(sizes), symbol)
        return lambda sizes: _number(sizes, symbol)

    def _values(self) -> list[Expression]:
        self._expect("(")
        values = [self._sum()]
        while self._symbol == ",":
            self._take()
            values.append(self._sum())
        self._expect(")")
        return values

    @property
    def _symbol(self) -> str:
        return self._symbols[self._next]

    def _take(self) -> str:
        symbol = self._symbol
        self._next = min(self._next + 1, len(self._symbols) - 1)
        return symbol

    def _expect(self, symbol: str) -> None:
        if self._symbol != symbol:
            raise ExpressionError(f"{symbol} is expected before {self._symbol}")
        self._take()


def _operation(sign: str, left: Expression, right: Expression) -> Expression:
    operator = _OPERATORS[sign]

    def value(sizes: Sizes) -> int:
        try:
            return operator(left(sizes), right(sizes))
        except ZeroDivisionError:
            raise ExpressionError("a number is divided by zero") from None

    return value


def _named(sizes: Sizes, name: str) -> Size:
    if name not in sizes:
        raise ExpressionError(f"there is no number {name}")
    return sizes[name]


def _number(sizes: Sizes, name: str) -> int:
    size = _named(sizes, name)
    if isinstance(size, int):
        return size
    raise ExpressionError(f"{name} is a list: write {name}[1] or count({name})")


def _list(sizes: Sizes, name: str) -> tuple[int, ...]:
    size = _named(sizes, name)
    if isinstance(size, tuple):
        return size
    raise ExpressionError(f"{name} is a number, not a list")


def _item(items: tuple[int, ...], index: int, name: str) -> int:
    if 1 <= index <= len(items):
        return items[index - 1]
    raise ExpressionError(f"{name} has {len(items)} items, and none is number {index}")
