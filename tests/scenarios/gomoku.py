"""Scenarios of freestyle Gomoku: the 10 normal, 10 illegal and 10 edge ones source 002 asks for.

Also whole games that end on the last intersection, which chance never finds: drawn and won ones,
built on purpose by `drawn_game` and `won_on_the_last_cell`.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from tests.scenarios.model import Kind, Scenario

RULESET: Final = "gomoku/freestyle"
SIZE: Final = 15
Cell = tuple[int, int]
"""An intersection (x, y), both from 0 to 14, x from the left and y from the top."""


def notation(cell: Cell) -> str:
    """Return the move in the ruleset's notation."""
    return f"PLACE_STONE {{{cell[0]},{cell[1]}}}"


def alternate(black: Sequence[Cell], white: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the stones in the order of play, black first; black has as many or one more."""
    cells: list[Cell] = [cell for pair in zip(black, white, strict=False) for cell in pair]
    return (*cells, *black[len(white) :])


def run(x: int, y: int, dx: int, dy: int, count: int = 5) -> list[Cell]:
    """Return intersections in a straight line."""
    return [(x + n * dx, y + n * dy) for n in range(count)]


FIRST_ROW = run(0, 0, 2, 0, 8)
"""White stones that never make a line: every second intersection of the first row."""


# --- games that end on the last intersection ------------------------------------------------------


def has_line(cells: set[Cell], cell: Cell) -> bool:
    """Say whether five of the cells in a straight line hold this one (for building games only)."""
    x, y = cell
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for shift in range(5):
            if all((x + (n - shift) * dx, y + (n - shift) * dy) in cells for n in range(5)):
                return True
    return False


def drawn_game(chance: Random) -> tuple[Cell, ...]:
    """Return 225 moves, black first, that fill the board without a line of five.

    The final board starts from a weave of pairs in which no line is longer than two and black has
    113 stones of 225, is mirrored at random, and has random pairs of stones exchanged as long as
    no line of five appears. Any order of the stones is then a legal game: a part of a board
    without lines has none.

    Args:
        chance: Where the variation comes from; the same state of it gives the same game.
    """
    black, white = drawn_board(chance)
    return alternate(chance.sample(sorted(black), 113), chance.sample(sorted(white), 112))


def drawn_board(chance: Random) -> tuple[set[Cell], set[Cell]]:
    """Return black's and white's intersections of a full board without a line of five."""
    flip, mirror = chance.random() < 0.5, chance.random() < 0.5
    black: set[Cell] = set()
    white: set[Cell] = set()
    for x in range(SIZE):
        for y in range(SIZE):
            cell = (SIZE - 1 - x, y) if mirror else (x, y)
            owner = black if (x + 2 * y) % 4 < 2 else white
            owner.add((cell[1], cell[0]) if flip else cell)
    for _ in range(100):
        swap_a_pair(black, white, chance)
    return black, white


def swap_a_pair(black: set[Cell], white: set[Cell], chance: Random) -> None:
    """Exchange a black and a white stone, unless a line of five would appear."""
    gone, come = chance.choice(sorted(black)), chance.choice(sorted(white))
    new_black, new_white = black - {gone} | {come}, white - {come} | {gone}
    if has_line(new_black, come) or has_line(new_white, gone):
        return
    black.symmetric_difference_update({gone, come})
    white.symmetric_difference_update({gone, come})


def won_on_the_last_cell(chance: Random) -> tuple[Cell, ...]:
    """Return 225 moves, black first, of which the last one fills the board and makes a line.

    A drawn board is changed at random until black has five in one place, all of them lines through
    one stone: that stone is laid last.
    """
    while True:
        black, white = drawn_board(chance)
        x, y = chance.randrange(SIZE - 4), chance.randrange(SIZE)
        five = run(x, y, 1, 0)
        last = chance.choice(five)
        needed = [cell for cell in five if cell in white]
        spare = [cell for cell in chance.sample(sorted(black), 60) if cell not in five]
        given = spare[: len(needed)]
        black = (black | set(needed)) - set(given)
        white = (white | set(given)) - set(needed)
        before = black - {last}
        if not any(has_line(before, cell) for cell in before) and not any(
            has_line(white, cell) for cell in white
        ):
            order = chance.sample(sorted(before), 112)
            return alternate([*order, last], chance.sample(sorted(white), 112))


# --- scenarios ------------------------------------------------------------------------------------

OPEN: Final = {"black": 0, "white": 0}
BLACK_WINS: Final = {"black": 100, "white": 0}
WHITE_WINS: Final = {"black": 0, "white": 100}
DRAW: Final = {"black": 50, "white": 50}


def scenario(
    kind: Kind, name: str, rule: str, cells: Sequence[Cell], goals: dict[str, int]
) -> Scenario:
    """Return a scenario of legal moves."""
    winner = {100: "B", 0: None, 50: None}[goals["black"]] if goals["white"] != 100 else "W"
    last = cells[-1]
    color = "BW"[(len(cells) - 1) % 2]
    return Scenario(
        name=name,
        kind=kind,
        ruleset=RULESET,
        rule=rule,
        moves=tuple(map(notation, cells)),
        terminal=goals != OPEN,
        goals=goals,
        payload={
            "winnerColor": winner,
            "nextColor": "W" if color == "B" else "B",
            "ruleFlags": {"allowOverlineWin": True},
            "moveHistory[-1]": {"x": last[0], "y": last[1], "color": color},
            "moveHistory.length": len(cells),
        },
    )


def normal() -> Iterator[Scenario]:
    """Yield openings, and lines in all directions by both colours."""
    rule = "a line of five wins (002, 7)"
    yield scenario("normal", "opening-in-the-centre", "black first (002, 2)", [(7, 7)], OPEN)
    yield scenario(
        "normal", "opening-of-two-stones", "colours alternate (002, 2)", [(7, 7), (8, 8)], OPEN
    )
    yield scenario(
        "normal",
        "opening-in-the-corners",
        "every intersection is open at the start (002, 2)",
        [(0, 0), (14, 14), (14, 0), (0, 14)],
        OPEN,
    )
    yield scenario(
        "normal",
        "four-is-no-line",
        "five are needed (002, 1)",
        alternate(run(3, 7, 1, 0, 4), FIRST_ROW[:3]),
        OPEN,
    )
    for name, start in (
        ("horizontal", (3, 7, 1, 0)),
        ("vertical", (7, 3, 0, 1)),
        ("diagonal-descending", (3, 3, 1, 1)),
        ("diagonal-ascending", (3, 11, 1, -1)),
    ):
        cells = alternate(run(*start), FIRST_ROW[:4])
        yield scenario("normal", f"black-{name}", rule, cells, BLACK_WINS)
    for name, start in (("horizontal", (9, 13, -1, 0)), ("diagonal-ascending", (4, 9, 1, -1))):
        cells = alternate(FIRST_ROW[:5], run(*start))
        yield scenario("normal", f"white-{name}", rule, cells, WHITE_WINS)


def edge() -> Iterator[Scenario]:
    """Yield overlines, borders, double lines, threats and last intersections."""
    for length, filled in ((6, 2), (7, 3), (9, 4)):
        cells = run(2, 7, 1, 0, length)
        last = cells.pop(filled)
        yield scenario(
            "edge",
            f"overline-of-{length}",
            "more than five win as well (002, 3: allowOverlineWin)",
            alternate([*cells, last], FIRST_ROW[: length - 1]),
            BLACK_WINS,
        )
    for name, start in (
        ("first-row-into-the-corner", (10, 0, 1, 0)),
        ("last-column-into-the-corner", (14, 10, 0, 1)),
        ("diagonal-from-corner-to-the-edge", (0, 4, 1, -1)),
        ("main-diagonal-into-the-corner", (14, 14, -1, -1)),
    ):
        yield scenario(
            "edge",
            f"line-in-the-{name}",
            "the scan ends at the border of the board (002, 7)",
            alternate(run(*start), run(0, 7, 2, 0, 4)),
            BLACK_WINS,
        )
    yield scenario(
        "edge",
        "row-does-not-go-on-in-the-next-row",
        "contiguous on the board, not in memory (002, 7)",
        alternate([(12, 6), (13, 6), (14, 6), (0, 7), (1, 7)], FIRST_ROW[:4]),
        OPEN,
    )
    yield scenario(
        "edge",
        "line-hemmed-in-at-both-ends-wins",
        "freestyle does not ask for open ends (002, 1)",
        alternate(run(5, 7, 1, 0), [(4, 7), (10, 7), (0, 0), (2, 0)]),
        BLACK_WINS,
    )
    yield scenario(
        "edge",
        "one-stone-makes-two-lines",
        "two lines at once are one win (002, 7)",
        alternate(
            [*run(3, 7, 1, 0, 4), *run(7, 3, 0, 1, 4), (7, 7)],
            FIRST_ROW,
        ),
        BLACK_WINS,
    )
    yield from threats()
    yield from last_cell()


def threats() -> Iterator[Scenario]:
    """Yield games in which both colours have four: who moves first wins (002, 10)."""
    black, white = run(3, 5, 1, 0, 4), run(3, 9, 1, 0, 4)
    rule = "first player to create a line (002, 1): both have an open four"
    yield scenario(
        "edge",
        "simultaneous-threats-black-to-move",
        rule,
        [*alternate(black, white), (7, 5)],
        BLACK_WINS,
    )
    yield scenario(
        "edge",
        "simultaneous-threats-white-to-move",
        rule,
        [*alternate([*black, (0, 0)], white), (7, 9)],
        WHITE_WINS,
    )
    yield scenario(
        "edge",
        "fork-of-two-fours-loses-to-a-five",
        "a four, even a double one, is no win (002, 1)",
        alternate(
            [*run(3, 5, 1, 0, 3), *run(6, 6, 0, 1, 3), (6, 5)],
            [*run(3, 12, 1, 0, 4), (14, 0), (14, 2), (7, 12)],
        )[:14],
        WHITE_WINS,
    )


def last_cell() -> Iterator[Scenario]:
    """Yield full boards (002, 4 and 7)."""
    drawn = drawn_game(Random(225))
    yield scenario("edge", "last-cell-draw", "full board without a line: draw", drawn, DRAW)
    yield scenario("edge", "one-cell-before-the-draw", "224 stones: open", drawn[:-1], OPEN)
    won = won_on_the_last_cell(Random(225))
    yield scenario("edge", "last-cell-win", "a line on the last intersection wins", won, BLACK_WINS)


def illegal() -> Iterator[Scenario]:
    """Yield moves that are refused (002, 6 and 8)."""
    won = alternate(run(3, 7, 1, 0), FIRST_ROW[:4])
    drawn = drawn_game(Random(224))
    opening: tuple[Cell, ...] = ((7, 7),)
    empty: tuple[Cell, ...] = ()
    for name, before, refused, error, goals in (
        ("occupied-by-the-opponent", opening, "PLACE_STONE {7,7}", "occupied", OPEN),
        ("occupied-by-own", (*opening, (8, 8)), "PLACE_STONE {7,7}", "occupied", OPEN),
        ("x-too-large", empty, "PLACE_STONE {15,0}", "out-of-range", OPEN),
        ("y-too-large", empty, "PLACE_STONE {0,15}", "out-of-range", OPEN),
        ("x-negative", empty, "PLACE_STONE {-1,7}", "out-of-range", OPEN),
        ("y-negative", opening, "PLACE_STONE {7,-1}", "out-of-range", OPEN),
        ("white-begins", empty, "white: PLACE_STONE {7,7}", "out-of-turn", OPEN),
        ("black-twice", opening, "black: PLACE_STONE {8,8}", "out-of-turn", OPEN),
        ("black-twice-same-cell", opening, "black: PLACE_STONE {7,7}", "out-of-turn", OPEN),
        ("stone-after-a-win", won, "PLACE_STONE {14,14}", "game-over", BLACK_WINS),
        ("winner-goes-on", won, "black: PLACE_STONE {8,7}", "game-over", BLACK_WINS),
        ("stone-after-a-draw", drawn, "PLACE_STONE {0,0}", "game-over", DRAW),
        ("coordinate-missing", empty, "PLACE_STONE {7}", "malformed", OPEN),
        ("coordinate-not-whole", empty, "PLACE_STONE {7.5,7}", "malformed", OPEN),
    ):
        yield Scenario(
            name=name,
            kind="illegal",
            ruleset=RULESET,
            rule="validation (002, 6 and 8)",
            moves=(*map(notation, before), refused),
            terminal=goals != OPEN,
            goals=goals,
            error=error,
            payload={"moveHistory.length": len(before)},
        )


SCENARIOS: Final[tuple[Scenario, ...]] = (*normal(), *edge(), *illegal())
"""All scenarios; payload keys with ``[-1]`` or ``.length`` ask for a part of that field."""
