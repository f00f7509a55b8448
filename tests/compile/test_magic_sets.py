"""Relations on demand mean what they meant, and have fewer instances."""

from __future__ import annotations

import random

import pytest

from gdl.circuit.game import GameCircuit
from gdl.compile.gates.game_network import game_network
from gdl.compile.grounding import ground_game
from gdl.compile.grounding.ground_game import ground, ground_within
from gdl.compile.limits import CompileLimits, GroundingLimitError
from gdl.compile.pipeline import game_circuit
from gdl.compile.rules.constant_facts import lasting
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.magic_sets import ASKED, demanded
from gdl.compile.rules.rule_decomposition import split
from gdl.compile.rules.unfold import is_narrower as narrower_than
from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse, read
from gdl.language.syntax import signature
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement
from tests.shared import GAMES, SHARED, needs_games

COUNTING = """
(role robot) (init (at 1)) (init (light s2))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(number 0) (<= (number ?n) (succ ?m ?n))
(after s1 s2) (after s2 s3) (after s3 s4)
(<= (square ?s) (after ?s ?t)) (<= (square ?t) (after ?s ?t))
(<= (legal robot (switch ?s)) (after ?s ?t))
(<= (next (light ?s)) (true (light ?s)) (not (does robot (switch ?s))))
(<= (next (light ?s)) (does robot (switch ?s)) (not (true (light ?s))))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= (step ?s ?m ?n) (true (light ?s)) (succ ?m ?n))
(<= (step ?s ?m ?m) (square ?s) (number ?m) (not (true (light ?s))))
(<= (count s4 ?m ?n) (step s4 ?m ?n))
(<= (count ?s ?m ?n) (step ?s ?m ?k) (after ?s ?t) (count ?t ?k ?n))
(<= (dark ?s) (square ?s) (not (bright ?s)))
(<= (bright ?s) (true (light ?s)))
(<= terminal (true (at 6)))
(<= terminal (count s1 0 3))
(<= (goal robot 100) (count s1 0 ?n) (succ 1 ?n) (dark s1))
(<= (goal robot 50) (not (count s1 0 3)))
(<= (goal robot 0) (count s1 0 3) (not (dark s1)))
"""


def rules(text: str) -> list[Clause]:
    return needed_clauses(clauses(parse(text, syntax="kif")))


def on_demand(found: list[Clause]) -> list[Clause]:
    return needed_clauses(split(demanded(found)))


def circuit(found: list[Clause]) -> GameCircuit:
    return game_circuit(game_network(ground(found)))


def asked(found: list[Clause]) -> set[str]:
    """Return what is asked for, and with how many known arguments."""
    heads = (signature(clause.head) for clause in found)
    return {f"{head.name}/{head.arity}" for head in heads if head.name.startswith(ASKED)}


def test_a_count_is_asked_from_one_start() -> None:
    """Square and number are known wherever it is asked for; the result is not."""
    assert asked(demanded(rules(COUNTING))) == {
        "asked 3 count/2",
        "asked 3 step/2",
        "asked 1 dark/1",
        "asked 1 bright/1",
        "asked 1 number/1",
        "asked 1 square/1",
    }


def test_a_count_on_demand_has_fewer_rules_and_the_same_facts_and_moves() -> None:
    plain, less = ground(split(rules(COUNTING))), ground(on_demand(rules(COUNTING)))
    assert (less.facts, less.moves, len(less.goals)) == (plain.facts, plain.moves, 1)
    assert less.program.rule_count < plain.program.rule_count


@pytest.mark.parametrize("seed", range(3))
def test_a_count_on_demand_is_played_as_before(seed: int) -> None:
    meaning = Reasoner(parse(COUNTING, syntax="kif"))
    assert disagreement(circuit(on_demand(rules(COUNTING))), meaning, states=200, seed=seed) is None


def test_questions_that_are_not_put_are_found() -> None:
    """Where nobody asks for a relation it has no instances, and play is another."""
    meaning = Reasoner(parse(COUNTING, syntax="kif"))
    whole = demanded(rules(COUNTING))
    for name in ("asked 3 count", "asked 3 step", "asked 1 dark", "asked 1 bright"):
        fewer = [clause for clause in whole if signature(clause.head).name != name]
        assert len(fewer) < len(whole)
        found = circuit(needed_clauses(split(fewer)))
        assert disagreement(found, meaning, states=300, seed=2) is not None


def test_what_is_denied_while_grounding_is_known_whole() -> None:
    text = COUNTING + (
        "(<= (far ?s) (after ?s ?t) (not (near ?s))) (<= (near ?s) (after s1 ?s))"
        "(<= (next (seen)) (far s1) (true (light s1)))"
    )
    found = demanded(rules(text))
    assert not any("near" in name for name in asked(found))
    meaning = Reasoner(parse(text, syntax="kif"))
    assert disagreement(circuit(needed_clauses(split(found))), meaning, states=100, seed=3) is None


@pytest.mark.parametrize("name", ["may bright", "asked 1 bright"])
def test_relations_of_rules_are_kept_apart_from_those_on_demand(name: str) -> None:
    """Bars may hold any name, also one of those that questions have."""
    text = COUNTING.replace("(dark", f"(|{name}|")
    meaning = Reasoner(parse(text, syntax="kif"))
    assert disagreement(circuit(on_demand(rules(text))), meaning, states=200, seed=0) is None


def test_rules_in_which_nothing_is_known_are_left_as_they_are() -> None:
    found = rules("(role r) (init s) (<= (legal r a) (true s)) (<= (next s) (does r a))")
    assert demanded(found) == found


@pytest.mark.slow
def test_other_clauses_are_grounded_where_the_first_are_too_many() -> None:
    many = "(role r) (init (s 0))" + "".join(f"(n {i})" for i in range(60))
    many += "(<= (big ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d) (true (s ?b)))"
    many += "(<= (next (s ?a)) (big ?a 1 2 3)) (<= (legal r go) (true (s 0)))"
    limits = CompileLimits(seconds=20, ground_rules=20_000)
    found = rules(many)
    with pytest.raises(GroundingLimitError, match="too many instances"):
        ground(found, limits=limits)
    assert len(ground(found, limits=limits, instead=[lambda: on_demand(found)]).facts) == 1


def test_the_last_clauses_are_grounded_where_those_before_are_too_many() -> None:
    """Of three ways to say the same the one is found that has few instances, whichever it is."""
    few = rules("(role r) (init (s 0)) (<= (legal r go) (true (s 0)))")
    many = [*few, *rules("(n 1) (n 2) (n 3) (<= (next (s ?a ?b)) (n ?a) (n ?b) (does r go))")]
    limits = CompileLimits(seconds=20, ground_rules=9)
    for ways in ([few, many, many], [many, few, many], [many, many, few]):
        first, *others = ways
        instead = [lambda way=way: way for way in others]
        assert len(ground(first, limits=limits, instead=instead).facts) == 1


@pytest.mark.parametrize("is_narrow", [True, False])
def test_behind_a_look_those_of_fewer_variables_are_begun_with(
    monkeypatch: pytest.MonkeyPatch, *, is_narrow: bool
) -> None:
    """The first would end as well; it goes on where the second are no narrower."""
    monkeypatch.setattr(ground_game, "_LOOK", 100)
    few = "(role r) (init (s 0)) (<= (legal r go) (true (s 0)))"
    # The grounder's first piece of text is a megabyte: what is not larger has ended by the look.
    many = few + "".join(f"(n {i})" for i in range(50)) + "(<= (t ?a ?b ?c) (n ?a) (n ?b) (n ?c))"
    many += "(<= (next (s 0)) (t ?a ?b ?c) (does r go))"
    second = few + "(<= (next (s 0)) (does r go) (true (s 0)))" if is_narrow else many
    first, other = rules(many), rules(second)
    assert narrower_than(other, first) is is_narrow
    game = ground(
        first,
        instead=[lambda: other, lambda: pytest.fail("not needed")],
        is_narrower=lambda: narrower_than(other, first),
    )
    assert (game.program.rule_count > 100_000) is not is_narrow


@pytest.mark.parametrize("is_sooner", [True, False])
def test_behind_a_look_the_last_are_taken_where_they_are_at_an_end_by_then(
    monkeypatch: pytest.MonkeyPatch, *, is_sooner: bool
) -> None:
    """The second would end as well; they go on where the last have as many instances."""
    monkeypatch.setattr(ground_game, "_LOOK", 100)
    few = rules("(role r) (init (s 0)) (<= (legal r go) (true (s 0)))")
    text = "".join(f"(n {i})" for i in range(50)) + "(<= (t ?a ?b ?c) (n ?a) (n ?b) (n ?c))"
    many = [*few, *rules(text + "(<= (next (s 0)) (t ?a ?b ?c) (does r go))")]
    last = few if is_sooner else many
    game = ground(many, instead=[lambda: many, lambda: last], is_narrower=lambda: True)
    assert game.way == (2 if is_sooner else 1)
    assert (game.program.rule_count > 1_000) is not is_sooner


@pytest.mark.parametrize("narrower", ["few", "many", None])
def test_within_bounds_narrower_clauses_are_taken_where_they_are_at_an_end_by_a_look(
    monkeypatch: pytest.MonkeyPatch, narrower: str | None
) -> None:
    monkeypatch.setattr(ground_game, "_LOOK", 100)
    few = rules("(role r) (init (s 0)) (<= (legal r go) (true (s 0)))")
    text = "".join(f"(n {i})" for i in range(50)) + "(<= (t ?a ?b ?c) (n ?a) (n ?b) (n ?c))"
    many = [*few, *rules(text + "(<= (next (s 0)) (t ?a ?b ?c) (does r go))")]
    others = {"few": few, "many": many, None: None}[narrower]
    base = clauses(parse("(base (s 0))", syntax="kif"))
    game = ground_within([*many, *base], [signature(base[0].head)], narrower=lambda: others)
    assert game is not None
    assert game.way == (1 if narrower == "few" else 0)
    assert (game.program.rule_count > 1_000) is (narrower != "few")


@pytest.mark.sample(2)
@needs_games
@pytest.mark.parametrize(
    "path", random.Random(11).sample(GAMES, min(12, len(GAMES))), ids=lambda path: path.stem
)
def test_published_games_on_demand_agree_with_the_reasoner(path: object) -> None:
    description = read(str(path))
    found = needed_clauses(clauses(description))
    limits = CompileLimits(seconds=10, bytes=1 << 30, gates=60_000)
    try:
        game = game_network(ground(on_demand(found), limits=limits))
    except GroundingLimitError as error:
        pytest.skip(f"too large for this test: {str(error).splitlines()[0]}")
    if game.network.cost(game.outputs()) > limits.gates:
        pytest.skip("too large for this test")
    assert disagreement(game_circuit(game), Reasoner(description), states=25, seed=4) is None


@pytest.mark.slow
@needs_games
def test_a_maze_whose_rules_are_too_many_is_grounded_on_demand() -> None:
    """Without demand more than ten million; the reasoner has the last word."""
    description = read(SHARED / "games" / "mummymaze1p.kif")
    game = ground(on_demand(needed_clauses(lasting(clauses(description)))))
    assert game.program.rule_count < 400_000
    found = game_circuit(game_network(game))
    assert disagreement(found, Reasoner(description), states=40, seed=5) is None
