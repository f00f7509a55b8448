"""A short notation as a match keeps it: a JSON object that says what a manifest said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl.language.parse import parse_term
from gdl.language.syntax import kif_text
from gdl.match.pin_parts import items, text
from gdl.ruleset.notation import Field
from gdl.ruleset.short_notation import After, IfNeeded, Pattern, ShortForm, ShortNotation


def pin_short_notation(notation: ShortNotation) -> dict[str, Any]:
    """Return a short notation as a value for ``json``."""
    fields = {name: part for form in notation.forms for name, part in form.fields.items()}
    return {
        "example": notation.example,
        "after": [
            {"sentence": kif_text(sign.sentence), "text": sign.text} for sign in notation.after
        ],
        "fields": {
            name: [[kif_text(term), text] for term, text in part.texts]
            for name, part in fields.items()
        },
        "forms": [
            {
                "move": kif_text(form.move),
                "where": list(map(kif_text, form.where)),
                "text": _pin_pattern(form.pattern),
                "accept": list(map(_pin_pattern, form.accepted)),
            }
            for form in notation.forms
        ],
    }


def unpin_short_notation(pinned: Mapping[str, Any]) -> ShortNotation:
    """Return the short notation that was pinned.

    Raises:
        KeyError, TypeError, ValueError: It is none.
    """
    fields = {
        name: Field(name, tuple((parse_term(term), text(word)) for term, word in items(texts)))
        for name, texts in pinned["fields"].items()
    }

    def pattern(pieces: list[Any]) -> Pattern:
        return tuple(
            piece
            if isinstance(piece, str)
            else IfNeeded(fields[piece["ifNeeded"]])
            if "ifNeeded" in piece
            else fields[piece["field"]]
            for piece in items(pieces)
        )

    forms = tuple(
        ShortForm(
            parse_term(form["move"]),
            tuple(map(parse_term, items(form["where"]))),
            pattern(form["text"]),
            tuple(map(pattern, items(form["accept"]))),
            fields,
        )
        for form in items(pinned["forms"])
    )
    after = tuple(
        After(parse_term(sign["sentence"]), text(sign["text"])) for sign in items(pinned["after"])
    )
    return ShortNotation(forms, after, text(pinned["example"]))


def _pin_pattern(pattern: Pattern) -> list[str | dict[str, str]]:
    return [
        piece
        if isinstance(piece, str)
        else {"ifNeeded": piece.field.name}
        if isinstance(piece, IfNeeded)
        else {"field": piece.name}
        for piece in pattern
    ]
