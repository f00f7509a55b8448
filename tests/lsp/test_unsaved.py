"""What the edits of a text change of the saved game, shown as a document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

import gdl
from tests.shared import ROOT, missing, needs

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from gdl.lsp import comparing, unsaved
from gdl.lsp.documents import Reading
from gdl.lsp.positions import Lines
from tests.lsp.pile import PILE

if TYPE_CHECKING:
    from tests.lsp.client import Editor

SHORTER = PILE.replace("terminal (true (pile 0))", "terminal (true (pile 1))")


@pytest.fixture
def below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "below"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path / "pile.kif"


class Steps(HTMLParser):
    """The steps of a page, and whether anything in it could run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.summaries: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, text: str) -> None:
        if self.tags[-1] == "summary" and text not in self.summaries:
            self.summaries.append(text)


@needs("verify")
def test_both_boards_are_shown_before_and_after_each_move(below: Path) -> None:
    stages: list[str] = []
    page = unsaved.compare(
        unsaved.Edited(str(below), PILE, SHORTER), lambda stage, _: stages.append(stage)
    )
    assert page.headline == "pile.kif: differs after 2 moves (no shorter play does)"
    assert stages
    headings = [line for line in page.markdown.splitlines() if line.startswith("#")]
    assert headings == [
        "# What the edits of pile.kif change",
        "## pile.kif",
        "### 0. before the first move",
        "### 1. take",
        "### 2. take",
        "### report",
    ]
    assert "edited/pile.kif:10" in page.markdown
    steps = Steps(page.html)
    assert steps.summaries == ["0. before the first move", "1. take", "2. take", "report"]
    assert not {"script", "iframe", "link", "img"} & set(steps.tags)


@needs("verify")
def test_that_the_meaning_is_the_same_is_said_with_its_proof(below: Path) -> None:
    lines = PILE.splitlines(keepends=True)
    page = unsaved.compare(unsaved.Edited(str(below), PILE, "".join(reversed(lines))))
    assert page.headline == ("pile.kif: equivalent (proved by the same rules, in whatever order)")
    assert "report" in page.markdown


@pytest.mark.slow
@needs("verify")
def test_a_part_is_compared_in_each_ruleset_that_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = ROOT / "rulesets" / "tictactoe" / "tictactoe.kif"
    text = path.read_text(encoding="utf-8")
    swapped = text.replace("(init (control x))", "(init (control o))")
    assert swapped != text
    page = unsaved.compare(unsaved.Edited(str(path), text, swapped))
    name = unsaved_names(path)
    assert [line.partition(":")[0] for line in page.headline.splitlines()] == name
    assert "at the beginning" in page.markdown
    assert "<svg" in page.html


def text_at(address: str) -> str:
    return Path(url2pathname(urlparse(address).path)).read_text(encoding="utf-8")


def unsaved_names(path: Path) -> list[str]:
    return [ruleset.id for ruleset in gdl.rulesets() if path in ruleset.paths]


@pytest.mark.parametrize(
    ("name", "saved", "now", "told"),
    [
        ("new.kif", None, PILE, "never saved\n  help: save it: edits are compared with what is"),
        ("a.kif", PILE, PILE + "(role", "error[unclosed-bracket]: this bracket is never closed"),
        ("manifest.toml", "", "", "holds no rules\n  expected: a rule file"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(
    tmp_path: Path, name: str, saved: str | None, now: str, told: str
) -> None:
    path = tmp_path / name
    if saved is not None:
        path.write_text(saved, encoding="utf-8")
    with pytest.raises(gdl.GdlError) as refusal:
        comparing.edited(Reading(str(path), Lines(now, "utf-16"), "kif"))
    assert told in str(refusal.value)


@pytest.mark.parametrize("seconds", [0, -1, True, "9", None, 1e9])
def test_a_wrong_number_of_seconds_is_refused_in_words(tmp_path: Path, seconds: object) -> None:
    path = tmp_path / "a.kif"
    path.write_text(PILE, encoding="utf-8")
    with pytest.raises(gdl.GdlError) as refusal:
        comparing.edited(Reading(str(path), Lines(SHORTER, "utf-16"), "kif"), seconds)
    assert str(refusal.value) == (
        f"the seconds of a comparison are {seconds!r}\n  expected: a number from 1 to 3600"
    )


async def write_beside(typed: Editor, at: int, under_way: asyncio.Future[dict[str, str]]) -> None:
    """Type while a comparison is under way, and hold that it is answered before that ends."""
    answers: list[int | None] = []
    under_way.add_done_callback(lambda _: answers.append(typed.shown[typed.uri][0]))
    await typed.begun.wait()  # with the text as it is
    typed.replace(at, at + 6, "pile 0")
    assert await typed.problems() == []
    assert "differs after 2 moves" in (await under_way)["headline"]
    assert answers == [typed.version]


@needs("verify")
@needs("editor-test")
@pytest.mark.slow
def test_an_editor_opens_the_document_and_cancels_a_long_one(tmp_path: Path) -> None:
    from lsprotocol import types
    from pygls.exceptions import JsonRpcException

    from tests.lsp.client import editor, session

    path = tmp_path / "pile.kif"
    path.write_text(PILE, encoding="utf-8")

    def lens_titles(found: Sequence[types.CodeLens] | None) -> list[str]:
        return [each.command.title for each in found or () if each.command]

    async def run() -> None:
        async with editor(path, PILE) as typed:
            client, asked = typed.client, types.CodeLensParams(typed.document)

            async def told(command: types.ExecuteCommandParams) -> dict[str, str]:
                answer = await client.workspace_execute_command_async(command)
                assert answer is not None
                return dict(answer)

            await typed.problems()
            assert lens_titles(await client.text_document_code_lens_async(asked)) == [
                "legal in the first position: left 1, right 1"
            ]
            at = typed.text.index("pile 0")
            typed.replace(at, at + 6, "pile 1")
            assert typed.text == SHORTER
            lenses = await client.text_document_code_lens_async(asked)
            assert lens_titles(lenses)[-1] == "diff against the saved version"
            lens = (lenses or [])[-1].command
            assert lens is not None
            command = types.ExecuteCommandParams(lens.command, lens.arguments)
            answer = await told(command)
            assert "differs after 2 moves" in answer["headline"]
            (opened,) = typed.documents
            text = text_at(opened)
            assert text.startswith(answer["markdown"])
            assert typed.progress[0] == "begin"
            assert typed.progress[-1] == "end"
            assert "report" in typed.progress
            typed.write("(")
            with pytest.raises(JsonRpcException, match="unclosed-bracket"):
                await client.workspace_execute_command_async(command)
            typed.replace(len(SHORTER), len(SHORTER) + 1, "")
            typed.cancels = True
            with pytest.raises(JsonRpcException, match="is canceled"):
                await client.workspace_execute_command_async(command)
            typed.cancels = False
            assert await typed.problems() == []
            typed.begun.clear()
            await write_beside(typed, at, asyncio.ensure_future(told(command)))

    session(run)
