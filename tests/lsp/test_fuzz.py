"""No edit kills the server, and what it says in the end is what ``gdl check`` says of the text."""

from __future__ import annotations

import contextlib
import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.language.checks.check import check_reading
from gdl.language.checks.incremental import Recheck
from gdl.language.diagnostics import Diagnostic
from gdl.language.parse import parse
from gdl.language.parse.incremental import Pieces
from gdl.language.source import Source, Span
from tests.shared import IS_THOROUGH, ROOT, missing

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types

from gdl.lsp import completion, hints, hover, navigation, outline, problems, rename
from gdl.lsp.documents import Document, Reading
from gdl.lsp.parts import Parts
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
    completion.completions(Parts(reading), position)
    hover.hover(Parts(reading), position)
    navigation.definition(Parts(reading), position)
    navigation.references(Parts(reading), position, with_definition=True)
    navigation.highlights(reading, position)
    outline.symbols(reading)
    outline.folds(reading)
    assert all(number >= 0 for number in outline.tokens(reading).data)
    whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
    hints.inlay_hints(Parts(reading), whole)
    hints.lenses(reading, uri, "", [("play", hints.PLAY)])
    problems.quick_fixes(reading, uri, problems.problems(Parts(reading)))
    with contextlib.suppress(RenameError):
        rename.rename(Parts(reading), position, "anders")


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
    assert facts(problems.problems(Parts(document.reading))) == of_check(path, text)


def where(span: Span | None) -> tuple[int, int, str] | None:
    return None if span is None else (span.start, span.stop, span.source.text)


def told(problems: list[Diagnostic]) -> list[tuple[object, ...]]:
    """Return all that diagnostics say, with offsets for places."""
    return [
        (
            *(said.slug, said.severity, said.message, said.expected, said.help, said.slip),
            where(said.span),
            [
                (note.message, note.span and (note.span.start, note.span.stop))
                for note in said.notes
            ],
        )
        for said in problems
    ]


class Kept:
    """What an editor keeps of one text."""

    def __init__(self) -> None:
        self.pieces, self.recheck = Pieces("a.kif"), Recheck()

    def problems(self, source: Source) -> list[Diagnostic]:
        with self.recheck:
            return self.recheck.problems(
                partial(self.pieces.rules, source), partial(parse, source, syntax="kif")
            )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n  ", " "])
@pytest.mark.parametrize("seed", range(20 if IS_THOROUGH else 1))
def test_what_is_kept_from_version_to_version_changes_nothing(end: str, seed: int) -> None:
    """Edits of all sizes, moved pieces among them: the kept check says what the whole one does."""
    chance = random.Random(f"{end!r} {seed}")
    game = (ROOT / "rulesets" / "tictactoe" / "tictactoe.kif").read_text(encoding="utf-8")
    whole = (game if seed % 2 else SEED * 2).replace("\n", end)
    kept, text = Kept(), whole
    for _ in range(30):
        text = whole if chance.random() < 0.1 else text
        start = chance.randrange(len(text) + 1)
        stop = start + chance.choice((0, 0, 0, 1, 3, 150))
        moved = chance.randrange(len(text) + 1)
        put = chance.choice((*SCRAPS, text[moved : moved + 120]))
        text = text[:start] + put + text[stop:]
        source = Source("a.kif", text)
        assert told(kept.problems(source)) == told(check_reading(partial(parse, source))), text


def test_only_what_an_edit_touched_is_read_again() -> None:
    text = (ROOT / "rulesets" / "tictactoe" / "tictactoe.kif").read_text(encoding="utf-8")
    pieces = Pieces("a.kif")
    pieces.read(Source("a.kif", text))
    for scrap in ("x", "(", ")", "?"):
        before = pieces.pieces
        pieces.read(Source("a.kif", text.replace("(row ?row)", f"(row ?row){scrap}", 1)))
        fresh = [new for old, new in zip(before, pieces.pieces, strict=True) if old is not new]
        assert [scrap in new.text and len(new.text) < 200 for new in fresh] == [True]
        pieces.read(Source("a.kif", text))


@pytest.mark.slow
def test_room_between_pieces_is_made_anew_when_it_is_used_up() -> None:
    rules = [f"\n(<= p{number}\n    (q {number}))" for number in range(60)]
    kept, text = Kept(), "(q 0)" + rules[0]
    for rule in rules[1:]:
        text = text.replace("(q 0)\n", f"(q 0){rule}\n", 1)
        source = Source("a.kif", text)
        assert told(kept.problems(source)) == told(check_reading(partial(parse, source)))


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
