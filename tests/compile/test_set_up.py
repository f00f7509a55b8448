"""Set-up positions: a circuit is right in every state that it allows, reachable or not.

It is made smaller by what holds in reachable states, and says what that is; a state with all of it
is as good a beginning as the initial one. The reasoner, which takes nothing for granted, is judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

import pytest

import gdl.ruleset
from gdl.circuit.game import GameCircuit
from gdl.compile import CompileLimits, build
from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.parse import parse, read
from gdl.language.syntax import Description
from gdl.language.terms import Term
from gdl.reason.machine import Reasoner
from tests.mutants import mutant
from tests.native.stages import circuit_difference, play
from tests.native.test_mutants import LAMPS, TOWN
from tests.shared import GAMES, needs_games, some

LIMITS = Limits(seconds=5.0, facts=100_000, term_depth=20)
COMPILE_LIMITS = CompileLimits(seconds=10.0, bytes=1 << 30, gates=20_000, term_depth=20)
PLIES = 5
SMALL = 6_000
"""Bytes of a published file."""

DOOR = """
(role walker) (init (wall a)) (init (wall b)) (init (at 1))
(succ 1 2) (succ 2 3) (spot a) (spot b) (spot c)
(<= (legal walker (go ?x)) (true (at ?n)) (spot ?x) (not (true (wall ?x))))
(<= (legal walker stay) (true (at ?n)))
(<= (next (wall ?x)) (true (wall ?x)))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= terminal (true (at 3)))
(<= (goal walker 100) (true (at 3)))
(<= (goal walker 0) (not (true (at 3))))
"""
"""Walls that never change, of which a set-up position may have others."""


@dataclass(frozen=True)
class From:
    """The reasoner, beginning elsewhere."""

    reasoner: Reasoner
    start: frozenset[Term]

    def initial(self) -> frozenset[Term]:
        return self.reasoner.state(self.start)

    def __getattr__(self, name: str) -> object:
        return getattr(self.reasoner, name)


def set_ups(circuit: GameCircuit, reasoner: Reasoner, random: Random, n: int) -> Iterator[set[int]]:
    """Yield states near to those of play, and far from them, as indices of facts."""
    index = {fact: i for i, fact in enumerate(circuit.facts)}
    reached = [step.facts for step in play(reasoner, states=40, seed=1, seconds=1.0)]
    for _ in range(n):
        held = {index[fact] for fact in random.choice(reached)}
        for _ in range(random.choice((1, 2, 4, 8))):
            if circuit.assumed and random.random() < 0.7:
                members, exact = random.choice(circuit.assumed)
                held -= set(members)
                if exact or random.random() < 0.5:
                    held.add(random.choice(members))
            else:
                held ^= {random.randrange(len(circuit.facts))}
        yield held


def check(description: Description, *, seed: int, n: int) -> tuple[int, int]:
    """Return how many set-up states were allowed, and how many were not.

    Raises:
        AssertionError: The circuit allows one and is wrong there, or soon after.
    """
    reasoner = Reasoner(description, limits=LIMITS)
    circuit = build(description, limits=COMPILE_LIMITS, roles=reasoner.roles)
    random = Random(seed)
    allowed = refused = 0
    assert circuit.allows(circuit.initial)
    for held in set_ups(circuit, reasoner, random, n):
        if not circuit.allows(held):
            refused += 1
            continue
        allowed += 1
        facts = frozenset(circuit.facts[i] for i in held)
        steps = play(From(reasoner, facts), states=PLIES, seed=seed, seconds=1.0)  # type: ignore[arg-type]  # the same but for its beginning
        found = circuit_difference(replace(circuit, initial=frozenset(held)), steps)
        assert found is None, f"{found}, from {' '.join(map(str, sorted(facts)))}"
    return allowed, refused


@pytest.mark.parametrize("name", ["tictactoe", "connectfour"])
def test_a_circuit_is_right_in_each_state_that_it_allows(name: str) -> None:
    allowed, refused = check(gdl.ruleset.find(name).description, seed=3, n=30)
    assert allowed > 5
    assert refused > 2


@pytest.mark.later
@pytest.mark.parametrize("text", [LAMPS, TOWN, DOOR])
def test_it_is_right_for_roles_that_move_at_once_and_for_facts_that_last(text: str) -> None:
    for seed in range(6):
        description = parse(text) if not seed else mutant(parse(text), Random(seed), edits=1)
        with suppress(GdlError):  # some mutants have no meaning
            check(description, seed=seed, n=20)
    assert min(check(parse(text), seed=1, n=40)) > 0


def test_facts_that_last_are_asked_for() -> None:
    circuit = build(parse(DOOR))
    held = set(circuit.initial)
    assert {str(circuit.facts[i]) for i in circuit.fixed} == {"(wall a)", "(wall b)"}
    assert not circuit.allows(held - circuit.fixed)


def test_a_circuit_that_forgets_what_it_took_for_granted_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(GameCircuit, "allows", lambda *_: True)
    with pytest.raises(AssertionError):
        check(gdl.ruleset.find("connectfour").description, seed=3, n=30)


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize(
    "path",
    some([path for path in GAMES if path.stat().st_size < SMALL], 10),
    ids=lambda path: path.stem,
)
def test_set_up_positions_of_published_files(path: object) -> None:
    description = read(str(path))
    for seed in range(3):
        changed = description if not seed else mutant(description, Random(seed), edits=1)
        with suppress(GdlError):
            check(changed, seed=seed, n=15)
