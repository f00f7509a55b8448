"""Pairs made by hand to fool proofs: what is said of them, and by each way of proof alone."""

from itertools import islice

import pytest

from gdl.certify import check_folder
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.diff import OPEN_UNASKED, Comparison
from gdl.verify.proving.prove import Prover
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget
from tests.verify.crafted import PAIRS, parts_after
from tests.verify.planted import Pair
from tests.verify.test_planted import ALONE, SLOWER, compared, is_right, rules, swapped


def paired(name: str) -> Pair:
    return Pair(name, PAIRS[name].one, PAIRS[name].other, PAIRS[name].depth)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", PAIRS)
def test_their_verdicts_are_what_all_states_say(name: str) -> None:
    pair = PAIRS[name]
    assert parts_after(pair.one, pair.other) == pair.depth


@pytest.mark.later
@pytest.mark.sample(4)
@pytest.mark.parametrize("number", range(2 * len(PAIRS)))
def test_they_fool_nothing_and_what_is_said_is_certified(
    number: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every other one without a look at all states, so that other proofs have to tell."""
    name = list(PAIRS)[number // 2]
    pair = swapped(paired(name)) if number % 2 else paired(name)
    games = rules("one", pair.one), rules("other", pair.other)
    comparison = Comparison(games, Budget(30), without=SLOWER if number % 2 else ())
    answer = comparison.run()
    assert (answer.equivalent, answer.proved) == (pair.depth is None, True), answer.headline
    assert pair.depth is None or answer.depth == pair.depth
    folder = open_folder(tmp_path_factory.mktemp("claims") / "shown")
    beside = comparison.beside()
    write_certificates(folder, comparison.claims(answer), games, Budget(60), beside=beside)
    claims = list(check_folder(folder))
    assert claims
    assert all(claim.holds for claim in claims)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(len(ALONE)))
def test_they_fool_no_way_of_proof(start: int) -> None:
    """Each alone, of every fifth pair, a third of a second: what it cannot tell it leaves open."""
    way = list(ALONE)[start]
    for number, name in islice(enumerate(PAIRS), start % 5, None, 5):
        pair = swapped(paired(name)) if number % 2 else paired(name)
        answer = compared(pair, ALONE[way], seconds=0.3)
        is_unasked = OPEN_UNASKED in answer.notes  # then it speaks of what pays alone
        assert is_right(answer, pair) or (is_unasked and answer.equivalent is None), (name, way)


@pytest.mark.parametrize("is_asked", [True, False])
def test_goals_while_play_goes_on_are_asked_about_so_far_or_said_not_to_be(
    monkeypatch: pytest.MonkeyPatch,
    is_asked: bool,  # noqa: FBT001  # a parameter
) -> None:
    """Behind a lock such a goal differs after 12 moves; it was covered by what was refuted."""
    pair = paired("goals part while play goes on")
    if not is_asked:
        nothing = Result(None, proved=False, depth=-1, method="no time")
        monkeypatch.setattr(Prover, "ask", lambda *_, **__: nothing)
    answer = compared(pair, ALONE["unrolling"], max_depth=20)
    if is_asked:
        assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 12)
    else:
        assert (answer.equivalent, answer.proved, answer.depth) == (None, False, 20)
    assert (OPEN_UNASKED in answer.notes) is not is_asked
