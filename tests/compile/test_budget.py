"""A build ends when its time or memory is up, with a correct circuit or a clear error."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from itertools import count

import pytest

import gdl
from gdl.circuit.game import GameCircuit
from gdl.circuit.validate import validate_circuit
from gdl.compile import CompileLimits, GroundingLimitError, build
from gdl.compile.budget import Budget, begin
from gdl.compile.gates import simplify as simplifying
from gdl.compile.gates.game_network import game_network, verify_network
from gdl.compile.gates.simplify import simplify
from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import game_circuit
from gdl.compile.progress import Stage
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.rule_decomposition import split
from gdl.language.clauses import clauses
from gdl.language.parse import parse
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset, find
from gdl.verify.verification import verify
from tests.compile.lockstep import disagreement
from tests.shared import needs

RING = """
(role runner) (init (at 0)) (init (lap a))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 0)
(turn a b) (turn b c) (turn c a)
(<= (legal runner step) (true (at ?x)) (distinct ?x 4))
(<= (legal runner home) (true (at 4)))
(<= (next (at ?y)) (does runner ?m) (true (at ?x)) (succ ?x ?y))
(<= (next (lap ?l)) (does runner step) (true (lap ?l)))
(<= (next (lap ?k)) (does runner home) (true (lap ?l)) (turn ?l ?k))
(<= terminal (true (lap c)) (true (at 3)))
(<= (goal runner 100) (true (lap c))) (<= (goal runner 0) (not (true (lap c))))
"""


@dataclass(frozen=True)
class After(Budget):
    """A budget that is spent after it has been asked so many times."""

    answers: list[bool] = field(default_factory=list)

    @property
    def is_spent(self) -> bool:
        return self.answers.pop() if self.answers else True


def after(asked: int) -> After:
    budget = begin(CompileLimits())
    return After(budget.limits, budget.deadline, budget.memory, [False] * asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ring", "tictactoe", "connectfour"])
def test_wherever_it_is_stopped_the_circuit_agrees_with_the_reasoner(name: str) -> None:
    description = parse(RING, syntax="kif") if name == "ring" else find(name).description
    network = game_network(ground(split(needed_clauses(clauses(description)))))
    reasoner = Reasoner(description)
    sizes: list[int] = []
    step = {"ring": 1, "tictactoe": 3}.get(name, 7)
    for asked in count(step=step):
        budget = after(asked)
        game = simplify(network, budget)
        verify_network(game)
        circuit = game_circuit(game, budget)
        validate_circuit(circuit)
        assert disagreement(circuit, reasoner, states=25, seed=asked) is None, asked
        sizes.append(len(circuit.aig))
        if budget.answers:
            break
    assert len(sizes) > 5
    assert sizes[-1] < sizes[0]


@pytest.mark.parametrize("name", ["ring", "tictactoe"])
def test_a_huge_network_is_rewritten_only_where_that_promises_something(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    description = parse(RING, syntax="kif") if name == "ring" else find(name).description
    network = game_network(ground(split(needed_clauses(clauses(description)))))
    reasoner = Reasoner(description)
    plain = simplify(network)
    gates = network.network.cost(network.outputs())
    monkeypatch.setattr(simplifying, "_LARGE", 1)
    monkeypatch.setattr(simplifying, "_HUGE", 1)
    for tried in (1, 3, gates // 2, gates):
        monkeypatch.setattr(simplifying, "_TRIED", tried)
        monkeypatch.setattr(simplifying, "_PROMISING", 0.0)
        assert simplify(network) is network  # nothing gets as small as that
        monkeypatch.setattr(simplifying, "_PROMISING", 2.0)
        game = simplify(network)
        verify_network(game)
        assert game.network.cost(game.outputs()) == plain.network.cost(plain.outputs())
        assert disagreement(game_circuit(game), reasoner, states=25, seed=tried) is None


@pytest.mark.slow
def test_time_bounds_the_whole_build() -> None:
    description = find("gomoku/freestyle").description
    stages: list[Stage] = []
    begun = time.monotonic()
    try:
        circuit: GameCircuit | None = build(
            description, limits=CompileLimits(seconds=1.0), on_stage=stages.append
        )
    except GroundingLimitError as error:
        circuit = None
        assert "stopped after 1 seconds" in str(error)  # noqa: PT017  # either end is allowed
    assert time.monotonic() - begun < 20.0
    assert (circuit is None) == (len(stages) < 4)


def test_a_circuit_that_time_does_not_suffice_for_is_refused_in_words() -> None:
    budget = begin(CompileLimits(seconds=0))
    with pytest.raises(GroundingLimitError) as caught:
        game_network(ground(needed_clauses(clauses(parse(RING, syntax="kif")))), budget)
    assert str(caught.value) == (
        "the circuit of the rules is too large: making gates of the rules was stopped after "
        "0 seconds\n"
        "  help: raise the limit with CompileLimits(seconds=...), "
        "or let the reasoner play this game"
    )


def test_memory_that_does_not_suffice_is_refused_in_words() -> None:
    # As if all that the process holds had come with the build: what it held when it began was
    # nothing. A few pages more or less, which a collector gives back meanwhile, decide nothing.
    budget = Budget(CompileLimits(bytes=1000), time.monotonic() + 60, memory=0)
    with pytest.raises(GroundingLimitError) as caught:
        budget.check("reading the ground rules")
    assert str(caught.value) == (
        "the circuit of the rules is too large: reading the ground rules was stopped after "
        "1,000 bytes\n"
        "  help: raise the limit with CompileLimits(bytes=...), "
        "or let the reasoner play this game"
    )


def test_too_little_memory_for_the_grounder_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What this process gives back meanwhile is no more room for that of the grounder.
    monkeypatch.setattr("gdl.compile.budget.memory_held", lambda: 0)
    digits = " ".join(f"(digit d{number})" for number in range(80))
    cube = f"{RING} {digits} (<= (next (cube ?a ?b ?c)) (digit ?a) (digit ?b) (digit ?c))"
    with pytest.raises(GroundingLimitError, match=r"grounding was stopped after 20,000,000 bytes"):
        build(parse(cube, syntax="kif"), limits=CompileLimits(bytes=20_000_000))


@pytest.mark.parametrize(
    "limits", [CompileLimits(seconds=math.inf), CompileLimits(seconds=1e300, bytes=10**30)]
)
def test_limits_that_nothing_meets_are_no_limits(
    limits: CompileLimits, capfd: pytest.CaptureFixture[str]
) -> None:
    assert build(parse(RING, syntax="kif"), limits=limits) == build(parse(RING, syntax="kif"))
    assert capfd.readouterr().err == ""


def test_time_may_be_that_of_another_clock() -> None:
    """One that stands still: no stage comes to its end, and the grounder has its own second."""
    limits = CompileLimits(seconds=1e-6, clock=lambda: 0.0)
    assert build(parse(RING, syntax="kif"), limits=limits) == build(parse(RING, syntax="kif"))
    with pytest.raises(GroundingLimitError, match="grounding was stopped after 1e-06 seconds"):
        build(parse(RING, syntax="kif"), limits=CompileLimits(seconds=1e-6))


NESTING = """
(role x) (init (n z)) (legal x go) (goal x 100)
(<= (next (n (s ?v))) (true (n ?v)))
(<= terminal (true (n (s (s z)))))
"""
"""Without end: the limits of a question are spent while it is grounded."""


@needs("verify")
@pytest.mark.later
def test_a_question_with_a_budget_spends_none_on_explaining_why_it_was_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is shown which rule has too many instances; to find out took as long again."""
    monkeypatch.setattr("gdl.compile.grounding.explosion._growing", _never)
    game, other = (Ruleset("nesting", (), text=NESTING + more) for more in ("", "(init more)"))
    assert "seconds are over" in str(gdl.diff(game, other, seconds=1))
    said = verify(game, seconds=1)["playable"].text
    assert said.startswith("the rules have too many instances: grounding was stopped after 0.")


def _never(*_: object) -> None:
    raise AssertionError


def test_a_part_of_a_budget_ends_earlier_and_has_the_same_memory() -> None:
    whole = begin(CompileLimits(seconds=100))
    part = whole.part(0.5)
    assert 45 < part.seconds_left < 51
    assert part.limits is whole.limits
    assert part.memory == whole.memory
    assert not part.is_spent
    assert whole.part(0).is_spent


def test_each_stage_is_told_of_once_in_order() -> None:
    stages: list[Stage] = []
    circuit = build(parse(RING, syntax="kif"), on_stage=stages.append)
    assert [stage.name for stage in stages] == ["ground", "network", "simplify", "circuit"]
    assert all(stage.seconds >= 0 for stage in stages)
    assert stages[-1].size == sum(1 for _ in circuit.aig.ands())
