"""Copies of a system one after the other, from any state at all; and k-induction as questions.

In: a transition system, an invariant, a number k. Out: formulas. The invariant needs to hold only
as long as nothing was bad:

- ``initial``: the latches have their first values, and the invariant is false
- ``kept``: the invariant holds, nothing is bad, and after a step it is false
- ``lengths``: something is bad after k - 1 steps, or fewer
- ``path``: on a path of k steps the invariant holds and nothing is bad in all states but the last,
  and something is bad there

If none can be satisfied, nothing bad is ever reached. Take the shortest way to something bad: it
has k steps or more, and nothing is bad before its end. So the invariant holds all along, and its
last k steps are such a path. A shortest way comes to no state twice, so the states of a path may
be asked to differ. Beside these, steps of a play in a row, for what each such run does.

Source: Sheeran, Singh, Stalmarck, "Checking Safety Properties Using Induction and a SAT-Solver",
FMCAD 2000.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.closure import play_latch
from gdl.certify.formulas import INITIAL, Formula, invariant_questions, literal, step_of
from gdl.certify.lengths import LENGTHS, lengths_question, whole_length

K_INDUCTION: Final = "k-induction"
KEPT: Final = "kept"
PATH: Final = "path"
MAX_RUN: Final = 100
"""Steps in a row of which something is claimed, at most."""


class Path:
    """A path from any state; it grows step by step.

    Attributes:
        formula: What says so.
        states: Literals of the latches in each state; the last has no copy of the system yet.
        bads: Literals of what is bad in each state but that one.
    """

    def __init__(self, model: AigerFile, invariant: AigerFile) -> None:
        """Begin with a state of which nothing is known."""
        self.formula = Formula()
        self.states = [self.formula.fresh(len(model.nexts))]
        self.bads: list[tuple[int, ...]] = []
        self._model, self._invariant = model, invariant

    def extend(self) -> None:
        """Add inputs, the logic of the system, and the state after it. Cost O(gates)."""
        model, formula = self._model, self.formula
        step = formula.add_gates(model, [*formula.fresh(model.inputs), *self.states[-1]])
        self.bads.append(tuple(literal(step, edge) for edge in model.bads))
        self.states.append([literal(step, edge) for edge in model.nexts])

    def hold(self) -> None:
        """Let the invariant hold in the last state."""
        holds = self.formula.add_gates(self._invariant, self.states[-1])
        self.formula.clauses.append((literal(holds, self._invariant.outputs[0]),))

    def go_on(self) -> None:
        """Let the invariant hold in the last state, nothing be bad there, and a step be made."""
        self.hold()
        self.extend()
        self.formula.clauses += ((-bad,) for bad in self.bads[-1])

    def tell_apart(self) -> None:
        """Let all states differ, but for the last. Cost O(latches * states ** 2)."""
        for left, right in combinations(self.states[:-1], 2):
            differ = self.formula.fresh(len(left))
            for fresh, a, b in zip(differ, left, right, strict=True):
                self.formula.clauses += ((-fresh, a, b), (-fresh, -a, -b))
            self.formula.clauses.append(tuple(differ))


def run_of_play(
    model: AigerFile, invariant: AigerFile, steps: int
) -> tuple[Formula, list[int], list[int]]:
    """Return that a play makes so many steps, from a state in which the invariant holds.

    Returns:
        The formula, and the literals of the latches before the first step and after the last.

    Raises:
        CertificateError: No latch says what a play is.
    """
    latch = play_latch(model)
    if steps == 1:
        formula, step = step_of(model, invariant)
        formula.clauses.append((literal(step, model.nexts[latch]),))
        after = [literal(step, edge) for edge in model.nexts]
        return formula, step[1 + model.inputs :][: len(after)], after
    path = Path(model, invariant)
    for _ in range(steps):
        path.hold()
        path.extend()
        path.formula.clauses.append((path.states[-1][latch],))
    return path.formula, path.states[0], path.states[-1]


def read_steps(steps: object) -> int:
    """Return of how many steps in a row a claim speaks; of one where it does not say.

    Raises:
        CertificateError: That is no number of steps.
    """
    if type(steps) is not int or not 1 <= steps <= MAX_RUN:
        raise CertificateError(f"{steps!r} is no number of steps in a row")
    return steps


def runs_at_most(progress: int, steps: int) -> int:
    """Return how many steps a play has if so many in a row always do what can be done so often.

    A play can be cut into runs of so many steps, and less than a run that is left.
    """
    return steps * progress + steps - 1


def kept_questions(model: AigerFile, invariant: AigerFile) -> dict[str, Formula]:
    """Return that an invariant is false at first, or after a step before which nothing was bad.

    Raises:
        CertificateError: It is no circuit of one output over the system's latches.
    """
    asked = {INITIAL: invariant_questions(model, invariant)[INITIAL]}
    formula, step = step_of(model, invariant)
    formula.clauses += ((-literal(step, edge),) for edge in model.bads)
    after = [literal(step, edge) for edge in model.nexts]
    holds = literal(formula.add_gates(invariant, after), invariant.outputs[0])
    formula.clauses.append((-holds,))
    return asked | {KEPT: formula}


def k_questions(
    model: AigerFile, invariant: AigerFile, k: object, *, is_simple: object
) -> dict[str, Formula]:
    """Return the four formulas. Cost O(gates * k).

    Args:
        model: The system.
        invariant: A circuit of one output over its latches.
        k: States of a path before something bad.
        is_simple: Whether they have to differ.

    Raises:
        CertificateError: That is no number of states, no answer, or no such circuit.
    """
    steps = whole_length(k)
    if not steps or not isinstance(is_simple, bool):
        raise CertificateError("induction over no state, or over nobody knows which")
    return {
        **kept_questions(model, invariant),
        LENGTHS: lengths_question(model, steps - 1),
        PATH: path_question(model, invariant, steps, is_simple=is_simple),
    }


def path_question(
    model: AigerFile, invariant: AigerFile, steps: int, *, is_simple: bool
) -> Formula:
    """Return that a path of so many steps leads to something bad for the first time."""
    path = Path(model, invariant)
    for _ in range(steps):
        path.go_on()
    path.extend()
    path.formula.clauses.append(path.bads[-1])
    if is_simple:
        path.states.pop()  # which follows on what is bad
        path.tell_apart()
    return path.formula
