"""Versions of the site side by side: what is listed, and where a reader is led to."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

PROGRAM = ROOT / "docs" / "versions.py"
spec = importlib.util.spec_from_file_location("versions", PROGRAM)
assert spec is not None
assert spec.loader is not None
versions = importlib.util.module_from_spec(spec)
spec.loader.exec_module(versions)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("as it is now", encoding="utf-8")
    return folder


def test_the_newest_release_comes_first_whatever_is_added_last(site: Path, tmp_path: Path) -> None:
    sites = tmp_path / "sites"
    for version in ("0.9.0", "dev", "0.10.0", "0.10.0rc1", "0.2.0"):
        versions.add(site, sites, version)
    listed = json.loads((sites / "versions.json").read_text(encoding="utf-8"))
    assert [each["version"] for each in listed] == ["0.10.0", "0.10.0rc1", "0.9.0", "0.2.0", "dev"]
    assert [each["aliases"] for each in listed] == [["latest"], [], [], [], []]
    assert 'url=0.10.0/"' in (sites / "index.html").read_text(encoding="utf-8")


def test_a_version_is_made_anew_and_the_others_stay(site: Path, tmp_path: Path) -> None:
    sites = tmp_path / "sites"
    (site / "gone.html").write_text("", encoding="utf-8")
    versions.add(site, sites, "0.1.0")
    versions.add(site, sites, "0.2.0")
    (site / "gone.html").unlink()
    versions.add(site, sites, "0.2.0")
    assert (sites / "0.1.0" / "gone.html").exists()
    assert not (sites / "0.2.0" / "gone.html").exists()


@pytest.mark.parametrize("version", ["", "v1", "../x", "1.0/..", "latest"])
def test_what_is_no_version_is_refused(version: str, site: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is no version; expected: such as 0\.2\.0, or dev"):
        versions.add(site, tmp_path / "sites", version)
    assert not (tmp_path / "sites").exists()


def test_a_folder_without_a_site_is_refused_in_a_line(tmp_path: Path) -> None:
    words = [sys.executable, str(PROGRAM), str(tmp_path), str(tmp_path / "sites"), "0.1.0"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == f"error: {tmp_path} is no built site; help: make site\n"
