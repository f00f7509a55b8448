"""Unfolding keeps the meaning and lets joins be cut."""

from __future__ import annotations

import pytest

from gdl.compile.gates.game_network import game_network
from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.literals import literal_variables
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.rule_decomposition import split
from gdl.compile.rules.unfold import unfold, width
from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse, read
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement
from tests.shared import SHARED, needs_games

QUARTET = """
(role robot) (init (at a p1)) (index a) (index b) (index c) (index d)
(<= (init (at ?i p2)) (index ?i) (distinct ?i a))
(piece p1) (piece p2) (piece p3) (piece p4) (piece p5)
(round p1) (round p2) (round p5) (tall p2) (tall p3) (tall p4)
(<= (legal robot (put ?i ?p)) (index ?i) (piece ?p))
(<= (next (at ?i ?p)) (does robot (put ?i ?p)))
(<= (next (at ?i ?p)) (true (at ?i ?p)) (does robot (put ?j ?q)) (distinct ?i ?j))
(<= (alike ?p ?q ?r ?s) (round ?p) (round ?q) (round ?r) (round ?s))
(<= (alike ?p ?q ?r ?s) (tall ?p) (tall ?q) (tall ?r) (tall ?s))
(<= (alike p3 ?q ?q ?q) (piece ?q))
(<= terminal (true (at a ?p)) (true (at b ?q)) (true (at c ?p2)) (true (at d ?q2))
    (alike ?p ?q ?p2 ?q2))
(<= (goal robot 100) terminal) (<= (goal robot 0) (not terminal))
"""


def rules(text: str) -> list[Clause]:
    return needed_clauses(clauses(parse(text, syntax="kif")))


def widest(found: list[Clause]) -> int:
    return max(map(width, found))


def test_a_relation_over_four_pieces_is_asked_piece_by_piece() -> None:
    before = rules(QUARTET)
    after = needed_clauses(unfold(before))
    assert sum(str(clause.head) == "terminal" for clause in after) == 3
    assert not any(str(clause.head).startswith("(alike") for clause in after)
    assert widest(after) < widest(before)


def test_an_unfolded_game_is_played_as_before() -> None:
    circuit = game_circuit(game_network(ground(split(needed_clauses(unfold(rules(QUARTET)))))))
    description = parse(QUARTET, syntax="kif")
    assert disagreement(circuit, Reasoner(description), states=300, seed=1) is None


def test_variables_of_rules_are_kept_apart_from_those_that_are_made() -> None:
    """The fourth piece has the name that the second has in the rule for round ones."""
    after = unfold(rules(QUARTET.replace("?q2", "?|q 0|")))
    assert list(map(width, after)) == list(map(width, unfold(rules(QUARTET))))
    (all_round, *_) = [clause for clause in after if str(clause.head) == "terminal"]
    assert len({v for literal in all_round.body for v in literal_variables(literal)}) == 4


def test_what_depends_on_itself_or_on_the_state_stays() -> None:
    text = QUARTET + (
        "(<= (linked ?a ?b ?c ?d) (linked ?b ?a ?c ?d))"
        "(<= (linked ?a ?b ?c ?d) (alike ?a ?b ?c ?d))"
        "(<= (now ?a ?b ?c ?d) (true (at ?a ?b)) (true (at ?c ?d)))"
        "(<= (next (seen)) (linked ?a ?b ?c ?d) (now ?e ?a ?f ?b) (now ?e ?c ?f ?d))"
    )
    heads = {str(clause.head).split()[0] for clause in unfold(rules(text))}
    assert {"(linked", "(now"} <= heads


PINNED = """
(role white) (role black) (init (at wk s1)) (init (at wr s3)) (init (at bk s4)) (init (at br s6))
(after s1 s2) (after s2 s3) (after s3 s4) (after s4 s5) (after s5 s6) (after s6 s1)
(owner white wk) (owner white wr) (owner black bk) (owner black br) (king wk) (king bk)
(<= (legal ?r (go ?p ?s)) (true (at ?p ?q)) (owner ?r ?p) (after ?q ?s) (not (pinned ?p)))
(<= (legal ?r wait) (role ?r))
(<= (next (at ?p ?s)) (does ?r (go ?p ?s)))
(<= (next (at ?p ?s)) (true (at ?p ?s)) (not (gone ?p)))
(<= (gone ?p) (does ?r (go ?p ?s)))
(<= (between ?c ?m ?k) (true (at ?k ?r)) (true (at ?m ?s)) (true (at ?c ?t)) (king ?k)
    (after ?r ?s) (after ?s ?t))
(<= (pinned ?m) (between ?c ?m ?k) (owner ?r ?m) (owner ?r ?k) (owner ?q ?c) (distinct ?q ?r))
(<= terminal (true (at wk ?s)) (true (at bk ?s)))
(<= (goal ?r 50) (role ?r))
"""


def test_what_changes_is_unfolded_where_one_literal_asks_for_it() -> None:
    """Three pieces in a row are never looked at together: what each square says is enough."""
    before = rules(PINNED)
    assert unfold(before) == before
    after = needed_clauses(unfold(before, is_thorough=True))
    assert not any(str(clause.head).startswith("(between") for clause in after)
    circuit = game_circuit(game_network(ground(split(after))))
    assert disagreement(circuit, Reasoner(parse(PINNED, syntax="kif")), states=60, seed=1) is None


def test_what_changes_is_left_where_several_ask_for_it() -> None:
    two = rules(PINNED + "(<= (next (seen ?c)) (between ?c ?m ?k))")
    assert unfold(two, is_thorough=True) == two


def test_rules_of_games_without_wide_joins_are_left_as_they_are() -> None:
    found = rules("(role r) (init s) (<= (legal r a) (true s)) (<= (next s) (does r a))")
    assert unfold(found) == found


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("name", ["breakthrough", "knightThrough", "mummymaze2p"])
def test_unfolded_published_games_agree_with_the_reasoner(name: str) -> None:
    description = read(SHARED / "games" / f"{name}.kif")
    whole = needed_clauses(clauses(description))
    after = needed_clauses(unfold(whole))
    circuit = game_circuit(game_network(ground(split(after))))
    assert disagreement(circuit, Reasoner(description), states=60, seed=2) is None
