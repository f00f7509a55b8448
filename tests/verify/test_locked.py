"""Shipped games that differ in one far position only, or in one that cannot come."""

from dataclasses import replace
from pathlib import Path

import pytest

from gdl.certify import check_folder
from gdl.verify.answer import Difference
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.correspondence import correspondence
from gdl.verify.correspondence.compared_game import prepare_game
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.diff import Comparison
from gdl.verify.proving.evidence import Claim, Induction, KInduction, NoLonger
from gdl.verify.proving.prove import Prover
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.matching import CorrespondenceError
from gdl.verify.systems.product import product
from tests.shared import some
from tests.verify.locked import Locked, locked
from tests.verify.test_planted import ALONE, EARLY, SLOWER

pytestmark = pytest.mark.slow


def is_right(answer: Difference, pair: Locked) -> bool:
    """Return whether an answer says nothing that is wrong of a pair; it may say little."""
    if pair.depth is None:
        return answer.equivalent is not False
    if answer.equivalent is None:
        return not pair.is_exact or answer.depth < pair.depth
    if answer.equivalent:
        return False
    if answer.proved and pair.is_exact:
        return answer.depth == pair.depth
    return answer.depth <= pair.depth or not answer.proved


@pytest.mark.parametrize("opens", [True, False])
@pytest.mark.parametrize("seed", some(range(1, 40), 3))
def test_a_lock_on_a_shipped_game_fools_nobody(seed: int, opens: bool) -> None:  # noqa: FBT001
    pair = locked(seed, opens=opens)
    try:
        answer = Comparison((pair.one, pair.other), Budget(15)).run()
    except CorrespondenceError:
        return  # other words, and nothing that tells which stands for which: it says so
    assert is_right(answer, pair), (pair.name, str(answer))


@pytest.mark.parametrize(
    ("seed", "opens", "name", "seconds"),
    [
        (7, True, "breakthrough: legal, ply 63", 25),
        (6, False, "pentago/strict: legal, never, ply 14", 60),
    ],
)
def test_one_move_that_is_barred_once_does_not_hide_what_stands_for_what(
    seed: int,
    opens: bool,  # noqa: FBT001  # a parameter
    name: str,
    seconds: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In other words, too: what the move needs more is left out of what both have to look like."""
    monkeypatch.setattr(correspondence, "resemblances", lambda *_: iter(()))  # what rules say
    pair = locked(seed, opens=opens)
    assert pair.name == name
    answer = Comparison((pair.one, pair.other), Budget(seconds)).run()
    assert answer.matching == "what moves and facts do"
    assert is_right(answer, pair)


@pytest.mark.parametrize("is_cut", ["structure", "play"])
def test_games_do_not_differ_for_want_of_time_to_match_them(
    monkeypatch: pytest.MonkeyPatch, is_cut: str
) -> None:
    """Equal games in other words: a guess that was not held against the others says nothing."""
    monkeypatch.setattr(correspondence, "resemblances", lambda *_: iter(()))  # that would be enough
    pair = locked(17, opens=False)
    assert pair.name == "gomoku/freestyle: ends, never, ply 39"
    if is_cut == "play":
        monkeypatch.setattr(correspondence, "STANDING", 0.0)
    else:
        monkeypatch.setattr(correspondence, "LOOKING", 0.01)
    answer = Comparison((pair.one, pair.other), Budget(60)).run()
    assert (answer.equivalent, answer.depth) == (None, -1)
    assert "the time was too short to tell which words stand for which" in str(answer)


@pytest.mark.parametrize(("seed", "way"), [(4, NoLonger), (3, Induction)])
def test_goals_of_open_states_rest_on_what_denied_the_rest(
    tmp_path: Path, seed: int, way: type
) -> None:
    """Invariants speak of states where nothing differs; a certificate says that of them, too."""
    pair, budget = locked(seed, opens=False), Budget(240)
    sides = prepare_game(pair.one), prepare_game(pair.other)
    (one, other), matching = find_matching(sides, budget)
    both = product(one.circuit, other.circuit, matching)
    prover = Prover(both.system, budget, without={*SLOWER, *EARLY})
    agree = prover.run()
    asking = replace(prover, without=ALONE["reachability"])
    goals = asking.ask(both.open_bads)
    assert agree.proved
    assert goals.proved
    assert type(agree.evidence) is type(goals.evidence) is way
    claims = [
        Claim("the games agree", agree.evidence, agree.method),
        Claim("goals agree while play goes on", goals.evidence, goals.method),
    ]
    folder = open_folder(tmp_path / "shown")
    write_certificates(folder, claims, (pair.one, pair.other), budget)
    assert all(claim.holds for claim in check_folder(folder))
    asking.denied = KInduction(both.system, prover.invariants, 2, is_simple=False)
    opened = asking.ask(both.open_bads).evidence
    assert isinstance(opened, KInduction)  # over as many moves, and nothing else denies both
    assert {*both.open_bads, *both.system.bads} <= {*opened.system.bads}
