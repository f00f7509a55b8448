"""Names as the rules of a match write them: ``(pass)`` or ``pass``.

In: the rules as they go over the wire. Out: a `Spelling`, which writes terms. For us both are one
term (docs/semantics.md); other systems hold them apart, and call a move that is written otherwise
than in the rules illegal. What is read may be written either way.

Rules may use both for one name. A term that is derived takes its words from the head of a rule or
from a fact, never from a condition, so heads are looked at first: those of the relation that
the term is asked from (``legal`` for moves), then those of all others, then conditions; of
several places alike the first in the text counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from gdl.ggp.s_expressions import tokens, whole
from gdl.language.parse import parse_term
from gdl.language.source import Source
from gdl.language.syntax import Constant, Term, Variable, fold_term, kif_symbol, kif_text


class Use(Enum):
    """What a term is on the wire."""

    MOVE = auto()
    FACT = auto()
    PERCEPT = auto()
    ROLE = auto()


@dataclass(frozen=True, slots=True)
class Spelling:
    """Writes terms as the rules of one match do.

    Attributes:
        bracketed: The names that stand alone between brackets, by what they are used for.
    """

    bracketed: Mapping[Use, frozenset[str]] = field(default_factory=dict)

    def text(self, term: Term, use: Use) -> str:
        """Return a term as KIF text on one line."""
        names = self.bracketed.get(use)
        if not names:
            return kif_text(term)

        def leaf(inner: Constant | Variable) -> str:
            text = kif_text(inner)
            return f"({text})" if isinstance(inner, Constant) and inner.name in names else text

        return fold_term(term, leaf, lambda name, args: f"({kif_symbol(name)} {' '.join(args)})")


PLAIN: Final = Spelling()
"""Writes no name between brackets."""


_USES: Final[Mapping[tuple[str, int], Use]] = {
    ("legal", 0): Use.ROLE,
    ("legal", 1): Use.MOVE,
    ("role", 0): Use.ROLE,
    ("init", 0): Use.FACT,
    ("next", 0): Use.FACT,
    ("sees", 0): Use.ROLE,
    ("sees", 1): Use.PERCEPT,
}
"""What the arguments of heads are on the wire, by relation and position."""
_CONNECTIVES: Final = frozenset({"<=", "not", "or", "and"})
"""Words whose operands are sentences."""


@dataclass(slots=True)
class _List:
    """A list that is being read.

    Attributes:
        is_term: Whether it is an argument; else it is a rule, a sentence or a condition.
        is_head: Whether it stands in a fact or in the head of a rule.
        use: What the argument that it is, or stands in, is on the wire.
        items: How many of its items have been read; the first is its name.
        name: Its name as it is written.
    """

    is_term: bool
    is_head: bool
    use: Use | None
    items: int = 0
    name: str = ""

    @property
    def is_connective(self) -> bool:
        return not self.is_term and self.name.lower() in _CONNECTIVES

    def use_of_item(self) -> Use | None:
        """Return what its next item is on the wire."""
        if self.is_term:
            return self.use
        return _USES.get((self.name.lower(), self.items - 1)) if self.is_head else None

    def inner(self) -> _List:
        """Return the list that its next item is."""
        if self.is_connective:
            return _List(is_term=False, is_head=self.name == "<=" and self.items == 1, use=None)
        return _List(is_term=True, is_head=self.is_head, use=self.use_of_item())


def spelling(rules: str) -> Spelling:
    """Return how rules write names. Cost: one pass over the text.

    Args:
        rules: KIF text, with every bracket closed.

    Example:
        >>> spelling("(legal w (pass)) (init pass)").text(Constant("pass"), Use.MOVE)
        '(pass)'
    """
    # Whether a name stands between brackets where it is first met, by where that is: for a use,
    # in any head (True), or anywhere (False).
    first: dict[tuple[Use | bool, str], bool] = {}
    bracketed: set[str] = set()
    for name, place, is_bracketed in _arguments(rules):
        if place.use is not None:
            first.setdefault((place.use, name), is_bracketed)
        if place.is_head:
            first.setdefault((True, name), is_bracketed)
        first.setdefault((False, name), is_bracketed)
        if is_bracketed:
            bracketed.add(name)
    if not bracketed:
        return PLAIN
    return Spelling(
        {
            use: frozenset(
                parse_term(name).name
                for name in bracketed
                if next(
                    first[key] for where in (use, True, False) if (key := (where, name)) in first
                )
            )
            for use in Use
        }
    )


def _arguments(rules: str) -> Iterator[tuple[str, _List, bool]]:
    """Yield each name that is an argument, its place, and whether it stands between brackets."""
    stack: list[_List] = []
    for match in tokens(whole(Source("rules", rules))):
        if match.lastgroup == "OPEN":
            top = _List(is_term=False, is_head=True, use=None)
            stack.append(stack[-1].inner() if stack else top)
            continue
        if match.lastgroup == "CLOSE":
            closed = stack.pop()
            if closed.is_term and closed.items == 1:
                yield closed.name, closed, True
        elif stack and stack[-1].items == 0:
            stack[-1].name = match[0]
        elif stack and not stack[-1].is_connective:
            yield match[0], stack[-1].inner(), False
        if stack:
            stack[-1].items += 1
