"""The programs that can take a seat.

In: the name of a player of `gdl.play`, or of one that whoever runs the server offers. Out: what is
asked for a move, or a `ProblemError`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.match.records import Seat
from gdl.web.problems import ProblemError

NATURE: Final = "random"
"""The player that draws for the role ``random``, and for a program that fails."""
NAME: Final = re.compile(r"\w[\w .+-]{0,39}")
"""What a program may be called that whoever runs the server offers."""


class OfferError(GdlError):
    """A player that cannot be offered."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A player that whoever runs the server offers under a name of his own.

    Attributes:
        name: What others see, and ask for.
        spec: The player, as ``gdl play --against`` takes it; never told to anybody.
        summary: What it is, one phrase.
        digest: Of the rules that it was trained on (`gdl.play.network_file.rules_digest`); empty
            where it plays whatever it is given.
    """

    name: str
    spec: str
    summary: str
    digest: str = ""


def offered(text: str) -> Offered:
    """Return the player that ``NAME=SPEC`` offers; it is made once, so that what is wrong shows.

    Raises:
        OfferError: The name is none, or that of another player.
        GdlError: There is no such player.
    """
    from gdl.play.registry import kinds, make, network_of

    name, equals, spec = (part.strip() for part in text.partition("="))
    if not equals or not spec or not NAME.fullmatch(name):
        raise OfferError(
            f"{text!r} offers no player",
            expected="NAME=SPEC, the name of 1 to 40 letters, digits, spaces and . + -",
        )
    if name in kinds():
        raise OfferError(f"there is a player {name} already", expected="another name")
    make(spec, own=True)
    network = network_of(spec)
    if not network:
        return Offered(name, spec, "a player of this server")
    from gdl.play.network_file import origin_of

    origin = origin_of(network)
    return Offered(name, spec, f"has learned from {origin.games:,} games", origin.digest)


def behind(agent: str, players: Sequence[Offered]) -> tuple[str, bool]:
    """Return the player behind the name of a program, and whether it is one that guests may name.

    Whether there is such a one shows where it is made.
    """
    for player in players:
        if player.name == agent:
            return player.spec, False
    return agent, True


def found(agent: str, players: Sequence[Offered]) -> tuple[str, bool]:
    """Return the same, and make it once: for who asks for one, not for each of its moves.

    Raises:
        ProblemError: ``unknown-agent``.
    """
    from gdl.play.registry import make

    spec, is_for_guests = behind(agent, players)
    if is_for_guests:
        try:
            make(spec, guest=True)
        except GdlError as error:
            raise ProblemError(422, "unknown-agent", str(error)) from error
    return spec, is_for_guests


def nature(at: int) -> Seat:
    """Return the seat of the role ``random``."""
    return Seat(RANDOM, "", "nature", f"0.1 {NATURE}", at)


def listed(players: Sequence[Offered] = ()) -> list[dict[str, Any]]:
    """Return the programs that can take a seat: those that are offered here, then all others."""
    from gdl.play.registry import Kind, kinds

    own = [
        {
            "name": player.name,
            "summary": player.summary,
            "options": [],
            "trained": bool(player.digest),
        }
        for player in players
    ]
    return own + [
        {
            "name": kind.name,
            "summary": kind.summary,
            "options": [
                {"name": option.name, "default": option.show(), "help": option.help}
                for option in kind.options or ()
            ],
            "trained": False,
        }
        for kind in map(Kind.for_guests, kinds().values())
        if not kind.needs_file
    ]
