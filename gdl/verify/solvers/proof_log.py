"""Proofs for the "no" of a solver, which somebody else can check.

In: clauses that a solver found to be unsatisfiable. Out: for each such answer a formula in
DIMACS form, a proof of it in the DRAT form, and a line of an index that says what it was
asked for. The formula is solved once more by a fresh solver that writes its proof: what
is checked is the answer, not the search for it.

Source: Wetzler, Heule, Hunt, "DRAT-trim: Efficient Checking and Trimming Using Expressive
Clausal Proofs", SAT 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gdl.certify.formulas import dimacs
from gdl.language.diagnostics import GdlError

PROVER: Final = "glucose4"
"""Writes proofs that need no more than unit propagation to check."""
INDEX: Final = "index.txt"
CONFLICTS: Final = 5_000
"""Conflicts between two looks at the budget."""


@dataclass(slots=True)
class ProofLog:
    """A folder of proofs.

    Attributes:
        folder: Where they are written; must be empty or not there yet.
        about: What is being asked, for the index.
        count: How many were written.
    """

    folder: Path
    about: str = ""
    count: int = 0

    def open(self) -> None:
        """Make the folder.

        Raises:
            GdlError: There is something in it.
            OSError: It cannot be made.
        """
        make_empty(self.folder, "proofs")

    def unsatisfiable(
        self, clauses: Sequence[Sequence[int]], assumed: Iterable[int], check: Callable[[], None]
    ) -> None:
        """Write the proof that clauses, with some literals assumed, cannot be satisfied.

        Args:
            clauses: The formula.
            assumed: Literals.
            check: Called now and then; raises to give up.

        Raises:
            AssertionError: They can: a solver is wrong.
        """
        whole = [*clauses, *([literal] for literal in assumed)]
        proof = prove_unsatisfiable(whole, check)
        assert proof is not None, "two solvers do not agree"
        name = f"{self.count:05}"
        self.count += 1
        self._write(f"{name}.cnf", _dimacs(whole))
        self._write(f"{name}.drat", "\n".join(proof) + "\n")
        with (self.folder / INDEX).open("a", encoding="utf-8") as index:
            index.write(f"{name} {self.about}\n")

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="ascii")


def make_empty(folder: Path, what: str) -> None:
    """Make a folder for proofs, or for what else is written there.

    Raises:
        GdlError: There is something in it.
        OSError: It cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise GdlError(f"{folder} is not empty", help=f"name a new folder for the {what}")


def prove_unsatisfiable(
    clauses: Sequence[Sequence[int]], check: Callable[[], None]
) -> list[str] | None:
    """Return lines of a DRAT proof that clauses cannot be satisfied; None if they can.

    Args:
        clauses: The formula.
        check: Called now and then; raises to give up.
    """
    from pysat.solvers import Solver

    with Solver(name=PROVER, bootstrap_with=clauses, with_proof=True) as solver:
        answer: bool | None = None
        while answer is None:
            check()
            solver.conf_budget(CONFLICTS)
            answer = solver.solve_limited(expect_interrupt=True)
        return None if answer else list(solver.get_proof())


def _dimacs(clauses: Sequence[Sequence[int]]) -> str:
    largest = max((abs(literal) for clause in clauses for literal in clause), default=0)
    return dimacs(clauses, largest)
