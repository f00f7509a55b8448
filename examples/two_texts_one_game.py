"""Two texts, one game? Write a variant, find its fault, mend it, get the proof.

Needs the extra ``verify``. Run it: ``python examples/two_texts_one_game.py``.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import gdl

# Tic-tac-toe by somebody who writes squares as numbers 1 to 9 and lists the lines one by
# one. One of the eight lines has a slip: 3 5 8 should be 3 5 7.
MINE = """
(role x) (role o)
(init (turn x))
(square a 1 1) (square b 1 2) (square c 1 3)
(square a 2 4) (square b 2 5) (square c 2 6)
(square a 3 7) (square b 3 8) (square c 3 9)
(three 1 2 3) (three 4 5 6) (three 7 8 9)
(three 1 4 7) (three 2 5 8) (three 3 6 9)
(three 1 5 9) (three 3 5 8)

(<= (taken ?n) (true (holds ?n ?anyone)))
(<= (legal ?r (mark ?col ?row)) (true (turn ?r)) (square ?col ?row ?n) (not (taken ?n)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))

(<= (next (holds ?n ?r)) (does ?r (mark ?col ?row)) (square ?col ?row ?n))
(<= (next (holds ?n ?r)) (true (holds ?n ?r)))
(<= (next (turn o)) (true (turn x)))
(<= (next (turn x)) (true (turn o)))

(<= (won ?r)
    (three ?a ?b ?c) (true (holds ?a ?r)) (true (holds ?b ?r)) (true (holds ?c ?r)))
(<= someone (won ?r))
(<= free (square ?col ?row ?n) (not (taken ?n)))
(<= terminal someone)
(<= terminal (not free))
(<= (goal ?r 100) (won ?r))
(<= (goal ?r 0) (won ?s) (role ?r) (distinct ?r ?s))
(<= (goal ?r 50) (role ?r) (not someone) (not free))
(<= (goal ?r 0) (role ?r) (not someone) free)
"""


def main() -> None:
    """Compare the text with the ruleset that ships, before and after it is mended."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mine.kif"

        path.write_text(MINE, encoding="utf-8")
        answer = gdl.diff("tictactoe", path)
        print(f"as written: {answer.headline}")
        for joint in answer.play or ():
            print("  ", next(str(move) for move in joint if str(move) != "noop"))
        for line in answer.what:
            print("  ", line.replace(str(path), "mine.kif"))

        # Why does one text call the game over? Its own rules say so, down to the cells.
        state = gdl.load("tictactoe", backend="reason").initial()
        for joint in answer.play or ():
            state = state.play(joint)
        print(state)
        print(state.why("terminal"))

        path.write_text(MINE.replace("(three 3 5 8)", "(three 3 5 7)"), encoding="utf-8")
        answer = gdl.diff("tictactoe", path)
        print(f"mended: {answer.headline}")


if __name__ == "__main__":
    main()
