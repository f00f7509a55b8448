"""The checker of certificates: it trusts nothing that wrote them, and imports nothing of ours.

In: a folder that `gdl verify --certificates` or `gdl diff --certificates` wrote. Out: for each
claim whether its certificate holds, and what is still taken on trust.

- `aiger_file`: reads a transition system as AIGER
- `formulas`: what must be unsatisfiable for an invariant to hold; numbered in one way only
- `lrat`: checks a proof whose steps say why they follow; `outside` asks `cake_lpr` beside it
- `witness`: a proof by induction as a circuit that Certifaiger checks
- `closure`: checks that a list of states is closed under all moves
- `lengths`: what must be unsatisfiable where plays of some lengths come to nothing bad; loops
- `paths`: what must be unsatisfiable for a proof by k-induction
- `plies`: what must be unsatisfiable where counts and clauses show it ply by ply
- `balances`: what must be unsatisfiable where counts that never change keep play from what is bad
- `used_up`: what must be unsatisfiable where each step uses up one of some groups of facts
- `ranking`: likewise where each step lowers a weighted sum of facts
- `renaming`: checks that two lists of rules are the same up to names
- `names`: checks that a claim is called what its certificate shows
- `check`: the entrance

Source: Yu, Froleyks, Biere, Heljanko, "Stratified Certification for K-Induction", FMCAD 2022 (a
certificate is a circuit and a few formulas that anybody can ask).
"""

from __future__ import annotations

from gdl.certify.aiger_file import CertificateError
from gdl.certify.check import Checked, check_folder, read_index

__all__ = ["CertificateError", "Checked", "check_folder", "read_index"]
