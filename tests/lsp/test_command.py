"""The command that starts the server."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gdl.cli.main import main
from tests.shared import needs


def test_without_its_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gdl.language.packages.find_spec", lambda _: None)
    code = main(["lsp"])
    told = capsys.readouterr()
    assert (code, told.out) == (2, "")
    assert told.err == (
        "error: a language server needs lsprotocol and pygls\n"
        "  help: pip install 'gdl-framework[lsp]'\n"
    )


@pytest.mark.slow
@needs("lsp")
def test_a_request_of_a_wrong_form_is_answered_and_a_refusal_is_no_fault() -> None:
    """The one got no answer, for which its sender waited; of the other the log had a traceback."""
    uri = "file:///nowhere/a.kif"
    text = {"uri": uri, "languageId": "kif", "version": 1, "text": "(role w)"}
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 1}}
    said: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "textDocument/hover", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": text}},
        {"id": 3, "method": "textDocument/rename", "params": {**place, "newName": "rule"}},
        {"id": 4, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in said]
    words = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
    command = [sys.executable, "-m", "gdl", "lsp"]
    done = subprocess.run(command, input=words, capture_output=True, timeout=60, check=True)
    assert b"-32602" in done.stdout
    assert b"role is a word of the language" in done.stdout
    assert b"Refusal" not in done.stderr
    assert b"a message of a wrong form was refused" in done.stderr
    assert b"Traceback" not in done.stderr
