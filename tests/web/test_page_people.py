"""The page as people use it: together, by invitation, through lists and addresses, with proofs."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import pytest

import gdl
from tests.shared import missing
from tests.web.browser import (
    IN_A_BROWSER,
    begin,
    log,
    marks,
    open_settings,
    page,
    rules_on,
    server,
    somebody_else,
    told,
    until,
    wait_for_match,
    write_rules,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["page"]  # the browser of the tests below
pytestmark = IN_A_BROWSER

OTHERWISE = "(init (control o))"
FAILING = "def player(game, state, budget):\n    return 1 / 0\n"
"""A program."""
LAST_MOVE = "def player(game, state, budget):\n    return state.legal(state.movers[0])[-1]\n"
"""Another one."""
TAKEN = [["white", "e4"], ["black", "d5"], ["white", "exd5"], ["black", "Qxd5"]]
"""After which each has taken a pawn, in Crazyhouse."""
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


def put(page: Page, cell: str) -> None:
    """Play on a cell and wait until the move is there."""
    page.wait_for_selector(f'figure:first-child [data-cell="{cell}"].open')
    count = page.locator("#moves .ply").count()
    page.click(f'figure:first-child [data-cell="{cell}"]')
    until(page, f"document.querySelectorAll('#moves .ply').length > {count}")


def follows_the_rematch(eve: Page) -> None:
    """Whoever looked on may, and is no player of it."""
    told(eve, "#rematch", "^To the rematch$")
    eve.click("#rematch")
    told(eve, "#who", r"^You look on: Bob \(X\) and Ann \(O\)")
    eve.locator("#games summary").click()
    told(eve, "#lists", r"^Yours\s+none")


def test_two_people_and_a_spectator_play_a_match_and_its_rematch(  # noqa: PLR0915  # one evening
    page: Page, tmp_path: Path
) -> None:
    """By invitation, with a reload, a kill of the server and colours changed."""
    with somebody_else(page) as bob, somebody_else(page) as eve:
        with server(tmp_path) as address:
            port = int(address.rpartition(":")[2])
            page.goto(f"{address}/#")
            page.wait_for_selector("#boards figure")
            page.fill("#name", "Ann")
            page.select_option("#clock", "300000/3000")
            match = begin(page, address, "tictactoe", "?")
            told(page, "#who", r"^You are X, against somebody invited \(5\+3\)$")
            bob.goto(f"{address}/#")
            bob.wait_for_selector("#boards figure")
            bob.fill("#name", "Bob")
            bob.goto(page.locator("#invitations input").input_value())
            told(bob, "#who", r"^You are O, against Ann \(5\+3\)$")
            told(page, "#who", r"^You are X, against Bob \(5\+3\)$")
            eve.goto(f"{address}/#match={match}")
            told(eve, "#who", r"^You look on: Ann \(X\) and Bob \(O\) \(5\+3\)$")
            assert re.search(r"X\s+you\s+to move\s+5:00", page.inner_text("#below"))
            assert "Bob" in page.inner_text("#above")
            assert "O" in bob.inner_text("#below")
            put(page, "0,0")
            put(bob, "1,0")
            bob.reload()
            told(bob, "#who", "^You are O, against Ann")
            put(page, "0,1")
        told(bob, "#status", "connection is lost")
        with server(tmp_path, port) as address:
            put(bob, "1,1")
            page.wait_for_selector('figure:first-child [data-cell="0,2"].open')
            page.dblclick('[data-cell="0,2"]')  # the second click must not hide the end
            for each in (page, bob, eve):
                told(each, "#status", "^The game is over: X wins")
                until(each, "document.querySelectorAll('.cell.won').length === 3")
                assert each.locator(".cell.won").evaluate_all(
                    "cells => cells.map(cell => cell.dataset.cell)"
                ) == ["0,0", "0,1", "0,2"]
            page.wait_for_timeout(500)
            assert page.locator("#why").is_hidden()
            assert page.inner_text("#status").startswith("The game is over: X wins")
            assert [entry["type"] for entry in log(address, match)] == ["MOVE"] * 5
            assert eve.locator("#rematch").is_hidden()
            bob.click("#rematch")
            told(bob, "#who", r"^You are X, against Ann \(5\+3\)$")
            told(page, "#rematch", "^To the rematch$")
            page.click("#rematch")
            follows_the_rematch(eve)
            told(page, "#who", r"^You are O, against Bob \(5\+3\)$")
            assert page.url == bob.url != f"{address}/#match={match}"
            put(bob, "2,2")
            put(page, "1,1")
            assert sorted(filter(None, marks(bob))) == ["o", "x"]
            page.go_back()
            told(page, "#status", "^The game is over")


def test_a_spectator_who_tries_a_move_asks_which_there_are(page: Page, tmp_path: Path) -> None:
    """He is told how many; by touch, by a button, or typed, and the match knows nothing of it."""
    with server(tmp_path) as address, somebody_else(page) as eve:
        match = begin(page, address, "pentago/strict", "")
        page.click('[data-cell="1,1"].open')
        page.locator(".arrow").first.click()
        told(page, "#status", "^White to move")  # who plays both sides sees the moves of both
        page.wait_for_selector('[data-cell="0,0"].open')
        asked: list[str] = []
        eve.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        eve.goto(f"{address}/#match={match}")
        told(eve, "#status", "^White to move")
        assert eve.locator(".cell.open").count() == 0
        assert "positions" not in asked
        eve.click('[data-cell="0,0"]')
        eve.locator(".arrow").first.click()
        told(eve, "#status", "^Analysis: Black to move")
        page.click('[data-cell="5,5"]')
        page.locator(".arrow").first.click()
        eve.click("#last")
        told(eve, "#status", "^Black to move")
        assert eve.locator(".cell.open").count() == 0
        eve.click("#choices button")
        eve.wait_for_selector('[data-cell="4,4"].open')
        eve.click("#back")
        eve.fill("#move", "D4 Q01 CW")
        eve.click("#typed button")
        told(eve, "#status", "^Analysis: Black to move")
        assert asked.count("positions") == 4  # two for moves, and two positions that were tried
        assert len(log(address, match)) == 2


def test_a_match_is_found_again_and_free_seats_are_taken_from_a_list(
    page: Page, tmp_path: Path
) -> None:
    with server(tmp_path) as address, somebody_else(page) as bob:
        mine = begin(page, address, "connectfour", "*")
        page.goto(f"{address}/#")  # the tab is somewhere else
        told(page, "#who", "^Analysis")
        page.locator("#games summary").click()
        page.wait_for_selector(f'#lists button[data-match="{mine}"]')
        assert page.inner_text(f'#lists button[data-match="{mine}"]') == (
            "Connect Four · against a free seat (Yellow) · your move"
        )
        bob.goto(f"{address}/#")
        bob.wait_for_selector("#boards figure")
        bob.locator("#games summary").click()
        bob.route(f"**/api/matches/{mine}", lambda asked: asked.abort())
        bob.locator(f'#lists button[data-match="{mine}"]').click()
        told(bob, "#status", "^the server does not answer$")
        bob.unroute(f"**/api/matches/{mine}")
        bob.locator(f'#lists button[data-match="{mine}"]').click()
        told(bob, "#who", "^You are Yellow, against a guest$")
        page.locator(f'#lists button[data-match="{mine}"]').click()
        told(page, "#who", "^You are Red, against a guest$")
        page.click("#resign")
        page.click("#resign")
        told(page, "#status", "Yellow wins")
        page.click("#again")
        told(page, f'#lists button[data-match="{mine}"]', "you lost")


def test_an_illegal_move_that_is_typed_leaves_an_analysis_as_it_is(
    page: Page, tmp_path: Path
) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=tictactoe")
        put(page, "1,1")
        reasons = {
            "b2": "^B2 has X's mark.$",
            "z9": "^\u201cz9\u201d is no move here. Moves are written as a1, a2 or a3.$",
        }
        for text, reason in reasons.items():
            page.fill("#move", text)
            page.click("#typed button")
            told(page, "#reason", reason)
            told(page, "#status", reason)
            assert page.locator("#moves .ply").count() == 2
        assert "expected: a column" in (page.text_content("#proof") or "")
        put(page, "0,0")  # and it goes on
        assert sorted(filter(None, marks(page))) == ["o", "x"]
        assert page.locator("#why").is_hidden()


def test_a_game_that_hides_its_state_is_played_on_its_board(page: Page, tmp_path: Path) -> None:
    """Each sees where he may move and what he has seen, and nobody what the other does."""
    with server(tmp_path) as address, somebody_else(page) as bob, somebody_else(page) as eve:
        match = begin(page, address, "phantomtictactoe", "?")
        bob.goto(page.locator("#invitations input").input_value())
        told(bob, "#who", "^You are O")
        eve.goto(f"{address}/#match={match}")
        told(eve, "#who", "^You look on")
        for turn, (mover, waits) in enumerate([(page, bob), (bob, page)]):
            mover.wait_for_selector('[data-cell="0,0"].open')
            known = "empty" if mover is page else "not known"  # X moves first, and knows it
            mover.wait_for_selector(f'[data-cell="1,1"][aria-label="b 2: {known}, can be played"]')
            assert waits.locator(".cell.open").count() == 0
            mover.click('[data-cell="0,0"]')
            told(mover, "#seen", "O saw: 1 marked · 2 taken$" if turn else "X saw: 1 marked$")
        # O moves once more, as the cell was taken, and X passes by himself.
        seen = {page: "a3 … noop … noop", bob: "… noop … a3 …", eve: "… … … … …"}
        for each, moves in seen.items():
            until(each, "document.querySelectorAll('#moves .ply').length === 6")
            shown = [text.partition(". ")[2] for text in each.locator(".ply").all_inner_texts()[1:]]
            assert sorted(shown) == sorted(moves.split())
        assert eve.locator("#seen").is_hidden()
        assert eve.locator(".cell.open").count() == 0
        begin(page, address, "phantomtictactoe", "")  # both sides at one board: one by one
        page.click('[data-cell="0,0"].open')
        told(page, "#seen", "O saw: 1 marked$")  # who has nothing to choose passes by himself
        page.click('[data-cell="1,1"].open')
        told(page, "#seen", "X saw: 1 marked · 2 marked$")


def test_rules_that_somebody_sent_are_said_to_be(page: Page, tmp_path: Path) -> None:
    """Whatever he calls them; a name that is written from right to left turns nothing around."""
    with server(tmp_path) as address:
        request = {"rules": "(role x) (init (n 0)) (legal x go) (<= terminal (true (n 1)))"}
        request = {"title": "tictactoe", "rules": request["rules"] + "(goal x 0)"}
        body = {**request, "seats": {"x": {"name": "\u202eabc"}}}
        match = httpx.post(f"{address}/api/matches", json=body, timeout=60).json()["match"]
        page.goto(f"{address}/#match={match}")
        page.wait_for_selector("figcaption")
        told(page, "figcaption", r"^tictactoe \(sent rules\) . move 0$")
        assert page.inner_text("#who bdi") == "\u202eabc"
        page.goto(f"{address}/#")
        page.locator("#games summary").click()
        page.wait_for_selector(f'#lists button[data-match="{match}"]')
        told(page, f'#lists button[data-match="{match}"]', r"^tictactoe \(sent rules\)")


def test_edited_rules_come_with_their_board_to_who_is_invited(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address, somebody_else(page) as bob:
        page.goto(f"{address}/#ruleset=tictactoe")
        page.wait_for_selector("#boards [data-cell]")
        page.locator("#rules summary").click()
        page.click("#edit")
        until(page, "document.querySelector('#text').value.includes('role')")
        text = rules_on(page).replace("(init (control x))", OTHERWISE)
        write_rules(page, text)
        told(page, "#status", "^O to move")
        open_settings(page)
        page.select_option("#against", "?")
        page.check("#private")
        page.click("#new")
        wait_for_match(page)
        bob.goto(page.locator("#invitations input").input_value())
        put(bob, "1,1")
        assert bob.locator('[data-cell="1,1"]').get_attribute("aria-label") == "b 2: O"
        bob.locator("#rules summary").click()  # which shows them; nothing has to be pressed
        until(bob, "document.querySelector('#text').value.includes('role')")
        assert OTHERWISE in rules_on(bob)
        bob.locator("#howto summary").click()  # where X begins, which is so no more
        told(bob, "#summary", "^Of the rules that these were made from: .*X begins.* changed")


def test_the_rules_are_those_on_the_table_unless_somebody_has_written(
    page: Page, tmp_path: Path
) -> None:
    """They were those that somebody had looked at first, beside the board of another game."""
    with server(tmp_path) as address:
        begin(page, address, "tictactoe", "")
        page.locator("#rules summary").click()
        until(page, "/Tic-tac-toe/.test(document.querySelector('#text').value)")
        begin(page, address, "connectfour", "")
        until(page, "/Connect Four/.test(document.querySelector('#text').value)")
        page.locator("#rules summary").click()
        begin(page, address, "tictactoe", "")
        page.locator("#rules summary").click()
        until(page, "/Tic-tac-toe/.test(document.querySelector('#text').value)")
        written = "(role me)"
        write_rules(page, written)
        page.goto(f"{address}/#ruleset=connectfour")
        told(page, "figcaption", "^Connect Four")
        assert rules_on(page) == written


def test_no_clock_runs_for_somebody_who_is_not_there_yet(page: Page, tmp_path: Path) -> None:
    """A first move had the clock of whoever was invited run until he came, and over."""
    with server(tmp_path) as address, somebody_else(page) as bob:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        open_settings(page)
        page.select_option("#clock", "60000/0")
        match = begin(page, address, "tictactoe", "?")
        page.click('[data-cell="1,1"].open')
        told(page, "#status", "^Nobody sits at O yet, and the clock would run")
        assert log(address, match) == []
        bob.goto(page.locator("#invitations input").input_value())
        told(page, "#status", "^X to move.$")
        put(page, "1,1")
        put(bob, "0,0")


def test_an_uploaded_file_gets_the_board_that_its_rules_show(page: Page, tmp_path: Path) -> None:
    rules = Path(__file__).parents[2] / "rulesets" / "tictactoe"
    texts = [path.read_text(encoding="utf-8") for path in sorted(rules.glob("*.kif"))]
    file = tmp_path / "mine.kif"
    file.write_text("\n".join(texts), encoding="utf-8")
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        page.locator("#rules summary").click()
        page.set_input_files("#file", file)
        told(page, "#who", "mine.kif")
        page.wait_for_selector("[data-site].open")
        assert page.locator("[data-site]").count() == 9
        page.locator("[data-site].open").first.click()
        until(page, "document.querySelectorAll('#moves .ply').length === 2")


def test_an_analysis_has_an_address(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address, somebody_else(page) as other:
        page.goto(f"{address}/#ruleset=tictactoe")
        for cell in ("1,1", "0,0"):
            put(page, cell)
        page.click("#back")
        until(page, "!location.hash.includes('a3')")
        page.click("#forth")
        until(page, "location.hash.includes('a3')")
        other.goto(page.url)
        until(other, "document.querySelectorAll('#moves .ply').length === 3")
        assert marks(other) == marks(page)
        other.goto(f"{address}/#{page.url.partition('#')[2].replace('b2', 'b9')}")
        told(other, "#reason", "^The line of this address stops: ")
        # A branch of a match: its number in the log, and the moves behind it.
        match = begin(page, address, "tictactoe", "")
        for cell in ("1,1", "0,0"):
            put(page, cell)
        page.click("#back")
        told(page, "#status", "^Looking back")
        put(page, "2,2")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click("#share")
        told(page, "#share", "^Copied$")
        link: str = page.evaluate("navigator.clipboard.readText()")
        assert f"match={match}&at=1&line=" in link
        other.goto(link)
        told(other, "#status", "^Analysis: ")
        assert marks(other) == marks(page)
        assert len(log(address, match)) == 2


def test_the_log_of_a_private_match_is_saved_and_taken_in(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        open_settings(page)
        page.check("#private")
        begin(page, address, "tictactoe", "")
        page.evaluate("document.querySelector('#private').checked = false")
        put(page, "1,1")
        with page.expect_download() as saving:
            page.click("#log")
        file = tmp_path / "saved.jsonl"
        saving.value.save_as(file)
        assert json.loads(file.read_text().splitlines()[1])["move"] == "b2"
        page.locator("#games summary").click()
        page.set_input_files("#logfile", file)
        told(page, "#who", "^You look on: a free seat")
        until(page, "document.querySelectorAll('#moves .ply').length === 2")
        assert [mark for mark in marks(page) if mark] == ["x"]
        text = file.read_text()
        file.write_text("nonsense")
        page.set_input_files("#logfile", file)
        told(page, "#status", "^This log cannot be opened: line 1 is no JSON")
        saved = page.url
        page.fill("#pasted", text)
        page.click("#openpasted")
        until(page, f"location.href !== {json.dumps(saved)}")
        until(page, "document.querySelectorAll('#moves .ply').length === 2")
        assert page.input_value("#pasted") == ""


def test_a_board_is_turned_around_and_played_from_there(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=tictactoe")
        put(page, "0,0")
        before = page.locator('[data-cell="0,0"]').bounding_box()
        page.click("#flip")
        after = page.locator('[data-cell="0,0"]').bounding_box()
        other = page.locator('[data-cell="2,2"]').bounding_box()
        assert before is not None
        assert after is not None
        assert other is not None
        assert after["x"] > other["x"]
        assert after["y"] > other["y"]
        assert before["x"] < after["x"]
        put(page, "2,2")
        page.click("#flip")
        assert page.locator('[data-cell="0,0"]').bounding_box() == before


def test_the_last_move_is_marked_though_its_block_was_turned(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=pentago%2Fstrict")
        page.wait_for_selector(".cell.open")
        page.click('[data-cell="0,0"]')
        page.get_by_label(re.compile("Q00.*: turn clockwise|A.*clockwise")).first.click()
        page.wait_for_selector(".cell.new")
        cells = page.locator("[data-cell].new")
        assert cells.count() == 1
        assert cells.get_attribute("data-mark") == "black"
        assert page.locator(".block.turned").count() == 1


def test_the_best_moves_stand_on_the_board_and_below_it(page: Page, tmp_path: Path) -> None:
    """X wins at once: all that may follow is looked at, and the page says so of every move."""
    line = [["x", "a1"], ["o", "a2"], ["x", "b1"], ["o", "b2"]]
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=tictactoe&line={json.dumps(line)}")
        until(page, "document.querySelectorAll('#moves .ply').length === 5")
        page.wait_for_selector(".cell.open")
        page.click("#advice")
        page.wait_for_selector("#lines li", timeout=60_000)
        told(page, "#lines li", "^c1 wins in 1$")
        told(page, "#eval", "^X wins in 1 move · exact$")
        assert page.locator(".hint-text").count() == 5, "every move has its value"
        assert page.locator(".hint.good").count() == 1
        page.locator("#lines button").first.click()
        told(page, "#status", "^The game is over: X wins")


def test_every_move_has_the_value_of_the_table(page: Page, tmp_path: Path) -> None:
    """From the first position on, which takes longer to solve than a page waits for it."""
    pytest.importorskip("scipy", reason=missing("solve"))
    from gdl.solve import solve

    solve("hex?size=4").table.save(tmp_path / "hex.table")
    with server(tmp_path, tables=tmp_path) as address:
        page.goto(f"{address}/#ruleset={quote('hex?size=4')}")
        page.wait_for_selector(".cell.open")
        page.click("#advice")
        told(page, "#eval", "wins in 9 moves · exact, from a table")
        assert page.locator(".hint-text").count() == 16
        first = page.locator("#lines li").first.inner_text()
        assert re.search(r"wins in 9 · then (\S+, ){7}\S+$", first)


def test_a_ruleset_with_parameters_has_its_own_board(page: Page, tmp_path: Path) -> None:
    """In an analysis, in the list of rules, in a match of it, and in the list of matches."""
    with server(tmp_path) as address, somebody_else(page) as bob:
        page.goto(f"{address}/#ruleset={quote('hex?size=3')}")
        page.wait_for_selector(".cell.open")
        assert page.locator("[data-site]").count() == 9
        assert page.input_value("#ruleset") == "hex?size=3"
        page.select_option("#against", "")
        page.click("#new")
        wait_for_match(page)
        told(page, "figcaption", "^Hex, size 3 . move 0$")
        bob.goto(page.url)
        bob.wait_for_selector("figcaption")
        told(bob, "figcaption", "^Hex, size 3 . move 0$")
        assert bob.locator("[data-site]").count() == 9
        bob.locator("#games summary").click()
        told(
            bob,
            "#lists",
            "Hex, size 3 . a guest .Red. and a guest .Blue. . Red to move . 0 moves . look",
        )


def test_moves_from_place_to_place_have_arrows(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason=missing("solve"))
    state, chance = gdl.load("morris/three").initial(), random.Random(3)
    line: list[list[str]] = []
    while len(line) < 6:  # all men are on the board, and walk from now on
        move = chance.choice([state.notation(move) for move in state.legal(state.movers[0])])
        line.append([state.movers[0], move])
        state = state.play(move)
    assert not state.is_terminal
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=morris%2Fthree&line={quote(json.dumps(line))}")
        page.wait_for_selector(".cell.open")
        page.click("#advice")
        page.wait_for_selector(".hint-head", state="attached", timeout=60_000)
        told(page, "#eval", "exact$")


def test_a_program_that_fails_is_told_of_on_the_page(page: Page, tmp_path: Path) -> None:
    """To who plays and who looks on, after a reload too, until others moves stand before it."""
    (tmp_path / "own.py").write_text(FAILING)
    text = (
        "Mo could not move for O: it broke down. "
        "A move was drawn at random in its place; it is asked again when it is to move."
    )
    with (
        server(tmp_path, players=[f"Mo={tmp_path}/own.py"]) as address,
        somebody_else(page) as eve,
    ):
        match = begin(page, address, "tictactoe", "Mo")
        eve.goto(f"{address}/#match={match}")
        told(eve, "#who", r"^You look on: .* \(X\) and Mo \(O\)")
        assert eve.locator("#note").is_hidden()
        put(page, "1,1")
        for each in (page, eve):
            told(each, "#note", f"^{re.escape(text)}$")
        eve.reload()
        told(eve, "#note", f"^{re.escape(text)}$")
        assert eve.locator("#moves .ply").nth(2).inner_text().endswith(" ⚠")
        eve.locator("#moves .ply").nth(1).click()
        until(eve, "document.querySelector('#note').hidden")


def test_a_trained_player_is_offered_for_its_rules(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("numba", reason=missing("native"))
    from gdl.learn.training import Training

    Training(gdl.load("tictactoe"), tmp_path / "t.gdlnet").run(games=20)
    offered = '#against option[value="Nell"]'
    with server(tmp_path, players=[f"Nell={tmp_path}/t.gdlnet"]) as address:
        page.goto(f"{address}/#ruleset=connectfour")
        page.wait_for_selector(".cell.open")
        assert page.locator(offered).count() == 0
        begin(page, address, "tictactoe", "Nell")
        told(page, "#who", "^You are X, against Nell$")
        put(page, "1,1")
        until(page, "document.querySelectorAll('#moves .ply').length === 3")
        assert page.locator("#note").is_hidden()
        page.goto(f"{address}/#")
        open_settings(page)
        page.select_option("#against", "Nell")
        page.select_option("#ruleset", "connectfour")
        until(page, "document.querySelector('#against').value === 'mcts'")
        assert page.locator(offered).count() == 0


def test_sound_is_turned_off_and_stays_off(page: Page, tmp_path: Path) -> None:
    with server(tmp_path) as address:
        page.goto(f"{address}/#")
        page.wait_for_selector("#boards figure")
        assert page.get_attribute("#sound", "aria-pressed") == "true"
        page.click("#sound")
        page.reload()
        page.wait_for_selector("#boards figure")
        assert page.get_attribute("#sound", "aria-pressed") == "false"


def test_on_a_phone_the_board_comes_before_the_settings(page: Page, tmp_path: Path) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    with server(tmp_path) as address, somebody_else(page, **phone) as other:
        other.goto(f"{address}/#")
        other.wait_for_selector(".board")
        assert other.locator("#ruleset").is_hidden()
        board = other.locator(".board").bounding_box()
        assert board is not None
        assert board["y"] + board["height"] <= 844


def test_whatever_people_call_themselves_the_page_stays_as_wide_as_it_is(
    page: Page, tmp_path: Path
) -> None:
    """A name of a hundred letters stood in the lists of all, and made their pages twice as wide."""
    long = "W" * 100
    rules = f"(role x{long}) (init (at {long})) (legal x{long} (go {long})) (goal x{long} 50)"
    rules += "(<= terminal (true (at none)))"
    with server(tmp_path) as address, httpx.Client(base_url=address, timeout=60) as http:
        seats = {"white": {"name": long}, "black": {"name": "Bo"}}
        clock = {"initialMs": 300_000}
        chess = http.post(
            "/api/matches", json={"ruleset": "chess", "seats": seats, "clock": clock}
        ).json()["match"]
        sent = http.post("/api/matches", json={"rules": rules, "title": long}).json()["match"]
        for width in (390, 1280):
            with somebody_else(page, viewport={"width": width, "height": 900}) as eve:
                for match in (sent, chess):
                    eve.goto(f"{address}/#match={match}")
                    told(eve, "#who", "^You look on")
                    if eve.get_attribute("#games", "open") is None:
                        eve.click("#games summary")
                    told(eve, "#lists", long)
                    room = "document.documentElement"
                    assert eve.evaluate(f"{room}.scrollWidth <= {room}.clientWidth"), match
                eve.wait_for_selector("#below .player strong")
                # At once, as the clock is drawn anew, and the names with it.
                title, height = eve.evaluate(
                    "(of => [of.innerText, of.getBoundingClientRect().height])"
                    "(document.querySelector('#below .player strong'))"
                )
                assert title == "White"
                assert 0 < height < 40


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_at_any_look(page: Page, tmp_path: Path, width: int, scheme: str) -> None:
    """Analysis, match, refusal with its proof, lists, end, and edited rules that are wrong."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=missing("browser"))
    looks: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}

    def inspect(page: Page, look: str) -> None:
        found = axe.Axe().run(page).response["violations"]
        told = [
            (each["id"], [node["html"][:120] + str(node["any"])[:200] for node in each["nodes"]])
            for each in found
        ]
        assert told == [], f"{look}, {width} pixels, {scheme}"

    (tmp_path / "own.py").write_text(FAILING)
    offers = [f"Mo={tmp_path}/own.py"]
    with server(tmp_path, players=offers) as address, somebody_else(page, **looks) as other:
        other.goto(f"{address}/#")
        other.wait_for_selector(".cell.open")
        if width < 400:
            other.locator("#setup summary").click()
        inspect(other, "analysis")
        match = begin(other, address, "tictactoe", "?")
        other.locator("#games summary").click()
        other.locator("#howto summary").click()
        other.wait_for_selector(f'#lists button[data-match="{match}"]')
        inspect(other, "match, invitation, lists")
        begin(other, address, "tictactoe", "")
        put(other, "1,1")
        other.click('[data-cell="1,1"]')
        other.get_by_text("The proof in the rules").click()
        other.click("#advice")
        other.wait_for_selector("#lines li", timeout=60_000)
        inspect(other, "refusal and advice")
        for cell in ("0,0", "1,0", "0,1", "1,2"):
            put(other, cell)
        until(other, "document.querySelectorAll('.cell.won').length === 3")
        inspect(other, "the end")
        begin(other, address, "tictactoe", "Mo")
        put(other, "1,1")
        other.wait_for_selector("#note:not([hidden])")
        other.evaluate("document.querySelector('#games').open = true")
        other.fill("#pasted", "nonsense")
        other.click("#openpasted")
        told(other, "#status", "^This log cannot be opened")
        inspect(other, "a program that fails, a text that is no log")
        other.goto(f"{address}/#ruleset=chess%2Fcrazyhouse&line={quote(json.dumps(TAKEN))}")
        other.locator("#palette button").click()
        inspect(other, "something to put down")
        other.locator("#rules summary").click()
        write_rules(other, "(role x) (role")
        other.wait_for_selector("#problems .error")
        other.locator("#problems button").first.click()
        inspect(other, "wrong rules")


def test_a_program_of_the_server_is_asked_by_its_name(page: Page, tmp_path: Path) -> None:
    """One that tells nothing but its move is taken at its word; who else is asked, as before."""
    (tmp_path / "own.py").write_text(LAST_MOVE)
    with server(tmp_path, players=[f"Mo={tmp_path}/own.py"]) as address:
        page.goto(f"{address}/#ruleset=tictactoe")
        page.wait_for_selector(".cell.open")
        told(page, "#adviser", r"^any program\s+Mo\s")
        page.select_option("#adviser", "Mo")
        told(page, "#lines", "^c3 is what Mo plays$")
        told(page, "#eval", "^Mo plays c3$")
        assert page.locator(".hint-text").all_text_contents() == ["✓"]
        page.select_option("#adviser", "mcts")
        told(page, "#eval", "^mcts: X .* of 100")
        put(page, "1,1")
        assert page.input_value("#adviser") == "mcts"
        page.goto(f"{address}/#ruleset=kalah")
        told(page, "figcaption", "^Kalah")
        assert page.input_value("#adviser") == "mcts"
        page.select_option("#adviser", "Mo")
        told(page, "#eval", "^Mo plays F1$")
        radius = page.locator("circle.hint").evaluate("ring => ring.r.baseVal.value")
        assert radius < 15, "in the corner, where it hides nothing of what stands there"


def test_a_square_to_which_nobody_can_go_is_explained(page: Page, tmp_path: Path) -> None:
    """In the words of the game, with the proof one click further; the last move is marked."""
    with server(tmp_path) as address:
        page.goto(f"{address}/#ruleset=chess&line={quote(json.dumps(TAKEN[:2]))}")
        until(page, "document.querySelectorAll('#moves .ply').length === 3")
        marked = page.locator(".cell.new").evaluate_all("all => all.map(one => one.dataset.cell)")
        assert marked == ["1,3", "3,3"]  # from where, and to where
        page.click('[data-cell="7,6"]')
        page.click('[data-cell="3,4"]')
        told(page, "#reason", "^White cannot play g1e5 here.$")
        page.get_by_text("The proof in the rules").click()
        assert page.inner_text("#proof").startswith("legal white g1e5 does not hold: ")
        assert page.locator(".chosen").count() == 0
        page.click('[data-cell="4,0"]')
        told(page, "#reason", "^White has no move that begins at A4.$")
        page.click('[data-cell="7,6"]')
        told(page, "#status", "choose where to")
        assert page.locator("#why").is_hidden()


def test_what_a_program_thinks_is_told_of_players_alone(page: Page, tmp_path: Path) -> None:
    """Nature is the first role of dice games; of three players it is told of who is to move."""
    lines = {
        "pig": ([["first", "roll"], ["random", "3"]], "First"),
        "threeplayertictactoe": ([["x", "a1"]], "O"),
    }
    with server(tmp_path) as address:
        for ruleset, (line, title) in lines.items():
            page.goto(f"{address}/#ruleset={ruleset}&line={quote(json.dumps(line))}")
            until(page, f"document.querySelectorAll('#moves .ply').length === {len(line) + 1}")
            page.select_option("#adviser", "mcts")
            told(page, "#eval", rf"^mcts: {title} \d+ of 100")
            page.reload()
