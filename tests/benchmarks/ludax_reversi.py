"""Our Othello against the pretrained AlphaZero agent of ``ludax-agents``: `python FILE`.

    python tests/benchmarks/ludax_reversi.py --games 100 --player mcts:value=othello.gdlnet
    python tests/benchmarks/ludax_reversi.py --games 100 --player greedy:value=othello.gdlnet --bare

Games come in pairs that begin with the same few random plies, colours swapped. The agent searches
with 256 simulations of its network of 128 channels and six blocks; ours has as much processor time
a move as the agent took for its move before. With ``--bare`` it takes the move that its network
likes best, without a search; then ``greedy`` is its like. The laws of the game are ours; in ludax
1.0.0 a pass may turn over a stone (docs/audits.md), and a game in which it then allows other moves
is void.

Needs the extra ``play`` and in the same environment ``pip install ludax-agents 'jax<0.7'
'jaxlib<0.7'`` (its version 1.0.0 does not load what it brings under later ones).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

PASS: Final = 64
"""The agent's number of a pass; squares go from a1 to h1, then up."""
SIDE: Final = 8
Chooser = Callable[[Any, int], int]
"""Takes the agent's state and a seed, and returns its move."""


@dataclass(slots=True)
class Game:
    """How a game went: our points, None where it is void, and seconds of each move."""

    points: float | None = None
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)


def searching(env: Any) -> Chooser:  # noqa: ANN401  # no types
    """Return the agent as it comes."""
    import jax
    from ludax_agents import (  # type: ignore[import-not-found]  # see above
        az_checkpoint_policy,
        get_checkpoint_path,
    )

    policy = az_checkpoint_policy(env, get_checkpoint_path("reversi"))
    return lambda state, seed: int(policy(_one(state), jax.random.PRNGKey(seed))[0])


def bare(env: Any) -> Chooser:  # noqa: ANN401
    """Return what its network alone likes best."""
    import haiku as hk  # type: ignore[import-not-found]
    import jax
    import jax.numpy as jnp
    from ludax_agents import get_checkpoint_path
    from ludax_agents import policy as agents

    with Path(get_checkpoint_path("reversi")).open("rb") as file, agents._compat_shaped_array():
        data = agents._CheckpointUnpickler(file).load()
    config, (params, model) = data["config"], data["model"]
    actions = agents._find_num_actions(params)

    def judged(board: Any) -> Any:  # noqa: ANN401
        net = agents.AZNet(
            num_actions=actions,
            num_channels=config.num_channels,
            num_blocks=config.num_layers,
            resnet_v2=config.resnet_v2,
        )
        return net(board, is_training=False, test_local_stats=False)

    forward = hk.without_apply_rng(hk.transform_with_state(judged))

    def best(state: Any) -> Any:  # noqa: ANN401
        (logits, _), _ = forward.apply(params, model, env.observe(state, state.current_player))
        return jnp.argmax(jnp.where(state.legal_action_mask, logits, -jnp.inf), axis=-1)

    chosen = jax.jit(best)
    return lambda state, _: int(chosen(_one(state))[0])


def _one(state: Any) -> Any:  # noqa: ANN401
    """Return a batch of one state."""
    import jax

    return jax.tree_util.tree_map(lambda values: values[None], state)


def number(text: str) -> int:
    """Return the agent's number of a move in our notation."""
    return PASS if text == "pass" else (int(text[1]) - 1) * SIDE + ord(text[0]) - ord("a")


def play(at: int, foe: Chooser, env: Any, step: Any, wanted: argparse.Namespace) -> Game:  # noqa: ANN401
    """Play game number ``at``; ours is the first role in even ones."""
    import jax
    import numpy as np

    import gdl
    from gdl.play import Budget, choose, make, prepare
    from tests.benchmarks.processor_budget import ProcessorBudget

    game = gdl.load("othello", backend="native")
    mine = game.roles[at % 2]
    player = make(wanted.player, role=game.role(mine), seed=at)
    prepare(player, game, Budget())
    chance, result = random.Random(at // 2), Game()
    state, other, pace = game.initial(), env.init(jax.random.PRNGKey(0)), 0.1
    while not state.is_terminal:
        mover = state.movers[0]
        known = {number(state.notation(move)): move for move in state.legal(mover)}
        if set(np.flatnonzero(np.asarray(other.legal_action_mask)).tolist()) != set(known):
            return result
        began = time.process_time()
        if state.ply < wanted.opening or len(known) == 1:
            move = chance.choice(sorted(known.values(), key=str))
        elif mover == mine:
            move = choose(player, state, ProcessorBudget(pace), role=mine)
            result.ours.append(time.process_time() - began)
        else:
            move = known[foe(other, at * 100 + state.ply)]
            pace = time.process_time() - began
            result.theirs.append(pace)
        other = step(other, np.int16(number(state.notation(move))))
        state = state.play({mover: move})
    result.points = state.goal(mine) / 100
    return result


def main() -> None:
    """Play, and say who got how many points in what time."""
    import jax
    from ludax import LudaxEnvironment  # type: ignore[import-not-found]  # see above
    from ludax.games import reversi  # type: ignore[import-not-found]

    from tests.benchmarks.strength import interval, say

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--player", default="mcts", help="ours")
    parser.add_argument("--bare", action="store_true", help="the agent's network, no search")
    parser.add_argument("--opening", type=int, default=4, help="random plies at the start")
    wanted = parser.parse_args()
    env = LudaxEnvironment(game_str=reversi)
    step = jax.jit(env.step)
    foe = (bare if wanted.bare else searching)(env)
    foe(env.init(jax.random.PRNGKey(0)), 0)  # compiles it
    games: list[Game] = []
    for at in range(wanted.games):
        games.append(play(at, foe, env, step, wanted))
        say(f"game {at}: {games[-1].points}")
    points = [game.points for game in games if game.points is not None]
    low, high = interval(sum(points), len(points))
    share = f"{sum(points) / max(len(points), 1):.1%} ({low:.1%} to {high:.1%})"
    say(f"{sum(points):g} of {len(points)} points = {share}; {len(games) - len(points)} void")
    for title in ("ours", "theirs"):
        spent = [seconds for game in games for seconds in getattr(game, title)]
        say(f"  {title}: {sum(spent) / max(len(spent), 1):.4f} s of processor a move")


if __name__ == "__main__":
    main()
