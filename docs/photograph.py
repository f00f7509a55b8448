"""Photograph the page of ``gdl serve``: ``python docs/photograph.py``.

Plays a few moves in a headless Chromium and writes ``docs/page.png``, and ``docs/page-phone.png``
as a telephone shows it in the dark. Needs playwright and
Chromium, as tests/web/browser.py does.
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
                    small = browser.new_page(
                        viewport={"width": 390, "height": 780}, color_scheme="dark"
                    )
                    show_gomoku(small, found[0])
                    small.screenshot(path=str(Path(__file__).with_name("page-phone.png")))
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


def show_gomoku(page: Page, address: str) -> None:
    """Put the first stones of a game of Gomoku."""
    page.goto(address)
    page.wait_for_selector(".cell.open")
    page.locator("#setup summary").click()
    page.select_option("#ruleset", "gomoku/freestyle")
    page.wait_for_selector('[data-cell="14,14"].open')
    for cell in ("7,7", "6,8", "8,8", "6,6", "8,6", "7,9"):
        page.click(f'[data-cell="{cell}"]')
        page.wait_for_selector(f'[data-cell="{cell}"][data-mark]:not([data-mark=""])')
        page.wait_for_timeout(300)
    page.locator("#setup summary").click()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(300)


if __name__ == "__main__":
    main()
