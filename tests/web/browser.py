"""A real browser for tests: a server on a folder, pages of several people, and what they do.

Needs playwright and Chromium (the extra ``browser``, ``apt-get install chromium``); the
browser is the one on the machine, nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from tests.shared import missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason=missing("browser"))
pytest.importorskip("uvicorn", reason=missing("serve"))
IN_A_BROWSER = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
    pytest.mark.slow,
]
"""Marks of all tests that drive a browser."""


@contextmanager
def server(
    folder: Path,
    port: int = 0,
    rulesets: Path | None = None,
    tables: Path | None = None,
    players: Sequence[str] = (),
) -> Iterator[str]:
    """Run ``gdl serve`` on a database of a folder, with further rulesets, tables and players.

    Yields its address.
    """
    more = {} if rulesets is None else {"GDL_RULESETS": str(rulesets)}
    command = ["serve", "--port", str(port), "--database", str(folder / "matches.db")]
    command += [] if tables is None else ["--tables", str(tables)]
    command += [word for player in players for word in ("--player", player)]
    with subprocess.Popen(
        [sys.executable, "-m", "gdl", *command, "--no-rate-limits"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **more},
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+:\d+", process.stdout.readline())
            assert found is not None, "the server did not start"
            yield found[0]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1280, "height": 1000})
        faults: list[str] = []
        opened.on("pageerror", lambda error: faults.append(f"{opened.url}: {error.stack or error}"))
        opened.on("dialog", lambda dialog: faults.append(dialog.message))
        opened.emulate_media(reduced_motion="reduce")
        yield opened
        browser.close()
    assert not faults, "errors in the page, whatever it showed:\n" + "\n".join(faults)


def begin(page: Page, address: str, ruleset: str, against: str) -> str:
    """Begin a match by the controls of the page; return its name."""
    page.goto(f"{address}/#")
    page.wait_for_selector("#boards figure")
    open_settings(page)
    page.select_option("#ruleset", ruleset)
    page.select_option("#against", against)
    page.click("#new")
    wait_for_match(page)
    name: str = page.url.partition("#match=")[2]
    return name


def open_settings(page: Page) -> None:
    """Show the settings of the next match, which are folded on small screens and in a match."""
    until(page, "!document.querySelector('#who').textContent.startsWith('You')")
    if not page.locator("#new").is_visible():
        page.locator("#setup summary").click()


def wait_for_match(page: Page) -> None:
    """Wait until a match is on the table; until then the board before it takes touches."""
    until(page, "location.hash.startsWith('#match=')")
    page.wait_for_selector("#resign:not([hidden])")


def log(address: str, match: str) -> list[dict[str, str]]:
    with urlopen(f"{address}/api/matches/{match}/log") as answer:
        header, *entries = [json.loads(line) for line in answer.read().decode().splitlines()]
    assert header
    return [entry for entry in entries if "type" in entry]


def marks(page: Page) -> list[str]:
    """Return what lies on each cell of the first board, as the page has it."""
    cells = page.locator("figure:first-child [data-cell]")
    found: list[str] = cells.evaluate_all("cells => cells.map(cell => cell.dataset.mark)")
    return found


def until(page: Page, condition: str, *, timeout: float = 30.0) -> None:
    """Wait until an expression holds in the page; its policy forbids to evaluate texts there."""
    end = time.monotonic() + timeout
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"never: {condition}; {page.inner_text('#status')}"
        time.sleep(0.03)


def told(page: Page, place: str, text: str) -> None:
    """Wait until an element says a text, a pattern."""
    until(page, f"/{text}/.test(document.querySelector({json.dumps(place)}).innerText)")


def wait_for_turn(page: Page) -> bool:
    """Wait until a person is to move; return whether the game goes on."""
    until(
        page,
        """/is over/.test(document.querySelector('#status').textContent)
           || !!document.querySelector('.cell.open, #choices button')""",
        timeout=60,
    )
    return "is over" not in page.inner_text("#status")


def rules_on(page: Page) -> str:
    """Return the text in the rule editor, all of it, whatever part of it is drawn."""
    text: str = page.evaluate("document.querySelector('#text').value")
    return text


def write_rules(page: Page, text: str) -> None:
    """Replace what stands in the rule editor."""
    page.evaluate("text => (document.querySelector('#text').value = text)", text)


def move_somewhere(page: Page) -> None:
    """Touch the first cell that is open, and the first arrow if one is offered."""
    moves = page.locator("#moves .ply").count()
    page.locator(".cell.open").first.click()
    page.wait_for_timeout(50)
    if page.locator(".arrow").count():
        page.locator(".arrow").first.click()
    until(page, f"document.querySelectorAll('#moves .ply').length > {moves}")


@contextmanager
def somebody_else(page: Page, **more: Any) -> Iterator[Page]:  # noqa: ANN401  # of the browser
    """Open a page of another person, who shares nothing with the first one."""
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context(**{"reduced_motion": "reduce", **more})
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    context.close()
    assert faults == []
