"""A ruleset as a match keeps it: rules, notation and picture in one JSON object.

In: a `Ruleset`. Out: a value for ``json``, and a `Ruleset` again that reads no file. A match
that carries its ruleset goes on under it whatever becomes of the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse_term
from gdl.language.syntax import kif_text
from gdl.match.pin_parts import items, named_texts, text
from gdl.match.pin_picture import pin_picture, unpin_picture
from gdl.match.pin_short_notation import pin_short_notation, unpin_short_notation
from gdl.match.refusal import LogError
from gdl.ruleset import Notation, Player, Presentation, Ruleset
from gdl.ruleset.flatten import flatten
from gdl.ruleset.notation import Field, Form, Piece

TEXTS = ("id", "title", "version", "source", "summary", "game_id", "ruleset_version")


def pin(ruleset: Ruleset) -> dict[str, Any]:
    """Return all that a match needs of a ruleset, as a value for ``json``.

    Raises:
        OSError: A rule file cannot be read.
        GdlSyntaxError: A rule file cannot be parsed.
    """
    rules, short = rules_of(ruleset), ruleset.short_notation
    return {
        **{_camel(name): getattr(ruleset, name) for name in TEXTS},
        "digest": digest(rules),
        "players": [
            {**asdict(player), "role": kif_text(player.role)} for player in ruleset.players
        ],
        "notation": _pin_notation(ruleset.notation),
        **({} if short is None else {"shortNotation": pin_short_notation(short)}),
        "picture": None if ruleset.picture is None else pin_picture(ruleset.picture),
        "rules": rules,
    }


def rules_of(ruleset: Ruleset) -> str:
    """Return the rules of a ruleset as one text, whose digest a match keeps."""
    return flatten(ruleset) if ruleset.paths else ruleset.text


def unpin(pinned: Mapping[str, Any], *, limits: Limits = DEFAULT_LIMITS) -> Ruleset:
    """Return the ruleset that was pinned.

    Raises:
        LogError: It is none, or its text does not have the digest that it should have.
    """
    try:
        _check_digest(pinned["digest"], digest(pinned["rules"]))
        id_, title, version, source, summary, game_id, ruleset_version = (
            text(pinned[_camel(name)]) for name in TEXTS
        )
        return Ruleset(
            id=id_,
            paths=(),
            title=title,
            version=version,
            source=source,
            summary=summary,
            game_id=game_id,
            ruleset_version=ruleset_version,
            text=pinned["rules"],
            presentation_source=_unpin_presentation(pinned),
            limits=limits,
        )
    except LogError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise LogError(
            f"the ruleset of the match is not whole: {type(error).__name__} {error}",
            expected="what gdl.match.pin.pin returns",
        ) from error


def _unpin_presentation(pinned: Mapping[str, Any]) -> Presentation:
    players, short = pinned["players"], pinned.get("shortNotation")
    return Presentation(
        tuple(map(_unpin_player, items(players))),
        _unpin_notation(pinned["notation"]),
        None if pinned["picture"] is None else unpin_picture(pinned["picture"]),
        None if short is None else unpin_short_notation(short),
    )


def _unpin_player(pinned: dict[str, object]) -> Player:
    told = named_texts(pinned)
    return Player(parse_term(told.pop("role")), **told)


def _check_digest(wanted: str, actual: str) -> None:
    if wanted != actual:
        raise LogError(
            "the rules of the match are not those that it began with: their digest is "
            f"{actual[:16]}...",
            expected=f"{wanted[:16]}...",
        )


def digest(rules: str) -> str:
    """Return the SHA-256 of a rule text, in hexadecimal; 64 characters."""
    return hashlib.sha256(rules.encode("utf-8", "surrogatepass")).hexdigest()


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _pin_notation(notation: Notation) -> dict[str, Any]:
    fields = {field.name: field for form in notation.forms for field in form.fields}
    return {
        "example": notation.example,
        "fields": {
            name: [[kif_text(term), text] for term, text in field.texts]
            for name, field in fields.items()
        },
        "forms": [
            {
                "move": kif_text(form.move),
                "text": _pin_pattern(form.pattern),
                "accept": [_pin_pattern(pattern) for pattern in form.accepted],
            }
            for form in notation.forms
        ],
    }


def _pin_pattern(pattern: tuple[Piece, ...]) -> list[str | dict[str, str]]:
    return [piece if isinstance(piece, str) else {"field": piece.name} for piece in pattern]


def _unpin_notation(pinned: Mapping[str, Any]) -> Notation:
    fields = {
        name: Field(name, tuple((parse_term(term), text(word)) for term, word in items(texts)))
        for name, texts in pinned["fields"].items()
    }

    def pattern(pieces: list[Any]) -> tuple[Piece, ...]:
        return tuple(p if isinstance(p, str) else fields[p["field"]] for p in items(pieces))

    forms = tuple(
        Form(
            parse_term(form["move"]),
            pattern(form["text"]),
            tuple(pattern(accepted) for accepted in items(form["accept"])),
        )
        for form in items(pinned["forms"])
    )
    return Notation(forms, text(pinned["example"]))
