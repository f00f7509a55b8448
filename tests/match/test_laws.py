"""Laws of any match, whatever is sent to it."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.match import Action, Kind, Match, RefusedError, TimeControl, submit
from gdl.match.log import export, parse_log, replay
from gdl.match.view import view, visible
from tests.match.playing import begin
from tests.shared import examples

ROLES = ["x", "o", "nobody"]
MOVES = [f"{column}{row}" for column in "abcd" for row in "123"] + ["", "noop", "b", "(mark b 2)"]
ACTIONS = st.builds(
    Action,
    id=st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h"]),
    seq=st.integers(0, 6),
    role=st.sampled_from(ROLES),
    kind=st.sampled_from([*[Kind.MOVE] * 12, *Kind]),
    move=st.sampled_from(MOVES),
)
STEPS = st.lists(st.tuples(ACTIONS, st.integers(0, 400), st.booleans()), max_size=25)


def run(steps: list[tuple[Action, int, bool]]) -> list[Match]:
    """Send actions, half of them with the number that is due; return the match after each."""
    match, at = begin("tictactoe", control=TimeControl(1_000, 10)), 0
    matches = [match]
    for action, wait, is_due in steps:
        at += wait
        seq = match.seq if is_due else action.seq
        sent = Action(action.id, seq, action.role, action.kind, action.move)
        with suppress(RefusedError):
            match = submit(match, sent, at=at).match
        matches.append(match)
    return matches


@settings(max_examples=examples(25))
@given(STEPS)
def test_the_log_gives_the_match_wherever_it_is_cut(steps: list[tuple[Action, int, bool]]) -> None:
    for match in run(steps)[-3:]:
        header, entries = parse_log(export(match.header, match.entries))
        assert entries == match.entries
        again = replay(header, entries).match
        assert view(again) == view(match)
        assert visible(again, "x") == visible(match, "x")


@settings(max_examples=examples(25))
@given(STEPS)
def test_the_log_only_grows_by_one_without_gaps_and_ends_with_the_match(
    steps: list[tuple[Action, int, bool]],
) -> None:
    matches = run(steps)
    for before, after in pairwise(matches):
        assert after.entries[: before.seq] == before.entries
        assert after.seq - before.seq in (0, 1)
        if before.outcome is not None:
            assert after == before
    entries = matches[-1].entries
    assert [entry.seq for entry in entries] == list(range(len(entries)))
    assert len({entry.id for entry in entries}) == len(entries)
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)


@settings(max_examples=examples(25))
@given(STEPS)
def test_everything_sent_twice_is_done_once(steps: list[tuple[Action, int, bool]]) -> None:
    once, match, at = run(steps)[-1], begin("tictactoe", control=TimeControl(1_000, 10)), 0
    for action, wait, is_due in steps:
        at += wait
        seq = match.seq if is_due else action.seq
        sent = Action(action.id, seq, action.role, action.kind, action.move)
        for _ in range(2):
            with suppress(RefusedError):
                match = submit(match, sent, at=at).match
    assert match.entries == once.entries
