"""How often players find a win that is there: ``python tests/benchmarks/wins.py``.

Positions of Pentago with so many empty squares are drawn from a seed: by random play, or with
``--played`` by play in which `mcts` chooses three moves of four in so many seconds.
Each is solved; of those that the mover wins, each player is asked for a move, and the position
after it is solved too: the win was found if the mover still wins. Positions that are not solved
within ``--patience`` seconds are counted and left out, and so are those where a move leads to one.
Every position counts once, easy ones as well; of the hard ones, in which no win within three plies
exists, the number is printed beside, and ``--hard`` asks in these alone. All players are asked in
the same positions, so the second and later ones are compared with the first in those where only one
of the two kept the win.

    python tests/benchmarks/wins.py --positions 100 --empty 12 --seconds 1
    python tests/benchmarks/wins.py --hard --player mcts --player mcts:value=strict.gdlnet

Seconds of a move are those of the clock, or with ``--processor`` of the processor.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.language.syntax import Term
    from gdl.play import Player
    from gdl.play.workspace import Workspace
    from gdl.state import State

SQUARES: Final = 36
WON: Final = 100
SHORT: Final = 3
BY_CHANCE: Final = 0.25
"""Share of moves that are drawn where play is skilled."""
EXPANSIONS: Final = 1_000
IDLE: Final = 0.005
"""Seconds of the processor in a twentieth of a second in which nothing works."""


def drawn(
    game: Game, chance: random.Random, empty: int, skilled: Callable[[State], Term] | None
) -> State:
    """Return a state that is not over, after random play, or play in which skill chooses mostly."""
    while True:
        state = game.initial()
        while state.ply < SQUARES - empty and not state.is_terminal:
            if skilled is None or chance.random() < BY_CHANCE:
                state = state.play(chance.choice(state.legal()))
            else:
                state = state.play(skilled(state))
        if not state.is_terminal:
            return state


def value(state: State, role: str, patience: float) -> int | None:
    """Return the value of a state to a role, None where it is not found in time."""
    from gdl.play import Budget, UnsolvedError, solve

    try:
        return solve(state, role=role, budget=Budget(patience)).value
    except UnsolvedError:
        return None


def is_short(truth: Workspace, state: State, role: str) -> bool:
    """Return whether a role can force a win within three plies."""
    from gdl.play import dfpn

    truth.start_proof(state.inner, state.game.roles.index(role), WON, plies=SHORT)
    while dfpn.prove(truth.proof, truth.lanes.stepping, EXPANSIONS) == dfpn.RUNNING:
        pass
    return bool(truth.proof.status[dfpn.IS_PROVEN])


def by_chance(better: int, worse: int) -> float:
    """Return how likely fair coins fall at least as unevenly, either way (sign test)."""
    total, most = better + worse, max(better, worse)
    tails = 2 * sum(math.comb(total, k) for k in range(most, total + 1))
    return min(1.0, tails / float(1 << total))


def settle() -> None:
    """Wait until nothing works in this process: who proved a value may have others to halt.

    Their time would be taken from the player that is asked next.
    """
    while True:
        before = time.process_time()
        time.sleep(0.05)
        if time.process_time() - before < IDLE:
            return


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--positions", type=int, default=100, help="won positions to be asked")
    parser.add_argument("--empty", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds for the truth")
    parser.add_argument("--player", action="append", help="mcts, if none is named")
    parser.add_argument("--hard", action="store_true", help="only where three plies do not win")
    parser.add_argument("--played", type=float, default=0.0, help="seconds of moves on the way")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", default="pentago/classic", help="a variant of Pentago")
    parser.add_argument("--processor", action="store_true", help="count processor seconds")
    return parser.parse_args()


def tell(wanted: argparse.Namespace, specs: list[str], kept: list[list[bool]], hard: int) -> None:
    """Say of each player how many wins it kept, and how it stands beside the first."""
    for spec, keeps in zip(specs, kept, strict=True):
        say(
            f"{spec}, {wanted.seconds:g} s a move, {wanted.empty} empty squares: found {sum(keeps)}"
            f" of {len(keeps)} wins = {sum(keeps) / len(keeps):.1%}; {hard} of them without"
            " a win in three plies"
        )
        better = sum(one > other for one, other in zip(keeps, kept[0], strict=True))
        worse = sum(one < other for one, other in zip(keeps, kept[0], strict=True))
        if keeps is not kept[0]:
            say(
                f"  beside {specs[0]}: {better} wins kept that it loses, {worse} lost that it keeps"
                f" (by chance alone: {by_chance(better, worse):.1e})"
            )


def seats(game: Game, spec: str, seed: int) -> dict[str, Player]:
    """Return a player for each role, prepared."""
    from gdl.play import Budget, make, prepare

    players = {role: make(spec, role=game.role(role), seed=seed) for role in game.roles}
    for player in players.values():
        prepare(player, game, Budget(120))
    return players


def guide(game: Game, seconds: float) -> Callable[[State], Term]:
    """Return how moves on the way to a position are chosen in so many seconds."""
    from gdl.play import choose
    from tests.benchmarks.processor_budget import ProcessorBudget

    players = seats(game, "mcts:memory=64", 0)

    def skilled(state: State) -> Term:
        role = state.movers[0]
        return choose(players[role], state, ProcessorBudget(seconds), role=role)

    return skilled


def main() -> None:
    import gdl
    from gdl.play import Budget, choose
    from gdl.play.workspace import Settings, Workspace
    from tests.benchmarks.processor_budget import ProcessorBudget

    wanted = parsed()
    game = gdl.load(wanted.game, backend="native")
    native = game.back_end.native
    assert native is not None
    truth = Workspace(native, settings=Settings(megabytes=64), seed=0)
    specs = wanted.player or ["mcts"]
    players = [seats(game, spec, wanted.seed) for spec in specs]
    skilled = guide(game, wanted.played) if wanted.played else None
    chance = random.Random(wanted.seed)
    tried = unknown = late = hard = 0
    kept: list[list[bool]] = [[] for _ in specs]
    while len(kept[0]) < wanted.positions:
        state = drawn(game, chance, wanted.empty, skilled)
        tried += 1
        role = state.movers[0]
        short = is_short(truth, state, role)
        if short and wanted.hard:
            continue
        worth = value(state, role, wanted.patience)
        unknown += worth is None
        if worth != WON:
            continue
        values: dict[str, int | None] = {}
        chosen = [""] * len(specs)
        # Whoever is asked first of a state does worse by some: each is, by turns.
        for turn in range(len(specs)):
            number = (tried + turn) % len(specs)
            settle()
            clock = (ProcessorBudget if wanted.processor else Budget)(wanted.seconds)
            move = choose(players[number][role], state, clock, role=role)
            late += clock.is_missed
            chosen[number] = text = state.notation(move)
            if text not in values:
                values[text] = value(state.play(move), role, wanted.patience)
        if None in values.values():
            unknown += 1
            continue
        hard += not short
        for spec, text, keeps in zip(specs, chosen, kept, strict=True):
            keeps.append(values[text] == WON)
            if not keeps[-1]:
                say(f"position {tried}: won, but worth {values[text]} after {text} of {spec}")
    tell(wanted, specs, kept, hard)
    say(
        f"{tried} positions drawn, {unknown} left out, not solved in {wanted.patience:g} s;"
        f" {late} moves late"
    )


if __name__ == "__main__":
    main()
