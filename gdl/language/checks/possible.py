"""What can hold at all: fluents and relations that need themselves to begin with.

Out: ``never-holds``.

A fluent is possible when some ``init`` or ``next`` rule for it asks only for what is
possible, a relation likewise; names and arities are looked at, arguments are not. What
remains impossible mostly lost its first fact: ``(init (control white))`` forgotten.

Source: the possible ones are a least fixpoint, as in van Emden, Kowalski, "The
Semantics of Predicate Logic as a Programming Language", 1976.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from gdl.language.checks.fluents import produced_fluents
from gdl.language.checks.survey import Survey
from gdl.language.clauses import Clause
from gdl.language.dependencies import INIT, NEXT, TRUE
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.graphs import components
from gdl.language.syntax import (
    Atom,
    Place,
    Sentence,
    Signature,
    Variable,
    arguments,
    signature,
    span_of,
)
from gdl.language.walk import part
from gdl.language.words import cut, listed


class Item(NamedTuple):
    """A kind of fluent, or a relation."""

    is_fluent: bool
    kind: Signature


class Source(NamedTuple):
    """One rule for an item.

    Attributes:
        item: What it produces.
        needs: What it asks for, without what is under ``not``.
        place: Where the item stands in the head.
    """

    item: Item
    needs: frozenset[Item]
    place: Place | None


def never_holds(survey: Survey) -> Iterator[Diagnostic]:
    """Find fluents and relations all of whose rules need them to hold already.

    Of a chain of impossible ones only the first link is reported.
    """
    produced = produced_fluents(survey)
    if INIT not in survey.heads or produced is None:
        return  # missing-init has the one, and of the other nothing is known
    sources = list(chain.from_iterable(survey.gathered(_sources)))
    impossible = {source.item: source.place for source in reversed(sources)}
    for item in _possible(sources):
        del impossible[item]
    needs: dict[Item, set[Item]] = {item: set() for item in impossible}
    misspelt: set[Item] = set()
    for item, needed, _ in sources:
        if item in impossible:
            needs[item].update(other for other in needed if other in impossible)
            if any(
                other.kind not in (produced if other.is_fluent else survey.heads)
                for other in needed
                if other not in impossible
            ):
                misspelt.add(item)  # undefined-fluent or undefined-relation has the cause
    for group in components(needs):
        members = set(group)
        is_first = all(needs[item] <= members for item in group) and not members & misspelt
        if is_first and any(needs[item] for item in group):
            first = min(group, key=lambda item: survey.position(impossible[item]))
            yield _impossible(first, group, impossible[first])


def _possible(sources: list[Source]) -> set[Item]:
    """Return the least set that holds each item one of whose sources needs only members."""
    waiting: dict[Item, list[int]] = {}
    missing = [len(source.needs) for source in sources]
    for index, source in enumerate(sources):
        for item in source.needs:
            waiting.setdefault(item, []).append(index)
    ready = [source.item for source, count in zip(sources, missing, strict=True) if not count]
    possible: set[Item] = set()
    while ready:
        item = ready.pop()
        if item in possible:
            continue
        possible.add(item)
        for index in waiting.get(item, ()):
            missing[index] -= 1
            if not missing[index]:
                ready.append(sources[index].item)
    return possible


def _sources(survey: Survey) -> list[Source]:
    return [source for clause in survey.clauses if (source := _source(clause)) is not None]


def _source(clause: Clause) -> Source | None:
    """Return a clause as a source; None for one that keeps fluents of any kind."""
    place = clause.rule.head.place
    item = _item(clause.head)
    if item is None:
        return None
    needs = (_item(literal.sentence) for literal in clause.body if isinstance(literal, Atom))
    where = part(place, 0) if item.is_fluent else place
    return Source(item, frozenset(need for need in needs if need is not None), where)


def _item(sentence: Sentence) -> Item | None:
    """Return what a sentence is about; None for ``does``, and for a fluent of any kind."""
    relation = signature(sentence)
    if relation in {TRUE, INIT, NEXT}:
        fluent = arguments(sentence)[0]
        if isinstance(fluent, Variable):
            return None
        return Item(is_fluent=True, kind=signature(fluent))
    return None if relation.name in {"does", "true"} else Item(is_fluent=False, kind=relation)


def _impossible(first: Item, group: list[Item], place: Place | None) -> Diagnostic:
    name = cut(first.kind.name)
    others = sorted({item.kind.name for item in group if item != first})
    needed = f"{listed(others)}, which needs {name}" if others else f"{name} itself"
    if first.is_fluent:
        message = f"{name} is never true: no init rule gives it, and all its next rules need"
        expected = f"an init rule for {name}, or a next rule that does without it"
        written = name if not first.kind.arity else f"({name} ...)"
        advice = f"add the first one, as in (init {written})"
    else:
        message = f"{name} never holds: all its rules need"
        expected = f"a fact or rule for {name} that does without it"
        advice = f"add the first fact for {name}"
    return Diagnostic(
        slug="never-holds",
        severity=Severity.WARNING,
        message=f"{message} {needed}",
        span=span_of(place),
        expected=expected,
        help=advice,
    )
