"""Explanations as plain text.

In: a proof or a refutation. Out: lines, one a fact, those it rests on below it and further in.
What was shown before is not shown again, and a long text is cut; so the size is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from typing import Final

from gdl.language.clauses import Clause
from gdl.language.syntax import Term, kif_text, signature
from gdl.reason.explanation import (
    Absence,
    Attempt,
    DistinctTerms,
    EqualTerms,
    Explanation,
    Missing,
    Premise,
    Proof,
    Refutation,
    Since,
    Unwanted,
)
from gdl.reason.program import DOES, TRUE

MAX_LINES: Final = 120
"""Lines of a text."""
MAX_TEXT: Final = 200
"""Characters of a term in it."""
MARK: Final = 5
"""Width of what stands before a literal: whether it holds."""


def explanation_text(explanation: Explanation, *, max_lines: int = MAX_LINES) -> str:
    """Return an explanation as text of at most ``max_lines`` lines, and one that says so if cut."""
    outline = _Outline(max_lines)
    if isinstance(explanation, Proof):
        outline.proof(explanation, 0, "")
    else:
        cause = f": {_cause(explanation)}" if explanation.attempts else _nothing(explanation)
        outline.line(0, f"{_text(explanation.query)} does not hold{cause}")
        outline.refutation(explanation, 1)
    return outline.text()


class _Outline:
    """Lines written so far, and what they have shown."""

    def __init__(self, max_lines: int) -> None:
        self._lines: list[str] = []
        self._left_out = 0
        self._max_lines = max_lines
        self._shown: set[int] = set()

    def text(self) -> str:
        if self._left_out:
            self._lines.append(f"... and {self._left_out:,} more lines")
        return "\n".join(self._lines)

    def line(self, depth: int, text: str) -> None:
        if len(self._lines) < self._max_lines:
            self._lines.append("  " * depth + text)
        else:
            self._left_out += 1

    def proof(self, premise: Premise, depth: int, mark: str) -> None:
        """Write what holds, and what it rests on."""
        work: list[tuple[Premise, int, str]] = [(premise, depth, mark)]
        while work:
            inner, indent, before = work.pop()
            match inner:
                case Absence(sentence):
                    self.line(indent, f"{before}not {_text(sentence)}")
                case DistinctTerms(left, right):
                    self.line(indent, f"{before}{_text(left)} is not {_text(right)}")
                case Proof(fact, _, premises):
                    is_new = id(inner) not in self._shown
                    remark = _origin(inner) if is_new or not premises else "as shown above"
                    self.line(indent, f"{before}{_text(fact)}{f'  [{remark}]' if remark else ''}")
                    self._shown.add(id(inner))
                    if is_new:
                        work += [(below, indent + 1, "") for below in reversed(premises)]

    def refutation(self, refutation: Refutation, depth: int) -> None:
        for instead in refutation.instead:
            self.proof(instead, depth, "instead: ")
        for number, attempt in enumerate(refutation.attempts):
            if number == 0:
                self.attempt(attempt, depth)
            else:
                where = _place(attempt.clause)
                self.line(depth, f"nor {where}: {_failure(attempt)}")

    def attempt(self, attempt: Attempt, depth: int) -> None:
        self.line(depth, f"{_text(attempt.head)} needs, by {_place(attempt.clause)}:")
        for premise in attempt.met:
            self.proof(premise, depth + 1, "yes".ljust(MARK))
        match attempt.failure:
            case Missing(sentence, because):
                self.line(depth + 1, f"{'no'.ljust(MARK)}{_text(sentence)}{_nothing(because)}")
                self.refutation(because, depth + 3)
            case Unwanted(sentence, because):
                self.line(depth + 1, f"{'no'.ljust(MARK)}not {_text(sentence)}")
                self.proof(because, depth + 3, "but ")
            case EqualTerms(term):
                self.line(depth + 1, f"{'no'.ljust(MARK)}{_text(term)} is not {_text(term)}")
        if attempt.open:
            noun = "condition" if attempt.open == 1 else "conditions"
            self.line(depth + 1, f"{'?'.ljust(MARK)}{attempt.open} more {noun}")


def _text(term: Term) -> str:
    text = kif_text(term)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."


def _place(clause: Clause) -> str:
    """Return file and line of a rule; the file without its folder, to keep lines short."""
    place = clause.rule.place or clause.rule.head.place
    if place is None:
        return "a rule"
    return f"{PurePath(place.span.source.name).name}:{place.span.line}"


def _origin(proof: Proof) -> str:
    if proof.clause is not None:
        return _place(proof.clause)
    if proof.is_cut:
        return "holds; not gone into"
    if proof.since is not None:
        return _since(proof.since)
    return ""


def _since(since: Since) -> str:
    if not since.turn:
        return "from the start"
    made = " and ".join(f"{_text(role)} played {_text(move)}" for role, move in since.moves)
    return f"since turn {since.turn}" + (f", when {made}" if made else "")


def _nothing(refutation: Refutation) -> str:
    if refutation.left_out:
        return f"  [{refutation.left_out}]"
    if refutation.attempts or refutation.instead:
        return ""
    if signature(refutation.query) in (TRUE, DOES):
        return ""
    return "  [no rule gives it]"


def _failure(attempt: Attempt) -> str:
    match attempt.failure:
        case Missing(sentence):
            return f"{_text(sentence)} does not hold"
        case Unwanted(_, because):
            return _holds(because)
        case EqualTerms(term):
            return f"{_text(term)} is not different from itself"


def _holds(proof: Proof) -> str:
    """Return that a fact holds; when it rests on one fact of the state, that this one does."""
    leaves = list(islice(_leaves_of_the_state(proof), 2))
    reason = leaves[0] if len(leaves) == 1 else proof
    since = "" if reason.since is None else f" {_since(reason.since)}"
    return f"{_text(reason.fact)} holds{since}"


def _leaves_of_the_state(proof: Proof) -> Iterator[Proof]:
    seen: set[int] = set()
    work: list[Premise] = [proof]
    while work:
        inner = work.pop()
        if isinstance(inner, Proof) and id(inner) not in seen:
            seen.add(id(inner))
            work += inner.premises
            if signature(inner.fact) == TRUE:
                yield inner


def _cause(refutation: Refutation) -> str:
    """Return the deepest reason in a few words, for the first line."""
    while refutation.attempts:
        attempt = refutation.attempts[0]
        if not isinstance(attempt.failure, Missing):
            return _failure(attempt)
        refutation = attempt.failure.because
    return f"{_text(refutation.query)} does not{_nothing(refutation)}"
