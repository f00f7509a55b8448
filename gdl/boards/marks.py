"""How what stands on a board is drawn, where nobody has said so.

In: names of what stands there, and the roles. Out: marks: those of a role in its colour, those of
pieces that everybody knows as such, all others by the letters that tell them apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from gdl.language.terms import Term, kif_text
from gdl.view.mark import DISC, STONE, TEXT, Mark

COLOURS: Final = {
    "white": "#f4f1e8", "black": "#222222", "red": "#d02020", "blue": "#2060c0",
    "green": "#2e9a46", "yellow": "#e0c020", "orange": "#e08020", "purple": "#8040a0",
    "pink": "#e080a0", "brown": "#805030", "gold": "#d0a020", "silver": "#b0b0b8",
    "teal": "#208888", "cyan": "#20b0c0", "magenta": "#c030a0", "gray": "#888888",
    "grey": "#888888", "tan": "#c8a878",
}  # fmt: skip
PALETTE: Final = ("#d02020", "#2060c0", "#2e9a46", "#e0c020", "#8040a0", "#e08020")
PIECES: Final = {
    "king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": "P",
}  # fmt: skip
GLYPHS: Final = {"K": "♚", "Q": "♛", "R": "♜", "B": "♝", "N": "♞", "P": "♟"}
EMPTY: Final = frozenset(
    [
        "blank",
        "empty",
        "b",
        "none",
        "nil",
        "clear",
        "free",
        "e",
        "space",
        "open",
        "nothing",
        "-",
        "_",
        ".",
        "vacant",
    ]
)
"""What rules call a cell on which nothing stands; a letter counts only if it fills most cells."""


def blank_of(names: Collection[str], commonest: str) -> frozenset[str]:
    """Return the names that mean an empty cell.

    Args:
        names: Of all that stands on cells.
        commonest: What stands on most cells in the first state.
    """
    return frozenset(
        name
        for name in names
        if name.lower() in EMPTY
        and (len(name) > 1 or name == commonest or all(map(str.isdecimal, set(names) - {name})))
    )


def marks(names: Sequence[str], roles: Sequence[Term]) -> tuple[Mark, ...]:
    """Return how each name is drawn."""
    players = [kif_text(role).lower() for role in roles]
    owners = {name: _owner(name, names, players) for name in names}
    kinds = {name: _kind(name, owners[name], players) for name in names}
    symbols = _symbols([kinds[name] or name for name in names])
    drawn = []
    for name in names:
        owner, kind = owners[name], kinds[name]
        colour = _colour(name, owner, players)
        letter = _piece(kind)
        symbol = GLYPHS.get(letter) or symbols[kind or name]
        shape = TEXT
        if colour:
            alone = sum(owners[other] == owner for other in names) == 1 or not kind
            shape = STONE if alone and not letter else DISC
        text = letter or symbols[kind or name]
        text = text.lower() if owner == len(players) - 1 and len(players) > 1 else text
        drawn.append(Mark(name, name, symbol, text, colour, shape))
    return tuple(drawn)


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)]


def _owner(name: str, names: Sequence[str], players: Sequence[str]) -> int | None:
    """Return the number of the role whose mark it is: its name says so, or its first letter."""
    words = _words(name)
    for number, player in enumerate(players):
        if player in words or name.lower() == player:
            return number
    initials = [player[:1] for player in players]
    if len(set(initials)) < len(initials) or len(players) < 2:  # noqa: PLR2004  # nobody to tell from
        return None
    short = [other for other in names if len(other) in {1, 2}]
    if name in short and name[0].lower() in initials:
        alike = [other for other in short if other[0].lower() in initials]
        used = {other[0].lower() for other in alike}
        if len(used) == len(initials):
            return initials.index(name[0].lower())
    return None


def _kind(name: str, owner: int | None, players: Sequence[str]) -> str:
    """Return what is left of a name without its owner and colour; empty for nothing."""
    if owner is not None and len(name) <= 2:  # noqa: PLR2004  # wp is a white p
        return name[1:]
    words = [word for word in _words(name) if word not in COLOURS and word not in players]
    return " ".join(words) if owner is not None or len(words) < len(_words(name)) else name


def _piece(kind: str) -> str:
    for word in _words(kind):
        if word in PIECES:
            return PIECES[word]
    return ""


def _colour(name: str, owner: int | None, players: Sequence[str]) -> str:
    said = [COLOURS[word] for word in _words(name) if word in COLOURS]
    if said:
        return said[0]
    if owner is None:
        return ""
    told = [COLOURS[word] for word in _words(players[owner]) if word in COLOURS]
    return told[0] if told else PALETTE[owner % len(PALETTE)]


def _symbols(kinds: Sequence[str]) -> dict[str, str]:
    """Return one or two letters for each kind, different ones as far as that goes."""
    chosen: dict[str, str] = {}
    series = Counter(re.sub(r"\d$", "", kind) for kind in kinds if re.fullmatch(r"[a-z]+\d", kind))
    for kind in dict.fromkeys(kinds):
        letters = "".join(_words(kind)) or kind
        options = [letters[:1].upper()]
        if series[kind[:-1]] > 1 and kind[-1:].isdecimal():  # p1 beside p2 is no P
            options = [f"{letters[0].upper()}{kind[-1]}"]
        if letters.isdecimal():
            options = [letters[:2]]
        else:
            further = (*letters[1:], *"23456789abcdefghijklmnopqrstuvwxyz")
            options += [(letters[0] + other).capitalize() for other in further]
        free = [option for option in options if option not in chosen.values()]
        chosen[kind] = (free or options)[0] or "?"
    return chosen
