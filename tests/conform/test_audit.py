"""The auditor: rules against engines that answer six questions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gdl.conform import (
    Audit,
    SourceError,
    UnmatchedError,
    conform,
    conform_play,
    open_source,
    write_report,
)
from gdl.conform.allowance import Allowance
from gdl.conform.piece import OutOfTime
from gdl.conform.sources.merged import Merged
from gdl.conform.task import Sides, Task
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import ArgumentError
from gdl.plays import follow, read_saved
from tests.cli.running import gdl
from tests.shared import missing

ENGINES = "tests.conform.engines"
PENNIES = """
(role even) (role odd)
(init open)
(<= (legal ?role heads) (role ?role) (true open))
(<= (legal ?role tails) (role ?role) (true open))
(<= (next (did ?role ?side)) (does ?role ?side))
(<= same (true (did even ?side)) (true (did odd ?side)))
(<= terminal (not (true open)))
(<= (goal even 100) same) (<= (goal odd 0) same)
(<= (goal even 0) (not same)) (<= (goal odd 100) (not same))
"""
COIN = """
(role guesser) (role random)
(init (turn throw))
(<= (legal random (coin heads 1)) (true (turn throw)))
(<= (legal random (coin heads 2)) (true (turn throw)))
(<= (legal random (coin tails 1)) (true (turn throw)))
(<= (legal guesser noop) (true (turn throw)))
(<= (legal guesser heads) (true (turn guess)))
(<= (legal guesser tails) (true (turn guess)))
(<= (legal random noop) (true (turn guess)))
(<= (next (turn guess)) (true (turn throw)))
(<= (next (lies ?side)) (does random (coin ?side ?number)))
(<= (next (lies ?side)) (true (lies ?side)))
(<= (next (said ?side)) (does guesser ?side) (true (turn guess)))
(<= right (true (lies ?side)) (true (said ?side)))
(<= done (true (said ?side)))
(<= terminal done)
(<= (goal guesser 100) right)
(<= (goal guesser 0) (not right))
(<= (sees guesser asked) (true (turn throw)))
"""

HANDS = """
(role guesser) (role random)
(init (turn {first}))
(card 1) (card 2)
(<= (legal guesser noop) (not (true (turn guess))))
(<= (legal random noop) (true (turn guess)))
(<= (legal guesser (say ?a)) (card ?a) (true (turn guess)))
(<= (next (holds ?place ?a)) (true (holds ?place ?a)))
(<= (next (said ?a)) (does guesser (say ?a)))
(<= done (true (said ?a)))
(<= terminal done)
(<= right (true (said ?a)) (true (holds 1 ?a)) (true (holds 2 ?b)) (distinct ?a ?b))
(<= (goal guesser 100) right)
(<= (goal guesser 0) (not right))
"""
ONE_DEAL = (
    HANDS.format(first="deal")
    + """
(<= (legal random (deal ?a ?b)) (card ?a) (card ?b) (true (turn deal)))
(<= (next (holds 1 ?a)) (does random (deal ?a ?b)))
(<= (next (holds 2 ?b)) (does random (deal ?a ?b)))
(<= (next (turn guess)) (true (turn deal)))
"""
)
TWO_DEALS = (
    HANDS.format(first="deal1")
    + """
(<= (legal random (deal ?a)) (card ?a) (true (turn deal1)))
(<= (legal random (deal ?a)) (card ?a) (true (turn deal2)))
(<= (next (holds 1 ?a)) (does random (deal ?a)) (true (turn deal1)))
(<= (next (holds 2 ?a)) (does random (deal ?a)) (true (turn deal2)))
(<= (next (turn deal2)) (true (turn deal1)))
(<= (next (turn guess)) (true (turn deal2)))
"""
)

CARDS = """
(role player) (role random)
(card jack) (card queen) (card king)
(worth jack 0) (worth queen 50) (worth king 100)
(init dealing)
(<= (legal random (deal ?card)) (card ?card) (true dealing))
(<= (legal player noop) (true dealing))
(<= (legal random noop) (not (true dealing)))
(<= (legal player bet) (not (true dealing)))
(<= (legal player fold) (not (true dealing)))
(<= (next (holds ?card)) (does random (deal ?card)))
(<= (next (holds ?card)) (true (holds ?card)))
(<= (next (did bet)) (does player bet))
(<= (next (did fold)) (does player fold))
(<= terminal (true (did ?any)))
(<= (goal player ?worth) (true (did bet)) (true (holds ?card)) (worth ?card ?worth))
(<= (goal player 10) (true (did fold)))
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "pennies.kif").write_text(PENNIES, encoding="utf-8")
    (tmp_path / "coin.kif").write_text(COIN, encoding="utf-8")
    (tmp_path / "cards.kif").write_text(CARDS, encoding="utf-8")
    return tmp_path


def audit(engine: str, game: str = "tictactoe", positions: int = 200) -> Audit:
    return conform(game, f"{ENGINES}:{engine}", positions=positions)


@pytest.mark.slow
def test_an_engine_that_plays_the_same_agrees() -> None:
    found = audit("TicTacToe")
    assert found.agree
    assert found.play is None
    assert found.positions >= 200
    assert found.roles == (("x", "first"), ("o", "second"))
    assert found.uncovered is not None
    assert str(found).startswith(f"tictactoe and {ENGINES}:TicTacToe agree: ")


@pytest.mark.slow
def test_positions_may_be_objects_that_play_changes() -> None:
    assert audit("Changing").agree


@pytest.mark.slow
def test_a_missing_line_is_shown_by_the_shortest_game_that_has_it() -> None:
    found = audit("OneLineMissing")
    assert not found.agree
    assert found.parting is not None
    assert (found.parting.kind, found.parting.ours, found.parting.theirs) == (
        "terminal",
        "True",
        "False",
    )
    assert found.play is not None
    assert len(found.play) == 5  # nobody has three in a row sooner
    assert found.first_length is not None
    assert found.first_length >= 5
    assert "(line x)" in str(found)  # why, by the rules


@pytest.mark.slow
def test_what_is_found_depends_on_the_seed_alone() -> None:
    plays = [conform("tictactoe", f"{ENGINES}:OneLineMissing", seed=3).play for _ in range(2)]
    assert plays[0] == plays[1]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [0, 2])
def test_positions_that_share_what_a_move_changes_are_told(depth: int) -> None:
    found = conform("tictactoe", f"{ENGINES}:SharedLog", depth=depth, positions=3_000)
    assert not found.agree
    assert found.parting is not None
    assert found.parting.kind in {"legal", "terminal", "turn"}
    assert any("positions share what a move changes" in remark for remark in found.remarks)


@pytest.mark.slow
def test_two_processes_find_the_same_as_one() -> None:
    name = f"{ENGINES}:OneLineMissing"
    assert conform("tictactoe", name, jobs=2).play == conform("tictactoe", name).play
    both = conform("tictactoe", f"{ENGINES}:TicTacToe", positions=5_000, jobs=2)
    assert both.agree
    assert both.positions == conform("tictactoe", f"{ENGINES}:TicTacToe", positions=5_000).positions


@pytest.mark.slow
def test_moves_without_a_text_are_learned_by_what_they_do() -> None:
    found = audit("Mute")
    assert found.agree, str(found)
    assert found.matching == "which moves end games together, learned by play"


@pytest.mark.slow
def test_an_engine_that_fails_differs_and_says_how() -> None:
    found = audit("Raising")
    assert found.parting is not None
    assert found.parting.kind == "failure"
    assert found.parting.theirs == "IndexError when asked for play: the middle"
    assert found.parting.twin.depth == 2


@pytest.mark.slow
def test_moves_made_at_once_are_compared(rules: Path) -> None:
    game = str(rules / "pennies.kif")
    assert audit("Pennies", game, 50).agree
    wrong = audit("WrongPennies", game, 50)
    assert wrong.parting is not None
    assert wrong.parting.kind == "returns"
    assert "(goal even 100)  [" in str(wrong)  # why, by the rules
    assert wrong.uncovered == ()  # what explains a difference was exercised where it was met


@pytest.mark.slow
def test_chance_is_compared_by_how_likely_its_outcomes_are(rules: Path) -> None:
    game = str(rules / "coin.kif")
    agreeing = audit("Coin", game, 50)
    assert agreeing.agree, str(agreeing)
    fair = audit("FairCoin", game, 50)
    assert fair.parting is not None
    assert fair.parting.kind == "chance"
    assert (fair.parting.ours, fair.parting.theirs) == ("0.666667", "0.5")


def test_names_are_matched_with_numbers_by_what_is_paid(rules: Path) -> None:
    found = audit("Cards", str(rules / "cards.kif"), 50)
    assert found.agree, str(found)  # the cards are not in the order of the alphabet


def test_what_players_can_tell_apart_is_compared(rules: Path) -> None:
    shown = audit("ShownCoin", str(rules / "coin.kif"), 50)
    assert shown.parting is not None
    assert shown.parting.kind == "observations"
    assert shown.parting.what == "what guesser knows"


@pytest.mark.slow
def test_another_ruleset_is_an_engine_too() -> None:
    assert conform("tictactoe", "tictactoe", positions=200).agree


def test_games_that_cannot_be_matched_are_an_error_in_words(rules: Path) -> None:
    with pytest.raises(UnmatchedError, match=r"has 2 players, .* has 1"):
        conform("tictactoe", f"{ENGINES}:Coin")
    with pytest.raises(UnmatchedError, match="could not be matched: nothing was compared") as error:
        conform(str(rules / "pennies.kif"), f"{ENGINES}:TicTacToe")
    assert "--map FILE" in str(error.value)


def test_an_engine_that_is_not_there_is_an_error_in_words() -> None:
    with pytest.raises(SourceError, match="does not answer: initial, to_move, legal_moves, play"):
        open_source(f"{ENGINES}:Silent")
    with pytest.raises(SourceError, match="there is no module nowhere"):
        open_source("nowhere:Game")
    with pytest.raises(SourceError, match="has no Chess"):
        open_source(f"{ENGINES}:Chess")
    with pytest.raises(ArgumentError, match="allow must be one of pass-left-out"):
        conform("tictactoe", "tictactoe", allow=["anything"])


@pytest.mark.slow
def test_a_map_is_saved_and_read_back(tmp_path: Path) -> None:
    found = audit("TicTacToe", positions=50)
    write_report(found, tmp_path)
    names = tmp_path / "map.toml"
    again = conform("tictactoe", f"{ENGINES}:TicTacToe", positions=300, names=names)
    assert again.agree
    assert again.matching == "the map map.toml"
    text = names.read_text(encoding="utf-8")
    names.write_text(text.replace('"a1" = "0"', '"a1" = "1"'), encoding="utf-8")
    with pytest.raises(UnmatchedError, match="says nothing of 0, and both sides have moves"):
        conform("tictactoe", f"{ENGINES}:TicTacToe", positions=300, names=names)


@pytest.mark.parametrize(
    ("changed", "unsaid", "left", "right"),
    [
        ({"a2": None, "c2": None}, "a2, c2, 3, 5", "a2, c2", "3, 5"),
        ({"b3": "b4"}, "b3", "b3", "7"),  # a slip
    ],
)
def test_a_difference_in_moves_of_which_a_map_says_nothing_is_refused(
    changed: dict[str, str | None], unsaid: str, left: str, right: str, tmp_path: Path
) -> None:
    cells = [f"{column}{row}" for row in (1, 2, 3) for column in "abc"]
    called = [(changed.get(cell, cell), number) for number, cell in enumerate(cells)]
    lines = [f'"{cell}" = "{number}"' for cell, number in called if cell]
    names = tmp_path / "map.toml"
    names.write_text("\n".join(['[moves."x"]', *lines, '[moves."o"]', *lines]), encoding="utf-8")
    with pytest.raises(UnmatchedError) as refused:
        conform("tictactoe", f"{ENGINES}:TicTacToe", positions=300, names=names)
    assert str(refused.value) == (
        f"{names} says nothing of {unsaid}, and both sides have moves without a partner, {left} by "
        f"the rules and {right} of {ENGINES}:TicTacToe: no difference is claimed\n"
        '  help: --map FILE says which move stands for which: in TOML a table [moves."x"] with a '
        'line such as "a1" = "what the engine calls it" for each'
    )


@pytest.mark.slow
def test_a_search_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    name = f"{ENGINES}:TicTacToe"
    first = conform("tictactoe", name, positions=500, resume=ledger)
    second = conform("tictactoe", name, positions=first.positions + 1, resume=ledger)
    whole = conform("tictactoe", name, positions=first.positions + 1)
    assert (second.positions, second.games) == (whole.positions, whole.games)
    with pytest.raises(GdlError, match="is of another search"):
        conform("tictactoe", name, positions=500, resume=ledger, seed=1)
    ledger.write_text("[]", encoding="utf-8")
    with pytest.raises(GdlError, match="is no file of an audit"):
        conform("tictactoe", name, positions=500, resume=ledger)


@pytest.mark.slow
def test_a_difference_is_written_as_a_play_a_test_and_a_text(tmp_path: Path) -> None:
    found = audit("OneLineMissing")
    paths = write_report(found, tmp_path)
    assert [path.name for path in paths] == [
        "report.txt",
        "map.toml",
        "test_difference.py",
        "issue.md",
        "play.toml",
    ]
    (game,) = read_saved(tmp_path / "play.toml")
    state, changed = follow(game)
    assert (state.is_terminal, changed) == (True, [])
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(paths[2])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "assert (engine.to_move(state) is None) is True" in ran.stdout
    assert "The engine says of terminal: False" in (tmp_path / "issue.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_a_play_is_compared_on_its_own() -> None:
    name = f"{ENGINES}:OneLineMissing"
    play = [{"x": "c1"}, {"o": "a1"}, {"x": "b2"}, {"o": "b1"}, {"x": "a3"}]
    assert conform_play("tictactoe", f"{ENGINES}:TicTacToe", play) is None
    assert conform_play("tictactoe", name, play[:4]) is None
    with pytest.raises(ArgumentError, match="play must be legal by the rules, not"):
        conform_play("tictactoe", name, [{"x": "c1"}, {"o": "c1"}])


@pytest.mark.later
def test_the_command_says_what_was_found_and_leaves_with_a_code(tmp_path: Path) -> None:
    agreeing = gdl("conform", "tictactoe", "--against", f"{ENGINES}:TicTacToe", "--positions", "9")
    assert (agreeing.code, agreeing.err) == (0, "")
    assert " agree: " in agreeing.out
    folder = str(tmp_path / "found")
    wanted = ("--against", f"{ENGINES}:OneLineMissing", "--report", folder)
    differing = gdl("conform", "tictactoe", *wanted)
    assert differing.code == 1
    assert "terminal: they differ after 5 moves" in differing.out
    assert f"wrote {folder}/play.toml" in differing.out
    unmatched = gdl("conform", "tictactoe", "--against", f"{ENGINES}:Coin")
    assert unmatched.code == 3
    missing = gdl("conform", "tictactoe", "--against", "nowhere:Game")
    assert missing.code == 2
    alone = gdl("conform", "--against", "tictactoe")
    assert alone.code == 2
    assert alone.err == "error: --against needs one GAME, and no --engine\n"


@pytest.mark.slow
def test_an_engine_that_fails_while_its_moves_are_met_differs_and_says_how() -> None:
    """Random play meets the failure before moves are matched; it is a difference all the same."""
    found = audit("RaisingLate", positions=500)
    assert found.parting is not None
    assert (found.parting.kind, found.parting.theirs, found.parting.twin.depth) == (
        "failure",
        "IndexError when asked for legal: three",
        6,
    )


def test_an_engine_that_fails_at_once_is_refused_in_words() -> None:
    name = f"{ENGINES}:RaisingAtOnce"
    with pytest.raises(SourceError) as caught:
        conform("tictactoe", name)
    assert str(caught.value) == (
        f"{name} fails before its moves can be matched: ZeroDivisionError when asked for legal: "
        ".........\n  expected: answers in the first position"
    )


def test_where_nothing_was_compared_nobody_says_that_they_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gdl.conform.audit._Sums.is_done", lambda _: True)
    audit = conform("tictactoe", "tictactoe", positions=100)
    assert (audit.agree, audit.positions, audit.play) == (False, 0, None)
    assert str(audit).splitlines()[0] == (
        "no position of tictactoe and tictactoe was compared: the time was over"
    )


@pytest.mark.slow
def test_a_difference_of_a_hasty_matching_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    monkeypatch.setattr("gdl.conform.audit.MATCHING", 0.0)  # no game vouches for the first one
    found = conform("pentago/utwente", "pyspiel:pentago", positions=60, seconds=300.0)
    assert found.agree, str(found)
    assert not found.remarks


@pytest.mark.slow
def test_a_difference_of_a_hasty_matching_that_is_right_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gdl.conform.audit.MATCHING", 0.0)
    found = conform("tictactoe", f"{ENGINES}:Raising", seconds=120.0)
    assert found.parting is not None
    assert found.parting.kind == "failure"


@pytest.mark.slow
def test_chance_that_moves_on_though_it_was_not_seen_to_is_read_in_whole_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One side deals both cards by one move, the other by two: only whole turns are alike."""
    one_deal, two_deals = tmp_path / "one.kif", tmp_path / "two.kif"
    one_deal.write_text(ONE_DEAL, encoding="utf-8")
    two_deals.write_text(TWO_DEALS, encoding="utf-8")
    assert conform(str(one_deal), str(two_deals), positions=100).agree
    monkeypatch.setattr("gdl.conform.task.moves_once", lambda _source, _seed: True)
    found = conform(str(one_deal), str(two_deals), positions=100)
    assert found.agree, str(found)
    monkeypatch.setattr("gdl.conform.task.Task.open", _opened_once)
    found = conform(str(one_deal), str(two_deals), positions=100)
    assert found.agree, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("moves_once", [True, False])
def test_deals_in_too_many_ways_are_compared_one_by_one_in_whole_turns_of_players_too(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moves_once: bool,  # noqa: FBT001  # a parameter
) -> None:
    rules = tmp_path / "two.kif"
    rules.write_text(TWO_DEALS, encoding="utf-8")
    monkeypatch.setattr("gdl.conform.task.moves_once", lambda _source, _seed: moves_once)
    monkeypatch.setattr("gdl.conform.sources.merged.MOST_WAYS", 3)
    found = conform(str(rules), str(rules), positions=100, allow=["whole-turns"])
    assert found.agree, str(found)


def _opened_once(task: Task, *_: object) -> Sides:
    """Open both sides; the first time nobody notices that chance moves on."""
    sides = task._opened(lambda _: None, Allowance(None), 1.0, once=False)
    for side in (sides.comparison.ours, sides.comparison.theirs):
        if isinstance(side, Merged):
            side.once = not task.chance_moves_on
    return sides


def test_what_a_broken_off_piece_exercised_is_counted(rules: Path) -> None:
    """A piece that the clock ends has exercised what its positions have."""

    def stop(_stage: str, compared: int, _wanted: int) -> None:
        if compared > 40:
            raise OutOfTime

    found = conform(str(rules / "coin.kif"), str(rules / "coin.kif"), on_positions=stop)
    assert found.agree
    assert found.uncovered == ()


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("engine", ["Slow", "Compiled"])
def test_time_is_kept_where_an_engine_takes_its_time(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine with a core for everybody; a busy one is given longer."""
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    begin = time.monotonic()
    found = conform("tictactoe", f"{ENGINES}:{engine}", positions=10**6, seconds=8)
    assert time.monotonic() - begin < 14
    assert found.agree, str(found)
    assert found.positions > 0
    assert found.remarks[-1].startswith("the time was over before as many positions")


@pytest.mark.slow
@pytest.mark.alone
def test_a_clean_engine_is_not_called_different_where_time_was_too_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    for seconds in (3.5, 4.5, 5.5):
        try:
            found = conform("tictactoe", f"{ENGINES}:Slow", positions=10**6, seconds=seconds)
        except UnmatchedError as error:
            assert "no difference is claimed" in str(error)  # noqa: PT017  # it may be either
        else:
            assert found.play is None, str(found)


@pytest.mark.slow
@pytest.mark.alone
def test_where_nobody_watches_a_line_says_now_and_then_what_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gdl.cli.terminal.progress.FIRST", 0.5)
    ran = gdl("conform", "tictactoe", "--against", f"{ENGINES}:Slow", "--time", "8")
    said = ran.err.splitlines()
    assert len(said) > 1
    assert all(re.fullmatch(r".+, [\d,]+ positions, \d+ s", line) for line in said), said
    assert said[0].startswith("opening both sides, 0 positions, ")
    assert ran.out.startswith(f"tictactoe and {ENGINES}:Slow agree: ")
