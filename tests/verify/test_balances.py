"""Counts that never change: a number that rules keep is the number of pieces on the board."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gdl.certify import check_folder
from gdl.certify.check import digest_of
from gdl.compile.pipeline import build
from gdl.ruleset import Ruleset
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.well_formed import standard_properties
from gdl.verify.provenance import Provenance
from gdl.verify.proving.balance_guesses import (
    Balance,
    guess_balances,
    guess_paces,
    guess_rivals,
)
from gdl.verify.proving.balances import Balanced, find_balanced, is_kept_out
from gdl.verify.proving.evidence import BalancedInduction, Claim
from gdl.verify.proving.frames import Frames
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.portfolio import BOUNDED, K_INDUCTION, REACHABILITY
from gdl.verify.proving.prove import ALL_STATES, COMPILED
from gdl.verify.proving.search import Search
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import Bad, System, game_system
from gdl.verify.systems.transition import transition
from tests.verify.brute import look_at_all

ELSEWHERE = {ALL_STATES, COMPILED, REACHABILITY, K_INDUCTION, BOUNDED}
"""What else tells of a small game."""


def stones(takes: str = "", kept: str = "") -> Ruleset:
    """Return a game of stones on cells, with their number, and a clock of seven moves.

    Two roles put and take in turn. Whoever has a stone on each cell, or none at the end, has goals
    by the number that is kept; nothing else says that it is one of those that have a name.

    Args:
        takes: What besides allows to take a stone.
        kept: One more rule of the number.
    """
    cells = " ".join(f"(at {cell})" for cell in range(1, 6))
    numbers = " ".join(f"(more {n} {n + 1}) (pays {n} {20 * n})" for n in range(5))
    clock = " ".join(f"(after {n} {n + 1})" for n in range(9))
    text = f"""(role x) (role y) {cells} {numbers} (pays 5 100) {clock} (other x y) (other y x)
        (init (turn x)) (init (clock 0)) (init (number 2)) (init (stone 1)) (init (stone 4))
        (<= (legal ?r (put ?c)) (true (turn ?r)) (at ?c) (not (true (stone ?c))))
        (<= (legal ?r (take ?c)) (true (turn ?r)) (true (stone ?c)))
        {takes} (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (next (stone ?c)) (does ?r (put ?c)))
        (<= (next (stone ?c)) (true (stone ?c)) (not (taken ?c)))
        (<= (taken ?c) (does ?r (take ?c))) (<= some (does ?r (put ?c)))
        (<= (next (number ?n)) (true (number ?m)) some (more ?m ?n))
        (<= (next (number ?n)) (true (number ?m)) (not some) (more ?n ?m)) {kept}
        (<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
        (<= (next (clock ?j)) (true (clock ?i)) (after ?i ?j)) (<= terminal (true (clock 9)))
        (<= (goal ?r ?v) (role ?r) (true (number ?n)) (pays ?n ?v))"""
    return Ruleset("stones", (), text=text)


PHANTOM = "(<= (legal ?r (take 5)) (true (turn ?r)) (not (true (stone 5))) (true (clock 8)))"
"""At the last move a stone may be taken that is not there: with none left no number is below."""
LATE = "(<= (next (number ?n)) (true (number ?n)) (true (number 5)) (does y (take 3)))"


def asked_of(game: Ruleset) -> tuple[System, Balanced]:
    """Return a game asked whether goals are unique, and what is proved of it with nothing known."""
    circuit = build(game.checked())
    (unique,) = (p for p in standard_properties(circuit) if p.name == "goals unique")
    system = game_system(circuit)
    sampled = sample(system, Budget(60), lanes=256)
    balances = guess_balances(system, sampled)
    clauses = [*guess_rivals(system, sampled), *guess_paces(system, sampled, balances)]
    found = find_balanced(system, Invariants({}, ()), balances, clauses, Budget(60))
    return system.asking((Bad(unique.name, unique.edge),)), found


def test_a_number_that_is_kept_is_the_number_of_stones() -> None:
    """That goals are unique follows with the count, and not without it."""
    system, found = asked_of(stones())
    assert len(found.balances) == 1
    assert is_kept_out(system, found, Budget(60))
    assert not is_kept_out(system, replace(found, balances=()), Budget(60))
    assert not is_kept_out(system, replace(found, invariants=Invariants({}, ())), Budget(60))


def test_a_property_is_proved_by_counts_that_never_change() -> None:
    found = Examination(stones(), (), Budget(60), without=ELSEWHERE).run()["goals unique"]
    assert found.status == "proved"


def test_the_search_sees_at_once_that_no_play_goes_on_from_a_ply() -> None:
    """It went on for thousands of plies, of each of which it had forbidden all states."""
    system, _ = asked_of(stones())
    step = transition(system)
    search = Search(step, nothing := Invariants({}, ()), Frames(step, nothing, []), Budget(60))
    found = search.run(max_depth=40)
    search.close()
    assert found.proved
    assert found.depth in range(9, 12)
    assert found.method == f"exhaustion: no play is longer than {found.depth} moves"


@pytest.mark.parametrize("game", [stones(PHANTOM), stones(kept=LATE)], ids=["phantom", "late"])
def test_where_a_number_is_not_kept_nothing_is_proved_by_it(game: Ruleset) -> None:
    """The definition finds ends with no goal, or two, in these; rarely, after nine moves."""
    seen = look_at_all(game.description)
    assert seen.is_all
    assert "goals unique" in seen.first
    assert not is_kept_out(*asked_of(game), Budget(60))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    system, found = asked_of(stones())
    evidence = BalancedInduction(system, found.invariants, found.balances)
    folder = open_folder(tmp_path_factory.mktemp("balances") / "shown")
    write_certificates(folder, [Claim("goals unique", evidence)], [stones()], Budget(60))
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy, which may be changed."""
    return shutil.copytree(written, tmp_path / "shown")


def test_its_certificate_holds_and_is_about_the_rules(folder: Path) -> None:
    index = json.loads((folder / "certificates.json").read_text())
    (claim,) = check_folder(folder, origin=Provenance((stones(),), index))
    assert claim.holds, claim.text
    assert claim.kind == "balances"
    assert claim.text.startswith("counts that never change (1): 6 formulas, ")
    assert {file.name for file in (folder / "00").iterdir()} == {
        "model.aig",
        "invariant.aig",
        "balances.json",
        *(f"{n}.{k}" for n in FORMULAS for k in ("cnf", "lrat")),
    }


FORMULAS = ("marked", "initial", "first", "balance-0", "kept", "then")


def signed_anew(folder: Path, **changed: str) -> None:
    """Write other files, and an index that says that they are right."""
    index = json.loads((folder / "certificates.json").read_text())
    (claim,) = index["claims"]
    for name, text in changed.items():
        file = folder / "00" / name.replace("__", ".").replace("_", "-")
        file.write_text(text)
        claim["files"][file.name] = digest_of(file.read_bytes())
    del index["digest"]
    index["digest"] = digest_of(json.dumps(index, sort_keys=True).encode())
    (folder / "certificates.json").write_text(json.dumps(index))


MUTANTS: dict[str, Callable[[list], list]] = {  # type: ignore[type-arg]  # JSON
    "none": lambda _: [],
    "without a group": lambda said: [said[0][1:]],
    "a group twice": lambda said: [[*said[0], said[0][0]]],
    "turned round": lambda said: [[[said[0][0][0], not said[0][0][1]], *said[0][1:]]],
    "another latch": lambda said: [[[[said[0][0][0][0] + 1], said[0][0][1]], *said[0][1:]]],
    "a latch more": lambda said: [[[[*said[0][0][0], 0], said[0][0][1]], *said[0][1:]]],
    "twice": lambda said: [said[0], said[0]],
    "in another order": lambda said: [said[0][::-1]],
    "no latch": lambda said: [[[[999], True], *said[0]]],
    "below": lambda said: [[[[-1], True], *said[0]]],
    "half a number": lambda said: [[[[0.0], True], *said[0]]],
    "a yes for a number": lambda said: [[[[True], True], *said[0]]],
    "a one for a yes": lambda said: [[[[0], 1], *said[0]]],
    "no rows": lambda said: said[0],
    "a word": lambda _: ["all"],
}


@pytest.mark.parametrize("name", MUTANTS)
def test_other_balances_are_refused_though_they_are_signed(name: str, folder: Path) -> None:
    """What does not follow has no proof here, whatever the digests say."""
    said = json.loads((folder / "00" / "balances.json").read_text())
    signed_anew(folder, balances__json=json.dumps(MUTANTS[name](said)))
    (claim,) = check_folder(folder)
    assert claim.holds is False, name


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_that_is_another_and_a_proof_that_ends_early_are_refused(
    formula: str, folder: Path
) -> None:
    place, key = folder / "00", formula.replace("-", "_")
    cnf, lrat = (place / f"{formula}.{kind}" for kind in ("cnf", "lrat"))
    whole, proof = cnf.read_text(), lrat.read_text()
    header, *clauses = whole.splitlines()
    for text in ("\n".join([header, *clauses[:-1], "1 0"]), whole.replace(" 0\n", " -1 0\n", 1)):
        signed_anew(folder, **{f"{key}__cnf": text + "\n"})
        (claim,) = check_folder(folder)
        assert claim.holds is False
    steps = proof.splitlines()
    signed_anew(folder, **{f"{key}__cnf": whole, f"{key}__lrat": "\n".join(steps[:-1]) + "\n"})
    (claim,) = check_folder(folder)
    assert claim.holds is False
    signed_anew(folder, **{f"{key}__lrat": proof})
    (claim,) = check_folder(folder)
    assert claim.holds


def test_a_balance_counts_groups_and_groups_of_which_none_is_true() -> None:
    balance = Balance((((0, 1), True), ((2,), False), ((2,), True)), 2)
    states = ([True, True, False], [False, False, True], [False, True, True])
    assert [balance.of(state) for state in states] == [2, 1, 2]
