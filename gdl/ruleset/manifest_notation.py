"""The ``[notation.NAME]`` table of a manifest.

In: the table. Out: a `Notation`; problems are noted in the table's file.

    [notation.squares]
    example = "E5 Q01 CW"
    field.column = { a = "A", b = "B" }
    field.row = "1..6"
    [[notation.squares.form]]
    move = "(turn ?column ?row ?quadrant ?direction)"
    text = "?column?row ?quadrant ?direction"
    accept = ["?column ?row ?quadrant ?direction"]
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.template import TemplateError, holes, read_template
from gdl.language.terms import Term
from gdl.ruleset.arithmetic import Sizes
from gdl.ruleset.errors import NotationError, did_you_mean, one_of
from gdl.ruleset.notation import Field, Form, Notation, Piece
from gdl.ruleset.toml_table import Table
from gdl.ruleset.values import read_values

_MOVE: Final = 'a term, for instance "(place ?column ?row)"'
_TEXT: Final = 'a text with the fields of the move, for instance "?column?row"'
MAX_FIELDS: Final = 12
"""Fields in one form; reading a move tries their values in turn."""
_PIECE: Final = re.compile(
    r"\?\{(?P<braced>\w+)\}|\?(?P<plain>\w+)|(?P<blank>\s+)|(?P<word>\w+|[^\w\s])"
)


def read_notation(table: Table, sizes: Sizes, *, is_usual: bool = True) -> Notation:
    """Return the notation that a table describes.

    Args:
        table: The table.
        sizes: What ranges may name: the parameters of the ruleset.
        is_usual: Whether these are the usual ones, so that the example must be a move.
    """
    table.only(("example", "field", "form"))
    problems = len(table.file.problems)
    fields = read_fields(table, sizes)
    forms = []
    for entry in table.tables("form", f"[[{table.name}.form]] tables", required=True):
        form = _form(entry, fields)
        if form is not None:
            forms.append(form)
    example = table.text("example", "a move in this notation")
    if example and len(table.file.problems) == problems:
        notation = Notation(tuple(forms))
        if is_usual:
            _check_example(table, example, notation)
        else:
            example = _example_of(notation, example)
    return Notation(tuple(forms), example)


def _example_of(notation: Notation, usual: str) -> str:
    """Return the usual example, or where it is no move any more one that is like it."""
    try:
        notation.parse(usual)
    except NotationError:
        return notation.format(next(notation.forms[0].moves())) if notation.forms else ""
    return usual


def read_fields(table: Table, sizes: Sizes, *, may_look_alike: bool = False) -> dict[str, Field]:
    """Return the fields of a table by name; see `read_values`."""
    section = table.table("field")
    if section is None:
        return {}
    for name in section.values:
        if not re.fullmatch(r"\w+", name):
            section.problem(
                "wrong-value", name, f"{name} is no field name", "letters, digits and _"
            )
    return {
        name: Field(name, read_values(section, name, sizes, may_look_alike=may_look_alike))
        for name in section.values
    }


def _form(table: Table, fields: dict[str, Field]) -> Form | None:
    table.only(("move", "text", "accept"))
    move = read_move(table)
    texts = [table.text("text", _TEXT), *table.list_of("accept", str, f"a list: {_TEXT}")]
    if move is None:
        return None
    patterns = []
    for number, text in enumerate(texts):
        pattern = _pattern(table, "text" if number == 0 else "accept", text, fields)
        if pattern is None:
            return None
        named = {piece.name for piece in pattern if isinstance(piece, Field)}
        if len(named) > MAX_FIELDS:
            table.problem("wrong-value", "text", "too many fields", f"at most {MAX_FIELDS}")
            return None
        if named != set(holes(move)):
            key = "text" if number == 0 else "accept"
            odd = min(named ^ set(holes(move)))
            only = "move" if odd in holes(move) else key
            table.problem(
                "field-mismatch",
                key,
                f"?{odd} is in the {only} alone",
                "the same fields in both",
                at=text,
            )
            return None
        patterns.append(pattern)
    return Form(move, patterns[0], tuple(patterns[1:]))


def read_move(table: Table) -> Term | None:
    """Return the template at the key ``move``, None (and a problem noted) if it is none."""
    text = table.text("move", _MOVE)
    if not text:
        return None
    try:
        return read_template(text)
    except TemplateError as error:
        table.problem("wrong-term", "move", f"the move is no term: {error}", _MOVE)
        return None


def _pattern(
    table: Table, key: str, text: str, fields: dict[str, Field]
) -> tuple[Piece, ...] | None:
    pieces: list[Piece] = []
    for piece in _PIECE.finditer(text.strip()):
        name = piece["braced"] or piece["plain"]
        if name is None:
            pieces.append(" " if piece["blank"] else piece["word"])
        elif name in fields:
            pieces.append(fields[name])
        else:
            note_unknown_field(table, key, name, fields)
            return None
    return tuple(pieces)


def note_unknown_field(table: Table, key: str, name: str, fields: dict[str, Field]) -> None:
    """Note that the text at a key names a field that is not there."""
    expected = one_of(f"?{field}" for field in fields)
    said, hint = f"there is no field {name}", did_you_mean(name, fields)
    table.problem("unknown-field", key, said, expected, hint=hint, at=name)


def _check_example(table: Table, example: str, notation: Notation) -> None:
    """Note an example that the notation cannot read, or would write differently."""
    try:
        written = notation.format(notation.parse(example))
    except NotationError as error:
        what = error.diagnostics[0]
        said, expected = "the example is no move", what.expected or "a move"
        table.problem("wrong-example", "example", said, expected, hint=what.help, at=example)
        return
    if written != example:
        said = "the example is not how the move is written"
        table.problem("wrong-example", "example", said, written, at=example)
