"""How many moves of a player of Connect Four keep the value, by a solver of somebody else.

    python tests/benchmarks/kept.py positions 1000 > positions.jsonl
    python tests/benchmarks/kept.py moves positions.jsonl mcts:value=mine.gdlnet --seconds 0.1

The first needs the package `connect-four-ai` (`connect-four-ai-linux` on Linux, Python 3.13) and
nothing of this project: so many positions after random moves, and as many in which three moves of
four neither lose at once nor leave a win, the middle preferred; lengths are drawn from 0 to 39, and
beginnings that end before are left out. The second needs the extra ``play``; a move has so many
seconds of processor time.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

COLUMNS: Final = 7
LONGEST: Final = 40
RANDOM: Final = 0.25
"""Share of random moves in play."""
PHASE: Final = 6
"""Plies that are told together."""
KINDS: Final = ("random", "play")


def drawn(package: Any, kind: str, rng: random.Random) -> str | None:  # noqa: ANN401  # no types
    """Return the columns of a beginning, None where it ends the game."""
    moves = ""
    for _ in range(rng.randrange(LONGEST)):
        at = package.Position.from_moves(moves) if moves else package.Position()
        columns = [i for i in range(COLUMNS) if at.is_playable(i)]
        if kind == "random" or rng.random() < RANDOM:
            column = rng.choice(columns)
        else:
            safe = at.possible_non_losing_moves()
            good = [i for i in columns if safe & package.Position.column_mask(i)] or columns
            column = rng.choices(good, [COLUMNS // 2 + 1 - abs(COLUMNS // 2 - i) for i in good])[0]
        if at.is_winning_move(column):
            return None
        moves += str(column + 1)
    return moves


def write_positions(count: int) -> None:
    """Print so many positions of each kind, with the score of each move."""
    import connect_four_ai as package  # type: ignore[import-not-found]  # of Python 3.13

    solver, rng = package.Solver(), random.Random(7)
    for kind in KINDS:
        seen: set[int] = set()
        while len(seen) < count:
            moves = drawn(package, kind, rng)
            if moves is None:
                continue
            at = package.Position.from_moves(moves) if moves else package.Position()
            scores = solver.get_all_move_scores(at)
            if at.get_key() in seen or sum(score is not None for score in scores) < 2:
                continue
            seen.add(at.get_key())
            print(json.dumps({"kind": kind, "moves": moves, "scores": scores}), flush=True)  # noqa: T201


def tell_moves(path: Path, player: str, seconds: float) -> None:
    """Print how many moves keep the value, of all and of those where some move loses it."""
    import gdl
    from gdl.play import Budget, make, prepare
    from tests.benchmarks.processor_budget import ProcessorBudget

    game = gdl.load("connectfour", backend="native")
    players = [make(player, role=game.role(role)) for role in game.roles]
    for each in players:
        prepare(each, game, Budget())
    counts: Counter[tuple[str, str]] = Counter()
    for line in path.read_text().splitlines():
        given = json.loads(line)
        state = game.initial()
        for column in given["moves"]:
            state = state.play({game.roles[state.ply % 2]: f"(drop {column})"})
        chosen = players[state.ply % 2](game, state, ProcessorBudget(seconds))
        values = [None if s is None else (s > 0) - (s < 0) for s in given["scores"]]
        best = max(value for value in values if value is not None)
        is_kept = values[int(str(chosen).strip("()").split()[-1]) - 1] == best
        phase = state.ply // PHASE * PHASE
        for name in ("all", given["kind"], f"{given['kind']} from ply {phase:2}"):
            counts[name, "n"] += 1
            counts[name, "kept"] += is_kept
            if any(value not in {None, best} for value in values):
                counts[name, "risky"] += 1
                counts[name, "kept of risky"] += is_kept
    for name in sorted({name for name, _ in counts}):
        n, kept, risky, held = (
            counts[name, what] for what in ("n", "kept", "risky", "kept of risky")
        )
        print(f"{name:20} {kept} of {n} ({kept / n:.2%}), {held} of {risky} where one may lose it")  # noqa: T201
    print(f"{time.process_time():.0f} s of processor")  # noqa: T201


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("positions").add_argument("count", type=int)
    moves = commands.add_parser("moves")
    moves.add_argument("path", type=Path)
    moves.add_argument("player")
    moves.add_argument("--seconds", type=float, default=0.1)
    wanted = parser.parse_args()
    if wanted.command == "positions":
        write_positions(wanted.count)
    else:
        tell_moves(wanted.path, wanted.player, wanted.seconds)


if __name__ == "__main__":
    main()
