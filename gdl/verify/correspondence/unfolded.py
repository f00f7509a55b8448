"""Rules with their helpers written out: what texts of the same game have in common.

In: clauses. Out: clauses without the views that one clause defines and that are used
positively only: each use is replaced by the body. What a view was called, and whether
there was one, is then no longer seen. Nothing else is changed: recursive views, views of
several clauses and views under ``not`` stay, as do facts.

Source: Tamaki, Sato, "Unfold/Fold Transformation of Logic Programs", ICLP 1984 (unfolding).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from gdl.language.clauses import Clause
from gdl.language.graphs import reachable
from gdl.language.keywords import KEYWORDS
from gdl.language.syntax import (
    Atom,
    Compound,
    Distinct,
    Formula,
    Literal,
    Not,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    sentence,
    signature,
)
from gdl.language.unify import Unifier, UnifierTooLargeError

MAX_LITERALS: Final = 300
"""A clause that grows beyond this is left as it was written."""


def unfold(rules: Sequence[Clause]) -> list[Clause]:
    """Return the clauses with their helpers written out. Cost O(size of the result)."""
    views = _views(rules)
    fresh = count()
    written_out = [_written_out(rule, views, fresh) for rule in rules]
    return _needed([rule for rule in written_out if rule is not None])


def _views(rules: Sequence[Clause]) -> dict[Signature, Clause]:
    """Return the views that can be written out, each with its clause."""
    defined: dict[Signature, list[Clause]] = {}
    for rule in rules:
        defined.setdefault(signature(rule.head), []).append(rule)
    views = {
        name: definitions[0]
        for name, definitions in defined.items()
        if len(definitions) == 1 and definitions[0].body and name.name not in KEYWORDS
    }
    uses = {name: {signature(use) for use in _used(view.body)} for name, view in views.items()}
    return {
        name: view
        for name, view in views.items()
        if name not in reachable(uses, [other for other in uses[name] if other in uses])
    }


def _used(body: Iterable[Literal]) -> Iterator[Sentence]:
    """Yield what literals speak of, under ``not`` too."""
    for part in body:
        operand: Formula = part.operand if isinstance(part, Not) else part
        if isinstance(operand, Atom):
            yield operand.sentence


def _written_out(
    rule: Clause, views: dict[Signature, Clause], fresh: Iterator[int]
) -> Clause | None:
    """Return a clause with views written out, None when it can never fire."""
    written = rule
    while True:
        place = next(
            (
                index
                for index, part in enumerate(written.body)
                if isinstance(part, Atom) and signature(part.sentence) in views
            ),
            None,
        )
        if place is None:
            return written
        if len(written.body) > MAX_LITERALS:
            return rule
        try:
            unfolded = _unfolded(written, place, views, next(fresh))
        except UnifierTooLargeError:
            return rule
        if unfolded is None:
            return None
        written = unfolded


def _unfolded(
    rule: Clause, place: int, views: dict[Signature, Clause], number: int
) -> Clause | None:
    part = rule.body[place]
    assert isinstance(part, Atom)
    view = views[signature(part.sentence)]
    head, *body = (_apart(term, number) for term in (view.head, *map(_term, view.body)))
    unifier = Unifier()
    pairs = zip(arguments(_sentence(head)), arguments(part.sentence), strict=True)
    if not unifier.unify(pairs):
        return None
    literals = [
        *rule.body[:place],
        *(_literal(like, term) for like, term in zip(view.body, body, strict=True)),
        *rule.body[place + 1 :],
    ]
    applied = (_literal(literal, unifier.apply(_term(literal))) for literal in literals)
    return replace(rule, head=unifier.apply(rule.head), body=tuple(dict.fromkeys(applied)))


def _term(part: Literal) -> Term:
    """Return what a literal speaks of as one term."""
    operand: Formula = part.operand if isinstance(part, Not) else part
    if isinstance(operand, Distinct):
        return Compound("distinct", (operand.left, operand.right))
    assert isinstance(operand, Atom)
    return operand.sentence


def _literal(like: Literal, term: Term) -> Literal:
    """Return a literal of the same kind that speaks of another term."""
    if isinstance(like, Distinct):
        left, right = arguments(_sentence(term))
        return Distinct(left, right)
    atom = Atom(_sentence(term))
    return Not(atom) if isinstance(like, Not) else atom


def _sentence(term: Term) -> Sentence:
    assert not isinstance(term, Variable)
    return term


def _apart(term: Term, number: int) -> Term:
    """Return a term whose variables occur nowhere else."""
    match term:
        case Variable(name):
            return Variable(f"{name} {number}")
        case Compound(name, args):
            return sentence(name, tuple(_apart(arg, number) for arg in args))
        case _:
            return term


def _needed(rules: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that something with a fixed meaning depends on."""
    uses: dict[Signature, set[Signature]] = {}
    for rule in rules:
        uses.setdefault(signature(rule.head), set()).update(map(signature, _used(rule.body)))
    needed = reachable(
        {name: [other for other in asked if other in uses] for name, asked in uses.items()},
        [name for name in uses if name.name in KEYWORDS],
    )
    return [rule for rule in rules if signature(rule.head) in needed]
