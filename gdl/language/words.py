"""Words in messages: terms cut to a readable length, numbers and lists for a sentence.

In: terms, names or numbers. Out: text for people, of bounded length whatever the input.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gdl.language.syntax import Compound, Place, Term, Variable, kif_symbol, kif_text

MAX_SHOWN: Final = 60
"""Characters of a term or name that a message shows."""

MAX_DEPTH_SHOWN: Final = 20
"""Deeper terms are shown by their name alone."""


def shown(term: Term) -> str:
    """Return a term as KIF text, cut to `MAX_SHOWN` characters."""
    if isinstance(term, Compound) and term.depth > MAX_DEPTH_SHOWN:
        return f"({cut(kif_symbol(term.name))} ...)"
    return cut(kif_text(term))


def written(term: Term, place: Place | None) -> str:
    """Return a term as it was written, in either notation; as KIF text when that is not known."""
    if place is None:
        return shown(term)
    text = " ".join(place.span.text[: 2 * MAX_SHOWN].split())
    if isinstance(term, Variable) and text.removeprefix("?").casefold() != term.name.casefold():
        return shown(term)  # carried here from another place, see `clauses`
    return cut(text)


def cut(text: str) -> str:
    """Return a text cut to `MAX_SHOWN` characters."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun: ``1 game``, ``1,000 games``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(names: Iterable[str], *, most: int = 8) -> str:
    """Return names as a list for a sentence, at most ``most`` of them."""
    all_names = list(names)
    text = ", ".join(cut(name) for name in all_names[:most])
    return text if len(all_names) <= most else f"{text} and {len(all_names) - most:,} more"
