"""The page in a real browser: whole matches by clicks and keys, held against the log."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

import pytest

import gdl
from gdl.ruleset import find
from gdl.state import State
from gdl.view.plan import plan
from tests.cli.conftest import STUCK
from tests.shared import missing
from tests.web.browser import (
    IN_A_BROWSER,
    begin,
    log,
    marks,
    move_somewhere,
    page,
    rules_on,
    server,
    somebody_else,
    until,
    wait_for_match,
    wait_for_turn,
    write_rules,
)
from tests.web.serving import in_other_words

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route, WebSocketRoute

__all__ = ["page"]  # the browser of the tests below
pytestmark = IN_A_BROWSER


SAMPLES = Path(__file__).parents[1] / "view" / "samples"


def replayed(ruleset: str, entries: list[dict[str, str]]) -> State:
    state = gdl.load(ruleset, backend="reason").initial()
    for entry in entries:
        assert entry["type"] == "MOVE"
        state = state.play({entry["role"]: entry["term"]})
    return state


def drawn(state: State) -> list[str]:
    """Return the same of a state, in the order in which the page draws blocks."""
    board = state.game.ruleset.board(state.facts)
    assert board is not None
    rows, columns = len(board.cells), len(board.cells[0])
    tops, lefts = (0, *board.row_breaks, rows), (0, *board.column_breaks, columns)
    return [
        mark.name if (mark := board.cells[row][column]) else ""
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
        for row in range(top, bottom)
        for column in range(left, right)
    ]


@pytest.mark.parametrize(
    ("ruleset", "program"),
    [("tictactoe", "random"), ("connectfour", "random"), ("pentago/strict", "mcts")],
)
def test_a_whole_match_against_a_program(
    page: Page, tmp_path: Path, ruleset: str, program: str
) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.fill("#seconds", "0.1")
        match = begin(page, address, ruleset, program)
        moves = 0
        while wait_for_turn(page):
            move_somewhere(page)
            moves += 1
            if moves == 2:  # a reload in the middle loses nothing
                page.reload()
        state = replayed(ruleset, log(address, match))
        assert state.is_terminal
        assert marks(page) == drawn(state)


@pytest.mark.parametrize("access", ["public", "private"])
def test_an_invitation_takes_its_seat_once(page: Page, tmp_path: Path, access: str) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        if access == "private":
            page.check("#private")
        match = begin(page, address, "tictactoe", "?")
        page.locator("#setup summary").click()
        page.uncheck("#private")
        until(page, "/Nobody sits at O yet/.test(document.querySelector('#status').textContent)")
        field = page.locator("#invitations input")
        link = field.input_value()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy the link for O").click()
        told = page.get_by_role("button", name="Copy the link for O")
        told.filter(has_text="Copied").wait_for()  # it is written beside what the page does
        assert page.evaluate("navigator.clipboard.readText()") == link
        move_somewhere(page)
        with somebody_else(page) as bob, somebody_else(page) as eve:
            bob.goto(link)
            assert wait_for_turn(bob)
            assert bob.url == f"{address}/#match={match}"  # what is used up is forgotten
            until(page, "!document.querySelector('#invitations input')")
            move_somewhere(bob)
            assert wait_for_turn(page)
            assert marks(page) == marks(bob)
            assert sorted(filter(None, marks(page))) == ["o", "x"]
            eve.goto(link)
            if access == "private":
                until(
                    eve, "/only those who play/.test(document.querySelector('#status').textContent)"
                )
                assert not any(marks(eve))
            else:
                eve.wait_for_selector("#why:not([hidden])")
                assert eve.inner_text("#reason") == "the seat of O is taken"
                until(eve, "document.querySelectorAll('#moves .ply').length == 3")
                assert marks(eve) == marks(page)
            bob.reload()  # the seat is kept, though its invitation is gone
            bob.wait_for_selector("#resign:not([hidden])")
            move_somewhere(page)
            assert wait_for_turn(bob)
            assert len(list(filter(None, marks(bob)))) == 3


def test_the_roles_of_a_text_are_the_servers(page: Page, tmp_path: Path) -> None:
    """Roles that a pattern over the text would get wrong: in a comment, or by a rule."""
    rules = "; (role ghost)\n(<= (role you)) (role |it is|) (init on) (<= terminal (not (true on)))"
    rules += "(legal you go) (legal |it is| noop) (goal you 100) (goal |it is| 0)"
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.locator("#rules summary").click()
        write_rules(page, rules)
        until(page, "document.querySelector('#seat').options[0].value === 'you'")
        seats = page.evaluate("[...document.querySelector('#seat').options].map((o) => o.value)")
        assert len(seats) == 2
        assert "ghost" not in seats


def test_rules_that_are_stuck_are_said_so(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "stuck.kif"
    file.write_text(STUCK.replace("(<= (legal right go) (true a))", ""))
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.locator("#rules summary").click()
        page.set_input_files("#file", file)
        until(
            page,
            "document.querySelector('#status').textContent"
            " === 'The game cannot go on: the rules leave right without a move.'",
        )
        page.select_option("#against", "")
        page.click("#new")  # the list of rules names the text now
        until(page, "location.hash.startsWith('#match=')")
        until(page, "/cannot go on/.test(document.querySelector('#status').textContent)")
        assert page.locator("#resign").is_hidden()


def test_the_server_may_go_and_come_back(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        port = int(address.rpartition(":")[2])
        match = begin(page, address, "tictactoe", "")
        wait_for_turn(page)
        move_somewhere(page)
    until(page, "/connection is lost/.test(document.querySelector('#status').textContent)")
    with server(tmp_path, port) as address:
        until(page, "/to move/.test(document.querySelector('#status').textContent)")
        while wait_for_turn(page):
            move_somewhere(page)
        state = replayed("tictactoe", log(address, match))
        assert state.is_terminal
        assert marks(page) == drawn(state)


def test_a_match_is_there_though_its_first_connection_failed(page: Page, tmp_path: Path) -> None:
    tries: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        tries.append(socket)
        if len(tries) == 1:
            socket.close()
        else:
            socket.connect_to_server()

    with server(tmp_path) as address, somebody_else(page) as other:
        other.route_web_socket("**/socket", connect)
        begin(other, address, "tictactoe", "")
        assert wait_for_turn(other)
        assert len(tries) == 2


def test_a_board_whose_position_has_not_come_yet_takes_no_touch(page: Page, tmp_path: Path) -> None:
    asked: list[Route] = []
    with server(tmp_path) as address, somebody_else(page) as other:
        other.route("**/api/positions", lambda route: asked.append(route))  # noqa: PLW0108  # no method of a list
        other.goto(f"{address}/#ruleset=tictactoe")
        other.locator('[data-cell="1,1"]').click()
        other.click("#flip")
        while not asked:
            other.wait_for_timeout(20)
        asked[0].continue_()
        other.wait_for_selector(".cell.open")
        assert other.locator(".cell.open").count() == 9


def test_what_was_on_the_table_before_is_told_no_more(page: Page, tmp_path: Path) -> None:
    """Who one was and whose turn stood there, and "Resign", until the next position had come."""
    with server(tmp_path) as address, somebody_else(page) as other:
        begin(other, address, "tictactoe", "")
        asked: list[Route] = []
        other.route("**/api/positions", lambda route: asked.append(route))  # noqa: PLW0108  # no method of a list
        other.goto(f"{address}/#ruleset=connectfour")
        while not asked:
            other.wait_for_timeout(20)
        assert other.inner_text("#who") == "Analysis: Connect Four"
        told = other.inner_text("#status"), other.inner_text("#above")
        assert told == ("The board is being set up.", "")
        assert other.locator("#resign").is_hidden()
        asked[0].continue_()
        until(other, "/^Red to move/.test(document.querySelector('#status').textContent)")


def test_a_match_by_the_keyboard_alone(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        begin(page, address, "tictactoe", "")
        wait_for_turn(page)
        page.focus('[data-cell="0,0"]')
        for keys in ("Enter", "ArrowRight Enter", "ArrowDown Enter"):
            count = page.locator("#moves .ply").count()
            for key in keys.split():
                page.keyboard.press(key)
            until(page, f"document.querySelectorAll('#moves .ply').length > {count}")
        assert [text for text in marks(page) if text] == ["x", "o", "x"]
        label = page.get_attribute('[data-cell="1,1"]', "aria-label")
        assert label == "b 2: X"


WATCH_TURNS = """() => {
    window.hasTurned = false;
    new MutationObserver((seen) => {
        window.hasTurned ||= seen.some(({ target }) => target.matches(".block.turning"));
    }).observe(document.querySelector("#boards"), { subtree: true, attributeFilter: ["class"] });
}"""
"""Notes in the page that a block turns, which is over before a busy machine would look."""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_turn_by_touch_is_seen(page: Page, tmp_path: Path, width: int) -> None:
    """No arrow hides a stone, the block visibly turns, and nothing runs out of the window."""
    touch: dict[str, Any] = {"has_touch": True, "reduced_motion": "no-preference"}
    with server(tmp_path) as address, somebody_else(page, **touch) as other:
        other.set_viewport_size({"width": width, "height": 800})
        begin(other, address, "pentago/phased", "")
        wait_for_turn(other)
        other.locator(".cell.open").first.tap()
        other.wait_for_selector(".arrow")
        # The stone grows as it appears.
        until(other, "document.getAnimations().every((each) => each.playState !== 'running')")
        arrows, stones = (boxes(other, name) for name in (".arrow circle", ".stone"))
        assert (len(arrows), len(stones)) == (8, 1)
        for arrow in arrows:
            is_beside = arrow["x"] > stones[0]["right"] or arrow["right"] < stones[0]["x"]
            is_below = arrow["y"] > stones[0]["bottom"]
            assert is_beside or is_below or arrow["bottom"] < stones[0]["middle"]
        other.evaluate(WATCH_TURNS)
        other.locator(".arrow").first.tap()
        until(other, "window.hasTurned")
        until(other, "!document.querySelector('.block.turning')")
        assert other.locator("#moves .ply").count() == 3
        assert other.evaluate("document.documentElement.scrollWidth") <= width
        assert other.evaluate("scrollY") == 0  # the list of moves must not push the board away


def boxes(page: Page, selector: str) -> list[dict[str, float]]:
    """Return where elements are drawn, in pixels."""
    found: list[dict[str, float]] = page.locator(selector).evaluate_all(
        """elements => elements.map(element => {
            const { x, y, right, bottom } = element.getBoundingClientRect();
            return { x, y, right, bottom, middle: (y + bottom) / 2 };
        })"""
    )
    return found


def test_an_illegal_touch_is_explained(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        begin(page, address, "tictactoe", "")
        wait_for_turn(page)
        page.click('[data-cell="1,1"]')
        until(page, "document.querySelectorAll('#moves .ply').length == 2")
        wait_for_turn(page)
        page.click('[data-cell="1,1"]')
        page.wait_for_selector("#why:not([hidden])")
        assert page.inner_text("#reason") == "B2 has X's mark."
        page.get_by_text("The proof in the rules").click()
        assert page.inner_text("#proof").startswith(
            "legal o b2 does not hold: (true (cell b 2 x)) holds since turn 1"
        )


def test_an_answer_that_breaks_off_is_that_of_a_server_that_has_gone(
    page: Page, tmp_path: Path
) -> None:
    with server(tmp_path) as address:
        begin(page, address, "tictactoe", "")
        wait_for_turn(page)
        page.route("**/api/positions", lambda asked: asked.fulfill(status=200, body='{"state": {'))
        page.click('[data-cell="1,1"]')
        until(page, "document.querySelectorAll('#moves .ply').length == 2")
        page.click("#first")
        page.click('[data-cell="1,2"]')  # a move that is tried: its position is asked for
        try:
            until(
                page,
                "document.querySelector('#status').textContent == 'the server does not answer'",
            )
        finally:
            page.unroute("**/api/positions")


def test_steps_and_branches_leave_the_match_alone(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        match = begin(page, address, "tictactoe", "")
        for cell in ("0,0", "1,1"):
            wait_for_turn(page)
            count = page.locator("#moves .ply").count()
            page.click(f'[data-cell="{cell}"]')
            until(page, f"document.querySelectorAll('#moves .ply').length > {count}")
        page.click("#back")
        until(page, "/Looking back/.test(document.querySelector('#status').textContent)")
        assert sorted(filter(None, marks(page))) == ["x"]
        page.click('[data-cell="2,2"]')
        until(page, "/Analysis/.test(document.querySelector('#status').textContent)")
        assert len(log(address, match)) == 2
        page.click("#last")
        until(page, "!/Analysis/.test(document.querySelector('#status').textContent)")
        assert marks(page) == drawn(replayed("tictactoe", log(address, match)))


def test_a_position_goes_on_under_other_rules(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.select_option("#ruleset", "pentago/strict")
        until(page, "/mover wins/.test(document.querySelector('figcaption').textContent)")
        page.locator("summary", has_text="other rules").click()
        page.check('#others input[value="pentago/classic"]')
        wait_for_turn(page)
        move_somewhere(page)
        until(
            page,
            "/1 . White to move/.test(document.querySelector('.beside figcaption').textContent)",
        )
        before = [mark for mark in marks(page) if mark]
        page.get_by_role("button", name="Go on under these rules").click()
        until(page, "/before or after/.test(document.querySelector('figcaption').textContent)")
        wait_for_turn(page)
        assert [mark for mark in marks(page) if mark] == before == ["black"]
        move_somewhere(page)
        assert sorted(filter(None, marks(page))) == ["black", "white"]


def test_the_same_moves_are_followed_where_roles_and_moves_have_other_names(
    page: Page, tmp_path: Path
) -> None:
    pytest.importorskip("pysat", reason=missing("verify"))
    with server(tmp_path) as address:
        source = urlencode({"rules": in_other_words(), "title": "Crosses", "line": "[]"})
        page.goto(f"{address}/#{source}")
        page.wait_for_selector("#boards figure")
        until(page, "document.querySelector('figcaption').textContent.startsWith('Crosses')")
        page.locator("summary", has_text="other rules").click()
        page.check('#others input[value="tictactoe"]')
        until(page, "/X to move/.test(document.querySelector('.beside figcaption').textContent)")
        page.locator("#choices button", has_text="(put left 1)").click()
        until(page, "/O to move/.test(document.querySelector('.beside figcaption').textContent)")
        assert page.locator(".beside [data-cell]").evaluate_all(
            "cells => cells.filter(cell => cell.dataset.mark).map(cell => cell.dataset.cell)"
        ) == ["2,0"]
        assert page.inner_text(".beside .hint") == (
            "Moves matched by what rules say of words · cross is X · ring is O."
        )


def test_rules_are_checked_as_they_are_typed_and_the_board_follows(
    page: Page, tmp_path: Path
) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.select_option("#ruleset", "tictactoe")
        until(page, "document.querySelector('figcaption').textContent.startsWith('Tic-tac-toe')")
        page.locator("#rules summary").click()
        page.click("#edit")
        until(page, "document.querySelector('#text').value.includes('role')")
        text = rules_on(page)
        write_rules(page, f"{text}\n(role")
        until(page, "/never closed/.test(document.querySelector('#problems').textContent)")
        page.locator("#problems button").first.click()  # the cursor goes to where it is
        assert "error: this bracket is never closed" in page.inner_text("#told")
        mended = text.replace("(init (control x))", "(init (control o))")
        assert mended != text
        write_rules(page, mended)
        until(page, "/^O to move/.test(document.querySelector('#status').textContent)")


def test_rules_are_typed_with_colours_completion_and_problems_in_place(
    page: Page, tmp_path: Path
) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.locator("#rules summary").click()
        page.click("#text")
        page.keyboard.type("(role x) (init on) ; a comment\n(<= (legal ?w go) (ro")
        page.wait_for_selector(".cm-tooltip-autocomplete")
        page.wait_for_timeout(200)  # a list that has just come takes no Enter, lest one types on
        page.keyboard.press("Enter")
        page.keyboard.type(" ?")
        page.wait_for_selector(".cm-tooltip-autocomplete :text('of this rule')")
        page.wait_for_timeout(200)
        page.keyboard.press("Enter")
        assert rules_on(page).splitlines()[1] == "(<= (legal ?w go) (role ?w))"
        colours = page.locator("#text span").evaluate_all(
            "spans => spans.map(span => [span.textContent, getComputedStyle(span).color])"
        )
        of = dict(colours)
        assert len({of["role"], of["x"], of["?w"], of["; a comment"], of["<="]}) == 5
        page.keyboard.press("Control+End")
        # In one piece: of keys, Enter could take a word from a list that comes late.
        page.keyboard.insert_text("\n(<= terminl (true on))\n(<= terminal (true ?x)) (goal x ?n)")
        error = page.locator(".cm-lintRange-error", has_text=re.compile(r"^\?n$"))
        error.wait_for()  # not that of a word before
        page.hover(".cm-lintRange-error")
        page.wait_for_selector(".cm-tooltip-lint :text('?n')")
        assert page.locator("#problems .error").count() == 1
        page.keyboard.press("Control+z")
        until(page, "!document.querySelector('#text').value.includes('goal x')")


def test_infix_rules_have_colours_of_their_own(page: Page, tmp_path: Path) -> None:
    rules = "% a game\nrole(x).\ninit(on).\nlegal(R, go) :- role(R).\n"
    rules += "terminal :- true(on).\ngoal(x, 100)."
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.locator("#rules summary").click()
        write_rules(page, rules)
        until(page, "/Nothing is wrong/.test(document.querySelector('#problems').textContent)")
        texts = page.locator("#text span").evaluate_all("spans => spans.map((s) => s.textContent)")
        assert {"% a game", "role", ":-", "R", "100"} <= set(texts)


def test_what_the_server_has_no_room_for_is_asked_again(page: Page, tmp_path: Path) -> None:
    """A client may ask two things at once about rules; who types quickly asks a third."""
    refused: list[str] = []

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path in refused:
            route.continue_()
        else:
            refused.append(path)
            route.fulfill(status=503, json={"error": {"code": "busy", "message": "wait"}})

    rules = "(role x) (init on) (legal x go) (<= terminal (true off)) (<= (next off) (true on))"
    asked = re.compile(r"/api/(check|positions)$")
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector(".cell.open")
        page.route(asked, answer)
        try:
            page.locator("#rules summary").click()
            write_rules(page, f"{rules} (goal x 100)")
            page.wait_for_selector("#choices button")
            assert page.inner_text("#problems") == "Nothing is wrong."
            assert sorted(refused) == ["/api/check", "/api/positions"]
        finally:
            page.unroute(asked)


def test_a_file_is_read_with_a_word_and_one_that_cannot_be_played_is_told(
    page: Page, tmp_path: Path
) -> None:
    asked: list[Route] = []
    (tmp_path / "half.kif").write_text("(role you) (init (step 1))")
    (tmp_path / "whole.kif").write_text("(role you) (legal you wait) terminal (goal you 100)")
    with server(tmp_path) as address, somebody_else(page) as other:
        other.goto(f"{address}/#ruleset=tictactoe")
        other.wait_for_selector(".cell.open")
        other.locator("#rules summary").click()
        other.set_input_files("#file", tmp_path / "half.kif")
        wrong = "half.kif cannot be played as it is; what is wrong stands below its text."
        until(other, f"document.querySelector('#status').textContent === '{wrong}'")
        assert other.locator("#problems li").count()
        other.route("**/api/check", lambda route: asked.append(route))  # noqa: PLW0108  # no method of a list
        other.set_input_files("#file", tmp_path / "whole.kif")
        until(other, "document.querySelector('#status').textContent === 'whole.kif is being read.'")
        while not asked:
            other.wait_for_timeout(20)
        asked[0].continue_()
        until(other, "/^The game is over/.test(document.querySelector('#status').textContent)")


def test_an_unknown_rule_file_is_played_from_a_list(page: Page, tmp_path: Path) -> None:
    rules = "(role you) (init (step 1)) (<= (legal you (pick ?n)) (digit ?n)) (digit 1) (digit 2)\n"
    rules += (
        "(<= (next (done ?n)) (does you (pick ?n))) (<= terminal (true (done ?n)) (digit ?n))\n"
    )
    rules += "(<= (goal you 100) (true (done 2))) (<= (goal you 0) (not (true (done 2))))\n"
    file = tmp_path / "pick.kif"
    file.write_text(rules)
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.locator("#rules summary").click()
        page.set_input_files("#file", file)
        page.wait_for_selector("#choices button")
        assert page.locator("#ruleset option:checked").inner_text() == "pick.kif"
        assert page.locator("#choices button").all_inner_texts() == ["(pick 1)", "(pick 2)"]
        page.select_option("#against", "")
        page.click("#playtext")
        wait_for_match(page)
        page.get_by_role("button", name="(pick 2)").click()
        until(page, "/is over/.test(document.querySelector('#status').textContent)")
        assert "you 100" in page.inner_text("#status")


def test_draws_and_resignations_by_the_buttons(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        begin(page, address, "tictactoe", "")
        for button in ("#draw", "#decline", "#draw", "#accept"):
            page.click(button)
        until(page, "/over: a draw .agreed/.test(document.querySelector('#status').textContent)")
        match = begin(page, address, "tictactoe", "")
        page.click("#resign")
        assert page.inner_text("#resign") == "Resign for X: press again"
        assert log(address, match) == []
        page.click("#resign")
        until(page, "/O wins .X resigned/.test(document.querySelector('#status').textContent)")
        assert [entry["type"] for entry in log(address, match)] == ["RESIGN"]


def test_time_runs_out(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.evaluate(
            "document.querySelector('#clock').append(new Option('a blink', '300/0', true, true))"
        )
        page.select_option("#ruleset", "tictactoe")
        page.select_option("#against", "")
        page.click("#new")
        wait_for_match(page)
        page.click('[data-cell="1,1"]')  # clocks run from the second turn on
        until(
            page,
            "/ran out of time/.test(document.querySelector('#status').textContent)",
            timeout=20,
        )


def test_boards_of_any_form_are_played_by_touching_them(page: Page, tmp_path: Path) -> None:
    """Hexagons and edges in one touch, pieces in two; the other player's pits lead nowhere."""
    with server(tmp_path, rulesets=SAMPLES) as address:
        for name, moves in {
            "hexagon": [["a 2"], ["c 1"]],
            "dots": [["1 1 right"], ["2 1 bottom"]],
            "tank": [["1 1", "1 2"], ["3 2", "3 3"]],
            "pits": [["black 2"], ["black 3", "white 1"]],
            "graph": [["b2"], ["a1"]],
        }.items():
            match = begin(page, address, name, "")
            known = find(SAMPLES / name / "manifest.toml")
            assert known.picture is not None
            sites = plan(known.picture).panels[0].names
            for number, touches in enumerate(moves, 1):
                wait_for_turn(page)
                for touch in touches:
                    page.locator(f'[data-site="{sites[touch]}"]').click()
                until(page, f"document.querySelectorAll('#moves .ply').length == {number + 1}")
            state = replayed(str(SAMPLES / name / "manifest.toml"), log(address, match))
            drawn_there = page.locator("[data-site]").evaluate_all(
                "sites => sites.map(site => [site.dataset.site, site.dataset.mark])"
            )
            scene = known.scene(state.facts)
            assert scene is not None
            expected = {
                str(number): pieces[-1].mark.name if pieces[-1].mark else pieces[-1].count
                for number, pieces in scene.pieces.items()
            }
            assert {site: mark for site, mark in drawn_there if mark} == expected


def test_chess_is_played_from_square_to_square(page: Page, tmp_path: Path) -> None:
    """A man is touched, then where it goes; a pawn at the other end asks what becomes of it."""
    moves = ["e4", "d5", "exd5", "c6", "dxc6", "a6", "cxb7", "a5"]
    line = list(zip(["white", "black"] * 4, moves, strict=True))
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=chess&line={quote(json.dumps(line))}")
        until(page, "document.querySelectorAll('#moves .ply').length === 9")
        page.click('[data-cell="1,1"].open')
        until(page, "/choose where to/.test(document.querySelector('#status').textContent)")
        page.click('[data-cell="0,0"].open')
        page.click("#choices button:text-is('bxa8=N')")
        until(page, "document.querySelectorAll('#moves .ply').length === 10")
        assert page.locator('[data-cell="0,0"]').get_attribute("aria-label") == "a 8: white knight"
        men = page.locator("[data-cell] .man")
        assert len(set(men.all_text_contents())) == 6  # white and black have one form, and a colour
        assert len(set(men.evaluate_all("men => men.map(man => man.style.fill)"))) == 2


def test_arrows_of_the_keyboard_go_from_point_to_point(page: Page, tmp_path: Path) -> None:
    with server(tmp_path, rulesets=SAMPLES) as address:
        begin(page, address, "graph", "")
        wait_for_turn(page)
        page.locator('[data-site="0"]').focus()  # a1, below on the left
        for key in ("ArrowRight", "ArrowUp", "Enter"):
            page.keyboard.press(key)
        until(page, "document.querySelectorAll('#moves .ply').length == 2")
        assert page.locator('[data-mark="black"]').get_attribute("aria-label") == "b2: Black"


def test_a_move_is_taken_back_by_consent_and_the_log_keeps_it(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        match = begin(page, address, "tictactoe", "")

        def put() -> None:
            count = page.locator("#moves .ply").count()
            wait_for_turn(page)
            move_somewhere(page)
            until(page, f"document.querySelectorAll('#moves .ply').length > {count}")

        put()
        before = marks(page)
        put()
        page.click("#takeback")
        page.wait_for_selector("#agree:not([hidden])")
        assert "asks to take a move back" in page.inner_text("#status")
        page.click("#agree")
        page.wait_for_selector("#takeback:not([hidden])")
        assert marks(page) == before
        assert page.locator("#agree").is_hidden()
        put()
        played = marks(page)
        kinds = [entry["type"] for entry in log(address, match)]
        assert kinds == ["MOVE", "MOVE", "REQUEST_TAKEBACK", "ACCEPT_TAKEBACK", "MOVE"]
        numbers = [text.partition(". ")[0] for text in page.locator(".ply").all_inner_texts()]
        assert [number for number in numbers if number.isdecimal()] == ["1", "2", "2"]
        page.click("#first")
        page.click("#last")
        until(page, "document.querySelector('#forth').disabled")
        assert marks(page) == played
