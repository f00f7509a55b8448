"""The ``[short-notation.NAME]`` table of a manifest.

In: the table. Out: a `ShortNotation`; problems are noted in the table's file.

    [short-notation.san]
    example = "Nf3"
    after = [{ sentence = "won", text = "#" }, { sentence = "check", text = "+" }]
    field.file1 = "a..h"
    field.man = { wn = "N", bn = "N", wb = "B", bb = "B" }
    [[short-notation.san.form]]
    move = "(move ?file1 ?rank1 ?file2 ?rank2)"
    where = ["(cell ?file1 ?rank1 ?man)"]
    text = "?man[?file1][?rank1]?file2?rank2"
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.template import TemplateError, holes, read_template
from gdl.language.terms import Term, Variable
from gdl.ruleset.arithmetic import Sizes
from gdl.ruleset.manifest_notation import note_unknown_field, read_fields, read_move
from gdl.ruleset.notation import Field
from gdl.ruleset.short_notation import After, IfNeeded, Pattern, ShortForm, ShortNotation
from gdl.ruleset.toml_table import Table

_FACT: Final = 'facts, for instance ["(cell ?file1 ?rank1 ?man)"]'
_SENTENCE: Final = 'a sentence of the rules, for instance "check"'
_TEXT: Final = 'a text with fields, for instance "?man[?file1]?file2?rank2"'
_PIECE: Final = re.compile(
    r"\[\?(?P<needed>\w+)\]|\?\{(?P<braced>\w+)\}|\?(?P<plain>\w+)|(?P<word>\w+|[^\w\s])|\s+"
)
MAX_OPTIONAL: Final = 4
"""Fields of one text that are written where needed; each doubles the ways to write a move."""


def read_short_notation(table: Table, sizes: Sizes) -> ShortNotation:
    """Return the short notation that a table describes.

    Args:
        table: The table.
        sizes: What ranges may name: the parameters of the ruleset.
    """
    table.only(("example", "after", "field", "form"))
    fields = read_fields(table, sizes, may_look_alike=True)
    tables = table.tables("form", f"[[{table.name}.form]] tables", required=True)
    forms = (_form(entry, fields) for entry in tables)
    expected = 'a list: [{ sentence = "check", text = "+" }]'
    after = (_after(entry) for entry in table.tables("after", expected))
    return ShortNotation(
        tuple(form for form in forms if form),
        tuple(sign for sign in after if sign),
        table.text("example", "a move in this notation"),
    )


def _after(table: Table) -> After | None:
    table.only(("sentence", "text"))
    sentence = _template(table, "sentence", table.text("sentence", _SENTENCE), _SENTENCE)
    text = table.text("text", 'a sign, for instance "+"')
    return After(sentence, text) if sentence and text else None


def _form(table: Table, fields: dict[str, Field]) -> ShortForm | None:
    table.only(("move", "where", "text", "accept"))
    move = read_move(table)
    facts = [_template(table, "where", text, _FACT) for text in table.list_of("where", str, _FACT)]
    texts = [("text", table.text("text", _TEXT))]
    texts += [("accept", text) for text in table.list_of("accept", str, f"a list: {_TEXT}")]
    where = [fact for fact in facts if fact is not None]
    if move is None or len(where) < len(facts):
        return None
    bound = {name for term in (move, *where) for name in holes(term)}
    patterns = [_pattern(table, key, text, fields, bound) for key, text in texts]
    pieces = [pattern for pattern in patterns if pattern is not None]
    if len(pieces) < len(patterns):
        return None
    return ShortForm(move, tuple(where), pieces[0], tuple(pieces[1:]), fields)


def _template(table: Table, key: str, text: str, expected: str) -> Term | None:
    if not text:
        return None
    try:
        term = read_template(text)
    except TemplateError as error:
        table.problem("wrong-term", key, f"{text!r} is no term: {error}", expected, at=text)
        return None
    if isinstance(term, Variable):
        table.problem("wrong-term", key, f"{text} would be every fact", expected, at=text)
        return None
    return term


def _pattern(
    table: Table, key: str, text: str, fields: dict[str, Field], bound: set[str]
) -> Pattern | None:
    pieces: list[str | Field | IfNeeded] = []
    for word in _PIECE.finditer(text):
        name = word["needed"] or word["braced"] or word["plain"]
        if name is None:
            pieces += [word["word"]] if word["word"] else []
        elif name not in fields:
            note_unknown_field(table, key, name, fields)
            return None
        elif name not in bound:
            said, expected = f"?{name} is in the {key} alone", "a variable of the move or of a fact"
            table.problem("field-mismatch", key, said, expected, at=text)
            return None
        else:
            pieces.append(IfNeeded(fields[name]) if word["needed"] else fields[name])
    if sum(isinstance(piece, IfNeeded) for piece in pieces) > MAX_OPTIONAL:
        said = "too many fields are written only where needed"
        table.problem("wrong-value", key, said, f"at most {MAX_OPTIONAL}", at=text)
        return None
    return tuple(pieces)
