"""The command that starts the server."""

from __future__ import annotations

import pytest

from gdl.cli.main import main


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
