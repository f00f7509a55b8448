"""A log carries its rules, can be carried anywhere, and cannot be bent unseen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gdl.game import load
from gdl.match import Header, LogError, start
from gdl.match.log import export, parse_log, read_log, replay
from gdl.match.pin import digest, pin, unpin
from gdl.match.view import view
from gdl.ruleset import Ruleset, find
from gdl.ruleset.flatten import flatten
from tests.match.playing import begin, play
from tests.rulesets import RULESETS

IDS = [ruleset.id for ruleset in RULESETS]


@pytest.mark.later
@pytest.mark.sample(5)
@pytest.mark.parametrize("id_", IDS)
def test_a_pinned_ruleset_is_the_ruleset_without_its_files(id_: str) -> None:
    ruleset = find(id_)
    again = unpin(json.loads(json.dumps(pin(ruleset))))
    assert again.paths == ()
    assert again.description.rules == ruleset.description.rules
    told = ("players", "notation", "short_notation", "picture")
    for name in ("id", "title", "version", "game_id", *told):
        assert getattr(again, name) == getattr(ruleset, name)
    assert pin(again) == pin(ruleset)
    assert pin(ruleset)["digest"] == digest(flatten(ruleset))
    here, there = load(ruleset, backend="reason"), load(again, backend="reason")
    assert str(there.initial()) == str(here.initial())


def test_a_changed_rule_file_leaves_an_old_match_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.kif"
    text = find("tictactoe").texts()[0].text
    file.write_text(text)
    match = play(start(Header.of("m", find(file))), "(mark a 1)", "(mark b 2)")
    file.write_text(text.replace("(init (control x))", "(init (control o))"))
    assert file.read_text() != text
    header, entries = parse_log(export(match.header, match.entries))
    assert view(replay(header, entries).match) == view(match)
    under = replay(header, entries, under=find(file))
    assert not under.is_same
    assert under.notes[0].startswith("these are other rules: ")
    assert under.notes[1].startswith("here it stops: entry 0 of match m is refused: x is not to")


def test_a_replay_under_other_rules_says_where_they_part() -> None:
    turns = "A1 Q11 CW;A3 Q11 CW;B1 Q11 CW;B3 Q11 CW;C1 Q11 CW;C3 Q11 CW;E1 Q11 CW;E3 Q11 CW"
    match = play(begin("pentago/strict"), *turns.split(";"), "D1 Q11 CW")
    header, entries = match.header, match.entries
    same = replay(header, entries, under=find("pentago/utwente"))
    assert same.is_same
    assert [note.split(":")[0] for note in same.notes] == ["these are other rules"]
    own = replay(header, entries, under=find("pentago/strict"))
    digest_ = header.ruleset["digest"][:16]
    assert own.notes == (f"the rules of pentago/strict are those of the match, digest {digest_}",)


def test_replaying_with_another_version_names_both_digests() -> None:
    ruleset = find("tictactoe")
    text = flatten(ruleset)
    match = play(begin("tictactoe"), "b2")
    newer = Ruleset(
        "tictactoe",
        (),
        version="2.0.0",
        text=text + "; changed\n",
        presentation_source=ruleset.presentation,
    )
    followed = replay(match.header, match.entries, under=newer)
    assert followed.is_same
    now = f"tictactoe 2.0.0 with digest {digest(newer.text)[:16]}"
    was = f"tictactoe 1.0.0 with digest {digest(text)[:16]}"
    assert followed.notes == (f"these are other rules: {now}, where the match has {was}",)


BENT: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "left-out": (
        lambda lines: [lines[0], lines[2]],
        "entry 1 of match test does not follow\n  expected: entry 0, not before 0",
    ),
    "illegal": (
        lambda lines: [lines[0], lines[1], lines[2].replace("(mark a 1)", "(mark b 2)")],
        """entry 1 of match test is refused: b2 is not legal for O here
  expected: one of 8 moves, such as a2, b1, b3, c2 or a1
  note: (cell b 2 x) holds""",
    ),
    "id-again": (
        lambda lines: [lines[0], lines[1], lines[2].replace('"a1", "type"', '"a0", "type"')],
        "entry 1 of match test has an id that was used",
    ),
    "cut-off": (
        lambda lines: [lines[0], lines[1], "{"],
        """line 3 is no JSON: Expecting property name enclosed in double quotes: \
line 1 column 2 (char 1)
  expected: one JSON object a line""",
    ),
    "headless": (
        lambda lines: lines[1:],
        'the first line is no header\n  expected: {"format": "gdl-match", ...}',
    ),
    "empty": (
        lambda _: [],
        "the log is empty\n  expected: a header, then one entry a line",
    ),
    "newer": (
        lambda lines: [lines[0].replace('"version": 1', '"version": 2', 1)],
        "the log is of version 2\n  expected: version 1",
    ),
    "time": (
        lambda lines: [lines[0], lines[1].replace('"at": 0', '"at": -1')],
        "at of an entry is -1\n  expected: a whole number, 0 to 9007199254740992",
    ),
    "pin": (
        lambda lines: [lines[0].replace('"title": "', '"titel": "', 1)],
        """the ruleset of the match is not whole: KeyError 'title'
  expected: what gdl.match.pin.pin returns""",
    ),
}


@pytest.mark.parametrize("name", BENT)
def test_a_log_that_was_bent_is_refused_in_words(name: str) -> None:
    change, text = BENT[name]
    match = play(begin("tictactoe"), "b2", "a1")
    lines = change(export(match.header, match.entries).splitlines())
    with pytest.raises(LogError) as caught:
        replay(*parse_log("\n".join(lines)))
    assert str(caught.value) == text


TYPES: dict[str, tuple[tuple[str | int, ...], object, str]] = {
    "player": (("players", 0, "title"), -1, "-1 is no text"),
    "players": (("players",), "xo", "'xo' is no list"),
    "notation": (("notation", "fields", "column", 0, 1), 10**99, f"1{'0' * 59}... is no text"),
    "form": (("notation", "forms", 0, "text"), "{column}", "'{column}' is no list"),
    "mark": (("picture", "marks", 0, "colour"), ["#123456"], "['#123456'] is no text"),
    "label": (("picture", "rowLabels", 0), None, "missing is no text"),
    "break": (
        ("picture", "columnBreaks"),
        [1.5],
        "1.5 is no whole number from -1000000 to 1000000",
    ),
    "offset": (
        ("picture", "cells", 0, "rowOffset"),
        10**7,
        "10000000 is no whole number from -1000000 to 1000000",
    ),
    "turn": (("picture", "moves", 0, "turns"), {"left": "x"}, "'x' is no whole number"),
    "deep": (("picture", "marks", 0, "name"), [[[[]]]], "[[[[]]]] is no text"),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_pinned_ruleset_of_other_types_is_refused(name: str) -> None:
    """Or it would be found out where the board is drawn, long after it was taken in."""
    (*path, last), value, text = TYPES[name]
    pinned = json.loads(json.dumps(pin(find("tictactoe"))))
    part = pinned
    for step in path:
        part = part[step]
    part[last] = value
    with pytest.raises(LogError) as caught:
        unpin(pinned)
    first = str(caught.value).partition("\n")[0]
    assert first.startswith(f"the ruleset of the match is not whole: TypeError {text}")


def test_rules_that_were_changed_in_the_file_are_found_out() -> None:
    match = play(begin("tictactoe"), "b2")
    bent = export(match.header, match.entries).replace("(goal ", "(gaol ", 1)
    with pytest.raises(LogError, match="the rules of the match are not those that it began with"):
        replay(*parse_log(bent))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LogError) as caught:
        read_log(file)
    assert str(caught.value) == f"{file} is no text in UTF-8"
