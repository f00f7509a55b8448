"""The extension for Visual Studio Code: it names what is there, and it can be built."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gdl.language.keywords import CONNECTIVES, KEYWORD_ARITIES
from tests.shared import ROOT

EXTENSION = ROOT / "examples" / "vscode"
PACKAGE: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def grammar(language: str) -> str:
    text = (EXTENSION / "syntaxes" / f"{language}.tmLanguage.json").read_text(encoding="utf-8")
    assert json.loads(text)["scopeName"] == f"source.{language}"
    return text


def test_every_file_that_it_names_is_there() -> None:
    contributed = PACKAGE["contributes"]
    named = [each["configuration"] for each in contributed["languages"]]
    named += [each["path"] for each in contributed["grammars"]]
    assert all(json.loads((EXTENSION / name).read_text(encoding="utf-8")) for name in named)


@pytest.mark.parametrize("language", ["kif", "hrf"])
def test_the_words_of_the_language_are_those_of_the_parser(language: str) -> None:
    groups = re.findall(r"\((?:\?:)?((?:[\w<=]+\|)+[\w<=]+)\)", grammar(language))
    words = {word for group in groups for word in group.split("|")}
    words |= {"<="}  # which HRF writes as :-
    assert words == set(KEYWORD_ARITIES) | CONNECTIVES


def test_it_has_a_command_for_each_lens() -> None:
    pytest.importorskip("pygls", reason="needs pygls: pip install 'gdl-framework[lsp]'")
    from gdl.lsp.hints import DIFF, PLAY, VERIFY

    commands = {each["command"] for each in PACKAGE["contributes"]["commands"]}
    assert commands == {PLAY, VERIFY, "gdl.restart"}
    source = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    assert f'const DIFF = "{DIFF}";' in source  # a command of the server, with a page for an answer


@pytest.mark.slow
def test_it_can_be_checked_tested_and_packed(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm, which comes with Node.js")
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "out"))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [npm, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300
        )

    if run("install", "--no-audit", "--no-fund").returncode:
        pytest.skip("npm cannot fetch its packages here")
    for script in ("check", "test", "package"):
        done = run("run", script)
        assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(folder / "gdl-rules.vsix") as packed:
        names = set(packed.namelist())
    assert "extension/out/extension.js" in names
    assert "extension/syntaxes/kif.tmLanguage.json" in names
    assert not any("node_modules" in name or "/src/" in name for name in names)
