"""Every state of systems of many: the same as one by one, whatever stops the search in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.shared import SHARED, missing, needs_games, some

pytest.importorskip("pysat", reason=missing("verify"))

import numpy as np

import gdl
from gdl.certify import check, check_folder
from gdl.certify.closure import check_closure
from gdl.circuit.aig import FALSE, TRUE, Aig
from gdl.circuit.logic import xor
from gdl.compile.pipeline import build
from gdl.language.terms import Constant
from gdl.ruleset import find
from gdl.verify.certificates import write_certificates
from gdl.verify.proving.breadth_first import asked_of_all
from gdl.verify.proving.evidence import AllStates, Claim
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.portfolio import Exhausting, Question
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems import wide_space
from gdl.verify.systems.bit_parallel import Simulator
from gdl.verify.systems.state_space import StateSpace, whole_space
from gdl.verify.systems.system import Bad, Label, Play, System, game_system
from gdl.verify.systems.wide_space import WideSpace
from tests.verify.odd import odd
from tests.verify.planted import equal, planted
from tests.verify.test_planted import rules, side_by_side

GAMES = ["tictactoe", "rockpaperscissors", "kuhnpoker", "goofspiel?cards=3", "hex?size=2"]


def system_of(name: str) -> System:
    return game_system(build(find(name).description))


def grown(system: System) -> WideSpace:
    space = WideSpace(system, Budget(60))
    while not space.is_closed:
        assert space.grow()
    return space


def told(space: WideSpace, level: int) -> set[bytes]:
    return {column.tobytes() for column in space.bits(space.levels[level]).T}


def levels_of(space: StateSpace) -> list[set[bytes]]:
    return [{column.tobytes() for column in level.T} for level in space.states]


def hold_alike(system: System) -> None:
    space, few = grown(system), whole_space(system, Budget(60))
    assert few is not None
    assert [told(space, level) for level in range(len(space.levels))] == levels_of(few)
    assert len(space) == len(few) == sum(block.shape[1] for block in space.blocks())
    assert space.depth == few.depth


@pytest.mark.parametrize("name", GAMES)
def test_the_states_of_each_level_are_those_that_are_found_one_by_one(name: str) -> None:
    hold_alike(system_of(name))


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(12), 5))
def test_so_are_those_of_odd_rules(seed: int) -> None:
    for text in (odd(seed, differs=True).one, odd(seed, differs=True).other):
        hold_alike(game_system(build(rules("odd", text).description)))


def after(system: System, play: Play) -> np.ndarray:
    """Return the state after a play, each choice of which has to be legal, as bits ``bool[F]``."""
    state = np.array(system.initial, np.bool_)[:, None]
    looker = Simulator(system.aig, system.fact_inputs, [system.stop, *system.flat_legal])
    mover = Simulator(system.aig, [*system.fact_inputs, *system.flat_choices], system.next)
    for joint in play:
        (stop,), *legal = looker.run(state)
        assert not stop
        chosen = np.zeros((len(system.flat_choices), 1), np.bool_)
        for part, may, choice in zip(
            system.by_role(chosen), system.by_role(legal), joint, strict=True
        ):
            assert may[choice][0]
            part[choice, 0] = True
        state = mover.run(np.concatenate([state, chosen]))
    return state[:, 0]


@pytest.mark.parametrize("name", GAMES)
def test_a_play_leads_to_each_state_that_is_asked_for(name: str) -> None:
    system = system_of(name)
    space = WideSpace(system, Budget(60))
    for depth in range(4):
        for row in space.levels[-1][:3]:
            play = space.play(row, depth)
            assert len(play) == depth
            assert (after(system, play) == space.bits(row[None])[:, 0]).all()
        space.grow()
        if space.is_closed:
            break


@pytest.mark.parametrize("seed", range(3))
def test_what_is_broken_off_goes_on_from_there(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that runs out, or Ctrl-C, in the middle of a block loses no state."""
    system = side_by_side(planted, seed, 5)
    whole = grown(system)
    monkeypatch.setattr(wide_space, "BLOCK", 7)
    chance, budget = np.random.default_rng(seed), Budget(60)
    space = WideSpace(system, budget)
    space._lanes, calls = 3, [0]
    played = space._played

    def breaking(*args: object) -> object:
        calls[0] += 1
        if chance.random() < 0.1:
            raise KeyboardInterrupt if chance.random() < 0.5 else OutOfBudgetError("over")
        return played(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(space, "_played", breaking)
    for _ in range(100_000):
        if space.is_closed:
            break
        try:
            space.grow()
        except (OutOfBudgetError, KeyboardInterrupt):
            continue
    assert calls[0] > 20
    assert space.depth == whole.depth
    for level in range(len(whole.levels)):
        assert told(space, level) == told(whole, level)


def choosing(roles: int, choices: int) -> System:
    """Return a system of one fact that does not change, in which everybody may choose anything."""
    aig = Aig()
    fact, nobody = aig.add_input(), Constant("nobody")
    moves = tuple(tuple(aig.add_input() for _ in range(choices)) for _ in range(roles))
    return System(
        aig=aig,
        facts=(Label(0, nobody),),
        fact_inputs=(fact,),
        initial=(True,),
        choice_inputs=moves,
        legal=tuple((TRUE,) * choices for _ in range(roles)),
        next=(fact,),
        stop=FALSE,
    )


@pytest.mark.parametrize(("roles", "choices"), [(2, 300), (8, 256), (64, 2), (1, 70_000)])
def test_too_many_joint_moves_are_refused_also_where_their_number_overflows(
    roles: int, choices: int
) -> None:
    """256 ** 8 and 2 ** 64 are 0 in words of 64 bits: a state without moves would be the last."""
    system = choosing(roles, choices).asking([Bad("never", FALSE)])
    assert not WideSpace(system, Budget(60)).grow()
    engine = asked_of(system)
    assert engine.turn(60) is None
    assert (engine.is_done, engine.text) == (
        True,
        "too many states after 1, or too many moves of one",
    )


def test_more_states_than_may_be_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide_space, "MOST_STATES", 5_000)
    space = WideSpace(system_of("tictactoe"), Budget(60))
    while space.grow():
        assert not space.is_closed


def toggling(facts: int, others: int) -> System:
    """Return a system in which a move changes one of some facts, and other facts are false."""
    aig = Aig()
    inputs = tuple(aig.add_input() for _ in range(facts + others))
    moves = tuple(aig.add_input() for _ in range(facts))
    names = (Label(0, Constant(f"f{n}")) for n in range(facts + others))
    changed = (xor(aig, fact, move) for fact, move in zip(inputs, moves, strict=False))
    return System(
        aig=aig,
        facts=tuple(names),
        fact_inputs=inputs,
        initial=(False,) * (facts + others),
        choice_inputs=(moves,),
        legal=((TRUE,) * facts,),
        next=(*changed, *inputs[facts:]),
        stop=FALSE,
    )


def test_many_facts_are_not_looked_at_in_as_many_states_at_once() -> None:
    """Facts are bytes before they are bits: of twenty thousand a gigabyte went in at once."""
    system = toggling(4, 20_000)
    assert WideSpace(system, Budget(60))._lanes * len(system.facts) < 200_000_000


@pytest.mark.later
def test_states_leave_memory_to_whoever_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """All states would take more than there is, and with them the whole question ended."""
    monkeypatch.setattr(wide_space, "WORDS", 1)
    monkeypatch.setattr(wide_space, "BLOCK", 256)
    system = toggling(16, 3_000).asking([Bad("never", FALSE)])
    budget = Budget(60, megabytes=64)
    question = Question(system, system.bads, budget, None, None, lambda _, __: None)
    engine = Exhausting(question, Invariants({}, ()))
    assert engine.turn(60) is None
    assert engine.is_done
    assert engine._space is None
    budget.check()
    assert question.refuted > 3


def test_a_certificate_holds_all_states_and_unpacks_few_of_them_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wide_space, "BLOCK", 100)
    system, sizes = system_of("tictactoe"), list[int]()
    space = grown(system)
    bits = space.bits

    def unpacking(rows: np.ndarray) -> np.ndarray:
        sizes.append(len(rows))
        return bits(rows)

    monkeypatch.setattr(space, "bits", unpacking)
    claim = Claim("so", AllStates(space, (Bad("so", FALSE),)))
    write_certificates(tmp_path, [claim], [], Budget(60))
    assert sum(sizes) == len(space)
    assert max(sizes) == 100
    noted: list[object] = []

    def noting(*args: Any) -> int:  # noqa: ANN401  # those of `check_closure`
        noted.append(args[3])
        return check_closure(*args)

    monkeypatch.setattr(check, "check_closure", noting)
    (found,) = check_folder(tmp_path)
    assert found.holds
    assert "5478 states closed under" in found.text
    assert noted == [None]  # what follows on what is kept only where the longest play is asked for


def test_a_system_without_facts_is_refused() -> None:
    system = game_system(build(rules("none", "(role a) (legal a go) (goal a 1)").description))
    assert not system.facts
    assert not WideSpace(system, Budget(60)).grow()


def asked_of(system: System) -> Exhausting:
    question = Question(system, system.bads, Budget(60), None, None, lambda _, __: None)
    return Exhausting(question, Invariants({}, ()))


@pytest.mark.parametrize("seed", range(4))
def test_the_engine_alone_tells_planted_games_apart_and_equal_ones_not(seed: int) -> None:
    result = asked_of(side_by_side(planted, seed, 5)).turn(60)
    assert result is not None
    assert result.play is not None
    system = side_by_side(planted, seed, 5)
    bads = Simulator(system.aig, system.fact_inputs, [bad.edge for bad in system.bads])
    assert bads.run(after(system, result.play)[:, None]).any()
    few = StateSpace(system, Budget(60))
    while few.depth < len(result.play):
        assert not bads.run(few.level).any()
        assert few.grow()
    result = asked_of(side_by_side(equal, seed, 5)).turn(60)
    assert result is not None
    assert (result.play, result.proved) == (None, True)
    assert isinstance(result.evidence, AllStates)


def of_state(system: System, column: np.ndarray) -> int:
    """Return the edge that is true in one state alone, ``bool[F]``."""
    edge = TRUE
    for fact, holds in zip(system.fact_inputs, column, strict=True):
        edge = system.aig.conj(edge, fact if holds else fact ^ 1)
    return edge


@pytest.mark.parametrize("depth", [0, 3, 9])
def test_another_question_is_answered_of_the_states_that_are_known(depth: int) -> None:
    system = system_of("tictactoe")
    space = grown(system)
    asked = system.asking([Bad("there", of_state(system, space.bits(space.levels[depth])[:, -1]))])
    result = asked_of_all(space, asked, Budget(60))
    assert result.play is not None
    assert (len(result.play), result.proved, result.depth) == (depth, True, depth - 1)
    bads = Simulator(system.aig, system.fact_inputs, [bad.edge for bad in asked.bads])
    assert bads.run(after(system, result.play)[:, None]).all()
    nowhere = np.ones(len(system.facts), np.bool_)
    never = asked_of_all(
        space, system.asking([Bad("never", of_state(system, nowhere))]), Budget(60)
    )
    assert (never.play, never.proved, never.depth) == (None, True, 9)


@pytest.mark.slow
@needs_games
def test_games_of_half_a_million_states_are_the_same_in_each_of_them() -> None:
    games = [SHARED / "games" / f"{name}.kif" for name in ("snake_2008", "snake_2008_tweaked")]
    answer = gdl.diff(*games, seconds=300)
    assert (answer.equivalent, answer.proved) == (True, True)
    assert "512693 states" in answer.headline


def test_a_bad_state_that_only_the_last_level_holds_is_found() -> None:
    system = system_of("tictactoe")
    space = grown(system)
    edge = of_state(system, space.bits(space.levels[-1])[:, 0])
    result = asked_of(system.asking([Bad("last", edge)])).turn(60)
    assert result is not None
    assert result.play is not None
    assert (len(result.play), result.proved) == (9, True)
