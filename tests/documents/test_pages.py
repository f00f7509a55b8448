"""Every block of README.md and docs/ runs, or says in a table here why it cannot.

Python runs as it stands. A line that begins with ``gdl`` runs within this process; where a
page shows what comes out (after ``$ gdl ...``), that is what comes out, ``...`` standing for what
the page leaves out. Data is read by whoever reads such data.
"""

from __future__ import annotations

import doctest
import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from gdl import Severity
from gdl import check as gdl_check
from gdl.cli.main import build
from gdl.match import Action, Header, Kind, start, submit
from gdl.match.log import export
from gdl.ruleset import find
from gdl.ruleset.search import read_among
from gdl.testing import read_suite
from tests.cli.running import gdl
from tests.documents.reading import Block, Command, blocks, commands
from tests.shared import ROOT, missing

PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
TUTORIAL = "docs/tutorial.md"
NOT_RUN = {
    "make": "what the first step of CI types",
    "pip install": "the package index has no say here; that the extras exist is checked",
    "berkeley-abc": "a program of others",
    "gdl serve": "serves until it is ended",
    "gdl ggp-player": "serves until it is ended",
    "gdl ggp-match": "plays against the server of the line before",
    "gdl play": "a person plays it",
    "gdl tournament": "plays for ten minutes",
    "gdl train": "learns for minutes",
    "gdl evaluate": "plays for minutes",
    "gdl solve connectfour?columns=5&rows=5 --folder /shared": "needs a cluster",
}
"""Commands that are not run, with the reason; of ``gdl`` at least command and options exist."""
SLOW = {
    ("README.md", "gdl diff --matrix pentago"),
    ("docs/testing.md", "gdl test tictactoe"),
    ("docs/verification.md", "pip install gdl-framework[verify,native]"),
    ("docs/verification.md", "gdl verify tictactoe --why goals unique"),
    ("docs/verification.md", "gdl verify breakthrough --core goals unique"),
    ("docs/verification.md", "gdl repair mine.kif --reference tictactoe"),
    ("docs/verification.md", "gdl convert pentago/strict --to aiger -o strict.aig"),
    ("docs/adapters.md", "gdl convert pentago/strict --to wasm -o strict.wasm"),
    ("docs/playing.md", "gdl force tictactoe --draws o --strategy o.json"),
    ("docs/playing.md", "import gdl"),
    (
        "docs/solving.md",
        "gdl solve connectfour?columns=4&rows=4 --folder work --memory 100M --disk 1G",
    ),
    ("docs/solving.md", "gdl solve connectfour?columns=4&rows=4 --folder work --workers 2"),
    ("docs/verification.md", "gdl verify tictactoe --certificates shown"),
    ("docs/tournaments.md", "from pathlib import Path"),
    ("docs/learning.md", "from pathlib import Path"),
    ("docs/ggp.md", "import asyncio"),
}
"""Blocks, by their first line, that are left to the long tests."""
EXTRAS = {
    "gdl.adapters import jax": "jax",
    "import pyspiel": "openspiel",
    "gdl.adapters": "adapters",
    "gdl.solve": "solve",
}
"""Words of a block of Python, and the extra that it needs."""
TICTACTOE = (ROOT / "rulesets" / "tictactoe" / "tictactoe.kif").read_text(encoding="utf-8")
MISTAKEN = """\
(role white)
(<= (legal white (move ?x ?y)) (file ?x))
(file a)
(init (at a))
(<= (next (at ?x)) (does white (move ?x ?y)))
(<= (goal white 100) termnal)
(<= (goal white 0) (not (true (at a))))
(<= terminal (true (at b)))
"""


def a_match() -> str:
    header = Header.of("example", find("pentago/strict"))
    moved = submit(start(header), Action("a1", 0, "black", Kind.MOVE, "E5 Q01 CW"), at=1_000)
    return export(header, [moved.entry])


FILES: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"mine.kif": lambda: MISTAKEN},
    "docs/testing.md": {"mine.kif": lambda: TICTACTOE},
    "docs/primer.md": {"light.kif": lambda: _rules("docs/primer.md")[-1]},
    "docs/verification.md": {"mine.kif": lambda: TICTACTOE.replace("100", "99")},
    "docs/matches.md": {"match.jsonl": a_match},
}
"""The files that a page speaks of."""


def kind(block: Block) -> str:
    """Return what a block is."""
    first = block.text.split(maxsplit=1)[0]
    if block.language:
        return block.language
    if first in {"$", "gdl", "make", "pip", "berkeley-abc"}:
        return "commands"
    if first.startswith("[") or first == "game":
        return "toml"
    if first in {"GET", "POST"}:
        return "http"
    if first in {"->", "<-"} or first.startswith("{"):
        return "json"
    return "unknown"


def first_line(block: Block) -> str:
    """Return the first line of a block, of commands without prompt and remark."""
    return str(commands(block)[0]) if kind(block) == "commands" else block.text.split("\n", 1)[0]


def _rules(page: str) -> list[str]:
    """Return the rules that a page shows, block by block."""
    return [block.text for block in blocks(page) if kind(block) == "lisp"]


def each_block(*kinds: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is asked for each block of some kinds."""
    params = []
    for page in PAGES:
        if page == TUTORIAL and "commands" in kinds:
            continue  # one story: test_the_tutorial_can_be_followed
        for block in blocks(page):
            if kind(block) in kinds:
                marks = [pytest.mark.slow] if (page, first_line(block)) in SLOW else []
                params.append(pytest.param(block, id=f"{page}:{block.line}", marks=marks))
    return pytest.mark.parametrize("block", params)


SESSION = "docs/editor-session.md"
"""A recording; tests/lsp/test_recording.py plays it again."""
KINDS = {"python", "commands", "toml", "http", "json", "js", "lua", "elisp", "lisp"}


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    for page in PAGES:
        for block in blocks(page):
            is_recorded = page == SESSION and kind(block) == "text"
            assert is_recorded or kind(block) in KINDS, (page, block)


@pytest.mark.later
@each_block("python")
def test_python_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, extra in EXTRAS.items():
        if words in block.text and missing(extra):
            pytest.skip(missing(extra))
    monkeypatch.chdir(tmp_path)
    code = compile("\n" * block.line + block.text, ROOT / block.page, "exec")
    exec(code, {"__name__": "__main__"})


def in_the_readme() -> set[str]:
    """Return the commands of the README, which are run once, with what it says they print."""
    of_commands = (block for block in blocks("README.md") if kind(block) == "commands")
    return {str(command) for block in of_commands for command in commands(block)}


@pytest.mark.later
@each_block("commands")
def test_commands_run(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.get(block.page, {}).items():
        Path(name).write_text(text(), encoding="utf-8")
    said_before = set() if block.page == "README.md" else in_the_readme()
    for command in commands(block):
        if str(command) in said_before or any(str(command).startswith(words) for words in NOT_RUN):
            check(command)
        else:
            run(command)


def run(command: Command) -> None:
    assert command.words[0] == "gdl", command
    ran = gdl(*command.words[1:])
    # 1: something is wrong with the rules; 3: something is not known. Either may be the point.
    assert ran.code in {0, 1, 3}, ran.err
    if command.output is not None:
        got = ran.out + ran.err
        checker = doctest.OutputChecker()
        assert checker.check_output(command.output, got, doctest.ELLIPSIS), got


def check(command: Command) -> None:
    """Check what can be checked of a command that is not run."""
    if command.words[0] == "gdl":
        program = typer.main.get_command(build())
        assert isinstance(program, TyperGroup)
        program.commands[command.words[1]].make_context(command.words[1], list(command.words[2:]))
    elif command.words[:2] == ("pip", "install"):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for word in command.words[2:]:
            wanted = re.fullmatch(r"gdl-framework(?:\[(.*)\])?", word)
            assert wanted, word
            extras = set(filter(None, (wanted[1] or "").split(",")))
            assert extras <= set(project["optional-dependencies"])
    elif command.words[0] == "make":
        assert re.search(rf"^{command.words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


FETCH = """\
import { readFile } from "node:fs/promises";
globalThis.fetch = async (name) => new Response(await readFile(name));
"""
"""A page asks its server for a file, and node the folder that it stands in."""


@pytest.mark.later
@each_block("js")
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_javascript_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs" / "playground" / "machine.js", "machine.mjs")
    assert gdl("convert", "pentago/strict", "--to", "wasm", "-o", "strict.wasm").code == 0
    text = FETCH + block.text.replace("./machine.js", "./machine.mjs")
    Path("page.mjs").write_text(text, encoding="utf-8")
    ran = subprocess.run(["node", "page.mjs"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_page_on_adapters_has_a_block_for_each_doorway() -> None:
    text = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    for door in ("pettingzoo", "gymnasium", "openspiel", "vector"):
        assert f"from gdl.adapters import {door}\n" in text


def test_no_reason_is_left_over() -> None:
    typed = [
        str(command)
        for page in PAGES
        for block in blocks(page)
        if kind(block) == "commands"
        for command in commands(block)
    ]
    unused = [words for words in NOT_RUN if not any(each.startswith(words) for each in typed)]
    assert unused == []
    assert {(page, first_line(block)) for page in PAGES for block in blocks(page)} >= SLOW


def test_the_readme_names_every_command() -> None:
    program = typer.main.get_command(build())
    assert isinstance(program, TyperGroup)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [
        name for name in program.commands if not re.search(rf"gdl {name}\b|make {name}", text)
    ] == []


@pytest.mark.later
@pytest.mark.parametrize("page", PAGES)
def test_commands_and_options_in_the_text_exist(page: str) -> None:
    program = typer.main.get_command(build())
    assert isinstance(program, TyperGroup)
    text = (ROOT / page).read_text(encoding="utf-8")
    for said in re.findall(r"`gdl ([^`]*)`", text):
        name, *words = said.split()
        if name in {"COMMAND", "--install-completion"} or name.startswith("-"):
            continue
        assert name in program.commands, said
        options = {option for each in program.commands[name].params for option in each.opts}
        options |= {
            option for each in program.commands[name].params for option in each.secondary_opts
        }
        asked = {word.split("=")[0] for word in words if word.startswith("-") and word != "-"}
        assert asked <= options | {"--help"}, said


@each_block("lisp")
def test_rules_have_no_error_but_that_they_are_a_piece(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "piece.kif"
    path.write_text(block.text, encoding="utf-8")
    errors = {found.slug for found in gdl_check(path) if found.severity is Severity.ERROR}
    is_whole = re.search(r"\(role [a-z]", block.text)
    assert not {slug for slug in errors if is_whole or not slug.startswith("missing-")}


@pytest.mark.slow
@pytest.mark.skipif(bool(missing("solve") or missing("verify")), reason="needs solve and verify")
def test_the_tutorial_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page shows is typed in order, and what it asks for is done."""
    monkeypatch.chdir(tmp_path)
    heap = ""
    for block in blocks(TUTORIAL):
        if kind(block) == "lisp":
            heap += block.text
        elif kind(block) == "toml":
            Path("heap.test.toml").write_text(block.text, encoding="utf-8")
        else:
            Path("heap.kif").write_text(heap, encoding="utf-8")
            misere = heap.replace("?player 0)", "?player -)").replace("?player 100)", "?player 0)")
            Path("misere.kif").write_text(misere.replace("-)", "100)"), encoding="utf-8")
            for command in commands(block):
                run(command)
            heap = heap.replace("(suc ", "(succ ")  # "Correct `suc` to `succ`"


@each_block("toml")
def test_a_table_can_be_read(block: Block) -> None:
    assert tomllib.loads(block.text)


@each_block("lua", "elisp")
def test_settings_of_an_editor_start_the_server(block: Block) -> None:
    """No editor is here to read them: brackets close, and the command is one that there is."""
    assert re.search(r'"gdl",? "lsp"', block.text)
    for opening, closing in ("()", "{}"):
        assert block.text.count(opening) == block.text.count(closing)


def test_the_manifests_of_the_page_on_rulesets_can_be_read(tmp_path: Path) -> None:
    tables = [block.text for block in blocks("docs/rulesets.md") if kind(block) == "toml"]
    house, nim = (
        next(number for number, text in enumerate(tables) if f'id = "{name}' in text)
        for name in ("house/", "nim")
    )
    families = {"mill": tables[:house], "house": tables[house:nim], "nim": tables[nim:]}
    for folder, held in families.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "manifest.toml").write_text("\n".join(held), encoding="utf-8")
        for name in ("board.kif", "moves.kif", "polite.kif", "misere.kif"):
            (tmp_path / folder / name).write_text(TICTACTOE, encoding="utf-8")
        folders = [tmp_path / folder, ROOT / "rulesets"]
        assert read_among(folders, tmp_path / folder / "manifest.toml")


def test_the_tests_of_the_page_on_testing_can_be_read(tmp_path: Path) -> None:
    for block in blocks("docs/testing.md"):
        if kind(block) == "toml":
            path = tmp_path / "page.test.toml"
            path.write_text(block.text, encoding="utf-8")
            assert read_suite(path).cases


@each_block("http", "json")
def test_what_goes_over_the_wire_can_be_read(block: Block) -> None:
    for line in block.text.splitlines():
        start = line.find("{")
        if start >= 0:
            text = re.sub(r"(?<=: )\.\.\.", "null", line[start:])
            text = re.sub(r"(?<=[\[{])\.\.\.(?=[\]}])", "", text)
            json.JSONDecoder().raw_decode(text)


@each_block("http")
def test_a_route_exists(block: Block, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason=missing("serve"))
    from gdl.match.store import open_store
    from gdl.web.app import App
    from gdl.web.openapi import document
    from gdl.web.service import Service
    from gdl.web.settings import Settings

    service = Service(open_store(tmp_path / "matches.db"), Settings())
    paths = document(App(service).operations)["paths"]
    service.store.close()
    for line in block.text.splitlines():
        method, path, *_ = line.split()
        pattern = [
            re.sub(r"\{\w+\}", "[^/]+", known) for known in paths if method.lower() in paths[known]
        ]
        assert any(re.fullmatch(each, path) for each in pattern), line
