"""A picture as a match keeps it: a JSON object that says what a manifest said.

The first board's fields stand beside the marks, as they did when a picture was one grid; what has
its default is left out but for those fields, so that pictures of that time read and are written
as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from gdl.language.parse import parse_term
from gdl.language.syntax import Term, kif_text
from gdl.language.template import holes
from gdl.match.pin_parts import items, named_texts, number, text, texts, whole
from gdl.view.mark import Mark
from gdl.view.picture import CellFact, Layout, MovePlace, Picture, Spot, default_steps

_WORDS: Final = ("kind", "ground", "slant", "outline", "title")
_PLAIN: Final = Layout()
_CELL: Final = "?column ?row"


def pin_picture(picture: Picture) -> dict[str, Any]:
    """Return a picture as a value for ``json``."""
    first, *more = map(_pin_board, picture.boards)
    return {
        **first,
        "marks": [_pin_mark(mark) for mark in picture.marks],
        "empty": _pin_mark(picture.empty),
        "blank": sorted(picture.blank),
        **({"boards": more} if more else {}),
    }


def unpin_picture(pinned: Mapping[str, Any]) -> Picture:
    """Return the picture that was pinned.

    Raises:
        KeyError, TypeError, ValueError: It is none.
    """
    return Picture(
        tuple(map(_unpin_board, (pinned, *items(pinned.get("boards", []))))),
        tuple(Mark(**named_texts(mark)) for mark in items(pinned["marks"])),
        Mark(**named_texts(pinned["empty"])),
        frozenset(texts(pinned["blank"])),
    )


def _pin_mark(mark: Mark) -> dict[str, str]:
    return {name: value for name, value in asdict(mark).items() if name != "shape" or value}


def _pin_board(board: Layout) -> dict[str, Any]:
    return {
        "columns": list(map(kif_text, board.columns)),
        "rows": list(map(kif_text, board.rows)),
        "columnLabels": list(board.column_labels),
        "rowLabels": list(board.row_labels),
        "columnBreaks": list(board.column_breaks),
        "rowBreaks": list(board.row_breaks),
        "cells": [_pin_cell(cell) for cell in board.cells],
        "moves": [_pin_move(move) for move in board.moves],
        **{
            name: told for name in _WORDS if (told := getattr(board, name)) != getattr(_PLAIN, name)
        },
        **({"beside": True} if board.beside else {}),
        **({"map": list(board.map)} if board.map else {}),
        **({"spots": [asdict(spot) for spot in board.spots]} if board.spots else {}),
        **({"lines": list(map(list, board.lines))} if board.lines else {}),
    }


def _unpin_board(pinned: Mapping[str, Any]) -> Layout:
    return Layout(
        columns=tuple(map(parse_term, items(pinned["columns"]))),
        rows=tuple(map(parse_term, items(pinned["rows"]))),
        column_labels=texts(pinned["columnLabels"]),
        row_labels=texts(pinned["rowLabels"]),
        column_breaks=tuple(map(whole, items(pinned["columnBreaks"]))),
        row_breaks=tuple(map(whole, items(pinned["rowBreaks"]))),
        cells=tuple(map(_unpin_cell, items(pinned["cells"]))),
        moves=tuple(map(_unpin_move, items(pinned.get("moves", [])))),
        map=texts(pinned.get("map", [])),
        spots=tuple(map(_unpin_spot, items(pinned.get("spots", [])))),
        lines=tuple(map(texts, items(pinned.get("lines", [])))),
        beside=bool(pinned.get("beside", _PLAIN.beside)),
        **{name: text(pinned[name]) for name in _WORDS if name in pinned},
    )


def _unpin_spot(pinned: Mapping[str, Any]) -> Spot:
    words = {name: told for name, told in pinned.items() if name not in {"at", "size"}}
    (x, y), (width, height) = pinned["at"], pinned["size"]
    at, size = (number(x), number(y)), (number(width), number(height))
    return Spot(at=at, size=size, **named_texts(words))


def _pin_cell(cell: CellFact) -> dict[str, Any]:
    return {
        "fact": kif_text(cell.fact),
        "mark": cell.mark,
        "columnOffset": cell.column_offset,
        "rowOffset": cell.row_offset,
        **({} if cell.at == _CELL else {"at": cell.at}),
        **({"turns": dict(cell.turns)} if cell.turns else {}),
        **({"links": {name: list(step) for name, step in cell.links}} if cell.links else {}),
        **({"prefix": cell.prefix} if cell.prefix else {}),
    }


def _unpin_cell(pinned: Mapping[str, Any]) -> CellFact:
    return CellFact(
        parse_term(pinned["fact"]),
        None if pinned["mark"] is None else text(pinned["mark"]),
        whole(pinned["columnOffset"]),
        whole(pinned["rowOffset"]),
        text(pinned.get("at", _CELL)),
        _turns(pinned.get("turns", {})),
        _places(pinned.get("links", {})),
        text(pinned.get("prefix", "")),
    )


def _pin_move(move: MovePlace) -> dict[str, Any]:
    return {
        "move": kif_text(move.move),
        "columnOffset": move.column_offset,
        "rowOffset": move.row_offset,
        "blocks": {name: list(place) for name, place in move.blocks},
        "turns": dict(move.turns),
        **({} if move.at == _default_steps(move.move) else {"at": list(move.at)}),
        **({"role": move.role} if move.role else {}),
    }


def _unpin_move(pinned: Mapping[str, Any]) -> MovePlace:
    move = parse_term(pinned["move"])
    return MovePlace(
        move,
        whole(pinned["columnOffset"]),
        whole(pinned["rowOffset"]),
        _places(pinned["blocks"]),
        _turns(pinned["turns"]),
        texts(pinned["at"]) if "at" in pinned else _default_steps(move),
        text(pinned.get("role", "")),
    )


def _turns(pinned: Mapping[str, object]) -> tuple[tuple[str, int], ...]:
    """Return degrees by name."""
    return tuple((name, whole(degrees)) for name, degrees in pinned.items())


def _places(pinned: Mapping[str, Any]) -> tuple[tuple[str, tuple[int, int]], ...]:
    """Return two numbers by name."""
    return tuple((name, (whole(x), whole(y))) for name, (x, y) in pinned.items())


def _default_steps(move: Term) -> tuple[str, ...]:
    """Return the cell that a move without a word about it is made on."""
    return default_steps(set(holes(move)))
