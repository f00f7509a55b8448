"""Photograph the page of ``gdl serve``: ``python docs/photograph.py``.

Plays a few moves in a headless Chromium and writes ``docs/page.png``. Needs playwright and
Chromium, as tests/web/test_page.py does.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

MOVES = (("1,1", 3), ("3,3", 0), ("1,2", 5), ("4,4", 7), ("2,1", 2))
"""Cells, and which of the arrows is clicked then."""
BESIDE = ("pentago/strict", "pentago/utwente")


def main() -> None:
    """Serve, play, and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "matches.db")
        command = [
            sys.executable,
            "-m",
            "gdl",
            "serve",
            "--port",
            "0",
            "-d",
            database,
            "--no-rate-limits",
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"http://\S+:\d+", server.stdout.readline())
                assert found is not None
                with sync_playwright() as started:
                    browser = started.chromium.launch(
                        executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                    )
                    page = browser.new_page(viewport={"width": 1360, "height": 1120})
                    show(page, found[0])
                    page.screenshot(path=str(Path(__file__).with_name("page.png")))
                    browser.close()
            finally:
                server.kill()


def show(page: Page, address: str) -> None:
    """Put a position of classic Pentago on the table, beside two other readings."""
    page.goto(address)
    page.wait_for_selector(".cell.open")
    for cell, arrow in MOVES:
        page.wait_for_timeout(1500)
        page.locator(f'figure:first-child [data-cell="{cell}"]').click()
        page.locator(".arrow").nth(arrow).click()
    page.locator("summary", has_text="other rules").click()
    for ruleset in BESIDE:
        page.check(f'#others input[value="{ruleset}"]')
    page.locator("#rules summary").click()
    page.click("#edit")
    page.click("#always")
    page.wait_for_timeout(6000)
    page.click("#back")  # by now the program has compiled the game
    page.wait_for_timeout(3000)
    page.click("#forth")
    page.wait_for_timeout(3000)
    page.click("#advice")
    page.wait_for_timeout(3000)
    page.locator('figure:first-child [data-cell="0,4"]').click()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)


if __name__ == "__main__":
    main()
