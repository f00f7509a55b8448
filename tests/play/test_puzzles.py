"""Plans of games of one role: what is proven beside a plain search, and who plays them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from gdl.circuit.aig import Aig
from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.play import Budget, choose, make, prepare
from gdl.play.puzzles import plan
from gdl.play.puzzles.planner import Planner, Workshop
from gdl.play.puzzles.satisfy import Formula
from gdl.play.puzzles.subgroups.likes import Likes
from gdl.play.puzzles.subgroups.patterns import Masks, Pair
from gdl.play.puzzles.unordered import Unordered, observe
from gdl.state import State
from gdl.verify.solvers import budget as solving
from gdl.verify.solvers.sat import Solver
from tests.cli.running import ROOT
from tests.play.games import COUNTER, PENNIES, game_of
from tests.shared import SHARED, needs_games

PIT = COUNTER.replace("terminal (true (step 6))", "terminal (true (step 5))")
"""The counter has a step less than it needs, so that 20 is the most there is."""


def end_of(state: State, moves: tuple[object, ...]) -> State:
    for move in moves:
        state = state.play([move])  # type: ignore[list-item]
    return state


@pytest.mark.parametrize("ruleset", ["lightsout", "queens", "sokoban/yard"])
def test_a_plan_leads_to_the_highest_goal(ruleset: str) -> None:
    game = load(ruleset)
    found = plan(game.initial(), budget=Budget(60))
    end = end_of(game.initial(), found.moves)
    assert end.is_terminal
    assert end.goal(game.roles[0]) == found.value == 100
    assert found.is_proven


def test_what_cannot_be_reached_is_proven(tmp_path: Path) -> None:
    game = game_of(PIT, tmp_path)
    found = plan(game.initial())
    assert (found.value, len(found.moves), found.is_proven) == (20, 5, True)


def test_a_search_ends_where_all_states_show_that_play_never_does(tmp_path: Path) -> None:
    """Formulas of longer and longer plays had gone on for ever, by simulations a whole match."""
    rules = "(role r) (init (at a)) (next_of a b) (next_of b a) (<= (legal r go) (true (at ?x)))"
    rules += "(<= (legal r stay) (true (at ?x))) (<= (next (at ?y)) (does r go) (true (at ?x))"
    rules += " (next_of ?x ?y)) (<= (next (at ?x)) (does r stay) (true (at ?x))) (place c)"
    rules += "(<= (next (at c)) (true (at c))) (<= terminal (true (at c)))"
    rules += "(<= (goal r 100) (true (at c))) (<= (goal r 0) (true (at ?x)) (not (true (at c))))"
    game = game_of(rules, tmp_path)
    planner = Planner(Workshop(game), game.initial())
    turns = 0
    while planner.go_on():
        turns += 1
        assert turns < 1_000
    assert (planner.result(), planner.is_finished) == (None, True)
    with pytest.raises(GdlError) as caught:
        plan(game.initial())
    assert str(caught.value) == (
        f"no play of {game.id} comes to an end from here\n"
        "  expected: a position from which play can end with a goal"
    )


def test_a_search_of_all_states_and_a_formula_agree(tmp_path: Path) -> None:
    for text, reachable in ((COUNTER, True), (PIT, False)):
        game = game_of(text, tmp_path, name=f"game{reachable}")
        shop = Workshop(game)
        native = game.back_end.native
        assert native is not None
        machine = native.machine
        formula = Formula(
            shop.circuit, machine.held(machine.initial()), 100, solving.Budget(60.0, 1 << 20)
        )
        for _ in range(7):
            formula.extend()
        assert formula.ask() is reachable
        assert formula.is_whole is not reachable
        formula.close()
        planner = Planner(shop, game.initial())
        for _ in planner._layers():  # this search alone
            pass
        found = planner.result()
        assert found is not None
        assert (found.value == 100, found.is_proven) == (reachable, True)


def test_the_player_plays_its_plan_to_the_end() -> None:
    game = load("sokoban/yard")
    player = make("puzzle", role=game.machine.roles[0])
    prepare(player, game, Budget())
    state = game.initial()
    while not state.is_terminal:
        state = state.play(choose(player, state, Budget(30.0), role=game.roles[0]))
    assert state.goal(game.roles[0]) == 100


def test_a_game_of_two_is_no_puzzle(tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        plan(game_of(PENNIES, tmp_path).initial())
    assert str(caught.value).split("\n", 1)[1].strip() == (
        "expected: a game of one role without chance, that runs as machine code and has a goal"
    )


def test_nothing_is_planned_beyond_the_end(tmp_path: Path) -> None:
    """Two moves later there were another end, worth more."""
    text = """\
    (role a) (init (at here)) (legal a go)
    (<= (next (at nowhere)) (true (at here)))
    (<= (next (at there)) (true (at nowhere)))
    (<= terminal (not (true (at nowhere))))
    (<= (goal a 30) (true (at here)))
    (<= (goal a 100) (true (at there)))
    """
    with pytest.raises(GdlError) as caught:
        plan(game_of(text, tmp_path).initial())
    assert str(caught.value).split(": ", 1)[1] == (
        "the game is over here\n  expected: a position in which play goes on"
    )


def test_a_game_without_a_goal_is_no_puzzle_but_is_played(tmp_path: Path) -> None:
    text = COUNTER.split("(<= (goal", maxsplit=1)[0] + "(<= (goal solver 100) (true never))"
    game = game_of(text, tmp_path)
    with pytest.raises(GdlError, match="is no puzzle"):
        plan(game.initial())
    player = make("puzzle", role=game.role("solver"), seed=1)
    prepare(player, game, Budget())
    move = choose(player, game.initial(), Budget(simulations=50), role="solver")
    assert move in game.initial().legal("solver")


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ["pegsolitaire", "slidingtiles", "sokoban/corner"])
def test_larger_puzzles_are_solved(ruleset: str) -> None:
    game: Game = load(ruleset)
    assert plan(game.initial(), budget=Budget(50)).value == 100


LATIN = """\
(role solver)
(cell a 1) (cell a 2) (cell a 3) (cell b 1) (cell b 2) (cell b 3) (cell c 1) (cell c 2) (cell c 3)
(digit 1) (digit 2) (digit 3)
(init (empty ?x ?y))
(<= (legal solver (write ?x ?y ?d)) (true (empty ?x ?y)) (digit ?d) (not (taken ?x ?y ?d)))
(<= (taken ?x ?y ?d) (true (written ?x ?z ?d)) (cell ?x ?y))
(<= (taken ?x ?y ?d) (true (written ?z ?y ?d)) (cell ?x ?y))
(<= (next (written ?x ?y ?d)) (does solver (write ?x ?y ?d)))
(<= (next (written ?x ?y ?d)) (true (written ?x ?y ?d)))
(<= (next (empty ?x ?y)) (true (empty ?x ?y)) (not (filled ?x ?y)))
(<= (filled ?x ?y) (does solver (write ?x ?y ?d)))
(<= possible (legal solver (write ?x ?y ?d)))
(<= open (true (empty ?x ?y)))
(<= terminal (not possible))
(<= (goal solver 100) (not open))
(<= (goal solver 0) open)
""".replace("(init (empty ?x ?y))", "(<= (init (empty ?x ?y)) (cell ?x ?y))")
"""Digits on a square, no two alike in a row or a column; it ends where nothing can be written."""

CHAIN = """\
(role solver) (part 1) (part 2) (part 3) (after 2 1) (after 3 2)
(<= (legal solver (build ?n)) (part ?n) (not (true (built ?n))) (not (waits ?n)))
(<= (waits ?n) (after ?n ?m) (not (true (built ?m))))
(<= (next (built ?n)) (does solver (build ?n)))
(<= (next (built ?n)) (true (built ?n)))
(<= terminal (true (built 3)))
(<= (goal solver 100) (true (built 3)))
(<= (goal solver 0) (not (true (built 3))))
"""
"""Moves that must wait for each other; in a circle, if the first waits for the last, too."""


def lines_of(game: Game) -> list[list[int]] | None:
    """Return what is found by sets of moves alone; None where moves do different things."""
    shop = Workshop(game)
    root = game.initial().inner
    effects = observe(shop.lanes, root, 1)
    if effects is None:
        return None
    unordered = Unordered(shop.lanes, shop.circuit, root, effects, 1)
    found = unordered.search(100, solving.Budget(60.0, 1 << 20))
    return [line for line in found if line is not None]


def test_a_set_of_moves_is_a_plan_in_some_order(tmp_path: Path) -> None:
    for name, text, length in (("latin", LATIN, 9), ("chain", CHAIN, 3)):
        game = game_of(text, tmp_path, name=name)
        found = lines_of(game)
        assert found is not None
        (line,) = found
        end = end_of(game.initial(), tuple(game.moves(game.roles[0])[i] for i in line))
        assert (len(line), end.is_terminal, end.goal(game.roles[0])) == (length, True, 100)


def test_sets_of_moves_are_none_where_no_order_is_or_moves_differ(tmp_path: Path) -> None:
    circle = CHAIN.replace("(part 3)", "(part 3) (after 1 3) (part 0)")
    circle = circle.replace("terminal (true (built 3))", "terminal (true (built 0))")
    assert lines_of(game_of(circle, tmp_path, name="circle")) == []
    assert lines_of(game_of(COUNTER, tmp_path, name="counter")) is None


def test_a_punctual_solver_gives_up_after_so_many_conflicts() -> None:
    """More pigeons than holes: no formula of that size takes a solver longer."""
    solver = Solver(Aig(), solving.Budget(60.0))
    pigeons = [[solver.new_variable() for _ in range(9)] for _ in range(10)]
    for holes in pigeons:
        solver.add(holes)
    for one, other in combinations(pigeons, 2):
        for clash in zip(one, other, strict=True):
            solver.add([-each for each in clash])
    assert solver.attempt([], 100) is None
    assert solver._oracle.accum_stats()["conflicts"] < 200


def turning(faces: dict[str, list[tuple[int, int, int]]], goal_at: dict[str, int]) -> str:
    """Return rules of corners with a twist, each at a slot, and faces that turn them."""
    slots = range(3 * 7)
    turns: dict[tuple[str, int], dict[int, int]] = {}
    for face, steps in faces.items():
        once = {s: s for s in slots}
        for corner, to, twist in steps:
            for t in range(3):
                once[3 * corner + t] = 3 * to + (t + twist) % 3
        now = {s: s for s in slots}
        for quarter in (1, 2, 3):
            now = {s: once[then] for s, then in now.items()}
            turns[face, quarter] = now
    at = dict(goal_at)
    rng = random.Random(4)
    for _ in range(25):
        move = rng.choice(sorted(turns))
        at = {corner: turns[move][slot] for corner, slot in at.items()}
    return "\n".join(
        [
            "(role you) (init (step 0))",
            *(f"(succ {i} {i + 1})" for i in range(30)),
            *(f"(corner {c}) (home {c} {s}) (init (at {c} {at[c]}))" for c, s in goal_at.items()),
            *(f"(base (at {c} {s}))" for c in goal_at for s in slots),
            *(f"(base (step {i}))" for i in range(31)),
            *(f"(input you (turn {f} {q}))" for f, q in turns),
            *(f"(legal you (turn {f} {q}))" for f, q in turns),
            *(
                f"(after {f} {q} {s} {to})"
                for (f, q), now in turns.items()
                for s, to in now.items()
            ),
            "(<= (next (at ?c ?s)) (does you (turn ?f ?q)) (true (at ?c ?r)) (after ?f ?q ?r ?s))",
            "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))",
            f"(<= solved {' '.join(f'(true (at {c} {s}))' for c, s in goal_at.items())})",
            "(<= terminal solved) (<= terminal (true (step 30)))",
            "(<= (goal you 100) solved) (<= (goal you 0) (not solved))",
        ]
    )


def small_cube(folder: Path) -> State:
    """Return a cube of two by two by two, one corner of which never moves: 3,674,160 states."""
    faces = {
        "u": [(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 0, 0)],
        "r": [(1, 2, 1), (2, 5, 2), (5, 4, 1), (4, 1, 2)],
        "f": [(2, 3, 1), (3, 6, 2), (6, 5, 1), (5, 2, 2)],
    }
    text = turning(faces, {f"c{i}": 3 * i for i in range(7)})
    (folder / "turning.kif").write_text(text)
    return load(folder / "turning.kif").initial()


@pytest.mark.later
def test_what_turns_is_solved_in_phases(tmp_path: Path) -> None:
    found = plan(small_cube(tmp_path), budget=Budget(300))
    assert (found.value, found.method) == (100, "phases, each with fewer moves")
    assert len(found.moves) <= 14


def test_after_phases_that_were_broken_off_anywhere_the_next_search_goes_on_well(
    tmp_path: Path,
) -> None:
    """Halted and closed after any number of slices; what was made by then is not made again."""
    start = small_cube(tmp_path)
    shop = Workshop(start.game)
    for slices in (1, 2, 3, 4, 6, 9, 14):
        broken = Planner(shop, start, seed=slices)
        for _ in range(slices):
            broken.go_on()
        broken.halt()
        assert not broken.go_on()
        broken.close()
    assert shop.phases is not None
    whole = Planner(shop, start)
    while whole.go_on():
        pass
    found = whole.result()
    assert found is not None
    assert (found.value, found.method) == (100, "phases, each with fewer moves")


@pytest.mark.slow
def test_a_search_in_phases_that_is_interrupted_or_killed_leaves_no_process(tmp_path: Path) -> None:
    """It has none but its own; and the next one, whatever the first left behind, finds a plan."""
    small_cube(tmp_path)
    words = [sys.executable, "-m", "tests.play.planning", str(tmp_path / "turning.kif")]
    for number, ends in ((signal.SIGINT, {0}), (signal.SIGKILL, {-signal.SIGKILL})):
        process = subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "phases\n"
        process.send_signal(number)
        assert process.wait(60) in ends
        process.stdout.close()
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)  # a group of its own, of which nobody is left
    assert plan(load(tmp_path / "turning.kif").initial(), budget=Budget(300)).value == 100


def test_what_is_farther_than_a_table_can_tell_is_as_far_as_it_can() -> None:
    """Two wheels of 63 and of 62 teeth that turn together are both back after 3,906 steps."""
    wheels: list[Masks] = []
    for teeth in (63, 62):
        turned = np.arange(teeth, dtype=np.int32)
        table = np.stack([(turned + 1) % teeth, (turned - 1) % teeth], axis=1)
        names = {tooth: tooth for tooth in range(teeth)}
        wheels.append(Masks(Likes([(len(wheels), names)], table, frozenset([0]))))
    both = Pair(*wheels)
    assert len(both.distance) == 63 * 62
    for steps in (0, 1, 200, 254, 255, 256, 300, 1_953, 3_651, 3_652, 3_905):
        row = both.find([steps % 63, steps % 62])
        assert both.distance[row] == min(steps, 3_906 - steps, 255)


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("name", ["rubiksCube", "rubiksCubeSuperflip"])
def test_the_published_cubes_are_solved(name: str) -> None:
    found = plan(load(SHARED / f"games/{name}.kif").initial(), budget=Budget(300))
    assert (found.value, found.method) == (100, "phases, each with fewer moves")
