"""The kinds of games that ``gdl new`` writes, and what is filled into their templates.

In: a kind, a name, a title, players, a size. Out: the texts of the files, by their names. What
depends on the size (facts of columns, a play along the whole board) is made here, so that the
rules read as if somebody had written them for that size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from string import Template, ascii_lowercase
from textwrap import fill
from typing import Final

from gdl.cli.terminal.guard import UsageError
from gdl.language.keywords import KEYWORDS
from gdl.plays import quoted
from gdl.ruleset.errors import did_you_mean

SYMBOLS: Final = (("●", "X", "#303030"), ("○", "O", "#f0f0f0"))
"""Symbol, letter and colour of each player."""
_PART: Final = re.compile(r"^@@ (\w+)\n", re.MULTILINE)
_ROW: Final = 90
"""Characters of a row of facts, at most."""
_BEATEN_BY: Final = {"rock": "paper", "paper": "scissors"}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of games.

    Attributes:
        name: The word that chooses it, and the name of its template.
        summary: What it is, in some words.
        size: What its size means.
        usual: The size if nobody says another.
        least: The smallest size.
        most: The largest.
        values: Makes what only this kind needs from size and players.
        players: The names of the players if nobody says others.
    """

    name: str
    summary: str
    size: str
    usual: int
    least: int
    most: int
    values: Callable[[int, Sequence[str]], dict[str, str]]
    players: tuple[str, ...] = ("black", "white")


def rows_of(facts: Sequence[str]) -> str:
    """Return facts in rows, as many in each as there is room for."""
    return fill(" ".join(fact.replace(" ", "\0") for fact in facts), _ROW).replace("\0", " ")


def _all(relation: str, values: Sequence[object]) -> str:
    return rows_of([f"({relation} {value})" for value in values])


def _chain(relation: str, values: Sequence[object]) -> str:
    return rows_of([f"({relation} {left} {right})" for left, right in pairwise(values)])


def _board(size: int, _: Sequence[str] = ()) -> dict[str, str]:
    columns, rows = ascii_lowercase[:size], range(1, size + 1)
    return {
        "columns": _all("column", columns),
        "rows": _all("row", rows),
        "right": _chain("right", columns),
        "up": _chain("up", rows),
        "down": _chain("down", rows),
        "letters": f"a..{columns[-1]}",
        "numbers": f"1..{size}",
        "numbers_down": f"{size}..1",
        "last": columns[-1],
        "cells": str(size * size),
    }


def _placement(size: int, players: Sequence[str]) -> dict[str, str]:
    """Add a full board but for a corner: pairs of columns alternate, so nobody has three."""
    stones = [
        f"(cell {column} {row + 1} {players[(number // 2 + row) % 2]})"
        for row in range(size)
        for number, column in enumerate(ascii_lowercase[:size])
        if (number, row) != (0, 0)
    ]
    return {**_board(size), "nearly_full": " ".join(stones)}


def _hexagons(size: int, _: Sequence[str]) -> dict[str, str]:
    columns, rows = ascii_lowercase[:size], range(1, size + 1)
    down = "; ".join(f"a{row}; b{row}" for row in rows).rpartition(";")[0]
    return {
        **_board(size),
        "down_column": down,
        "along_row": "; ".join(f"{column}1; {column}2" for column in columns),
    }


def _edges(size: int, _: Sequence[str]) -> dict[str, str]:
    dots = _board(size + 1)
    names = {
        "dot_columns": "columns",
        "dot_rows": "rows",
        "dot_right": "right",
        "dot_down": "down",
        "dots_letters": "letters",
        "dots_numbers": "numbers",
    }
    return {new: dots[name] for new, name in names.items()} | {"edges": str(2 * size * (size + 1))}


def _movement(size: int, _: Sequence[str]) -> dict[str, str]:
    last, before = ascii_lowercase[size - 1], ascii_lowercase[size - 2]
    down = [f"{last}{row}-{last}{row - 1}" for row in range(size, 2, -1)]
    up = [f"a{row}-a{row + 1}" for row in range(1, size - 1)]
    # Before it comes to the last row, a pawn goes straight; there it takes to the side.
    race = [move for pair in zip(up, down, strict=True) for move in pair]
    two = [f"{column}{row}-{column}{row + 1}" for row in range(1, size) for column in "ab"]
    other = [
        move for pair in zip(two, [*down, f"{last}2-{before}1"], strict=False) for move in pair
    ]
    return {
        **_board(size),
        "race_moves": str(3 * size - 2),
        "race_first": "; ".join([*race, f"a{size - 1}-b{size}"]),
        "race_second": "; ".join(other),
    }


def _graph(size: int, _: Sequence[str]) -> dict[str, str]:
    return {"clock": _chain("succ", range(size + 1)), "before_last": str(size - 1)}


def _piles(size: int, _: Sequence[str]) -> dict[str, str]:
    return {
        "counting": _chain("succ", range(size + 1)),
        "small": str(size - 2),
        "middle": str(size - 1),
        "less": str(size - 1),
        "takes": str(3 * size - 3),
    }


def _cards(size: int, _: Sequence[str]) -> dict[str, str]:
    cards = range(1, size + 1)
    mark = '{card} = {{ title = "{card}", symbol = "{card}", ascii = "{card}", shape = "card" }}'
    return {
        "card_facts": _all("card", cards),
        "card_chain": _chain("succ", cards),
        "card_range": f"1..{size}",
        "card_marks": "\n".join(mark.format(card=card) for card in cards),
        "deals": str(size * (size - 1)),
    }


def _simultaneous(size: int, players: Sequence[str]) -> dict[str, str]:
    first, second = players
    hands = ["rock", "paper"] * size
    won = [f"{first}: {hand} & {second}: {_BEATEN_BY[hand]}" for hand in hands[:size]]
    even = [f"{first}: {hand} & {second}: {hand}" for hand in hands[:size]]
    return {
        "counting": _chain("succ", range(size + 1)),
        "all_rounds": "; ".join(won),
        "even_rounds": "; ".join(even),
    }


def _puzzle(size: int, _: Sequence[str]) -> dict[str, str]:
    """Light what a press of the middle changes, and a press of the corner, but not both."""

    def cross(column: int, row: int) -> set[tuple[int, int]]:
        near = {(column, row), (column + 1, row), (column - 1, row)}
        near |= {(column, row + 1), (column, row - 1)}
        return {(x, y) for x, y in near if 0 <= x < size and 0 <= y < size}

    def named(column: int, row: int) -> str:
        return f"{ascii_lowercase[column]} {row + 1}"

    middle = (size // 2, size // 2)
    lit = sorted(cross(*middle) ^ cross(0, 0))
    pressed = [(column, row) for column in range(size) for row in range(size)][1:]
    return {
        **_board(size),
        "middle": named(*middle).replace(" ", ""),
        "lights": rows_of([f"(init (lit {named(*light)}))" for light in lit]),
        "nearly_pressed": " ".join(f"(pressed {named(*button)})" for button in pressed),
    }


KINDS: Final = (
    Kind("placement", "stones on a grid, three in a row", "columns and rows", 3, 3, 9, _placement),
    Kind(
        "hexagons", "stones on hexagons, two sides to join", "columns and rows", 5, 3, 11, _hexagons
    ),
    Kind("edges", "lines between dots, boxes to close", "boxes in a row", 2, 2, 6, _edges),
    Kind("movement", "pawns that move and take on a grid", "columns and rows", 4, 4, 9, _movement),
    Kind("graph", "men that move along lines", "moves until it is a draw", 20, 12, 99, _graph),
    Kind("piles", "heaps to take from", "things in the largest heap", 5, 3, 9, _piles),
    Kind(
        "cards", "chance, and hands that only their holder sees", "cards", 3, 3, 9, _cards,
        ("first", "second"),
    ),
    Kind(
        "simultaneous", "both move at once, in rounds", "rounds", 3, 2, 9, _simultaneous,
        ("left", "right"),
    ),
    Kind(
        "puzzle", "one player, lights to turn off", "columns and rows", 4, 3, 7, _puzzle,
        ("player",),
    ),
)  # fmt: skip
"""All kinds but a variant, which has a base in place of a size."""
VARIANT: Final = "variant"
NAMES: Final = (*(kind.name for kind in KINDS), VARIANT)


def kind_of(name: str) -> Kind:
    """Return the kind of that name.

    Raises:
        UsageError: There is none; names the nearest.
    """
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise UsageError(
        f"there is no kind of game {name!r}",
        expected=", ".join(NAMES),
        help=did_you_mean(name, NAMES),
    )


def checked_players(kind: Kind, players: Sequence[str]) -> tuple[str, ...]:
    """Return the names of players, if the rules of a kind can use them.

    Raises:
        UsageError: They are too many or too few, alike, or words that mean something else.
    """
    wanted = len(kind.players)
    if len(players) != wanted or len(set(players)) != wanted:
        raise UsageError(
            f"{', '.join(players) or 'nobody'} cannot play a game of the kind {kind.name}",
            expected="one name" if wanted == 1 else f"{wanted} different names",
        )
    taken = set(re.findall(r"(?<![?$\w-])[a-z][\w-]*", _code(kind))) | KEYWORDS
    for player in players:
        if not re.fullmatch(r"[a-z][a-z0-9_-]{0,29}", player):
            raise UsageError(
                f"{player!r} is no name of a player",
                expected="a small letter, then small letters, digits, - and _",
            )
        if player in taken:
            raise UsageError(
                f"{player} means something else in these rules", expected="another name"
            )
    return tuple(players)


def checked_size(kind: Kind, size: int) -> int:
    """Return a size that a kind can have.

    Raises:
        UsageError: It is too small or too large.
    """
    if kind.least <= size <= kind.most:
        return size
    raise UsageError(
        f"{size} is no size of a game of the kind {kind.name}",
        expected=f"{kind.size}: {kind.least} to {kind.most}",
    )


def write_game(
    kind: Kind, name: str, title: str, players: Sequence[str], size: int
) -> dict[str, str]:
    """Return the files of a new game, by their names: manifest, rules, tests."""
    values = dict(zip(("first", "second"), players, strict=False))
    values |= {"size": str(size), "title": title}
    values |= dict(zip(("First", "Second"), map(shown, players), strict=False))
    values |= kind.values(size, players)
    rules, manifest, tests = (Template(part).substitute(values) for part in _parts(kind))
    summary, _, presentation = manifest.partition("\n")
    about = Template(_template("manifest")).substitute(
        title=title,
        name=name,
        quoted_title=quoted(title),
        summary=summary,
        player_lines="\n".join(_player_lines(kind, players)),
        presentation=presentation.rstrip(),
    )
    begun = f"# What {title} must do. gdl test runs it; gdl test --help names the page about it.\n"
    return {
        "manifest.toml": about,
        f"{name}.kif": rules,
        f"{name}.test.toml": f'{begun}game = "manifest.toml"\n\n{tests}',
    }


def shown(name: str) -> str:
    """Return a name as people write it: ``old-man`` is "Old man"."""
    return name.replace("-", " ").replace("_", " ").capitalize()


def _player_lines(kind: Kind, players: Sequence[str]) -> Iterator[str]:
    if kind.name == "cards":
        yield 'random = { title = "Chance", symbol = "♦", ascii = "D", colour = "#808080" }'
    for player, (symbol, ascii_, colour) in zip(players, SYMBOLS, strict=False):
        yield (
            f'{player} = {{ title = "{shown(player)}", symbol = "{symbol}", ascii = "{ascii_}", '
            f'colour = "{colour}" }}'
        )


def _parts(kind: Kind) -> tuple[str, str, str]:
    """Return the rules, the manifest and the tests of a template."""
    _, *pieces = _PART.split(_template(kind.name))
    parts = dict(zip(pieces[::2], pieces[1::2], strict=True))
    return parts["rules"], parts["manifest"], parts["tests"]


def _template(name: str) -> str:
    return (files("gdl.cli.new") / "templates" / f"{name}.txt").read_text(encoding="utf-8")


def _code(kind: Kind) -> str:
    """Return the rules of a template without comments, whose words are anybody's."""
    return re.sub(r";.*", "", _parts(kind)[0])
