"""Rules with their helpers written out: what texts of the same game have in common.

In: clauses. Out: clauses without the views that one clause defines and that are used
positively only: each use is replaced by the body. What a view was called, and whether
there was one, is then no longer seen. Nothing else is changed: recursive views, views of
several clauses and views under ``not`` stay, as do facts.

Source: Tamaki, Sato, "Unfold/Fold Transformation of Logic Programs", ICLP 1984 (unfolding).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final

from gdl.compile.rules.unfold import resolved
from gdl.language.clauses import Clause
from gdl.language.graphs import reachable
from gdl.language.keywords import KEYWORDS
from gdl.language.syntax import Atom, Formula, Literal, Not, Sentence, Signature, signature
from gdl.language.unify import UnifierTooLargeError

MAX_LITERALS: Final = 300
"""A clause that grows beyond this is left as it was written."""


def unfold(rules: Sequence[Clause]) -> list[Clause]:
    """Return the clauses with their helpers written out. Cost O(size of the result)."""
    views = _views(rules)
    numbers = count()
    written_out = [_written_out(rule, views, numbers) for rule in rules]
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
    rule: Clause, views: dict[Signature, Clause], numbers: count[int]
) -> Clause | None:
    """Return a clause with views written out, None when it can never fire."""
    written = rule
    while True:
        used = (
            (index, views[signature(part.sentence)])
            for index, part in enumerate(written.body)
            if isinstance(part, Atom) and signature(part.sentence) in views
        )
        place, view = next(used, (-1, None))
        if view is None:
            return written
        if len(written.body) > MAX_LITERALS:
            return rule
        try:
            unfolded = resolved(written, place, view, numbers)
        except UnifierTooLargeError:
            return rule
        if unfolded is None:
            return None
        written = unfolded


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
