"""The check of proofs as machine code says what the plain one says, of wrong proofs too."""

import random
from collections.abc import Callable, Iterable, Sequence

import pytest

from gdl.certify.aiger_file import CertificateError
from gdl.certify.propagation import Step, read_proof, refute
from tests.shared import some

pytest.importorskip("numba", reason="needs numba: pip install 'gdl-framework[play]'")
solvers = pytest.importorskip("pysat.solvers", reason="needs the extra verify")

Checker = Callable[[Iterable[Sequence[int]], Iterable[Step]], int]


def quick(clauses: Iterable[Sequence[int]], proof: Iterable[Step]) -> int:
    from gdl.certify.quick_propagation import refute as compiled

    return compiled(clauses, proof)


def said(check: Checker, clauses: list[tuple[int, ...]], proof: list[Step]) -> int | str:
    try:
        return check(clauses, proof)
    except CertificateError as error:
        return str(error)


def unsatisfiable(chance: random.Random) -> tuple[list[tuple[int, ...]], list[Step]]:
    """Return a formula of random clauses of up to three literals, and a proof by a solver."""
    while True:
        variables = chance.randrange(4, 40)
        clauses = [
            tuple(
                chance.choice((-1, 1)) * chance.randrange(1, variables + 1)
                for _ in range(chance.choice((2, 3, 3, 3)))
            )
            for _ in range(6 * variables)
        ]
        with solvers.Solver(name="glucose4", bootstrap_with=clauses, with_proof=True) as solver:
            if not solver.solve():
                return clauses, [*read_proof("\n".join(solver.get_proof())), (True, ())]


def changed(chance: random.Random, clauses: list[tuple[int, ...]], proof: list[Step]) -> None:
    """Change a clause or a step in place."""
    if not proof or chance.random() < 1 / 2:
        place = chance.randrange(len(clauses))
        clauses[place] = tuple(chance.choice((-lit, lit, 1)) for lit in clauses[place])
        return
    place = chance.randrange(len(proof))
    if chance.random() < 1 / 3:
        del proof[place]
        return
    is_added, clause = proof[place]
    literals = list(clause) or [1]
    literals[chance.randrange(len(literals))] *= chance.choice((-1, 0))
    proof[place] = chance.choice([(is_added, tuple(literals)), (not is_added, clause)])


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_both_checks_say_the_same(seed: int) -> None:
    chance = random.Random(seed)
    clauses, proof = unsatisfiable(chance)
    expected = said(refute, clauses, proof)
    assert isinstance(expected, int)
    assert said(quick, clauses, proof) == expected
    for _ in range(30):
        mine, steps = list(clauses), list(proof)
        for _ in range(chance.randrange(1, 4)):
            changed(chance, mine, steps)
        expected = said(refute, mine, steps)
        assert said(quick, mine, steps) == expected


ALL_OF_TWO = [(1, 2), (-1, 2), (1, -2), (-1, -2)]
OPEN = "the proof ends and nothing is refuted"


def wrong(step: int, clause: tuple[int, ...]) -> str:
    return f"step {step} of the proof does not follow: {clause}"


@pytest.mark.parametrize(
    ("clauses", "proof", "expected"),
    [
        ([], [], OPEN),
        ([()], [], 0),
        ([(1,), (-1,)], [], 0),
        ([(1, 2)], [(True, ())], wrong(1, ())),
        ([(1, 2)], [(True, (1, 0))], "step 1 of the proof has a literal 0: (1, 0)"),
        ([(1, -1), (2, 2)], [(True, (3, -3)), (True, (-2, 3))], wrong(2, (-2, 3))),
        (ALL_OF_TWO[:3], [(False, (5, 6)), (True, (1,)), (False, (1,)), (True, ())], wrong(4, ())),
        (ALL_OF_TWO, [(False, (2, 1)), (True, (1,))], wrong(2, (1,))),
        (ALL_OF_TWO, [(True, (10**15, 1)), (True, (1,))], 2),
    ],
)
def test_what_is_refuted_and_what_is_not(
    clauses: list[tuple[int, ...]], proof: list[Step], expected: int | str
) -> None:
    assert said(refute, clauses, proof) == expected
    assert said(quick, clauses, proof) == expected
