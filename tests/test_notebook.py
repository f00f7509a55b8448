"""What notebooks show: pictures, trees, tables, errors in words; nothing of it can be injected."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.language.html import table_html, text_html, tree_html
from gdl.notebook import load_ipython_extension
from tests.cli.conftest import COUNT, UNSAFE
from tests.shared import needs

EVIL = "<script>alert(1)</script>"

PLAIN = """
(role robot) (init calm) (legal robot stir)
(<= (next wild) (does robot stir)) (<= terminal (true wild)) (goal robot 100)
"""
"""One role, and facts of which there is nothing to see."""


class Tags(HTMLParser):
    """Notes the tags that open, and holds that they close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.stack: list[str] = []
        self.said = ""
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self.opened.append(tag)
        self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        del attrs
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def shown(value: object) -> Tags:
    """Return what a notebook shows of a value as HTML."""
    text = value._repr_html_()  # type: ignore[attr-defined]  # what IPython asks
    assert "<script" not in text
    return Tags(text)


def test_whatever_is_shown_is_escaped() -> None:
    for html in (text_html(EVIL), table_html([EVIL], [[EVIL]]), tree_html([EVIL, f"  {EVIL}"])):
        assert "<script" not in html
        assert EVIL in Tags(html).said


def test_a_tree_folds_where_lines_are_further_in() -> None:
    tags = Tags(tree_html(["a", "  b", "    c", "  d", "e"]))
    assert tags.opened.count("details") == 2
    assert tags.said == "abcde"


@pytest.fixture
def count(tmp_path: Path) -> Path:
    path = tmp_path / "count.kif"
    path.write_text(COUNT, encoding="utf-8")
    return path


def test_a_state_with_a_picture_is_that_and_one_without_its_facts(tmp_path: Path) -> None:
    state = gdl.load("tictactoe", backend="reason").initial()
    assert state._repr_html_() is None
    assert (state._repr_svg_() or "").startswith("<svg")
    path = tmp_path / "plain.kif"
    path.write_text(PLAIN, encoding="utf-8")
    plain = gdl.load(path, backend="reason")
    assert plain.initial()._repr_svg_() is None
    assert shown(plain.initial()).said == "calm"
    assert "calm" in shown(plain).said


def test_moves_are_written_as_people_do() -> None:
    moves = gdl.load("tictactoe", backend="reason").initial().legal("x")
    assert shown(moves).said == "x: 9 legal movesa1 a2 a3 b1 b2 b3 c1 c2 c3"
    assert '<code title="(mark b 2)">b2</code>' in moves._repr_html_()


def test_a_game_shows_its_title_and_how_it_begins(count: Path) -> None:
    tags = shown(gdl.load("tictactoe", backend="reason"))
    assert "Tic-tac-toe (tictactoe: x, o; reason)" in tags.said
    assert "svg" in tags.opened
    assert "svg" in shown(gdl.load(count, backend="reason")).opened


def test_an_explanation_is_a_tree(count: Path) -> None:
    state = gdl.load(count, backend="reason").initial()
    for query in ("terminal", "legal robot 1"):
        tags = shown(state.why(query))
        assert "details" in tags.opened
        words = "".join(str(state.why(query)).split())
        assert "".join(tags.said.split()) == words


def test_diagnostics_are_drawn_with_their_carets(tmp_path: Path) -> None:
    path = tmp_path / "unsafe.kif"
    path.write_text(UNSAFE, encoding="utf-8")
    found = gdl.check(path)
    assert isinstance(found, list)
    assert shown(found).said == "\n".join(map(str, found))
    assert shown(found[0]).said == str(found[0])
    assert shown(gdl.check("tictactoe")).said == "all is well"


def test_counts_are_a_table() -> None:
    game = gdl.load("tictactoe", backend="reason")
    counts = game.perft(2)
    assert counts == list(counts)
    assert shown(counts).said == "depthnodesterminalgoals xgoals o1900027200" + "0"


@pytest.mark.slow
@needs("verify")
def test_a_difference_is_its_report() -> None:
    difference = gdl.diff("hex?size=2", "hex/swap?size=2")
    tags = shown(difference)
    assert difference.headline in tags.said
    assert str(difference) in tags.said


def test_an_error_is_its_message() -> None:
    with pytest.raises(gdl.GdlError) as caught:
        gdl.load("tictactoe", backend="reason").initial().play("zz")
    lines = caught.value._render_traceback_()
    assert lines == f"{type(caught.value).__name__}: {caught.value}".splitlines()
    caught.value.add_note("row 2 of the batch")
    assert caught.value._render_traceback_() == [*lines, "row 2 of the batch"]


class Shell:
    """As much of IPython's shell as an extension uses."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[tuple[str, str], Any] = {}

    def register_magic_function(
        self, function: Callable[..., Any], magic_kind: str, magic_name: str
    ) -> None:
        self.magics[magic_kind, magic_name] = function


def test_a_cell_of_rules_becomes_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    load_ipython_extension(shell)
    cell = shell.magics["cell", "gdl"]
    game = cell("", COUNT)
    assert shell.user_ns == {"game": game}
    assert str(game.initial().play("1").position) == "(count 1)"
    cell("mine", COUNT)
    assert set(shell.user_ns) == {"game", "mine"}
    assert cell("other", UNSAFE) is None
    assert "other" not in shell.user_ns
    told = capsys.readouterr().out
    assert "<other>:4:12: error[unsafe-variable]" in told
    for line in ("a b", "if"):
        with pytest.raises(gdl.GdlError) as caught:
            cell(line, COUNT)
        assert str(caught.value) == f"{line!r} is no name of a variable\n  expected: %%gdl NAME"


def test_the_package_is_an_extension() -> None:
    assert gdl.load_ipython_extension is load_ipython_extension


@pytest.mark.skipif(find_spec("IPython") is None, reason="needs IPython: pip install ipython")
@pytest.mark.slow
def test_in_a_shell_of_ipython(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # of another one it would warn
    kind = import_module("IPython.core.interactiveshell").InteractiveShell
    shell = kind.instance()
    try:
        shell.run_line_magic("load_ext", "gdl")
        shell.run_cell_magic("gdl", "mine", COUNT)
        assert str(shell.user_ns["mine"].initial().position) == "(count 0)"
        shell.run_cell("mine.initial().play('zz')")
        told = capsys.readouterr()
        assert "IllegalMoveError" in told.out + told.err
        assert "Traceback" not in told.out + told.err
        data, _ = shell.display_formatter.format(shell.user_ns["mine"].initial().why("terminal"))
        assert "<details" in data["text/html"]
    finally:
        kind.clear_instance()


def test_playouts_tell_wins_with_their_intervals() -> None:
    shares = gdl.load("tictactoe", backend="reason").playouts(50, seed=1)
    said = shown(shares).said
    assert "rolewinsshare95% intervalmean goal" in said
    assert f"x{shares.wins('x')}{shares.wins('x') / 50:.2%}" in said
    assert "50 random games" in said
    assert shown(gdl.load("tictactoe", backend="reason").playouts(0)).said.endswith("0 at most")


@pytest.mark.slow
@needs("verify")
def test_a_difference_opens_both_boards_at_each_step() -> None:
    difference = gdl.diff("hex?size=2", "hex/swap?size=2")
    first, second = difference.steps  # one of several plays of one move
    assert first.title == "before the first move"
    assert first.states[0].play(second.title) == second.states[0]
    tags = shown(difference)
    assert tags.opened.count("svg") == 2 * len(difference.steps)
    assert tags.opened.count("details") == len(difference.steps) + 1
    assert "hex/swap?size=2" in tags.said
    assert all(
        state.history[-1] is state and len(state.history) == number + 1
        for number, step in enumerate(difference.steps)
        for state in step.states
    )
    assert shown(gdl.diff("hex?size=2", "hex?size=2")).opened.count("svg") == 0


@needs("verify")
@pytest.mark.slow
def test_verdicts_are_a_table() -> None:
    from gdl.verify import verify

    said = shown(verify("tictactoe")).said
    assert "provedterminatingevery play comes to an end" in said


@needs("native")
def test_a_batch_is_small_boards_and_a_number() -> None:
    batch = gdl.load("tictactoe").batch(15)
    tags = shown(batch)
    assert tags.opened.count("svg") == 12
    assert tags.said.endswith("and 3 games more")
    assert 'width="150"' in (batch.fork()._repr_html_() or "")
    batch.draw = None
    assert batch._repr_html_() is None


@pytest.mark.slow
def test_a_tournament_shows_its_standings(tmp_path: Path) -> None:
    from gdl.play.tournament import Plan, run

    plan = Plan(rulesets=("tictactoe",), players=("random", "greedy"), simulations=10)
    html = run(plan, tmp_path / "games", workers=1)._repr_html_()
    assert "playerElopointsgameswinsdrawslossesfaults" in Tags(html.partition("<img")[0]).said
    assert ("data:image/png;base64," in html) == (find_spec("matplotlib") is not None)


def test_a_bar_tells_how_far_something_is() -> None:
    from gdl.notebook import progress
    from gdl.notebook.bar import bar_html

    game = gdl.load("tictactoe", backend="reason")
    assert game.playouts(3, on_playout=progress("games", 3)).n == 3  # no notebook: nothing shown
    tags = Tags(bar_html(EVIL, 5, 10, beside=[EVIL], seconds=3))
    assert tags.opened == ["div", "progress"]
    assert tags.said == f" {EVIL}: 5 of 10 {EVIL}, 3 s"
    assert Tags(bar_html("states", 1234, None)).said == "1,234 states, 0 s"
