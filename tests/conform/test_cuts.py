"""Ends by convention: a board that came back, how long nothing was taken, and the names."""

from __future__ import annotations

import pytest

from gdl.conform import conform
from gdl.conform.conventions import require_conventions, shown_conventions, told
from gdl.conform.cuts import cut_by
from gdl.conform.source import Position
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from gdl.language.preconditions import ArgumentError
from tests.shared import ROOT, missing


def line(source: RulesSource, *moves: str) -> list[Position]:
    """Return the positions of a play of one role after the other."""
    play = [source.initial()]
    for text in moves:
        (role,) = source.movers(play[-1])
        play.append(source.play(play[-1], {role: source.game.move(text)}))
    return play


@pytest.mark.later
def test_a_board_that_came_back_is_told_whoever_is_to_move() -> None:
    ours = RulesSource(load("linesofaction", backend="reason"))
    there, back = ("b1-b3", "a2-c2"), ("b3-b1", "c2-a2")
    play = line(ours, *there, *back)
    assert cut_by({"repetition=2"}, ours, play) == "repetition=2"
    assert cut_by({"repetition=3"}, ours, play) is None
    assert cut_by({"repetition=2"}, ours, play[:-1]) is None
    assert cut_by({"repetition=3"}, ours, line(ours, *there, *back, *there, *back)) is not None
    assert cut_by({"move-limit", "pass-left-out"}, ours, play) is None


@pytest.mark.slow
def test_moves_in_which_nothing_is_taken_are_counted_from_the_last_capture() -> None:
    ours = RulesSource(load("linesofaction", backend="reason"))
    quiet = line(ours, "b1-b3", "a2-c2", "b3-b1")
    assert cut_by({"quiet-limit=3"}, ours, quiet) == "quiet-limit=3"
    assert cut_by({"quiet-limit=4"}, ours, quiet) is None
    taken = line(ours, "c1-a3", "a2-c2", "a3-b2")
    while len(ours.board(taken[-1])) == len(ours.board(taken[-2])):
        (role,) = ours.movers(taken[-1])
        after = [ours.play(taken[-1], {role: move}) for move in ours.legal(taken[-1], role)]
        taken.append(min(after, key=lambda position: len(ours.board(position))))
    assert cut_by({"quiet-limit=1"}, ours, taken[:-1]) == "quiet-limit=1"
    assert cut_by({"quiet-limit=1"}, ours, taken) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("repetition", "repetition=N with N at least 2"),
        ("repetition=1", "repetition=N with N at least 2"),
        ("quiet-limit=x", "quiet-limit=N with N at least 1"),
        ("move-limit=4", "one of pass-left-out, move-limit, repetition=N, quiet-limit=N,"),
    ],
)
def test_a_convention_has_its_number_and_no_other_has_one(name: str, expected: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        require_conventions([name])
    assert expected in str(caught.value)


def test_a_report_says_the_number() -> None:
    assert told("repetition=3") == "one side ends play when a board has been there 3 times"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "engine", "allow"),
    [
        ("oware", "oware", ("repetition=2",)),
        ("checkers/american", "checkers", ("quiet-limit=40",)),
        ("linesofaction", "lines_of_action", ("pass-left-out", "repetition=2", "move-limit")),
    ],
)
def test_engines_that_end_play_by_a_convention_agree_behind_it(
    game: str, engine: str, allow: tuple[str, ...]
) -> None:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    audit = conform(game, f"pyspiel:{engine}", positions=1_500, allow=allow)
    assert audit.agree, str(audit)
    assert set(audit.conventions) <= set(allow)


def test_the_document_of_the_auditor_describes_every_convention() -> None:
    text = (ROOT / "docs" / "conform.md").read_text(encoding="utf-8")
    assert [name for name in shown_conventions() if f"`{name}`" not in text] == []
