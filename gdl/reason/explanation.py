"""What an explanation is: a proof of what holds, or what stands against what does not.

Proofs share what they have in common: the same fact has one proof, whoever uses it, and no proof
uses itself. `str` writes an explanation out; see `gdl.reason.explanation_text`.

Source: Ferrand, "Proof trees in logic programming", 1987 (proofs); Lloyd, "Declarative Error
Diagnosis", 1987 (the rule that should have fired); the choice of the closest rule is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gdl.language.clauses import Clause
from gdl.language.syntax import Distinct, Not, Sentence, Term
from gdl.machine import Move, Role


@dataclass(frozen=True, slots=True)
class Since:
    """When a fact of the state became true.

    Attributes:
        turn: After how many joint moves of the history; 0: as far back as it goes.
        moves: The moves that made it, with who made them; empty when it took none.
    """

    turn: int
    moves: tuple[tuple[Role, Move], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """Why a fact holds.

    Attributes:
        fact: A sentence without variables.
        clause: The rule it follows from, or that states it; None for what is true or done.
        premises: For each literal of the clause's body, in order, why that instance holds.
        since: Of a ``true``: when it became so; None when nothing is known of the past.
        is_cut: Whether premises are left out because the proof would be too large.
    """

    fact: Sentence
    clause: Clause | None = None
    premises: tuple[Premise, ...] = ()
    since: Since | None = None
    is_cut: bool = False

    def __str__(self) -> str:
        """Return the tree as text."""
        from gdl.reason.explanation_text import explanation_text

        return explanation_text(self)


@dataclass(frozen=True, slots=True)
class Absence:
    """A negated literal that holds.

    Attributes:
        sentence: What does not hold; a variable in it stands for anything.
        literal: Where that is asked.
    """

    sentence: Sentence
    literal: Not


@dataclass(frozen=True, slots=True)
class DistinctTerms:
    """A ``distinct`` that holds."""

    left: Term
    right: Term
    literal: Distinct


Premise: TypeAlias = Proof | Absence | DistinctTerms


@dataclass(frozen=True, slots=True, eq=False)
class Refutation:
    """Why a sentence does not hold.

    Attributes:
        query: The sentence; when it has variables, no instance of it holds.
        attempts: Rules that could have given it, closest first; empty when there is none.
        instead: Facts of the state that differ from it in one place.
        left_out: Why it is not gone into; empty when it is.
    """

    query: Sentence
    attempts: tuple[Attempt, ...] = ()
    instead: tuple[Proof, ...] = ()
    left_out: str = ""

    def __str__(self) -> str:
        """Return the tree as text."""
        from gdl.reason.explanation_text import explanation_text

        return explanation_text(self)


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """How far a rule gets.

    Attributes:
        clause: The rule.
        head: What it would give; variables that nothing has bound are left.
        met: Literals that hold together, in the order of the body.
        failure: One that does not hold with them.
        open: Number of further literals, that were not looked at.
    """

    clause: Clause
    head: Sentence
    met: tuple[Premise, ...]
    failure: Failure
    open: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Missing:
    """A positive literal that does not hold, and why."""

    sentence: Sentence
    because: Refutation


@dataclass(frozen=True, slots=True, eq=False)
class Unwanted:
    """A negated literal that does not hold, because what it negates does."""

    sentence: Sentence
    because: Proof


@dataclass(frozen=True, slots=True)
class EqualTerms:
    """A ``distinct`` that does not hold: both sides are one term."""

    term: Term


Failure: TypeAlias = Missing | Unwanted | EqualTerms
Explanation: TypeAlias = Proof | Refutation
