"""Write a variant of Pentago in ten lines on the shared base: whoever makes five in a row loses.

python examples/new_variant.py [GAMES]
"""

import sys
import tempfile
from pathlib import Path

import gdl

RULES = """
; Lines are looked for after the rotation; any empty square may be followed by one.
(<= (rotates ?col ?row)
    (empty ?col ?row))
; Who has a line alone has lost, so the other one wins.
(<= (wins ?player)
    (opponent ?player ?other)
    (line ?other)
    (not (line ?player)))
"""

MANIFEST = """
[[ruleset]]
id = "misere"
title = "Pentago, five in a row lose"
version = "1.0.0"
source = "ours"
players = "@pentago/black-white"
notation = "@pentago/squares"
picture = "@pentago/squares"
rules = ["@pentago/board.kif", "@pentago/turns.kif", "@pentago/ending.kif", "misere.kif"]
"""


def main(games: int = 20) -> None:
    """Make the variant, check it, and compare its random games with those of the original."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "misere.kif").write_text(RULES, encoding="utf-8")
        Path(folder, "manifest.toml").write_text(MANIFEST, encoding="utf-8")
        variant = Path(folder, "manifest.toml")

        for diagnostic in gdl.check(variant):
            print(diagnostic)
        misere = gdl.load(variant).playouts(games, seed=1)

    strict = gdl.load("pentago/strict").playouts(games, seed=1)
    for name, counts in (("five wins", strict), ("five loses", misere)):
        wins = ", ".join(f"{role} wins {counts.wins(role)}" for role in counts.roles)
        print(f"{name}: {wins}, {counts.draws} draws; {counts.mean_length:.1f} turns on average")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
