"""Bounds from facts that change once: none is below the length of a play that there is."""

from collections.abc import Collection
from typing import Any

import pytest

from gdl.ruleset import Ruleset, find
from gdl.verify.properties import termination
from gdl.verify.properties.examination import Examination
from gdl.verify.proving import prove
from gdl.verify.proving.invariants import Invariants, find_invariants
from gdl.verify.proving.prove import ALL_STATES
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from tests.shared import SHARED, needs_games

OTHER_WAYS = {
    ALL_STATES,
    termination.CLOCK,
    termination.RANKED,
    termination.COUNTED,
    termination.LOOPS,
}
RELAY = """
(role r) (init BLANK)
(<= (legal r go) (not (true over))) (<= (legal r on) (not (true over)))
(<= (next MARK) (not (true BLANK))) (<= (next over) (true MARK))
(<= terminal (true over)) (goal r 100)
"""
"""A fact that is lost, then one that is won, never both at once: every play has three moves."""


@pytest.mark.parametrize(("blank", "mark"), [("a", "b"), ("b", "a")])
def test_a_fact_that_is_lost_and_its_rival_that_is_won_are_two_changes(
    blank: str, mark: str
) -> None:
    rules = Ruleset("relay", (), text=RELAY.replace("BLANK", blank).replace("MARK", mark))
    found = Examination(rules, (), Budget(60), without=OTHER_WAYS).run()["terminating"]
    assert (found.status, found.depth) == ("proved", 3)


TAKE_AND_PUT = """
(role w) (role b) (opponent w b) (opponent b w)
(number 1) (number 2) (number 3)
(init (picks w)) (<= (init (pool ?n)) (number ?n)) (<= (init (empty ?n)) (number ?n))
(<= (legal ?r (pick ?n)) (true (picks ?r)) (true (pool ?n)))
(<= (legal ?r (put ?n)) (true (puts ?r)) (true (empty ?n)))
(<= (legal ?r noop) (role ?r) (not (true (picks ?r))) (not (true (puts ?r))))
(<= (picked ?n) (does ?r (pick ?n))) (<= (filled ?n) (does ?r (put ?n)))
(<= (next (pool ?n)) (true (pool ?n)) (not (picked ?n)))
(<= (next (empty ?n)) (true (empty ?n)) (not (filled ?n)))
(<= (next (puts ?o)) (true (picks ?r)) (opponent ?r ?o))
(<= (next (picks ?r)) (true (puts ?r)))
(<= terminal (not any)) (<= any (true (empty ?n)))
(<= (goal ?r 50) (role ?r))
"""
"""Each move takes something for good, if one of four facts of control holds."""


def test_who_moves_is_known_where_the_time_is_short_for_all_invariants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(*given: Any, among: Collection[int] | None = None, **more: Any) -> Invariants:  # noqa: ANN401
        if among is None:
            raise OutOfBudgetError("its share")
        return find_invariants(*given, among=among, **more)

    monkeypatch.setattr(prove, "find_invariants", late)
    rules = Ruleset("take and put", (), text=TAKE_AND_PUT)
    found = Examination(rules, (), Budget(60), without=OTHER_WAYS).run()["terminating"]
    assert (found.status, found.depth) == ("proved", 6)
    assert "each move makes a fact true or false for good" in found.text


@pytest.mark.slow
@needs_games
def test_quarto_ends_after_so_many_moves_as_pieces_and_cells() -> None:
    rules = find(SHARED / "games" / "quarto.kif")
    wanted = "terminating".__eq__
    found = Examination(rules, (), Budget(120), wanted=wanted).run()["terminating"]
    assert (found.status, found.depth) == ("proved", 32)
