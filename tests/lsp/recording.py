"""A session of a real editor, written down: ``python -m tests.lsp.recording`` writes the page.

``gdl new`` makes a game of heaps; an editor adds a rule to it, with the slips of a person, until
tests and proofs of the new game are there. Each key is a message, and the next one waits for the
problems of the text; what comes back is written as it came. `test_recording` plays the session
again, and holds all of the page but its times.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types

from tests.cli.running import gdl
from tests.lsp.client import Editor, editor
from tests.lsp.latency import SIZES, quantiles, share, text_of, work
from tests.shared import ROOT

PAGE: Final = ROOT / "docs" / "editor-session.md"
NEW: Final = "new heaps --kind piles --size 4 --players ann,bob"
ANCHOR: Final = "    (less ?n ?k)\n    (succ ?k ?m))\n"
FEW: Final = """\
; (fewer ?n ?m): smaller by one or two
(<= (fewer ?n ?m)
    (succ ?n ?m))
(<= (fewer ?n ?m)
    (succ ?n ?k)
    (succ ?k ?m))
"""
LEGAL: Final = "(true (holds ?heap ?m))\n    "
SEVERITY: Final = {1: "error", 2: "warning", 3: "information", 4: "hint"}
INTRODUCTION: Final = """\
# A session, recorded

A real client of the Language Server Protocol (pytest-lsp) starts `gdl lsp` and edits a game that
`gdl new` made until it is tested and verified: one or two things may be taken at a time now. The
session is played, and this page written, by `python -m tests.lsp.recording`; a test plays it again
and holds every word of it but the times.

Every key is an edit of its own, and the next one waits for the problems of that text. Times are
those of the client's clock, on a machine with other work; at the end there are the processor's.

"""


class Recorder:
    """What was done and what came of it, line by line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.waits: list[float] = []

    def write(self, who: str, text: str) -> None:
        """Write a line, or several with what they begin with below each other."""
        first, *rest = text.splitlines() or [""]
        self.lines += [f"{who:<8}{first}".rstrip(), *(f"{'':8}{line}".rstrip() for line in rest)]

    def command(self, words: str) -> None:
        """Run a command, and write what it prints."""
        ran = gdl(*words.split())
        self.write("$", f"gdl {words}\n{(ran.out + ran.err).strip()}")
        if ran.code:
            self.write("", f"(exit code {ran.code})")

    async def type_keys(self, typed: Editor, at: int, text: str, instead: int = 0) -> None:
        """Type a text, key by key, after so many characters were marked; write what is wrong."""
        line = typed.text.count("\n", 0, at) + 1
        shown = text.removesuffix("\n").replace("\n", "\n  ")
        over = f' in place of "{typed.text[at : at + instead]}"' if instead else ""
        self.write("editor", f"types in line {line}{over}:\n  {shown}")
        waits = []
        for number, key in enumerate(text):
            where = at + number
            begin = time.perf_counter()
            typed.replace(where, where + (0 if number else instead), key)
            await typed.problems()
            waits.append(time.perf_counter() - begin)
        self.waits += waits
        middle, longest = (1000 * value for value in (share(sorted(waits), 0.5), max(waits)))
        keys = f"{len(text)} keys, each answered: p50 {middle:.0f} ms, longest {longest:.0f} ms"
        self.write("server", keys)
        self.problems(await typed.problems())

    def problems(self, found: Sequence[types.Diagnostic]) -> None:
        """Write what the server says of a text."""
        if not found:
            self.write("server", "no problems")
        for each in found:
            at, severity = each.range.start, SEVERITY[int(each.severity or 1)]
            place = f"{at.line + 1}:{at.character + 1}"
            self.write("server", f"{place} {severity} {each.code}: {each.message}")


async def record(recorder: Recorder) -> None:
    """Play the session in the present folder, which is empty."""
    recorder.command(NEW)
    path, text = _file("heaps/heaps.kif")
    async with editor(path, text, has_terminal=True) as typed:
        recorder.write("editor", "opens heaps/heaps.kif")
        recorder.problems(await typed.problems())
        await _ask(recorder, typed)
        at = typed.text.index(ANCHOR) + len(ANCHOR)
        for line in FEW.splitlines(keepends=True):
            await recorder.type_keys(typed, at, line)
            at += len(line)
        await _slip(recorder, typed)
        await _compare(recorder, typed)
        path.write_text(typed.text, encoding="utf-8")
        recorder.write("editor", "saves heaps/heaps.kif")
    recorder.command("check heaps/manifest.toml")
    recorder.command("test heaps")
    await _tests(recorder)
    recorder.command("test heaps")
    recorder.command("verify heaps/manifest.toml")
    recorder.write("", f"all {len(recorder.waits)} keys: {quantiles(sorted(recorder.waits))}")


def _file(name: str) -> tuple[Path, str]:
    path = Path(name).absolute()
    return path, path.read_text(encoding="utf-8")


async def _ask(recorder: Recorder, typed: Editor) -> None:
    """Ask what a word means and where it comes from."""
    client, document = typed.client, typed.document
    recorder.write("editor", "asks about less, in the rule for legal")
    at = typed.at("less ?n ?m", 3)
    hovered = await client.text_document_hover_async(types.HoverParams(document, at))
    assert hovered is not None
    assert isinstance(hovered.contents, types.MarkupContent)
    recorder.write("server", hovered.contents.value)
    defined = await client.text_document_definition_async(types.DefinitionParams(document, at))
    assert isinstance(defined, list)
    places = [each.range.start.line + 1 for each in defined if isinstance(each, types.Location)]
    recorder.write("server", f"defined in lines {', '.join(map(str, places))}")


async def _slip(recorder: Recorder, typed: Editor) -> None:
    """Misspell the new relation, and take the fix that is offered."""
    at = typed.text.index(LEGAL) + len(LEGAL)
    await recorder.type_keys(typed, at, "(fewr ?n ?m)", len("(less ?n ?m)"))
    found = await typed.problems()
    asked = types.CodeActionParams(
        typed.document, found[0].range, types.CodeActionContext(diagnostics=found)
    )
    actions = await typed.client.text_document_code_action_async(asked)
    fixes = [each for each in actions or () if isinstance(each, types.CodeAction)]
    recorder.write("server", f"offers: {', '.join(each.title for each in fixes)}")
    assert fixes[0].edit is not None
    assert fixes[0].edit.changes is not None
    mended = typed.edited(list(fixes[0].edit.changes[typed.uri]))
    typed.replace(0, len(typed.text), mended)
    recorder.write("editor", "takes it")
    recorder.problems(await typed.problems())


async def _compare(recorder: Recorder, typed: Editor) -> None:
    """Click on the lens that compares with the saved version."""
    lenses = await typed.client.text_document_code_lens_async(types.CodeLensParams(typed.document))
    commands = [each.command for each in lenses or () if each.command]
    recorder.write("server", f"lenses: {', '.join(each.title for each in commands)}")
    chosen = commands[-1]
    recorder.write("editor", f"clicks on {chosen.title}")
    asked = types.ExecuteCommandParams(chosen.command, chosen.arguments)
    begin = time.perf_counter()
    answer = await typed.client.workspace_execute_command_async(asked)
    assert answer is not None
    assert len(typed.documents) == 1
    recorder.write("server", f"has a document opened, after {time.perf_counter() - begin:.1f} s")
    text, _, _ = str(answer["markdown"]).partition("### report")
    recorder.write("", "\n".join(f"| {line}".rstrip() for line in text.strip().splitlines()))


async def _tests(recorder: Recorder) -> None:
    """Say in the file of tests what the new game must do."""
    path, text = _file("heaps/heaps.test.toml")
    async with editor(path, text) as typed:
        recorder.write("editor", "opens heaps/heaps.test.toml")
        recorder.problems(await typed.problems())
        for old, new in (
            ("a heap may be left with any smaller number", "one or two things may be taken"),
            ("count.ann = 9", "count.ann = 6"),
            ('can.ann = ["a to 0", "c to 3"]', 'can.ann = ["a to 0", "c to 2"]'),
            ('cannot.ann = ["a to 2"]', 'cannot.ann = ["a to 2", "c to 1"]'),
            ("a to 0; b to 0; c to 0", "a to 0; b to 1; c to 2; b to 0; c to 0"),
            ("a to 0; b to 0; c to 1; c to 0", "a to 0; b to 1; b to 0; c to 2; c to 1; c to 0"),
        ):
            at = typed.text.index(f"{old}")
            typed.replace(at, at + len(old), new)
            recorder.write("editor", f"{old}\nbecomes\n{new}")
            recorder.problems(await typed.problems())
        path.write_text(typed.text, encoding="utf-8")
        recorder.write("editor", "saves heaps/heaps.test.toml")


def recorded() -> str:
    """Return the session as the page has it."""
    recorder, before = Recorder(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            asyncio.run(asyncio.wait_for(record(recorder), 300))
        finally:
            os.chdir(before)
    return "\n".join(["```text", *recorder.lines, "```"]) + "\n"


def times() -> str:
    """Return how long the problems of a text take after a key, by the processor."""
    rows = [f"| {lines:,} | {quantiles(work(text_of(lines)))} |" for lines in SIZES]
    head = "## Larger files\n\nProcessor time from a key at a random place to the problems of that"
    head += " text (`python -m tests.lsp.latency --processor`):\n\n| lines | |\n|---|---|\n"
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(f"{INTRODUCTION}{recorded()}\n{times()}", encoding="utf-8")
