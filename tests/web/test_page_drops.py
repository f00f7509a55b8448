"""Moves that put something down: it is picked from a hand or a palette, and then the place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pytest

from gdl.view.colour import contrast
from tests.web.browser import IN_A_BROWSER, page, server, somebody_else, told, until
from tests.web.test_page_people import TAKEN, put

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["page"]  # the browser of the tests below
pytestmark = IN_A_BROWSER
TO_THE_END = [
    *(["white", "e4"], ["black", "d5"], ["white", "exd5"], ["black", "c6"], ["white", "dxc6"]),
    *(["black", "Nf6"], ["white", "cxb7"], ["black", "Nc6"]),
]
"""After which a pawn takes the rook in the corner, and becomes what its player likes."""
SHAPES = """
(role left) (role right)
(n 1) (n 2) (n 3) (shape disc) (shape ring)
(<= (base (cell ?x ?y ?s)) (n ?x) (n ?y) (mark ?s))
(mark disc) (mark ring) (mark none)
(init (cell 1 1 none)) (init (cell 1 2 none)) (init (cell 1 3 none))
(init (cell 2 1 none)) (init (cell 2 2 none)) (init (cell 2 3 none))
(init (cell 3 1 none)) (init (cell 3 2 none)) (init (cell 3 3 none))
(init (control left))
(succ 1 2) (succ 2 3)
(<= (legal ?p (lay ?s ?x ?y)) (true (control ?p)) (shape ?s) (true (cell ?x ?y none)))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (cell ?x ?y ?s)) (does ?p (lay ?s ?x ?y)))
(<= (touched ?x ?y) (does ?p (lay ?s ?x ?y)))
(<= (next (cell ?x ?y ?s)) (true (cell ?x ?y ?s)) (not (touched ?x ?y)))
(<= (next (control left)) (true (control right)))
(<= (next (control right)) (true (control left)))
(<= open (true (cell ?x ?y none)))
(<= terminal (not open))
(goal left 50) (goal right 50)
"""


def at(address: str, line: list[list[str]], ruleset: str) -> str:
    return f"{address}/#ruleset={quote(ruleset, safe='')}&line={quote(json.dumps(line))}"


COLOURS = """(node) => {
    const { fill, stroke } = getComputedStyle(node);
    const button = node.closest("button");
    const square = node.closest(".cell")?.querySelector(".dark, .light");
    const { backgroundColor } = getComputedStyle(button ?? document.body);
    return [fill, stroke, square ? getComputedStyle(square).fill : backgroundColor];
}"""
"""Colours of a man, of its rim, and of what it stands on."""


def hexadecimal(colour: str) -> str:
    """Return a colour as a browser tells it, ``rgb(1, 2, 3)``, in the form that manifests have."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def picks(page: Page) -> list[str]:
    """Return what may be picked."""
    buttons = page.locator("#palette button")
    found: list[str] = buttons.evaluate_all("all => all.map(each => each.dataset.pick)")
    return found


def test_a_man_is_dropped_from_the_hand_or_the_palette(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(at(address, TAKEN, "chess/crazyhouse"))
        until(page, "document.querySelectorAll('#moves .ply').length === 5")
        assert page.locator("#choices button").count() == 0
        assert picks(page) == ["pawn"]
        assert page.locator("#palette .piece text").count() == 1
        page.click('[data-cell="3,4"].open')  # a slip drops nothing
        told(page, "#choices", "@e5$")
        assert page.locator("#moves .ply").count() == 5
        page.click("#palette button")
        told(page, "#status", "^White to move: choose where to put the white pawn.$")
        assert page.locator('[data-cell="6,3"].open').count() == 0, "men on the board stay"
        put(page, "3,4")
        until(page, "document.querySelectorAll('#moves .ply').length === 6")
        assert page.locator('[data-cell="3,4"]').get_attribute("data-mark") == "wp"
        page.locator('[data-site][aria-label^="black pawns: black pawn 1"]').click()
        told(page, "#status", "^Black to move: choose where to put the black pawn.$")
        page.locator('[data-site][aria-label^="black pawns"]').click()  # and back
        told(page, "#status", "^Black to move.$")
        page.locator('[data-site][aria-label^="black pawns"]').focus()
        page.keyboard.press("Enter")
        put(page, "2,4")
        until(page, "document.querySelectorAll('#moves .ply').length === 7")
        assert picks(page) == []


def test_a_pawn_at_the_end_becomes_what_is_pointed_at(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(at(address, TO_THE_END, "chess"))
        until(page, "document.querySelectorAll('#moves .ply').length === 9")
        page.click('[data-cell="1,1"].open')
        page.click('[data-cell="0,0"].open')
        told(page, "#choices", "bxa8=Q")
        assert page.locator("#choices .piece").count() == 4
        assert page.locator("#palette").is_hidden()
        page.locator("#choices button", has_text="=N").click()
        until(page, "document.querySelectorAll('#moves .ply').length === 10")
        assert page.locator('[data-cell="0,0"]').get_attribute("data-mark") == "wn"


def test_rules_that_somebody_sent_have_a_palette_too(page: Page, tmp_path: Path) -> None:
    """By the rule: several things may be put at one place, and the move says which."""
    with server(tmp_path) as address:
        page.goto(f"{address}/#{urlencode({'rules': SHAPES, 'title': 'Shapes'})}")
        page.wait_for_selector(".cell.open")
        assert sorted(picks(page)) == ["disc", "ring"]
        cell = page.locator(".cell.open").first
        number = cell.get_attribute("data-site")
        page.locator("#palette button", has_text="ring").click()
        cell.click()
        until(page, "document.querySelectorAll('#moves .ply').length === 2")
        assert page.locator(f'[data-site="{number}"]').get_attribute("data-mark") == "ring"
        page.locator(".cell.open").first.click()  # the place first, and then what
        assert page.locator("#choices button").count() == 2
        page.locator("#choices button").first.click()
        until(page, "document.querySelectorAll('#moves .ply').length === 3")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_men_are_seen_on_whatever_they_stand(page: Page, tmp_path: Path, scheme: str) -> None:
    """On the board, in the hands below it and on buttons: the man itself, or else its rim."""
    look: dict[str, Any] = {"color_scheme": scheme}
    with server(tmp_path) as address, somebody_else(page, **look) as other:
        other.goto(at(address, TAKEN, "chess/crazyhouse"))
        until(other, "document.querySelectorAll('#moves .ply').length === 5")
        places = {".cell.bare .man": 10, "#palette .man": 1, "[data-cell]:not(.new) .man": 29}
        for place, count in places.items():
            men = other.locator(place).all()
            assert len(men) == count
            for man in men:
                fill, rim, ground = map(hexadecimal, man.evaluate(COLOURS))
                assert contrast(fill, rim) > 7
                assert max(contrast(fill, ground), contrast(rim, ground)) > 4.5
        assert other.locator(".cell.spent").count() == 8
