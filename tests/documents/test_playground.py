"""The playground: rules are checked, played and explained in a browser, by static files alone."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.documents.serving import serving
from tests.shared import ROOT
from tests.web.browser import IN_A_BROWSER, page

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["page"]  # a fixture

pytestmark = [
    *IN_A_BROWSER,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm, which comes with Node.js"),
]
FIRST_ANSWER = 30.0
"""Seconds until the first board is there, loading included; a quiet machine takes five."""
NEXT_ANSWER = 3.0
"""Seconds for a move after that; a quiet machine takes a tenth."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("playground")
    spec = importlib.util.spec_from_file_location(
        "build", ROOT / "docs" / "playground" / "build.py"
    )
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    try:
        build.main(folder / "site")
    except subprocess.CalledProcessError as error:
        if "npm" in error.cmd[0]:
            pytest.skip("npm cannot fetch its packages here")
        raise
    with serving(folder / "site") as found:
        yield found


def make(page: Page, move: str) -> None:
    page.click(f"#moves button:text-is('{move}')")
    page.wait_for_function("move => ![...document.querySelectorAll('#moves button')]"
                           ".some(each => each.textContent === move)", arg=move)  # fmt: skip


def test_a_game_is_played_explained_and_changed(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    began = time.monotonic()
    page.goto(address)
    page.wait_for_selector("#board svg", timeout=60_000)
    assert time.monotonic() - began < FIRST_ANSWER
    assert page.inner_text("#problems") == "Nothing."
    began = time.monotonic()
    make(page, "b2")
    assert time.monotonic() - began < NEXT_ANSWER
    for move in ("a1", "b1", "a2"):
        make(page, move)
    page.click("#moves button:text-is('b3')")
    page.wait_for_selector("#said:text('The game is over: x 100, o 0.')")

    page.fill("#query", "goal x 100")
    page.click("#ask button")
    page.wait_for_selector("#answer:text('(line x)')")

    page.click("#again")
    page.wait_for_selector("#moves button:text-is('c3')")
    assert page.is_hidden("#answer")  # it was about another position
    page.click("#count")
    page.wait_for_selector("#counts td:text-is('15,120')", timeout=30_000)

    rules = page.input_value("#rules")
    page.fill("#rules", rules.replace("(init (control x))", "(init (contrl x))"))
    page.wait_for_selector("#problems:text('did you mean')")
    assert page.is_hidden("#counts")  # they were about other rules
    page.fill("#rules", rules.replace("100", "90"))
    page.click("#changes")
    page.wait_for_selector("#meant:text('has 90, by the ruleset 100, after')", timeout=30_000)
    page.click("#verify")
    page.wait_for_selector("#meant:text('everybody can move')", timeout=30_000)
    page.fill("#rules", rules + "(")
    page.wait_for_selector("#board pre:text('unclosed-bracket')")
    page.fill("#rules", rules)
    page.wait_for_selector("#board svg")  # of rules that no manifest draws
    make(page, "(mark a 1)")
    assert all(url.startswith((address, "data:")) for url in asked)


def test_machine_code_values_a_position(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#moves button:text-is('b2')", timeout=60_000)
    page.click("#random")
    page.wait_for_selector("#worth:text('on average x 64.8, o 35.2.')", timeout=30_000)
    for move in ("a1", "b1", "a2", "b2"):
        make(page, move)
    page.click("#search")
    page.wait_for_selector("#worth tr:nth-child(2) td:text-is('a3')", timeout=30_000)
    page.click("#random")
    page.wait_for_selector("#worth:text('random games from here')", timeout=30_000)
    page.click("#back")
    assert page.inner_text("#worth") == ""
    rules = page.input_value("#rules")
    page.fill("#rules", rules.replace("100", "99"))
    page.wait_for_selector("#machine:visible")
    assert page.is_disabled("#search")
    page.select_option("#example", "hex?size=5")
    page.wait_for_selector("#moves button:text-is('e5')", timeout=30_000)
    page.click("#search")
    page.wait_for_selector("#worth tr:nth-child(2)", timeout=30_000)
    page.click("#moves button:text-is('c3')")


def test_several_who_move_at_once_and_other_boards(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#board svg", timeout=60_000)
    page.fill("#rules", (ROOT / "rulesets/rockpaperscissors/rockpaperscissors.kif").read_text())
    page.wait_for_selector("#moves h2 >> nth=1")
    assert page.locator("#moves h2").count() == 2
    page.select_option("#example", "pentago/strict")
    page.wait_for_selector("#moves button:text-is('E5 Q00 CW')", timeout=30_000)


def test_an_example_of_the_documentation_is_edited_and_run(page: Page, address: str) -> None:
    """The links are those that the site has below the two examples of the primer."""
    primer = (ROOT / "docs" / "primer.md").read_text(encoding="utf-8")
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    facts, link = re.findall(
        r'<a href="\.\./playground/index\.html(#rules=.*?)">',
        reference.with_links(primer, "primer/"),
    )
    page.goto(f"{address}{facts}")
    page.wait_for_selector("#moves button:text-is('read')", timeout=60_000)
    assert "error" not in page.inner_text("#problems")
    page.fill("#query", "apart a c")
    page.click("#ask button")
    page.wait_for_selector("#answer:text('(apart a c)  [game.kif:7]')")
    page.goto(f"{address}{link}")
    page.wait_for_selector("#moves button:text-is('press')", timeout=60_000)
    assert page.input_value("#rules").startswith("(role robot)\n(init dark)")
    assert page.inner_text("#problems") == "Nothing."
    page.click("#moves button:text-is('press')")
    page.wait_for_selector("#board pre:text('lit')")


def test_what_takes_too_long_is_ended(page: Page, address: str) -> None:
    text = Path(ROOT / "docs/playground/page.js").read_text(encoding="utf-8")
    page.route("**/page.js", lambda route: route.fulfill(
        body=text.replace("PATIENCE = 30_000", "PATIENCE = 8_000"), content_type="text/javascript"
    ))  # fmt: skip
    page.goto(address)
    page.wait_for_selector("#board svg", timeout=60_000)
    digits = " ".join(f"(digit {number})" for number in range(10))
    move = " ".join(f"?{name}" for name in "abcdefghij")
    body = " ".join(f"(digit ?{name})" for name in "abcdefghij")
    rules = f"(<= terminal {body} (true p)) (<= (legal x (m {move})) {body})"
    page.fill("#rules", f"(role x) (init p) (goal x 0) {digits} {rules}")
    page.wait_for_selector("#status:text('took too long'), #board pre", timeout=60_000)
    page.unroute("**/page.js")
