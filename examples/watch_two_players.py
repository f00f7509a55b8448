"""Two programs play each other: tree search against a player of your own, written in ten lines."""

import random
import sys

import gdl
from gdl.language.syntax import Term
from gdl.play import Budget, Position, choose, make, prepare
from gdl.play.player import thoughts_of

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3


def centre_lover(game: gdl.Game, state: Position, budget: Budget) -> Term:
    """A player is a function of game, state and budget to a legal move."""
    del game, budget
    columns = {move: int(str(move).removeprefix("(drop ")[0]) for move in state.legal()}
    return min(columns, key=lambda move: (abs(columns[move] - 4), chance.random()))


chance = random.Random(2)
game = gdl.load("connectfour")
players = {
    game.roles[0]: centre_lover,
    game.roles[1]: make("mcts", role=game.role(game.roles[1]), seed=1),
}
for player in players.values():
    prepare(player, game, Budget(120))  # the start clock: machine code is made, once

state = game.initial()
while not state.is_terminal:
    role = state.movers[0]
    move = choose(players[role], state, Budget(SECONDS), role=role)
    thoughts = thoughts_of(players[role])
    print(f"{state.ply + 1:>3}. {role} {state.notation(move)}", end="")
    if thoughts is not None:
        print(f"   {thoughts.best.value:.0f} expected, {thoughts.simulations:,} positions", end="")
    print()
    state = state.play(move)
print(state)
print(" ".join(f"{role}: {state.goal(role)}" for role in game.roles))
