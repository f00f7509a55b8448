"""The comparison of an edited text with the saved one, as an editor asks for it.

In: an open text. Out: its `Page`, which a process of its own makes, with progress that can be
cancelled; shown as a document where the editor can show documents and does not draw pages itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.lsp.documents import Reading
from gdl.lsp.unsaved import SECONDS, Edited, Page

LONGEST_LINE: Final = 64_000_000
"""Bytes of a page, at most."""
MOST_SECONDS: Final = 3600.0
TITLE: Final = "diff against the saved version"


class NothingSavedError(GdlError):
    """There is no file to compare with."""


def is_edited(reading: Reading) -> bool:
    """Return whether a rule file has been saved, and says something else in the editor."""
    try:
        return reading.is_rules and _saved(reading) != reading.source.text
    except GdlError:
        return False


def edited(reading: Reading, seconds: object = SECONDS) -> Edited:
    """Return what is to be compared.

    Raises:
        NothingSavedError: The text is no rule file, or none that was saved.
        GdlSyntaxError: The text in the editor cannot be read.
        GdlError: The number of seconds is none.
    """
    if not reading.is_rules:
        raise NothingSavedError(f"{reading.path} holds no rules", expected="a rule file")
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= MOST_SECONDS:  # type: ignore[operator]  # it is a number
        raise GdlError(
            f"the seconds of a comparison are {seconds!r}",
            expected=f"a number from 1 to {MOST_SECONDS:.0f}",
        )
    saved = _saved(reading)
    reading.parsed()
    return Edited(reading.path, saved, reading.source.text, float(seconds))  # type: ignore[arg-type]  # it is


def _saved(reading: Reading) -> str:
    if not reading.is_saved:
        raise NothingSavedError(
            f"{reading.path} was never saved", help="save it: edits are compared with what is saved"
        )
    return read_source(reading.path).text.removeprefix("\ufeff")


async def page_of(asked: Edited, told: Callable[[str], None]) -> Page:
    """Return the answer of a process that is ended when this is cancelled.

    Raises:
        GdlError: Both cannot be compared, or the process died.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gdl.lsp.unsaved"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        limit=LONGEST_LINE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(asdict(asked)).encode() + b"\n")
        async for line in process.stdout:
            said = json.loads(line)
            if "page" in said:
                return Page(**said["page"])
            if "refused" in said:
                raise GdlError(said["refused"])
            told(said["stage"])
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    raise GdlError("the comparison ended without an answer", help="the server's log says more")


@asynccontextmanager
async def progress(
    server: LanguageServer, token: types.ProgressToken | None
) -> AsyncIterator[Callable[[str], None]]:
    """Show that something is under way, and yield what tells how far; a click there cancels it.

    Args:
        server: Who tells.
        token: What the editor calls the work; without one it is asked for its leave.
    """
    window = server.client_capabilities.window
    if token is None and not (window and window.work_done_progress):
        yield lambda _: None
        return
    shown = server.work_done_progress
    if token is None:
        token = str(uuid.uuid4())
        await shown.create_async(token)
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    shown.begin(token, types.WorkDoneProgressBegin(TITLE, cancellable=True))
    shown.tokens[token].add_done_callback(lambda _: loop.call_soon_threadsafe(task.cancel))

    def told(text: str) -> None:
        shown.report(token, types.WorkDoneProgressReport(message=text))

    try:
        yield told
    finally:
        shown.tokens.pop(token, None)
        shown.end(token, types.WorkDoneProgressEnd())


class Shown:
    """Pages as files, kept as long as the server lives."""

    def __init__(self) -> None:
        """Begin without a page."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def show(self, server: LanguageServer, name: str, page: Page) -> None:
        """Write a page down, and have the editor open it; tell where it lies if it cannot."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="gdl-")
        text, drawn = (Path(self._folder.name) / f"{name}.{kind}" for kind in ("md", "html"))
        drawn.write_text(page.html, encoding="utf-8")
        linked = f"{page.markdown}\nWith pictures, for a browser: {drawn.as_uri()}\n"
        text.write_text(linked, encoding="utf-8")
        window = server.client_capabilities.window
        if window and window.show_document and window.show_document.support:
            asked = types.ShowDocumentParams(text.as_uri(), take_focus=True)
            if (await server.window_show_document_async(asked)).success:
                return
        said = f"{page.headline}\n{text}"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, said))
