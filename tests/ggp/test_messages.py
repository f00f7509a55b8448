"""The messages: read as they are sent, whatever their case; and what is said of bad ones."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.ggp.messages import (
    Abort,
    Info,
    Message,
    Play,
    Preview,
    Sensed,
    Start,
    Stop,
    format_message,
    introduced_name,
    parse_answer,
    parse_message,
)
from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Constant, Term
from tests.strategies import terms

NOOP, MARK = Constant("noop"), parse_term("(mark 1 1)")
WORDS = st.text("abcdefgXYZ0123456789._-", min_size=1, max_size=12)
GROUND = terms().filter(lambda term: term.is_ground)
CLOCKS = st.integers(0, 1_000_000)
JOINTS = st.lists(GROUND, min_size=1, max_size=3).map(tuple)
NEWS = st.one_of(
    st.none(),
    JOINTS,
    st.builds(
        Sensed,
        st.integers(0, 99),
        st.none() | GROUND,
        st.frozensets(GROUND, max_size=3),
    ),
)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(Info),
    st.builds(Preview, st.just("( role white )"), CLOCKS),
    st.builds(Start, WORDS, GROUND, st.just("( role white )"), CLOCKS, CLOCKS),
    st.builds(Play, WORDS, NEWS),
    st.builds(Stop, WORDS, NEWS),
    st.builds(Abort, WORDS),
)


def is_nil(term: Term) -> bool:
    return isinstance(term, Constant) and term.name.lower() == "nil"


def means_nothing_else(message: Message) -> bool:
    """Return whether the word for no move stands for it before the first step, and only there."""
    news = message.news if isinstance(message, Play | Stop) else None
    if not isinstance(news, Sensed):
        return True
    if news.last_move is None or is_nil(news.last_move):
        return (news.last_move is None) == (news.turn == 0)
    return True


@given(MESSAGES.filter(means_nothing_else))
def test_a_message_is_what_was_written(message: Message) -> None:
    assert parse_message(format_message(message)) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", Info()),
        ("(info)", Info()),
        ("(Preview ((role a)) 30)", Preview("(role a)", 30)),
        ("( PLAY match.3 NIL )", Play("match.3", None)),
        ("(play m ())", Play("m", None)),
        ("( PLAY m (noop ( mark 1 1 ) ) )", Play("m", (NOOP, MARK))),
        ("(play m 0 nil nil)", Play("m", Sensed(0, None))),
        ("(PLAY m 3 noop ((mark 1 1)))", Play("m", Sensed(3, NOOP, frozenset({MARK})))),
        ("( STOP m (noop (mark 1 1)) )", Stop("m", (NOOP, MARK))),
        ("(play m 1 nil nil)", Play("m", Sensed(1, Constant("nil")))),
        ("(play m 1 () nil)", Play("m", Sensed(1, None))),
        ("(stop m 4 noop ())", Stop("m", Sensed(4, NOOP))),
        ("(\n\tABORT\n m\n)", Abort("m")),
    ],
)
def test_messages_as_managers_send_them(text: str, message: Message) -> None:
    assert parse_message(text) == message


def test_start_keeps_the_rules_as_they_are_and_ignores_what_follows_the_clocks() -> None:
    rules = "(ROLE white) ; a comment (\n(<= (legal ?p |a b|) (role ?p))"
    message = parse_message(f"(START m White ({rules}) 30 10 (extra 1) 2)")
    assert message == Start("m", Constant("White"), rules, 30, 10)
    assert parse(rules).rules[0] == parse("(role white)").rules[0]


@given(st.text(max_size=60))
def test_any_text_is_a_message_or_an_error_of_ours(text: str) -> None:
    with suppress(GdlError):
        assert format_message(parse_message(text)).startswith("( ")


FORMS = "INFO or PREVIEW or START or PLAY or STOP or ABORT"
ERRORS = {
    "": f"""\
error[not-a-message]: this message is empty
  expected: one list that begins with {FORMS}""",
    "hello": f"""\
message:1:1: error[not-a-message]: this is a word, not one list
  1 | hello
    | ^^^^^
  expected: one list that begins with {FORMS}""",
    "(info) (info)": f"""\
message:1:8: error[not-a-message]: this is 2, not one list
  1 | (info) (info)
    |        ^^^^^^
  expected: one list that begins with {FORMS}""",
    "( )": f"""\
message:1:1: error[unknown-message]: this list is empty
  1 | ( )
    | ^^^
  expected: {FORMS}""",
    "(begin m)": f"""\
message:1:2: error[unknown-message]: no message begins with begin
  1 | (begin m)
    |  ^^^^^
  expected: {FORMS}""",
    "(play m (a)": """\
message:1:1: error[unpaired]: this bracket is never closed
  1 | (play m (a)
    | ^
  expected: brackets and quotes in pairs""",
    "(info))": """\
message:1:7: error[unpaired]: this bracket closes nothing
  1 | (info))
    |       ^
  expected: brackets and quotes in pairs""",
    '(play m ("a))': """\
message:1:10: error[unpaired]: this quote has no partner on its line
  1 | (play m ("a))
    |          ^
  expected: brackets and quotes in pairs""",
    "(abort)": """\
message:1:2: error[message-parts]: ABORT has no parts here
  1 | (abort)
    |  ^^^^^
  expected: ( ABORT match )""",
    "(play m (a b) extra)": """\
message:1:2: error[message-parts]: PLAY has 3 parts here
  1 | (play m (a b) extra)
    |  ^^^^
  expected: ( PLAY match ( moves ) ), or ( PLAY match turn move ( percepts ) )""",
    "(start m a (r) ten 5)": """\
message:1:16: error[whole-number]: this is no whole number
  1 | (start m a (r) ten 5)
    |                ^^^
  expected: a number of seconds, such as 10""",
    "(start m a r 10 5)": """\
message:1:12: error[rules-list]: rules stand between brackets
  1 | (start m a r 10 5)
    |            ^
  expected: ( rule rule ... )""",
    "(stop (m) nil)": """\
message:1:7: error[match-name]: the name of a match is no list
  1 | (stop (m) nil)
    |       ^^^
  expected: a word""",
    "(play m noop)": """\
message:1:9: error[moves-list]: this is no list
  1 | (play m noop)
    |         ^^^^
  expected: NIL, or the moves of all roles""",
}


@pytest.mark.parametrize("text", ERRORS)
def test_the_whole_text_of_an_error(text: str) -> None:
    with pytest.raises(GdlError) as caught:
        parse_message(text)
    assert str(caught.value) == ERRORS[text]


@pytest.mark.parametrize("text", ["", "(", "noop noop", "?x", "(mark ?x)", "()", "<html>(</html>"])
def test_an_answer_that_is_no_move(text: str) -> None:
    assert parse_answer(text) is None


def test_an_answer_is_a_term_however_it_is_spaced() -> None:
    assert parse_answer(" ( mark  1 1 ) ") == MARK


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("( ( name Egghead ) ( status available ) )", "Egghead"),
        ("((NAME x))", "x"),
        ("available", ""),
        ("(", ""),
        ("", ""),
    ],
)
def test_the_name_that_a_player_gives_itself(answer: str, name: str) -> None:
    assert introduced_name(answer) == name
