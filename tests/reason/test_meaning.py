"""The reasoner against the definition of what rules mean, on random games."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.language.syntax import (
    Compound,
    Constant,
    Description,
    Rule,
    Sentence,
    Term,
    Variable,
    sentence,
)
from gdl.meaning.machine import Meaning
from gdl.reason.machine import Reasoner
from tests.reason.programs import CONSTANTS, QUERIES, ROLES, fluents, games, joint_moves
from tests.shared import examples


def consequences(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...]
) -> set[Sentence]:
    """Return all that follows, by the definition."""
    meaning = Meaning(game)
    queries = (query(name, arity) for name, arity in QUERIES)
    return {found for asked in queries for found in meaning.instances(state, asked, joint_move)}


def query(name: str, arity: int) -> Sentence:
    return sentence(name, tuple(Variable(f"q{index}") for index in range(arity)))


def named(known: set[Sentence], name: str, arity: int) -> set[Sentence]:
    return {s for s in known if s.name == name and len(getattr(s, "args", ())) == arity}


@settings(max_examples=examples(60))
@given(games(), fluents(), joint_moves())
def test_everything_that_follows_is_found_and_nothing_else(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...]
) -> None:
    reasoner = Reasoner(game)
    known = consequences(game, state, joint_move)
    for name, arity in QUERIES:
        found = reasoner.instances(state, query(name, arity), joint_move)
        assert set(found) == named(known, name, arity), name
        assert list(found) == sorted(found)


@settings(max_examples=examples(25))
@given(games(), fluents(), joint_moves(), st.data())
def test_a_bound_question_gives_the_part_of_the_answer_that_fits(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...], data: st.DataObject
) -> None:
    known = consequences(game, state, joint_move)
    reasoner = Reasoner(game)
    for name, arity in QUERIES:
        args = data.draw(st.tuples(*[st.sampled_from((*CONSTANTS, *ROLES, Variable("q")))] * arity))
        expected = {
            other for other in named(known, name, arity) if _fits(getattr(other, "args", ()), args)
        }
        assert set(reasoner.instances(state, sentence(name, args), joint_move)) == expected, name


def _fits(values: tuple[Term, ...], pattern: tuple[Term, ...]) -> bool:
    known: dict[Term, Term] = {}
    return all(
        known.setdefault(term, value) is value if isinstance(term, Variable) else term is value
        for term, value in zip(pattern, values, strict=True)
    )


@settings(max_examples=examples(25))
@given(games(), fluents(), joint_moves())
def test_the_machine_says_what_the_relations_of_the_language_say(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...]
) -> None:
    reasoner = Reasoner(game)
    known = consequences(game, state, joint_move)
    assert reasoner.is_terminal(state) == (Constant("terminal") in known)
    legal = {s for s in known if s.name == "legal"}
    for role in ROLES:
        moves = reasoner.legal(state, role)
        assert {Compound("legal", (role, move)) for move in moves} == {
            s for s in legal if isinstance(s, Compound) and s.args[0] is role
        }
        assert list(moves) == sorted(set(moves))
        seen = reasoner.percepts(state, joint_move, role)
        assert {Compound("sees", (role, percept)) for percept in seen} == {
            s for s in known if isinstance(s, Compound) and s.name == "sees" and s.args[0] is role
        }
    if all(Compound("legal", pair) in legal for pair in zip(ROLES, joint_move, strict=True)):
        following = {Compound("next", (fact,)) for fact in reasoner.successor(state, joint_move)}
        assert following == {s for s in known if s.name == "next"}


@settings(max_examples=examples(30))
@given(games(), fluents(), joint_moves(), st.randoms(use_true_random=False))
def test_the_order_of_rules_and_of_literals_means_nothing(
    game: Description, state: frozenset[Term], joint_move: tuple[Term, ...], random: object
) -> None:
    shuffle = random.shuffle  # type: ignore[attr-defined]  # hypothesis types it as object
    rules = []
    for rule in game.rules[len(ROLES) :]:
        body = list(rule.body)
        shuffle(body)
        rules.append(Rule(rule.head, tuple(body)))
    shuffle(rules)
    one, other = Reasoner(game), Reasoner(Description((*game.rules[: len(ROLES)], *rules)))
    for name, arity in QUERIES:
        asked = query(name, arity)
        assert one.instances(state, asked, joint_move) == other.instances(state, asked, joint_move)
