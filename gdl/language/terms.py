"""Terms: interned names, variables and compounds, as both notations write them.

Two equal terms are one object, so comparison and hashing are pointer operations. A term
is a value and has no place; the formulas and rules that use it know where each part of it
stood (`gdl.language.syntax.Place`).

Source: Love, Hinrichs, Haley, Schkufza, Genesereth, "General Game Playing: Game
Description Language Specification", 2008, section 2; Ershov, "On Programming of Arithmetic
Operations", CACM 1958 (each value once).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, total_ordering
from threading import Lock
from typing import ClassVar, Final, NamedTuple, Self, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from gdl.language.diagnostics import LimitError
from gdl.language.keywords import fold_keyword

_INTERN_LOCK: Final = Lock()


@total_ordering
class _Term:
    """What all terms share: identity as equality, a canonical order, KIF text as ``str``."""

    __slots__ = ("__weakref__",)

    def __lt__(self, other: object) -> bool:
        """Order numbers before names before compounds; see `sort_key`."""
        if not isinstance(other, _Term):
            return NotImplemented
        return sort_key(self) < sort_key(other)  # type: ignore[arg-type]  # _Term is closed

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: terms are immutable."""
        raise AttributeError(f"terms are immutable: cannot set {name}")

    def __str__(self) -> str:
        """Return the term as KIF text."""
        return kif_text(self)  # type: ignore[arg-type]  # _Term is closed


class _Named(_Term):
    """A term that is nothing but a name; one pool a class."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str
    depth: Final = 0
    _pool: ClassVar[WeakValueDictionary[str, Self]]

    def __init_subclass__(cls) -> None:
        """Give each kind of name its own pool."""
        cls._pool = WeakValueDictionary()

    def __new__(cls, name: str) -> Self:
        """Return the one term of that kind and name."""
        term = cls._pool.get(name)
        if term is None:
            with _INTERN_LOCK:
                term = cls._pool.get(name)
                if term is None:
                    term = super().__new__(cls)
                    object.__setattr__(term, "name", name)
                    cls._pool[name] = term
        return term

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Pickle and copy by name, so that the copy is interned too."""
        return type(self), (self.name,)

    def __repr__(self) -> str:
        """Return a constructor call."""
        return f"{type(self).__name__}({self.name!r})"


class Constant(_Named):
    """A name without arguments: an object constant or a proposition, for instance ``white``."""

    __slots__ = ()
    is_ground: Final = True


class Variable(_Named):
    """A variable, named without its ``?``."""

    __slots__ = ()
    is_ground: Final = False


class Compound(_Term):
    """A name with one or more arguments: a function term or a sentence, ``(cell 1 2 x)``.

    Attributes:
        name: The function or relation name.
        args: Its arguments, at least one.
        is_ground: Whether no variable occurs in it.
        depth: Levels of nesting, 1 for a flat term.
    """

    __slots__ = ("args", "depth", "is_ground", "name")
    __match_args__ = ("name", "args")
    name: str
    args: tuple[Term, ...]
    is_ground: bool
    depth: int
    _pool: ClassVar[WeakValueDictionary[tuple[str, tuple[Term, ...]], Self]] = WeakValueDictionary()

    def __new__(cls, name: str, args: tuple[Term, ...]) -> Self:
        """Return the one compound of that name and arguments. Cost O(arity)."""
        key = (name, args)
        term = cls._pool.get(key)
        if term is None:
            assert args, "a name without arguments is a Constant"
            with _INTERN_LOCK:
                term = cls._pool.get(key)
                if term is None:
                    term = super().__new__(cls)
                    set_field = object.__setattr__
                    set_field(term, "name", name)
                    set_field(term, "args", args)
                    set_field(term, "is_ground", all(arg.is_ground for arg in args))
                    set_field(term, "depth", 1 + max(arg.depth for arg in args))
                    cls._pool[key] = term
        return term

    def __reduce__(self) -> tuple[type[Compound], tuple[str, tuple[Term, ...]]]:
        """Pickle and copy by parts, so that the copy is interned too."""
        return Compound, (self.name, self.args)

    def __repr__(self) -> str:
        """Return a constructor call."""
        return f"Compound({self.name!r}, {self.args!r})"


Term: TypeAlias = Constant | Variable | Compound
Sentence: TypeAlias = Constant | Compound
"""A term used as a statement: ``terminal`` or ``(legal white noop)``."""


class Signature(NamedTuple):
    """A relation or function: its name and number of arguments."""

    name: str
    arity: int

    def __str__(self) -> str:
        """Return ``name/arity``."""
        return f"{self.name}/{self.arity}"


def signature(term: Sentence) -> Signature:
    """Return the name and arity of a sentence or function term."""
    return Signature(term.name, len(term.args) if isinstance(term, Compound) else 0)


def arguments(term: Sentence) -> tuple[Term, ...]:
    """Return the arguments of a sentence, none for a constant."""
    return term.args if isinstance(term, Compound) else ()


def sentence(name: str, args: tuple[Term, ...] = ()) -> Sentence:
    """Return the sentence of that name: a constant when there are no arguments."""
    return Compound(name, args) if args else Constant(name)


def variables(term: Term) -> Iterator[Variable]:
    """Yield the variables of a term from left to right, repeated ones repeatedly."""
    stack: list[Term] = [term]
    while stack:
        inner = stack.pop()
        if isinstance(inner, Variable):
            yield inner
        elif isinstance(inner, Compound) and not inner.is_ground:
            stack.extend(reversed(inner.args))


_SHALLOW: Final = 64
"""Nesting up to which recursion is safe."""
SortKey: TypeAlias = "tuple[int, int, str, tuple[SortKey, ...]]"


def sort_key(term: Term) -> SortKey:
    """Return a key for the canonical order: numbers by value, names, compounds, variables."""
    return (
        fold_term(term, _leaf_key, _compound_key) if isinstance(term, Compound) else _leaf_key(term)
    )


def in_order(terms: Iterable[Term]) -> list[Term]:
    """Return terms in canonical order; the key of each part that they share is made once.

    Cost O(terms) keys, where ``sorted`` makes two a comparison.
    """
    keys: dict[Term, SortKey] = {}

    def key(term: Term) -> SortKey:
        own_key = keys.get(term)
        if own_key is None:
            if isinstance(term, Compound) and term.depth <= _SHALLOW:
                own_key = _compound_key(term.name, tuple([key(arg) for arg in term.args]))
            else:
                own_key = sort_key(term)
            keys[term] = own_key
        return own_key

    return sorted(terms, key=key)


def _compound_key(name: str, keys: tuple[SortKey, ...]) -> SortKey:
    return 2, len(keys), name, keys


def _leaf_key(term: Constant | Variable) -> SortKey:
    match term:
        case Constant(name) if name.isascii() and name.isdigit() and len(name) <= 18:  # noqa: PLR2004  # fits 64 bits
            return 0, int(name), name, ()
        case Constant(name):
            return 1, 0, name, ()
        case Variable(name):
            return 3, 0, name, ()


V = TypeVar("V")

MAX_SYMBOLS: Final = 1_000_000
"""Symbols of the largest term that is written out or compared; no text gives more by default."""


def _too_large(term: Term) -> LimitError:
    return LimitError(
        f"a term {term.name}, {term.depth} levels deep, has more than {MAX_SYMBOLS:,} symbols",
        expected="terms that can be written out",
        help="a rule that doubles what it derives, as in (f ?x ?x), must not feed itself",
    )


def fold_term(
    term: Term,
    leaf: Callable[[Constant | Variable], V],
    compound: Callable[[str, tuple[V, ...]], V],
) -> V:
    """Return the value of a term, computed from the values of its parts, without recursion.

    Args:
        term: Any term, of any depth.
        leaf: Gives the value of a constant or variable.
        compound: Gives the value of a compound from its name and its arguments' values.

    Raises:
        LimitError: When the term has more than `MAX_SYMBOLS` symbols. Terms share their
            parts, so a shallow one can be larger than any memory: (f (f (f x x) ...) ...).
    """
    order: list[Term] = []
    stack: list[Term] = [term]
    while stack:
        inner = stack.pop()
        order.append(inner)
        if len(order) > MAX_SYMBOLS:
            raise _too_large(term)
        if isinstance(inner, Compound):
            stack.extend(inner.args)
    values: list[V] = []
    for inner in reversed(order):  # parts before the whole, from left to right
        if isinstance(inner, Compound):
            first = len(values) - len(inner.args)
            values[first:] = [compound(inner.name, tuple(values[first:]))]
        else:
            values.append(leaf(inner))
    return values[0]


_PLAIN_EXCLUDED: Final = frozenset('()|;"?')
_STRING: Final = r'"[^"\r\n]*"'
_BAR_ESCAPES: Final = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"})


@lru_cache(maxsize=1 << 14)
def kif_symbol(name: str) -> str:
    """Return a constant's name as KIF text.

    A name that is no plain symbol stands between bars, and so does one that would be taken
    for a keyword in capitals. A name with its own double quotes stands as it is.
    """
    plain = _is_plain(name) and fold_keyword(name) == name
    return name if plain or re.fullmatch(_STRING, name) else _between_bars(name)


def kif_variable(name: str) -> str:
    """Return a variable as KIF text, with its ``?``."""
    return f"?{name if _is_plain(name) else _between_bars(name)}"


def _is_plain(name: str) -> bool:
    odd = not name or any(char in _PLAIN_EXCLUDED or char.isspace() for char in name)
    return not odd and name.isprintable()


def _between_bars(name: str) -> str:
    return f"|{name.translate(_BAR_ESCAPES)}|"


def kif_text(term: Term) -> str:
    """Return a term as KIF text on one line."""
    if isinstance(term, Constant):
        return kif_symbol(term.name)
    return fold_term(term, _leaf_text, lambda name, args: f"({kif_symbol(name)} {' '.join(args)})")


def _leaf_text(term: Constant | Variable) -> str:
    return kif_symbol(term.name) if isinstance(term, Constant) else kif_variable(term.name)
