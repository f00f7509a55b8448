"""The rule editor comes bundled: of the sources that are beside it, with every licence."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "gdl" / "web"
BUNDLE, LICENCES = WEB / "page" / "codemirror.js", WEB / "page" / "codemirror-licences.txt"
NPM = shutil.which("npm")


def test_every_package_in_it_has_its_licence() -> None:
    lock = json.loads((WEB / "editor" / "package-lock.json").read_text())
    packages = {
        place.partition("node_modules/")[2]: package["version"]
        for place, package in lock["packages"].items()
        if place
    }
    named = re.findall(r'from "([^"]+)"', (WEB / "editor" / "bundle.js").read_text())
    told = re.findall(r"^(\S+) (\d\S*) \(MIT\)$", LICENCES.read_text(), re.MULTILINE)
    assert dict(told).items() <= packages.items()
    assert set(named) <= dict(told).keys()
    assert LICENCES.read_text().count("Permission is hereby granted") == len(told)


def test_nothing_of_it_is_fetched_from_elsewhere() -> None:
    text = BUNDLE.read_text()
    assert text.startswith("/* CodeMirror 6, bundled by gdl/web/editor/build.js")
    assert not re.search(r"""\bimport\s*[("'{*]|from\s*["']https?:""", text)


@pytest.mark.slow
@pytest.mark.skipif(NPM is None, reason="no npm: apt-get install npm")
def test_it_is_made_of_its_sources(tmp_path: Path) -> None:
    """What lies in the package is what anybody gets who builds it again, to the last byte."""
    assert NPM is not None
    editor, made = tmp_path / "editor", tmp_path / "made"
    shutil.copytree(WEB / "editor", editor, ignore=shutil.ignore_patterns("node_modules"))
    made.mkdir()
    install = [NPM, "--prefix", str(editor), "ci", "--no-audit", "--no-fund", "--fetch-retries=0"]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode and re.search(r"ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONN", installed.stderr):
        pytest.skip("no package can be fetched here")
    assert installed.returncode == 0, installed.stderr
    subprocess.run(["node", str(editor / "build.js"), str(made)], check=True)
    for kept in (BUNDLE, LICENCES):
        assert (made / kept.name).read_bytes() == kept.read_bytes()
