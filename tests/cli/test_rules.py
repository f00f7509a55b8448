"""The commands that write rules: fmt, convert, flatten; and the list of rulesets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl.language.parse import parse, read
from gdl.ruleset import find, rulesets
from tests.cli.running import gdl, process

UGLY = "(ROLE   white);first\n(<= (legal white go)\n(true a))\n(init a)"


@pytest.fixture
def ugly(folder: Path) -> Path:
    path = folder / "ugly.kif"
    path.write_text(UGLY)
    return path


def test_fmt_changes_the_file_and_keeps_rules_and_comments(ugly: Path) -> None:
    before = read(ugly)
    ran = gdl("fmt", "ugly.kif")
    assert (ran.code, ran.out, ran.err) == (0, "changed ugly.kif\n", "")
    assert read(ugly) == before
    assert ugly.read_text().startswith("(role white) ;first\n")
    again = gdl("fmt", "ugly.kif")
    assert (again.code, again.out, again.err) == (0, "", "")


def test_fmt_keeps_the_line_ends_of_the_file(ugly: Path) -> None:
    gdl("fmt", "ugly.kif")
    formatted = ugly.read_bytes().replace(b"\n", b"\r\n")
    ugly.write_bytes(formatted)
    assert gdl("fmt", "ugly.kif", "--check").code == 0
    ugly.write_bytes(UGLY.replace("\n", "\r\n").encode())
    assert gdl("fmt", "ugly.kif").out == "changed ugly.kif\n"
    assert ugly.read_bytes() == formatted


@pytest.mark.slow
def test_fmt_check_changes_nothing_and_fails(ugly: Path) -> None:
    ran = gdl("fmt", "ugly.kif", "--check")
    assert (ran.code, ran.out, ran.err) == (1, "", "would change ugly.kif\n")
    assert ugly.read_text() == UGLY


def test_fmt_diff_shows_the_lines(ugly: Path) -> None:
    ran = gdl("fmt", "ugly.kif", "--diff")
    assert ran.code == 1
    assert ran.out.startswith("--- ugly.kif\n+++ ugly.kif (formatted)\n@@ ")
    assert "\n-(ROLE   white);first\n" in ran.out
    assert "\n+(role white) ;first\n" in ran.out
    assert ugly.read_text() == UGLY


def test_fmt_reads_standard_input(ugly: Path) -> None:
    ran = gdl("fmt", "-", stdin=UGLY)
    assert (ran.code, ran.err) == (0, "")
    gdl("fmt", "ugly.kif")
    assert ran.out == ugly.read_text()


def test_fmt_leaves_a_broken_file_alone_and_does_the_others(ugly: Path) -> None:
    (ugly.parent / "broken.kif").write_text("(role x\n")
    ran = gdl("fmt", "broken.kif", "ugly.kif")
    assert ran.code == 1
    assert ran.out == "changed ugly.kif\n"
    assert ran.err.startswith("broken.kif:1:1: error[")
    assert (ugly.parent / "broken.kif").read_text() == "(role x\n"


@pytest.mark.usefixtures("folder")
def test_convert_there_and_back() -> None:
    assert gdl("convert", "pennies.kif", "--to", "hrf", "-o", "pennies.hrf").code == 0
    there = read("pennies.hrf")
    back = gdl("convert", "pennies.hrf", "--to", "kif")
    assert (back.code, back.err) == (0, "")
    assert parse(back.out, syntax="kif") == there == read("pennies.kif")


def test_convert_reads_standard_input() -> None:
    ran = gdl("convert", "-", "--to", "hrf", stdin="(<= (legal ?p noop) (role ?p))")
    assert (ran.code, ran.out, ran.err) == (0, "legal(P,noop) :- role(P).\n", "")


def test_convert_wants_a_notation_that_exists() -> None:
    ran = gdl("convert", "-", "--to", "pdf")
    assert ran.code == 2
    assert "'kif'" in ran.err
    assert "'hrf'" in ran.err


def test_convert_takes_parameters_of_a_family() -> None:
    ran = gdl("convert", "hex?size=3", "--to", "kif")
    assert (ran.code, ran.err) == (0, "")
    assert parse(ran.out) == find("hex?size=3").description


def test_convert_writes_webassembly(tmp_path: Path) -> None:
    path = tmp_path / "game.wasm"
    ran = gdl("convert", "tictactoe", "--to", "wasm", "-o", str(path))
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert path.read_bytes().startswith(b"\0asm\1\0\0\0")


@pytest.mark.parametrize("name", ["pentago/classic", "tictactoe"])
def test_flatten_writes_the_rules_of_all_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / "flat.kif"
    ran = gdl("flatten", name, "-o", str(path))
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert read(path) == find(name).description
    assert gdl("flatten", name).out == path.read_text()


@pytest.mark.slow
def test_a_pipe_gets_utf8_whatever_the_terminal_speaks(tmp_path: Path) -> None:
    (tmp_path / "name.kif").write_text("(role röle)\n", encoding="utf-8")
    ran = process("flatten", "name.kif", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert "Traceback" not in ran.err  # which names the rules that are missing
    assert "(role röle)" in ran.out


@pytest.mark.slow
def test_rulesets_are_listed() -> None:
    ran = gdl("rulesets")
    assert (ran.code, ran.err) == (0, "")
    ids = [ruleset.id for ruleset in rulesets()]
    assert [line.split()[0] for line in ran.out.splitlines()[1 : 1 + len(ids)]] == ids
    listed = json.loads(gdl("rulesets", "--json").out)
    assert {each["id"]: each["roles"] for each in listed}["tictactoe"] == ["x", "o"]


def test_a_folder_of_ones_own_is_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "manifest.toml").write_text(
        '[[ruleset]]\nid = "mine"\nversion = "1"\ntitle = "Mine"\nsource = "me"\n'
        'rules = ["count.kif"]\n'
    )
    monkeypatch.setenv("GDL_RULESETS", str(folder))
    assert gdl("rulesets").out.splitlines()[1].split() == ["mine", "1", "Mine"]
    assert gdl("legal", "mine").out.splitlines()[0] == "robot: 2 legal moves"
