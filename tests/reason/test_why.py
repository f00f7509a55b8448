"""Proofs are proofs, and refutations name what really fails; drawn as whole texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import gdl
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Description, Term, Variable, sentence
from gdl.reason.explanation import Proof, Refutation, Since, explanation_text
from gdl.reason.machine import Reasoner
from gdl.reason.why import UnknownRelationError, explain
from tests.reason.programs import CONSTANTS, QUERIES, ROLES, fluents, games, joint_moves
from tests.reason.test_meaning import consequences
from tests.reason.verifier import check_proof, check_refutation
from tests.shared import examples


def term(text: str) -> Term:
    return parse_term(text)


@settings(max_examples=examples(30))
@given(games(), fluents(), joint_moves())
def test_every_fact_has_a_proof_that_stands_up(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...]
) -> None:
    reasoner = Reasoner(game)
    known = consequences(game, state, joint_move)
    for fact in sorted(known):
        proof = explain(reasoner, state, fact, joint_move=joint_move)
        assert isinstance(proof, Proof)
        assert proof.fact is fact
        check_proof(proof, known, above=frozenset())


@settings(max_examples=examples(30))
@given(games(), fluents(), joint_moves())
def test_every_refutation_names_what_fails(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...]
) -> None:
    reasoner = Reasoner(game)
    known = consequences(game, state, joint_move)
    for name, arity in QUERIES:
        patterns: list[tuple[Term, ...]] = [(*ROLES, *CONSTANTS), CONSTANTS, (Variable("x"),) * 2]
        for args in [pattern[:arity] for pattern in patterns]:
            query = sentence(name, args)
            try:
                found = explain(reasoner, state, query, joint_move=joint_move)
            except UnknownRelationError:
                continue  # the random rules do not mention it
            if isinstance(found, Proof):
                check_proof(found, known, above=frozenset())
            else:
                check_refutation(found, known)


def test_terms_differ_only_where_what_is_missing_would_have_bound_them() -> None:
    rules = "(role r) (edge a a) (<= (moved a) (edge ?x ?x))"
    rules += "(<= (stuck a a) (moved ?x) (pair ?x ?x) (distinct a ?x))"
    asked = parse_term("(stuck a a)")
    found = explain(Reasoner(parse(rules, syntax="kif")), frozenset(), asked)
    assert "a is not a" not in str(found)
    assert "(stuck a a) does not hold: (pair ?x ?x) does not" in str(found)


def test_a_variable_is_renamed_only_where_another_has_its_name() -> None:
    rules = "(role r) (<= over (won ?p)) (<= (won ?p) (led ?p)) (<= (led ?who) (true (at ?p ?who)))"
    assert str(explain(Reasoner(parse(rules, name="t")), frozenset(), term("over"))) == (
        "over does not hold: (true (at ?p ?p')) does not\n"
        "  over needs, by t:1:\n"
        "    no   (won ?p)\n"
        "        (won ?p) needs, by t:1:\n"
        "          no   (led ?p)\n"
        "              (led ?p') needs, by t:1:\n"
        "                no   (true (at ?p ?p'))"
    )


RULES = """\
(role black) (role white) (role judge)
(file d) (file e) (rank 5)
(init (control black))
(<= (legal ?p (place ?f ?r))
    (true (control ?p))
    (empty ?f ?r))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (empty ?f ?r) (file ?f) (rank ?r) (not (occupied ?f ?r)))
(<= (occupied ?f ?r) (true (cell ?f ?r ?who)))
(<= (next (cell ?f ?r ?p)) (does ?p (place ?f ?r)))
(<= (next (cell ?f ?r ?p)) (true (cell ?f ?r ?p)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (other ?p ?q) (role ?p) (role ?q) (distinct ?p ?q))
(<= terminal (true (cell d ?r ?p)) (true (cell e ?r ?p)))
"""


@pytest.fixture
def board() -> Reasoner:
    return Reasoner(parse(RULES, name="rules/board.kif"))


def joint(*moves: str) -> tuple[Term, ...]:
    return tuple(map(term, moves))


def why(reasoner: Reasoner, query: str, *plies: str) -> str:
    """Return the explanation of a query after plies of black and white in turn."""
    history = []
    state = reasoner.initial()
    for number, ply in enumerate(plies):
        moves = joint(*(("noop", ply) if number % 2 else (ply, "noop")), "noop")
        history.append((state, moves))
        state = reasoner.successor(state, moves)
    return str(explain(reasoner, state, term(query), history=history))


def test_an_occupied_square_is_traced_to_the_move_that_took_it(board: Reasoner) -> None:
    assert why(board, "(legal black (place e 5))", "(place d 5)", "(place e 5)") == (
        "(legal black (place e 5)) does not hold: "
        "(true (cell e 5 white)) holds since turn 2, when white played (place e 5)\n"
        "  (legal black (place e 5)) needs, by board.kif:4:\n"
        "    yes  (true (control black))  [since turn 2]\n"
        "    no   (empty e 5)\n"
        "        (empty e 5) needs, by board.kif:8:\n"
        "          yes  (file e)  [board.kif:2]\n"
        "          yes  (rank 5)  [board.kif:2]\n"
        "          no   not (occupied e 5)\n"
        "              but (occupied e 5)  [board.kif:9]\n"
        "                (true (cell e 5 white))  [since turn 2, when white played (place e 5)]"
    )


def test_a_legal_move_is_proved(board: Reasoner) -> None:
    assert why(board, "(legal white (place e 5))", "(place d 5)") == (
        "(legal white (place e 5))  [board.kif:4]\n"
        "  (true (control white))  [since turn 1]\n"
        "  (empty e 5)  [board.kif:8]\n"
        "    (file e)  [board.kif:2]\n"
        "    (rank 5)  [board.kif:2]\n"
        "    not (occupied e 5)"
    )


def test_a_query_with_variables_is_proved_for_the_first_instance(board: Reasoner) -> None:
    assert why(board, "(other ?p white)") == (
        "(other black white)  [board.kif:14]\n"
        "  (role black)  [board.kif:1]\n"
        "  (role white)  [board.kif:1]\n"
        "  black is not white"
    )


def test_a_query_with_variables_that_nothing_meets_is_refuted(board: Reasoner) -> None:
    assert why(board, "terminal", "(place d 5)") == (
        "terminal does not hold: (true (cell e 5 black)) does not\n"
        "  terminal needs, by board.kif:15:\n"
        "    yes  (true (cell d 5 black))  [since turn 1, when black played (place d 5)]\n"
        "    no   (true (cell e 5 black))\n"
        "        instead: (true (cell d 5 black))  [since turn 1, when black played (place d 5)]"
    )


def test_what_no_rule_can_give_is_said_to_have_none(board: Reasoner) -> None:
    assert why(board, "(legal black resign)") == (
        "(legal black resign) does not hold  [no rule gives it]"
    )
    assert why(board, "(true (cell e 5 black))") == "(true (cell e 5 black)) does not hold"
    assert why(board, "(file a)") == "(file a) does not hold  [no rule gives it]"


def test_a_term_that_is_not_different_from_itself(board: Reasoner) -> None:
    assert why(board, "(other white white)") == (
        "(other white white) does not hold: white is not different from itself\n"
        "  (other white white) needs, by board.kif:14:\n"
        "    yes  (role white)  [board.kif:1]\n"
        "    yes  (role white)  [board.kif:1]\n"
        "    no   white is not white"
    )


def test_a_fact_that_was_always_true_is_from_the_start() -> None:
    still = Reasoner(parse("(role r) (legal r noop) (init a) (<= (next a) (true a))", name="a.kif"))
    start = still.initial()
    found = explain(still, start, term("(true a)"), history=[(start, joint("noop"))])
    assert isinstance(found, Proof)
    assert found.since == Since(0)
    assert str(found) == "(true a)  [from the start]"
    assert str(explain(still, start, term("(true a)"))) == "(true a)"


def test_what_is_next_is_explained_by_the_moves(board: Reasoner) -> None:
    moves = joint("(place d 5)", "noop", "noop")
    query = term("(next (cell d 5 black))")
    assert str(explain(board, board.initial(), query, joint_move=moves)) == (
        "(next (cell d 5 black))  [board.kif:10]\n  (does black (place d 5))"
    )
    assert isinstance(explain(board, board.initial(), query), Refutation)


def test_an_unknown_relation_names_the_nearest(board: Reasoner) -> None:
    with pytest.raises(UnknownRelationError) as caught:
        why(board, "(emtpy e 5)")
    assert str(caught.value) == ("the rules have no relation emtpy/2\n  help: did you mean empty?")
    with pytest.raises(UnknownRelationError) as caught:
        why(board, "(empty e)")
    assert str(caught.value) == (
        "the rules have no relation empty/1\n  expected: empty with 2 arguments"
    )
    with pytest.raises(UnknownRelationError) as caught:
        why(board, "?x")
    assert str(caught.value) == "?x is a variable\n  expected: a sentence, such as terminal"


PATHS = """\
(role r)
(edge a b) (edge b c) (edge c a) (edge c d)
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
"""


def test_a_proof_through_a_cycle_is_no_circle() -> None:
    paths = Reasoner(parse(PATHS, name="paths.kif"))
    assert str(explain(paths, frozenset(), term("(path a d)"))) == (
        "(path a d)  [paths.kif:4]\n"
        "  (path a c)  [paths.kif:4]\n"
        "    (path a b)  [paths.kif:3]\n"
        "      (edge a b)  [paths.kif:2]\n"
        "    (path b c)  [paths.kif:3]\n"
        "      (edge b c)  [paths.kif:2]\n"
        "  (path c d)  [paths.kif:3]\n"
        "    (edge c d)  [paths.kif:2]"
    )


def test_a_refutation_through_a_cycle_ends() -> None:
    paths = Reasoner(parse(PATHS, name="paths.kif"))
    found = explain(paths, frozenset(), term("(path d a)"))
    assert isinstance(found, Refutation)
    assert str(found).startswith(
        "(path d a) does not hold: (edge d a) does not  [no rule gives it]\n"
        "  (path d a) needs, by paths.kif:3:\n"
        "    no   (edge d a)  [no rule gives it]\n"
    )


def test_a_proof_uses_an_instance_that_meets_every_condition() -> None:
    some = Reasoner(
        parse(
            "(role r)\n(q a) (q b) (q c) (s a)\n(<= p (q ?x) (not (s ?x)) (distinct ?x b))",
            name="t",
        )
    )
    assert str(explain(some, frozenset(), term("p"))) == (
        "p  [t:3]\n  (q c)  [t:2]\n  not (s c)\n  c is not b"
    )


def test_of_several_rules_the_closest_comes_first() -> None:
    rules = "(role r)\n(<= p (true a) (true b) (true c))\n(<= p (true a) (true d))\n(<= p (true e))"
    some = Reasoner(parse(rules, name="t"))
    assert str(explain(some, frozenset({term("a"), term("b")}), term("p"))) == (
        "p does not hold: "
        "(true c) does not hold, and (true d) does not hold, and (true e) does not hold\n"
        "  p needs, by t:2:\n"
        "    yes  (true a)\n"
        "    yes  (true b)\n"
        "    no   (true c)\n"
        "  nor t:3: (true d) does not hold\n"
        "  nor t:4: (true e) does not hold"
    )


def test_conditions_that_were_not_looked_at_are_counted() -> None:
    some = Reasoner(parse("(role r)\n(<= p (true a) (true b) (true c))", name="t"))
    assert str(explain(some, frozenset({term("c")}), term("p"))) == (
        "p does not hold: (true a) does not\n"
        "  p needs, by t:2:\n"
        "    no   (true a)\n"
        "    ?    2 more conditions"
    )


def test_a_condition_on_what_nothing_binds_is_not_said_to_be_met() -> None:
    some = Reasoner(parse("(role r)\n(<= p (true (at ?x)) (distinct ?x a))", name="t"))
    assert str(explain(some, frozenset(), term("p"))) == (
        "p does not hold: (true (at ?x)) does not\n"
        "  p needs, by t:2:\n"
        "    no   (true (at ?x))\n"
        "    ?    1 more condition"
    )


def test_a_shared_proof_is_drawn_once() -> None:
    twice = Reasoner(parse("(role r)\n(a)\n(<= b a)\n(<= c b b)", name="t.kif"))
    assert str(explain(twice, frozenset(), term("c"))) == (
        "c  [t.kif:4]\n  b  [t.kif:3]\n    a  [t.kif:2]\n  b  [as shown above]"
    )


@pytest.mark.later
def test_a_long_proof_is_cut_and_says_how_much_is_left() -> None:
    rules = "\n".join(f"(<= (n {n + 1}) (n {n}))" for n in range(400))
    count = Reasoner(parse(f"(role r)\n(n 0)\n{rules}", name="n.kif"))
    proof = explain(count, frozenset(), term("(n 400)"))
    lines = explanation_text(proof, max_lines=10).splitlines()
    assert len(lines) == 11
    assert lines[0] == "(n 400)  [n.kif:402]"
    assert lines[-1] == "... and 391 more lines"
    assert len(str(proof).splitlines()) == 121


def test_a_history_that_is_none_does_no_harm(board: Reasoner) -> None:
    start = board.initial()
    false = [(start, joint("noop", "noop", "noop"))]
    odd: frozenset[Term] = frozenset({term("(cell e 5 white)")})
    found = explain(board, odd, term("(true (cell e 5 white))"), history=false)
    assert isinstance(found, Proof)
    assert found.since == Since(1)


LINKED = """
(<= over (linked a)) (<= (linked ?x) (true (at ?x)))
(<= (linked ?x) (near ?x ?y) (linked ?y)) (near a b)
"""
ENDINGS = """
(<= over line) (<= over (not open)) (<= over (not (true (control r))))
(<= open (true o) (true y)) (<= line (true a) (true b))
"""


STEPS = """
(<= over near) (<= near (true (at ?x)) (step b ?x)) (edge a b) (edge b c) (edge c d)
(<= (step ?x ?y) (edge ?x ?y)) (<= (step ?x ?z) (edge ?x ?y) (step ?y ?z))
"""
PLACED = """
(<= over (won ?p)) (<= (won ?p) (fleet ?p) shooting) (<= shooting (true (turn ?p)))
(<= (fleet ?p) (true (fleet ?p)))
"""
FILLED = """
(<= over end) (<= end (square ?x) (not (hole ?x))) (square a) (square b)
(<= (hole ?x) (square ?x) (true (free ?x)) (not (true (stone ?x))))
"""
PASSED = """
(<= over end) (<= end (edge ?x) (true (at ?x))) (<= end (edge ?x) (true (purse ?x)))
(edge 0) (edge 9)
"""

CARDS = "(<= over (not open)) (<= open (has ?c)) (<= (has ?c) (true (holds ?c)))"
ABOVE = """
(<= over (true (has ?x)) (above ?x 5)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (above ?x ?y) (succ ?y ?x)) (<= (above ?x ?y) (succ ?z ?x) (above ?z ?y))
"""


def first_line(rules: str, *facts: str) -> str:
    """Return the first line of why ``over`` does not hold, without what all have in common."""
    some = Reasoner(parse(f"(role r) {rules}", name="t"))
    text = str(explain(some, frozenset(map(term, facts)), term("over")))
    return text.splitlines()[0].removeprefix("over does not hold: ")


@pytest.mark.parametrize(
    ("rules", "facts", "said"),
    [
        # A question is handed on where one literal alone is missing.
        ("(<= over won) (<= won (true a))", [], "(true a) does not"),
        # Where several are, the name of what they make says more.
        ("(<= over line) (<= line (true a) (true b) (true c))", [], "line does not"),
        # So does the name of what rests on itself, such as being linked.
        (
            LINKED,
            [],
            "(linked a) does not",
        ),
        # Where others would do as well as the one that is missing, no single one is named.
        (
            "(<= over filled) (<= filled (square ?x) (true (stone ?x))) (square a) (square b)",
            [],
            "filled does not",
        ),
        # But not of what is always so, such as the steps of a board.
        (STEPS, ["(at a)", "(at b)"], "near does not"),
        # A relation that always is so is told as it was asked, not by the last of its own steps.
        (ABOVE, ["(has 3)"], "(above 3 5) does not"),
        # What must not hold and rests on one fact alone is told by that fact ...
        ("(<= over (not full)) (<= full (true a))", ["a"], "(true a) holds"),
        # ... but not if it rests on what is not so, as well.
        ("(<= over (not free)) (<= free (true a) (not (true b)))", ["a"], "free holds"),
        # ... and not by one of several facts that would each do.
        (CARDS, ["(holds 1)", "(holds 2)"], "open holds"),
        (CARDS, ["(holds 2)"], "(true (holds 2)) holds"),
        (
            "(<= over (not open)) (<= open (true a)) (<= open (true b))",
            ["a", "b"],
            "open holds",
        ),
        # What always is so is none of them.
        (
            "(<= over (not open)) (<= open (true a) (day ?d)) (day 1) (day 2)",
            ["a"],
            "(true a) holds",
        ),
        # Each of several ways to end is told, but not that it is somebody's turn.
        (
            ENDINGS,
            ["o", "y", "(control r)"],
            "line does not hold, and open holds",
        ),
        # The name of one condition among others says more than a fact that any of several would be.
        (PLACED, ["(fleet a)"], "shooting does not"),
        (PLACED.replace("(won ?p) (fleet ?p)", "(won r)"), [], "(true (turn ?p)) does not"),
        # A name that is the question again is passed, to what bars it or one of the ways to it.
        (FILLED, ["(free a)", "(free b)"], "(hole a) holds"),
        (PASSED, [], "(true (at 0)) does not"),
    ],
)
def test_the_first_line_names_what_a_person_means(rules: str, facts: list[str], said: str) -> None:
    assert first_line(rules, *facts) == said


MEN = """
(role b) (succ 1 2) (succ 2 3) (kind wp r pawn) (kind wk r king) (kind bp b pawn)
(<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x))
(<= (mine ?x ?k) (true (control ?p)) (kind ?m ?p ?k) (true (cell ?x ?m)))
(<= (taken ?x) (mine ?x ?k)) (<= (held ?x) (true (cell ?x ?m)))
(<= (far ?x ?y) (mine ?x king) (near ?x ?y) (not (held ?y)))
(<= (far ?x ?y) (far ?x ?z) (not (held ?z)) (near ?z ?y))
(<= (legal ?p (move ?x ?y)) (true (control ?p)) (far ?x ?y))
(<= (legal ?p (move ?x ?y)) (true (control ?p)) (mine ?x pawn) (succ ?x ?y) (not (held ?y)))
"""


@pytest.mark.parametrize(
    ("facts", "move", "said"),
    [
        # Whatever a man is, somebody who may move must have it.
        (["(cell 1 bp)"], "1 2", "(mine 1 ?any2) does not"),
        (["(cell 1 wp)"], "2 3", "(true (cell 2 ?m)) does not"),
        # A rule whose steps are none of the board's is not meant, nor is one for another kind.
        (["(cell 2 wk)", "(cell 1 wp)"], "2 1", "(far 2 1) does not"),
        (["(cell 1 wp)", "(cell 2 wp)"], "1 2", "(true (cell 2 wp)) holds"),
        # What rests on itself ends somewhere: the first step must be there.
        (["(cell 1 wk)", "(cell 2 wp)"], "1 3", "(far 1 ?z) does not"),
    ],
)
def test_of_a_move_what_every_way_to_it_needs_is_named(
    facts: list[str], move: str, said: str
) -> None:
    some = Reasoner(parse(f"(role r) {MEN}", name="t"))
    state = frozenset(map(term, ["(control r)", *facts]))
    text = str(explain(some, state, term(f"(legal r (move {move}))")))
    assert text.splitlines()[0].partition(" does not hold: ")[2] == said


KINDS = """
(role b) (succ 1 2) (succ 2 3) (kind wp r pawn) (kind wk r king) (kind wq r queen)
(<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x)) (swift queen)
(<= (mine ?x ?k) (true (control ?p)) (kind ?m ?p ?k) (true (cell ?x ?m)))
(<= (own ?x) (mine ?x ?k))
(<= (swings ?x ?y) (mine ?x ?k) (swift ?k) (near ?x ?y))
(<= (swings ?x ?y) (swings ?x ?z) (near ?z ?y) (not (own ?z)))
(<= (goes ?x ?y) (swings ?x ?y) (not (own ?y)))
(<= (goes ?x ?y) (mine ?x king) (near ?x ?y) (not (own ?y)))
(<= (goes ?x ?y) (mine ?x pawn) (succ ?x ?y) (not (own ?y)))
(<= (legal ?p (move ?x ?y)) (true (control ?p)) (goes ?x ?y))
"""


@pytest.mark.parametrize(
    ("facts", "move", "said"),
    [
        # A rule that asks for a pawn, where a king stands and the king's rule has it, is not meant.
        (["(cell 1 wk)", "(cell 2 wp)"], "1 2", "(own 2) holds"),
        (["(cell 1 wq)", "(cell 2 wp)"], "1 2", "(own 2) holds"),
        # A man that is there, and goes otherwise, is told by its own rule.
        (["(cell 1 wk)"], "1 3", "(succ 1 3) does not  [no rule gives it]"),
        (["(cell 2 wp)"], "2 1", "(succ 2 1) does not  [no rule gives it]"),
        # Where nobody is, no rule is meant more than another.
        ([], "1 2", "(true (cell 1 ?m)) does not"),
    ],
)
def test_of_a_man_the_rule_for_its_kind_is_told(facts: list[str], move: str, said: str) -> None:
    some = Reasoner(parse(f"(role r) {KINDS}", name="t"))
    state = frozenset(map(term, ["(control r)", *facts]))
    text = str(explain(some, state, term(f"(legal r (move {move}))")))
    assert text.splitlines()[0].partition(" does not hold: ")[2] == said


PACES = """
(role b) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (kind wp r pawn) (kind bp b pawn)
(kind wq r queen) (slides queen)
(<= (mine ?x ?k) (kind ?m ?p ?k) (true (cell ?x ?m)) (true (control ?p)))
(<= (held ?x) (true (cell ?x ?m))) (place 1) (place 2) (place 3) (place 4) (place 5)
(<= (free ?x) (place ?x) (not (held ?x)))
(<= (leap ?p ?x ?y ?z) (kind ?m ?p pawn) (succ ?x ?y) (succ ?y ?z))
(<= (goes ?x ?z) (mine ?x pawn) (true (control ?p)) (leap ?p ?x ?y ?z) (free ?y) (free ?z))
(<= (ahead ?x ?y) (mine ?x pawn) (succ ?x ?y) (free ?y))
(<= (goes ?x ?y) (ahead ?x ?y))
(<= (slide ?x ?y) (mine ?x ?k) (slides ?k) (succ ?x ?y) (free ?y))
(<= (slide ?x ?z) (slide ?x ?y) (succ ?y ?z) (free ?z))
(<= (goes ?x ?y) (slide ?x ?y))
(<= (legal ?p (move ?x ?y)) (true (control ?p)) (goes ?x ?y))
(<= (legal ?p (rush ?x)) (true (control ?p)) (mine ?x pawn))
"""


@pytest.mark.parametrize(
    ("facts", "move", "said"),
    [
        # Each way of the man that is there is told, not the relation that all of them give.
        (
            ["(cell 1 wp)"],
            "(move 1 5)",
            "(leap r 1 ?y 5) does not hold, and (succ 1 5) does not hold",
        ),
        # A way of men of another kind is none of them.
        (["(cell 1 wq)", "(cell 2 bp)"], "(move 1 5)", "(slide 1 ?y) does not"),
        # What is in the way of the man's own rule comes before steps of other rules.
        (["(cell 1 wp)", "(cell 2 bp)"], "(move 1 2)", "(true (cell 2 bp)) holds"),
        # A man of the other player is told as that, not by whose turn it is.
        (["(cell 1 bp)"], "(rush 1)", "(mine 1 pawn) does not"),
    ],
)
def test_of_several_ways_to_a_move_each_is_told(facts: list[str], move: str, said: str) -> None:
    some = Reasoner(parse(f"(role r) {PACES}", name="t"))
    state = frozenset(map(term, ["(control r)", *facts]))
    text = str(explain(some, state, term(f"(legal r {move})")))
    assert text.splitlines()[0].partition(" does not hold: ")[2] == said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "moves", "move", "said"),
    [
        ("chess", "", "white e7e5", "(mine e 7 ?kind) does not"),
        ("chess", "", "white e5e6", "(true (cell e 5 ?man)) does not"),
        ("chess", "", "white a1a5", "(run ?d a 1 a 5) does not"),
        ("chess", "", "white a1b2", "(own b 2) holds"),
        ("chess", "b2b4 e7e5", "white a1b2", "(run ?d a 1 b 2) does not"),
        ("chess", "", "white b1d2", "(own d 2) holds"),
        ("chess", "", "white e1e2", "(own e 2) holds"),
        ("chess", "", "white h1h2", "(own h 2) holds"),
        ("chess", "", "white e1g1", "(obstructed white short) holds"),
        ("chess", "", "white e1e3", "(step ?d e 1 e 3) does not"),
        ("chess", "", "white b1b3", "(hop ?j b 1 b 3) does not"),
        (
            "chess",
            "",
            "white e2e5",
            "(stride white e 2 ?r2 5) does not hold, and (step ?d e 2 e 5) does not hold",
        ),
        ("chess", "", "white a2b3", "(theirs b 3 ?kind) does not"),
        ("chess", "", "white a7a8q", "(mine a 7 pawn) does not"),
        ("clobber", "", "white a1-a3", "(adjacent a 1 a 3) does not"),
        ("quoridor", "", "white d4", "(step ?way 3 5 4 4) does not"),
        ("draughts", "", "white 46-41", "(true (cell 41 white man)) holds"),
        ("draughts", "", "white 32-20", "(true (cell 20 black man)) holds"),
        ("draughts", "", "white 20-25", "(start 20 ?rank) does not"),
        ("draughts", "", "white 28-22", "(true (cell 28 ?player ?rank)) does not"),
        (
            "draughts",
            "",
            "white 31-22",
            "(lands ?way 31 22) does not hold, and (step ?way 31 22) does not hold",
        ),
        (
            "checkers/american",
            "",
            "black b6-b5",
            "(hop ?way b 6 ?col2 ?row2 b 5) does not hold, and (step ?way b 6 b 5) does not hold",
        ),
        ("checkers/american", "", "black b6-d4", "(true (cell c 5 white ?rank)) does not"),
        ("chinesecheckers", "", "north j4-j6", "(true (cell j 5 ?player)) does not"),
        (
            "chinesecheckers",
            "",
            "north a1-a2",
            "(true (hopper a 1)) does not hold, and (true (cell a 1 ?player)) does not hold",
        ),
        ("linesofaction", "", "black b1-b2", "(total upright b 1 1) does not"),
        ("pegsolitaire", "", "player d1-d3", "(true (peg d 3)) holds"),
        ("checkers/american", "", "black a7-b6", "(true (cell b 6 black man)) holds"),
        ("othello", "", "black d4", "(true (cell d 4 white)) holds"),
        (
            "othello",
            "",
            "black a1",
            "no (step ?way a 1 ?col2 ?row2) has (closed black ?way ?col2 ?row2)",
        ),
        (
            "othello",
            "",
            "black e3",
            "no (step ?way e 3 ?col2 ?row2) has (closed black ?way ?col2 ?row2)",
        ),
        ("breakthrough", "", "white a2-a4", "(succ 2 4) does not  [no rule gives it]"),
        ("go", "b1 c3 a2", "white a1", "(breathes white 1 1) does not"),
        (
            "chess",
            "e2e4 e7e5 g1f3 d8h4 b1c3 h4f2",
            "white d2d3",
            "(view ne d 3) does not hold, and check holds",
        ),
        (
            "connectfour",
            "4 4 4 4 4 4",
            "red 4",
            "(true (cell 4 6 yellow)) holds since turn 6, when yellow played 4",
        ),
    ],
)
def test_why_a_move_of_a_shipped_game_is_not_legal(
    name: str, moves: str, move: str, said: str
) -> None:
    state = gdl.load(name, backend="reason").initial()
    for each in moves.split():
        state = state.play(each)
    text = str(state.why(f"legal {move}"))
    assert text.splitlines()[0] == f"legal {move} does not hold: {said}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tictactoe", "(line ?player) does not hold, and open holds"),
        (
            "hex?size=3",
            "(linked red ?col 3) does not hold, and (linked blue 3 ?row) does not hold",
        ),
        ("havannah", "ring does not hold, and bridge does not hold, and fork does not hold"),
        ("checkers/american", "canmove holds, and drawn does not hold"),
        ("othello", "open holds"),
        ("tron", "(true (crashed ?player)) does not"),
        ("battleship", "shooting does not"),
        ("kalah", "(has north) holds"),
        ("goofspiel", "(open left) holds"),
        ("backgammon", "(true (on ?player off 15)) does not"),
        ("einstein/standard", "arranged does not hold, and (arrived ?player) does not hold"),
    ],
)
def test_the_first_line_of_why_a_shipped_game_goes_on(name: str, said: str) -> None:
    text = str(gdl.load(name, backend="reason").initial().why("terminal"))
    assert text.splitlines()[0] == f"terminal does not hold: {said}"


def test_why_a_move_is_not_legal_begins_with_the_end_of_play() -> None:
    """No rule of tic-tac-toe says that nobody moves once a line is there."""
    over = gdl.load("tictactoe", backend="reason").initial()
    for move in ("a1", "b1", "a2", "b2", "a3"):
        over = over.play(move)
    assert over.is_terminal
    first, *_ = str(over.why("legal x c3")).splitlines()
    assert first == "legal x c3 does not hold: play is over, and (true (control x)) does not"
    first, *_ = str(over.why("legal x (mark z 9)")).splitlines()
    assert first.startswith("(legal x (mark z 9)) does not hold: play is over, and ")
    first, *_ = str(over.why("legal o c3")).splitlines()
    assert first == "legal o c3 holds, but play is over"
    first, *_ = str(over.why("goal o 100")).splitlines()
    assert "play is over" not in first
