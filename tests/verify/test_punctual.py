"""A solver keeps its budget, however long the formula."""

import time

import pytest

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.logic import disj_all, xor
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.sat import Solver

SECONDS = 3.0


def product(aig: Aig, one: list[Lit], other: list[Lit]) -> list[Lit]:
    """Return the bits of the product of two numbers, added up row by row."""
    total: list[Lit] = [0] * (len(one) + len(other))
    for place, bit in enumerate(one):
        carry = 0
        for index, factor in enumerate(other):
            before, row = total[place + index], aig.conj(bit, factor)
            half = xor(aig, before, row)
            total[place + index] = xor(aig, half, carry)
            carry = aig.disj(aig.conj(before, row), aig.conj(half, carry))
        total[place + len(other)] = carry
    return total


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("width", [40, 120])
def test_a_long_formula_keeps_its_budget(width: int) -> None:
    """That a product does not depend on the order of its factors: nobody proves it in time.

    A solver that looks at its budget at restarts only takes two to many times as long.
    """
    aig = Aig()
    one, other = ([aig.add_input() for _ in range(width)] for _ in range(2))
    pairs = zip(product(aig, one, other), product(aig, other, one), strict=True)
    differs = disj_all(aig, [xor(aig, a, b) for a, b in pairs])
    solver = Solver(aig, Budget(SECONDS))
    start = time.monotonic()
    with pytest.raises(OutOfBudgetError, match="3 seconds are over"):
        solver.solve([solver.lit(differs)])
    assert time.monotonic() - start < 2 * SECONDS
    solver.close()


def test_a_variable_of_no_clause_has_a_value_in_each_model() -> None:
    """A fact that no rule asks about: a model ends with the last variable of a clause."""
    aig = Aig()
    asked, free = (aig.add_input() for _ in range(2))
    solver = Solver(aig, Budget(SECONDS))
    literals = [solver.lit(asked), solver.lit(free)]
    assert solver.solve([literals[0]])
    assert solver.value(literals[0])
    assert solver.value(literals[1]) != solver.value(-literals[1])
    assert len(solver.true_of(literals)) == 2
    solver.close()
