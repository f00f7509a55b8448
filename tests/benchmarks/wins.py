"""How often a player finds a win that is there: ``python tests/benchmarks/wins.py``.

Positions of Pentago with so many empty squares are drawn by random play from a seed.
Each is solved; of those that the mover wins, the player is asked for a move, and the position after
it is solved too: the win was found if the mover still wins. Positions that are not solved within
``--patience`` seconds are counted and left out. Every position counts once, easy ones as well; of
the hard ones, in which no win within three plies exists, the share is printed beside.

    python tests/benchmarks/wins.py --positions 100 --empty 12 --seconds 1

Seconds of a move are those of the clock, or with ``--processor`` of the processor.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from gdl.play.workspace import Workspace
    from gdl.state import State

SQUARES: Final = 36
WON: Final = 100
SHORT: Final = 3
EXPANSIONS: Final = 1_000


def drawn(name: str, chance: random.Random, empty: int) -> State:
    """Return a state that is not over, after random play."""
    import gdl

    while True:
        state = gdl.load(name, backend="native").initial()
        while state.ply < SQUARES - empty and not state.is_terminal:
            state = state.play(chance.choice(state.legal()))
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


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--positions", type=int, default=100, help="won positions to be asked")
    parser.add_argument("--empty", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds for the truth")
    parser.add_argument("--player", default="mcts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", default="pentago/classic", help="a variant of Pentago")
    parser.add_argument("--processor", action="store_true", help="count processor seconds")
    wanted = parser.parse_args()

    import gdl
    from gdl.play import Budget, choose, make, prepare
    from gdl.play.workspace import Settings, Workspace
    from tests.benchmarks.processor_budget import ProcessorBudget

    game = gdl.load(wanted.game, backend="native")
    native = game.back_end.native
    assert native is not None
    truth = Workspace(native, settings=Settings(megabytes=64), seed=0)
    players = {
        role: make(wanted.player, role=game.role(role), seed=wanted.seed) for role in game.roles
    }
    for player in players.values():
        prepare(player, game, Budget(120))
    chance = random.Random(wanted.seed)
    tried = unknown = late = 0
    outcomes: dict[bool, list[bool]] = {True: [], False: []}
    while sum(map(len, outcomes.values())) < wanted.positions:
        state = drawn(wanted.game, chance, wanted.empty)
        tried += 1
        role = state.movers[0]
        worth = value(state, role, wanted.patience)
        unknown += worth is None
        if worth != WON:
            continue
        clock = (ProcessorBudget if wanted.processor else Budget)(wanted.seconds)
        move = choose(players[role], state, clock, role=role)
        late += clock.is_missed
        after = value(state.play(move), role, wanted.patience)
        outcomes[is_short(truth, state, role)].append(after == WON)
        if after != WON:
            said = "unknown" if after is None else after
            say(f"position {tried}: won, but worth {said} after {state.notation(move)}")
    found, hard = outcomes[True] + outcomes[False], outcomes[False]
    say(
        f"{wanted.player}, {wanted.seconds:g} s a move, {wanted.empty} empty squares: found "
        f"{sum(found)} of {len(found)} wins = {sum(found) / len(found):.1%}; of the {len(hard)} "
        f"without a win in three plies {sum(hard)}"
    )
    say(
        f"{tried} positions drawn, {unknown} not solved in {wanted.patience:g} s; {late} moves late"
    )


if __name__ == "__main__":
    main()
