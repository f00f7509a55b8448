"""How people know a ruleset: who plays, how moves are written, what the board looks like."""

from __future__ import annotations

from dataclasses import dataclass

from gdl.language.terms import Term
from gdl.ruleset.notation import Notation
from gdl.ruleset.short_notation import ShortNotation
from gdl.view.picture import Picture


@dataclass(frozen=True, slots=True)
class Player:
    """One role as people know it.

    Attributes:
        role: The term that the rules use.
        title: For instance ``Black``.
        symbol: Its mark, one or two characters.
        ascii: The same in plain ASCII.
        colour: ``#rrggbb``, empty where none is given.
    """

    role: Term
    title: str
    symbol: str
    ascii: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Presentation:
    """What a manifest adds to rules; the default is that of rules without one.

    Attributes:
        players: Roles as people know them; empty without a manifest.
        notation: How moves are written; KIF text without a manifest.
        picture: Which facts are marks on which boards; None where facts are shown instead.
        short_notation: How legal moves are written where the position is known, if there is a
            shorter way.
    """

    players: tuple[Player, ...] = ()
    notation: Notation = Notation()  # noqa: RUF009  # an immutable value
    picture: Picture | None = None
    short_notation: ShortNotation | None = None
