"""The site in a browser: its search finds, and a click leads from one version to another."""

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
plugins: [search]
nav: [index.md]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    text = "# Here\n\n## Layers\n\nEach relation has a stratum.\n"
    (tmp_path / "pages" / "index.md").write_text(text, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(SMALL, encoding="utf-8")
    run(tmp_path, "-m", "mkdocs", "build", "--quiet")
    return tmp_path


def test_a_word_that_is_typed_is_found_where_it_stands(site: Path, page: Page) -> None:
    with serving(site / "site") as address:
        page.goto(address)
        page.click(".md-search__form")
        page.type(".md-search__input", "stratum")
        page.locator(".md-search-result__link", has_text="Layers").click()
        page.wait_for_url(f"{address}?h=stratum#layers")
        page.wait_for_load_state("networkidle")  # before nobody answers any more


def test_the_selector_leads_from_one_version_to_another(site: Path, page: Page) -> None:
    for version in ("0.1.0", "0.2.0"):
        run(site, str(ROOT / "docs" / "versions.py"), "site", "sites", version)
    with serving(site / "sites") as address:
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
