"""Values of all positions: known counts, and random games beside a naive search of their nodes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.shared import missing, some

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

import numpy as np

from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.ruleset import Ruleset
from gdl.solve import Solution, solve
from gdl.solve.limits import WorkLimits
from gdl.solve.packing import Guess
from gdl.state import State
from tests.solve.graph_games import GraphGame, Node, mean_goals, minimax, random_game, reachable

EACH_SEED = pytest.mark.parametrize("seed", some(range(30), 15))


def _solved(text: str, folder: Path) -> Solution:
    file = folder / "game.kif"
    file.write_text(text)
    return solve(file)


def _refusal(text: str, folder: Path) -> str:
    with pytest.raises(GdlError) as caught:
        _solved(text, folder)
    return str(caught.value).replace(str(folder), "FOLDER")


def _row(solution: Solution, node: int) -> int:
    return solution.table.find([f"(at {node})"])


def _check(game: GraphGame, folder: Path, *, has_distances: bool) -> None:
    solution = _solved(game.rules(), folder)
    nodes = reachable(game)
    assert solution.positions == len(nodes)
    expected = minimax(game)
    for node in nodes:
        value = solution.table.at(_row(solution, node))
        goal, distance = expected[node]
        assert next(iter(value.goals.values())) == goal, node
        if has_distances and distance is not None:
            assert value.distance == distance, node
        if goal is None:
            assert value.is_endless


@pytest.mark.sample(2)
@EACH_SEED
def test_cycles_of_two_roles(seed: int, tmp_path: Path) -> None:
    _check(random_game(seed), tmp_path, has_distances=True)


@pytest.mark.sample(2)
@EACH_SEED
def test_cycles_with_odd_goals(seed: int, tmp_path: Path) -> None:
    game = random_game(seed + 100, goals=(0, 13, 37, 63, 87, 100), nodes=40)
    _check(game, tmp_path, has_distances=False)


@pytest.mark.sample(2)
@EACH_SEED
def test_cycles_of_one_role(seed: int, tmp_path: Path) -> None:
    game = random_game(seed + 200, roles=("a",), goals=(0, 20, 90))
    _check(game, tmp_path, has_distances=False)


@pytest.mark.sample(4)
@EACH_SEED
@pytest.mark.parametrize("at_once", [0.0, 0.4])
def test_chance_and_moves_at_once(seed: int, at_once: float, tmp_path: Path) -> None:
    game = random_game(
        seed + 300,
        roles=("a", "random", "b"),
        has_cycles=False,
        at_once=at_once,
        goals=(0, 20, 50, 90),
    )
    solution = _solved(game.rules(), tmp_path)
    for node in reachable(game):
        value = solution.table.at(_row(solution, node)).goals
        worth = mean_goals(game, node)
        assert value["a"] == pytest.approx(worth[0])
        assert value["b"] == pytest.approx(worth[2])


@pytest.mark.sample(2)
@EACH_SEED
def test_three_roles_take_what_is_best_for_each(seed: int, tmp_path: Path) -> None:
    game = random_game(seed + 400, roles=("a", "b", "c"), has_cycles=False, goals=(0, 30, 60, 100))
    table = _solved(game.rules(), tmp_path).table
    for i in reachable(game):
        node, row = game.nodes[i], table.find([f"(at {i})"])
        value = table.at(row)
        if node.targets is None:
            assert tuple(value.goals.values()) == node.goals
            continue
        rows = [table.find([f"(at {t})"]) for t in node.targets.values()]
        following = [table.at(row).goals for row in rows]
        mover = game.roles[node.movers[0]]
        best = max(goals[mover] or 0 for goals in following)
        assert value.goals in [goals for goals in following if goals[mover] == best]
        ways = {tuple(goals.values()) for goals in following if goals[mover] == best}
        assert value.is_tied == (len(ways) > 1)


def test_tictactoe_has_its_5478_positions_and_is_a_draw() -> None:
    solution = solve("tictactoe")
    assert (solution.positions, solution.value, solution.distance) == (5478, 50, 9)
    assert solution.way == "count"


@pytest.mark.parametrize("name", ["tictactoe", "hex?size=2"])
def test_layers_and_retrograde_analysis_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layered = solve(name)
    monkeypatch.setattr(Guess, "counts", property(lambda _guess: False))
    whole = solve(name)
    assert (layered.way, whole.way) == ("count", "graph")
    order = np.lexsort(layered.table.keys.T)
    for one, other in (
        (layered.table.keys, whole.table.keys),
        (layered.table.values, whole.table.values),
        (layered.table.distances, whole.table.distances),
    ):
        assert (one[order] == other).all()


def test_a_game_that_is_over_and_has_no_facts(tmp_path: Path) -> None:
    solution = _solved("(role a) (legal a go) (goal a 70) terminal", tmp_path)
    assert (solution.positions, solution.value, solution.distance) == (1, 70, 0)


def test_rock_paper_scissors_is_even() -> None:
    solution = solve("rockpaperscissors")
    assert solution.initial.goals == {"left": 50, "right": 50}


@pytest.mark.slow
def test_three_mens_morris_is_won_by_who_begins() -> None:
    solution = solve("morris/three")
    assert solution.value == 100


@pytest.mark.slow
def test_hex_is_won_by_who_begins() -> None:
    assert [solve(f"hex?size={n}").value for n in (2, 3)] == [100, 100]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("columns", "rows", "positions"), [(4, 4, 161_029), (5, 4, 3_945_711)])
def test_small_connect_four_is_a_draw(columns: int, rows: int, positions: int) -> None:
    """Positions after Tromp, OEIS A212693."""
    solution = solve(f"connectfour?columns={columns}&rows={rows}")
    assert (solution.positions, solution.value) == (positions, 50)
    assert solution.distance == columns * rows


def test_the_eight_puzzle_has_181440_positions_and_takes_31_moves(tmp_path: Path) -> None:
    solution = _solved(_puzzle(), tmp_path)
    assert (solution.positions, solution.value, solution.distance) == (181_440, 100, 31)
    assert solution.way == "graph"
    assert solution.table.distances.max() == 31


def _puzzle() -> str:
    """Return the eight puzzle without end of time, from one of the two farthest positions."""
    near = [(i, i + 1) for i in (0, 1, 3, 4, 6, 7)] + [(i, i + 3) for i in range(6)]
    start = (8, 6, 7, 2, 5, 4, 3, 0, 1)
    solved = (1, 2, 3, 4, 5, 6, 7, 8, 0)
    lines = ["(role player)"]
    lines += [f"(init (cell {i} {tile}))" for i, tile in enumerate(start)]
    lines += [f"(near {a} {b}) (near {b} {a})" for a, b in near]
    ends = " ".join(f"(true (cell {i} {tile}))" for i, tile in enumerate(solved))
    return "\n".join(
        [
            *lines,
            "(<= (legal player (slide ?i)) (true (cell ?j 0)) (near ?i ?j))",
            "(<= (next (cell ?i 0)) (does player (slide ?i)))",
            "(<= (next (cell ?j ?t))",
            "    (does player (slide ?i)) (true (cell ?j 0)) (true (cell ?i ?t)))",
            "(<= (next (cell ?k ?t))",
            "    (does player (slide ?i)) (true (cell ?k ?t)) (distinct ?k ?i) (distinct ?t 0))",
            f"(<= terminal {ends})",
            "(<= (goal player 100) terminal)",
        ]
    )


def _corridor(ends: str) -> str:
    """Return a game in which each of twelve steps but the right one of four leads to the start."""
    return f"""
        (role a) (role b) (init (at 0)) (legal b noop) (way 1) (way 2) (way 3) (way 4)
        (<= (legal a (go ?w)) (way ?w))
        {" ".join(f"(succ {n} {n + 1})" for n in range(12))}
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does a (go 1)))
        (<= (next (at 0)) (does a (go ?w)) (distinct ?w 1))
        (<= terminal (true (at 12))) (<= terminal (true (at 13)))
        {ends}"""


def test_an_end_that_no_random_play_meets_is_shared_as_goals_say(tmp_path: Path) -> None:
    ends = "(<= (goal a 100) (true (at 12))) (<= (goal b 0) (true (at 12)))"
    solution = _solved(_corridor(ends), tmp_path)
    assert (solution.value, solution.distance, solution.positions) == (100, 12, 13)


def test_play_that_never_ends_is_worth_50_whatever_goals_rules_name(tmp_path: Path) -> None:
    goals = "(<= (goal a 30) (true (at 12))) (<= (goal b 60) (true (at 12)))"
    text = _corridor(goals).replace("terminal", "never")
    assert str(_solved(text, tmp_path).initial) == "a 50, b 50, play never ends"


def test_ends_that_no_random_play_meets_and_nobody_shares_are_no_sum(tmp_path: Path) -> None:
    ends = """
        (<= (next (at 13)) (true (at 11)) (does a (go 2)))
        (<= (goal a 100) (true (at 12))) (<= (goal a 0) (true (at 13)))
        (<= (goal b 50) terminal)"""
    assert _refusal(_corridor(ends), tmp_path).startswith(
        "play can come round to a state that it came through before\n"
    )


def _counting(moves: int, *, also: str = "") -> str:
    """Return a game in which each move adds one to a number of sixteen bits, up to some."""
    held = " ".join(f"(true (bit {i} {moves >> i & 1}))" for i in range(16))
    carried = " ".join(
        f"(init (bit {i} 0)) (<= (carry {i + 1}) (carry {i}) (true (bit {i} 1)))" for i in range(16)
    )
    return f"""
        (role a) (legal a go) (goal a 100) (<= terminal {held}) {carried}
        (<= (carry 0) (does a go))
        (<= (next (bit ?i 1)) (true (bit ?i 0)) (carry ?i))
        (<= (next (bit ?i 0)) (true (bit ?i 1)) (carry ?i))
        (<= (next (bit ?i ?v)) (true (bit ?i ?v)) (not (carry ?i)))
        {also}"""


@pytest.mark.slow
@pytest.mark.parametrize("also", ["", "(legal a stay)", "(role b) (legal b noop) (goal b 50)"])
def test_play_of_33_000_moves_is_no_shorter(also: str, tmp_path: Path) -> None:
    """Two bytes for each distance do not say it: there are 33,001 of them."""
    solution = _solved(_counting(33_000, also=also), tmp_path)
    assert (solution.value, solution.distance) == (100, 33_000)
    assert sorted(solution.table.distances.tolist()) == [*range(33_001)]


def test_hidden_facts_are_refused() -> None:
    with pytest.raises(GdlError) as caught:
        solve("kuhnpoker")
    assert str(caught.value) == (
        "kuhnpoker hides facts: what a role does depends on what it has seen\n"
        "  expected: a game in which every role sees the whole state (no rules for sees)"
    )


def test_a_state_without_a_move_is_refused(tmp_path: Path) -> None:
    rules = "(role a) (init (at 0)) (<= (legal a go) (true (at 0))) (<= (next (at 1)) (does a go)) "
    rules += "(<= terminal (true (at 2))) (goal a 100) (<= (next (at 2)) (true (at 1)))"
    assert _refusal(rules, tmp_path) == (
        "play comes to a state that is not over and in which a role has no move\n"
        "  help: gdl verify finds a play that leads there\n"
        "  note: it is (at 1)"
    )


def test_an_end_without_a_goal_is_refused(tmp_path: Path) -> None:
    rules = "(role a) (init (at 0)) (legal a go) (<= (next (at 1)) (does a go)) "
    rules += "(<= terminal (true (at 1))) (<= (goal a 100) (true (at 0)))"
    assert _refusal(rules, tmp_path) == (
        "the rules give a no single goal where play can end\n"
        "  help: gdl verify says more of such ends\n"
        "  note: for instance in (at 1)"
    )


def test_moves_at_once_for_shared_goals_are_refused_before_it_begins(tmp_path: Path) -> None:
    rules = "(role a) (role b) (init (at 0)) (<= (legal ?r ?m) (role ?r) (way ?m)) (way l) (way r)"
    rules += "(<= (next (at 1)) (does a ?m) (does b ?m)) (<= (next (at 2)) (does a l) (does b r))"
    rules += "(<= (next (at 3)) (does a r) (does b l)) (<= terminal (not (true (at 0))))"
    rules += "(<= (goal ?r 100) (role ?r) (true (at 1)))"
    rules += "(<= (goal ?r 0) (role ?r) (not (true (at 1))))"
    assert _refusal(rules, tmp_path) == (
        "several roles of FOLDER/game.kif choose at once, and what they win together is not "
        "constant\n  expected: roles that take turns, or two whose goals always have the same sum"
    )


def test_cycles_of_three_roles_are_refused(tmp_path: Path) -> None:
    nodes = (
        Node(movers=(0,), targets={(0,): 1, (1,): 2}),
        Node(movers=(1,), targets={(0,): 0, (1,): 2}),
        Node(goals=(100, 50, 0)),
    )
    game = GraphGame(("a", "b", "c"), nodes)
    assert _refusal(game.rules(), tmp_path).startswith(
        "play can come round to a state that it came through before\n  expected: one role, or two"
    )


def test_too_many_positions_for_the_memory_are_refused() -> None:
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", limits=WorkLimits(memory=5_000))
    assert str(caught.value).startswith(
        "tictactoe has more positions than fit into 5,000 bytes\n"
        "  help: give more memory, or ask about one position: gdl play with mcts or solve\n"
        "  note: "
    )


def test_a_wrong_guess_of_a_group_is_mended(tmp_path: Path) -> None:
    """Only one long line breaks the group: random plays hardly ever come so far."""
    chain = " ".join(f"(after {i} {i + 1})" for i in range(30))
    rules = f"""(role a) (init (at 0)) (init (mark x)) {chain}
    (legal a stay) (legal a go)
    (<= (next (at ?j)) (does a go) (true (at ?i)) (after ?i ?j))
    (<= (next (at 0)) (does a stay))
    (<= (next (mark x)) (true (mark x)))
    (<= (next (mark y)) (true (at 29)) (does a go))
    (<= terminal (true (at 30)))
    (<= (goal a 100) (true (mark y)) (true (mark x)))
    (<= (goal a 0) (not (true (mark y))))"""
    solution = _solved(rules, tmp_path)
    assert (solution.positions, solution.value, solution.distance) == (31, 100, 30)


@pytest.mark.later
@pytest.mark.parametrize("name", ["tictactoe", "hex?size=3", "morris/three"])
def test_from_a_position_on_it_is_as_from_the_beginning(name: str) -> None:
    """Whatever play leads to from there is worth what the table of all positions says."""
    game, chance = load(name, backend="native"), random.Random(0)
    whole = solve(game).table
    for plies in (0, 1, 3, 4, 5):
        state = after(game.initial(), plies, chance)
        part = solve(game, start=state)
        assert part.initial == whole.value(state)
        assert part.positions <= whole.positions
        while True:
            assert part.table.value(state) == whole.value(state)
            if state.is_terminal:
                break
            state = after(state, 1, chance)


def after(state: State, plies: int, chance: random.Random) -> State:
    """Return a state after random moves, or the end before."""
    for _ in range(plies):
        if not state.is_terminal:
            roles = state.game.roles
            state = state.play({role: chance.choice(list(state.legal(role))) for role in roles})
    return state


def test_a_clock_in_a_circle_counts_less_far_from_a_later_position() -> None:
    """From d on it comes round after two moves: layers would not be apart."""
    steps = [(f"t{place}", f"t{place + 1}") for place in range(12)] + [("t12", "t11")]
    rules = "(role a) (init (at t0)) (legal a go) (legal a end) (goal a 40)"
    rules += "".join(f"(after {one} {other})" for one, other in steps)
    rules += "(<= (next (at ?y)) (true (at ?x)) (after ?x ?y) (not (true over)))"
    rules += "(<= (next over) (does a end)) (<= terminal (true over))"
    game = load(Ruleset("clock", (), text=rules), backend="native")
    state = game.initial()
    for _ in range(11):
        state = state.play("go")
    assert str(solve(game, start=state).initial) == "a 40, in 1 move"


def test_from_a_position_of_another_game() -> None:
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", start=load("hex?size=3").initial())
    assert str(caught.value) == (
        "this is no state that play of tictactoe leads to\n"
        "  expected: a state of the game that is solved"
    )


def test_a_folder_keeps_all_positions_of_a_game(tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        solve("tictactoe", start=load("tictactoe").initial(), folder=tmp_path)
    assert str(caught.value) == (
        "a folder keeps all positions of a game, not those from one on\n"
        "  help: solve(..., start=...) without a folder"
    )
