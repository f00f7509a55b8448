"""What a game manager says to a player, as values.

In: the text of a message. Out: an `Info`, `Preview`, `Start`, `Play`, `Stop` or `Abort`; or
a `MessageError` that says where the text is wrong. And back: `format_message`.

The first word is read in either case. What follows the known parts of ``START`` is left
unread, since later versions of the protocol may add to it.

Source: the messages that ggp-base sends; for GDL-II the form of the Dresden game server
(turn, own last move, percepts).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from gdl.ggp.s_expressions import (
    MessageError,
    inside,
    is_list,
    is_nil,
    items,
    on_one_line,
    whole,
)
from gdl.ggp.spelling import PLAIN, Spelling, Use
from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse_term
from gdl.language.source import Source, Span
from gdl.language.syntax import Term
from gdl.language.words import counted
from gdl.machine import JointMove

MAX_CLOCK: Final = 1_000_000
"""Longest clock that is believed, in seconds; eleven days."""


@dataclass(frozen=True, slots=True)
class Sensed:
    """What one player is told of a step in GDL-II.

    Attributes:
        turn: Number of steps made so far.
        last_move: The player's own move in the last step, None before the first. A later ``NIL``
            is kept as it is told: whether it is a move of that name the rules say (`gdl.ggp.seat`).
        percepts: What it saw of that step.
    """

    turn: int
    last_move: Term | None
    percepts: frozenset[Term] = frozenset()


News: TypeAlias = "JointMove | Sensed | None"
"""What happened in the last step: all moves in role order, what was sensed, or no step yet."""


@dataclass(frozen=True, slots=True)
class Info:
    """Who is there?"""


@dataclass(frozen=True, slots=True)
class Preview:
    """Rules that may be played soon, as KIF text, and the seconds to look at them."""

    rules: str
    clock: int


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins.

    Attributes:
        match: Its name.
        role: Whom the player plays.
        rules: The game, as KIF text.
        start_clock: Seconds to get ready.
        play_clock: Seconds for each move.
    """

    match: str
    role: Term
    rules: str
    start_clock: int
    play_clock: int


@dataclass(frozen=True, slots=True)
class Play:
    """The last step is made; choose the next move."""

    match: str
    news: News


@dataclass(frozen=True, slots=True)
class Stop:
    """The last step ended the match."""

    match: str
    news: News


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is given up."""

    match: str


Message: TypeAlias = "Info | Preview | Start | Play | Stop | Abort"

FORMS: Final = {
    "info": "( INFO )",
    "preview": "( PREVIEW ( rules ) clock )",
    "start": "( START match role ( rules ) startclock playclock )",
    "play": "( PLAY match ( moves ) ), or ( PLAY match turn move ( percepts ) )",
    "stop": "( STOP match ( moves ) ), or ( STOP match turn move ( percepts ) )",
    "abort": "( ABORT match )",
}
"""How each message is written."""


def parse_message(text: str) -> Message:
    """Return the message that a text is. Rules are not read yet, only found.

    Raises:
        MessageError: It is none; says where, and what was expected.
        GdlError: A move in it is no term.

    Example:
        >>> parse_message("(play m1 NIL)")
        Play(match='m1', news=None)
    """
    source = Source("message", text)
    lists = items(whole(source))
    if len(lists) != 1 or not is_list(lists[0]):
        number = len(lists) if len(lists) != 1 else "a word"
        what = f"this is {number}, not one list" if lists else "this message is empty"
        place = lists[min(1, len(lists) - 1)] if lists else None
        expected = "one list that begins with " + " or ".join(form.upper() for form in FORMS)
        raise MessageError.at(place, "not-a-message", what, expected=expected)
    parts = items(inside(lists[0]))
    word = parts[0].text.lower() if parts else ""
    if word not in _READERS:
        what = f"no message begins with {parts[0].text[:40]}" if parts else "this list is empty"
        expected = " or ".join(form.upper() for form in FORMS)
        place = parts[0] if parts else lists[0]
        raise MessageError.at(place, "unknown-message", what, expected=expected)
    return _READERS[word](parts)


def _expect(parts: list[Span], name: str, counts: range) -> None:
    number = len(parts) - 1
    if number not in counts:
        what = f"{name.upper()} has {counted(number, 'part') if number else 'no parts'} here"
        raise MessageError.at(parts[0], "message-parts", what, expected=FORMS[name])


def _info(_: list[Span]) -> Info:
    return Info()


def _preview(parts: list[Span]) -> Preview:
    _expect(parts, "preview", range(2, 100))
    return Preview(_rules(parts[1]), _clock(parts[2]))


def _start(parts: list[Span]) -> Start:
    _expect(parts, "start", range(5, 100))
    role = parse_term(parts[2].text)
    return Start(_match(parts[1]), role, _rules(parts[3]), _clock(parts[4]), _clock(parts[5]))


def _play(parts: list[Span]) -> Play:
    return Play(*_step(parts, "play"))


def _stop(parts: list[Span]) -> Stop:
    return Stop(*_step(parts, "stop"))


def _abort(parts: list[Span]) -> Abort:
    _expect(parts, "abort", range(1, 2))
    return Abort(_match(parts[1]))


_READERS: Final[dict[str, Callable[[list[Span]], Message]]] = {
    "info": _info,
    "preview": _preview,
    "start": _start,
    "play": _play,
    "stop": _stop,
    "abort": _abort,
}


def _step(parts: list[Span], name: str) -> tuple[str, News]:
    _expect(parts, name, range(2, 5))
    match = _match(parts[1])
    match parts[2:]:
        case [news]:
            return match, None if is_nil(news) else _terms(news, "the moves of all roles")
        case [turn, last, percepts]:
            seen = () if is_nil(percepts) else _terms(percepts, "what was seen")
            number = _number(turn, "a number of steps")
            is_none = is_nil(last) and (number == 0 or is_list(last))
            own = None if is_none else parse_term(last.text)
            return match, Sensed(number, own, frozenset(seen))
        case _:
            what = f"{name.upper()} has 3 parts here"
            raise MessageError.at(parts[0], "message-parts", what, expected=FORMS[name])


def _match(span: Span) -> str:
    if is_list(span):
        raise MessageError.at(
            span, "match-name", "the name of a match is no list", expected="a word"
        )
    return span.text


def _rules(span: Span) -> str:
    if not is_list(span):
        what, expected = "rules stand between brackets", "( rule rule ... )"
        raise MessageError.at(span, "rules-list", what, expected=expected)
    return inside(span).text.strip()


def _clock(span: Span) -> int:
    return min(_number(span, "a number of seconds"), MAX_CLOCK)


def _number(span: Span, what: str) -> int:
    if span.text.isascii() and span.text.isdigit() and len(span.text) <= 18:  # noqa: PLR2004  # fits 64 bits
        return int(span.text)
    raise MessageError.at(
        span, "whole-number", "this is no whole number", expected=f"{what}, such as 10"
    )


def _terms(span: Span, what: str) -> tuple[Term, ...]:
    if not is_list(span):
        raise MessageError.at(span, "moves-list", "this is no list", expected=f"NIL, or {what}")
    return tuple(parse_term(item.text) for item in items(inside(span)))


def format_message(message: Message, names: Spelling = PLAIN) -> str:
    """Return a message as text, on one line.

    Args:
        message: The message.
        names: How the rules of the match write names.

    Example:
        >>> format_message(Play("m1", None))
        '( PLAY m1 NIL )'
    """
    match message:
        case Info():
            return "( INFO )"
        case Preview(rules, clock):
            return f"( PREVIEW ( {on_one_line(rules)} ) {clock} )"
        case Start(match, role, rules, start_clock, play_clock):
            text = f"{match} {names.text(role, Use.ROLE)} ( {on_one_line(rules)} )"
            return f"( START {text} {start_clock} {play_clock} )"
        case Play(match, news):
            return f"( PLAY {match} {_format_news(news, names)} )"
        case Stop(match, news):
            return f"( STOP {match} {_format_news(news, names)} )"
        case Abort(match):
            return f"( ABORT {match} )"
        case _:
            assert_never(message)


def _format_news(news: News, names: Spelling) -> str:
    if news is None:
        return "NIL"
    if isinstance(news, Sensed):
        own = "NIL" if news.last_move is None else names.text(news.last_move, Use.MOVE)
        percepts = [names.text(percept, Use.PERCEPT) for percept in sorted(news.percepts)]
        return f"{news.turn} {own} {_format_list(percepts) if percepts else 'NIL'}"
    return _format_list(names.text(move, Use.MOVE) for move in news)


def _format_list(texts: Iterable[str]) -> str:
    return f"( {' '.join(texts)} )"


def parse_answer(text: str) -> Term | None:
    """Return the move that an answer is, None when it is no term without variables."""
    try:
        move = parse_term(text)
    except GdlError:
        return None
    return move if move.is_ground else None


def introduced_name(text: str) -> str:
    """Return the name in an answer to ``INFO``, empty where there is none.

    Example:
        >>> introduced_name("( ( name Egghead ) ( status available ) )")
        'Egghead'
    """
    try:
        for item in items(whole(Source("answer", text))):
            for pair in items(inside(item)) if is_list(item) else ():
                parts = items(inside(pair)) if is_list(pair) else []
                if len(parts) == 2 and parts[0].text.lower() == "name":  # noqa: PLR2004  # a pair
                    return parts[1].text
    except MessageError:
        pass
    return ""
