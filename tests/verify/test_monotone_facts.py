"""Bounds from facts that change once: none is below the length of a play that there is."""

import pytest

from gdl.ruleset import Ruleset
from gdl.verify.properties import termination
from gdl.verify.properties.examination import Examination
from gdl.verify.proving.prove import ALL_STATES
from gdl.verify.solvers.budget import Budget

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
