"""The server: messages in, answers of the other modules out.

Texts are kept here, edit by edit (columns and line ends as the protocol has them), and checked when
no further edit is waiting: after a pause of a part of what the last check took, at most
`LONGEST_PAUSE`; after that pause other parts of the same ruleset, too. What a check says is sent
only if the text is still the one that it looked at, so what is shown is always true of some text
that was there, and in the end of the last one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Generator
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from gdl._gc_pause import collector_paused
from gdl.language.diagnostics import GdlError
from gdl.language.render.format import format_text
from gdl.lsp import (
    comparing,
    completion,
    hints,
    hover,
    navigation,
    outline,
    problems,
    rename,
    toml_completion,
)
from gdl.lsp.documents import Document, Reading
from gdl.lsp.manifests import has_manifest
from gdl.lsp.parts import Parts

PAUSE: Final = 0.2
"""The pause after an edit, as a part of what the last check of the text took."""
LONGEST_PAUSE: Final = 0.2
MOST_CHARACTERS: Final = 2_000_000
"""Longer texts are kept, and not looked at."""

WATCHED: Final = types.DidChangeWatchedFilesRegistrationOptions(
    [types.FileSystemWatcher("**/*.{kif,gdl,hrf,toml}")]
)
"""Files of which an editor tells when they change, be they open or not."""

R = TypeVar("R")
_Handlers: TypeAlias = "Generator[Any, Any, None]"


class _Protocol(LanguageServerProtocol):
    """The protocol without the texts that pygls keeps, and with an answer to every request.

    Those texts end lines where Python does, also at U+2028 or a form feed, and changes are
    rewritten in those terms before anybody else sees them.
    """

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401  # of many types
        """Return a message, or answer that it is none: its sender may wait for an answer."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> _Handlers:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> _Handlers:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> _Handlers:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]  # any way to answer will do
        self, params: types.ExecuteCommandParams
    ) -> Any:  # noqa: ANN401  # each has its own
        """Run a command as a task of its own: one that is cancelled learns of it."""
        if (command := self.fm.commands.get(params.command)) is None:
            raise JsonRpcInvalidParams(f"there is no command {params.command}")
        return await command(params)


class RulesServer(LanguageServer):
    """The server of one editor.

    Attributes:
        documents: The open texts, by address.
    """

    def __init__(self, version: str) -> None:
        """Make a server that has not begun to listen."""
        super().__init__("gdl", version, protocol_cls=_Protocol)
        self.documents: dict[str, Document] = {}
        self.has_terminal = self.has_pages = False
        self.shown = comparing.Shown()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._said: dict[str, tuple[str, str]] = {}
        self._parts: dict[str, Parts] = {}

    def reading(self, uri: str) -> Reading | None:
        """Return what follows from a text; None for one that is not open, or too long."""
        document = self.documents.get(uri)
        if document is None or len(document.reading.source.text) > MOST_CHARACTERS:
            return None
        return document.reading

    def parts(self, uri: str) -> Parts | None:
        """Return a text with the other parts of its rulesets, kept until some text is another."""
        reading = self.reading(uri)
        if reading is None:
            return None
        kept = self._parts.get(uri)
        if kept is None or kept.reading is not reading:
            others = {other.path: other.reading for other in self.documents.values()}
            kept = self._parts[uri] = Parts(reading, others)
        return kept

    def look_again(self) -> None:
        """Forget which parts belong together, and what follows from it."""
        self._parts.clear()

    def check_later(self, document: Document, pause: float | None = None) -> None:
        """Check a text when no edit follows for a moment."""
        self.forget(document.uri)
        if pause is None:
            pause = min(document.cost * PAUSE, LONGEST_PAUSE)
        loop = asyncio.get_running_loop()
        self._waiting[document.uri] = loop.call_later(pause, self.check_now, document)

    def check_neighbours_later(self, path: str) -> None:
        """Check other parts of the rulesets of a file, which see what becomes of it."""
        if has_manifest(path):
            for other in self.documents.values():
                if other.path != path and Path(other.path).parent == Path(path).parent:
                    self.check_later(other, LONGEST_PAUSE)

    def check_all_later(self) -> None:
        """Check every text: a file on the disk is another, which may be a part with any of them."""
        self.look_again()
        for document in self.documents.values():
            self.check_later(document)

    def check_now(self, document: Document) -> None:
        """Say what is wrong with a text."""
        self.forget(document.uri)
        self._parts.pop(document.uri, None)  # files that nobody has open may be others now
        begin = time.perf_counter()
        parts = self.parts(document.uri)
        if parts is None:
            self.publish(document.uri, [problems.too_long(MOST_CHARACTERS)], document.version)
            return
        with collector_paused():
            diagnostics = problems.problems(parts)
        document.cost = time.perf_counter() - begin
        self.publish(document.uri, diagnostics, document.version)

    def publish(
        self, uri: str, diagnostics: list[types.Diagnostic], version: int | None = None
    ) -> None:
        """Send the problems of a text."""
        shown = types.PublishDiagnosticsParams(uri, diagnostics, version)
        self.text_document_publish_diagnostics(shown)

    def forget(self, uri: str) -> None:
        """Give up the check of a text that is waiting."""
        if (handle := self._waiting.pop(uri, None)) is not None:
            handle.cancel()

    def first_position(self, uri: str, reading: Reading) -> str:
        """Return what is said of the first position, kept until the text is another."""
        text, said = self._said.get(uri, ("", ""))
        if text != reading.source.text:
            said = hints.first_position(reading)
            self._said[uri] = reading.source.text, said
        return said

    def close(self, uri: str) -> None:
        """Forget a text."""
        self.forget(uri)
        self.documents.pop(uri, None)
        self._said.pop(uri, None)
        self.look_again()


def make_server(version: str = "") -> RulesServer:
    """Return a server with all its answers, ready to listen."""
    server = RulesServer(version)
    _keep_texts(server)
    _hear_of_files(server)
    _answer_about_places(server)
    _answer_about_texts(server)
    _answer_about_edits(server)
    return server


def _keep_texts(server: RulesServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        options = params.initialization_options
        if isinstance(options, dict):
            server.has_terminal = bool(options.get("terminal"))
            server.has_pages = bool(options.get("pages"))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        document = Document(item, server.workspace.position_encoding or "utf-16")
        server.documents[item.uri] = document
        server.look_again()
        server.check_later(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = server.documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.text_document.version, params.content_changes)
            server.look_again()
            server.check_later(document)
            server.check_neighbours_later(document.path)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: types.DidSaveTextDocumentParams) -> None:
        server.check_all_later()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        server.close(uri)
        server.publish(uri, [])
        if document is not None:
            server.check_neighbours_later(document.path)


def _hear_of_files(server: RulesServer) -> None:
    @server.feature(types.INITIALIZED)
    def begun(_: types.InitializedParams) -> None:
        if _watches_files(server.client_capabilities):
            asked = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, WATCHED)
            server.client_register_capability(types.RegistrationParams([asked]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(_: types.DidChangeWatchedFilesParams) -> None:
        server.check_all_later()


def _watches_files(client: types.ClientCapabilities) -> bool:
    """Return whether an editor tells of files that change on the disk, if it is asked to."""
    files = client.workspace.did_change_watched_files if client.workspace else None
    return bool(files and files.dynamic_registration)


def _answer_about_places(server: RulesServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=["(", "?", " ", "[", '"', "="]),
    )
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        parts = server.parts(params.text_document.uri)
        return _completions(parts, params.position) if parts else []

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        parts = server.parts(params.text_document.uri)
        return hover.hover(parts, params.position) if parts else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        parts = server.parts(params.text_document.uri)
        return navigation.definition(parts, params.position) if parts else []

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        parts, all_ = server.parts(params.text_document.uri), params.context.include_declaration
        return navigation.references(parts, params.position, with_definition=all_) if parts else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        reading = server.reading(params.text_document.uri)
        return navigation.highlights(reading, params.position) if reading else []

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    @_told
    def prepare(params: types.PrepareRenameParams) -> types.Range | None:
        reading = server.reading(params.text_document.uri)
        return reading.range(rename.renamable(reading, params.position).span) if reading else None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    @_told
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        parts = server.parts(params.text_document.uri)
        if parts is None:
            return None
        return types.WorkspaceEdit(changes=rename.rename(parts, params.position, params.new_name))


def _completions(parts: Parts, position: types.Position) -> list[types.CompletionItem]:
    if parts.reading.is_toml:
        return toml_completion.toml_completions(parts.reading, position)
    return completion.completions(parts, position)


def _answer_about_texts(server: RulesServer) -> None:
    """Answer what an editor asks of a whole text, from the reading that is kept of it.

    A text that is too long, or that nobody opened, has no reading: it gets the empty answer, which
    editors take, and not an error, which they would show at each keystroke.
    """

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        reading = server.reading(uri)
        return problems.quick_fixes(reading, uri, params.context.diagnostics) if reading else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        reading = server.reading(params.text_document.uri)
        return outline.symbols(reading) if reading else []

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folds(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        reading = server.reading(params.text_document.uri)
        return outline.folds(reading) if reading else []

    @server.feature(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.SemanticTokensLegend(list(outline.TOKEN_TYPES), list(outline.TOKEN_MODIFIERS)),
    )
    def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        reading = server.reading(params.text_document.uri)
        return outline.tokens(reading) if reading else types.SemanticTokens([])

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    @_told
    def formatted(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        reading = server.reading(params.text_document.uri)
        if reading is None or not reading.is_rules:
            return []
        text = format_text(reading.source, reading.syntax)
        whole = types.Range(types.Position(0, 0), reading.position(len(reading.source.text)))
        return [] if text == reading.source.text else [types.TextEdit(whole, text)]

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay(params: types.InlayHintParams) -> list[types.InlayHint]:
        parts = server.parts(params.text_document.uri)
        return hints.inlay_hints(parts, params.range) if parts else []

    # What stands above the first rule tells of the first position, which has to be played: beside
    # the loop, so that typing never waits for it.
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    @server.thread()
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        parts = server.parts(uri)
        return _lenses(server, uri, parts) if parts and parts.reading.is_whole else []


def _lenses(server: RulesServer, uri: str, parts: Parts) -> list[types.CodeLens]:
    reading = parts.reading
    offered = [(comparing.TITLE, hints.DIFF)] if comparing.is_edited(reading) else []
    if parts.rulesets:  # of a part alone nothing else can be said
        return hints.lenses(reading, uri, "", offered)
    if server.has_terminal:
        offered = [("play", hints.PLAY), ("verify", hints.VERIFY), *offered]
    return hints.lenses(reading, uri, server.first_position(uri, reading), offered)


def _answer_about_edits(server: RulesServer) -> None:
    @server.command(hints.DIFF)
    async def diff_saved(params: types.ExecuteCommandParams) -> dict[str, str]:
        uri, *seconds = params.arguments or [""]
        reading = server.reading(str(uri))
        if reading is None:
            raise Refusal(f"{uri or 'nothing'} is not open in the editor, or too long")
        try:
            asked = comparing.edited(reading, *seconds[:1])
            async with comparing.progress(server, params.work_done_token) as told:
                page = await comparing.page_of(asked, told)
        except GdlError as error:
            raise Refusal(str(error)) from None
        if not server.has_pages:
            await server.shown.show(server, Path(reading.path).name, page)
        return asdict(page)


def _told(answer: Callable[[Any], R]) -> Callable[[Any], R]:
    """Let a refusal reach the editor as what it says, not as a fault of the server."""

    @wraps(answer)
    def told(params: Any) -> R:  # noqa: ANN401  # each request has its own
        try:
            return answer(params)
        except GdlError as error:
            raise Refusal(str(error)) from None

    return told


class Refusal(JsonRpcException):
    """A request that cannot be met, in words for the person at the editor."""

    CODE = types.LSPErrorCodes.RequestFailed
    MESSAGE = "refused"


def _is_a_fault(record: logging.LogRecord) -> bool:
    """Return whether the log is to tell of something; of a message of a wrong form in one line."""
    if str(record.msg).startswith("Unable to deserialize message"):  # with a traceback as its text
        record.msg, record.args = "a message of a wrong form was refused", ()
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcException))


def serve(version: str) -> None:
    """Speak the protocol over standard input and output until the editor leaves.

    Whatever else is written to standard output goes to standard error: it would break messages.
    What is refused is answered, and is no fault of the server that its log had to tell of.
    """
    for name in ("pygls.protocol.json_rpc", "pygls.server"):
        logging.getLogger(name).addFilter(_is_a_fault)
    words, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    make_server(version).start_io(words, answers)
