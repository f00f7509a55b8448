"""The reasoner as a state machine: laws of states, roles, moves and goals on tiny games."""

from __future__ import annotations

import gc
import pickle
from threading import Thread

import pytest

from gdl.language.dependencies import UnstratifiedError
from gdl.language.diagnostics import GdlError, InvalidDescriptionError, LimitError
from gdl.language.limits import Limits
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Sentence, Term, Variable
from gdl.machine import IllegalMoveError
from gdl.reason import machine
from gdl.reason.machine import Reasoner, State

DOORS = """
(role white) (role black)
(init (door a closed)) (init (door b closed)) (init (control white))
(room a) (room b)
(<= (legal ?p (open ?d)) (true (control ?p)) (true (door ?d closed)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (door ?d open)) (does ?p (open ?d)))
(<= (next (door ?d ?how)) (true (door ?d ?how)) (not (touched ?d)))
(<= (touched ?d) (does ?p (open ?d)))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= terminal (not (closed ?d)))
(<= (closed ?d) (true (door ?d closed)))
(<= (goal ?p 100) (true (control ?p)))
(<= (goal ?p 0) (role ?p) (not (true (control ?p))))
"""


def reasoner(text: str) -> Reasoner:
    return Reasoner(parse(text, syntax="kif", name="doors.kif"))


def term(text: str) -> Term:
    return parse_term(text)


def parse_sentence(text: str) -> Sentence:
    found = term(text)
    assert not isinstance(found, Variable)
    return found


def terms(*texts: str) -> tuple[Term, ...]:
    return tuple(map(term, texts))


def state(*facts: str) -> State:
    return frozenset(map(term, facts))


@pytest.fixture
def doors() -> Reasoner:
    return reasoner(DOORS)


def test_roles_come_in_the_order_of_the_rules() -> None:
    assert reasoner("(role zoe) (role adam) (role mia)").roles == terms("zoe", "adam", "mia")


def test_a_role_may_come_from_a_rule() -> None:
    assert reasoner("(role x) (<= (role ?p) (team ?p)) (team y)").roles == terms("x", "y")


def test_a_game_is_played_to_its_end(doors: Reasoner) -> None:
    start = doors.initial()
    assert start == state("(door a closed)", "(door b closed)", "(control white)")
    assert not doors.is_terminal(start)
    middle = doors.successor(start, terms("(open a)", "noop"))
    assert middle == state("(door a open)", "(door b closed)", "(control black)")
    end = doors.successor(middle, terms("noop", "(open b)"))
    assert doors.facts(end) == state("(door a open)", "(door b open)", "(control white)")
    assert doors.is_terminal(end)
    assert doors.goals(end, term("white")) == (100,)
    assert doors.goals(end, term("black")) == (0,)


def test_legal_moves_of_terminal_states_are_what_the_rules_say(doors: Reasoner) -> None:
    end = state("(door a open)", "(control white)")
    assert doors.is_terminal(end)
    assert doors.legal(end, term("white")) == ()
    assert doors.legal(end, term("black")) == terms("noop")


def test_moves_come_in_canonical_order_each_once() -> None:
    numbers = reasoner(
        "(role r) (number 10) (number 9) (number b) (number a)"
        "(<= (legal r (say ?n)) (number ?n)) (legal r noop) (legal r (say 9))"
    )
    moves = numbers.legal(frozenset(), term("r"))
    assert moves == terms("noop", "(say 9)", "(say 10)", "(say a)", "(say b)")


def test_states_with_the_same_facts_are_the_same_state(doors: Reasoner) -> None:
    facts = ["(door a closed)", "(control black)"]
    one, other = state(*facts), state(*reversed(facts))
    assert one == other
    assert hash(one) == hash(other)
    assert doors.state([*one, *other]) == one
    assert pickle.loads(pickle.dumps(one)) == one


def test_a_fact_has_no_variables(doors: Reasoner) -> None:
    with pytest.raises(GdlError) as caught:
        doors.state([term("(door ?d closed)")])
    assert str(caught.value) == (
        "(door ?d closed) is no fact\n  expected: a term without variables"
    )


def test_every_goal_of_a_role_is_returned_and_numbers_only() -> None:
    goals = reasoner(
        "(role r) (role s) (goal r 100) (goal r 50) (goal r 050) (goal r best)"
        "(<= (goal r -5) (true x))"
    )
    assert goals.goals(frozenset(), term("r")) == (50, 100)
    assert goals.goals(state("x"), term("r")) == (-5, 50, 100)
    assert goals.goals(frozenset(), term("s")) == ()


def test_percepts_are_what_sees_says_of_the_moves() -> None:
    cards = reasoner(
        "(role random) (role r) (legal random (deal a)) (legal random (deal b)) (legal r noop)"
        "(<= (sees r (got ?c)) (does random (deal ?c)))"
    )
    deal = terms("(deal b)", "noop")
    assert cards.percepts(frozenset(), deal, term("r")) == state("(got b)")
    assert cards.percepts(frozenset(), deal, term("random")) == frozenset()
    assert cards.legal(frozenset(), term("random")) == terms("(deal a)", "(deal b)")


def test_a_move_of_any_kind_can_be_asked_for_as_a_whole() -> None:
    whole = reasoner(
        "(role r) (role s) (legal r noop) (legal s noop) (<= (legal r ?m) (m ?m)) (m (go 1))"
        "(<= (next (did ?p ?m)) (does ?p ?m)) (<= (next ?f) (true ?f))"
    )
    after = whole.successor(state("(old 1)", "plain"), terms("(go 1)", "noop"))
    assert after == state("(old 1)", "plain", "(did r (go 1))", "(did s noop)")


def test_what_may_not_rest_on_the_state_is_taken_where_nothing_is_true() -> None:
    odd = reasoner("(role r) (init a) (<= (init b) (true c)) (<= (role s) (not (true c)))")
    assert odd.initial() == state("a")
    assert odd.roles == terms("r", "s")


def test_an_unsafe_rule_has_a_meaning_where_the_asker_says_what_the_variable_is() -> None:
    equal = reasoner(
        "(role r) (<= (same ?x ?x)) (<= terminal (true (at ?x)) (same ?x goal))"
        "(<= (other ?x) (not (true (at ?x)))) (<= (legal r (go ?x)) (place ?x) (other ?x))"
        "(place goal) (place home)"
    )
    assert equal.is_terminal(state("(at goal)"))
    assert not equal.is_terminal(state("(at home)"))
    assert equal.legal(state("(at home)"), term("r")) == terms("(go goal)")


def test_what_rests_on_an_unsafe_rule_is_unsafe_in_the_same_argument() -> None:
    rules = "(role r) (<= (same ?x ?x)) (<= (twin ?x ?y) (same ?x ?y)) (place a) (place b)"
    bound = reasoner(f"{rules} (<= (legal r (go ?x)) (twin ?x b) (place ?x))")
    assert bound.legal(frozenset(), term("r")) == terms("(go b)")
    with pytest.raises(InvalidDescriptionError, match=r"nothing gives [?][xy] a value"):
        reasoner(f"{rules} (<= (legal r (go ?y)) (twin ?x ?y))")


def test_an_argument_that_the_asker_gives_tells_the_others() -> None:
    rules = "(role r) (<= (same ?x ?x)) (<= (twin ?x ?y) (same ?x ?y)) (place a) (place b)"
    twins = reasoner(f"{rules} (<= (legal r (go ?y)) (place ?x) (twin ?x ?y))")
    assert twins.legal(frozenset(), term("r")) == terms("(go a)", "(go b)")
    boxes = reasoner("(role r) (in ?x (box ?x)) (<= (legal r ?x) (in ?x (box a)))")
    assert boxes.legal(frozenset(), term("r")) == terms("a")


UP_TO = """(role r) (leq ?a ?a) (succ 1 2) (succ 2 3)
(<= (leq ?a ?c) (succ ?a ?b) (leq ?b ?c))
"""


def test_a_recursion_may_begin_with_a_value_that_the_asker_gives() -> None:
    below = reasoner(UP_TO + "(<= (legal r ?c) (true (next ?n)) (leq ?c ?n))")
    assert below.legal(state("(next 2)"), term("r")) == terms("1", "2")
    assert below.legal(state("(next 7)"), term("r")) == terms("7")
    assert below.legal(state("(next 1)", "(next 3)"), term("r")) == terms("1", "2", "3")
    above = reasoner(UP_TO + "(<= (legal r ?c) (true (next ?n)) (leq ?n ?c))")
    assert above.legal(state("(next 2)"), term("r")) == terms("2", "3")
    asked = above.instances(frozenset(), parse_sentence("(leq ?x 2)"))
    assert asked == (term("(leq 1 2)"), term("(leq 2 2)"))


def test_a_recursion_may_be_given_terms_that_are_built() -> None:
    rules = "(role r) (<= (p ?x) (p (f ?x)) (true ?x)) (<= (legal r a) (p a))"
    assert reasoner(f"{rules} (p ?y)").legal(state("a"), term("r")) == terms("a")
    differs = reasoner(f"{rules} (<= (p ?y) (distinct ?y a))")
    assert differs.legal(state("a"), term("r")) == terms("a")
    assert differs.legal(state("b"), term("r")) == ()
    endless = reasoner("(role r) (<= (p ?x) (p (f ?x))) (<= (p ?y) (distinct ?y ?y))")
    with pytest.raises(LimitError, match="nested too deep"):
        endless.instances(frozenset(), parse_sentence("(p a)"))


def test_a_recursion_that_nobody_gives_a_value_is_refused_with_the_place() -> None:
    with pytest.raises(InvalidDescriptionError) as caught:
        reasoner(UP_TO + "(<= (legal r ?c) (leq ?c ?n))")
    assert str(caught.value) == (
        "doors.kif:3:14: error[unsafe-variable]: this rule for legal/2 cannot be evaluated: "
        "nothing gives ?c a value\n"
        "  3 | (<= (legal r ?c) (leq ?c ?n))\n"
        "    |              ^^\n"
        "  expected: a positive condition in which ?c occurs\n"
        "  help: add a literal that binds ?c, for instance (role ?c)"
    )


def test_a_negated_variable_that_nothing_binds_stands_for_anything() -> None:
    none = reasoner("(role r) (<= terminal (not (true (at ?x))))")
    assert none.is_terminal(state("(on a)"))
    assert not none.is_terminal(state("(at a)"))


@pytest.mark.parametrize(
    ("negated", "fact"),
    [
        ("(true (on ?x ?x))", "(on a a)"),
        ("(true (on (f ?x) ?x))", "(on (f b) b)"),
        ("(true (on (f ?x) (f ?x)))", "(on (f a) (f a))"),
        ("(equal ?x ?x)", "(on c c)"),
    ],
)
def test_a_negated_pattern_fails_on_its_instances_only(negated: str, fact: str) -> None:
    none = reasoner(f"(role r) (<= terminal (not {negated})) (<= (equal ?x ?y) (true (on ?x ?y)))")
    assert none.is_terminal(state("(on a b)", "(on (f a) b)"))
    assert not none.is_terminal(state("(on a b)", fact))


def test_a_relation_may_rest_on_the_absence_of_another_part_of_itself() -> None:
    part = reasoner("(role r) (<= (goal r 100) (true won)) (<= (goal r 0) (not (goal r 100)))")
    assert part.goals(state("won"), term("r")) == (100,)
    assert part.goals(frozenset(), term("r")) == (0,)


def test_a_part_of_itself_that_no_rule_gives_is_absent() -> None:
    split = reasoner("(role r) (<= (p a) (not (p c))) (<= terminal (p a))")
    assert split.is_terminal(split.initial())


def test_a_recursion_through_built_terms_ends_where_what_follows_is_finite() -> None:
    down = reasoner("(role r) (<= (p ?x) (p (f ?x))) (p (f (f a))) (<= terminal (p a))")
    assert down.is_terminal(frozenset())
    up = reasoner("(role r) (<= (p ?x) (p (f ?x))) (p (f (f a))) (<= terminal (p b))")
    assert not up.is_terminal(frozenset())


def test_an_illegal_move_names_the_nearest_legal_ones(doors: Reasoner) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        doors.successor(doors.initial(), terms("(open c)", "noop"))
    assert str(caught.value) == (
        "(open c) is not legal for white here\n  expected: (open a) or (open b)"
    )
    assert caught.value.role is term("white")
    assert caught.value.move is term("(open c)")
    assert caught.value.legal == terms("(open a)", "(open b)")


def test_of_many_legal_moves_five_are_named_those_of_the_same_kind_first() -> None:
    many = reasoner(
        "(role r) (legal r (placf 5)) (<= (legal r (place ?n)) (number ?n))"
        + "".join(f"(number {n})" for n in range(1, 60))
    )
    with pytest.raises(IllegalMoveError) as caught:
        many.successor(frozenset(), terms("(place 560)"))
    assert str(caught.value) == (
        "(place 560) is not legal for r here\n  expected: one of 60 moves, such as "
        "(place 50), (place 56), (place 5), (place 6) or (place 10)"
    )


def test_where_no_move_is_legal_the_message_says_so() -> None:
    with pytest.raises(IllegalMoveError) as caught:
        reasoner("(role r)").successor(frozenset(), terms("noop"))
    assert str(caught.value) == (
        "noop is not legal for r here\n  expected: nothing, r has no legal move"
    )


def test_a_joint_move_has_one_move_for_each_role(doors: Reasoner) -> None:
    with pytest.raises(GdlError) as caught:
        doors.successor(doors.initial(), terms("noop"))
    assert str(caught.value) == (
        "1 move was given\n  expected: one for each role, in this order: white, black"
    )


def test_a_rule_that_nothing_binds_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidDescriptionError) as caught:
        reasoner("(role r)\n(<= (legal r (go ?x)) (true ?y))")
    assert str(caught.value) == (
        "doors.kif:2:18: error[unsafe-variable]: this rule for legal/2 cannot be evaluated: "
        "nothing gives ?x a value\n"
        "  2 | (<= (legal r (go ?x)) (true ?y))\n"
        "    |                  ^^\n"
        "  expected: a positive condition in which ?x occurs\n"
        "  help: add a literal that binds ?x, for instance (role ?x)"
    )


def test_a_relation_that_rests_on_its_own_absence_is_refused() -> None:
    with pytest.raises(UnstratifiedError, match="p depends on its own negation"):
        reasoner("(role r) (<= p (not q)) (<= q (not p))")


@pytest.mark.parametrize("hint", ["(base ?x)", "(input r ?x)"])
def test_what_base_and_input_mean_hinders_no_play(hint: str) -> None:
    odd = f"(<= {hint} (p ?x) (not {hint})) (<= (q ?x) (p ?x) (not (q ?x))) (p a)"
    serving = f"(<= {hint} (q a)) (<= (q ?x) (p ?x) (not (q ?x))) (p a)"
    for rules in (odd.replace("q", "base"), serving):
        played = reasoner(f"(role r) (init s) (legal r a) {rules}")
        assert played.legal(played.initial(), term("r")) == terms("a")
        with pytest.raises(UnstratifiedError, match="depends on its own negation"):
            played.instances(played.initial(), parse_sentence(hint))
        for asks in (f"(<= terminal {hint})", f"(<= (other ?x) {hint})"):
            with pytest.raises(UnstratifiedError, match="depends on its own negation"):
                reasoner(f"(role r) {rules} {asks}")


def test_a_hint_that_has_a_meaning_is_told_beside_one_that_has_none() -> None:
    odd = reasoner("(role r) (base a) (p a) (<= (input r ?x) (p ?x) (not (input r ?x)))")
    assert odd.instances(frozenset(), parse_sentence("(base ?x)")) == terms("(base a)")


def test_rules_for_what_comes_from_outside_are_ignored() -> None:
    odd = reasoner(
        "(role r) (init s) (legal r a) (<= (does r b) (true s)) (<= (true t) (true s))"
        "(<= (true ?x) (next ?x)) (<= (next ?x) (true ?x) (not (lost ?x))) (<= (lost u) (true t))"
        "(<= (does r ?m) (legal r ?m) (not (does r ?m))) (<= (next b) (does r b))"
    )
    assert odd.legal(odd.initial(), term("r")) == terms("a")
    assert odd.successor(odd.initial(), terms("a")) == state("s")


@pytest.mark.slow
def test_what_is_derived_is_kept_for_few_states_only(doors: Reasoner) -> None:
    for number in range(3 * machine.KEPT_STATES):
        doors.is_terminal(state(f"(door {number} closed)"))
    gc.collect()
    assert len(doors._contexts) == machine.KEPT_STATES


def test_facts_that_never_change_are_forgotten_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machine, "KEPT_FACTS", 10)
    counter = reasoner(
        "(role r) (init (n 0)) (legal r noop)"
        + "".join(f"(s {n} {n + 1})" for n in range(60))
        + "(<= (next (n ?y)) (true (n ?x)) (after ?x ?y)) (<= (after ?x ?y) (s ?x ?y))"
        "(<= terminal (true (n 50)))"
    )
    now = counter.initial()
    for _ in range(50):
        assert not counter.is_terminal(now)
        now = counter.successor(now, terms("noop"))
        assert counter._compiler.game.meter.facts <= 12
    assert counter.is_terminal(now)


def test_what_never_changes_is_forgotten_before_it_is_too_much() -> None:
    """There are 900 pairs, but each is an answer from the one side and from the other."""
    pairs = Reasoner(
        parse(
            "(role r) (init (at 0))"
            + "".join(f"(n {n})" for n in range(30))
            + "(<= (pair ?x ?y) (n ?x) (n ?y))"
            "(<= (legal r (to ?y)) (true (at ?x)) (pair ?x ?y))"
            "(<= (next (at ?y)) (does r (to ?y)))"
            "(<= (next (from ?x)) (does r (to ?y)) (pair ?x ?y))"
        ),
        limits=Limits(facts=1_000),
    )
    now = pairs.initial()
    for n in range(30):
        now = pairs.successor(now, terms(f"(to {n})"))
        assert len(now) == 31


def test_several_threads_may_ask_one_reasoner(doors: Reasoner) -> None:
    wrong: list[object] = []

    def play() -> None:
        try:
            for number in range(200):
                now = state(f"(door {number} closed)", "(control white)")
                if doors.legal(now, term("white")) != terms(f"(open {number})"):
                    wrong.append(now)
        except Exception as error:  # noqa: BLE001  # whatever it is, the test must see it
            wrong.append(error)

    threads = [Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
