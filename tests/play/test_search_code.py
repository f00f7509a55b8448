"""The machine code of the search beside the state machine: children, playouts, proofs, bounds."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.game import Game, load
from gdl.play import amaf, dfpn, lanes, tree, tree_search
from gdl.play.compiled_search import CompiledSearch
from gdl.play.lane_tables import LaneGame, Words
from gdl.play.look_ahead import look_ahead
from gdl.play.scalar_playout import ScalarGame, play_scalar
from gdl.play.workspace import Settings, Workspace
from gdl.solve import solve
from gdl.state import State
from tests.play.games import IDLER, game_of, minimax, random_state
from tests.shared import missing

Bits: TypeAlias = NDArray[np.uint8]
GAMES = ("tictactoe", "connectfour", "pentago/classic", "pentago/phased", "gomoku/freestyle")
SMALL = Settings(megabytes=32)


FINAL = Settings(megabytes=32, final_weight=60.0)
AMAF = Settings(megabytes=32, grave_visits=0)
SCALAR = Settings(megabytes=32, grave_visits=5, is_scalar=True)


def ready(game: Game, settings: Settings = SMALL) -> Workspace:
    native = game.back_end.native
    assert native is not None
    return Workspace(native, settings=settings, seed=3)


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", GAMES)
def test_the_lanes_after_a_step_are_the_children_of_the_state_machine(name: str) -> None:
    game = load(name)
    engine = ready(game)
    tables, machine = engine.lanes.tables, game.machine
    width = lanes.lane_count(tables)
    moves = np.empty(engine.most_moves, np.int64)
    words = np.zeros(engine.words, np.uint64)
    block, states = (
        np.zeros((64, width >> 6), np.uint64),
        np.zeros((width, engine.words), np.uint64),
    )
    for plies in (0, 1, 6):
        state = random_state(game, plies, plies)
        lanes.load_state(tables, engine.lanes.pack(state.inner))
        mover = lanes.mover_of(tables)
        assert [game.roles[mover]] == list(state.movers)
        legal = state.legal(game.roles[mover])
        n = lanes.legal_moves(tables, mover, moves)
        known = engine.native.kernel.compiled.moves[mover]
        assert [known[i] for i in moves[:n]] == list(legal)
        children = list(enumerate(legal))
        for begin in range(0, n, width):  # where a state has more moves than there are lanes
            used = min(width, n - begin)
            lanes.load_state(tables, engine.lanes.pack(state.inner))
            lanes.step(tables, mover, moves, begin, used)
            lanes.read_states(tables, used, block, states)
            for i, move in children[begin : begin + used]:
                lane = i - begin
                after = state.play(move)
                assert engine.lanes.unpack(states[lane]) == after.inner
                lanes.read_state(tables, lane, words)
                assert np.array_equal(words, states[lane])
                assert bool(lanes.is_over(tables, lane)) == after.is_terminal
                for r, role in enumerate(machine.roles):
                    goals = machine.goals(after.inner, role)
                    assert lanes.goal(tables, r, lane) == (goals[0] if len(goals) == 1 else -1)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [*GAMES, "othello", "hex?size=5"])
def test_the_children_of_a_proof_are_those_of_the_state_machine_and_have_their_hashes(
    name: str,
) -> None:
    """States are made by what a move changed, and hashes by the same changes."""
    game = load(name, backend="native")
    engine = ready(game)
    proof = engine.proof
    digest = [int(word) for word in proof.digest]
    for plies in (0, 2, 4, 6):
        state = random_state(game, plies, plies)
        engine.clear()
        engine.start_proof(state.inner, 0, 100)
        dfpn.prove(proof, engine.lanes.stepping, 1)
        before = engine.lanes.pack(state.inner)
        mover = game.role_index(state.movers[0])
        kept = int(proof.frame[0, dfpn.COUNT])
        assert kept > 1 or plies > 0
        if kept == 1:  # decided by one child, which has its place by then
            continue
        known = engine.native.kernel.compiled.moves[mover]
        for i in range(kept):
            after = state.play(known[int(proof.move[0, i])])
            words = engine.lanes.pack(after.inner)
            if len(proof.child_state) > 1:
                assert np.array_equal(proof.child_state[0, i], words)
            key = int(proof.frame_key[0])
            for word, (one, other) in enumerate(zip(before, words, strict=True)):
                for bit in range(64):
                    if (int(one) ^ int(other)) >> bit & 1:
                        key ^= digest[64 * word + bit]
            assert key == int(proof.child_key[0, i])


def wins_in_a_turn(state: State, who: str, role: str, goal: int) -> int:
    """Return how many moves of a role end the game as it wants, by themselves or with the next."""
    wins = 0
    for move in state.legal(who):
        after = state.play(move)
        if after.is_terminal:
            wins += (int(after.goal(role) or 0) >= goal) == (who == role)
        elif list(map(str, after.movers)) == [who]:
            wins += wins_in_a_turn(after, who, role, goal)
    return wins


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "plies"),
    [
        ("tictactoe", 4),
        ("pentago/classic", 31),
        ("pentago/utwente", 32),
        ("pentago/phased", 60),
        ("pentago/phased", 61),
        ("hex?size=5", 19),
        ("connectfour", 20),
    ],
)
def test_a_look_decides_the_children_that_a_reply_ends_and_counts_threats(
    name: str, plies: int
) -> None:
    """By the state machine; a threat wins where the mover's turn begins anew."""
    game = load(name, backend="native")
    engine = ready(game)
    code = LaneGame(engine.native, is_narrow=False)
    w, replies, facts = code.stepping, engine.proof.replies, engine.native.kernel.compiled.facts
    clock = {facts[i] for i in w.clock}
    moves = np.empty(engine.most_moves, np.int64)
    decided = set()
    for seed in range(6):
        state = before = random_state(game, plies, seed)
        mover = game.role_index(state.movers[0])
        while before.previous is not None and before.previous.movers == state.movers:
            before = before.previous  # to where the turn began
        for role, goal in ((0, 100), (1, 50)):
            lanes.load_state(w, code.pack(state.inner))
            n = lanes.legal_moves(w, mover, moves)
            lanes.step(w, mover, moves, 0, n)
            w.moves[:] = 0
            who = int(look_ahead(replies, w, n, mover, code.pack(before.inner), role, goal))
            for i, move in enumerate(state.legal()):
                after = state.play(move)
                if after.is_terminal or who == lanes.NOBODY:
                    continue
                mine = str(game.roles[role])
                wins = wins_in_a_turn(after, str(game.roles[who]), mine, goal)
                is_decided = bool(int(replies.decided[i >> 6]) >> (i & 63) & 1)
                assert is_decided == (wins > 0)
                decided.add(is_decided)
                if not is_decided and who != mover:
                    again = game.state((after.facts - clock) | (before.facts & clock))
                    expected = wins_in_a_turn(again, state.movers[0], mine, goal)
                    assert replies.threats[i] == expected
    assert decided == {True, False}


@pytest.mark.later
@pytest.mark.parametrize("named", [0, -50])
def test_a_tree_closes_the_moves_of_a_wide_node_that_a_reply_refutes(named: int) -> None:
    """They are worth what the winner leaves, whatever lower goal the rules may name besides."""
    game = load("pentago/utwente")
    answers = set()
    for seed in range(8):
        state = random_state(game, 22, seed)
        engine = ready(game)
        engine.lanes.tables.worst[:] = named
        root, tree_of = engine.root(state.inner), engine.tree
        if engine.grow(root, tree_search.LOOKED_AT + 1) != tree_search.DONE:
            continue  # it wins with one move: nothing else is looked at
        mover, count = int(tree_of.mover[root]), int(tree_of.edge_count[root])
        names = engine.native.kernel.compiled.moves[mover]
        assert count > tree_search.WIDE
        for edge in range(first := int(tree_of.first_edge[root]), first + count):
            if tree_of.edge_visits[edge]:
                continue
            after = state.play(names[int(tree_of.move[edge])])
            foe = after.movers[0]
            is_refuted = any(after.play(reply).goal(foe) == 100 for reply in after.legal())
            assert bool(tree_of.edge_upper[edge] == 0) == is_refuted
            answers.add(is_refuted)
        if answers == {True, False}:
            return
    raise AssertionError("no position told the two apart")


@pytest.mark.parametrize("bits", [12, 20])
def test_proofs_in_a_table_that_is_full_are_the_values_of_all_positions(bits: int) -> None:
    pytest.importorskip("scipy", reason=missing("solve"))
    game = load("connectfour?columns=4&rows=4")
    values = solve(game).table
    engine = ready(game)
    engine.proof = dfpn.make_proof(
        engine.words, engine.most_moves, lanes.lane_count(engine.lanes.tables), bits=bits
    )
    for seed in range(40):
        state = random_state(game, 4 + seed % 5, seed)
        for goal in (50, 100):
            engine.start_proof(state.inner, 0, goal)
            while dfpn.prove(engine.proof, engine.lanes.stepping, 1_000) == dfpn.RUNNING:
                pass
            mine = values.value(state).goals[str(game.roles[0])]
            assert mine is not None
            assert bool(engine.proof.status[dfpn.IS_PROVEN]) == (mine >= goal)


@pytest.mark.parametrize("name", ["connectfour?columns=4&rows=4", "tictactoe"])
@pytest.mark.parametrize("bits", [12, 20])
def test_what_is_decided_depth_first_is_the_value_of_all_positions(name: str, bits: int) -> None:
    """With proof numbers in turns, in one table that is full, and alone."""
    pytest.importorskip("scipy", reason=missing("solve"))
    game = load(name)
    values = solve(game).table
    engine = ready(game)
    engine.proof = dfpn.make_proof(
        engine.words,
        engine.most_moves,
        lanes.lane_count(engine.lanes.tables),
        bits=bits,
        lines=engine.proof.lines,
    )
    engine.deep_proof = dfpn.second_stack(engine.proof)
    for seed in range(40):
        state = random_state(game, 2 + seed % 5, seed)
        for goal in (50, 100):
            engine.start_proof(state.inner, 0, goal)
            turns = [engine.deep_proof] if seed % 2 else [engine.deep_proof, engine.proof]
            while all(
                dfpn.prove(proof, engine.lanes.stepping, 20) == dfpn.RUNNING for proof in turns
            ):
                pass
            proof = next(proof for proof in turns if proof.status[dfpn.DEPTH] < 0)
            mine = values.value(state).goals[str(game.roles[0])]
            assert mine is not None
            assert bool(proof.status[dfpn.IS_PROVEN]) == (mine >= goal)


def test_what_goes_depth_first_gives_up_where_play_is_too_long(tmp_path: Path) -> None:
    """Nothing of it is kept for those that search by proof numbers."""
    game = game_of(IDLER, tmp_path)
    engine = ready(game)
    engine.start_proof(game.initial().inner, 0, 100)
    code = dfpn.RUNNING
    while code == dfpn.RUNNING:
        code = dfpn.prove(engine.deep_proof, engine.lanes.stepping, 1_000)
    assert code == dfpn.TOO_DEEP
    assert engine.proof.status[dfpn.EVER_CUT] == 0
    assert not engine.proof.table.any()


def test_lines_say_what_brings_a_role_nearest_to_its_goal() -> None:
    game = load("tictactoe", backend="native")
    engine = ready(game)
    lines = engine.proof.lines
    assert len(lines.line) == 16  # eight of each role
    place = {str(fact): number for number, fact in enumerate(engine.native.circuit.facts)}
    names = [str(role) for role in game.roles]

    def through(role: int, cell: str) -> list[int]:
        fact = place[f"(cell {cell} {names[role]})"]
        found = lines.through[lines.first[role, fact] : lines.first[role, fact + 1]]
        return [int(number) for number in found]

    assert [len(through(0, cell)) for cell in ("b 2", "a 1", "a 2")] == [4, 3, 2]
    assert not set(through(0, "b 2")) & set(through(1, "b 2"))
    # Where the other's stone stands the line is dead.
    theirs = place[f"(cell a 1 {names[1]})"]
    dead = [
        bool(lines.dead[n, theirs >> 6] >> np.uint64(theirs & 63) & 1) for n in through(0, "b 2")
    ]
    assert sum(dead) == 1


def expected(state: State, role: str) -> float:
    """Return the mean goal of uniformly random play, by looking at everything."""
    if state.is_terminal:
        return float(state.goal(role))
    return mean(expected(state.play(move), role) for move in state.legal(state.movers[0]))


@pytest.mark.sample(1)
@pytest.mark.parametrize("plies", [3, 4, 5])
def test_playouts_from_a_state_have_the_mean_of_random_play(plies: int) -> None:
    game = load("tictactoe")
    engine = ready(game)
    state = random_state(game, plies, plies)
    for r, role in enumerate(game.roles):
        found = mean(engine.mean(state.inner, r) for _ in range(200))
        assert found == pytest.approx(expected(state, role), abs=1.5)  # five standard errors


@pytest.mark.later
@pytest.mark.parametrize(
    ("name", "count"),
    [("tictactoe", 2 * 9), ("connectfour", 2 * 42), ("pentago/classic", 0), ("breakthrough", 0)],
)
def test_stones_that_nobody_moves_last(name: str, count: int) -> None:
    """Of Pentago's board four squares stay where they are, too few to compare moves by."""
    game = load(name)
    engine = ready(game, FINAL)
    facts = engine.native.kernel.compiled.facts
    bits = np.unpackbits(engine.lanes.tables.lasting.view(np.uint8), bitorder="little")
    lasting = [str(facts[i]) for i in np.flatnonzero(bits)]
    assert len(lasting) == count
    assert all(fact.startswith("(cell") for fact in lasting)


def in_lanes(words: Words) -> Bits:
    """Return a row of words as one bit a lane."""
    return np.unpackbits(words.view(np.uint8), bitorder="little")


def test_final_positions_say_of_a_move_what_lanes_in_which_it_was_made_brought() -> None:
    game = load("tictactoe")
    engine = ready(game, FINAL)
    tables, t = engine.lanes.tables, engine.tree
    facts = engine.native.kernel.compiled.facts
    for plies in (0, 2, 5):
        state = random_state(game, plies, plies)
        root = engine.root(state.inner)
        mover = int(t.mover[root])
        width = lanes.lane_count(tables)
        first = int(tables.widths[:mover].sum())
        index = np.zeros(width, np.int64)  # of the goal that the mover got in each lane
        for bit in range(int(tables.widths[mover])):
            index += in_lanes(tables.planes[first + bit]).astype(np.int64) << bit
        goals = tables.indexed[mover, index]
        is_playing = in_lanes(tables.terminal) == 0
        count = int(t.edge_count[root])
        for i, move in enumerate(state.legal()):
            edge = int(t.first_edge[root]) + i
            after = state.play(move)
            own = len(range(i, width, count))
            if after.is_terminal:
                assert t.prior_visits[edge] == own
                continue
            (new,) = (f for f in after.facts - state.facts if str(f).startswith("(cell"))
            row = tables.place[facts.index(new)]
            told = goals[(in_lanes(tables.lane_facts[row]) == 1) & is_playing]
            weight = min(len(told), tables.final_weight)
            assert t.prior_visits[edge] == own + weight
            mine = goals[i::count]
            assert t.prior_total[edge] == pytest.approx(mine.sum() + weight * told.mean(), rel=1e-4)


@pytest.mark.parametrize("is_narrow", [True, False], ids=["narrow", "wide"])
def test_what_is_proven_and_disproven_is_what_a_plain_search_finds(*, is_narrow: bool) -> None:
    game = load("tictactoe")
    engine = ready(game)
    known: dict[object, int] = {}
    answers = set()
    game_code = LaneGame(engine.native, is_narrow=is_narrow)
    tables = game_code.stepping
    assert tables.facts.shape[1] == (1 if is_narrow else game_code.tables.facts.shape[1])
    for seed in range(30):
        state = random_state(game, 2 + seed % 4, seed)
        value = minimax(state, "x", known)
        for goal in (50, 100):
            engine.start_proof(state.inner, 0, goal)
            while dfpn.prove(engine.proof, tables, 50) == dfpn.RUNNING:
                pass
            answer = bool(engine.proof.status[dfpn.IS_PROVEN])
            assert answer == (value >= goal)
            answers.add(answer)
    assert answers == {True, False}


@pytest.mark.parametrize("settings", [SMALL, AMAF, SCALAR], ids=["plain", "rave", "grave"])
def test_bounds_of_the_tree_hold_at_all_times_and_meet_in_the_value(settings: Settings) -> None:
    game = load("tictactoe")
    known: dict[object, int] = {}
    for seed in range(6):
        engine = ready(game, settings)
        state = random_state(game, 2, seed)
        engine.set_start(state)
        value = minimax(state, "x", known)
        root = engine.root(state.inner)
        code = tree_search.DONE
        while code == tree_search.DONE:
            code = engine.grow(root, 3)
            assert engine.tree.lower[root, 0] <= value <= engine.tree.upper[root, 0]
        assert code == tree_search.SOLVED
        assert engine.tree.lower[root, 0] == value
        assert engine.tree.upper[root, 0] == value


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", GAMES)
def test_a_game_played_alone_is_legal_and_tells_its_moves_and_goals(name: str) -> None:
    game = load(name)
    native = game.back_end.native
    assert native is not None
    every = native.kernel.compiled.moves
    alone = ScalarGame(native)
    alone.seed(1)
    goals = np.zeros(len(game.roles))
    for plies in (0, 1, 5):
        state = random_state(game, plies, plies)
        assert alone.set_start(state)
        mover = game.roles.index(state.movers[0])
        first = state.legal(state.movers[0])[0]
        path = np.array([[mover, every[mover].index(first)]], np.int64)
        state = state.play(first)
        plies_drawn = play_scalar(alone.tables, path, 1, goals)
        for r, number in alone.tables.played[:plies_drawn].tolist():
            assert state.movers in {(), (game.roles[r],)}
            state = state.play({game.roles[r]: every[r][number]})
        assert state.is_terminal
        assert goals.tolist() == [state.goal(role) for role in game.roles]


def test_games_played_alone_have_the_mean_of_random_play() -> None:
    game = load("tictactoe")
    native = game.back_end.native
    assert native is not None
    alone = ScalarGame(native)
    alone.seed(2)
    goals, path = np.zeros(2), np.zeros((1, 2), np.int64)
    for plies in (3, 4, 5):
        state = random_state(game, plies, plies)
        assert alone.set_start(state)
        found = []
        for _ in range(10_000):
            assert play_scalar(alone.tables, path, 0, goals) >= 0
            found.append(float(goals[0]))
        assert mean(found) == pytest.approx(expected(state, "x"), abs=2.5)  # five standard errors


def test_a_state_that_no_play_led_to_is_judged_by_vectors() -> None:
    game = load("tictactoe")
    engine = ready(game, SCALAR)
    state = random_state(game, 3, 3)
    engine.set_start(state)
    assert engine.scalar.at != 0
    engine.set_start(State(game, state.machine, state.inner))
    assert engine.scalar.at == 0


@pytest.mark.parametrize("settings", [AMAF, SCALAR], ids=["rave", "grave"])
def test_what_was_made_here_was_made_here_or_later(settings: Settings) -> None:
    """A record of later moves holds at least the simulations that took the edge itself."""
    game = load("connectfour")
    engine = ready(game, settings)
    state = random_state(game, 2, 1)
    engine.set_start(state)
    root = engine.root(state.inner)
    simulations = 400
    assert engine.grow(root, simulations) == tree_search.DONE
    t = engine.tree
    more = 0
    for node in range(int(t.used[tree.NODES])):
        edges = slice(t.first_edge[node], t.first_edge[node] + t.edge_count[node])
        assert (t.amaf_visits[edges] >= t.edge_visits[edges]).all()
        assert (t.amaf_visits[edges] <= t.visits[node]).all()
        assert (t.amaf_total[edges] >= 0).all()
        assert (t.amaf_total[edges] <= 100 * t.amaf_visits[edges]).all()
        more += int((t.amaf_visits[edges] > t.edge_visits[edges]).sum())
    assert more > 0


def test_a_node_takes_the_record_of_another_for_its_own_moves_alone() -> None:
    game = load("connectfour")
    engine = ready(game, AMAF)
    root = engine.root(game.initial().inner)
    engine.grow(root, 200)
    t = engine.tree
    first = int(t.first_edge[root])
    replies = [int(t.child[first + i]) for i in range(int(t.edge_count[root]))]
    below = next(
        int(t.child[t.first_edge[node]])
        for node in replies
        if node >= 0 and t.child[t.first_edge[node]] >= 0
    )
    assert t.mover[below] == t.mover[root]
    numbers = np.arange(engine.most_moves)
    for other in (root, below):
        memory = np.full((engine.most_moves, 2), 7.0)
        amaf.read_record(t, below, other, memory)
        for number in numbers:
            of_other = [
                edge
                for edge in range(t.first_edge[other], t.first_edge[other] + t.edge_count[other])
                if t.move[edge] == number
            ]
            mine = t.move[t.first_edge[below] : t.first_edge[below] + t.edge_count[below]]
            if of_other:
                assert memory[number, 0] == t.amaf_visits[of_other[0]]
                assert memory[number, 1] == t.amaf_total[of_other[0]]
            elif number in mine:
                assert memory[number].tolist() == [0.0, 0.0]


def test_a_proof_gets_its_whole_share_once_one_came_to_an_end() -> None:
    game = load("connectfour")
    engine = ready(game)
    states = []
    for has_ended in (False, True):
        engine.clear()
        engine.has_proof_ended = has_ended
        search = CompiledSearch(engine, game.initial().inner, 0, simulations=6_000)
        while search.go_on():
            pass
        assert search.proof is not None
        states.append(search.proof.states)
        assert not engine.has_proof_ended  # so far from the end nothing is proven
    assert states[1] > 2 * states[0]
    late = random_state(load("tictactoe"), 4, 1)
    engine = ready(late.game)
    mover = late.game.roles.index(late.movers[0])
    search = CompiledSearch(engine, late.inner, mover, simulations=6_000)
    while search.go_on():
        pass
    assert engine.has_proof_ended


def test_a_tree_that_is_full_says_so_and_stays_whole() -> None:
    game = load("connectfour")
    engine = ready(game)
    small = tree.make_tree(engine.words, 2, nodes=400, edges=1_200)
    state = engine.lanes.pack(game.initial().inner)
    root = tree_search.add_root(small, engine.lanes.tables, engine.params, state)
    code = tree_search.search(
        small, engine.lanes.tables, engine.scalar, engine.params, root, 10_000
    )
    assert code == tree_search.FULL
    assert small.used[0] <= 400
    assert small.used[1] <= 1_200
    first = small.first_edge[root]
    tries = small.edge_visits[first : first + small.edge_count[root]].sum()
    assert small.visits[root] == tries + 1
