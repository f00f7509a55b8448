"""The page and the sides of a board: one's own men lie below, names beside whose men they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.web.browser import (
    IN_A_BROWSER,
    begin,
    log,
    page,
    server,
    somebody_else,
    told,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

__all__ = ["page"]  # the browser of the tests below
pytestmark = IN_A_BROWSER


def height(page: Page, place: str) -> float:
    """Return how far below the upper edge of the window something stands."""
    box = page.locator(place).bounding_box()
    assert box is not None
    found: float = box["y"]
    return found


def lies_below(page: Page, cell: str, other: str) -> bool:
    """Return whether a cell of the board is drawn below another one."""
    return height(page, f'[data-cell="{cell}"]') > height(page, f'[data-cell="{other}"]')


def test_everybody_sees_the_names_beside_the_men(page: Page, tmp_path: Path) -> None:
    """Who plays has his own below, in a rematch too; who looks on sees them as they are drawn."""
    with server(tmp_path) as address, somebody_else(page) as bob, somebody_else(page) as eve:
        match = begin(page, address, "chess", "?")
        bob.goto(page.locator("#invitations input").input_value())
        told(bob, "#who", "^You are Black")
        eve.goto(f"{address}/#match={match}")
        told(eve, "#who", "^You look on")
        told(page, "#below", r"^White\s+you")
        told(bob, "#below", r"^Black\s+you")
        told(eve, "#below", "^White")
        told(eve, "#above", "^Black")
        white, black = "7,4", "0,4"
        assert lies_below(page, white, black)
        assert lies_below(bob, black, white)
        assert lies_below(eve, white, black)
        for each in (page, bob, eve):
            below = each.inner_text("#below strong")
            each.click("#flip")
            assert each.inner_text("#above strong") == below
        assert lies_below(page, black, white)
        assert lies_below(bob, white, black)
        assert lies_below(eve, black, white)
        page.click("#resign")
        page.click("#resign")
        page.click("#rematch")
        told(page, "#who", "^You are Black")
        told(page, "#below", r"^Black\s+you")
        assert lies_below(page, black, white)


def test_where_nobody_has_a_side_the_board_lies_as_it_is_drawn(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address, somebody_else(page) as bob:
        begin(page, address, "tictactoe", "?")
        bob.goto(page.locator("#invitations input").input_value())
        told(bob, "#below", r"^O\s+you")
        assert lies_below(bob, "2,0", "0,0")
        bob.click("#flip")
        told(bob, "#below", r"^X")
        assert lies_below(bob, "0,0", "2,0")


def test_each_board_of_a_picture_is_turned_in_its_place(page: Page, tmp_path: Path) -> None:
    """What one may drop lies below the board, on both sides of it."""
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=chess%2Fcrazyhouse")
        page.wait_for_selector(".cell.open")
        white, black = '[aria-label^="white pawns: "]', '[aria-label^="black pawns: "]'
        assert height(page, white) > height(page, black) > height(page, '[data-cell="7,0"]')
        page.click("#flip")
        assert height(page, black) > height(page, white) > height(page, '[data-cell="0,0"]')


def test_a_man_that_is_chosen_stays_so_until_the_position_changes(
    page: Page, tmp_path: Path
) -> None:
    """It was put down by every offer, and by who came to look while the clock stood."""
    with server(tmp_path) as address, somebody_else(page) as bob:
        match = begin(page, address, "chess", "?")
        page.click('[data-cell="6,4"]')
        told(page, "#status", "^White to move: choose where to.* Nobody sits at Black yet")
        bob.goto(page.locator("#invitations input").input_value())
        told(page, "#who", "against a guest$")
        told(page, "#status", "^White to move: choose where to, or another square.$")
        assert page.locator('[data-cell="6,4"].chosen').count() == 1
        ahead = page.locator(".cell.next").evaluate_all("all => all.map(one => one.dataset.cell)")
        assert ahead == ["4,4", "5,4"]  # other men may be chosen still, but are not marked
        other = page.locator('[data-cell="6,3"].open .spot')
        assert other.evaluate("spot => getComputedStyle(spot).stroke") == "rgba(0, 0, 0, 0)"
        bob.click("#draw")
        told(page, "#status", "^White to move: choose where to.* Black offers a draw")
        page.click("#flip")
        page.click('[data-cell="4,4"]')
        told(bob, "#status", "^Black to move")
        assert [entry["type"] for entry in log(address, match)] == ["REQUEST_DRAW", "MOVE"]
        bob.click('[data-cell="1,4"]')
        until(bob, "document.querySelector('.chosen') !== null")
        bob.click("#back")
        until(bob, "document.querySelector('.chosen') === null")
        bob.click("#last")
        told(bob, "#status", "^Black to move.$")


def test_a_side_that_is_chosen_stays_when_its_rules_come(page: Page, tmp_path: Path) -> None:
    """On a slow line it went back to the first one, without a word."""
    asked: list[Route] = []
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=tictactoe")
        page.wait_for_selector(".cell.open")
        page.select_option("#seat", "o")
        page.route("**/api/rulesets/**", lambda route: asked.append(route))  # noqa: PLW0108  # no method of a list
        page.select_option("#ruleset", "phantomtictactoe")
        page.select_option("#seat", "o")
        while not asked:
            page.wait_for_timeout(20)
        asked[0].continue_()
        page.unroute("**/api/rulesets/**")
        told(page, "figcaption", "^Phantom")
        assert page.input_value("#seat") == "o"
        page.select_option("#ruleset", "connectfour")
        told(page, "figcaption", "^Connect Four")
        assert page.input_value("#seat") == "red"
        page.select_option("#ruleset", "tictactoe")
        told(page, "figcaption", "^Tic-tac-toe")
        assert page.input_value("#seat") == "x"
