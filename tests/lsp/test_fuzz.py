"""No edit kills the server, and what it says in the end is what ``gdl check`` says of the text."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from tests.shared import IS_THOROUGH, missing

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types

from gdl.lsp import completion, hints, hover, navigation, outline, problems, rename
from gdl.lsp.documents import Document, Reading
from gdl.lsp.positions import Lines
from gdl.lsp.rename import RenameError

SEED = """\
(role white) ; 東 😀
(role black)
(init (step 1))
(<= (legal ?p (go ?x)) (role ?p) (true (step ?x)))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(succ 1 2) (succ 2 3)
(<= terminal (true (step 3)) (not (dead white)))
(<= (goal ?p 100) (role ?p) (distinct ?p black))
"""
HRF_SEED = """\
role(white). % 東 😀
role(black).
init(step(1)).
legal(P,go(X)) :- role(P) & true(step(X)).
next(step(Y)) :- true(step(X)) & succ(X,Y).
succ(1,2). succ(2,3).
terminal :- true(step(3)) & ~dead(white).
goal(P,100) :- role(P) & distinct(P,black).
"""
SCRAPS = (
    *("(", ")", "(<=", "(<= (", "?", "?x", "|", '"', ";", "%", "'", "~", "&", ":-", "."),
    *("not", "true", "(true", "(or ", "distinct", "goal", "101", "wihte", "stpe", "_", "X", ","),
    *("\n", "\r\n", "\r", "\u2028", "\x0b", "é", "東", "😀", "\0", "\ufeff", " ", "\t", ""),
)
EDITS = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 12), st.sampled_from(SCRAPS)),
    min_size=1,
    max_size=12,
)


def facts(found: list[types.Diagnostic]) -> list[tuple[object, ...]]:
    """Return what is compared of diagnostics."""
    return sorted(
        (each.range.start.line, each.range.start.character, str(each.code), each.message)
        for each in found
    )


def of_check(path: Path, text: str) -> list[tuple[object, ...]]:
    """Return the same of what ``gdl check`` says of a file with that text."""
    path.write_bytes(text.encode("utf-8"))
    lines = Lines(text.removeprefix("\ufeff"), "utf-16")
    shift = Lines(text, "utf-16")
    mark = len(text) - len(lines.text)
    told = []
    for each in gdl.check(path):
        start = shift.position(each.span.start + mark) if each.span else types.Position(0, 0)
        advice = [f"expected: {each.expected}"] if each.expected else []
        advice += [f"help: {each.help}"] if each.help else []
        advice += [f"note: {note.message}" for note in each.notes if note.span is None]
        message = "\n".join([each.message, *advice])
        told.append((start.line, start.character, each.slug, message))
    return sorted(told)


def ask_everything(reading: Reading, position: types.Position) -> None:
    """Ask all that an editor asks at a position; nothing may raise but refusals."""
    uri = "file:///x"
    completion.completions(reading, position)
    hover.hover(reading, position)
    navigation.definition(reading, uri, position)
    navigation.references(reading, uri, position, with_definition=True)
    navigation.highlights(reading, position)
    outline.symbols(reading)
    outline.folds(reading)
    assert all(number >= 0 for number in outline.tokens(reading).data)
    whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
    hints.inlay_hints(reading, whole)
    hints.lenses(reading, uri, "", has_terminal=True)
    problems.quick_fixes(reading, uri, problems.problems(reading, {}))
    with contextlib.suppress(RenameError):
        rename.rename(reading, position, "anders")


@settings(max_examples=500 if IS_THOROUGH else 10, deadline=None)
@given(st.sampled_from([("a.kif", SEED), ("a.hrf", HRF_SEED)]), EDITS)
def test_after_any_edits_it_says_what_check_says(
    tmp_path_factory: pytest.TempPathFactory,
    begin: tuple[str, str],
    edits: list[tuple[int, int, str]],
) -> None:
    name, text = begin
    path = tmp_path_factory.getbasetemp() / name
    item = types.TextDocumentItem(path.as_uri(), "kif", 1, text)
    document = Document(item, "utf-16")
    for version, (place, length, scrap) in enumerate(edits, 2):
        start, stop = min(place, len(text)), min(place + length, len(text))
        lines = Lines(text, "utf-16")
        where = lines.range(start, stop)
        start, stop = lines.offset(where.start), lines.offset(where.end)
        text = text[:start] + scrap + text[stop:]
        change = types.TextDocumentContentChangePartial(range=where, text=scrap)
        document.change(version, [change])
        ask_everything(document.reading, where.start)
    assert document.reading.lines.text == text
    assert facts(problems.problems(document.reading, {})) == of_check(path, text)


@pytest.mark.slow
@pytest.mark.skipif(bool(missing("editor-test")), reason=missing("editor-test") or "it is there")
def test_a_server_survives_a_thousand_edits(tmp_path: Path) -> None:
    from tests.lsp.client import editor, session

    chance = random.Random(17)

    async def run() -> None:
        async with editor(tmp_path / "a.kif", SEED) as typed:
            for number in range(1, 1001):
                start = chance.randrange(len(typed.text) + 1)
                stop = min(len(typed.text), start + chance.choice((0, 0, 1, 3)))
                where = Lines(typed.text, "utf-16").range(start, stop)
                lines = Lines(typed.text, "utf-16")
                typed.replace(
                    lines.offset(where.start), lines.offset(where.end), chance.choice(SCRAPS)
                )
                if number % 100 == 0:
                    found = facts(await typed.problems())
                    assert found == of_check(tmp_path / "b.kif", typed.text)
                    start = len(typed.text)
                    typed.replace(0, start, SEED)
            assert facts(await typed.problems()) == of_check(tmp_path / "b.kif", SEED)

    session(run)
