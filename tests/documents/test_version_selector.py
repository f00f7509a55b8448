"""Versions of the site side by side, in a browser: a click leads from one to another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.documents.serving import serving
from tests.shared import ROOT, needs
from tests.web.browser import IN_A_BROWSER, page

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["page"]  # a fixture
pytestmark = [*IN_A_BROWSER, pytest.mark.slow, needs("docs")]

# The site's own theme and settings, with a page instead of all.
SMALL = f"""
INHERIT: {ROOT / "mkdocs.yml"}
docs_dir: pages
site_dir: site
hooks: []
plugins: []
nav: [index.md]
"""


def test_the_selector_leads_from_one_version_to_another(tmp_path: Path, page: Page) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.md").write_text("# Here\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(SMALL, encoding="utf-8")
    run(tmp_path, "-m", "mkdocs", "build", "--quiet")
    for version in ("0.1.0", "0.2.0"):
        run(tmp_path, str(ROOT / "docs" / "versions.py"), "site", "sites", version)
    with serving(tmp_path / "sites") as address:
        page.goto(address)
        page.wait_for_url(f"{address}0.2.0/")
        page.hover(".md-version__current", force=True)  # the list opens above what is pointed at
        links = page.locator(".md-version__link")
        assert [text.strip() for text in links.all_inner_texts()] == ["0.2.0", "0.1.0"]
        links.nth(1).click()
        page.wait_for_url(f"{address}0.1.0/")


def run(folder: Path, *words: str) -> None:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, *words], cwd=folder, env=environment, check=True)
