"""What must be unsatisfiable where counts of facts that never change show that nothing is bad.

In: a transition system, an invariant, and balances: groups of latches, each with whether it counts
that one of them is true, or that none is. How many groups of a balance count is the same in all
states of a play. Out: formulas. All but the first three speak of a step of a play from a state in
which nothing is bad, the invariant holds, and of each balance as many groups count as at first:

- ``marked``: what was no play goes on as one, or is bad
- ``initial``: the latches have their first values, and the invariant is false
- ``first``: something is bad in the first state
- ``balance-N``: other many groups of balance N begin to count than cease to
- ``kept``: the invariant is false after the step
- ``then``: something is bad after it

If none can be satisfied, nothing bad is ever reached: by induction over the steps of a play, all
that is asked about holds in each of its states. Of a state that no play leads to nothing is said,
and ``marked`` denies that it is bad.

Source: place invariants as in Murata, "Petri Nets: Properties, Analysis and Applications", Proc.
IEEE 1989; sums and sorting networks as in `plies`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.closure import MARKED, marked_question
from gdl.certify.formulas import INITIAL, Formula, invariant_questions, literal
from gdl.certify.lengths import lengths_question
from gdl.certify.paths import KEPT
from gdl.certify.plies import FIRST, PlyStep, exactly, unequal

BALANCES: Final = "balances"
THEN: Final = "then"

Group: TypeAlias = tuple[tuple[int, ...], bool]
"""Latches, and whether it counts that one of them is true, or that none is."""
Groups: TypeAlias = tuple[Group, ...]


def written(balances: Sequence[Groups]) -> str:
    """Return balances as JSON; `read_balances` reads them."""
    return json.dumps([[[list(latches), counts] for latches, counts in row] for row in balances])


def read_balances(text: str, latches: int) -> tuple[Groups, ...]:
    """Return balances as they are written.

    Raises:
        CertificateError: They are none, or speak of latches that there are not.
    """
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"these are no balances: {error}") from error
    if not isinstance(said, list) or not all(isinstance(row, list) for row in said):
        raise CertificateError("these are no balances: a list of lists was expected")
    return tuple(tuple(_group(group, latches) for group in row) for row in said)


def _group(said: object, latches: int) -> Group:
    match said:
        case [list(members), bool(counts)] if all(type(n) is int for n in members):
            if all(0 <= n < latches for n in members):
                return tuple(members), counts
            raise CertificateError("a latch of a group is no latch")
    raise CertificateError("a group is latches, and whether it counts that one is true")


def balance_questions(
    model: AigerFile, invariant: AigerFile, balances: Sequence[Groups]
) -> Iterator[tuple[str, Formula]]:
    """Yield all formulas, each with its name. Cost O(gates) each.

    Raises:
        CertificateError: The invariant is no circuit of one output over the latches, or no latch
            says what a play is.
    """
    yield MARKED, marked_question(model)
    yield INITIAL, invariant_questions(model, invariant)[INITIAL]
    yield FIRST, lengths_question(model, 0)
    for number, groups in enumerate(balances):
        yield f"balance-{number}", _unbalanced(model, invariant, balances, groups)
    kept = _balanced(model, invariant, balances)
    holds = kept.formula.add_gates(invariant, kept.after)
    kept.formula.clauses.append((-literal(holds, invariant.outputs[0]),))
    yield KEPT, kept.formula
    then = _balanced(model, invariant, balances)
    then.formula.clauses.append(tuple(then.bads_after()))
    yield THEN, then.formula


def _balanced(model: AigerFile, invariant: AigerFile, balances: Sequence[Groups]) -> PlyStep:
    """Return a step of a play from where as many groups of each balance count as at first."""
    step = PlyStep(model, invariant)
    for groups in balances:
        first = sum(any(model.resets[n] for n in row) == counts for row, counts in groups)
        exactly(step.formula, _counting(step, groups, step.latches), first)
    return step


def _counting(step: PlyStep, groups: Groups, latches: Sequence[int]) -> list[int]:
    """Return literals that are true just where groups count."""
    signs = [(1 if counts else -1, row) for row, counts in groups]
    return [sign * step.any_of(row, latches) for sign, row in signs]


def _unbalanced(
    model: AigerFile, invariant: AigerFile, balances: Sequence[Groups], groups: Groups
) -> Formula:
    step = _balanced(model, invariant, balances)
    rows = (_counting(step, groups, latches) for latches in (step.latches, step.after))
    unequal(step.formula, zip(*rows, strict=True), 0)
    return step.formula
