"""Deep networks: learned the same from a seed however often it is stopped, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.learn.deep.programs import DICE, HEAD, WARNINGS, told
from tests.shared import needs

pytestmark = needs("learn")

PARTS = """
def trained(game, path, *turns, seed=0):
    for number in turns:
        training = DeepTraining(game, path, seed=seed, simulations=4)
        while training.progress.turns < number:
            training._go_on(0, None)
        training.keep()
    return path.read_bytes(), training.progress

said = []
for number, name in enumerate(sys.argv[2:]):
    folder, game = Path(sys.argv[1]) / str(number), load(name)
    folder.mkdir()
    whole, progress = trained(game, folder / "whole", 40)
    parts, again = trained(game, folder / "parts", 1, 17, 40)
    other, _ = trained(game, folder / "other", 3, seed=1)
    assert progress.turns == again.turns and progress.policy_loss == again.policy_loss
    said.append([whole == parts, whole == other, progress.games, progress.positions])
print(json.dumps(said))
"""


@pytest.mark.parametrize(
    "names",
    [
        ("tictactoe",),
        pytest.param(
            ("dice", "lightsout", "rockpaperscissors", "threeplayertictactoe"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_resumed_training_equals_an_uninterrupted_one(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "dice.kif").write_text(DICE)
    games = [tmp_path / "dice.kif" if name == "dice" else name for name in names]
    for is_same, is_other, played, positions in told(PARTS, tmp_path, *games):
        assert is_same
        assert not is_other
        assert played > 0
        assert positions > 0


BROKEN_OFF = """
import numpy as np
game, path = load("tictactoe"), Path(sys.argv[1])
training = DeepTraining(game, path, simulations=4)
training.run(games=100)
before = training.progress
step, self = training._learner.step, training
def broken(*given):
    step(*given)
    raise KeyboardInterrupt
training._learner.step = broken
for _ in range(2):
    try:
        training.run(games=1000)
    except KeyboardInterrupt:
        training.keep()
assert training.progress.turns == before.turns
training._learner.step = step
training.run(games=200)
whole = DeepTraining(game, path.with_name("whole"), simulations=4)
whole.run(games=200)
print(json.dumps(path.read_bytes() == (path.with_name("whole")).read_bytes()))
"""


@pytest.mark.slow
def test_a_turn_that_is_broken_off_is_as_if_it_had_not_begun(tmp_path: Path) -> None:
    assert told(BROKEN_OFF, tmp_path / "net")


KILLED = """
from gdl.learn import resumable
resumable.KEEP_SECONDS = 0.0
training = DeepTraining(load("tictactoe"), Path(sys.argv[1]), simulations=4)
say = lambda p: print(p.turns, flush=True)
say(training.progress)
training.run(seconds=1e9, on_progress=say)
"""


@pytest.mark.slow
def test_a_training_that_is_killed_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    path, rng = tmp_path / "net", np.random.default_rng(0)
    kept = 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, *WARNINGS, "-c", HEAD + KILLED, str(path)],
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(int(rng.integers(2, 30)))]
            os.kill(process.pid, signal.SIGKILL)
            lines += process.stdout.readlines()
        turns = [int(line) for line in lines if line.endswith("\n")]
        assert turns[0] >= kept
        kept = turns[-2] if len(turns) > 1 else turns[0]
    code = """
path = Path(sys.argv[1])
resumed = DeepTraining(load("tictactoe"), path, simulations=4)
games = resumed.progress.games + 20
turns = resumed.progress.turns
resumed.run(games=games)
DeepTraining(load("tictactoe"), path.with_name("whole"), simulations=4).run(games=games)
print(json.dumps([turns, path.read_bytes() == path.with_name("whole").read_bytes()]))
"""
    turns, is_same = told(code, path)
    assert turns >= kept > 10
    assert is_same


REFUSED = """
folder = Path(sys.argv[1])
said = {}
for name in ("darkhex?size=3", "kuhnpoker"):
    try:
        game = load(name)
    except gdl.GdlError as error:
        game = gdl.load(name)
    said[name] = refusal(lambda: DeepTraining(game, folder / "net"))
said["reason"] = refusal(
    lambda: DeepTraining(gdl.load("tictactoe", backend="reason"), folder / "net")
)
game = load("tictactoe")
said["folder"] = refusal(lambda: DeepTraining(game, folder))
DeepTraining(game, folder / "net", simulations=2).run(games=1)
said["seed"] = refusal(lambda: DeepTraining(game, folder / "net", seed=4, simulations=2))
said["simulations"] = refusal(lambda: DeepTraining(game, folder / "net", simulations=3))
from gdl.learn.training import Training
said["tuples"] = refusal(lambda: Training(game, folder / "net"))
same = gdl.load(Path(sys.argv[2]), backend="native")
said["goals"] = refusal(lambda: DeepTraining(same, folder / "other"))
print(json.dumps(said))
"""

SAME = """
(role x) (base a) (init a) (input x go) (legal x go) (<= (next b) (does x go)) (base b)
(<= terminal (true b)) (goal x 50)
"""


@pytest.mark.slow
def test_what_cannot_be_learned_is_refused(tmp_path: Path) -> None:
    (tmp_path / "same.kif").write_text(SAME)
    said = told(REFUSED, tmp_path, tmp_path / "same.kif")
    expected = (
        "\n  expected: a game in which all is seen, that runs as machine code, "
        "with goals that differ"
    )
    net = tmp_path / "net"
    assert said == {
        "darkhex?size=3": f"darkhex?size=3 cannot be learned: it hides facts{expected}",
        "kuhnpoker": f"kuhnpoker cannot be learned: it hides facts{expected}",
        "reason": f"tictactoe cannot be learned: it does not run as machine code{expected}",
        "folder": f"{tmp_path} cannot be written: it is a folder",
        "seed": (
            f"{net}.training was begun with the seed 0, not 4\n"
            "  help: go on with --seed 0, or write to another file"
        ),
        "simulations": (
            f"{net}.training was begun with 2 simulations a move, not 3\n"
            "  help: go on with --simulations 2, or write to another file"
        ),
        "tuples": (
            f"{net}.training is of one with --deep, not of a training without --deep\n"
            "  help: write to another file, or remove it to begin anew"
        ),
        "goals": (
            f"{tmp_path / 'same.kif'} cannot be learned: each role has the same goal in every end"
            f"{expected}"
        ),
    }


DAMAGED = """
import numpy as np
folder = Path(sys.argv[1])
game, path = load("tictactoe"), folder / "net"
DeepTraining(game, path, simulations=2).run(games=300)
kept = path.with_name("net.training")
sound = dict(np.load(kept))

def edit(arrays, **changes):
    head = json.loads(bytes(arrays["head"])) | changes
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)

def shape(arrays, **changes):
    head = json.loads(bytes(arrays["head"]))
    edit(arrays, shape=head["shape"] | changes)

DAMAGE = {
    "no weights": lambda a: a.pop("memory_in"),
    "text for weights": lambda a: a.update(memory_in=a["memory_in"].astype("U5")),
    "weights that are no numbers": lambda a: a["memory_in"].fill(np.nan),
    "weights of another size": lambda a: a.update(memory_in=a["memory_in"][:-1]),
    "games that stand nowhere": lambda a: a["standing"].fill(255),
    "plies before the first": lambda a: a["plies"].fill(-1),
    "rows of no game": lambda a: a["games"].fill(1000),
    "a mover that is none": lambda a: a["window_movers"].fill(7),
    "a move that is none": lambda a: a["window_moves"].fill(-3),
    "values beyond all": lambda a: a["window_values"].fill(2),
    "unknown values": lambda a: a["window_values"].fill(np.nan),
    "rows of different lengths": lambda a: a.update(window_movers=a["window_movers"][1:]),
    "a board that is none": lambda a: a["layout_sources"].fill(10_000),
    "no symmetry": lambda a: a["layout_fact_images"].fill(0),
    "a larger board": lambda a: shape(a, rows=4),
    "a layer of text": lambda a: shape(a, channels="32"),
    "layers without end": lambda a: shape(a, blocks=10**12),
    "other names": lambda a: edit(a, names="x"),
    "turns of text": lambda a: edit(a, turns="3"),
    "seconds that are none": lambda a: edit(a, seconds=float("nan")),
    "another version": lambda a: edit(a, format="gdl-deep-training-999"),
}
said = {}
for name, damage in DAMAGE.items():
    arrays = {key: array.copy() for key, array in sound.items()}
    damage(arrays)
    with kept.open("wb") as file:
        np.savez(file, **arrays)
    said[name] = refusal(lambda: DeepTraining(game, path, simulations=2))
whole = kept.read_bytes()
kept.write_bytes(whole[: len(whole) // 2])
said["half of it"] = refusal(lambda: DeepTraining(game, path, simulations=2))
print(json.dumps(said))
"""


@pytest.mark.slow
def test_a_checkpoint_with_something_wrong_in_it_is_refused(tmp_path: Path) -> None:
    said = told(DAMAGED, tmp_path)
    assert len(said) > 20
    for name, words in said.items():
        assert words == (
            f"{tmp_path / 'net.training'} is no checkpoint of this version\n"
            "  help: remove it to begin anew"
        ), name


def test_without_jax_it_is_said_what_to_install(tmp_path: Path) -> None:
    code = """
import importlib.util
find = importlib.util.find_spec
import gdl.language.packages as packages
packages.find_spec = lambda name: None if name in {"jax", "optax"} else find(name)
print(json.dumps(refusal(lambda: DeepTraining(load("tictactoe"), Path(sys.argv[1])))))
"""
    assert told(code, tmp_path / "net") == (
        "learning by a deep network needs jax and optax\n  help: pip install 'gdl-framework[learn]'"
    )


def test_nothing_else_imports_jax() -> None:
    code = """
import gdl.learn.training, gdl.learn.search, gdl.play.deep.player, gdl.cli.main
from gdl.play import kinds
kinds()
print(json.dumps([name for name in ("jax", "optax") if name in sys.modules]))
"""
    assert told(code) == []


@pytest.mark.slow
def test_a_game_that_comes_to_a_state_without_moves_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "stuck.kif").write_text("""
(role x) (base begun) (base stuck) (base won) (base lost) (init begun)
(input x a) (input x b) (input x c)
(<= (legal x a) (true begun)) (<= (legal x b) (true begun)) (<= (legal x c) (true begun))
(<= (next stuck) (does x a)) (<= (next won) (does x b)) (<= (next lost) (does x c))
(<= terminal (true won)) (<= terminal (true lost))
(<= (goal x 100) (true won)) (<= (goal x 0) (true lost))
""")
    code = """
game = gdl.load(Path(sys.argv[1]), backend="native")
print(json.dumps(refusal(lambda: DeepTraining(game, Path(sys.argv[2])).run(games=5))))
"""
    stuck = tmp_path / "stuck.kif"
    said = told(code, stuck, tmp_path / "net")
    assert said == (
        f"{stuck} cannot be learned: "
        "a search by batches came to a position in which a role has no move\n"
        "  expected: a game in which every role has a move until it is over"
    )


LEARNS = """
import time
import numpy as np
from gdl.play.deep.eyes import Eyes

game, values = load("tictactoe"), {}
def value(state):
    "Return the goal of x under best play."
    if state.inner not in values:
        if state.is_terminal:
            values[state.inner] = state.goal("x")
        else:
            best = max if str(state.movers[0]) == "x" else min
            values[state.inner] = best(value(state.apply(move)) for move in state.legal_ids())
    return values[state.inner]

rng, states = np.random.default_rng(1), []
while len(states) < 200:
    state = game.initial()
    for _ in range(int(rng.integers(0, 9))):
        ids = state.legal_ids()
        after = state.apply(ids[int(rng.integers(len(ids)))])
        if after.is_terminal:
            break
        state = after
    if len({value(state.apply(move)) for move in state.legal_ids()}) > 1:
        states.append(state)

def kept(network):
    "Return how many moves that the network likes best keep the value, without any search."
    eyes, count = Eyes(network, game), 0
    for state in states:
        role = game.roles.index(str(state.movers[0]))
        held = eyes.held(state.machine, state.inner)[None]
        scores = network.judge(held, np.array([role]))[0][0]
        moves = state.legal(game.roles[role])
        best = state.legal_ids()[int(scores[eyes.numbers(moves)].argmax())]
        count += value(state.apply(best)) == value(state)
    return count

training = DeepTraining(game, Path(sys.argv[1]))
before = kept(training.network)
training.run(games=1700)
print(json.dumps([before, kept(training.network)]))
"""


@pytest.mark.slow
def test_it_learns_which_moves_keep_the_value(tmp_path: Path) -> None:
    before, after = told(LEARNS, tmp_path / "net")
    assert before < 120
    assert after > 160


@pytest.mark.slow
def test_the_command_learns_goes_on_and_plays(tmp_path: Path) -> None:
    net = tmp_path / "a,b.gdlnet"
    words = [sys.executable, *WARNINGS, "-m", "gdl", "train", "tictactoe", "--deep", "-o", str(net)]
    for games in ("60", "200"):
        ran = subprocess.run(
            [*words, "--games", games, "--simulations", "4", "--test", "2", "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["games"] >= 200
    assert said["policy_loss"] >= 0
    tests = {test["against"] for test in said["tests"]}
    assert tests <= {"mcts:memory=64", "the best before"}
    ran = subprocess.run([*words, "--games", "200"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == (
        f"error: {net}.training was begun with 4 simulations a move, not 16\n"
        "  help: go on with --simulations 4, or write to another file\n"
    )


@pytest.mark.slow
def test_ctrl_c_keeps_all_whole_turns(tmp_path: Path) -> None:
    net = tmp_path / "net.gdlnet"
    words = [sys.executable, "-m", "gdl", "train", "tictactoe", "--deep", "-o", str(net)]
    with subprocess.Popen(
        [*words, "--seconds", "600"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("A network of 5 layers of 32 channels")
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
    assert process.returncode == 130
    assert "Interrupted. The same command goes on where it stopped." in error
    code = """
print(json.dumps(DeepTraining(load("tictactoe"), Path(sys.argv[1])).progress.games))
"""
    assert told(code, net) > 0
