"""What a match accepts and refuses besides moves of the game, and in what order it looks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdl.boards.inferred import with_board
from gdl.language.diagnostics import LimitError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.match import (
    Action,
    Code,
    Header,
    How,
    Kind,
    Match,
    RefusedError,
    TimeControl,
    read_action,
    submit,
)
from gdl.match.actions import SENT, Entry
from gdl.match.log import replay
from gdl.match.match import follow, reduce, start
from gdl.match.view import view, visible
from gdl.ruleset import Ruleset
from tests.cli.conftest import COIN, COUNT, PENNIES, STUCK
from tests.match.playing import action, begin, begin_text, play

GOMOKU = "gomoku/freestyle"
IDLE = " (init on) (<= (next on) (true on)) (<= terminal (not (true on)))"
"""It goes on for ever, whatever is done."""
THREE = """
(role a) (role b) (role c)
(init (turn a))
(follows a b) (follows b c) (follows c a)
(<= (legal ?r go) (true (turn ?r)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?s)) (true (turn ?r)) (follows ?r ?s))
(<= terminal (true never))
(goal a 0) (goal b 0) (goal c 0)
"""


TWO_AT_ONCE = """
(role a) (role b) (number 1) (number 2)
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(<= (next (said ?r ?n)) (does ?r (say ?n)))
(<= terminal (true never)) (goal a 0) (goal b 0)
"""


def refused(match: Match, *parts: object, at: int = 0) -> Code:
    id_, seq, role, kind, *move = parts
    before = view(match)
    with pytest.raises(RefusedError) as caught:
        submit(
            match,
            Action(str(id_), int(str(seq)), str(role), Kind(str(kind)), "".join(map(str, move))),
            at=at,
        )
    assert view(match) == before
    return caught.value.code


# -- ids and numbers


def test_an_accepted_action_that_comes_again_gets_its_first_answer() -> None:
    begun = begin(GOMOKU)
    first = Action("x", 0, "black", Kind.MOVE, "PLACE_STONE {7,7}")
    accepted = submit(begun, first, at=5)
    match = play(accepted.match, "8,8")
    again = submit(match, first, at=99)
    assert (again.entry, again.is_new, again.match) == (accepted.entry, False, match)
    other_words = Action("x", 0, "black", Kind.MOVE, "place_stone {x: 7, y: 7}")
    assert submit(match, other_words, at=99).entry == accepted.entry


def test_an_accepted_action_is_answered_again_after_the_end() -> None:
    match = play(begin(GOMOKU), "black: RESIGN")
    again = submit(match, Action("a0", 0, "black", Kind.RESIGN), at=9)
    assert (again.is_new, again.entry) == (False, match.entries[0])


@pytest.mark.parametrize(
    "other",
    [
        ("a0", 0, "black", "MOVE", "PLACE_STONE {7,8}"),
        ("a0", 0, "white", "MOVE", "PLACE_STONE {7,7}"),
        ("a0", 1, "black", "MOVE", "PLACE_STONE {7,7}"),
        ("a0", 0, "black", "RESIGN"),
        ("a0", 0, "black", "MOVE", "nonsense"),
    ],
)
def test_an_id_with_other_content_is_refused(other: tuple[object, ...]) -> None:
    match = play(begin(GOMOKU), "7,7")
    assert refused(match, *other) == "duplicate-id"


@pytest.mark.parametrize("seq", [0, 2, 1_000_000])
def test_a_number_that_is_not_due_is_refused(seq: int) -> None:
    match = play(begin(GOMOKU), "7,7")
    assert refused(match, "new", seq, "white", "MOVE", "8,8") == "wrong-sequence"


def test_a_refused_action_may_be_sent_again_under_its_id() -> None:
    match = play(begin(GOMOKU), "7,7")
    assert refused(match, "x", 1, "white", "MOVE", "7,7") == "occupied"
    assert submit(match, Action("x", 1, "white", Kind.MOVE, "8,8"), at=0).is_new


def test_what_is_wrong_is_looked_for_in_order() -> None:
    ended = play(begin(GOMOKU), "7,7", "white: RESIGN")
    match = play(begin(GOMOKU), "7,7")
    assert refused(ended, "x", 9, "nobody", "MOVE", "?") == "game-over"
    assert refused(match, "x", 9, "nobody", "MOVE", "?") == "wrong-sequence"
    assert refused(match, "x", 1, "nobody", "MOVE", "?") == "unknown-role"
    assert refused(match, "x", 1, "black", "MOVE", "?") == "out-of-turn"
    assert refused(match, "x", 1, "white", "MOVE", "?") == "malformed"


# -- occupied and out of range, for any picture and notation


@pytest.mark.parametrize(
    ("game", "moves", "code"),
    [
        ("tictactoe", ["b2", "b2"], "occupied"),
        ("tictactoe", ["b4"], "out-of-range"),
        ("tictactoe", ["d1"], "out-of-range"),
        ("tictactoe", ["22"], "malformed"),
        ("pentago/phased", ["(place 1 1 1)", "(place 1 1 1)"], "illegal-move"),
        ("pentago/strict", ["A1 Q11 CW", "(turn a 1 q00 cw)"], "occupied"),
        ("gomoku/freestyle", ["(place 3 99)"], "out-of-range"),
        ("gomoku/freestyle", ["(place 3 four)"], "illegal-move"),
        ("connectfour", ["4", "4", "4", "4", "4", "4", "4"], "illegal-move"),
    ],
)
def test_codes_come_from_notation_and_picture(game: str, moves: list[str], code: str) -> None:
    match = play(begin(game), *moves[:-1])
    assert refused(match, "x", match.seq, match.to_move[0], "MOVE", moves[-1]) == code


def test_the_text_of_a_refusal_says_what_holds_there() -> None:
    match = play(begin("tictactoe"), "b2")
    with pytest.raises(RefusedError) as caught:
        submit(match, action(match, "o", "b2"), at=0)
    assert str(caught.value) == (
        "b2 is not legal for O here\n"
        "  expected: one of 8 moves, such as a2, b1, b3, c2 or a1\n"
        "  note: (cell b 2 x) holds"
    )


def test_refusals_call_players_as_people_do() -> None:
    """By the titles of the ruleset, never by the names that its rules use."""
    match = play(begin("connectfour"), "4")
    asked = play(match, "red: REQUEST_TAKEBACK")
    told = [
        (match, "red", "MOVE", "4", "Red is not to move\n  expected: a move of Yellow"),
        (match, "yellow", "REQUEST_TAKEBACK", "", "Yellow has made no move to take back"),
        (match, "red", "TIMEOUT", "", "the time of Red is not over"),
        (
            asked,
            "yellow",
            "REQUEST_TAKEBACK",
            "",
            (
                "Red wants to take a move back already\n"
                "  expected: ACCEPT_TAKEBACK or DECLINE_TAKEBACK of the others, or a move"
            ),
        ),
        (
            asked,
            "red",
            "ACCEPT_TAKEBACK",
            "",
            "Red has agreed already: it is for the others to answer",
        ),
    ]
    for before, role, kind, move, text in told:
        wanted = Action("new", before.seq, role, Kind(kind), move)
        with pytest.raises(RefusedError) as caught:
            submit(before, wanted, at=0)
        assert str(caught.value) == text


# -- resigning and draws


def test_who_resigns_loses_also_out_of_turn() -> None:
    match = play(begin(GOMOKU), "7,7", "black: RESIGN")
    assert match.outcome is not None
    assert (match.outcome.how, match.outcome.by) == (How.RESIGNATION, "black")
    assert match.outcome.goals == {"black": 0, "white": 100}
    assert view(match)["payload"]["winnerColor"] == "W"


def test_a_draw_takes_an_offer_and_an_agreement() -> None:
    match = play(begin(GOMOKU), "7,7", "black: REQUEST_DRAW")
    assert refused(match, "x", 2, "black", "ACCEPT_DRAW") == "no-draw-offer"
    assert refused(match, "x", 2, "white", "REQUEST_DRAW") == "draw-offered"
    match = play(match, "white: ACCEPT_DRAW")
    assert match.outcome is not None
    assert match.outcome.how is How.DRAW
    assert match.outcome.goals == {"black": 50, "white": 50}
    assert match.outcome.winner is None


@pytest.mark.parametrize("answer", ["white: DECLINE_DRAW", "black: DECLINE_DRAW", "8,8"])
def test_an_offer_ends_when_declined_withdrawn_or_passed_over(answer: str) -> None:
    match = play(begin(GOMOKU), "7,7", "black: REQUEST_DRAW", answer)
    assert match.offer is None
    assert refused(match, "x", 3, "white", "ACCEPT_DRAW") == "no-draw-offer"


def test_an_offer_outlasts_a_move_of_its_maker() -> None:
    match = play(begin(GOMOKU), "black: REQUEST_DRAW", "7,7")
    assert match.offer is not None
    assert play(match, "white: ACCEPT_DRAW").outcome is not None


def test_of_three_players_all_must_agree_and_nobody_wins_by_a_resignation() -> None:
    match = play(begin_text(THREE), "a: REQUEST_DRAW", "b: ACCEPT_DRAW")
    assert match.outcome is None
    assert refused(match, "x", 2, "b", "ACCEPT_DRAW") == "no-draw-offer"
    agreed = play(match, "c: ACCEPT_DRAW").outcome
    assert agreed is not None
    assert agreed.goals == {"a": 50, "b": 50, "c": 50}
    resigned = play(match, "c: RESIGN").outcome
    assert resigned is not None
    assert resigned.goals == {"a": None, "b": None, "c": 0}
    assert resigned.winner is None


def test_who_plays_alone_has_nobody_to_agree_with() -> None:
    assert refused(begin_text(COUNT), "x", 0, "robot", "REQUEST_DRAW") == "no-opponent"


# -- moves taken back


@pytest.mark.later
def test_a_move_is_taken_back_when_the_other_agrees() -> None:
    before = play(begin(GOMOKU), "7,7", "8,8")
    match = play(before, "9,9", "black: REQUEST_TAKEBACK")
    assert view(match)["takeback"] == {"by": "black", "accepted": []}
    assert refused(match, "x", 4, "black", "ACCEPT_TAKEBACK") == "no-takeback-request"
    assert refused(match, "x", 4, "white", "REQUEST_TAKEBACK") == "takeback-requested"
    back = play(match, "white: ACCEPT_TAKEBACK")
    assert (back.seq, back.to_move, back.takeback) == (5, ("black",), None)
    assert back.state.facts == before.state.facts
    assert [entry.get("back") for entry in visible(back)] == [None] * 4 + [2]
    again = play(back, "9,10")
    assert (
        view(again)["payload"]["moveHistory"]
        == view(play(before, "9,10"))["payload"]["moveHistory"]
    )
    assert view(replay(again.header, again.entries).match) == view(again)


def test_who_asks_takes_back_his_own_last_move_and_all_after_it() -> None:
    match = play(begin(GOMOKU), "7,7", "8,8", "9,9", "10,10")
    match = play(match, "black: REQUEST_TAKEBACK", "white: ACCEPT_TAKEBACK")
    assert len(view(match)["payload"]["moveHistory"]) == 2
    match = play(match, "black: REQUEST_TAKEBACK", "white: ACCEPT_TAKEBACK")
    assert len(view(match)["payload"]["moveHistory"]) == 0
    assert refused(match, "x", 8, "black", "REQUEST_TAKEBACK") == "no-takeback"
    assert refused(match, "x", 8, "white", "REQUEST_TAKEBACK") == "no-takeback"


@pytest.mark.parametrize("answer", ["white: DECLINE_TAKEBACK", "black: DECLINE_TAKEBACK", "8,8"])
def test_a_request_ends_when_declined_withdrawn_or_passed_over(answer: str) -> None:
    match = play(begin(GOMOKU), "7,7", "black: REQUEST_TAKEBACK", answer)
    assert match.takeback is None
    assert refused(match, "x", 3, "white", "ACCEPT_TAKEBACK") == "no-takeback-request"


def test_nobody_gets_time_back_with_a_move() -> None:
    match = begin("tictactoe", control=TimeControl(1_000))
    for role, kind, move, at in (
        ("x", "MOVE", "a1", 0),
        ("o", "MOVE", "b2", 300),
        ("o", "REQUEST_TAKEBACK", "", 400),
        ("x", "ACCEPT_TAKEBACK", "", 500),
    ):
        match = submit(match, Action(f"a{at}", match.seq, role, Kind(kind), move), at=at).match
    assert match.to_move == ("o",)
    assert match.clock is not None
    assert (dict(match.clock.left), match.clock.since) == ({"x": 800, "o": 700}, 500)
    assert match.timeout_due() == (1_200, "o")


def test_what_others_must_not_see_is_not_shown_by_going_back() -> None:
    match = play(begin_text(TWO_AT_ONCE), "a: (say 1)", "b: (say 1)", "a: (say 2)")
    assert refused(match, "x", 3, "a", "REQUEST_TAKEBACK") == "no-takeback"
    match = play(match, "b: (say 2)", "b: REQUEST_TAKEBACK", "a: ACCEPT_TAKEBACK")
    assert (match.turn, match.to_move) == (6, ("a", "b"))
    assert match.state.ply == 1


# -- clocks


def test_the_first_turn_is_free_and_each_further_one_costs_its_time() -> None:
    match = begin(GOMOKU, control=TimeControl(10_000, 500))
    match = submit(match, action(match, "black", "7,7"), at=50_000).match
    match = submit(match, action(match, "white", "8,8"), at=53_000).match
    assert view(match, now=55_000)["clock"] == {
        "initialMs": 10_000,
        "incrementMs": 500,
        "remainingMs": {"black": 8_000, "white": 7_500},
        "running": ["black"],
        "nowMs": 55_000,
    }


def test_a_move_after_the_time_is_refused_and_the_clock_ends_the_match() -> None:
    match = begin(GOMOKU, control=TimeControl(1_000))
    match = submit(match, action(match, "black", "7,7"), at=100).match
    assert match.timeout_due() == (1_100, "white")
    assert refused(match, "x", 1, "white", "TIMEOUT", at=1_099) == "time-left"
    assert refused(match, "x", 1, "black", "TIMEOUT", at=1_100) == "time-left"
    assert refused(match, "x", 1, "white", "MOVE", "8,8", at=1_100) == "time-over"
    match = submit(match, Action("t", 1, "white", Kind.TIMEOUT), at=1_100).match
    assert match.outcome is not None
    assert (match.outcome.how, match.outcome.by) == (How.TIMEOUT, "white")
    assert match.outcome.goals == {"black": 100, "white": 0}
    assert match.timeout_due() is None


def test_nature_moves_and_does_nothing_else() -> None:
    """Else a log could give a player what it is to win, as if nature had resigned."""
    match = begin_text(COIN)
    for kind in ("RESIGN", "REQUEST_DRAW", "TIMEOUT"):
        assert refused(match, "x", 0, "random", kind) == "unknown-role"
    match = play(match, "random: (toss heads)")
    assert match.to_move == ("guesser",)


def test_who_is_too_late_cannot_be_saved_before_that_is_logged() -> None:
    match = begin(GOMOKU, control=TimeControl(1_000))
    for at, role, kind, move in [(100, "black", "MOVE", "7,7"), (200, "black", "REQUEST_DRAW", "")]:
        match = submit(match, Action(f"a{at}", match.seq, role, Kind(kind), move), at=at).match
    assert match.timeout_due() == (1_100, "white")
    for role, kind in (
        ("white", "ACCEPT_DRAW"),
        ("white", "RESIGN"),
        ("black", "RESIGN"),
        ("black", "REQUEST_TAKEBACK"),
    ):
        assert refused(match, "x", 2, role, kind, at=1_100) == "time-over"
    drawn = submit(match, Action("d", 2, "white", Kind.ACCEPT_DRAW), at=1_099).match
    assert drawn.outcome is not None
    assert drawn.outcome.how is How.DRAW
    # A log of before, in which the clock was looked at too late, is followed as it is.
    late = Entry(2, "d", "white", Kind.ACCEPT_DRAW, 1_100, 2)
    assert follow(match, late).outcome == drawn.outcome


def test_a_clock_that_is_set_back_gives_no_time_back() -> None:
    match = begin(GOMOKU, control=TimeControl(10_000))
    match = submit(match, action(match, "black", "7,7"), at=5_000).match
    match = submit(match, action(match, "white", "8,8"), at=1_000).match
    assert [entry.at for entry in match.entries] == [5_000, 5_000]


# -- several roles at once


def test_moves_of_one_turn_are_kept_back_until_all_are_there() -> None:
    begun = begin_text(PENNIES)
    match = submit(begun, Action("e", 0, "even", Kind.MOVE, "(show heads)"), at=1).match
    assert (match.to_move, match.state.ply) == (("odd",), 0)
    kept = {"seq": 0, "type": "MOVE", "role": "even", "at": 1, "hidden": True}
    assert visible(match, "odd") == [kept]
    assert visible(match, None) == [kept]
    assert visible(match, "even")[0]["move"] == "(show heads)"
    assert view(match, "odd")["moved"] == ["even"]
    assert refused(match, "x", 1, "even", "MOVE", "(show tails)") == "already-moved"
    match = submit(match, Action("o", 0, "odd", Kind.MOVE, "(show tails)"), at=2).match
    assert [entry["move"] for entry in visible(match)] == ["(show heads)", "(show tails)"]
    assert visible(match)[1]["asked"] == 0
    assert match.outcome is not None
    assert match.outcome.goals == {"even": 0, "odd": 100}


def test_the_number_of_an_earlier_turn_is_refused() -> None:
    match = play(begin("tictactoe"), "b2")
    assert refused(match, "x", 0, "o", "MOVE", "a1") == "wrong-sequence"


def test_rules_that_leave_somebody_without_a_move_end_the_match() -> None:
    match = play(begin_text(STUCK), "left: go", "right: go")
    assert match.outcome is not None
    assert (match.outcome.how, match.outcome.by) == (How.STUCK, "right")
    at_once = begin_text(STUCK.replace("(<= (legal right go) (true a))", ""))
    assert at_once.outcome is not None
    assert at_once.outcome.to_json() == {
        "how": "stuck",
        "by": "right",
        "goals": {"left": None, "right": None},
        "winner": None,
    }
    assert refused(at_once, "x", 0, "left", "MOVE", "go") == "game-over"


DOUBLING = """
(role x) (init (n z)) (<= (legal x go) (true (n ?t)))
(<= (next (n (p ?t ?t))) (true (n ?t)) (does x go))
(<= terminal (true (n never))) (goal x 50)
"""


def test_rules_that_double_a_term_with_each_turn_end_the_match() -> None:
    """It went on, and nobody could be told of it any more: every answer was a refusal."""
    match = begin_text(DOUBLING)
    while match.outcome is None:
        match = play(match, "x: go")
    assert match.outcome.to_json() == {
        "how": "stuck",
        "by": None,
        "goals": {"x": None},
        "winner": None,
    }
    assert 10 < match.seq < 20
    assert len(str(view(match, None)["payload"])) < 100_000
    assert reduce(begin_text(DOUBLING), match.entries).outcome == match.outcome
    unasked = begin_text(
        DOUBLING.replace("(legal x go)", "(legal x noop)").replace("(does x go)", "")
    )
    assert unasked.outcome == match.outcome


NESTING = """
(role x) (init (n z)) (legal x go) (<= (next (n (s ?t))) (true (n ?t)))
(<= terminal (true (n never))) (goal x 50)
"""
GROWING = """
(role x) (init (n z)) (legal x go) (init (one a)) (digit 0) (digit 1)
(<= (next (n (s ?t))) (true (n ?t))) (<= (next (bits ?a ?b ?c ?d)) (true (n (s z)))
  (digit ?a) (digit ?b) (digit ?c) (digit ?d))
(<= terminal (true (n never))) (goal x 50)
"""
SLOW = (
    "(role x) (init a) (legal x go) (goal x 0) (<= terminal (true never))"
    + "".join(f"(hole {n})" for n in range(9))
    + "(<= (next b) (true a)"
    + "".join(f"(hole ?{n})" for n in range(10))
    + "".join(f"(distinct ?{n} ?{m})" for n in range(10) for m in range(n))
    + ")"
)
"""Ten things in nine holes, all apart: there is no way, and many to try."""


@pytest.mark.parametrize(
    ("text", "limits", "turns"),
    [
        (NESTING, Limits(term_depth=6), 6),
        (GROWING, Limits(facts=15), 2),
    ],
)
def test_rules_that_go_beyond_what_is_allowed_end_the_match(
    text: str, limits: Limits, turns: int
) -> None:
    """The only move there was refused whenever it was made, and the match stayed open."""
    header = Header.of("test", Ruleset("test", (), text=text))
    match = start(header, limits=limits)
    while match.outcome is None:
        before = match
        match = play(match, "x: go")
    assert (match.outcome.how, match.outcome.by, match.seq) == (How.STUCK, "", turns)
    assert match.state is before.state  # what can be told
    assert reduce(start(header, limits=limits), match.entries).outcome == match.outcome


def test_rules_that_only_take_too_long_do_not_end_the_match() -> None:
    """On a machine that has less to do they may be in time."""
    match = start(Header.of("test", Ruleset("test", (), text=SLOW)), limits=Limits(seconds=0.1))
    with pytest.raises(LimitError, match="takes too long"):
        play(match, "x: go")


def test_rules_that_never_let_anybody_do_anything_end_the_match() -> None:
    match = begin_text(
        "(role a) (role b) (legal a noop) (legal b noop) (goal a 0) (goal b 0)" + IDLE
    )
    assert match.outcome is not None
    assert (match.outcome.how, match.outcome.by, match.seq) == (How.IDLE, "", 0)
    assert match.outcome.to_json()["winner"] is None


def test_no_talk_fills_a_log_so_that_somebody_cannot_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each could go on for ever by himself, and his opponent would lose by the clock."""
    back = ["b2", "x: REQUEST_TAKEBACK", "o: ACCEPT_TAKEBACK"]
    withdrawn = ["x: REQUEST_DRAW", "x: DECLINE_DRAW"]
    match = play(begin("tictactoe"), *back, *withdrawn, *back, *withdrawn, "b2", "a1")
    assert (match.seq, match.talk) == (12, 10)
    monkeypatch.setattr("gdl.match.match.MOST_TALK", 10)
    for role, kind in [("x", "REQUEST_TAKEBACK"), ("o", "REQUEST_TAKEBACK")]:
        assert refused(match, "a", match.seq, role, kind) == "log-full"
    offered = play(match, "x: REQUEST_DRAW")
    with pytest.raises(RefusedError) as caught:
        submit(offered, Action("a", offered.seq, "o", Kind.DECLINE_DRAW), at=0)
    assert str(caught.value) == (
        "11 entries of this match are no moves that stand, and no more are taken\n"
        "  expected: MOVE, RESIGN, REQUEST_DRAW or ACCEPT_DRAW"
    )
    agreed = play(offered, "o: ACCEPT_DRAW")
    assert agreed.outcome is not None
    assert agreed.outcome.how is How.DRAW
    won = play(offered, "c3", "a2", "b3", "a3")
    assert won.outcome is not None
    assert (won.outcome.how, won.outcome.goals) == (How.RULES, {"x": 0, "o": 100})
    monkeypatch.setattr("gdl.match.match.MOST_TALK", 3)  # longer logs that are there are followed
    assert replay(match.header, match.entries).match == match


def test_a_match_that_the_rules_never_end_is_over_after_very_many_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gdl.match.match.MOST_TURNS", 4)
    match = play(begin_text(THREE), "a: go", "b: go", "c: REQUEST_DRAW", "c: go")
    assert match.outcome is None
    match = play(match, "a: go")
    assert match.outcome is not None
    assert match.outcome.to_json() == {
        "how": "endless",
        "by": None,
        "goals": {"a": None, "b": None, "c": None},
        "winner": None,
    }
    assert refused(match, "x", match.seq, "b", "MOVE", "go") == "game-over"


# -- games that hide something


def test_a_role_sees_its_own_moves_and_percepts_and_nothing_else() -> None:
    match = begin_text(COIN)
    assert match.to_move == ("random", "guesser")
    match = play(match, "random: (toss tails)", "guesser: noop")
    seen = view(match, "guesser")
    assert seen["percepts"] == [["(glimpse tails)"]]
    assert (seen["payload"], seen["board"], seen["lastMove"]) == (None, None, None)
    assert set(seen["legal"]) == {"guesser"}
    assert [entry.get("move") for entry in visible(match, "guesser")] == [None, "noop"]
    spectator = view(match, None)
    assert (spectator["percepts"], spectator["legal"]) == ([], {})
    assert "tails" not in str(spectator) + str(visible(match, None))
    assert "toss" not in str(seen) + str(visible(match, "guesser"))


# -- the shape of actions


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ([], 'an action is a JSON object\n  expected: an object such as {"id": "a1", ...}'),
        (
            {"type": "MOVE", "seq": 0, "move": "x"},
            "id is missing\n  expected: 1 to 64 letters, digits and . _ : -",
        ),
        (
            {"type": "TIMEOUT", "id": "a", "seq": 0},
            """type is 'TIMEOUT'
  expected: one of """
            + ", ".join(SENT),
        ),
        (
            {"type": "MOVE", "id": "a", "seq": True, "move": "x"},
            "seq is True\n  expected: a whole number from 0 to 1000000",
        ),
        (
            {"type": "MOVE", "id": "a", "seq": 0, "role": "r"},
            "move is ''\n  expected: a text of 1 to 2000 characters",
        ),
        (
            {"type": "RESIGN", "id": "a", "seq": 0, "role": "r", "move": "x"},
            "RESIGN has a move\n  expected: a move only with MOVE",
        ),
        (
            {"type": "RESIGN", "id": "a", "seq": 0},
            "role is missing\n  expected: the name of a role",
        ),
    ],
)
def test_an_action_that_is_none_is_refused_in_words(sent: object, text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read_action(sent)
    assert caught.value.code is Code.MALFORMED_ACTION
    assert str(caught.value) == text


@pytest.mark.slow
def test_moves_of_chess_are_told_as_those_write_them_who_see_the_board() -> None:
    match = play(begin("chess"), "e4", "e7e5", "Bc4", "Nc6", "Qh5", "Nf6")
    assert [entry["move"] for entry in visible(match)] == ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6"]
    assert "Qxf7#" in view(match)["legal"]["white"]["moves"]
    mate = Action("mate", match.seq, "white", Kind.MOVE, "Qxf7")
    mated = submit(match, mate, at=0)
    assert (mated.entry.move, mated.entry.term) == ("Qxf7#", "(move h 5 f 7)")
    assert not submit(mated.match, mate, at=0).is_new
    with pytest.raises(RefusedError, match="is another one"):
        submit(mated.match, replace(mate, move="Bxf7"), at=0)
    followed = replay(mated.match.header, mated.match.entries).match
    assert followed.entries == mated.match.entries
    assert followed.game.ruleset.short_notation == begin("chess").game.ruleset.short_notation


LAYING = """
(role left) (role right) (n 1) (n 2) (n 3) (succ 1 2) (succ 2 3) (shape disc) (shape ring)
(<= (base (cell ?x ?y ?s)) (n ?x) (n ?y) (mark ?s))
(mark disc) (mark ring) (mark none)
(init (cell 1 1 none)) (init (cell 1 2 none)) (init (cell 1 3 none))
(init (cell 2 1 none)) (init (cell 2 2 none)) (init (cell 2 3 none))
(init (cell 3 1 none)) (init (cell 3 2 none)) (init (cell 3 3 none))
(init (control left))
(<= (legal ?p (lay ?s ?x ?y)) (true (control ?p)) (shape ?s) (n ?x) (n ?y))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (laid ?s ?x ?y) (does ?p (lay ?s ?x ?y)) (true (cell ?x ?y none)))
(<= (touched ?x ?y) (laid ?s ?x ?y))
(<= (next (cell ?x ?y ?s)) (laid ?s ?x ?y))
(<= (next (cell ?x ?y ?s)) (true (cell ?x ?y ?s)) (not (touched ?x ?y)))
(<= (next (control left)) (true (control right)))
(<= (next (control right)) (true (control left)))
(<= open (true (cell ?x ?y none)))
(<= terminal (not open))
(goal left 50) (goal right 50)
"""
"""Two shapes, laid on nine cells; on one that is taken nothing is put."""


def laying(more: str, limits: Limits = DEFAULT_LIMITS) -> Match:
    shown = with_board(Ruleset("test", (), text=LAYING))
    return start(Header.of("test", replace(shown, text=LAYING + more)), limits=limits)


def test_what_is_put_down_is_shown_as_it_will_stand_there() -> None:
    legal = view(laying(""), "left")["legal"]["left"]
    assert set(legal["picks"]) == {"disc", "ring"}
    shown = {pick: piece[1] for pick, piece in legal["pieces"].items()}
    assert shown == {"disc": "disc", "ring": "ring"}


def test_what_is_put_down_is_not_shown_where_that_would_tell_what_is_hidden() -> None:
    """Where somebody else's shape lies unseen, that would stand there after the move."""
    match = laying("(<= (sees ?p done) (role ?p))")
    match = play(match, "left: (lay ring 1 1)", "right: wait", "left: wait")
    legal = view(match, "right")["legal"]["right"]
    assert set(legal["picks"]) == {"disc", "ring"}
    assert legal["pieces"] == {}


def test_a_match_is_shown_where_every_move_goes_beyond_what_is_allowed() -> None:
    nesting = "(init (deep z)) (<= (next (deep (s ?t))) (true (deep ?t)))"
    match = laying(nesting, Limits(term_depth=2))
    while match.outcome is None:
        legal = view(match)["legal"][match.to_move[0]]
        assert (legal["count"], set(legal["picks"])) == (18, {"disc", "ring"})
        match = play(match, "(lay ring 1 1)")
    assert match.outcome.how is How.STUCK
