"""What must be unsatisfiable for an invariant to prove that nothing bad is ever reached.

In: a transition system and a circuit over its latches, the invariant. Out: three formulas, each
as clauses of DIMACS literals, numbered in one way only: whoever has the two files writes the
same bytes.

- ``initial``: the latches have their first values, and the invariant is false
- ``inductive``: the invariant holds, and is false after a step
- ``safe``: the invariant holds, and something is bad

If none can be satisfied, the invariant holds at first and after every step, so always; and where
it holds nothing is bad. Inputs are free: what makes a step a play is part of the system.

Source: Manna, Pnueli, "Temporal Verification of Reactive Systems: Safety", 1995 (rule INV);
Tseitin, "On the Complexity of Derivation in Propositional Calculus", 1968.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError

Clauses: TypeAlias = list[tuple[int, ...]]

INITIAL: Final = "initial"
INDUCTIVE: Final = "inductive"
SAFE: Final = "safe"


@dataclass(slots=True)
class Formula:
    """Clauses over variables that stand for variables of AIGER files.

    Attributes:
        clauses: The formula.
        variables: How many there are; the first is true.
        gates: Literals of each gate and of its operands, operands first.
    """

    clauses: Clauses = field(default_factory=lambda: [(1,)])
    variables: int = 1
    gates: list[tuple[int, int, int]] = field(default_factory=list)

    def fresh(self, count: int) -> list[int]:
        """Return so many new variables."""
        first = self.variables + 1
        self.variables += count
        return list(range(first, first + count))

    def add_gates(self, circuit: AigerFile, leaves: Sequence[int]) -> list[int]:
        """Add a copy of a circuit's gates.

        Args:
            circuit: The circuit.
            leaves: Literals of its inputs and latches, in order.

        Returns:
            The literal of each of its variables; that of variable 0 is false.
        """
        literals = [-1, *leaves]
        for gate in circuit.gates:
            literals.append(self.add_gate(literals, gate))
        return literals

    def add_gate(self, literals: Sequence[int], operands: tuple[int, int]) -> int:
        """Add a gate, given the literals of the variables before it; return its own."""
        left, right = (literal(literals, edge) for edge in operands)
        gate = self.both(left, right)
        self.gates.append((gate, left, right))
        return gate

    def both(self, left: int, right: int) -> int:
        """Return a new literal that is true just where two are."""
        (both,) = self.fresh(1)
        self.clauses += ((-both, left), (-both, right), (both, -left, -right))
        return both

    def dimacs(self) -> str:
        """Return the formula in DIMACS form."""
        return dimacs(self.clauses, self.variables)


def dimacs(clauses: Collection[Sequence[int]], variables: int) -> str:
    """Return clauses over so many variables in DIMACS form, no literal twice in one."""
    lines = [f"p cnf {variables} {len(clauses)}"]
    lines += (" ".join(map(str, (*dict.fromkeys(clause), 0))) for clause in clauses)
    return "\n".join(lines) + "\n"


def literal(literals: Sequence[int], edge: int) -> int:
    """Return the literal of an edge, given those of all variables."""
    return -literals[edge >> 1] if edge & 1 else literals[edge >> 1]


def invariant_questions(model: AigerFile, invariant: AigerFile) -> dict[str, Formula]:
    """Return the first two formulas: the invariant always holds. Cost O(gates).

    Raises:
        CertificateError: The invariant is no circuit of one output over the system's latches.
    """
    if (invariant.inputs, len(invariant.nexts), len(invariant.outputs)) != (
        len(model.nexts),
        0,
        1,
    ):
        raise CertificateError("the invariant is no circuit of one output over the latches")
    return {INITIAL: _initial(model, invariant), INDUCTIVE: _inductive(model, invariant)}


def questions(model: AigerFile, invariant: AigerFile) -> dict[str, Formula]:
    """Return the three formulas. Cost O(gates).

    Raises:
        CertificateError: The invariant is no circuit of one output over the system's latches.
    """
    return invariant_questions(model, invariant) | {SAFE: _safe(model, invariant)}


def _initial(model: AigerFile, invariant: AigerFile) -> Formula:
    formula = Formula()
    latches = formula.fresh(len(model.nexts))
    formula.clauses += (
        (latch if value else -latch,) for latch, value in zip(latches, model.resets, strict=True)
    )
    holds = literal(formula.add_gates(invariant, latches), invariant.outputs[0])
    formula.clauses.append((-holds,))
    return formula


def _inductive(model: AigerFile, invariant: AigerFile) -> Formula:
    formula, step = step_of(model, invariant)
    after = [literal(step, edge) for edge in model.nexts]
    holds = literal(formula.add_gates(invariant, after), invariant.outputs[0])
    formula.clauses.append((-holds,))
    return formula


def _safe(model: AigerFile, invariant: AigerFile) -> Formula:
    formula, step = step_of(model, invariant)
    formula.clauses.append(tuple(literal(step, edge) for edge in model.bads))
    return formula


def step_of(model: AigerFile, invariant: AigerFile) -> tuple[Formula, list[int]]:
    """Return that the invariant holds before a step, and the literals of the system's variables.

    The variables of the formula are the system's own: inputs first, then latches, then gates.
    """
    formula = Formula()
    leaves = formula.fresh(model.inputs + len(model.nexts))
    step = formula.add_gates(model, leaves)
    latches = leaves[model.inputs :]
    holds = literal(formula.add_gates(invariant, latches), invariant.outputs[0])
    formula.clauses.append((holds,))
    return formula, step
