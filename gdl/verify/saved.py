"""The play of an answer as a file, and tables of what stands for what.

In: an answer, or a file. Out: TOML as `gdl.plays` reads it; and a map of terms.
"""

from __future__ import annotations

from pathlib import Path

from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse_term
from gdl.language.syntax import Term
from gdl.plays import SavedPlayError, played, read_toml, saved_text
from gdl.verify.answer import Difference


def write_saved(answer: Difference, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the play of an answer as TOML; the end of each game is worked out by the reasoner.

    Raises:
        SavedPlayError: The answer has no play.
    """
    if answer.plays is None:
        raise SavedPlayError("there is no play to save")
    names = answer.a, answer.b
    games = [
        played(name, play, limits=limits) for name, play in zip(names, answer.plays, strict=True)
    ]
    return saved_text(games, [f"{answer.a} and {answer.b}: {answer.headline}", *answer.what])


def read_map(path: Path) -> dict[Term, Term]:
    """Read what stands for what: tables ``roles``, ``moves`` and ``constants`` of KIF text.

    Raises:
        OSError: The file cannot be read.
        SavedPlayError: It is no map; says what is wrong.
    """
    partners: dict[Term, Term] = {}
    for name, table in read_toml(path).items():
        if name not in ("roles", "moves", "constants") or not isinstance(table, dict):
            raise SavedPlayError(
                f"{path}: {name!r} is no table of a map", expected="[roles], [moves], [constants]"
            )
        for mine, theirs in table.items():
            if not str(theirs).strip():
                raise SavedPlayError(
                    f"{path}: {mine!r} in [{name}] is not filled in",
                    expected="its name in the second game, or no line where that is the same",
                )
            term, partner = parse_term(mine), parse_term(str(theirs))
            if partners.setdefault(term, partner) != partner:
                raise SavedPlayError(
                    f"{path}: {term} stands for {partners[term]}, and in [{name}] for {partner}",
                    expected="one name for each word, whatever table it is in",
                )
    return partners
