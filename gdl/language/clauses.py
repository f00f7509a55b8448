"""Clausal form: rules without ``or`` and ``and``, every ``not`` on a sentence.

In: a description. Out: its clauses, in order; each knows the rule it came from, each
literal where it stood. Nothing is simplified: the meaning is the rules as written.
A negated ``distinct`` says that two terms are equal, so it is carried out: the most
general unifier of the two is applied to the clause, or the clause can never fire and
is left out.

Source: Lloyd, Topor, "Making Prolog More Expressive", 1984, section 2 (the transformation);
GDL specification 2008, section 2 (the target form). The limit on growth is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Final, NamedTuple, TypeAlias, TypeVar

from gdl.language.diagnostics import LimitError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import (
    And,
    Atom,
    Description,
    Distinct,
    Formula,
    Literal,
    Not,
    Or,
    Rule,
    Sentence,
    signature,
    span_of,
)
from gdl.language.unify import MAX_STEPS, Unifier, UnifierTooLargeError

LITERALS_PER_RULE: Final = 64
"""Literals are limited too: this many times `Limits.rules` in a description."""

T = TypeVar("T")
Alternative: TypeAlias = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule in clausal form: the head follows when every literal of the body holds.

    Attributes:
        head: What follows.
        body: Atoms, negated atoms and ``distinct``, in the order in which they were written.
        rule: The rule it came from; not compared.
    """

    head: Sentence
    body: tuple[Literal, ...]
    rule: Rule = field(compare=False, repr=False)


def sentence_of(literal: Literal) -> Sentence:
    """Return what an atom, or a negated one, is about."""
    atom = literal.operand if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom), "clausal form negates atoms only"
    return atom.sentence


def asked(clause: Clause) -> Iterator[tuple[Sentence, Atom | Not]]:
    """Yield the sentences that a body asks for, each with the literal that does."""
    for literal in clause.body:
        if not isinstance(literal, Distinct):
            yield sentence_of(literal), literal


def clauses(description: Description, *, limits: Limits = DEFAULT_LIMITS) -> tuple[Clause, ...]:
    """Return the clauses of a description, in the order of its rules.

    Args:
        description: Any description; it need not pass `check`.
        limits: ``rules`` bounds the clauses, and 64 times ``rules`` their literals.

    Returns:
        The clauses. Cost O(literals in the result).

    Raises:
        LimitError: Splitting up ``or`` would make too many clauses; names the rule and the
            number. Found by counting, before anything is built.

    Example:
        >>> from gdl.language.parse import parse
        >>> [len(clause.body) for clause in clauses(parse("(<= p (or q (and r s)))"))]
        [1, 2]
    """
    sizes = _Growth(limits)
    clausal: list[Clause] = []
    for rule in description.rules:
        sizes.add(rule)
        clausal.extend(_rule_clauses(rule))
    return tuple(clausal)


def _rule_clauses(rule: Rule) -> Iterator[Clause]:
    if all(isinstance(formula, Atom | Distinct) for formula in rule.body):
        yield Clause(rule.head.sentence, rule.body, rule)  # type: ignore[arg-type]  # just tested
        return
    for alternative in _fold(And(rule.body), _single_literal, _join, _choose):
        clause = _without_equalities(rule, alternative)
        if clause is not None:
            yield clause


def _single_literal(literal: Literal) -> list[Alternative]:
    return [(literal,)]


def _join(parts: list[list[Alternative]]) -> list[Alternative]:
    return [tuple(chain.from_iterable(choice)) for choice in product(*parts)]


def _choose(parts: list[list[Alternative]]) -> list[Alternative]:
    return list(chain.from_iterable(parts))


def _without_equalities(rule: Rule, body: Alternative) -> Clause | None:
    """Carry out a body's negated ``distinct``; None when it can never hold."""
    pairs = [
        (literal.operand.left, literal.operand.right)
        for literal in body
        if isinstance(literal, Not) and isinstance(literal.operand, Distinct)
    ]
    if not pairs:
        return Clause(rule.head.sentence, body, rule)
    unifier = Unifier()
    try:
        if not unifier.unify(pairs):
            return None
        return _applied(unifier, rule, body)
    except UnifierTooLargeError:
        raise _too_large_unifier(rule) from None


def _applied(unifier: Unifier, rule: Rule, body: Alternative) -> Clause:
    replaced: list[Literal] = []
    for literal in body:
        match literal:
            case Atom(sentence, place):
                replaced.append(Atom(unifier.apply(sentence), place))
            case Distinct(left, right, place):
                replaced.append(Distinct(unifier.apply(left), unifier.apply(right), place))
            case Not(Atom(sentence, inner), place):
                replaced.append(Not(Atom(unifier.apply(sentence), inner), place))
            case Not():
                pass  # the equality that was carried out
    return Clause(unifier.apply(rule.head.sentence), tuple(replaced), rule)


def _fold(
    formula: Formula,
    literal: Callable[[Literal], T],
    every: Callable[[list[T]], T],
    some: Callable[[list[T]], T],
) -> T:
    """Combine the literals of a formula bottom-up, with ``not`` pushed inwards on the way.

    ``literal`` may also be handed the negation of a ``distinct``.
    """
    values: list[T] = []
    work: list[tuple[Formula, bool, bool]] = [(formula, False, False)]
    while work:
        node, is_negative, are_parts_done = work.pop()
        match node:
            case Atom() | Distinct():
                values.append(literal(Not(node, node.place) if is_negative else node))
            case Not(Atom() | Distinct()) if not is_negative:
                values.append(literal(node))
            case Not(operand):
                work.append((operand, not is_negative, False))
            case And(operands) | Or(operands) if are_parts_done:
                first = len(values) - len(operands)
                combine = every if isinstance(node, And) != is_negative else some
                values[first:] = [combine(values[first:])]
            case And(operands) | Or(operands):
                work.append((node, is_negative, True))
                work.extend((operand, is_negative, False) for operand in reversed(operands))
    (value,) = values
    return value


class _Size(NamedTuple):
    """How many alternatives a formula has, and how many literals they hold together."""

    alternatives: int
    literals: int


class _Growth:
    """Counts what `clauses` is about to build, and refuses what is too much."""

    def __init__(self, limits: Limits) -> None:
        self._most_clauses = limits.rules
        self._most_literals = limits.rules * LITERALS_PER_RULE
        self._clauses = 0
        self._literals = 0
        self._rule: Rule | None = None

    def add(self, rule: Rule) -> None:
        """Count one rule.

        Raises:
            LimitError: The clauses or literals so far are more than the limits allow.
        """
        self._rule = rule
        if any(isinstance(formula, Or | And | Not) for formula in rule.body):
            size = _fold(And(rule.body), lambda _: _Size(1, 1), self._every, self._some)
        else:
            size = self._counted(_Size(1, len(rule.body)))
        self._clauses += size.alternatives
        if self._clauses > self._most_clauses:
            self._refuse("rules", self._clauses, self._most_clauses)

    def _every(self, parts: list[_Size]) -> _Size:
        # Part after part, so that the numbers stay small: they are refused as they grow.
        size = _Size(1, 0)
        for other in parts:
            size = _Size(
                size.alternatives * other.alternatives,
                size.literals * other.alternatives + other.literals * size.alternatives,
            )
            if size.literals > self._most_literals:
                self._refuse("literals", size.literals, self._most_literals)
        return self._counted(size)

    def _some(self, parts: list[_Size]) -> _Size:
        return self._counted(
            _Size(sum(part.alternatives for part in parts), sum(part.literals for part in parts))
        )

    def _counted(self, size: _Size) -> _Size:
        # Every step is charged, also one whose result an empty or throws away.
        self._literals += size.literals
        if self._literals > self._most_literals:
            self._refuse("literals", self._literals, self._most_literals)
        return size

    def _refuse(self, things: str, count: int, most: int) -> None:
        assert self._rule is not None
        raise _too_many(self._rule, things, count, most)


def _too_many(rule: Rule, things: str, count: int, most: int) -> LimitError:
    return LimitError.at(
        span_of(rule.head.place or rule.place),
        "limit-rules",
        f"too many {things} once or is split up: {count:,} and more, up to this rule for "
        f"{signature(rule.head.sentence)}, which alone stands for {_alternatives(rule)} rules",
        expected=f"at most {most:,} {things} in a description",
        help="write the alternatives as rules of a helper relation, or raise Limits.rules",
    )


def _too_large_unifier(rule: Rule) -> LimitError:
    return LimitError.at(
        span_of(rule.head.place or rule.place),
        "limit-rules",
        f"the negated distinct in this rule for {signature(rule.head.sentence)} "
        "make its terms grow too large",
        expected=f"terms that are equal after at most {MAX_STEPS:,} steps",
        help="write the same variable twice in place of (not (distinct ...))",
    )


def _alternatives(rule: Rule) -> str:
    """Return how many clauses a rule stands for, as text; huge numbers are rounded down."""
    most = 10**15

    def every(parts: Iterable[int]) -> int:
        count = 1
        for part in parts:
            count = min(most, count * part)
        return count

    count = _fold(And(rule.body), lambda _: 1, every, lambda parts: min(most, sum(parts)))
    return f"{count:,}" if count < most else f"more than {most:,}"
