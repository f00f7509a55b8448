"""Compare two variants by playing the same moves in both until they disagree.

Random play finds differences, not the shortest one, and never proves that there is none.

    python examples/compare_variants.py [A] [B] [GAMES]
"""

import random
import sys

import gdl


def difference(a: gdl.State, b: gdl.State) -> str | None:
    """Say what two states of different rulesets show differently, if anything."""
    if a.is_terminal != b.is_terminal:
        return f"over: {a.is_terminal} against {b.is_terminal}"
    for role in a.game.roles:
        if a.goal(role) != b.goal(role):
            return f"goal of {role}: {a.goal(role)} against {b.goal(role)}"
        if not a.is_terminal and set(a.legal(role)) != set(b.legal(role)):
            return f"{role} has other legal moves"
    return None


def main(first: str = "pentago/strict", second: str = "pentago/classic", games: str = "20") -> None:
    """Play random games in both, and show the first position on which they disagree."""
    rng = random.Random(3)
    game_a, game_b = gdl.load(first), gdl.load(second)
    agreed = 0
    for _ in range(int(games)):
        a, b = game_a.initial(), game_b.initial()
        while (found := difference(a, b)) is None and not a.is_terminal:
            move = rng.choice(a.legal())
            a, b = a.play(move), b.play(move)
            agreed += 1
        if found:
            print(f"After {a.ply} moves {first} and {second} differ. {found}")
            print(a)
            return
    print(f"{first} and {second} agreed in {games} games, {agreed} moves.")


if __name__ == "__main__":
    main(*sys.argv[1:])
