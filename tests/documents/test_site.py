"""The site: built without a warning, no link leads nowhere, nothing public is left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import gdl
from gdl.cli.main import COMMANDS
from gdl.language.checks.explanations import explanations
from tests.shared import ROOT, needs

pytestmark = [pytest.mark.slow, needs("docs")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert "WARNING" not in made.stderr, made.stderr
    return folder


def test_no_link_leads_nowhere(site: Path) -> None:
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("index.html")}
    places = {
        page: set(re.findall(r' (?:id|name)="([^"]+)"', text)) for page, text in texts.items()
    }
    astray = []
    for page, text in texts.items():
        for link in re.findall(r' (?:href|src)="([^"]+)"', text):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            aim = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            aim = aim / "index.html" if aim.is_dir() else aim
            is_rules = parts.fragment.startswith("rules=")  # for the playground, where it was built
            is_there = aim.exists() and (
                not parts.fragment
                or is_rules
                or aim not in places
                or unquote(parts.fragment) in places[aim]
            )
            if not is_there:
                astray.append((str(page.relative_to(site)), link))
    assert astray == []


def test_every_command_and_diagnostic_and_name_is_there(site: Path) -> None:
    commands, diagnostics, names = (
        (site / "reference" / page / "index.html").read_text(encoding="utf-8")
        for page in ("commands", "diagnostics", "gdl")
    )
    for group in COMMANDS.values():
        for command in group:
            assert f"gdl {command.__name__.replace('_', '-')}</code>" in commands
    assert all(f'<h2 id="{slug}">' in diagnostics for slug in explanations())
    places = set(re.findall(r'<h3 id="([^"]+)"', names))
    for name in gdl.__all__:
        home = getattr(getattr(gdl, name), "__module__", "gdl")
        assert f"{home}.{name}" in places


def test_every_room_is_described_and_what_it_is_made_after(site: Path) -> None:
    internals, design = (
        (site / page / "index.html").read_text(encoding="utf-8") for page in ("internals", "design")
    )
    for path in (ROOT / "gdl").rglob("*.py"):
        module = path.relative_to(ROOT).with_suffix("").parts
        if len(module) == 3 and module[-1] == "__init__":
            assert f'<h2 id="{module[1]}">' in internals
        if "\nSource: " in path.read_text(encoding="utf-8").split('"""')[1]:
            assert f"<code>{'.'.join(module).removesuffix('.__init__')}</code>" in design


def test_examples_are_set_as_what_is_typed(site: Path) -> None:
    for page in (site / "reference").rglob("index.html"):
        text = page.read_text(encoding="utf-8")
        assert "<blockquote>" not in text, page
        lines = re.findall(r".*&gt;&gt;&gt;.*", text)
        assert all("<span" in line for line in lines), page


def test_games_that_have_a_picture_show_their_boards(site: Path) -> None:
    for ruleset in gdl.rulesets():
        family = ruleset.id.split("/")[0]
        page = (site / "catalogue" / family / "index.html").read_text(encoding="utf-8")
        is_shown = f"boards/{ruleset.id.replace('/', '-')}.svg" in page
        assert is_shown == (ruleset.picture is not None), ruleset.id
