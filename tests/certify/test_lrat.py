"""Proofs with their reasons: whatever a solver proves gets them, and nothing else is accepted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.certify import CertificateError, outside
from gdl.certify.formulas import dimacs
from gdl.certify.lrat import check_lrat
from tests.shared import examples, some

solvers = pytest.importorskip("pysat.solvers", reason="needs the extra verify")

from gdl.verify.solvers import hints  # noqa: E402  # needs the extra
from gdl.verify.solvers.hints import HintError, lrat_lines, read_steps  # noqa: E402
from gdl.verify.solvers.proof_log import prove_unsatisfiable  # noqa: E402
from tests.verify.rup import refutes  # noqa: E402

Clauses = list[tuple[int, ...]]


def reasoned(clauses: Sequence[Sequence[int]], proof: list[str]) -> list[str]:
    return lrat_lines(clauses, read_steps([*proof, "0"]), lambda: None)


def random_formula(chance: random.Random) -> Clauses:
    """Return random clauses of up to three literals, some of them twice, or its own opposite."""
    count = chance.randrange(4, 40)
    lits = [lit for lit in range(-count, count + 1) if lit]
    return [
        tuple(chance.choice(lits) for _ in range(chance.choice((2, 3, 3, 3))))
        for _ in range(chance.choice((4, 5, 6)) * count)
    ]


def unsatisfiable(chance: random.Random) -> tuple[Clauses, list[str]]:
    """Return a formula, and a proof by a solver."""
    while True:
        clauses = random_formula(chance)
        proof = prove_unsatisfiable(clauses, lambda: None)
        if proof is not None:
            return clauses, proof


@pytest.mark.parametrize("seed", some(range(100), 15))
def test_a_solvers_proof_gets_its_reasons(seed: int) -> None:
    clauses, proof = unsatisfiable(random.Random(seed))
    lines = reasoned(clauses, proof)
    assert check_lrat(clauses, "\n".join(lines)) == len(lines)


@pytest.mark.parametrize("seed", some(range(100), 10))
def test_without_numba_it_is_the_same_proof(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    clauses, proof = unsatisfiable(random.Random(seed))
    expected = reasoned(clauses, proof)
    names = [name for name, f in vars(hints).items() if hasattr(f, "py_func")]
    for name in names:
        monkeypatch.setattr(hints, name, vars(hints)[name].py_func)
    monkeypatch.setattr(hints, "find_spec", lambda _: None)
    assert reasoned(clauses, proof) == expected


@pytest.mark.parametrize("seed", some(range(100), 10))
def test_a_step_without_reasons_is_refused_where_it_does_not_follow(seed: int) -> None:
    # As a checker of clauses alone sees it, which knows nothing of hints.
    chance = random.Random(seed)
    clauses, proof = unsatisfiable(chance)
    for _ in range(20):
        changed = [line for line in proof if not line.startswith("d")]
        if changed and chance.random() < 1 / 2:
            changed[chance.randrange(len(changed))] = f"{chance.randrange(1, 9)} 0"
        formula = [c for c in clauses if chance.random() < 0.98]
        steps = [[int(word) for word in line.split()[:-1]] for line in [*changed, "0"]]
        if refutes([list(clause) for clause in formula], steps):
            check_lrat(formula, "\n".join(reasoned(formula, changed)))
        else:
            with pytest.raises(HintError):
                reasoned(formula, changed)


@pytest.mark.parametrize(
    ("clauses", "proof", "text"),
    [
        ([], [], "step 1 does not follow: ()"),
        ([(1, 2)], ["3 0"], r"step 1 does not follow: (3,)"),
        ([(1, 2), (-1, 2), (1, -2), (-1, -2)], ["d 2 1 0", "1 0"], "step 2 does not follow: (1,)"),
    ],
)
def test_what_does_not_follow_has_no_reasons(clauses: Clauses, proof: list[str], text: str) -> None:
    with pytest.raises(HintError) as caught:
        reasoned(clauses, proof)
    assert str(caught.value) == text


# ---------------------------------------------------------------------- the check

FORMULA: Clauses = [(1, 2), (-1, 2), (1, -2), (-1, -2)]


@pytest.mark.parametrize(
    ("proof", "steps"),
    [
        ("5 2 0 1 2 0\n6 0 5 3 4 0\n", 2),
        ("5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n", 2),
        ("9 2 0 2 1 0\n10 7 -7 0 9 3 4 0\n11 0 9 4 3 0\nwhat comes after does not count", 3),
    ],
)
def test_a_proof_is_accepted(proof: str, steps: int) -> None:
    assert check_lrat(FORMULA, proof) == steps


@pytest.mark.parametrize(
    ("proof", "text"),
    [
        ("5 2 0 1 2 0\n", "the proof ends and nothing is refuted"),
        (
            "5 2 0 1 0\n",
            "step 5 of the proof does not follow: its hints end without a contradiction",
        ),
        (
            "5 2 0 1 2 3 0",
            "step 5 of the proof does not follow: hint 3 comes after the contradiction",
        ),
        ("5 0 1 2 0\n", "step 5 of the proof does not follow: hint 1 leaves 2 literals open"),
        ("5 0 5 0\n", "step 5 of the proof does not follow: there is no clause 5"),
        ("4 2 0 1 2 0\n", "step 4 of the proof comes after step 4"),
        ("5 d 1 0\n5 2 0 1 2 0\n", "step 5 of the proof does not follow: there is no clause 1"),
        ("5 d 9 0\n", "the proof forgets clause 9: there is none"),
        ("5 2 0 +1 2 0\n", "this is no step of a proof: 5 2 0 +1 2 0"),
        ("5 2 0 1_0 2 0\n", "this is no step of a proof: 5 2 0 1_0 2 0"),
        ("5 2 0 -1 2 0\n", "this is no step of a proof: 5 2 0 -1 2 0"),
        ("5 2 0\n", "this is no step of a proof: 5 2 0"),
        ("5 \u0662 0 1 2 0\n", "this is no step of a proof: 5 \u0662 0 1 2 0"),
        ("\n", "this is no step of a proof: "),
    ],
)
def test_a_proof_is_refused(proof: str, text: str) -> None:
    with pytest.raises(CertificateError) as caught:
        check_lrat(FORMULA, proof)
    assert str(caught.value) == text


small = st.integers(1, 4).flatmap(lambda number: st.sampled_from([number, -number]))
formulas = st.lists(st.lists(small, min_size=1, max_size=3).map(tuple), max_size=12)
steps = st.lists(
    st.tuples(st.lists(small, max_size=2), st.lists(st.integers(1, 18), max_size=5), st.booleans()),
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(formulas, steps)
def test_nothing_refutes_what_can_be_satisfied(
    clauses: Clauses, proof: list[tuple[list[int], list[int], bool]]
) -> None:
    lines = []
    for number, (clause, named, is_added) in enumerate(proof, start=len(clauses) + 1):
        words = [number, *clause, 0, *named, 0] if is_added else [number, "d", *named, 0]
        lines.append(" ".join(map(str, words)))
    named = list(range(1, len(clauses) + len(proof) + 1))
    lines.append(" ".join(map(str, (len(clauses) + len(proof) + 1, 0, *named, 0))))
    try:
        check_lrat(clauses, "\n".join(lines))
    except CertificateError:
        return
    assert not any(
        all(any(values[abs(lit) - 1] == (lit > 0) for lit in clause) for clause in clauses)
        for values in product((False, True), repeat=4)
    )


# ---------------------------------------------------------------------- a program of others


@pytest.mark.skipif(not outside.has_checker(), reason="cake_lpr is not installed")
@pytest.mark.parametrize("seed", some(range(40), 5))
def test_a_verified_checker_says_the_same(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    clauses, proof = unsatisfiable(chance)
    clauses = [tuple(sorted(set(clause))) for clause in clauses]  # it takes a set for granted
    lines = reasoned(clauses, proof)
    formula, file = tmp_path / "a.cnf", tmp_path / "a.lrat"
    most = max(abs(literal) for clause in clauses for literal in clause)
    formula.write_text(dimacs(clauses, most), encoding="ascii")
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    outside.ask_checker(formula, file)
    file.write_text("\n".join(lines[:-1]) + "\n", encoding="ascii")
    with pytest.raises(CertificateError, match=r"^cake_lpr does not verify it: "):
        outside.ask_checker(formula, file)


def test_what_a_program_does_not_verify_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not outside.has_checker()
    program = tmp_path / "cake_lpr"
    for said, expected in (
        ("s VERIFIED UNSAT", None),
        ("s VERIFIED UNSAT?", "cake_lpr does not verify it: s VERIFIED UNSAT?"),
        ("", "cake_lpr does not verify it: "),
    ):
        program.write_text(f"#!/bin/sh\necho '{said}'\n", encoding="ascii")
        program.chmod(0o755)
        assert outside.has_checker()
        if expected is None:
            outside.ask_checker(tmp_path / "a", tmp_path / "b")
            continue
        with pytest.raises(CertificateError) as caught:
            outside.ask_checker(tmp_path / "a", tmp_path / "b")
        assert str(caught.value) == expected
