"""Fifty more wrong edits, of ten games, as a reviewer makes them who knows the game.

Of the tests that were there nine found none; what these lacked was added, and a test finds each.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Slip(NamedTuple):
    """One wrong edit.

    Attributes:
        game: The ruleset that is checked.
        file: The rule file, below the rulesets.
        old: What stands in it, once.
        new: What is put there.
        checked: Whether ``gdl check`` finds it, too.
    """

    game: str
    file: str
    old: str
    new: str
    checked: bool = False


SLIPS: Final = (
    Slip("chess", "chess/castling.kif", "(between long b) ", ""),
    Slip("chess", "chess/castling.kif", "    (safe ?f2 ?r)\n", ""),
    Slip(
        "chess",
        "chess/passing.kif",
        "    (answered ?f2 ?r1 ?r2)\n    (not (bares ?d)))",
        "    (answered ?f2 ?r1 ?r2))",
        checked=True,
    ),
    Slip(
        "chess", "chess/check.kif", "    (view ?d ?f ?r)\n    (not double))", "    (view ?d ?f ?r))"
    ),
    Slip(
        "chess",
        "chess/castling.kif",
        "(<= (forfeits ?player ?side)\n"
        "    (castling ?player ?side ?r ?f1 ?f2 ?f3 ?f4)\n"
        "    (disturbed ?f4 ?r))\n",
        "",
    ),
    Slip(
        "go?size=5",
        "go/go.kif",
        "    (not (joined ?x2 ?y2))\n    (not (easy ?player ?x ?y))\n",
        "    (not (joined ?x2 ?y2))\n",
        checked=True,
    ),
    Slip(
        "go?size=5",
        "go/go.kif",
        "(<= (next (passes 0))\n    (not passed))",
        "(<= (next (passes 0))\n    passed)",
    ),
    Slip(
        "go?size=5",
        "go/go.kif",
        "(<= (hit up ?k ?v)\n    (does ?player (place ?x ?y))\n    (bit ?y ?k ?v))",
        "(<= (hit up ?k ?v)\n    (does ?player (place ?x ?y))\n    (bit ?x ?k ?v))",
    ),
    Slip(
        "go?size=5",
        "go/go.kif",
        "    (not (taken ?x ?y)))\n\n; The point",
        "    (not (freed ?x ?y)))\n\n; The point",
    ),
    Slip(
        "go?size=5",
        "go/go.kif",
        "    (opponent ?player ?other)\n    (not (reaches ?other ?x ?y)))",
        "    (opponent ?player ?other))",
    ),
    Slip("checkers/american", "checkers/checkers.kif", "(home black 6) ", ""),
    Slip("checkers/american", "checkers/checkers.kif", "(<= progress\n    (carried man))\n", ""),
    Slip(
        "checkers/american",
        "checkers/checkers.kif",
        "    (jump ?col1 ?row1 ?col2 ?row2)\n    (ready ?col1 ?row1))",
        "    (jump ?col1 ?row1 ?col2 ?row2))",
        checked=True,
    ),
    Slip(
        "checkers/american",
        "checkers/checkers.kif",
        "    (carried man)\n    (not (crowned ?col ?row)))",
        "    (carried man))",
    ),
    Slip(
        "checkers/american",
        "checkers/checkers.kif",
        "    (true (quiet 8 0))\n    canmove)",
        "    (true (quiet 8 0)))",
    ),
    Slip("othello", "othello/othello.kif", "(opposite southeast northwest) ", ""),
    Slip(
        "othello",
        "othello/othello.kif",
        "(start d 4 white) (start e 4 black)\n(start d 5 black) (start e 5 white)",
        "(start d 4 black) (start e 4 white)\n(start d 5 white) (start e 5 black)",
    ),
    Slip(
        "othello", "othello/othello.kif", "    (less ?ones2 ?ones1))", "    (less ?ones1 ?ones2))"
    ),
    Slip(
        "othello",
        "othello/othello.kif",
        "    (true (control ?player))\n    (not (canplay ?player)))",
        "    (true (control ?player)))",
    ),
    Slip(
        "othello",
        "othello/othello.kif",
        "    (not (occupied ?col1 ?row1)))\n(<= (canplay",
        "    (occupied ?col1 ?row1))\n(<= (canplay",
    ),
    Slip("kalah", "kalah/kalah.kif", "    (holds ?col ?player 1)\n", ""),
    Slip(
        "kalah",
        "kalah/kalah.kif",
        "    (holds ?col ?player 1)\n    (not (holds ?col ?other 0)))",
        "    (holds ?col ?player 1))",
    ),
    Slip("kalah", "kalah/kalah.kif", "    (more ?n 24))", "    (more ?n 23))"),
    Slip("kalah", "kalah/kalah.kif", "(turn 13 1)\n", ""),
    Slip(
        "kalah",
        "kalah/kalah.kif",
        "(<= over\n    (role ?side)",
        "(<= over\n    (true (control ?side))",
    ),
    Slip(
        "sokoban/corner",
        "sokoban/sokoban.kif",
        "    (step ?way ?col1 ?row1 ?col2 ?row2)\n    (not (true (box ?col2 ?row2))))\n\n",
        "    (step ?way ?col1 ?row1 ?col2 ?row2))\n\n",
    ),
    Slip(
        "sokoban/corner",
        "sokoban/sokoban.kif",
        "    (true (box ?col ?row))\n    (not (entered ?col ?row)))",
        "    (true (box ?col ?row)))",
    ),
    Slip(
        "sokoban/corner",
        "sokoban/sokoban.kif",
        "(<= terminal\n    (limit ?tens)\n    (true (moves ?tens 0)))\n",
        "",
    ),
    Slip(
        "sokoban/corner",
        "sokoban/sokoban.kif",
        "(<= (step left ?col2 ?row2 ?col1 ?row1)",
        "(<= (step left ?col1 ?row1 ?col2 ?row2)",
    ),
    Slip(
        "sokoban/corner",
        "sokoban/sokoban.kif",
        "    (target ?col ?row)\n    (not (true (box ?col ?row))))",
        "    (target ?col ?row)\n    (not (true (at ?col ?row))))",
    ),
    Slip(
        "einstein/standard",
        "einstein/einstein.kif",
        "(<= (tries ?player down ?number)\n"
        "    (true (control ?player))\n"
        "    (true (die ?number)))\n",
        "",
    ),
    Slip(
        "einstein/standard",
        "einstein/einstein.kif",
        "    (tries ?player up ?number)\n"
        "    (cube ?player ?number ?cube)\n"
        "    (not (there ?cube))\n",
        "    (tries ?player up ?number)\n",
    ),
    Slip("einstein/standard", "einstein/einstein.kif", "(corner white a 5)", "(corner white a 4)"),
    Slip(
        "einstein/standard",
        "einstein/einstein.kif",
        "(<= (way black ?col1 ?row2 ?col2 ?row1)\n"
        "    (east ?col1 ?col2)\n"
        "    (succ ?row1 ?row2)\n"
        "    (row ?row2))\n",
        "",
    ),
    Slip(
        "einstein/standard",
        "einstein/einstein.kif",
        "    (not (moves ?cube))\n    (not (entered ?col ?row)))",
        "    (not (moves ?cube)))",
        checked=True,
    ),
    Slip(
        "ultimatetictactoe", "ultimatetictactoe/ultimatetictactoe.kif", "(line 1 3 2 2 3 1)\n", ""
    ),
    Slip(
        "ultimatetictactoe",
        "ultimatetictactoe/ultimatetictactoe.kif",
        "    (empty ?col ?row ?a ?b)\n    (not (decided ?a ?b)))",
        "    (empty ?col ?row ?a ?b))",
        checked=True,
    ),
    Slip(
        "ultimatetictactoe",
        "ultimatetictactoe/ultimatetictactoe.kif",
        "    (playable ?a ?b)\n    (not held))",
        "    (playable ?a ?b))",
        checked=True,
    ),
    Slip(
        "ultimatetictactoe",
        "ultimatetictactoe/ultimatetictactoe.kif",
        "    (does ?player (mark ?col ?row))\n    (place ?col ?a ?i)\n    (place ?row ?b ?j))",
        "    (does ?player (mark ?col ?row))\n    (place ?col ?i ?a)\n    (place ?row ?j ?b))",
    ),
    Slip(
        "ultimatetictactoe",
        "ultimatetictactoe/ultimatetictactoe.kif",
        "    (role ?player)\n    over\n    (not decisive))",
        "    (role ?player)\n    over)",
    ),
    Slip(
        "battleship",
        "battleship/battleship.kif",
        "    (not (true (shot ?player ?col ?row)))\n    (not (does ?player (shoot ?col ?row))))",
        "    (not (true (shot ?player ?col ?row))))",
    ),
    Slip(
        "battleship",
        "battleship/battleship.kif",
        "(<= (sees ?other (aimed ?col ?row))",
        "(<= (sees ?player (aimed ?col ?row))",
    ),
    Slip(
        "battleship",
        "battleship/battleship.kif",
        "    (fits ?ship ?col ?row ?way)\n    (not (overlaps ?player ?ship ?col ?row ?way)))",
        "    (fits ?ship ?col ?row ?way))",
        checked=True,
    ),
    Slip(
        "battleship",
        "battleship/battleship.kif",
        "(<= (sees ?player hit)\n    (hits ?player ?ship)\n    (missing ?player ?ship))",
        "(<= (sees ?player hit)\n    (hits ?player ?ship))",
    ),
    Slip(
        "battleship",
        "battleship/battleship.kif",
        "    (does ?player (shoot ?col ?row))\n    (not (hitting ?player)))",
        "    (does ?player (shoot ?col ?row)))",
        checked=True,
    ),
    Slip(
        "pentago/strict",
        "pentago/board.kif",
        "(<= (quarter ccw ?x2 ?y2 ?x1 ?y1)",
        "(<= (quarter ccw ?x1 ?y1 ?x2 ?y2)",
    ),
    Slip(
        "pentago/strict",
        "pentago/board.kif",
        "(<= (step rising ?col1 ?row2 ?col2 ?row1)\n"
        "    (beside ?col1 ?col2)\n"
        "    (below ?row1 ?row2))\n",
        "",
    ),
    Slip(
        "pentago/strict",
        "pentago/board.kif",
        "(quadrant q00 0 0) (quadrant q01 0 1)\n(quadrant q10 1 0)",
        "(quadrant q00 0 0) (quadrant q01 1 0)\n(quadrant q10 0 1)",
    ),
    Slip(
        "pentago/strict",
        "pentago/turns.kif",
        "    (local ?quadrant ?col ?row ?x ?y)\n    (not (rotated ?quadrant)))",
        "    (local ?quadrant ?col ?row ?x ?y))",
        checked=True,
    ),
    Slip(
        "pentago/strict",
        "pentago/ending.kif",
        "    over\n    (not won))",
        "    over)",
        checked=True,
    ),
)
