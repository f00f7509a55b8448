"""A keystroke in a part of a ruleset: what is said of it is true of all parts, and little is read.

The other side of each comparison knows no version before: it reads all files whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.language.checks import incremental
from gdl.language.checks.check import check_reading, too_deep
from gdl.language.diagnostics import Diagnostic
from gdl.language.syntax import Description
from gdl.ruleset import Ruleset
from gdl.ruleset.reading import description_of
from tests.shared import IS_THOROUGH, ROOT, missing

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types

from gdl.lsp import manifests
from gdl.lsp.documents import Document, Reading
from gdl.lsp.parts import Parts, raised
from gdl.lsp.positions import Lines
from gdl.lsp.problems import as_diagnostic, problems

MANIFEST = """\
[[ruleset]]
id = "plain"
title = "Plain"
version = "1.0.0"
source = "none"
rules = ["one.kif", "two.kif", "three.hrf"]
facts = "steps"

[[ruleset]]
id = "other"
title = "Other"
version = "1.0.0"
source = "none"
rules = ["one.kif", "two.kif", "four.kif"]
facts = "steps"
replace = ["goal", "terminal"]
leave-out = ["odd"]

[[facts.steps]]
fact = "(succ ?i ?j)"
where.i = "1..3"
where.j = "i+1"
"""
FILES = {
    "one.kif": """\
(role white)
(role black)
(init (at 1))
(init (piece Left))
(<= (legal ?p (go ?n)) (role ?p) (succ ?o ?n) (true (at ?o)))
(<= (next (at ?n)) (does white (go ?n)) (not (odd ?n)))
""",
    "two.kif": """\
; 東 😀
(<= (next (piece ?p)) (true (piece ?p)))
(<= (odd ?n) (true (at ?n)) (far ?n))
(<= (far ?n) (true (at ?n)) (distinct ?n 1) (piece left))
(<= terminal (true (at 4)))
(<= (goal ?p 100) (role ?p) (far 4))
""",
    "three.hrf": "piece(left).\nlate(X) :- far(X) & ~odd(X).\n",
    "four.kif": "(<= terminal (true (at 3)))\n(<= (goal ?p 50) (role ?p))\n(piece left)\n",
}
TYPED = sorted(FILES)
SCRAPS = (
    *("(", ")", "(<=", "(<= (", "?", "?x", "|", ";", "'", "~", ":-", ".", "\n", "\r", "", " ", "x"),
    *("(not", "(true", "(or ", "goal", "101", "wihte", "piece", "Piece", "far", "(odd 3)", "東"),
)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(TYPED), st.integers(0, 300), st.integers(0, 12), st.sampled_from(SCRAPS)
    ),
    min_size=1,
    max_size=8,
)


def opened(path: Path) -> Document:
    text = path.read_text(encoding="utf-8")
    return Document(types.TextDocumentItem(path.as_uri(), "kif", 1, text), "utf-16")


def typed(document: Document, start: int, stop: int, text: str) -> None:
    """Put a text in place of another."""
    lines = document.reading.lines
    length = len(lines.text)
    where = lines.range(min(start, length), min(stop, length))
    change = types.TextDocumentContentChangePartial(range=where, text=text)
    document.change(document.version + 1, [change])


def of_ruleset(ruleset: Ruleset, parts: Parts) -> list[Diagnostic]:
    found: list[Diagnostic] = []

    def read() -> Description:
        return description_of(ruleset, parts.rules_of)

    return [*raised(lambda: found.extend(check_reading(read))), *found]


def whole(parts: Parts, readings: Mapping[str, Reading]) -> list[types.Diagnostic]:
    """Return what a text is told by a check that reads every file from its beginning."""
    fresh = {
        path: Reading(path, Lines(each.lines.text, "utf-16"), "kif", uri=each.uri)
        for path, each in readings.items()
    }
    anew = Parts(fresh[parts.reading.path], fresh)
    told = [each for ruleset in anew.rulesets for each in of_ruleset(ruleset, anew)]
    return [
        as_diagnostic(each, anew)
        for each in dict.fromkeys(told)
        if each.span is None or each.span.source is anew.reading.source
    ]


def sorted_words(found: Sequence[types.Diagnostic]) -> list[str]:
    return sorted(map(repr, found))


@settings(max_examples=25 if IS_THOROUGH else 2, deadline=None)
@given(EDITS)
def test_after_any_edits_of_any_parts_the_whole_check_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, int, int, str]]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "incremental"
    folder.mkdir(exist_ok=True)
    for name, text in (("manifest.toml", MANIFEST), *FILES.items()):
        (folder / name).write_text(text, encoding="utf-8")
    documents = {name: opened(folder / name) for name in TYPED}
    for number, (name, place, length, scrap) in enumerate(edits):
        typed(documents[name], place, place + length, scrap)
        readings = {each.path: each.reading for each in documents.values()}
        looked_at = documents[TYPED[number % len(TYPED)]]
        for each in dict.fromkeys((documents[name], looked_at)):
            parts = Parts(each.reading, readings)
            assert sorted_words(problems(parts)) == sorted_words(whole(parts, readings)), name


def test_a_keystroke_in_a_part_of_several_rulesets_judges_one_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = opened(ROOT / "rulesets" / "hex" / "hex.kif")
    assert len(Parts(document.reading).rulesets) == 2
    assert problems(Parts(document.reading)) == []
    judged: list[int] = []

    def counted(description: Description, depth: int) -> Iterator[Diagnostic]:
        judged.append(len(description.rules))
        return too_deep(description, depth)

    def unread(*_: object, **__: object) -> object:
        raise AssertionError("the manifest is the same")

    monkeypatch.setattr(incremental, "too_deep", counted)
    monkeypatch.setattr(manifests, "read_manifest", unread)
    where = document.reading.lines.text.index("(true (")
    typed(document, where, where + 6, "(treu ")
    assert {each.code for each in problems(Parts(document.reading))} == {"undefined-relation"}
    typed(document, where, where + 6, "(true (")
    assert [each.code for each in problems(Parts(document.reading))] == ["unclosed-bracket"]
    typed(document, where, where + 7, "(true ")
    assert problems(Parts(document.reading)) == []
    assert judged == [1, 1]  # of a rule with an open bracket nothing is said


def test_a_manifest_that_is_another_is_read_again(tmp_path: Path) -> None:
    for name, text in (("manifest.toml", MANIFEST), *FILES.items()):
        (tmp_path / name).write_text(text, encoding="utf-8")
    document = opened(tmp_path / "four.kif")
    assert [each.id for each in Parts(document.reading).rulesets] == ["other"]
    both = MANIFEST.replace('"three.hrf"]', '"four.kif"]', 1)
    (tmp_path / "manifest.toml").write_text(both, encoding="utf-8")
    assert [each.id for each in Parts(document.reading).rulesets] == ["plain", "other"]
    (tmp_path / "one.kif").unlink()
    assert Parts(document.reading).rulesets == []
    (tmp_path / "one.kif").write_text(FILES["one.kif"], encoding="utf-8")
    assert [each.id for each in Parts(document.reading).rulesets] == ["plain", "other"]
