"""Scenarios of the four Pentago rulesets: normal games, illegal moves and edges of the rules.

One play serves several rulesets: it is written once, in the notation of source 000 (``E5 Q01 CW``),
and translated as text into the notation of the others. What comes of it is stated for each ruleset
separately, because there lies the difference between them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tests.scenarios.model import Kind, Scenario

ROLES: Final[Mapping[str, tuple[str, str]]] = {
    "pentago/strict": ("black", "white"),
    "pentago/utwente": ("black", "white"),
    "pentago/classic": ("black", "white"),
    "pentago/phased": ("red", "black"),
}
"""The roles of each ruleset, first mover first. A play's first mover is black, or red in phased."""

GOALS: Final[Mapping[str, tuple[int, int]]] = {
    "open": (0, 0),
    "first": (100, 0),
    "second": (0, 100),
    "draw": (50, 50),
}
"""Goal values of the first and the second mover by how a play comes out."""


# --- translating a turn of source 000 into the other notations -----------------------------------


def to_classic(turn: str) -> str:
    """Translate ``E5 Q01 CW`` to ``e4 2 C``: row letter first, columns from 0."""
    square, *rotation = turn.split()
    text = f"{'abcdef'[int(square[1]) - 1]}{'ABCDEF'.index(square[0])}"
    if not rotation:
        return text
    quadrant, direction = rotation
    board = {"Q00": 1, "Q01": 2, "Q10": 3, "Q11": 4}[quadrant]
    return f"{text} {board} {'C' if direction == 'CW' else 'A'}"


def to_phased(turn: str) -> tuple[str, ...]:
    """Translate ``E5 Q01 CW`` to ``(place 4 2 2)`` and ``(rotate 1 clockwise)``.

    Quadrants are numbered as in the plane (1 top right, then against the clock) and y points up.
    """
    square, *rotation = turn.split()
    x, y = "ABCDEF".index(square[0]), 6 - int(square[1])
    quadrant = {(1, 1): 1, (0, 1): 2, (0, 0): 3, (1, 0): 4}[x // 3, y // 3]
    place = f"(place {quadrant} {x % 3 + 1} {y % 3 + 1})"
    if not rotation:
        return (place,)
    number = {"Q01": 1, "Q00": 2, "Q10": 3, "Q11": 4}[rotation[0]]
    return (place, f"(rotate {number} {'counter' if rotation[1] == 'CCW' else ''}clockwise)")


def translate(ruleset: str, turns: tuple[str, ...], *, placement_ends: bool) -> tuple[str, ...]:
    """Write turns of source 000 as moves of a ruleset.

    Args:
        ruleset: The ruleset.
        turns: Turns as in source 000.
        placement_ends: Leave out the rotation of the last turn: the game is over before it.
    """
    if placement_ends:
        turns = (*turns[:-1], turns[-1].split()[0])
    if ruleset == "pentago/phased":
        return tuple(ply for turn in turns for ply in to_phased(turn))
    if ruleset == "pentago/classic":
        return tuple(map(to_classic, turns))
    return turns


def quiet(rotation: str, squares: str) -> tuple[str, ...]:
    """Return turns that place on these squares and all turn the same, empty quadrant."""
    return tuple(f"{square} {rotation}" for square in squares.split())


def turns_of(text: str) -> tuple[str, ...]:
    """Split turns written with semicolons between them."""
    return tuple(turn.strip() for turn in text.split(";"))


# --- plays and how they come out ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Play:
    """Turns, and how the game stands after them in each ruleset (a key of `GOALS`)."""

    name: str
    rule: str
    turns: tuple[str, ...]
    strict: str
    utwente: str
    classic: str
    phased: str
    placement_ends: str = ""
    """Which of classic and phased are over with the last placement, before its rotation."""
    board: str | None = None
    """The board after whole turns, in marks ``B`` (first mover) and ``W``."""


def same(name: str, rule: str, turns: tuple[str, ...], result: str, ends: str = "") -> Play:
    """Return a play that comes out the same everywhere."""
    return Play(name, rule, turns, result, result, result, result, ends)


BOTH = "classic phased"

ROW = quiet("Q11 CW", "A1 A4 B1 B4 C1 C4 D1 A6 E1")
BY_ROTATION = (*quiet("Q11 CW", "F1 A4 F2 B4 A1 C4 B1 A6"), "C1 Q01 CCW")

NORMAL: Final = (
    Play(
        "opening-turn",
        "a turn places, then rotates; the marble travels with its quadrant (000, 2)",
        ("A1 Q00 CW",),
        *("open",) * 4,
        board="..B... ...... ...... ...... ...... ......",
    ),
    Play(
        "opening-of-the-notation-example",
        "the example turn of 000, 7 leaves the marble where it is: another quadrant turns",
        ("E5 Q01 CW",),
        *("open",) * 4,
        board="...... ...... ...... ...... ....B. ......",
    ),
    same("four-is-no-line", "five are needed (000, 3)", ROW[:7], "open"),
    same(
        "five-with-a-gap-is-no-line",
        "the five must be consecutive (000, 3)",
        quiet("Q11 CW", "A1 A4 B1 B4 C1 C4 E1 A6 F1"),
        "open",
    ),
    same("row-across-quadrants", "a horizontal line wins (000, 3)", ROW, "first", BOTH),
    same(
        "column-across-quadrants",
        "a vertical line wins (000, 3)",
        quiet("Q11 CW", "A1 D1 A2 E1 A3 D2 A4 E2 A5"),
        "first",
        BOTH,
    ),
    same(
        "long-falling-diagonal",
        "a diagonal line wins (000, 3)",
        quiet("Q01 CW", "A1 A4 B2 B4 C3 A5 D4 B6 E5"),
        "first",
        BOTH,
    ),
    same(
        "long-rising-diagonal",
        "a diagonal line wins (000, 3)",
        quiet("Q00 CW", "F1 D4 E2 E4 D3 F5 C4 D6 B5"),
        "first",
        BOTH,
    ),
    same(
        "short-diagonal-over-three-quadrants",
        "a diagonal beside the long one holds five as well (000, 3)",
        quiet("Q01 CW", "A2 A4 B3 A5 C4 F4 D5 F5 E6"),
        "first",
        BOTH,
    ),
    same(
        "second-player-column",
        "the second player wins in the same way (000, 3)",
        quiet("Q11 CW", "D1 A1 E1 A2 D2 A3 E2 A4 F3 A5"),
        "second",
        BOTH,
    ),
    same(
        "line-made-by-the-rotation",
        "the rotation completes the line that the placement did not (000, 3; 003)",
        BY_ROTATION,
        "first",
    ),
)

# After these 35 turns one square is left and no line has stood at any moment, after a placement or
# after a rotation. White's last marble on B6 makes no line either; the eight rotations differ.
FULL_BUT_B6 = turns_of(
    "F6 Q11 CW; E1 Q01 CCW; B1 Q10 CCW; E3 Q01 CCW; D1 Q00 CW; D2 Q10 CCW; B6 Q01 CW; F3 Q10 CW;"
    "A4 Q00 CCW; C4 Q11 CCW; F4 Q00 CCW; D1 Q10 CW; D6 Q00 CCW; B5 Q11 CW; C2 Q10 CCW; A1 Q00 CW;"
    "F5 Q01 CW; B4 Q00 CW; A1 Q11 CW; D5 Q01 CW; C6 Q11 CW; E5 Q01 CCW; F5 Q00 CCW; E3 Q01 CW;"
    "C2 Q00 CCW; C5 Q00 CCW; D6 Q11 CCW; B2 Q11 CW; C3 Q11 CW; A6 Q00 CCW; F1 Q01 CCW; A3 Q11 CW;"
    "E2 Q11 CCW; C2 Q01 CW; D5 Q01 CW"
)
# The same with B2 left, where white's last marble makes a line at once.
FULL_BUT_B2 = turns_of(
    "F4 Q01 CCW; D5 Q00 CW; B4 Q11 CW; A1 Q10 CW; E1 Q00 CCW; A4 Q11 CCW; B6 Q01 CCW; E1 Q10 CCW;"
    "B3 Q10 CW; A5 Q01 CW; C1 Q11 CCW; C4 Q00 CW; E2 Q00 CCW; C3 Q10 CCW; D1 Q11 CCW; A5 Q00 CCW;"
    "A3 Q01 CW; F6 Q01 CCW; E6 Q11 CCW; D3 Q01 CCW; D1 Q00 CW; F1 Q11 CCW; E5 Q00 CW; C4 Q00 CW;"
    "B3 Q10 CCW; A2 Q10 CW; C6 Q00 CW; B3 Q10 CW; E6 Q00 CCW; E3 Q00 CW; F2 Q11 CW; B5 Q01 CCW;"
    "D4 Q01 CCW; E6 Q01 CW; D6 Q01 CCW"
)
FULL_DRAW = (*FULL_BUT_B6, "B6 Q01 CW")

EDGE: Final = (
    Play(
        "both-lines-made-by-the-second-player",
        "strict: the player who turned wins (000, 4); utwente and classic: draw (001; 003)",
        (*quiet("Q11 CW", "F1 E1 F2 E2 A1 A2 B1 B2 C1"), "C2 Q01 CCW"),
        strict="second",
        utwente="draw",
        classic="draw",
        phased="draw",
        board="BBBBB. WWWWW. ...... ...... ...... ......",
    ),
    Play(
        "both-lines-made-by-the-first-player",
        "strict: the player who turned wins (000, 4); utwente and classic: draw (001; 003)",
        (*quiet("Q11 CW", "F1 E1 F2 E2 A1 A2 B1 B2 A6 C2"), "C1 Q01 CCW"),
        strict="first",
        utwente="draw",
        classic="draw",
        phased="draw",
        board="BBBBB. WWWWW. ...... ...... ...... B.....",
    ),
    same(
        "own-rotation-completes-the-first-players-line",
        "a line of the opponent alone makes the opponent win (003; 000, 3)",
        (*quiet("Q11 CW", "F1 A4 F2 B4 A1 A5 B1 B5 C1"), "C6 Q01 CCW"),
        "first",
    ),
    same(
        "own-rotation-completes-the-second-players-line",
        "a line of the opponent alone makes the opponent win (003; 000, 3)",
        (*quiet("Q11 CW", "A4 F1 B4 F2 A5 A1 B5 B1 C6 C1"), "A6 Q01 CCW"),
        "second",
    ),
    Play(
        "line-made-by-placing-broken-by-the-rotation",
        "strict and utwente look only after the rotation (000, 3); classic and phased at once",
        (*ROW[:-1], "E1 Q01 CW"),
        strict="open",
        utwente="open",
        classic="first",
        phased="first",
        placement_ends=BOTH,
    ),
    Play(
        "own-line-broken-while-the-rotation-makes-the-opponents",
        "only what stands after the rotation counts (000, 3); classic and phased end before it",
        (*quiet("Q11 CW", "A1 A3 B1 B3 C1 C3 D1 F3 A6 F2"), "E1 Q01 CW"),
        strict="second",
        utwente="second",
        classic="first",
        phased="first",
        placement_ends=BOTH,
    ),
    same(
        "six-in-a-row",
        "at least five: six win (000, 3)",
        quiet("Q11 CW", "A1 A4 B1 B4 C1 C4 E1 A6 F1 B6 D1"),
        "first",
        BOTH,
    ),
    Play(
        "rotation-of-a-symmetric-quadrant-changes-nothing",
        "the rotation is mandatory though the cross in Q00 looks the same after it (000, 2)",
        (*quiet("Q11 CW", "B1 A4 A2 B4 B2 A5 C2 B5 B3 C6"), "E6 Q00 CCW"),
        *("open",) * 4,
        board=".B.... BBB... .B.... WW.... WW.... ..W.B.",
    ),
    same(
        "line-in-a-symmetric-quadrant-survives-its-rotation",
        "the line stands after the rotation, so it counts (000, 3)",
        (*quiet("Q11 CW", "B1 A4 A2 B4 B2 A5 C2 B5 B3 C6 D2 A6"), "E2 Q00 CW"),
        "first",
        BOTH,
    ),
    Play(
        "rotation-of-an-empty-quadrant-changes-nothing",
        "any quadrant may be turned, empty ones too (000, 2)",
        ("B2 Q11 CCW", "E2 Q10 CW"),
        *("open",) * 4,
        board="...... .B..W. ...... ...... ...... ......",
    ),
    same(
        "placed-marble-travels-into-the-line",
        "the rotation moves the marble just placed (000, 2 and 3)",
        (*quiet("Q11 CW", "F1 A4 A1 B4 B1 C4 C1 A6"), "F2 Q01 CCW"),
        "first",
    ),
    same(
        "square-left-by-a-rotation-is-empty-again",
        "only an empty square is asked for (000, 6)",
        ("A1 Q00 CW", "A1 Q11 CW"),
        "open",
    ),
    Play(
        "the-36th-marble-without-a-line",
        "a full board without a line is a draw (000, 5); phased ends with the placement (004)",
        FULL_DRAW,
        *("draw",) * 4,
        placement_ends="phased",
    ),
    Play(
        "the-36th-marble-and-a-rotation-that-wins",
        "the last rotation is still made and may win (000, 3); phased has ended before it (004)",
        (*FULL_BUT_B6, "B6 Q00 CW"),
        strict="second",
        utwente="second",
        classic="second",
        phased="draw",
        placement_ends="phased",
    ),
    Play(
        "the-36th-marble-and-a-rotation-that-loses",
        "the last rotation may complete the opponent's line; phased has ended before it (004)",
        (*FULL_BUT_B6, "B6 Q00 CCW"),
        strict="first",
        utwente="first",
        classic="first",
        phased="draw",
        placement_ends="phased",
    ),
    Play(
        "the-36th-marble-and-a-rotation-that-makes-both-lines",
        "both lines on a full board: strict still gives it to the mover (000, 4)",
        (*FULL_BUT_B6, "B6 Q10 CCW"),
        strict="second",
        utwente="draw",
        classic="draw",
        phased="draw",
        placement_ends="phased",
    ),
    Play(
        "the-36th-marble-makes-a-line-that-the-rotation-breaks",
        "classic and phased are won by the placement (003; 004), strict and utwente drawn (000, 5)",
        (*FULL_BUT_B2, "B2 Q00 CW"),
        strict="draw",
        utwente="draw",
        classic="second",
        phased="second",
        placement_ends=BOTH,
    ),
)


def scenario_of(play: Play, kind: Kind, ruleset: str) -> Scenario:
    """Return what a play means in one ruleset."""
    name = ruleset.partition("/")[2]
    ends = name in play.placement_ends.split()
    outcome: str = getattr(play, name)
    marks = play.board
    if marks is not None and name == "phased":
        marks = marks.replace("B", "r").replace("W", "b")
    return Scenario(
        name=play.name,
        kind=kind,
        ruleset=ruleset,
        rule=play.rule,
        moves=translate(ruleset, play.turns, placement_ends=ends),
        terminal=outcome != "open",
        goals=dict(zip(ROLES[ruleset], GOALS[outcome], strict=True)),
        board=None if marks is None else marks.replace(" ", "\n"),
    )


# --- illegal moves --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refusal:
    """Legal moves in the ruleset's own notation, one move that is refused, and why."""

    name: str
    rule: str
    before: tuple[str, ...]
    refused: str
    error: str
    outcome: str = "open"
    """How the game stands before the refused move (a key of `GOALS`)."""


def whole_turn_refusals() -> tuple[Refusal, ...]:
    """Return what strict and utwente refuse; both are written as in source 000."""
    placed = ("A1 Q11 CW",)
    empty: tuple[str, ...] = ()
    return (
        Refusal("occupied-by-the-opponent", "000, 6", placed, "A1 Q11 CW", "occupied"),
        Refusal("occupied-by-own", "000, 6", (*placed, "B1 Q11 CW"), "A1 Q11 CW", "occupied"),
        Refusal("occupied-after-travel", "000, 2", ("A1 Q00 CW",), "C1 Q11 CW", "occupied"),
        Refusal("column-beside-the-board", "000, 1", empty, "G1 Q00 CW", "out-of-range"),
        Refusal("row-below-the-board", "000, 1", empty, "A7 Q00 CW", "out-of-range"),
        Refusal("row-above-the-board", "000, 1", empty, "A0 Q00 CW", "out-of-range"),
        Refusal("rotation-left-out", "000, 9", empty, "A1", "missing-rotation"),
        Refusal(
            "rotation-left-out-after-a-winning-placement",
            "no exception on the last move (000, 9)",
            ROW[:-1],
            "E1",
            "missing-rotation",
        ),
        Refusal(
            "rotation-left-out-of-a-symmetric-quadrant",
            "mandatory even if nothing changes (000, 2)",
            quiet("Q11 CW", "B2 E2"),
            "B5",
            "missing-rotation",
        ),
        Refusal("half-turn", "000, 9: no 180 degrees", empty, "A1 Q00 180", "malformed"),
        Refusal("unknown-quadrant", "000, 1", empty, "A1 Q02 CW", "malformed"),
        Refusal("rotation-before-placement", "000, 2", empty, "Q00 CW A1", "malformed"),
        Refusal("pass", "000, 2", empty, "noop", "malformed"),
        Refusal("white-begins", "000, 1", empty, "white: A1 Q00 CW", "out-of-turn"),
        Refusal("black-twice", "000, 2", placed, "black: B1 Q00 CW", "out-of-turn"),
        Refusal("turn-after-a-win", "000, 10", ROW, "F6 Q00 CW", "game-over", "first"),
        Refusal("turn-after-a-draw", "000, 10", FULL_DRAW, "A1 Q00 CW", "game-over", "draw"),
    )


def classic_refusals() -> tuple[Refusal, ...]:
    """Return what classic refuses, written as in source 003."""
    placed = ("a0 4 C",)
    empty: tuple[str, ...] = ()
    row = tuple(map(to_classic, ROW))
    return (
        Refusal("occupied-by-the-opponent", "003", placed, "a0 4 C", "occupied"),
        Refusal("occupied-by-own", "003", (*placed, "a1 4 C"), "a0 4 C", "occupied"),
        Refusal("occupied-after-travel", "003", ("a0 1 C",), "a2 4 C", "occupied"),
        Refusal("column-beside-the-board", "003", empty, "a6 1 A", "out-of-range"),
        Refusal("row-below-the-board", "003", empty, "g0 1 A", "out-of-range"),
        Refusal("rotation-left-out", "003: mandatory", empty, "a0", "missing-rotation"),
        Refusal(
            "rotation-left-out-on-four-in-a-row",
            "003: only a line of five spares the rotation",
            row[:6],
            "a3",
            "missing-rotation",
        ),
        Refusal(
            "rotation-after-a-winning-placement",
            "003: the game ends before the rotation",
            row[:-1],
            "a4 4 C",
            "superfluous-rotation",
        ),
        Refusal("direction-of-the-other-notation", "003", empty, "a0 1 CW", "malformed"),
        Refusal("unknown-sub-board", "003: 1 to 4", empty, "a0 5 A", "malformed"),
        Refusal("capital-row-letter", "003: a to f", empty, "A0 1 A", "malformed"),
        Refusal("white-begins", "003: black plays first", empty, "white: a0 1 A", "out-of-turn"),
        Refusal("black-twice", "003", placed, "black: a1 1 A", "out-of-turn"),
        Refusal(
            "turn-after-a-winning-placement",
            "003: the game ends immediately",
            (*row[:-1], "a4"),
            "f5 1 A",
            "game-over",
            "first",
        ),
        Refusal(
            "turn-after-a-draw",
            "003: 36 marbles end the game",
            tuple(map(to_classic, FULL_DRAW)),
            "a0 1 A",
            "game-over",
            "draw",
        ),
    )


def phased_refusals() -> tuple[Refusal, ...]:
    """Return what phased refuses."""
    empty: tuple[str, ...] = ()
    placed = ("(place 2 1 3)",)
    turned = (*placed, "(rotate 4 clockwise)")
    row = translate("pentago/phased", ROW, placement_ends=True)
    full = translate("pentago/phased", FULL_DRAW, placement_ends=True)
    return (
        Refusal("occupied-by-the-opponent", "004", turned, "(place 2 1 3)", "occupied"),
        Refusal(
            "occupied-after-travel",
            "004",
            (*placed, "(rotate 2 clockwise)"),
            "(place 2 3 3)",
            "occupied",
        ),
        Refusal("x-beyond-the-quadrant", "004: 1 to 3", empty, "(place 1 4 1)", "out-of-range"),
        Refusal("y-below-the-quadrant", "004: 1 to 3", empty, "(place 1 1 0)", "out-of-range"),
        Refusal("fifth-quadrant", "004: four", empty, "(place 5 1 1)", "out-of-range"),
        Refusal("rotation-of-no-quadrant", "004", placed, "(rotate 0 clockwise)", "out-of-range"),
        Refusal("placement-twice", "004: then rotate", placed, "(place 1 1 1)", "wrong-phase"),
        Refusal("rotation-first", "004: place first", empty, "(rotate 1 clockwise)", "wrong-phase"),
        Refusal("noop-when-placing", "004: only without control", empty, "noop", "wrong-phase"),
        Refusal("noop-when-rotating", "004: only without control", placed, "noop", "wrong-phase"),
        Refusal("half-turn", "004: two directions", placed, "(rotate 1 around)", "malformed"),
        Refusal("black-begins", "004: red first", empty, "black: (place 1 1 1)", "out-of-turn"),
        Refusal(
            "black-rotates-for-red",
            "004: who places rotates",
            placed,
            "black: (rotate 1 clockwise)",
            "out-of-turn",
        ),
        Refusal("red-twice", "004: roles alternate", turned, "red: (place 1 1 1)", "out-of-turn"),
        Refusal(
            "rotation-after-a-line",
            "004: a line is terminal at once",
            row,
            "(rotate 4 clockwise)",
            "game-over",
            "first",
        ),
        Refusal(
            "rotation-of-a-full-board",
            "004: terminal when no cell is empty",
            full,
            "(rotate 1 clockwise)",
            "game-over",
            "draw",
        ),
    )


REFUSALS: Final = {
    "pentago/strict": whole_turn_refusals(),
    "pentago/utwente": whole_turn_refusals(),
    "pentago/classic": classic_refusals(),
    "pentago/phased": phased_refusals(),
}


def refused_scenario(refusal: Refusal, ruleset: str) -> Scenario:
    """Return the scenario of a refused move."""
    return Scenario(
        name=refusal.name,
        kind="illegal",
        ruleset=ruleset,
        rule=refusal.rule,
        moves=(*refusal.before, refusal.refused),
        terminal=refusal.outcome != "open",
        goals=dict(zip(ROLES[ruleset], GOALS[refusal.outcome], strict=True)),
        error=refusal.error,
    )


SCENARIOS: Final[tuple[Scenario, ...]] = tuple(
    scenario
    for ruleset in ROLES
    for scenario in (
        *(scenario_of(play, "normal", ruleset) for play in NORMAL),
        *(scenario_of(play, "edge", ruleset) for play in EDGE),
        *(refused_scenario(refusal, ruleset) for refusal in REFUSALS[ruleset]),
    )
)
"""All scenarios of the four rulesets, at least ten of each kind for each."""
