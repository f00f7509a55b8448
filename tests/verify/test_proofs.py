"""What a solver denies comes with a proof that a checker of a few lines accepts."""

from pathlib import Path

import pytest

from gdl.language.diagnostics import GdlError
from gdl.verify import trial
from gdl.verify.verdicts import verify
from tests.verify.rup import read_dimacs, read_drat, refutes


def test_every_denial_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "MAX_STATES", 1)  # else all states are looked at, without a solver
    folder = tmp_path / "proofs"
    found = verify("tictactoe", proofs=folder)
    assert {verdict.status for verdict in found.verdicts} == {"proved"}
    formulas = sorted(folder.glob("*.cnf"))
    index = (folder / "index.txt").read_text(encoding="utf-8").splitlines()
    assert [path.stem for path in formulas] == [line.split()[0] for line in index]
    about = {line.partition(" ")[2] for line in index}
    assert {"invariants", "terminating", "playable", "goals unique", "winnable by x"} <= about
    for formula in formulas:
        clauses = read_dimacs(formula.read_text(encoding="ascii"))
        proof = read_drat(formula.with_suffix(".drat").read_text(encoding="ascii"))
        assert refutes(clauses, proof), formula.name


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("", encoding="utf-8")
    with pytest.raises(GdlError) as caught:
        verify("tictactoe", proofs=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} is not empty\n  help: name a new folder for the proofs"
    )


def test_the_checker_refuses_what_does_not_follow() -> None:
    square = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    assert refutes(square, [[2], []])
    assert not refutes(square[:3], [[2], []])
    assert not refutes([[1, 2], [-1, 3]], [[3], []])
