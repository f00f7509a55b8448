"""A ruleset as a match keeps it: rules, notation and picture in one JSON object.

In: a `Ruleset`. Out: a value for ``json``, and a `Ruleset` again that reads no file. A match
that carries its ruleset goes on under it whatever becomes of the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse_term
from gdl.language.syntax import Term, kif_text
from gdl.match.refusal import LogError
from gdl.ruleset import Mark, Notation, Picture, Player, Presentation, Ruleset
from gdl.ruleset.board import CellFact
from gdl.ruleset.flatten import flatten
from gdl.ruleset.move_location import MovePlace
from gdl.ruleset.notation import Field, Form, Piece

TEXTS = ("id", "title", "version", "source", "summary", "game_id", "ruleset_version")


def pin(ruleset: Ruleset) -> dict[str, Any]:
    """Return all that a match needs of a ruleset, as a value for ``json``.

    Raises:
        OSError: A rule file cannot be read.
        GdlSyntaxError: A rule file cannot be parsed.
    """
    rules = flatten(ruleset) if ruleset.paths else ruleset.text
    return {
        **{_camel(name): getattr(ruleset, name) for name in TEXTS},
        "digest": digest(rules),
        "players": [{**asdict(each), "role": kif_text(each.role)} for each in ruleset.players],
        "notation": _pin_notation(ruleset.notation),
        "picture": None if ruleset.picture is None else _pin_picture(ruleset.picture),
        "rules": rules,
    }


def unpin(pinned: Mapping[str, Any], *, limits: Limits = DEFAULT_LIMITS) -> Ruleset:
    """Return the ruleset that was pinned.

    Raises:
        LogError: It is none, or its text does not have the digest that it should have.
    """
    try:
        _check_digest(pinned["digest"], digest(pinned["rules"]))
        id_, title, version, source, summary, game_id, ruleset_version = (
            _text(pinned[_camel(name)]) for name in TEXTS
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
    players = pinned["players"]
    return Presentation(
        tuple(Player(**{**each, "role": parse_term(each["role"])}) for each in players),
        _unpin_notation(pinned["notation"]),
        None if pinned["picture"] is None else _unpin_picture(pinned["picture"]),
    )


def _check_digest(wanted: str, found: str) -> None:
    if wanted != found:
        raise LogError(
            "the rules of the match are not those that it began with: their digest is "
            f"{found[:16]}...",
            expected=f"{wanted[:16]}...",
        )


def digest(rules: str) -> str:
    """Return the SHA-256 of a rule text, in hexadecimal; 64 characters."""
    return hashlib.sha256(rules.encode("utf-8", "surrogatepass")).hexdigest()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


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
        name: Field(name, tuple((parse_term(term), _text(text)) for term, text in texts))
        for name, texts in pinned["fields"].items()
    }

    def pattern(pieces: list[Any]) -> tuple[Piece, ...]:
        return tuple(p if isinstance(p, str) else fields[p["field"]] for p in pieces)

    forms = tuple(
        Form(
            parse_term(form["move"]),
            pattern(form["text"]),
            tuple(pattern(each) for each in form["accept"]),
        )
        for form in pinned["forms"]
    )
    return Notation(forms, _text(pinned["example"]))


def _pin_picture(picture: Picture) -> dict[str, Any]:
    return {
        "columns": list(map(kif_text, picture.columns)),
        "rows": list(map(kif_text, picture.rows)),
        "columnLabels": list(picture.column_labels),
        "rowLabels": list(picture.row_labels),
        "columnBreaks": list(picture.column_breaks),
        "rowBreaks": list(picture.row_breaks),
        "cells": [
            {
                "fact": kif_text(cell.fact),
                "mark": cell.mark,
                "columnOffset": cell.column_offset,
                "rowOffset": cell.row_offset,
            }
            for cell in picture.cells
        ],
        "marks": [asdict(mark) for mark in picture.marks],
        "empty": asdict(picture.empty),
        "blank": sorted(picture.blank),
        "moves": [
            {
                "move": kif_text(kind.move),
                "columnOffset": kind.column_offset,
                "rowOffset": kind.row_offset,
                "blocks": {name: list(place) for name, place in kind.blocks},
                "turns": dict(kind.turns),
            }
            for kind in picture.moves
        ],
    }


def _unpin_picture(pinned: Mapping[str, Any]) -> Picture:
    def terms(texts: object) -> tuple[Term, ...]:
        return tuple(map(parse_term, cast("list[str]", texts)))

    return Picture(
        columns=terms(pinned["columns"]),
        rows=terms(pinned["rows"]),
        column_labels=tuple(pinned["columnLabels"]),
        row_labels=tuple(pinned["rowLabels"]),
        column_breaks=tuple(pinned["columnBreaks"]),
        row_breaks=tuple(pinned["rowBreaks"]),
        cells=tuple(
            CellFact(
                parse_term(cell["fact"]), cell["mark"], cell["columnOffset"], cell["rowOffset"]
            )
            for cell in pinned["cells"]
        ),
        marks=tuple(Mark(**mark) for mark in pinned["marks"]),
        empty=Mark(**pinned["empty"]),
        blank=frozenset(pinned["blank"]),
        moves=tuple(
            MovePlace(
                parse_term(kind["move"]),
                kind["columnOffset"],
                kind["rowOffset"],
                tuple((name, (row, column)) for name, (row, column) in kind["blocks"].items()),
                tuple(kind["turns"].items()),
            )
            for kind in pinned.get("moves", ())
        ),
    )
