"""Exact values: beside plain search, beside the reference engine; wins in one and in three."""

from __future__ import annotations

import sys
from collections import OrderedDict
from pathlib import Path
from random import Random

import pytest

from engine.pentago import CLASSIC, PentagoGame, Position
from gdl.game import load
from gdl.play import Budget, UnsolvedError, choose, constant_sum, dfpn, make, prepare, solve
from gdl.play.alphabeta import AlphaBeta, Value
from gdl.play.force import force
from gdl.play.player import thoughts_of
from gdl.play.workspace import Settings, Workspace
from gdl.ruleset import Ruleset
from gdl.state import State
from tests.play.games import DICE, PENNIES, THREE, game_of, minimax, random_state
from tests.shared import missing

CLASSIC_GAME = PentagoGame(CLASSIC)


def engine_value(position: Position, role: str, known: dict[Position, int]) -> int:
    """Return the value of a position of the reference engine by looking at everything."""
    if CLASSIC_GAME.is_terminal(position):
        return CLASSIC_GAME.goals(position)[role]
    if position not in known:
        is_mine = CLASSIC_GAME.to_move(position) == role
        best = -1 if is_mine else 101
        for move in CLASSIC_GAME.legal_moves(position):
            value = engine_value(CLASSIC_GAME.play(position, move), role, known)
            best = max(best, value) if is_mine else min(best, value)
            if best == (100 if is_mine else 0):
                break
        known[position] = best
    return known[position]


def is_won(position: Position, role: str) -> bool:
    return CLASSIC_GAME.goals(position)[role] == 100


def late_positions(empty: int, count: int) -> list[tuple[State, Position]]:
    """Return states with few empty squares in which the mover has no win at once, by seed."""
    game = load("pentago/classic")
    chance = Random(17)
    found: list[tuple[State, Position]] = []
    while len(found) < count:
        state, position = game.initial(), CLASSIC_GAME.initial()
        while state.ply < 36 - empty and not state.is_terminal:
            move = chance.choice(state.legal())
            position = CLASSIC_GAME.play(position, CLASSIC_GAME.parse(state.notation(move)))
            state = state.play(move)
        if state.is_terminal:
            continue
        mover = state.movers[0]
        after = [CLASSIC_GAME.play(position, m) for m in CLASSIC_GAME.legal_moves(position)]
        wins = [
            p for p in after if CLASSIC_GAME.is_terminal(p) and CLASSIC_GAME.goals(p)[mover] == 100
        ]
        if not wins:
            found.append((state, position))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("empty", [2, 3, 4])
def test_solve_gives_the_value_that_the_reference_engine_has(empty: int) -> None:
    values = set()
    for state, position in late_positions(empty, 4):
        role = state.movers[0]
        solution = solve(state)
        known: dict[Position, int] = {}
        assert solution.value == engine_value(position, role, known)
        assert solution.move is not None
        reached = CLASSIC_GAME.play(position, CLASSIC_GAME.parse(state.notation(solution.move)))
        assert engine_value(reached, role, known) == solution.value
        other = next(each for each in state.game.roles if each != role)
        assert solve(state, role=other).value == 100 - solution.value
        values.add(solution.value)
    assert values <= {0, 50, 100}


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("backend", ["native", "reason"])
def test_every_state_of_tictactoe_after_three_plies_has_its_value(backend: str) -> None:
    game = load("tictactoe", backend="native" if backend == "native" else "reason")
    known: dict[object, int] = {}
    for seed in range(12):
        state = random_state(game, 3, seed)
        assert solve(state, role="x").value == minimax(state, "x", known)


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "spec",
    [
        "mcts",
        "mcts:rave=on",
        "mcts:grave=20",
        "mcts:grave=20,playouts=scalar",
        "alphabeta",
        "solve",
    ],
)
def test_perfect_players_draw_tictactoe_and_keep_what_is_won(spec: str) -> None:
    game = load("tictactoe")
    known: dict[object, int] = {}
    state = game.initial()
    players = {role: make(spec, role=game.role(role), seed=2) for role in game.roles}
    for player in players.values():
        prepare(player, game, Budget())
    while not state.is_terminal:
        role = state.movers[0]
        value = minimax(state, role, known)
        budget = Budget(simulations=20_000)
        state = state.play(choose(players[role], state, budget, role=role))
        assert minimax(state, role, known) == value
    assert state.goal("x") == 50


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["mcts", "mcts:grave=20,playouts=scalar"])
@pytest.mark.parametrize("plies", [1, 3])
def test_mcts_finds_every_win_in_one_and_in_three(plies: int, spec: str) -> None:
    """Positions of pentago/classic with 12 empty squares, drawn by seed."""
    game = load("pentago/classic")
    native = game.back_end.native
    assert native is not None
    truth = Workspace(native, settings=Settings(megabytes=16), seed=0)
    player = make(spec, seed=1)
    prepare(player, game, Budget())
    found = 0
    for seed in range(8 if plies == 1 else 60):
        state = random_state(game, 24, seed)
        role = state.movers[0]
        index = game.roles.index(role)
        shortest = next((n for n in (1, 3) if wins_within(truth, state, index, n)), None)
        if shortest == plies:
            found += 1
            move = choose(player, state, Budget(simulations=30_000), role=role)
            after = state.play(move)
            assert after.is_terminal or plies > 1
            assert solve(after, role=role).value == 100
    assert found > 0


def wins_within(truth: Workspace, state: State, role: int, plies: int) -> bool:
    """Return whether a role forces a win within so many plies: every line is looked at."""
    truth.start_proof(state.inner, role, 100, plies=plies)
    while dfpn.prove(truth.proof, truth.lanes.stepping, 1_000) == dfpn.RUNNING:
        pass
    return bool(truth.proof.status[dfpn.IS_PROVEN])


LOST = """\
(role a) (role b)
(init (at root)) (init (turn a))
(step root left l1) (step root right r1)
(step l1 on l2) (step l2 on lost)
(step r1 down won) (step r1 up lost)
(<= (legal ?r ?m) (true (turn ?r)) (true (at ?n)) (step ?n ?m ?k))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (at ?k)) (true (at ?n)) (does ?r ?m) (step ?n ?m ?k))
(<= (next (turn a)) (true (turn b)))
(<= (next (turn b)) (true (turn a)))
(<= terminal (true (at won)))
(<= terminal (true (at lost)))
(<= (goal a 100) (true (at won)))
(<= (goal a 0) (not (true (at won))))
(<= (goal b 0) (true (at won)))
(<= (goal b 100) (not (true (at won))))
"""
"""Whatever a does, b may win; on the way a may seem to be winning."""


@pytest.mark.parametrize("guess", [0.0, 50.0, 100.0])
def test_a_guess_is_never_taken_for_a_proof(guess: float, tmp_path: Path) -> None:
    game = game_of(LOST, tmp_path)
    search = AlphaBeta(
        game.machine,
        game.initial().inner,
        game.role("a"),
        budget=Budget(),
        evaluate=lambda _: guess,
    )
    while search.go_on():
        pass
    assert search.value == Value(0.0, is_exact=True)


KINGMAKER = """\
(role a) (role b) (role c)
(init (at root)) (turn root a) (turn gift b) (turn walk c)
(step root ask gift) (step root go walk)
(step gift give up) (step gift keep down)
(step walk on up)
(<= (legal ?r ?m) (true (at ?n)) (turn ?n ?r) (step ?n ?m ?k))
(<= (legal ?r noop) (role ?r) (true (at ?n)) (turn ?n ?q) (distinct ?q ?r))
(<= (next (at ?k)) (true (at ?n)) (turn ?n ?r) (does ?r ?m) (step ?n ?m ?k))
(<= terminal (true (at up)))
(<= terminal (true (at down)))
(<= (goal a 100) (true (at up)))
(<= (goal a 0) (true (at down)))
(<= (goal b 50) (true (at ?n)))
(<= (goal c 20) (true (at up)))
(<= (goal c 70) (true (at down)))
"""
"""What b does is all the same to b, and decides whether a wins; the other way a wins for sure."""


@pytest.mark.later
@pytest.mark.parametrize(
    ("spec", "note"),
    [
        ("mcts", "proven: 100 can be forced"),
        ("mcts:proof=0", "proven: worth 100 if all play for their own goal"),
        ("mcts:proof=0,playouts=scalar", "proven: worth 100 if all play for their own goal"),
    ],
)
def test_nobody_counts_on_a_move_that_is_all_the_same_to_who_makes_it(
    spec: str, note: str, tmp_path: Path
) -> None:
    game = game_of(KINGMAKER, tmp_path)
    player = make(spec, role=game.role("a"), seed=1)
    prepare(player, game, Budget())
    move = choose(player, game.initial(), Budget(simulations=500), role="a")
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert str(move) == "go"
    assert [str(each.move) for each in thoughts.candidates if each.proven] == ["go"]
    assert thoughts.note == note


def test_what_cannot_be_solved_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("games")
    for name, text in (("pennies", PENNIES), ("three", THREE), ("dice", DICE)):
        game = game_of(text, folder, name=name)
        with pytest.raises(UnsolvedError) as caught:
            solve(game.initial(), role=game.roles[0])
        assert str(caught.value) == (
            f"{game.id} cannot be solved\n"
            "  expected: a game of one role, or of two whose goals have a constant sum, in which "
            "they take turns and nothing is drawn"
        )


GENEROUS = """\
(role a) (role b)
(init (at begin))
(<= (legal a safe) (true (at begin)))
(<= (legal a trust) (true (at begin)))
(<= (legal a noop) (true (at trusted)))
(<= (legal b noop) (true (at begin)))
(<= (legal b grab) (true (at trusted)))
(<= (legal b share) (true (at trusted)))
(<= (next (at half)) (does a safe))
(<= (next (at trusted)) (does a trust))
(<= (next (at grabbed)) (does b grab))
(<= (next (at shared)) (does b share))
(<= terminal (not (true (at begin))) (not (true (at trusted))))
(<= (goal ?r 50) (role ?r) (true (at half)))
(<= (goal a 40) (true (at grabbed)))
(<= (goal b 60) (true (at grabbed)))
(<= (goal a 60) (true (at shared)))
(<= (goal b 100) (true (at shared)))
"""
"""Trust brings 60, as sharing is best for b; all that alpha-beta looks at adds up to 100."""


@pytest.mark.parametrize("backend", ["reason", pytest.param("native", marks=pytest.mark.slow)])
def test_goals_of_several_sums_are_refused_though_no_line_that_is_searched_shows_them(
    backend: str,
) -> None:
    rules = Ruleset(id="generous", paths=(), text=GENEROUS)
    game = load(rules, backend="native" if backend == "native" else "reason")
    for role in game.roles:
        with pytest.raises(UnsolvedError, match="generous cannot be solved"):
            solve(game.initial(), role=role)
    player = make("alphabeta", role=game.role("a"), seed=1)
    prepare(player, game, Budget())
    choose(player, game.initial(), Budget(simulations=500), role="a")
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert "exact" not in thoughts.note


def test_a_goal_above_100_is_no_goal_that_alphabeta_counts_with() -> None:
    text = GENEROUS.replace("(goal a 60)", "(goal a 160)").replace("(goal b 100)", "(goal b -60)")
    game = load(Ruleset(id="generous", paths=(), text=text), backend="reason")
    with pytest.raises(UnsolvedError, match="generous cannot be solved"):
        solve(game.initial(), role="a")


@pytest.mark.slow
def test_a_value_is_not_taken_from_the_only_goal_where_play_may_never_end() -> None:
    text = """\
    (role a) (init (at here))
    (<= (legal a stay) (true (at here)))
    (<= (legal a go) (true (at here)))
    (<= (next (at here)) (does a stay))
    (<= (next (at here)) (does a go))
    (<= terminal (true (at there)))
    (<= (next (at there)) (true (at there)))
    (<= (goal a 0) (true (at there)))
    """
    game = load(Ruleset(id="circle", paths=(), text=text), backend="native")
    with pytest.raises(UnsolvedError, match="was not found in the time given"):
        solve(game.initial(), role="a", budget=Budget(0.5))


ROUND = """\
(role a) (role b) (init (at 0)) (init (turn a))
(<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
(<= (legal a (go ?x)) (true (turn a)) (way ?x)) (way 0) (way 1) (way 2)
(legal b noop) (<= (legal a noop) (true (turn b)))
(<= (next (at ?x)) (does a (go ?x))) (<= (next (at ?x)) (true (at ?x)) (true (turn b)))
(<= terminal (not (true (at 0))))
(<= (goal a 40) (true (at 1))) (<= (goal b 60) (true (at 1)))
(<= (goal a 0) (true (at 2))) (<= (goal b 100) (true (at 2)))
"""
"""Who goes on with ``(go 0)`` has half of the sum, and that is more than any end gives."""


@pytest.mark.slow
@pytest.mark.parametrize("role", ["a", "b"])
def test_nobody_is_thought_to_end_play_that_is_better_for_him_without_an_end(role: str) -> None:
    """a can force 40 and b cannot force more than 60, but a need not let it come to that."""
    strongly = pytest.importorskip("gdl.solve", reason=missing("solve")).solve
    game = load(Ruleset(id="round", paths=(), text=ROUND), backend="native")
    assert strongly(game).initial.goals == {"a": 50, "b": 50}
    solve(load("tictactoe").initial().play("a1").play("a2"))  # the code is ready
    with pytest.raises(UnsolvedError, match="was not found in the time given"):
        solve(game.initial(), role=role, budget=Budget(3))
    # Where an end gives more than half to who chooses, it is chosen.
    other = ROUND.replace("(goal a 40)", "(goal a 60)").replace("(goal b 60)", "(goal b 40)")
    game = load(Ruleset(id="round", paths=(), text=other), backend="native")
    value = {"a": 60, "b": 40}
    assert strongly(game).initial.goals == value
    assert solve(game.initial(), role=role).value == value[role]


@pytest.mark.slow
def test_an_end_without_a_goal_is_not_worth_the_lowest() -> None:
    text = """\
    (role a) (init (at here))
    (<= (legal a stay) (true (at here)))
    (<= (legal a go) (true (at here)))
    (<= (next (at nowhere)) (does a stay))
    (<= (next (at there)) (does a go))
    (<= terminal (not (true (at here))))
    (<= (goal a 40) (true (at there)) (true (at nowhere)))
    (<= (goal a 100) (true (at there)) (true (at here)))
    """
    game = load(Ruleset(id="unpaid", paths=(), text=text), backend="native")
    with pytest.raises(UnsolvedError, match="unpaid cannot be solved"):
        solve(game.initial(), role="a")


STUCK = """\
(role a) (init (at here))
(<= (legal a stay) (true (at here)))
(<= (legal a go) (true (at here)))
(<= (next (at mire)) (does a stay))
(<= (next (at bog)) (does a go))
(<= (next (at there)) (does a walk))
(<= (next (at beyond)) (does a swim))
(<= (legal a walk) (true (at bog)) (true (at here)))
(<= (legal a swim) (true (at bog)) (true (at here)))
(<= terminal (true (at there)))
(<= terminal (true (at beyond)))
(<= (goal a 40) (true (at there)))
(<= (goal a 100) (true (at beyond)))
"""


@pytest.mark.slow
def test_play_that_is_stuck_is_not_worth_the_lowest_goal() -> None:
    game = load(Ruleset(id="mire", paths=(), text=STUCK), backend="native")
    with pytest.raises(UnsolvedError, match="mire cannot be solved"):
        solve(game.initial())
    forced = force(game.initial(), "a", goal=40)
    assert (forced.is_forced, forced.is_held) == (False, False)
    over = force(game.state(["(at there)", "(at here)"]), "a", goal=100)
    assert (over.is_forced, over.plies) == (False, None)


@pytest.mark.slow
@pytest.mark.parametrize("move", ["stay", "go"])
def test_who_can_have_the_lowest_goal_alone_is_told_the_move_that_is_not_stuck(move: str) -> None:
    other = "go" if move == "stay" else "stay"
    text = STUCK.replace("(true (at bog)) (true (at here)))", "(true (at bog)))", 1)
    text = text.replace("does a stay", f"does a {other}", 1).replace(
        "bog)) (does a go", f"bog)) (does a {move}"
    )
    solution = solve(load(Ruleset(id="bog", paths=(), text=text), backend="native").initial())
    assert (solution.value, str(solution.move)) == (40, move)


RARE = """\
(role a) (role b) (init (step 0)) (init ones) (turns a b) (turns b a) (init (turn a))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(succ 8 9) (succ 9 10) (succ 10 11) (succ 11 12)
(way 0) (way 1) (way 2) (way 3) (way 4) (way 5) (way 6) (way 7)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (turn ?s)) (true (turn ?r)) (turns ?r ?s))
(<= (legal a go) (true (turn a)) (not mire))
(<= (legal a resign) (true (turn a)) (not mire))
(<= (legal b (take ?w)) (true (turn b)) (way ?w))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= mire (true ones) (true (step 12)))
(<= (next ones) (true ones) (does b (take 1)))
(<= (next ones) (true ones) (does a go))
(<= (next (took ?n ?w)) (true (step ?n)) (does b (take ?w)))
(<= (next (took ?n ?w)) (true (took ?n ?w)))
(<= (next given) (does a resign))
(<= over (true (step 12)) (not (true ones)))
(<= terminal over)
(<= terminal (true given))
(<= (goal a 100) over (not (true given)))
(<= (goal b 0) over (not (true given)))
(<= (goal a 0) (true given))
(<= (goal b 100) (true given))
"""
"""One play of 262,144 is stuck, where a never resigns; all others are won by a."""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["", "(<= terminal mire)"])
def test_no_goal_rests_on_play_that_is_stuck_however_rarely(what: str) -> None:
    """Nor on an end without one; random plays show neither."""
    game = load(Ruleset(id="rare", paths=(), text=RARE + what), backend="native")
    for role in game.roles:
        with pytest.raises(UnsolvedError, match="rare cannot be solved"):
            solve(game.initial(), role=role)


NEEDLE = "".join(
    [
        "(role me) (role you) (init (step 0)) (init ones) (init (turn me))",
        *(f"(succ {i} {i + 1})" for i in range(14)),
        """
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(<= (next (turn you)) (true (turn me)))
(<= (next (turn me)) (true (turn you)))
(<= (legal ?r zero) (true (turn ?r)))
(<= (legal ?r one) (true (turn ?r)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next ones) (true ones) (true (turn ?r)) (does ?r one))
(<= (next lastly) (true (turn ?r)) (does ?r one))
(<= terminal (true (step 14)))
""",
    ]
)
"""Who always makes the move ``one`` comes to an end that one of 16,384 random plays comes to."""
BOTH_GAIN = """
(<= (goal ?r 100) (role ?r) (true ones))
(<= (goal ?r 50) (role ?r) (not (true ones)))
"""
"""Best play brings both 100; but each can keep the other from more than 50."""
YOU_LAST = """
(<= (goal ?r 100) (role ?r) (true ones))
(<= (goal you 100) (not (true ones)) (true lastly))
(<= (goal me 0) (not (true ones)) (true lastly))
(<= (goal you 0) (not (true ones)) (not (true lastly)))
(<= (goal me 100) (not (true ones)) (not (true lastly)))
"""
"""All ends but one have the sum 100, as in a game of the one against the other."""


@pytest.mark.parametrize("backend", ["reason", pytest.param("native", marks=pytest.mark.slow)])
def test_a_sum_that_only_a_rare_end_does_not_have_is_refused_by_a_proof(backend: str) -> None:
    pytest.importorskip("pysat")
    rules = Ruleset(id="needle", paths=(), text=NEEDLE + BOTH_GAIN)
    game = load(rules, backend="native" if backend == "native" else "reason")
    with pytest.raises(UnsolvedError, match="needle cannot be solved"):
        solve(game.initial(), role="me")
    off = game.initial().play("zero")
    solution = solve(off, role="me")
    assert (solution.value, solution.is_best_play) == (50, True)  # it cannot be come to from here


def test_a_solution_says_whether_it_is_proved_that_nothing_else_comes_of_best_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pysat")
    state = load("tictactoe", backend="reason").initial()
    for move in ("b2", "b1", "a1", "c3"):
        state = state.play(move)
    assert solve(state).is_best_play
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)  # as if it were not installed
    assert not solve(state).is_best_play


def test_a_proof_of_a_sum_that_was_left_open_is_looked_for_again_only_with_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pysat")
    asked: list[None] = []
    monkeypatch.setattr(constant_sum, "_answers", OrderedDict())
    monkeypatch.setattr(constant_sum, "_ask", lambda *_: asked.append(None))  # open, always
    state = load("tictactoe", backend="reason").initial().play("b2")
    for seconds in (1, 1, 0.5):
        assert constant_sum.is_sum_constant(state, 100, seconds=seconds) is None
    assert len(asked) == 2  # from the first position on, and from this one
    assert constant_sum.is_sum_constant(state, 100, seconds=3) is None
    assert len(asked) == 4


@pytest.mark.slow
def test_a_tree_that_meets_an_end_of_another_sum_counts_each_role_by_its_own_goal() -> None:
    rules = Ruleset(id="needle", paths=(), text=NEEDLE + YOU_LAST)
    game = load(rules, backend="native")
    state = game.initial()
    for _ in range(12):
        state = state.play("one")
    player = make("mcts:proof=0", role=game.role("me"), seed=1)
    prepare(player, game, Budget())
    assert str(choose(player, state, Budget(simulations=500), role="me")) == "one"
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert thoughts.note == "proven: worth 100 if all play for their own goal"


@pytest.mark.later
def test_what_is_not_solved_in_time_is_said() -> None:
    state = load("pentago/classic").initial()
    with pytest.raises(UnsolvedError) as caught:
        solve(state, budget=Budget(simulations=500))
    first, note, mend = str(caught.value).splitlines()
    assert first == "the value of this state of pentago/classic was not found in the time given"
    assert note.endswith(" states were looked at")
    assert mend == "  help: give more time, or begin later in the game"
