"""Match records: what is written is read again, and so are those of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl.ggp.record import MatchRecord, RecordError, as_saved, parse_record, read_record
from gdl.language.parse import parse_term
from gdl.plays import follow
from tests.ggp.games import tic_tac_toe

FOREIGN = {
    "matchId": "base.ticTacToe.1", "randomToken": "aB3", "startTime": 1_300_000_000_000,
    "gameMetaURL": "http://games.example/games/ticTacToe/v0/", "isCompleted": True,
    "states": ["( ( control xplayer ) ( cell 1 1 b ) )", "( ( cell 1 1 x ) )"],
    "moves": [["( mark 1 1 )", "noop"]], "stateTimes": [1, 2],
    "errors": [["", "TO"], ["IL ( mark 1 9 )", ""]], "goalValues": [100, 0],
    "startClock": 30, "playClock": 15, "matchHostPK": "0abc", "isPlayerHuman": [False, True],
}  # fmt: skip
"""A record as ggp-base writes it: its first row of errors is about START."""


def test_a_record_of_another_program_is_read_and_nothing_of_it_is_lost() -> None:
    record = parse_record(json.dumps(FOREIGN))
    assert record.moves == [(parse_term("(mark 1 1)"), parse_term("noop"))]
    assert [str(fact) for fact in record.states[0]] == ["(control xplayer)", "(cell 1 1 b)"]
    assert record.start_errors == ("", "TO")
    assert record.errors == [("IL ( mark 1 9 )", "")]
    assert (record.goals, record.faults, record.preview_clock) == ((100, 0), 2, -1)
    written = json.loads(record.to_json())
    assert written["matchHostPK"] == "0abc"
    assert written["isPlayerHuman"] == [False, True]
    assert parse_record(record.to_json()) == record


def played() -> MatchRecord:
    """Return a record of tic-tac-toe in which x wins."""
    record = MatchRecord("m", "tictactoe", 30, 10, start_time=5)
    state = tic_tac_toe().initial()
    record.reach(state)
    for move in ("(mark a 1)", "(mark b 1)", "(mark a 2)", "(mark b 2)", "(mark a 3)"):
        state = state.play(move)
        assert state.last_move is not None
        record.moves.append(state.last_move)
        record.errors.append(("", ""))
        record.reach(state)
    record.complete((100, 0))
    return record


def test_the_keys_and_their_forms() -> None:
    table = json.loads(played().to_json())
    assert {key: type(value).__name__ for key, value in table.items()} == {
        **dict.fromkeys(["matchId", "randomToken", "gameMetaURL"], "str"),
        **dict.fromkeys(["startTime", "previewClock", "startClock", "playClock"], "int"),
        **dict.fromkeys(["isCompleted", "isAborted", "scrambled"], "bool"),
        **dict.fromkeys(["states", "moves", "stateTimes", "errors"], "list"),
        **dict.fromkeys(["playerNamesFromHost", "goalValues"], "list"),
    }
    assert len(table["states"]) == len(table["stateTimes"]) == len(table["moves"]) + 1
    assert len(table["errors"]) == len(table["moves"]) == 5
    assert table["moves"][0] == ["(mark a 1)", "noop"]
    assert table["states"][0] == "( (control x) )"


def test_a_record_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text(played().to_json(), encoding="utf-8")
    state, changed = follow(as_saved(read_record(path)))
    assert changed == []
    assert state.is_terminal
    assert state.goal("x") == 100


WANTED = (
    "expected: a match record with matchId, startClock, playClock, startTime, states, moves and "
    "stateTimes"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "record: this is no object\n  expected: a match record"),
        ("nothing", "record: Expecting value: line 1 column 1 (char 0)\n  expected: JSON"),
        ('{"moves": []}', f"record: there is no 'matchId'\n  {WANTED}"),
        (
            json.dumps({**FOREIGN, "states": ["( a ) ( b )"]}),
            f"record: a state is one list, not '( a ) ( b )'\n  {WANTED}",
        ),
    ],
)
def test_the_whole_text_of_an_error(text: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(text)
    assert str(caught.value) == message
