"""Our search against open_spiel's at equal time: ``python tests/benchmarks/strength.py``.

Six games: Pentago by the utwente rule, freestyle Gomoku, Connect Four, breakthrough, Othello, Hex
9x9. Games come in pairs that begin with the same few random plies, colours swapped; each game has
one process and each player one thread of it. The seconds that both took are printed. Needs the
extras ``play`` and ``oracle``.

    python tests/benchmarks/strength.py --games 200 --seconds 1 --jobs 16

Time is the processor's, so that a busy machine is fair to both; ``--clock wall`` is the time on the
wall. open_spiel's player has no clock of that kind: it gets as many simulations as it made in so
many seconds of processor time at its move before.

With ``-o FILE`` each game becomes a line of JSON, and a run that is stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.library.spiel_walk import Twin

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

GAMES = ("pentago", "gomoku", "connectfour", "breakthrough", "othello", "hex")
FIRST_SIMULATIONS = 200
"""With these open_spiel's speed is measured before its first move."""
WALL, PROCESSOR = "wall", "processor"
MOST_SIMULATIONS = 1_000_000_000
MEGABYTES = 1_000
SOLVE, VERBOSE = True, False


@dataclass(frozen=True, slots=True)
class Bout:
    """One game to be played.

    Attributes:
        game: Name in `GAMES`.
        number: Games of one pair have numbers 2n and 2n + 1.
        seconds: For each move.
        opening: Random plies at the start.
        player: Ours, with options.
        uct_c: Exploration of theirs.
        clock: What their time is measured by, `WALL` or `PROCESSOR`.
    """

    game: str
    number: int
    seconds: float
    opening: int
    player: str
    uct_c: float
    clock: str

    @property
    def seconds_now(self) -> Callable[[], float]:
        return time.process_time if self.clock == PROCESSOR else time.perf_counter


@dataclass(slots=True)
class Side:
    """What one side did in a game."""

    moves: int = 0
    seconds: float = 0.0
    simulations: int = 0
    playouts: int = 0
    slowest: float = 0.0

    def add(self, seconds: float, simulations: int, playouts: int) -> None:
        self.moves += 1
        self.seconds += seconds
        self.simulations += simulations
        self.playouts += playouts
        self.slowest = max(self.slowest, seconds)


@dataclass(slots=True)
class Result:
    """How a game went: our points, from 0 to 1, and what each side did."""

    bout: Bout
    points: float
    plies: int
    ours: Side = field(default_factory=Side)
    theirs: Side = field(default_factory=Side)

    @classmethod
    def read(cls, line: str) -> Result:
        """Return what `asdict` made a line of JSON of."""
        told = json.loads(line)
        told["bout"] = Bout(**told["bout"])
        told["ours"], told["theirs"] = Side(**told["ours"]), Side(**told["theirs"])
        return cls(**told)


class Spiel:
    """open_spiel's player, held to seconds by its own clock or by simulations."""

    def __init__(self, state: Any, bout: Bout) -> None:  # noqa: ANN401 (open_spiel has no types)
        import pyspiel

        self._pyspiel: Any = pyspiel
        self._bout, self._seed = bout, 1 + 7919 * bout.number
        self._rate = 0.0
        self.state = state

    def choose(self) -> tuple[int, int]:
        """Return an action and how many simulations were made for it."""
        seconds = self._bout.seconds
        if self._bout.clock == WALL:
            return self._search(MOST_SIMULATIONS, seconds)
        if not self._rate:
            self._search(FIRST_SIMULATIONS)
        return self._search(max(1, round(self._rate * seconds)))

    def _search(self, simulations: int, seconds: float | None = None) -> tuple[int, int]:
        self._seed += 1
        bot = self._pyspiel.MCTSBot(
            self.state.get_game(),
            self._pyspiel.RandomRolloutEvaluator(1, self._seed),
            self._bout.uct_c,
            simulations,
            MEGABYTES,
            SOLVE,
            self._seed,
            VERBOSE,
            **({} if seconds is None else {"max_wall_clock_time": seconds}),
        )
        began = time.process_time()
        root = bot.mcts_search(self.state)
        if (
            root.explore_count > FIRST_SIMULATIONS / 2
        ):  # a search that was soon solved tells nothing
            self._rate = root.explore_count / max(time.process_time() - began, 1e-4)
        return root.best_child().action, root.explore_count


def twin(name: str) -> Twin:
    """Return the game of both sides, and which move is which action."""
    from tests.conformance import open_spiel
    from tests.library import moving_twins, placement_twins
    from tests.library.placement_twins import board, cell

    if name in ("pentago", "gomoku"):
        reference = open_spiel.pentago() if name == "pentago" else open_spiel.gomoku()
        ruleset = "pentago/utwente" if name == "pentago" else "gomoku/freestyle"

        def action(_theirs: object, _role: str, move: str) -> int:
            return reference.parse(move)

        return board(ruleset, name, "black-white", action)
    return {
        "connectfour": placement_twins.CONNECT,
        "breakthrough": moving_twins.BREAKTHROUGH,
        "othello": moving_twins.OTHELLO,
        "hex": board("hex?size=9", "hex(board_size=9)", "red-blue", cell(9)),
    }[name]


def play(bout: Bout) -> Result:
    """Play one game."""
    import pyspiel

    import gdl
    from gdl.play import Budget, choose, make, prepare
    from gdl.play.player import thoughts_of
    from tests.benchmarks.processor_budget import ProcessorBudget

    kind = ProcessorBudget if bout.clock == PROCESSOR else Budget
    pair = twin(bout.game)
    game = gdl.load(pair.ruleset)
    mine = game.roles[list(map(str, game.roles)).index(pair.seats[bout.number % 2])]
    player = make(bout.player, role=game.role(mine), seed=bout.number)
    prepare(player, game, Budget(300))
    foe = Spiel(pyspiel.load_game(pair.spiel).new_initial_state(), bout)
    state = game.initial()
    chance = random.Random(bout.number // 2)
    result, now = Result(bout, 0.0, 0), bout.seconds_now
    while not state.is_terminal:
        mover = state.movers[0]
        legal = state.legal(mover)
        began = now()
        if state.ply < bout.opening:
            move = chance.choice(legal)
        elif mover == mine:
            move = choose(player, state, kind(bout.seconds), role=mine)
            if len(legal) > 1:
                found = thoughts_of(player)
                counted = (found.simulations, found.playouts) if found else (0, 0)
                result.ours.add(now() - began, *counted)
        else:
            action, simulations = foe.choose()
            if len(legal) > 1:
                result.theirs.add(now() - began, simulations, simulations)
            move = next(
                m for m in legal if pair.action(foe.state, str(mover), state.notation(m)) == action
            )
        foe.state.apply_action(pair.action(foe.state, str(mover), state.notation(move)))
        state = state.play({mover: move})
    assert foe.state.is_terminal()
    result.points = state.goal(mine) / 100
    result.plies = state.ply
    return result


def played(bouts: list[Bout], jobs: int) -> Iterator[Result]:
    """Play the games, so many at a time; results come as they are ready."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play, bout) for bout in bouts]):
            yield future.result()


def interval(points: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    if not games:
        return 0.0, 1.0
    z, share = 1.96, points / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    half /= 1 + z * z / games
    return middle - half, middle + half


def report(name: str, results: list[Result]) -> None:
    points = sum(result.points for result in results)
    low, high = interval(points, len(results))
    kinds = [sum(result.points == each for result in results) for each in (1.0, 0.5, 0.0)]
    say(
        f"{name}: {points:g} of {len(results)} points = {points / len(results):.1%} "
        f"({low:.1%} to {high:.1%}); won {kinds[0]}, drawn {kinds[1]}, lost {kinds[2]}"
    )
    for side, title in (("ours", "ours"), ("theirs", "open_spiel")):
        every = [getattr(result, side) for result in results]
        seconds = sum(each.seconds for each in every) or 1.0
        moves = sum(each.moves for each in every) or 1
        say(
            f"  {title:10} {sum(e.simulations for e in every) / seconds:12,.0f} simulations/s "
            f"{sum(e.playouts for e in every) / seconds:14,.0f} playouts/s "
            f"{seconds / moves:7.3f} s a move, slowest {max(e.slowest for e in every):.3f} s"
        )


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", nargs="*", default=GAMES, help=" or ".join(GAMES))
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--opening", type=int, default=2, help="random plies at the start")
    parser.add_argument("--player", default="mcts")
    parser.add_argument("--uct-c", type=float, default=2.0, help="exploration of open_spiel's")
    parser.add_argument("--clock", choices=(PROCESSOR, WALL), default=PROCESSOR)
    parser.add_argument("-o", "--output", type=Path, help="file of games, to go on with")
    wanted = parser.parse_args()
    known: dict[Bout, Result] = {}
    if wanted.output and wanted.output.exists():
        told = map(Result.read, wanted.output.read_text().splitlines())
        known = {result.bout: result for result in told}
    for name in wanted.what:
        bouts = [
            Bout(name, i, wanted.seconds, wanted.opening, wanted.player, wanted.uct_c, wanted.clock)
            for i in range(wanted.games)
        ]
        results = [known[bout] for bout in bouts if bout in known]
        for result in played([bout for bout in bouts if bout not in known], wanted.jobs):
            results.append(result)
            if wanted.output:
                with wanted.output.open("a") as output:
                    output.write(json.dumps(asdict(result)) + "\n")
            say(
                f"{name} game {result.bout.number}: {result.points:g} in {result.plies} plies; "
                f"{sum(each.points for each in results):g} of {len(results)}"
            )
        report(name, results)


if __name__ == "__main__":
    main()
