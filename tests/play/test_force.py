"""What can be forced: beside plain search, and as a strategy that another program replays."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import gdl
from examples.check_strategy import check
from gdl.game import Game
from gdl.play.force import Strategy, force
from gdl.play.solve import UnsolvedError
from gdl.ruleset import Ruleset
from gdl.solve import solve as solve_all
from gdl.solve.strong import table_or_arena
from gdl.state import State
from tests.cli.running import gdl as command
from tests.play.games import DICE, PENNIES, WALK, minimax, random_state
from tests.shared import some
from tests.solve.exhaustive import Exhaustive, TooManyError, UnfitError
from tests.solve.graph_games import GraphGame, Node, forced, random_game
from tests.solve.rule_games import Kind, rules

pytest.importorskip("numba")
pytest.importorskip("scipy")

from gdl.solve.attractor import Arena


def of(text: str) -> Game:
    return gdl.load(Ruleset(id="game", paths=(), text=text), backend="native")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_is_forced_is_the_minimax_value(seed: int) -> None:
    game = gdl.load("tictactoe", backend="native")
    state = random_state(game, 2 + seed % 3, seed)
    known: dict[str, dict[object, int]] = {role: {} for role in game.roles}
    for role in game.roles:
        value = minimax(state, role, known[role])
        for goal in (50, 100):
            found = force(state, role, goal=goal)
            assert found.is_forced == (value >= goal)
            if found.is_forced:
                assert found.strategy().positions > 1
            else:
                with pytest.raises(UnsolvedError):
                    found.strategy()


def replayed(name: str, role: str, goal: int, file: Path) -> tuple[Game, dict[str, Any]]:
    """Return the game by the rules as written, and a strategy that was written and read."""
    plan = force(gdl.load(name, backend="native").initial(), role, goal=goal).strategy()
    plan.save(file)
    said: dict[str, Any] = json.loads(file.read_text())
    return gdl.load(name, backend="reason"), said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "role", "goal"),
    [("tictactoe", "o", 50), ("hex?size=3", "red", 100)],
)
def test_a_strategy_is_replayed_by_the_rules_as_written_and_a_wrong_one_is_refused(
    tmp_path: Path, name: str, role: str, goal: int
) -> None:
    game, said = replayed(name, role, goal, tmp_path / "strategy.json")
    assert check(game, said) > 10
    refusals = 0
    for place in sorted(said["moves"])[::7]:
        refused = 0
        others = [str(move) for move in game.position(place).legal(role)]
        for other in others:
            wrong = copy.deepcopy(said)
            wrong["moves"][place] = other
            try:
                check(game, wrong)
            except ValueError:
                refused += 1
        assert refused <= len(others) - 1  # the move of the strategy is not
        refusals += refused
        missing = copy.deepcopy(said)
        del missing["moves"][place]
        with pytest.raises(ValueError, match="no legal move is named for"):
            check(game, missing)
    assert refusals > 0
    too_high = {**said, "goal": goal + 1}
    with pytest.raises(ValueError, match="and not"):
        check(game, too_high)
    with pytest.raises(ValueError, match="other rules"):
        check(gdl.load("connectfour", backend="reason"), said)
    with pytest.raises(ValueError, match="it takes"):
        check(game, {**said, "plies": said["plies"] - 1})


@pytest.mark.slow
def test_a_walk_that_may_go_to_and_fro_is_forced_the_shortest_way() -> None:
    found = force(of(WALK).initial(), "walker")
    assert found.is_forced
    assert found.strategy().plies == 7


CIRCLE = GraphGame(
    ("a", "b"),
    (
        Node(movers=(0,), targets={(0,): 1, (1,): 3}),
        Node(movers=(1,), targets={(0,): 0, (1,): 2}),
        Node(goals=(50, 50)),
        Node(goals=(0, 100)),
    ),
)
"""The value is 50, by an end or without one: b chooses whether play goes round for ever."""


@pytest.mark.slow
def test_an_end_that_the_other_may_put_off_for_ever_is_held_and_not_forced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = of(CIRCLE.rules()).initial()
    assert solve_all(start.game).value == 50
    monkeypatch.setattr("gdl.play.force._workspace", lambda _state: None)
    half = force(start, "a", goal=50)
    assert (half.is_forced, half.is_held, half.plies) == (False, True, None)
    plan = half.strategy()
    assert (plan.plies, plan.line, len(plan.moves)) == (None, (), 1)
    assert check(gdl.load(start.game.ruleset, backend="reason"), read_back(plan)) == 3
    more = force(start, "a", goal=51)
    assert (more.is_forced, more.is_held) == (False, False)
    with pytest.raises(UnsolvedError, match="there is no strategy"):
        more.strategy()
    assert force(start, "b", goal=50).is_held
    with pytest.raises(ValueError, match="play may come round again to"):
        check(gdl.load(start.game.ruleset, backend="reason"), {**read_back(plan), "plies": 9})


@pytest.mark.slow
def test_a_proof_whose_moves_go_round_in_circles_asks_all_positions_for_a_strategy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both moves of a keep its win within reach; by one of them play comes round for ever."""
    circle = GraphGame(
        ("a", "b"),
        (
            Node(movers=(0,), targets={(0,): 1, (1,): 2}),
            Node(movers=(1,), targets={(0,): 0, (1,): 2}),
            Node(movers=(0,), targets={(0,): 0, (1,): 3}),
            Node(goals=(100, 0)),
        ),
    )
    monkeypatch.setattr(
        "gdl.play.force._proof_oracle", lambda *_: lambda state: state.legal("a")[0]
    )
    start = of(circle.rules()).initial()
    found = force(start, "a")
    assert (found.is_forced, found.way) == (True, "proof")
    plan = found.strategy()
    assert (plan.plies, len(plan.moves)) == (2, 2)
    assert check(gdl.load(start.game.ruleset, backend="reason"), read_back(plan)) == 3
    with pytest.raises(UnsolvedError, match="would come round again"):
        replace(found, _spare=lambda: None).strategy()


def read_back(plan: Strategy) -> dict[str, Any]:
    """Return a strategy as it is written."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "strategy.json"
        plan.save(file)
        said: dict[str, Any] = json.loads(file.read_text())
    return said


CYCLIC = [
    Kind(roles, turns, is_shared=is_shared)
    for roles in (("a",), ("a", "b"), ("a", "b", "c"))
    for turns in ("turns", "place")
    for is_shared in (True, False)
]


def asked(kind: Kind, seed: int) -> tuple[Exhaustive, State] | None:
    """Return a random game by the definition, and where it begins as machine code, if it is one."""
    written = Ruleset(id="game", paths=(), text=rules(kind, seed))
    try:
        plain = Exhaustive(gdl.load(written, backend="meaning"), most=400)
    except (TooManyError, UnfitError):
        return None
    if plain.at_once > 1:
        return None
    return plain, gdl.load(written, backend="native").initial()


@pytest.mark.later
@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", some(range(30), 7))
@pytest.mark.parametrize("kind", CYCLIC, ids=str)
def test_every_state_of_random_games_beside_the_definition(kind: Kind, seed: int) -> None:
    """All roles, all goals: what is forced, how soon, and what is held."""
    both = asked(kind, seed)
    if both is None:
        return
    plain, start = both
    result = table_or_arena(start)
    for role, name in enumerate(plain.roles):
        ends = {s: p.goals[role] for s, p in plain.positions.items() if p.goals is not None}
        for goal in sorted({*ends.values(), 1, 100}):
            good = {s for s, g in ends.items() if g >= goal}
            rank = plain.rounds(good, role, is_alone=True)
            lost = plain.rounds(set(ends) - good, role, is_alone=False)
            if not isinstance(result, Arena):
                for state, position in plain.positions.items():
                    worth = result.at(result.find(position.facts)).goals[name]
                    assert worth is not None
                    assert (worth >= goal) == (state in rank) == (state not in lost)
                continue
            answer = result.ask(role, goal)
            for state, position in plain.positions.items():
                row = result.row(position.facts)
                assert answer.plies[row] == rank.get(state, -1), (name, goal)
                assert answer.is_held[row] == (state not in lost), (name, goal)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(12), 6))
@pytest.mark.parametrize("kind", CYCLIC, ids=str)
def test_strategies_of_random_games_are_replayed_by_the_rules_as_written(
    kind: Kind, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.play.force._workspace", lambda _state: None)
    both = asked(kind, 500 + seed)
    if both is None:
        return
    plain, start = both
    reasoner = gdl.load(start.game.ruleset, backend="reason")
    first = plain.machine.initial()
    for role, name in enumerate(plain.roles):
        ends = {s: p.goals[role] for s, p in plain.positions.items() if p.goals is not None}
        for goal in sorted({*ends.values(), 100}):
            good = {s for s, g in ends.items() if g >= goal}
            rank = plain.rounds(good, role, is_alone=True)
            lost = plain.rounds(set(ends) - good, role, is_alone=False)
            forced = force(start, name, goal=goal)
            assert (forced.is_forced, forced.is_held) == (first in rank, first not in lost)
            if not forced.is_held:
                continue
            said = read_back(forced.strategy())
            assert (said["plies"] is None) <= (not forced.is_forced)
            assert check(reasoner, said) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_both_ways_agree_in_random_graphs_with_cycles(seed: int) -> None:
    """Proofs and all positions race; whoever is first says the same."""
    written = random_game(seed + 900, goals=(0, 30, 50, 70, 100), nodes=16)
    start = of(written.rules()).initial()
    for role, goal in product((0, 1), (0, 30, 50, 70, 100)):
        ends = [i for i, node in enumerate(written.nodes) if node.targets is None]
        wanted = {i for i in ends if written.nodes[i].goals[role] >= goal}
        found = force(start, written.roles[role], goal=goal, seconds=20)
        assert found.is_forced == (0 in forced(written, role, wanted)), (role, goal)


def test_goals_without_a_constant_sum_and_three_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    """b and c may send play round for ever; a has nothing to fear but c's last word."""
    text = GraphGame(
        ("a", "b", "c"),
        (
            Node(movers=(0,), targets={(0,): 1, (1,): 2}),
            Node(movers=(1,), targets={(0,): 0, (1,): 3}),
            Node(movers=(2,), targets={(0,): 3, (1,): 4}),
            Node(goals=(60, 90, 10)),
            Node(goals=(20, 20, 20)),
        ),
    ).rules()
    monkeypatch.setattr("gdl.play.force._workspace", lambda _state: None)
    start = of(text).initial()
    sixty, twenty = force(start, "a", goal=60), force(start, "a", goal=20)
    assert (sixty.is_forced, sixty.is_held, sixty.plies) == (False, True, None)
    assert (twenty.is_forced, twenty.is_held, twenty.plies) == (True, True, 2)
    assert twenty.strategy().plies == 2
    assert not force(start, "b", goal=90).is_held


LATER = """\
(role a) (role b)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(init (at begin)) (init (step 0))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (legal b soon) (true (at begin)))
(<= (legal b late) (true (at begin)))
(<= (legal b noop) (not (true (at begin))))
(<= (legal a take) (true (at later)))
(<= (legal a give) (true (at later)))
(<= (legal a noop) (not (true (at later))))
(<= (next (at half)) (does b soon))
(<= (next (at later)) (does b late))
(<= (next (at half)) (does a take))
(<= (next (at none)) (does a give))
(<= terminal (true (at half)))
(<= terminal (true (at none)))
(<= (goal a 50) (true (at half)))
(<= (goal b 50) (true (at half)))
(<= (goal a 0) (true (at none)))
(<= (goal b 100) (true (at none)))
"""
"""Half is the most that a can have, and b chooses when: tables say the shortest way to a draw."""


@pytest.mark.slow
def test_how_long_a_draw_may_be_put_off_is_not_taken_from_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = of(LATER).initial()
    assert solve_all(start.game).distance == 1
    monkeypatch.setattr("gdl.play.force._workspace", lambda _state: None)
    half = force(start, "a")
    assert (half.goal, half.is_forced, half.way, half.plies) == (50, True, "layers", None)
    assert half.strategy().plies == 2


@pytest.mark.slow
@pytest.mark.parametrize("text", [DICE, PENNIES])
def test_chance_and_moves_at_once_are_refused(text: str) -> None:
    game = of(text)
    with pytest.raises(UnsolvedError) as caught:
        force(game.initial(), game.roles[0])
    assert "what can be forced in game cannot be found" in str(caught.value)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "o.json"
    found = command("force", "tictactoe", "--draws", "o", "--strategy", str(file))
    assert found.code == 0
    assert "o can force 50" in found.out
    assert check(gdl.load("tictactoe", backend="reason"), json.loads(file.read_text())) > 10
    found = command("force", "tictactoe", "--wins", "x", "--json")
    assert found.code == 1
    assert json.loads(found.out)["forced"] is False
    found = command("force", "tictactoe")
    assert found.code == 2
    assert "whose goal?" in found.err


@pytest.mark.slow
def test_the_command_names_both_questions(tmp_path: Path) -> None:
    circle, file = tmp_path / "circle.kif", tmp_path / "a.json"
    circle.write_text(CIRCLE.rules())
    found = command("force", str(circle), "--wins", "a")
    assert found.code == 1
    assert found.out.splitlines()[0] == (
        "a cannot force 50: play may go on for ever. But it can see to it that play never ends "
        "with less (--endless)"
    )
    found = command("force", str(circle), "--wins", "a", "--endless", "--strategy", str(file))
    assert found.code == 0
    assert found.out.splitlines()[:2] == [
        "a can see to it that play never ends with less than 50; it may go on for ever",
        "Play may go on for ever.",
    ]
    said = json.loads(file.read_text())
    assert said["plies"] is None
    assert check(gdl.load(str(circle), backend="reason"), said) == 3
    found = command("force", str(circle), "--wins", "a", "--goal", "51", "--endless")
    assert found.code == 1
    assert "a cannot keep play from ending with less than 51" in found.out
    found = command("force", str(circle), "--wins", "a", "--endless", "--within", "3")
    assert found.code == 2
    assert "--within asks for an end" in found.err
