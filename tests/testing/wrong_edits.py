"""Fifty wrong edits of ten shipped games, as a hand that slips makes them.

Each is a text that stands once in a rule file, and what is put in its place; and who finds it:
``check``, ``verify`` (a property is refuted that holds of the right rules) and ``test`` (a test
beside the rules fails). No edit leaves the game as it was: `test_wrong_edits` holds them all
against this table, and docs/testing.md has the sums.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Edit(NamedTuple):
    """One wrong edit.

    Attributes:
        slip: What the hand did.
        old: What stands in the rule file, once.
        new: What is put there.
        found: Who finds it.
    """

    slip: str
    old: str
    new: str
    found: str


class Edited(NamedTuple):
    """The edits of one game.

    Attributes:
        game: The ruleset that is checked and verified, of a size that can be proved.
        file: The rule file, below the rulesets.
        refuted: Properties that are refuted of the right rules.
        edits: They.
    """

    game: str
    file: str
    refuted: tuple[str, ...]
    edits: tuple[Edit, ...]


GAMES: Final = (
    Edited(
        "tictactoe",
        "tictactoe/tictactoe.kif",
        (),
        (
            Edit(
                "no frame rule",
                "(<= (next (cell ?col ?row ?player))\n    (true (cell ?col ?row ?player)))",
                "",
                "verify test",
            ),
            Edit(
                "no move for who waits",
                "(<= (legal ?player noop)\n    (role ?player)\n    (not (true (control ?player))))",
                "",
                "check verify test",
            ),
            Edit(
                "a literal dropped",
                "    (row ?row)\n    (not (occupied ?col ?row)))",
                "    (row ?row))",
                "check verify test",
            ),
            Edit(
                "a constant swapped",
                "(true (cell b 2 ?player))\n    (true (cell c 3 ?player))",
                "(true (cell b 2 ?player))\n    (true (cell c 1 ?player))",
                "test",
            ),
            Edit(
                "a rule dropped",
                "(<= over\n    (not open))",
                "",
                "check verify test",
            ),
        ),
    ),
    Edited(
        "connectfour?columns=4&rows=4",
        "connectfour/connectfour.kif",
        (),
        (
            Edit(
                "a constant swapped",
                "(not (occupied ?col 6))",
                "(not (occupied ?col 5))",
                "test",
            ),
            Edit(
                "variables swapped",
                "(<= (step falling ?col1 ?row2 ?col2 ?row1)",
                "(<= (step falling ?col1 ?row1 ?col2 ?row2)",
                "test",
            ),
            Edit(
                "a literal dropped",
                "    (row ?above)\n    (not (occupied ?col ?above)))",
                "    (row ?above))",
                "verify test",
            ),
            Edit(
                "a line too short",
                "    (true (cell ?col3 ?row3 ?player))\n"
                "    (step ?way ?col3 ?row3 ?col4 ?row4)\n"
                "    (true (cell ?col4 ?row4 ?player)))",
                "    (true (cell ?col3 ?row3 ?player)))",
                "test",
            ),
            Edit(
                "a goal swapped",
                "(<= (goal ?other 0)\n    (wins ?player)",
                "(<= (goal ?other 50)\n    (wins ?player)",
                "test",
            ),
        ),
    ),
    Edited(
        "hex?size=3",
        "hex/hex.kif",
        (),
        (
            Edit(
                "roles swapped",
                "(<= (linked red ?col 1)\n    (true (cell ?col 1 red)))",
                "(<= (linked red ?col 1)\n    (true (cell ?col 1 blue)))",
                "verify test",
            ),
            Edit(
                "wrong successor",
                "(<= (near ?col2 ?row1 ?col1 ?row2)",
                "(<= (near ?col2 ?row2 ?col1 ?row1)",
                "verify test",
            ),
            Edit(
                "a literal dropped",
                "    (index ?row)\n    (not (occupied ?col ?row)))",
                "    (index ?row))",
                "check verify test",
            ),
            Edit(
                "a rule dropped",
                "(<= (adjacent ?j ?i)\n    (succ ?i ?j))",
                "",
                "test",
            ),
            Edit(
                "no losing end",
                "(<= (goal ?other 0)\n    (wins ?player)\n    (opponent ?player ?other))",
                "",
                "verify test",
            ),
        ),
    ),
    Edited(
        "kuhnpoker",
        "kuhnpoker/kuhnpoker.kif",
        (),
        (
            Edit(
                "a literal dropped",
                "    (card ?card)\n    (not (taken ?card)))",
                "    (card ?card))",
                "check verify test",
            ),
            Edit(
                "constants swapped",
                "(higher king jack)",
                "(higher jack king)",
                "test",
            ),
            Edit(
                "roles swapped",
                "    (true (did ?other bet))\n    (true (control ?other)))",
                "    (true (did ?other bet))\n    (true (control ?player)))",
                "test",
            ),
            Edit(
                "a goal swapped",
                "(<= (goal ?player 75)",
                "(<= (goal ?player 70)",
                "test",
            ),
            Edit(
                "no frame rule",
                "(<= (next (holds ?player ?card))\n    (true (holds ?player ?card)))",
                "",
                "verify test",
            ),
        ),
    ),
    Edited(
        "pig?target=10",
        "pig/pig.kif",
        (
            "terminating",
            "facts change",
        ),
        (
            Edit(
                "a literal dropped",
                "    (does random (die ?face))\n"
                "    (distinct ?face 1)\n"
                "    (plus ?total ?face ?sum))",
                "    (does random (die ?face))\n    (plus ?total ?face ?sum))",
                "test",
            ),
            Edit(
                "a name misspelt",
                "(<= (next (total 0))\n    holds)",
                "(<= (next (total 0))\n    hold)",
                "check verify test",
            ),
            Edit(
                "wrong successor",
                "(<= (next (turn ?other choose))\n    (does ?player hold)",
                "(<= (next (turn ?player choose))\n    (does ?player hold)",
                "test",
            ),
            Edit(
                "a frame rule forgotten",
                "(<= (next (score ?player ?score))\n"
                "    (true (score ?player ?score))\n"
                "    (does ?other hold)\n"
                "    (distinct ?player ?other))",
                "",
                "test",
            ),
            Edit(
                "a literal dropped",
                "    (true (turn ?player choose))\n    (not enough))",
                "    (true (turn ?player choose)))",
                "test",
            ),
        ),
    ),
    Edited(
        "dotsandboxes?columns=2&rows=2",
        "dotsandboxes/dotsandboxes.kif",
        ("one line a place",),
        (
            Edit(
                "a constant swapped",
                "(<= (side ?x ?y bottom ?x ?y2)",
                "(<= (side ?x ?y top ?x ?y2)",
                "verify test",
            ),
            Edit(
                "a rule dropped",
                "(<= (scorestwice ?player)\n"
                "    (closes ?player top ?x1 ?y1)\n"
                "    (closes ?player bottom ?x2 ?y2))",
                "",
                "test",
            ),
            Edit(
                "wrong successor",
                "    (not (scorestwice ?player))\n    (succ ?n ?m)",
                "    (not (scorestwice ?player))\n    (succ ?m ?n)",
                "verify test",
            ),
            Edit(
                "a literal dropped",
                "    (opponent ?player ?other)\n    (not (scores ?player)))",
                "    (opponent ?player ?other))",
                "verify test",
            ),
            Edit(
                "variables swapped",
                "    (less ?m ?n))\n(<= unequal",
                "    (less ?n ?m))\n(<= unequal",
                "test",
            ),
        ),
    ),
    Edited(
        "clobber",
        "clobber/clobber.kif",
        (),
        (
            Edit(
                "a literal dropped",
                "    (true (cell ?col ?row ?player))\n    (not (touched ?col ?row)))",
                "    (true (cell ?col ?row ?player)))",
                "check verify test",
            ),
            Edit(
                "a rule dropped",
                "(<= (touched ?col2 ?row2)\n    (does ?player (move ?col1 ?row1 ?col2 ?row2)))",
                "",
                "verify test",
            ),
            Edit(
                "roles swapped",
                "(<= (goal ?other 100)\n    (not open)\n    (true (control ?player))",
                "(<= (goal ?player 100)\n    (not open)\n    (true (control ?player))",
                "verify test",
            ),
            Edit(
                "variables swapped",
                "(<= (adjacent ?col2 ?row2 ?col1 ?row1)",
                "(<= (adjacent ?col1 ?row1 ?col2 ?row2)",
                "check verify test",
            ),
            Edit(
                "a constant swapped",
                "(row 3 even)",
                "(row 3 odd)",
                "test",
            ),
        ),
    ),
    Edited(
        "blotto",
        "blotto/blotto.kif",
        ("turn-taking",),
        (
            Edit(
                "a constant swapped",
                "(<= (next (sent ?player 3 ?c))",
                "(<= (next (sent ?player 2 ?c))",
                "verify test",
            ),
            Edit(
                "a literal dropped",
                "    (minus ?a ?b ?rest)\n    (distinct ?rest 0))",
                "    (minus ?a ?b ?rest))",
                "verify test",
            ),
            Edit(
                "a number forgotten",
                "(positive p1) ",
                "",
                "verify test",
            ),
            Edit(
                "variables swapped",
                "    (before ?player ?field ?lead)\n    (more ?less ?lead))",
                "    (before ?player ?field ?lead)\n    (more ?lead ?less))",
                "verify test",
            ),
            Edit(
                "a literal dropped",
                "    (before ?player ?field ?lead)\n    (not (taken ?field)))",
                "    (before ?player ?field ?lead))",
                "check verify test",
            ),
        ),
    ),
    Edited(
        "breakthrough",
        "breakthrough/breakthrough.kif",
        (),
        (
            Edit(
                "roles swapped",
                "(far black 1)",
                "(far white 1)",
                "verify test",
            ),
            Edit(
                "a literal negated",
                "    (not (occupied ?col ?row2)))",
                "    (occupied ?col ?row2))",
                "test",
            ),
            Edit(
                "a literal dropped",
                "    (beside ?col1 ?col2)\n    (not (true (cell ?col2 ?row2 ?player))))",
                "    (beside ?col1 ?col2))",
                "test",
            ),
            Edit(
                "a rule dropped",
                "(<= (beside ?col2 ?col1)\n    (right ?col1 ?col2))",
                "",
                "test",
            ),
            Edit(
                "a rule dropped",
                "(<= (wins ?player)\n    (opponent ?player ?other)\n    (not (has ?other)))",
                "",
                "check test",
            ),
        ),
    ),
    Edited(
        "tron",
        "tron/tron.kif",
        ("turn-taking",),
        (
            Edit(
                "no frame rule",
                "(<= (next (wall ?x ?y ?player))\n    (true (wall ?x ?y ?player)))",
                "",
                "verify test",
            ),
            Edit(
                "wrong successor",
                "(<= (step south ?x ?y2 ?x ?y1)",
                "(<= (step south ?x ?y1 ?x ?y2)",
                "test",
            ),
            Edit(
                "a rule dropped",
                "(<= (crashes ?player)\n"
                "    (enters ?x ?y ?player)\n"
                "    (opponent ?player ?other)\n"
                "    (enters ?x ?y ?other))",
                "",
                "test",
            ),
            Edit(
                "roles swapped",
                "    (true (crashed ?other))\n    (opponent ?player ?other)\n    (not draw))",
                "    (true (crashed ?player))\n    (opponent ?player ?other)\n    (not draw))",
                "verify test",
            ),
            Edit(
                "a rule dropped",
                "(<= (blocked ?x ?y)\n    (true (at ?x ?y ?player)))",
                "",
                "test",
            ),
        ),
    ),
)
