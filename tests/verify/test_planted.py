"""Differences that small games and random play do not reach, and each way of proof alone."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.compile.pipeline import build
from gdl.language.diagnostics import GdlError
from gdl.ruleset import Ruleset, find
from gdl.verify import verify
from gdl.verify.answer import Difference
from gdl.verify.correspondence.compared_game import prepare_game
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.diff import Comparison
from gdl.verify.properties.examination import Examination
from gdl.verify.proving import portfolio
from gdl.verify.proving.equalities import Guesses, find_equalities
from gdl.verify.proving.frames import Frames, guess_sums
from gdl.verify.proving.inductive_check import UnsoundError, check_inductive
from gdl.verify.proving.invariants import Invariants, _Proof, find_invariants
from gdl.verify.proving.k_induction import check_k_induction, induct
from gdl.verify.proving.portfolio import BOUNDED, EVERY_STATE, K_INDUCTION, REACHABILITY
from gdl.verify.proving.prove import (
    ALL_STATES,
    COMPILED,
    COUNTS,
    EQUALITIES,
    INVARIANTS,
    RANDOM,
    Prover,
)
from gdl.verify.proving.search import INDUCTION, ONE_MOVE, STATES, UNROLLING, Result
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import Simulator
from gdl.verify.systems.matching import CorrespondenceError
from gdl.verify.systems.product import product
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.state_space import StateSpace, whole_space
from gdl.verify.systems.system import Bad, System, game_system
from gdl.verify.systems.transition import transition
from tests.shared import SHARED, needs_games, some
from tests.verify.brute import contradictions, look_at_all
from tests.verify.odd import odd
from tests.verify.planted import Pair, endless, equal, planted, violating

EARLY = {EQUALITIES, BOUNDED, REACHABILITY, K_INDUCTION}
EVERY = frozenset(
    {RANDOM, ALL_STATES, COMPILED, INVARIANTS, COUNTS, INDUCTION, STATES, ONE_MOVE, UNROLLING}
    | {EVERY_STATE}
    | EARLY
)
LEARNED = {RANDOM, INVARIANTS}
SLOWER = {ALL_STATES, EVERY_STATE, COMPILED}
"""What looks at many states one by one: without it a large pair is left to proofs at once."""
ALONE = {
    "all states": EVERY - {ALL_STATES},
    "every state": EVERY - {EVERY_STATE, UNROLLING},
    "short plays": EVERY - {BOUNDED, UNROLLING},
    "reachability": EVERY - {REACHABILITY, UNROLLING},
    "reachability, with equalities": EVERY - {REACHABILITY, UNROLLING, RANDOM, EQUALITIES},
    "k-induction": EVERY - {K_INDUCTION, UNROLLING},
    "k-induction, with equalities": EVERY - {K_INDUCTION, UNROLLING, RANDOM, EQUALITIES},
    "equalities": EVERY - {EQUALITIES, INDUCTION, RANDOM, UNROLLING},
    "unrolling": EVERY - {UNROLLING},
    "one move": EVERY - {ONE_MOVE},
    "one move, with invariants": EVERY - {ONE_MOVE, *LEARNED},
    "one move, with invariants of no sample": EVERY - {ONE_MOVE, INVARIANTS},
    "one move, with counts": EVERY - {ONE_MOVE, COUNTS, *LEARNED},
    "states alone": EVERY - {STATES, UNROLLING, COUNTS, *LEARNED},
    "induction": EVERY - {INDUCTION, UNROLLING, *LEARNED},
    **{f"all but {stage}": {stage, *SLOWER} for stage in sorted(EVERY - SLOWER)},
    **{f"no reachability, nor {stage}": {stage, *SLOWER, *EARLY} for stage in sorted(LEARNED)},
}
"""Stages that are left out, by what is left."""


def rules(name: str, text: str) -> Ruleset:
    return Ruleset(name, (), text=text)


def compared(
    pair: Pair, without: Collection[str], *, max_depth: int | None = None, seconds: float = 60
) -> Difference:
    both = rules("one", pair.one), rules("other", pair.other)
    return Comparison(both, Budget(seconds), without=without).run(max_depth=max_depth)


def is_right(answer: Difference, pair: Pair) -> bool:
    """Return whether an answer says nothing that is wrong of a pair; it may say little."""
    if pair.depth is None:
        return answer.equivalent is not False
    if answer.equivalent is None:
        return answer.depth < pair.depth
    if answer.equivalent:
        return False
    return answer.depth == pair.depth or (not answer.proved and answer.depth > pair.depth)


def swapped(pair: Pair) -> Pair:
    return replace(pair, one=pair.other, other=pair.one)


@pytest.mark.sample(1)
@needs_games
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_count_that_ends_with_the_game_proves_nothing(order: str) -> None:
    """After 22 picks a gamble ends the game, with a token more in one of the games."""
    folder = SHARED / "faults"
    one, other = (find(folder / f"count-22-{name}.kif") for name in order)
    answer = Comparison((one, other), Budget(60), without=SLOWER).run()
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 23)


@pytest.mark.slow
@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(("seed", "size"), [(32, 17)])
def test_tokens_that_change_in_number_at_the_end_are_told_apart(
    seed: int,
    size: int,
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    pair = planted(seed, size)
    assert (pair.kind, pair.depth) == ("tokens: number", size + 1)
    answer = compared(swapped(pair) if is_swapped else pair, SLOWER)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, size + 1)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_a_planted_difference_is_never_called_none(seed: int) -> None:
    pair = planted(seed, 14)
    assert is_right(compared(pair, SLOWER), pair)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_the_same_in_other_words_is_never_called_different(seed: int) -> None:
    pair = equal(seed, 14)
    assert is_right(compared(pair, SLOWER), pair)


@pytest.mark.later
@pytest.mark.parametrize("way", ALONE)
@pytest.mark.parametrize("make", [planted, equal])
def test_each_way_alone_says_nothing_wrong(way: str, make: Callable[[int, int], Pair]) -> None:
    """With its own strength only: what it cannot tell within few moves it leaves open."""
    pair = make(2, 5)
    found = Prover(side_by_side(make, 2, 5), Budget(60), without=ALONE[way]).run(max_depth=9)
    if pair.depth is None:
        assert found.play is None
        assert found.proved or found.depth == 9
    else:
        assert found.play is not None
        assert (len(found.play), found.proved) == (pair.depth, True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(1_000, 1_040), 5))
def test_many_planted_differences(seed: int) -> None:
    for pair in (planted(seed, 10 + seed % 12), equal(seed, 10 + seed % 12)):
        for without in (SLOWER, {*SLOWER, STATES}, {*SLOWER, UNROLLING}, {*SLOWER, COUNTS}):
            answer = compared(pair, without)
            assert is_right(answer, pair), (pair.kind, without, answer.headline)


def test_where_a_long_difference_was_met_the_search_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But short plays have a moment before it, also where the play that was met is long; all
    engines have their turns where the search fails.
    """
    pair = planted(2, 5)

    def stages() -> tuple[int, list[str]]:
        prover = Prover(side_by_side(planted, 2, 5), Budget(60), without=SLOWER)
        found = prover.run()
        assert found.proved
        assert found.play is not None
        return len(found.play), [stage.name for stage in prover.stages]

    assert stages() == (pair.depth, ["random play", "short plays"])
    monkeypatch.setattr("gdl.verify.proving.prove.SHORT", -1)
    assert stages() == (pair.depth, ["random play", "short plays"])
    monkeypatch.setattr("gdl.verify.proving.prove.AT_ONCE", 0.0)
    assert stages() == (pair.depth, ["random play", "invariants", "search"])
    monkeypatch.setattr("gdl.verify.proving.prove.SHORTENING", 0.0)
    depth, names = stages()
    assert depth == pair.depth
    assert names[1:4] == ["invariants", "equalities", "search"]  # it goes on, first of all engines


# ----------------------------------------------------- plays of any length, engines alone

ENGINES = (
    "reachability",
    "reachability, with equalities",
    "k-induction",
    "k-induction, with equalities",
    "equalities",
)


def differing(seed: int, size: int) -> Pair:
    return endless(seed, size, is_planted=True)


def agreeing(seed: int, size: int) -> Pair:
    return endless(seed, size, is_planted=False)


def settle(
    make: Callable[[int, int], Pair], seed: int, size: int, way: str, seconds: float = 4
) -> Result:
    """Return what an engine says, the others switched off; nothing wrong, in any case."""
    pair, system = make(seed, size), side_by_side(make, seed, size)
    found = Prover(system, Budget(seconds), without=ALONE[way]).run()
    if pair.depth is None:
        assert found.play is None, (pair.kind, seed, way)
    elif found.play is None:
        assert not found.proved, (pair.kind, seed, way)
        assert found.depth < pair.depth, (pair.kind, seed, way)
    else:
        assert len(found.play) >= pair.depth, (pair.kind, seed, way)
        assert len(found.play) == pair.depth or not found.proved, (pair.kind, seed, way)
    return found


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize("way", ENGINES[:2])
@pytest.mark.parametrize("make", [differing, agreeing])
@pytest.mark.parametrize("seed", range(3))
def test_reachability_settles_plays_of_any_length(
    seed: int, make: Callable[[int, int], Pair], way: str
) -> None:
    found = settle(make, seed, 4, way, seconds=60)
    assert found.proved
    assert (found.play is None) == (make is agreeing)


@pytest.mark.slow
@pytest.mark.parametrize("make", [planted, equal, differing, agreeing])
def test_engines_that_are_stopped_over_and_over_come_to_the_same(
    make: Callable[[int, int], Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With turns of milliseconds at first, each goes on from wherever the clock caught it."""
    monkeypatch.setattr(portfolio, "FIRST_SECONDS", 0.002)
    pair, system = make(1, 5), side_by_side(make, 1, 5)
    for without in (SLOWER, {*SLOWER, RANDOM, EQUALITIES}, {*SLOWER, RANDOM, BOUNDED}):
        found = Prover(system, Budget(60), without=without).run()
        assert found.proved, (pair.kind, without)
        assert (None if found.play is None else len(found.play)) == pair.depth, (pair.kind, without)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(2_000, 2_025), 3))
def test_each_engine_alone_is_never_wrong(seed: int) -> None:
    """A hundred pairs in all, half of them equal by construction, each way of proof alone."""
    for make in (planted, equal, differing, agreeing):
        for way in ENGINES:
            settle(make, seed, 6, way)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(3_000, 3_020), 1))
def test_odd_rules_fool_no_way_of_proof(seed: int) -> None:
    for differs in (True, False):
        pair = odd(seed, differs=differs)
        for number, way in enumerate(ALONE):
            if number % 9 == seed % 9:
                assert is_right(compared(pair, ALONE[way], seconds=1), pair)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4_000, 4_006))
def test_odd_rules_have_the_properties_that_are_proved_of_them(seed: int) -> None:
    """What is said of a game in odd rules is so of its states, which are all looked at."""
    game = Ruleset("odd", (), text=odd(seed, differs=True).other)
    seen = look_at_all(game.description)
    assert seen.is_all
    assert not contradictions(verify(game, seconds=20), seen)


@pytest.mark.slow
@needs_games
def test_equalities_of_which_many_fail_take_few_rounds() -> None:
    """From each step that refutes some several plays go on; with one play a step it took 20."""
    names = ("4pttc.kif", "4pttc.v1.kif")
    sides = tuple(prepare_game(find(SHARED / "games" / name)) for name in names)
    (one, other), matching = find_matching((sides[0], sides[1]), Budget(60))
    system, budget = product(one.circuit, other.circuit, matching).system, Budget(60)
    rounds: list[str] = []
    sampled = sample(system, budget, lanes=256)
    found = find_equalities(system, Guesses(system, sampled), budget, on_round=rounds.append)
    assert found.gates
    assert len(rounds) < 17


@pytest.mark.slow
def test_what_is_open_is_played_at_random_millions_of_times() -> None:
    """Nine right ones of four in a row, and then nobody can move."""
    steps = " ".join(f"(after {n} {n + 1} {1 + n * n % 4})" for n in range(9))
    text = f"""(role r) (init (at 0)) (init right) {steps} (n 1) (n 2) (n 3) (n 4)
        (<= (legal r (say ?n)) (n ?n) (not stuck)) (<= stuck (true (at 9)) (true right))
        (<= (next (at ?j)) (true (at ?i)) (after ?i ?j ?key))
        (<= (next right) (true right) (true (at ?i)) (after ?i ?j ?n) (does r (say ?n)))
        (<= terminal (true (at 9)) (not (true right))) (goal r 0)"""
    prepared = Examination(rules("lock", text), (), Budget(20), without={ALL_STATES})._prepared()
    assert not prepared.met
    prepared.play_on({"playable"})
    ((met, play),) = prepared.met.items()
    assert (met.name, len(play)) == ("playable", 9)


def test_a_set_of_clauses_that_is_not_inductive_is_refused() -> None:
    """What an engine would have to get wrong: not kept, not true at first, not enough."""
    system = side_by_side(agreeing, 0, 4)
    budget = Budget(60)
    found = find_equalities(system, Guesses(system, sample(system, budget)), budget)
    right = Invariants(found.same, (), found.gates)
    check_inductive(system, right, budget)
    first = tuple((fact, not value) for fact, value in enumerate(system.initial))
    moved = {fact: same for fact, same in found.same.items() if same.fact >= 0}
    fact, same = next(iter(moved.items()))
    wrong = {
        "not enough": Invariants({}, ()),
        "not true at first": replace(right, clauses=(first,)),
        "not kept": replace(right, clauses=tuple(((f, not v),) for f, v in first[:12])),
        "the opposite": replace(
            right, same={**found.same, fact: replace(same, flipped=not same.flipped)}
        ),
    }
    for why, invariants in wrong.items():
        with pytest.raises(UnsoundError):
            check_inductive(system, invariants, budget)
        assert why


@pytest.mark.parametrize("is_simple", [True, False])
def test_a_k_that_is_too_small_is_refused(is_simple: bool) -> None:  # noqa: FBT001  # a parameter
    """A clock of five hours, and a strike that only its wrong hands could give.

    Hand 0 leads to hand 1 and so on; hands 7, 8 and 9 are never shown and lead to the strike.
    """
    hands = "".join(f"(hour {i} {i + 1}) " for i in range(10) if i != 4)
    text = f"""(role r) (init (t 0)) {hands} (hour 4 0) (legal r go)
        (<= (next (t ?j)) (true (t ?i)) (hour ?i ?j))
        (<= terminal (true (t 10)) (true (t 9)) (true (t 8))) (goal r 0)"""
    circuit = build(rules("clock", text).description)
    strike = circuit.fact_inputs[[str(fact) for fact in circuit.facts].index("(t 4)")]
    system, budget = game_system(circuit), Budget(60)
    nothing = Invariants({}, ())
    reached = system.asking([Bad("four", strike)])
    found = induct(reached, nothing, budget, is_simple=is_simple)
    assert (len(found.play or ()), found.proved, found.depth) == (4, True, 3)
    for k in (0, 5):
        with pytest.raises(UnsoundError):
            check_k_induction(reached, nothing, k, budget, is_simple=is_simple)


@pytest.mark.parametrize("make", [agreeing, differing])
def test_k_induction_is_held_to_its_two_questions(make: Callable[[int, int], Pair]) -> None:
    system, budget = side_by_side(make, 0, 4), Budget(60)
    few = sample(system, budget)
    same = find_equalities(system, Guesses(system, few), budget)
    known = Invariants(same.same, (), same.gates)
    nothing = Invariants({}, ())
    if make is agreeing:
        found = induct(system, known, budget)
        assert found.proved
        check_k_induction(system, known, found.depth + 1, budget, is_simple=True)
        with pytest.raises(UnsoundError, match="a path of 1 moves leads to something bad"):
            check_k_induction(system, nothing, 1, budget, is_simple=True)
        return
    never = Invariants({}, ((),))  # no state satisfies it, so no path leads to anything bad
    with pytest.raises(UnsoundError, match="an invariant does not hold there"):
        induct(system, never, budget)
    pair = make(0, 4)
    assert pair.depth is not None
    with pytest.raises(UnsoundError, match="something bad is true after fewer"):
        check_k_induction(system, known, pair.depth + 1, budget, is_simple=True)
    with pytest.raises(UnsoundError, match="leads to something bad"):
        check_k_induction(system, known, pair.depth, budget, is_simple=True)


# -------------------------------------------------------- what is put into formulas


@cache
def side_by_side(make: Callable[[int, int], Pair], seed: int, size: int) -> System:
    pair, budget = make(seed, size), Budget(60)
    sides = tuple(
        prepare_game(rules(str(i), text)) for i, text in enumerate((pair.one, pair.other))
    )
    (one, other), matching = find_matching((sides[0], sides[1]), budget)
    return product(one.circuit, other.circuit, matching).system


def learned(system: System) -> tuple[StateSpace, Invariants, Frames]:
    """Return all states, and what is proved of them, guessed from very few plays."""
    budget = Budget(60)
    space = whole_space(system, budget)
    assert space is not None
    few = sample(system, budget, lanes=6)
    invariants = find_invariants(system, few, budget)
    step = transition(system, invariants.same)
    return space, invariants, Frames(step, invariants, guess_sums(few, invariants))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 117, 200, 202])
def test_what_is_said_of_a_ply_is_true_of_all_its_states(seed: int) -> None:
    """Of each state of a ply: what is said of all; and where play goes on, what is said there."""
    system = side_by_side(planted, seed, 5)
    space, invariants, frames = learned(system)
    looker = Simulator(
        system.aig, system.fact_inputs, [system.stop, *(b.edge for b in system.bads)]
    )
    has_differed = False
    for ply, states in enumerate(space.states):
        going = ~looker.run(states).any(axis=0)
        if has_differed:  # nothing is said of what comes after a difference
            break
        assert_counts(frames, ply, states)
        for each, value in frames[ply].items():
            assert all(each.of(state) == value for state in states[:, going].T), (ply, each)
        assert_invariants(invariants, states[:, going])
        has_differed = bool(looker.run(states)[1:].any())


def assert_counts(frames: Frames, ply: int, states: NDArray[np.bool_]) -> None:
    for facts, value in frames.after(ply):
        assert (states[list(facts)].sum(axis=0) == value).all(), (ply, facts, value)


def assert_invariants(invariants: Invariants, states: NDArray[np.bool_]) -> None:
    for fact, found in invariants.same.items():
        other = states[found.fact] if found.fact >= 0 else False
        assert (states[fact] == (other ^ found.flipped)).all(), (fact, found)
    for clause in invariants.clauses:
        assert all(any(state[fact] == value for fact, value in clause) for state in states.T)


# ------------------------------------------------- goals where nobody is paid yet

HIDDEN = """
(role r) (init (t 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (t ?j)) (true (t ?i)) (succ ?i ?j))
(<= terminal (true (t 4)))
(legal r a) (legal r b)
(<= (next p) (does r a) (true (t 0))) (<= (next p) (true p))
(<= late (true (t 3)) (true p))
(<= (goal r 0) (not late))
"""
"""Both games; in one of them a third move is legal after two moves, which shows ``p``."""
SHOWN = HIDDEN + "(<= (legal r c) (true (t 2)) (true p)) (<= (goal r 50) late)"


def test_nothing_is_proved_beyond_the_moves_that_were_asked_for() -> None:
    """Goals differ only after another difference, which lies beyond: no proof may rest on it."""
    both = rules("one", SHOWN), rules("other", HIDDEN + "(<= (goal r 0) late)")
    answer = Comparison(both, Budget(60), without={RANDOM, *SLOWER}).run(max_depth=1)
    assert (answer.equivalent, answer.proved, answer.depth) == (None, False, 1)


@pytest.mark.parametrize("why", ["interrupted", "7 seconds are over"])
def test_goals_that_were_not_looked_at_are_not_equal(why: str) -> None:
    """All states were looked at for other differences, and then the question ends."""
    pair = equal(2, 4)
    budget = Budget(60)
    looked = []

    def end(stage: str, _: str) -> None:
        if stage == ALL_STATES:
            looked.append(stage)
            if why != "interrupted":
                budget.stop(why)
            elif len(looked) > 1:
                raise KeyboardInterrupt

    both = rules("one", pair.one), rules("other", pair.other)
    answer = Comparison(both, budget, on_stage=end).run()
    assert looked
    assert (answer.equivalent, answer.proved, answer.method) == (None, False, why)


# --------------------------------------------------------------------- whole turns

TURNS = """
(role r) (role s) (init (t 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (t ?j)) (true (t ?i)) (succ ?i ?j)) (<= terminal (true (t 4)))
(first 0) (first 2)
(<= begins (true (t ?i)) (first ?i))
(<= (legal r a) begins) (<= (legal r x) (not begins) (not (true stuck)))
(<= (legal s noop) (not (true held)))
(goal r 100) (goal s 0)
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("(<= (legal r b) begins) (<= (next stuck) (does r b))", ""),  # r has no second ply
        ("(<= (legal r b) begins) (<= (next held) (does r b))", "(<= (legal r b) begins)"),
    ],
    ids=["no second ply", "nobody may wait"],
)
def test_a_turn_that_nobody_can_end_is_a_fault_of_the_rules(first: str, second: str) -> None:
    both = rules("one", TURNS + first), rules("other", TURNS + second)
    with pytest.raises(GdlError) as caught:
        Comparison(both, Budget(60), without=SLOWER).run(turns=True)
    assert str(caught.value) == (
        "one cannot be read in whole turns: at the beginning r may play b, "
        "and then not every role can go on\n"
        "  expected: two plies of the same role in a row, the others with noop, throughout\n"
        "  help: compare ply by ply (--plies), or mend the rules where no role may be stuck"
    )


def test_what_is_seen_of_a_ply_is_not_left_out() -> None:
    both = rules("one", TURNS + "(<= (sees s ?m) (does r ?m))"), rules("other", TURNS)
    with pytest.raises(CorrespondenceError):
        Comparison(both, Budget(60), without=SLOWER).run(turns=True)


# ---------------------------------------------------------------------- properties


@pytest.mark.slow
@pytest.mark.parametrize("way", ["states alone", "one move, with counts", "induction"])
@pytest.mark.parametrize("is_planted", [True, False])
def test_a_planted_violation_is_never_called_impossible(
    way: str,
    is_planted: bool,  # noqa: FBT001  # a parameter
) -> None:
    text, depth = violating(3, 12)
    if not is_planted:
        text = text.replace("(goal r 101)", "(goal r 100)")
    examined = Examination(rules("one", text), (), Budget(60), without=ALONE[way])
    verdict = examined.run()["goals in range"]
    if is_planted:
        assert (verdict.status, verdict.depth, verdict.is_shortest) == ("refuted", depth, True)
    else:
        assert verdict.status == "proved"


def test_states_that_refute_clauses_are_met_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that refutes a guess is a sample then: what stands is what stands in the slow way."""
    system, budget = game_system(build(find("tictactoe").description)), Budget(60)
    few = sample(system, budget, lanes=2, max_plies=3)
    run, asked = _Proof.run, [0, 0]

    def slowly(proof: _Proof) -> list[tuple[bool, ...]]:
        refuting = run(proof)[-1:]
        asked[1] += proof.solver.calls
        return refuting

    def quickly(proof: _Proof) -> list[tuple[bool, ...]]:
        refuting = run(proof)
        asked[0] += proof.solver.calls
        return refuting

    monkeypatch.setattr(_Proof, "run", quickly)
    quick = find_invariants(system, few, budget)
    monkeypatch.setattr(_Proof, "run", slowly)
    slow = find_invariants(system, few, budget)
    assert (quick.same, set(quick.clauses)) == (slow.same, set(slow.clauses))
    assert quick.clauses
    assert 0 < asked[0] < asked[1]
