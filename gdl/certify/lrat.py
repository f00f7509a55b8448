"""Checks that clauses cannot be satisfied, by a proof that says why each of its steps follows.

In: clauses, and a proof in the form LRAT: each step has a number, a clause, and hints: the numbers
of the clauses that lead from its denial to a contradiction, in that order. Out: how many steps
there are. Nothing is looked for, so the cost is linear in what the hints name.

A hint has to leave one literal open, which then is true, and the last one none. What LRAT allows
beyond that (hints below zero, for clauses that do not follow) is not accepted.

Source: Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp, "Efficient Certified RAT Verification",
CADE 2017.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from gdl.certify.aiger_file import CertificateError

NUMBER: Final = r"[1-9]\d{0,17}"
"""Of a step or a variable: 64 bits hold it in any program."""
ADDED: Final = re.compile(rf"(\d{{1,18}})((?: -?{NUMBER})*) 0((?: {NUMBER})*) 0", re.ASCII)
FORGOTTEN: Final = re.compile(rf"\d{{1,18}} d((?: {NUMBER})*) 0", re.ASCII)


def check_lrat(clauses: Iterable[Sequence[int]], proof: str) -> int:
    """Return how many clauses a proof adds until it refutes the given ones.

    Raises:
        CertificateError: A step does not follow as it says, or nothing is refuted.
    """
    active: dict[int, Sequence[int]] = dict(enumerate(clauses, start=1))
    last, steps = len(active), 0
    for line in proof.splitlines():
        if forgotten := FORGOTTEN.fullmatch(line):
            for number in map(int, forgotten[1].split()):
                if active.pop(number, None) is None:
                    raise CertificateError(f"the proof forgets clause {number}: there is none")
            continue
        read = ADDED.fullmatch(line)
        if read is None:
            raise CertificateError(f"this is no step of a proof: {line[:40]}")
        number, clause = int(read[1]), tuple(map(int, read[2].split()))
        if number <= last:
            raise CertificateError(f"step {number} of the proof comes after step {last}")
        why = _objection(active, clause, map(int, read[3].split()))
        if why:
            raise CertificateError(f"step {number} of the proof does not follow: {why}")
        last, steps = number, steps + 1
        if not clause:
            return steps
        active[number] = clause
    raise CertificateError("the proof ends and nothing is refuted")


def _objection(
    active: dict[int, Sequence[int]], clause: Sequence[int], hints: Iterable[int]
) -> str:
    """Return why denying a clause does not lead to a contradiction by hints; empty if it does."""
    # Kept: whoever denies the clause and grants the known ones has to deny all of `denied`.
    denied, is_contradiction = set(clause), False
    for hint in hints:
        if is_contradiction:
            return f"hint {hint} comes after the contradiction"
        if hint not in active:
            return f"there is no clause {hint}"
        left = {literal for literal in active[hint] if literal not in denied}
        if len(left) > 1:
            return f"hint {hint} leaves {len(left)} literals open"
        denied.update(-literal for literal in left)
        is_contradiction = not left
    return "" if is_contradiction else "its hints end without a contradiction"
