"""A board in a notebook: a click becomes a move, whatever the rules; nothing else does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import gdl
from tests.shared import missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from gdl.notebook import Board

pytest.importorskip("anywidget", reason=missing("notebook"))
pytestmark = pytest.mark.slow


def board(name: str, **more: Any) -> Board:  # noqa: ANN401  # what a board takes
    from gdl.notebook import Board

    return Board(gdl.load(name, backend="reason"), **more)


def clicked(on: Board, **message: object) -> None:
    """Send what the browser sends."""
    on._handle_custom_msg(message, [])  # type: ignore[no-untyped-call, unused-ignore]


def offered(on: Board) -> list[str]:
    return [move["text"] for move in on.position["moves"]]


def test_a_click_is_a_move_and_can_be_taken_back() -> None:
    on = board("tictactoe")
    first = on.state
    assert repr(on) == "<Board tictactoe>"
    assert on.position["words"] == "x moves."
    assert not on.position["back"]
    assert offered(on) == [first.notation(move) for move in first.legal("x")]
    clicked(on, move="b2")
    assert on.state == first.play("b2")
    assert on.position["words"] == "o moves."
    assert "b2" not in offered(on)
    clicked(on, back=True)
    assert on.state == first


def test_what_a_browser_makes_up_changes_nothing_and_is_told() -> None:
    on = board("tictactoe")
    clicked(on, move="b2")
    before = on.state
    for nonsense in ({"move": "b2"}, {"move": "z9"}, {"move": 3}, {"other": "b2"}, {"move": "(("}):
        clicked(on, **nonsense)
        assert on.state == before
    clicked(on, move="b2")
    assert "b2" in on.position["words"]
    assert "not legal" in on.position["words"]
    with pytest.raises(gdl.IllegalMoveError):
        on.play("b2")


def test_programs_answer_until_somebody_has_to_click() -> None:
    on = board("tictactoe", players={"o": "random"}, seed=3)
    asked = []
    while moves := offered(on):
        asked.append(on.role)
        clicked(on, move=moves[0])
    assert set(asked) == {"x"}
    assert on.state.is_terminal
    assert on.position["words"].startswith("The game is over: x ")
    assert offered(on) == []
    clicked(on, back=True)
    assert on.role == "x"
    with_function = board("tictactoe", players={"x": lambda _, state, __: state.legal("x")[-1]})
    assert with_function.role == "o"
    assert len(with_function.state.history) == 2


def test_who_moves_at_once_is_asked_one_after_the_other() -> None:
    on = board("rockpaperscissors")
    first = on.state
    one, other = on.game.roles
    assert on.role == one
    clicked(on, move=offered(on)[0])
    assert (on.role, on.state) == (other, first)
    assert offered(on) == [first.notation(move) for move in first.legal(other)]
    clicked(on, move=offered(on)[1])
    assert on.state == first.play({one: first.legal(one)[0], other: first.legal(other)[1]})


def test_what_is_hidden_stays_hidden_beside_a_program() -> None:
    alone = board("kuhnpoker", seed=5)
    assert alone.position["text"] == str(alone.state)
    seated = next(role for role in alone.game.roles if role != "random")
    theirs = next(role for role in alone.game.roles if role not in {"random", seated})
    on = board("kuhnpoker", players={theirs: "random"}, seed=5)
    assert on.role == seated
    told = json.dumps(on.position)
    assert on.position["scene"] is None  # without machine code nothing is proved of it
    hidden = {str(fact) for fact in on.state.facts} - set(on.position["text"].split("\n"))
    assert not any(fact in told for fact in hidden)
    assert on.position["text"]


def test_what_is_known_of_what_is_hidden_is_drawn() -> None:
    pytest.importorskip("pysat", reason=missing("verify"))
    pytest.importorskip("llvmlite", reason=missing("native"))
    from gdl.notebook import Board

    on = Board(gdl.load("kuhnpoker"), players={"second": "random"}, seed=5)
    named = [name for _, name, _ in on.position["scene"]["sites"].values()]
    assert sorted(named) == ["?", "?", "card"]  # one's own, and what the other may hold
    assert on.position["hides"]
    assert "dealt" in on.position["text"]


def test_states_of_other_games_and_other_things_are_refused() -> None:
    on = board("tictactoe")
    with pytest.raises(gdl.GdlError, match="a state of tictactoe"):
        on.state = gdl.load("hex?size=2", backend="reason").initial()
    with pytest.raises(gdl.GdlError, match="a game or a state"):
        type(on)("tictactoe")  # type: ignore[arg-type]
    with pytest.raises(gdl.GdlError, match="did you mean"):
        board("tictactoe", players={"o": "mtcs"})
    on.state = on.game.initial().play("a1")
    assert on.role == "o"


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    playwright = pytest.importorskip("playwright.sync_api", reason=missing("browser"))
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        faults: list[str] = []
        opened.on("pageerror", lambda error: faults.append(str(error)))
        yield opened
        browser.close()
    assert faults == []


MODEL = """
const traits = TRAITS;
const heard = [];
window.heard = [];
window.isDead = false;
const model = {
  get: (name) => traits[name],
  on: (_, call) => heard.push(call),
  off: (_, call) => heard.splice(heard.indexOf(call), 1),
  send: (message) => {
    if (window.isDead) throw new Error("no kernel");
    window.heard.push(message);
  },
};
window.tell = (position) => { traits.position = position; for (const call of heard) call(); };
window.clean = widget.default.render({ model, el: document.querySelector("#here") });
"""
"""A model as anywidget gives it, with no kernel behind: what is sent is written down."""


def shown(page: Page, on: Board) -> None:
    """Open a page with nothing but the widget on it."""
    traits = json.dumps({"frame": on.frame, "position": on.position})
    page.set_content(f"<meta charset=utf-8><style>{on._css}</style><div id=here></div>")
    page.evaluate(
        """async ([script, code]) => {
          const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
          const widget = await import(address);
          new Function("widget", code)(widget);
        }""",
        [str(on._esm), MODEL.replace("TRAITS", traits)],
    )


def told(page: Page, on: Board) -> None:
    """Hand on what was clicked to Python, and what it says to the page."""
    for message in page.evaluate("window.heard.splice(0)"):
        clicked(on, **message)
    page.evaluate("(position) => window.tell(position)", on.position)


@pytest.mark.alone
def test_sites_that_are_clicked_in_a_browser(page: Page) -> None:
    on = board("tictactoe")
    shown(page, on)
    assert page.locator(".cell.open").count() == 9
    page.locator(".cell", has=page.locator(".spot")).nth(4).click()
    told(page, on)
    assert len(on.state.history) == 2
    assert page.locator(".cell.open").count() == 8
    assert page.inner_text("[role=status]") == "o moves."
    page.click("text=take back")
    told(page, on)
    assert on.state == on.game.initial()
    page.evaluate("window.isDead = true")
    page.locator(".cell.open").first.click()
    assert page.inner_text("[role=status]") == "No kernel answers: run this notebook to play."


@pytest.mark.alone
def test_a_stone_and_a_turn_make_one_move(page: Page) -> None:
    on = board("pentago/strict")
    shown(page, on)
    page.locator(".cell.open").first.click()
    assert page.evaluate("window.heard") == []
    assert page.locator(".arrow").count() == 8
    page.locator(".arrow").nth(2).click()
    told(page, on)
    assert len(on.state.history) == 2
    assert on.state.last_move is not None
    assert page.locator(".arrow").count() == 0


@pytest.mark.alone
def test_moves_without_a_place_are_buttons(page: Page) -> None:
    on = board("rockpaperscissors")
    shown(page, on)
    buttons = page.locator("button")
    assert buttons.all_inner_texts() == offered(on)
    buttons.nth(1).click()
    told(page, on)
    assert on.role == on.game.roles[1]
