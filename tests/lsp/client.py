"""An editor as a program: it starts ``gdl lsp`` as editors do, and types."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities

from gdl.lsp.positions import Lines

PATIENCE = 30.0
Shown: TypeAlias = dict[str, tuple[int | None, list[types.Diagnostic]]]
"""Of each text the version and the problems that the server told last."""


class Editor:
    """One client with one text open.

    Attributes:
        documents: Addresses that the server asked to open.
        progress: What it told of work under way: ``begin``, ``report`` and ``end``.
        begun: Set when it tells that work has begun.
        watched: Files of which the server asked to be told when they change.
        cancels: Whether work is cancelled as soon as it has begun.
    """

    def __init__(self, client: LanguageClient, path: Path, text: str, shown: Shown) -> None:
        self.client = client
        self.shown = shown
        self.path = path
        self.uri = path.as_uri()
        self.text = text
        self.version = 1
        self.documents: list[str] = []
        self.progress: list[str] = []
        self.watched: list[str] = []
        self.begun = asyncio.Event()
        self.cancels = False

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def open(self, language: str = "kif") -> None:
        item = types.TextDocumentItem(self.uri, language, self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def replace(self, start: int, stop: int, text: str) -> None:
        """Type a text in place of another, as an incremental edit."""
        where = Lines(self.text, "utf-16").range(start, stop)
        self.text = self.text[:start] + text + self.text[stop:]
        self.version += 1
        change = types.TextDocumentContentChangePartial(range=where, text=text)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri), [change]
            )
        )

    def write(self, text: str) -> None:
        """Type at the end."""
        self.replace(len(self.text), len(self.text), text)

    async def problems(self) -> list[types.Diagnostic]:
        """Return what the server says of the text as it is now."""
        end = time.monotonic() + PATIENCE
        while self.shown.get(self.uri, (0, []))[0] != self.version:
            assert time.monotonic() < end, "the server says nothing"
            await asyncio.sleep(0.001)
        return self.shown[self.uri][1]

    def at(self, word: str, nth: int = 0) -> types.Position:
        """Return the position behind the first letter of a word."""
        offset = -1
        for _ in range(nth + 1):
            offset = self.text.index(word, offset + 1)
        return Lines(self.text, "utf-16").position(offset + 1)

    def edited(self, edits: list[types.TextEdit]) -> str:
        """Return the text after edits that do not overlap."""
        lines, text = Lines(self.text, "utf-16"), self.text
        for edit in sorted(edits, key=lambda each: lines.offset(each.range.start), reverse=True):
            start, stop = lines.offset(edit.range.start), lines.offset(edit.range.end)
            text = text[:start] + edit.new_text + text[stop:]
        return text


@asynccontextmanager
async def editor(
    path: Path, text: str = "", *, has_terminal: bool = False
) -> AsyncIterator[Editor]:
    """Start a server, and open a text in it; in the end the server must leave by itself."""
    client = LanguageClient()
    shown: Shown = {}
    told: list[str] = []

    def published(params: types.PublishDiagnosticsParams) -> None:
        shown[params.uri] = (params.version, list(params.diagnostics))

    def message(params: types.ShowMessageParams) -> None:
        told.append(params.message)

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    client.feature(types.WINDOW_SHOW_MESSAGE)(message)

    typed = Editor(client, path, text, shown)

    def opened(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        typed.documents.append(params.uri)
        return types.ShowDocumentResult(success=True)

    def asked(_: types.WorkDoneProgressCreateParams) -> None:
        """Let the server tell of its work."""

    def registered(params: types.RegistrationParams) -> None:
        typed.watched += [each.method for each in params.registrations]

    def progressed(params: types.ProgressParams) -> None:
        kind = dict(params.value or {})["kind"]
        typed.progress.append(kind)
        if kind == "begin":
            typed.begun.set()
        if typed.cancels and kind == "report":
            cancel = types.WorkDoneProgressCancelParams(params.token)
            client.window_work_done_progress_cancel(cancel)

    client.feature(types.WINDOW_SHOW_DOCUMENT)(opened)
    client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)(asked)
    client.feature(types.PROGRESS)(progressed)
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(registered)

    words = ("-W", "ignore", "-m", "gdl", "lsp", "--stdio")
    await client.start_io(sys.executable, *words, env=os.environ.copy())
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual_studio_code"),
            initialization_options={"terminal": has_terminal},
            root_uri=path.parent.as_uri(),
        )
    )
    typed.open("hrf" if path.suffix == ".hrf" else "kif")
    try:
        yield typed
        assert client.error is None
        assert told == []  # the server tells of its own faults in this way
    finally:
        await client.shutdown_session()
        await client.stop()  # type: ignore[no-untyped-call]  # pytest-lsp types little


def session(run: Callable[[], Awaitable[None]]) -> None:
    """Run a session to its end."""
    asyncio.run(asyncio.wait_for(run(), 10 * PATIENCE))
