"""A game as WebAssembly plays like the definition and counts like the lanes, by itself."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.circuit.game import GameCircuit
from gdl.compile import build
from gdl.native.code import llvm as engine
from gdl.native.code.target import native_target
from gdl.native.lanes.playouts import Lanes, compile_lanes, deal, seeds
from gdl.native.wasm.link import LinkError, link, size_of_data
from gdl.native.wasm.module import wasm_module
from gdl.ruleset import find
from tests.native.circuits import speechless, stuck
from tests.rulesets import RULESETS
from tests.shared import ROOT, some

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node, which runs WebAssembly")
SESSION = ROOT / "tests" / "native" / "wasm_session.mjs"
LARGE = {"chess", "go"}


def circuit_of(name: str) -> GameCircuit:
    return build(find(name).description)


@cache
def module(name: str) -> bytes:
    return wasm_module(circuit_of(name))


def ask(code: bytes, place: Path, *questions: tuple[str, object]) -> list[Any]:
    (place / "game.wasm").write_bytes(code)
    asked = {"module": str(place / "game.wasm"), "questions": questions}
    assert NODE is not None
    ran = subprocess.run(
        [NODE, str(SESSION)], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    answers: list[Any] = json.loads(ran.stdout)
    return answers


def same_playouts(circuit: GameCircuit, place: Path, n: int) -> None:
    words = [[str(word) for word in row] for row in zip(*seeds(1, 0, len(deal(n))), strict=True)]
    (found,) = ask(wasm_module(circuit), place, ("playouts", {"n": n, "seeds": words}))
    expected = Lanes(compile_lanes(circuit, target=native_target(64))).playouts(n, seed=1)
    assert Counter(dict(found["lengths"])) == expected.lengths
    goals = Counter({tuple(json.loads(key)): count for key, count in found["goals"]})
    assert goals == expected.goals
    assert (found["stuck"], found["cut"]) == (expected.stuck, expected.cut)


@pytest.mark.later
@pytest.mark.sample(2)
@needs_node
@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "hex?size=4", "lightsout"])
def test_one_seed_gives_the_counts_of_the_lanes(name: str, tmp_path: Path) -> None:
    same_playouts(circuit_of(name), tmp_path, 3_000)


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", some([each.id for each in RULESETS if each.id.partition("/")[0] not in LARGE], 3)
)
def test_one_seed_gives_the_counts_of_the_lanes_in_every_ruleset(name: str, tmp_path: Path) -> None:
    same_playouts(circuit_of(name), tmp_path, 2_000)


@needs_node
@pytest.mark.parametrize("make", [stuck, speechless])
def test_what_ends_without_goals_is_counted_likewise(
    make: Callable[[], GameCircuit], tmp_path: Path
) -> None:
    same_playouts(make(), tmp_path, 500)


def random_play(game: gdl.Game, chance: random.Random) -> list[dict[str, str]]:
    state = game.initial()
    play: list[dict[str, str]] = []
    while not state.is_terminal and len(play) < 40:
        joint = {str(role): str(chance.choice(state.legal(role))) for role in game.roles}
        play.append(joint)
        state = state.play(joint)
    return play


@needs_node
@pytest.mark.parametrize(
    "name",
    [
        "tictactoe",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("goofspiel", "pentago/phased", "connectfour", "breakthrough", "kalah")
        ),
    ],
)
def test_one_game_by_hand_is_what_the_definition_says(name: str, tmp_path: Path) -> None:
    game = gdl.load(name, backend="meaning")
    plays = [random_play(game, random.Random(seed)) for seed in range(2)]
    answers = ask(module(name), tmp_path, *(("seen", play) for play in plays))
    circuit = circuit_of(name)
    told = {str(fact) for fact in circuit.facts}
    for play, found in zip(plays, answers, strict=True):
        state = game.initial()
        for joint, seen in zip([*play, None], found, strict=True):
            assert seen["over"] == state.is_terminal
            assert set(seen["facts"]) == {str(fact) for fact in state.facts} & told
            if state.is_terminal:
                assert seen["goals"] == [state.goal(role) for role in game.roles]
            else:
                legal = [sorted(map(str, state.legal(role))) for role in game.roles]
                assert [sorted(moves) for moves in seen["legal"]] == legal
            if joint is not None:
                state = state.play(joint)


def mean(state: gdl.State) -> float:
    """Return what the first role gets on average when all play at random."""
    game = state.game
    if state.is_terminal:
        goal = state.goal(game.roles[0])
        assert goal is not None
        return float(goal)
    first, second = game.roles
    following = [
        mean(state.play({first: one, second: other}))
        for one in state.legal(first)
        for other in state.legal(second)
    ]
    return sum(following) / len(following)


@needs_node
def test_random_games_from_a_state_of_either_phase_are_worth_their_mean(tmp_path: Path) -> None:
    game = gdl.load("tictactoe")
    plays = [
        random_play(game, random.Random(seed))[:plies] for seed in range(3) for plies in (4, 5)
    ]
    states = [game.initial() for _ in plays]
    for i, play in enumerate(plays):
        for joint in play:
            states[i] = states[i].play(joint)
    open_ones = [i for i, state in enumerate(states) if not state.is_terminal]
    assert {len(plays[i]) for i in open_ones} == {4, 5}
    questions = [("rollouts", {"play": plays[i], "times": 80}) for i in open_ones]
    answers = ask(module("tictactoe"), tmp_path, *questions)
    for found, state in zip(answers, (states[i] for i in open_ones), strict=True):
        assert found["games"] == 80 * 128
        assert found["means"][0] == pytest.approx(mean(state), abs=50 * 5 / (80 * 128) ** 0.5)


@pytest.mark.slow
@needs_node
def test_the_search_takes_a_win_and_stops_one(tmp_path: Path) -> None:
    def turns(*cells: str) -> list[dict[str, str]]:
        marks = [f"(mark {cell[0]} {cell[1]})" for cell in cells]
        return [
            {"x": mark, "o": "noop"} if i % 2 == 0 else {"x": "noop", "o": mark}
            for i, mark in enumerate(marks)
        ]

    win, danger = turns("a1", "b1", "a2", "b2"), turns("a1", "c3", "a2")
    found = ask(
        module("tictactoe"),
        tmp_path,
        ("search", {"play": win, "milliseconds": 200}),
        ("search", {"play": danger, "milliseconds": 200}),
        ("seen", turns("a1", "a1")),
    )
    assert found[0]["best"][0][0]["move"] == "(mark a 3)"
    assert found[1]["best"][1][0]["move"] == "(mark a 3)"
    assert found[2] == {"refused": "(mark a 1) is no legal move of o"}


@pytest.mark.slow
@needs_node
def test_who_chooses_at_the_same_time_is_searched_and_who_sees_less_is_refused(
    tmp_path: Path,
) -> None:
    search = ("search", {"play": [], "milliseconds": 100})
    (found,) = ask(module("rockpaperscissors"), tmp_path, search)
    assert [len(moves) for moves in found["best"]] == [3, 3]
    (refused,) = ask(module("kuhnpoker"), tmp_path, search)
    assert refused == {
        "refused": "a player of this game does not see everything, and this search would"
    }


@needs_node
def test_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        ask(b"\0asm\1\0\0\0", tmp_path)
    assert "no module that gdl convert --to wasm of this release wrote" in refused.value.stderr


def test_an_object_that_needs_something_from_outside_is_refused() -> None:
    text = "declare void @else()\ndefine void @run(ptr %m) {\n call void @else()\n ret void\n}\n"
    code = engine.assemble(text, cpu=engine.webassembly())
    with pytest.raises(LinkError, match="else comes from outside"):
        link(code, ["run"], 0, {})
    with pytest.raises(LinkError, match="no object code for WebAssembly"):
        link(b"\x7fELF", ["run"], 0, {})


def test_a_function_that_is_not_there_cannot_be_exported() -> None:
    code = engine.assemble("define void @run() {\n ret void\n}\n", cpu=engine.webassembly())
    with pytest.raises(LinkError, match="no function ply"):
        link(code, ["run", "ply"], 0, {})


@needs_node
def test_data_lie_where_the_code_looks_for_them(tmp_path: Path) -> None:
    numbers = ", ".join(f"i32 {number * number}" for number in range(300))
    text = f"""
@first = internal constant [3 x i8] c"abc", align 1
@squares = internal constant [300 x i32] [{numbers}], align 16
define i32 @at(i32 %i) {{
  %place = getelementptr [300 x i32], ptr @squares, i32 0, i32 %i
  %square = load i32, ptr %place
  %letter = load i8, ptr @first
  %wide = zext i8 %letter to i32
  %sum = add i32 %square, %wide
  ret i32 %sum
}}
"""
    code = engine.assemble(text, cpu=engine.webassembly())
    assert size_of_data(code) >= 1203
    (tmp_path / "data.wasm").write_bytes(link(code, ["at"], 1 << 17, {}))
    script = (
        "const {readFileSync} = require('fs');"
        f"WebAssembly.instantiate(readFileSync({json.dumps(str(tmp_path / 'data.wasm'))}))"
        ".then(({instance}) => console.log([0, 7, 299].map(instance.exports.at).join()))"
    )
    assert NODE is not None
    ran = subprocess.run([NODE, "-e", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "97,146,89498\n"


@needs_node
@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize(("name", "n"), [("tictactoe", 2_000_000), ("pentago/strict", 200_000)])
def test_a_quarter_of_the_rate_of_64_lanes_at_least(name: str, n: int, tmp_path: Path) -> None:
    lanes = Lanes(compile_lanes(circuit_of(name), target=native_target(64)))
    lanes.playouts(n)
    begin = time.process_time()
    lanes.playouts(n)
    native = n / (time.process_time() - begin)
    (rate,) = ask(module(name), tmp_path, ("rate", {"n": n}))
    assert rate > native / 4
