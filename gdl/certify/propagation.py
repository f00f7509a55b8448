"""Checks that clauses cannot be satisfied, by a proof whose steps need nothing but propagation.

In: clauses, and a proof in the DRAT form: clauses that are added, and clauses that are taken back.
Out: whether every clause that is added follows by unit propagation from those before it, and the
empty clause is among them. What a step of DRAT may do beyond that is not accepted.

Source: Goldberg, Novikov, "Verification of Proofs of Unsatisfiability for CNF Formulas", 2003; two
watched literals as in Moskewicz and others, "Chaff", DAC 2001.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from gdl.certify.aiger_file import CertificateError

Step: TypeAlias = tuple[bool, tuple[int, ...]]
"""Whether a clause is added (else taken back), and the clause."""


def read_proof(text: str) -> list[Step]:
    """Return the steps of a proof.

    Raises:
        CertificateError: A line is no step.
    """
    steps = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        is_added = words[0] != "d"
        try:
            *clause, end = map(int, words if is_added else words[1:])
        except ValueError:
            end = 1
        if end != 0 or 0 in clause:
            raise CertificateError(f"line {number} of the proof is no clause: {line[:40]}")
        steps.append((is_added, tuple(clause)))
    return steps


def refute(clauses: Iterable[Sequence[int]], proof: Iterable[Step]) -> int:
    """Return how many steps of a proof it took to refute clauses.

    Raises:
        CertificateError: A clause does not follow, or nothing is refuted; says at which step.
    """
    known = _Known()
    for clause in clauses:
        known.add(clause)
    count = 0
    for count, (is_added, clause) in enumerate(proof, start=1):
        if known.is_refuted:
            return count - 1
        if 0 in clause:  # it would be its own opposite, and so refute anything
            raise CertificateError(f"step {count} of the proof has a literal 0: {clause[:8]}")
        if not is_added:
            known.remove(clause)
        elif known.implies(clause):
            known.add(clause)
        else:
            raise CertificateError(f"step {count} of the proof does not follow: {clause[:8]}")
    if not known.is_refuted:
        raise CertificateError("the proof ends and nothing is refuted")
    return count


class _Known:
    """Clauses, what they say of single literals, and whether they were refuted.

    Kept throughout: ``trail`` is closed under unit propagation, and two literals of each clause are
    watched, so that a clause is looked at only when one of the two becomes false. A literal that
    is false for good is never watched beside another that is not true.
    """

    def __init__(self) -> None:
        self.is_refuted = False
        self._is_true: set[int] = set()
        self._trail: list[int] = []
        self._watching: dict[int, list[list[int]]] = defaultdict(list)
        self._of_clause: dict[tuple[int, ...], list[list[int]]] = defaultdict(list)

    def add(self, clause: Sequence[int]) -> None:
        """Take a clause as known, and propagate."""
        literals = sorted(set(clause), key=lambda lit: (-lit in self._is_true, abs(lit), lit))
        live = [lit for lit in literals if -lit not in self._is_true]
        if len(literals) > 1:
            row = list(literals)
            self._watching[row[0]].append(row)
            self._watching[row[1]].append(row)
            self._of_clause[tuple(sorted(literals))].append(row)
        if not live:
            self.is_refuted = True
        elif len(live) == 1 and live[0] not in self._is_true:
            self.is_refuted = self._assume([live[0]]) or self.is_refuted

    def remove(self, clause: Sequence[int]) -> None:
        """Forget a clause; what followed from it stays true, which is right."""
        # A clause of one literal is never forgotten, nor is what it led to: a proof that holds
        # with fewer clauses holds with more.
        rows = self._of_clause.get(tuple(sorted(set(clause))))
        if rows:
            rows.pop().clear()  # an empty row is dropped from the watches when it is met

    def implies(self, clause: Sequence[int]) -> bool:
        """Return whether denying a clause leads to a contradiction by propagation alone."""
        mark = len(self._trail)
        is_refuted = self._assume([-literal for literal in clause])
        for literal in self._trail[mark:]:
            self._is_true.discard(literal)
        del self._trail[mark:]
        return is_refuted

    def _assume(self, literals: Sequence[int]) -> bool:
        """Make literals true and propagate; return whether that is a contradiction."""
        is_true, trail = self._is_true, self._trail
        place = len(trail)
        for literal in literals:
            if -literal in is_true:
                return True
            if literal not in is_true:
                is_true.add(literal)
                trail.append(literal)
        while place < len(trail):
            false = -trail[place]
            place += 1
            if self._visit(false):
                return True
        return False

    def _visit(self, false: int) -> bool:
        """Look at the clauses that watch a literal which became false."""
        is_true, trail, watching = self._is_true, self._trail, self._watching
        kept: list[list[int]] = []
        rows = watching[false]
        for number, row in enumerate(rows):
            if not row:
                continue
            if row[0] == false:
                row[0], row[1] = row[1], row[0]
            first = row[0]
            if first in is_true:
                kept.append(row)
                continue
            for index in range(2, len(row)):
                if -row[index] not in is_true:
                    row[1], row[index] = row[index], row[1]
                    watching[row[1]].append(row)
                    break
            else:
                kept.append(row)
                if -first in is_true:
                    kept += rows[number + 1 :]
                    watching[false] = kept
                    return True
                is_true.add(first)
                trail.append(first)
        watching[false] = kept
        return False
