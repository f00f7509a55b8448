"""What the server does with texts, asked without an editor in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.shared import missing

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types
from pygls.workspace import Workspace

from gdl.lsp import server as serving
from gdl.lsp.server import RulesServer, make_server

MANIFEST = """\
[[ruleset]]
id = "two"
title = "Two parts"
version = "1.0.0"
source = "none"
rules = ["one.kif", "other.kif"]
"""
ONE = "(role w)\n(init (at a))\n(<= terminal (true (at b)))\n(<= (goal w 100) (won w))\n"
OTHER = "(<= (legal w go) (true (at a)))\n(<= (next (at b)) (does w go))\n(<= (won ?x) (role ?x))\n"


Said = dict[str, list[str]]


class Told(RulesServer):
    """A server that keeps what it would send."""

    told: Said

    def publish(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        del version
        self.told[uri] = [each.message.splitlines()[0] for each in found]


def told_after(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[Told], None]) -> Said:
    """Return the last that is said of each text, some time after one thing after the other."""
    monkeypatch.setattr(serving, "RulesServer", Told)
    monkeypatch.setattr(serving, "LONGEST_PAUSE", 0.0)
    server = make_server()
    assert isinstance(server, Told)
    server.protocol._workspace = Workspace(None)
    server.told = {}

    async def run() -> None:
        for act in acts:
            act(server)
            for _ in range(10):  # what waits for no time at all has its turn in the first
                await asyncio.sleep(0)

    asyncio.run(run())
    return server.told


def send(server: RulesServer, method: str, params: object) -> None:
    server.protocol.fm.features[method](params)


def open_text(server: RulesServer, uri: str, text: str, language: str = "kif") -> None:
    item = types.TextDocumentItem(uri, language, 1, text)
    send(server, types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))


def change_text(server: RulesServer, uri: str, text: str) -> None:
    whole = types.TextDocumentContentChangeWholeDocument(text)
    document = types.VersionedTextDocumentIdentifier(2, uri)
    params = types.DidChangeTextDocumentParams(document, [whole])
    send(server, types.TEXT_DOCUMENT_DID_CHANGE, params)


@pytest.fixture
def parts(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "manifest.toml").write_text(MANIFEST, encoding="utf-8")
    for name, text in (("one.kif", ONE), ("other.kif", OTHER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return (tmp_path / "one.kif").as_uri(), (tmp_path / "other.kif").as_uri()


def test_what_is_typed_in_one_part_is_said_in_the_other(
    parts: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = parts

    def open_both(server: Told) -> None:
        open_text(server, one, ONE)
        open_text(server, other, OTHER)

    def change(server: Told) -> None:
        change_text(server, other, OTHER.replace("won", "wun"))

    def close(server: Told) -> None:
        document = types.TextDocumentIdentifier(other)
        params = types.DidCloseTextDocumentParams(document)
        send(server, types.TEXT_DOCUMENT_DID_CLOSE, params)

    lost = ["no rule or fact is about won, so (won ...) never holds"]
    assert told_after(monkeypatch, open_both) == {one: [], other: []}
    assert told_after(monkeypatch, open_both, change)[one] == lost
    assert told_after(monkeypatch, open_both, change, close) == {one: [], other: []}


def test_a_part_that_changes_on_the_disk_is_read_again(
    parts: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = parts

    def open_one(server: Told) -> None:
        open_text(server, one, ONE)

    def delete_other(server: Told) -> None:
        (tmp_path / "other.kif").unlink()
        gone = types.FileEvent(other, types.FileChangeType.Deleted)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        send(server, method, types.DidChangeWatchedFilesParams([gone]))

    assert told_after(monkeypatch, open_one) == {one: []}
    unread = "manifest.toml cannot be read, so nobody knows what else belongs to these rules"
    assert told_after(monkeypatch, open_one, delete_other) == {one: [unread]}


def test_a_text_that_has_become_too_long_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_CHARACTERS", 10)

    def act(server: Told) -> None:
        open_text(server, "file:///nowhere/a.kif", "(role w)" * 2)

    said = "a text of more than 10 characters is not looked at in an editor"
    assert told_after(monkeypatch, act) == {"file:///nowhere/a.kif": [said]}


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "file:///c%3A/Users/x/a.kif",
        "file:///nowhere/%C3%A9%20%23.kif",
        f"untitled:{'x' * 300}",
        "git:/nowhere/a.kif?%7B%7D",
        "",
    ],
)
def test_a_text_may_have_any_address(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(server: Told) -> None:
        open_text(server, uri, "(role w) (p a) (p b c)")
        identifier, place = types.TextDocumentIdentifier(uri), types.Position(0, 6)
        rename = types.RenameParams(identifier, place, "white")
        send(server, types.TEXT_DOCUMENT_RENAME, rename)
        send(server, types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensParams(identifier))
        change_text(server, uri, "(role w) (p a)")

    assert list(told_after(monkeypatch, act)) == [uri]


def test_toml_without_a_name_is_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(server: Told) -> None:
        open_text(server, "untitled:Untitled-1", '[package]\nname = "x"\n', "toml")

    assert told_after(monkeypatch, act) == {"untitled:Untitled-1": []}


@pytest.mark.parametrize("name", ["manifest.toml", "a.test.toml"])
def test_half_a_character_is_no_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit between the two units of one leaves half of it for a moment."""

    def act(server: Told) -> None:
        open_text(server, f"file:///nowhere/{name}", 'game = "\ud83d"\n', "toml")

    (said,) = told_after(monkeypatch, act).values()
    assert said
