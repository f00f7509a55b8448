"""Checks explanations step by step, knowing nothing of how they were found.

A step of a proof must be an instance of its rule: one substitution makes the head the fact and
each literal of the body what the premise says. What holds and what does not is taken from a set
of all facts, which the test gets from elsewhere.
"""

from __future__ import annotations

from gdl.language.syntax import (
    Atom,
    Compound,
    Distinct,
    Literal,
    Not,
    Sentence,
    Term,
    Variable,
)
from gdl.reason.explanation import (
    Absence,
    Attempt,
    DistinctTerms,
    EqualTerms,
    Missing,
    Premise,
    Proof,
    Refutation,
    Unwanted,
)

Substitution = dict[Variable, Term]


def check_proof(proof: Proof, known: set[Sentence], *, above: frozenset[Sentence]) -> None:
    """Check a proof and all proofs in it.

    Args:
        proof: What to check.
        known: All that holds.
        above: Facts that rest on this one; it may rest on none of them.
    """
    assert proof.fact in known
    assert proof.fact not in above, "circular"
    assert not proof.is_cut
    if proof.clause is None:
        assert proof.fact.name in {"true", "does"}
        assert not proof.premises
        return
    substitution: Substitution = {}
    assert matches(proof.clause.head, proof.fact, substitution)
    assert len(proof.clause.body) == len(proof.premises)
    for literal, premise in zip(proof.clause.body, proof.premises, strict=True):
        check_premise(literal, premise, substitution, known)
    for premise in proof.premises:
        if isinstance(premise, Proof):
            check_proof(premise, known, above=above | {proof.fact})


def check_premise(
    literal: Literal, premise: Premise, substitution: Substitution, known: set[Sentence]
) -> None:
    match literal, premise:
        case Atom(sentence), Proof(fact):
            assert fact in known
            assert matches(sentence, fact, substitution)
        case Not(Atom(sentence)), Absence(absent):
            assert matches(sentence, absent, substitution)
            assert not any(matches(absent, fact, {}) for fact in known)
        case Distinct(left, right), DistinctTerms(one, other):
            assert matches(left, one, substitution)
            assert matches(right, other, substitution)
            assert one is not other
        case _:
            raise AssertionError((literal, premise))


def check_refutation(refutation: Refutation, known: set[Sentence]) -> None:
    """Check that a sentence does not hold, and that each literal said to fail does."""
    assert not any(matches(refutation.query, fact, {}) for fact in known)
    for instead in refutation.instead:
        check_proof(instead, known, above=frozenset())
    for attempt in refutation.attempts:
        check_attempt(attempt, known)


def check_attempt(attempt: Attempt, known: set[Sentence]) -> None:
    body = list(attempt.clause.body)
    assert len(body) == len(attempt.met) + 1 + attempt.open
    substitution: Substitution = {}
    assert matches(attempt.clause.head, attempt.head, substitution)
    for premise in attempt.met:
        literal = next(other for other in body if _fits(other, premise, substitution))
        body.remove(literal)
        check_premise(literal, premise, substitution, known)
        if isinstance(premise, Proof):
            check_proof(premise, known, above=frozenset())
    match attempt.failure:
        case Missing(sentence, because):
            assert any(isinstance(o, Atom) and matches(o.sentence, sentence, {}) for o in body)
            assert not any(matches(sentence, fact, {}) for fact in known)
            assert because.query is sentence
            check_refutation(because, known)
        case Unwanted(sentence, proof):
            assert any(
                isinstance(o, Not)
                and isinstance(o.operand, Atom)
                and matches(o.operand.sentence, sentence, {})
                for o in body
            )
            assert matches(sentence, proof.fact, {})
            check_proof(proof, known, above=frozenset())
        case EqualTerms(term):
            assert any(
                isinstance(o, Distinct) and matches(o.left, term, {}) and matches(o.right, term, {})
                for o in body
            )


def _fits(literal: Literal, premise: Premise, substitution: Substitution) -> bool:
    """Return whether a premise may belong to a literal."""
    trial = dict(substitution)
    match literal, premise:
        case (Atom(sentence), Proof(said)) | (Not(Atom(sentence)), Absence(said)):
            return matches(sentence, said, trial)
        case Distinct(left, right), DistinctTerms(one, other):
            return matches(left, one, trial) and matches(right, other, trial)
        case _:
            return False


def matches(pattern: Term, term: Term, substitution: Substitution) -> bool:
    """Return whether a term is an instance of a pattern, and extend the substitution so."""
    if isinstance(pattern, Variable):
        return substitution.setdefault(pattern, term) is term
    if isinstance(pattern, Compound):
        return (
            isinstance(term, Compound)
            and pattern.name == term.name
            and len(pattern.args) == len(term.args)
            and all(
                matches(one, other, substitution)
                for one, other in zip(pattern.args, term.args, strict=True)
            )
        )
    return pattern is term
