"""What a solver denies comes with a proof that a checker of a few lines accepts."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from pysat.solvers import Solver

import gdl
from gdl.cli.main import main
from gdl.language.diagnostics import GdlError
from gdl.ruleset import find
from gdl.verify.diff import Comparison
from gdl.verify.properties import examination
from gdl.verify.proving import prove
from gdl.verify.proving.portfolio import BOUNDED, REACHABILITY
from gdl.verify.proving.prove import ALL_STATES
from gdl.verify.solvers.budget import OutOfBudgetError, open_budget
from gdl.verify.solvers.proof_log import ProofLog
from gdl.verify.verification import verify
from tests.verify.rup import read_dimacs, read_drat, refutes

Clauses = list[list[int]]


def proved_in(folder: Path) -> dict[str, tuple[Clauses, Clauses]]:
    """Return the formula and the proof of each line of the index, all of which must be there."""
    index = (folder / "index.txt").read_text(encoding="utf-8").splitlines()
    found = {}
    for line in index:
        name, _, about = line.partition(" ")
        formula = folder / f"{name}.cnf"
        proof = formula.with_suffix(".drat")
        found[f"{name} {about}"] = (
            read_dimacs(formula.read_text(encoding="ascii")),
            read_drat(proof.read_text(encoding="ascii")),
        )
    assert len(list(folder.glob("*.cnf"))) == len(list(folder.glob("*.drat"))) == len(index)
    return found


def abouts(found: dict[str, tuple[Clauses, Clauses]]) -> set[str]:
    return {name.partition(" ")[2] for name in found}


def too_many(*_: object) -> None:
    """Say of a game that it has too many states to look at, so that a solver is asked."""


@pytest.fixture
def forgetful(tmp_path: Path) -> Path:
    """Return a tic-tac-toe whose draws pay 40 and not 50: nine marks show it."""
    text = "\n".join(source.text for source in find("tictactoe").texts())
    path = tmp_path / "forgetful.kif"
    path.write_text(text.replace("(goal ?player 50)", "(goal ?player 40)"), encoding="utf-8")
    return path


@pytest.mark.slow
def test_every_denial_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "MAX_STATES", 1)  # else no solver is asked
    folder = tmp_path / "proofs"
    found = verify("tictactoe", proofs=folder)
    assert {verdict.status for verdict in found.verdicts} == {"proved"}
    proved = proved_in(folder)
    wanted = {"invariants", "terminating", "playable", "goals unique", "winnable by x"}
    assert wanted <= abouts(proved)
    for name, (clauses, proof) in proved.items():
        assert refutes(clauses, proof), name


@pytest.mark.slow
def test_every_shorter_length_of_a_difference_is_proved(tmp_path: Path, forgetful: Path) -> None:
    folder = tmp_path / "proofs"
    comparison = Comparison(
        (find("tictactoe"), find(str(forgetful))),
        open_budget(60, 4_000, folder),
        without=(ALL_STATES, BOUNDED, REACHABILITY),  # so that the search has to tell
    )
    answer = comparison.run()
    assert (answer.proved, answer.depth) == (True, 9)
    proved = proved_in(folder)
    assert {f"search: plays of {length} moves" for length in range(1, 9)} <= abouts(proved)
    assert any(about.startswith("invariants: ") for about in abouts(proved))
    assert answer.notes == (
        f"what the solver denied is proved in {folder}: {len(proved)} formulas",
    )
    for name, (clauses, proof) in proved.items():
        assert refutes(clauses, proof), name


@pytest.mark.slow
def test_an_equivalence_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "explore", too_many)
    text = "\n".join(source.text for source in find("tictactoe").texts())
    other = tmp_path / "other.kif"  # what is said twice is no other game, but another text
    other.write_text(f"{text}\n(<= terminal (line ?any) (role ?any))", encoding="utf-8")
    folder = tmp_path / "proofs"
    answer = gdl.diff("tictactoe", other, proofs=folder)
    assert (answer.equivalent, answer.proved) == (True, True)
    proved = proved_in(folder)
    assert proved
    for name, (clauses, proof) in proved.items():
        assert refutes(clauses, proof), name


@pytest.mark.slow
def test_a_proof_that_was_tampered_with_is_refused(
    tmp_path: Path, forgetful: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of too few clauses nothing is proved, and a step that follows from nothing is no proof."""
    monkeypatch.setattr(prove, "explore", too_many)
    folder = tmp_path / "proofs"
    gdl.diff("tictactoe", forgetful, proofs=folder)
    chance = random.Random(7)
    proved = list(proved_in(folder).values())
    with_steps = [each for each in proved if not refutes(each[0], [])]
    assert with_steps
    for clauses, proof in with_steps:
        fresh = 1 + max(abs(literal) for clause in clauses for literal in clause)
        assert not refutes(clauses, [[fresh], *proof])
    for clauses, proof in chance.sample(proved, min(5, len(proved))):
        assert not refutes(weakened(clauses, chance), proof)


def weakened(clauses: Clauses, chance: random.Random) -> Clauses:
    """Return most of the clauses: so few, and no fewer than needed, that they can be satisfied."""
    kept = chance.sample(clauses, len(clauses))
    while True:
        with Solver(name="cadical153", bootstrap_with=kept) as solver:
            if solver.solve():
                return kept
        del kept[-max(1, len(kept) // 50) :]


def test_the_same_texts_need_no_proof(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    answer = gdl.diff("tictactoe", "tictactoe", proofs=folder)
    assert answer.notes == (f"no solver denied anything: there is no proof in {folder}",)
    assert f"  note: no solver denied anything: there is no proof in {folder}" in str(answer)


def test_a_proof_that_takes_too_long_is_no_answer(tmp_path: Path) -> None:
    def spent() -> None:
        raise OutOfBudgetError("1 seconds are over")

    log = ProofLog(tmp_path / "proofs")
    log.open()
    with pytest.raises(OutOfBudgetError):
        log.unsatisfiable([[1], [-1]], (), spent)
    assert list(log.folder.iterdir()) == []


@pytest.mark.parametrize("compare", [verify, partial(gdl.diff, "tictactoe")])
def test_a_folder_with_something_in_it_is_refused(
    tmp_path: Path, compare: Callable[..., object]
) -> None:
    (tmp_path / "mine").write_text("", encoding="utf-8")
    with pytest.raises(GdlError) as caught:
        compare("tictactoe", proofs=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} is not empty\n  help: name a new folder for the proofs"
    )


def test_the_command_writes_proofs_and_a_table_does_not(
    tmp_path: Path, forgetful: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "proofs"
    assert main(["diff", "tictactoe", str(forgetful), "--proofs", str(folder)]) == 1
    assert f"proof in {folder}" in capsys.readouterr().out.replace("\n", "")
    assert main(["diff", "--matrix", "pentago", "--proofs", "other"]) == 2
    assert capsys.readouterr().err == (
        "error: --proofs is for one comparison, --matrix makes many\n"
        "  help: gdl diff A B --proofs other\n"
    )


def test_the_checker_refuses_what_does_not_follow() -> None:
    square = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    assert refutes(square, [[2], []])
    assert not refutes(square[:3], [[2], []])
    assert not refutes([[1, 2], [-1, 3]], [[3], []])
