"""Manual pages say what the commands say, in a form that groff reads without a remark."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache

import pytest
import typer.main
from typer.core import TyperGroup

from gdl.cli.main import build
from tests.shared import ROOT


@cache
def pages() -> Mapping[str, str]:
    spec = importlib.util.spec_from_file_location("man", ROOT / "docs" / "man.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.pages())


def program() -> TyperGroup:
    found = typer.main.get_command(build())
    assert isinstance(found, TyperGroup)
    return found


def test_each_command_that_is_shown_has_a_page_with_all_its_options() -> None:
    shown = {name: command for name, command in program().commands.items() if not command.hidden}
    assert {f"gdl-{name}" for name in shown} | {"gdl"} == set(pages())
    for name, command in shown.items():
        text = pages()[f"gdl-{name}"].replace("\\-", "-")
        options = {option for parameter in command.params for option in parameter.opts}
        wanted = {option for option in options if option.startswith("--")}
        assert wanted <= set(re.findall(r"--[a-z][a-z-]*", text)), name


def test_the_page_of_gdl_names_every_command() -> None:
    named = re.findall(r"^\.BR gdl\\-(\S+) \(1\)$", pages()["gdl"], re.MULTILINE)
    assert {name.replace("\\-", "-") for name in named} >= {
        page.removeprefix("gdl-") for page in pages() if page != "gdl"
    }


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_groff_reads_them_without_a_remark() -> None:
    for name, text in pages().items():
        command = ["groff", "-man", "-ww", "-z", "-Kutf8"]
        ran = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, ""), name


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_what_is_typed_keeps_its_lines() -> None:
    command = ["groff", "-man", "-Tascii", "-P-cbou"]
    ran = subprocess.run(
        command, input=pages()["gdl-diff"], capture_output=True, text=True, check=True
    )
    assert "           gdl diff pentago/phased pentago/strict --turns\n" in ran.stdout
