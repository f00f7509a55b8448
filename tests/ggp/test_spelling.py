"""Moves as the rules write them, against other sides that hold ``(pass)`` and ``pass`` apart."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field

import pytest

from gdl.ggp.messages import Play, Start, parse_message
from gdl.ggp.record import parse_record
from gdl.ggp.s_expressions import on_one_line
from gdl.ggp.spelling import PLAIN, Use, spelling
from gdl.language.parse import parse_term
from gdl.language.syntax import kif_text
from gdl.state import State
from tests.ggp.games import RACE, game
from tests.ggp.loopback import Played, manage, player, run, say, stranger

SHY = """\
(role w) (role b)
(init (step 1)) (init (calm)) (succ 1 2) (succ 2 3)
(thing (nothing)) (thing gold)
(<= (legal ?p ( pass )) (role ?p) (true (step 1)))
(<= (legal ?p (give ?x)) (role ?p) (thing ?x) (true (step 2)))
(<= (next (passed ?p)) (does ?p (pass)))
(<= (next (passed ?p)) (true (passed ?p)))
(<= (next (calm)) (true (calm)))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= terminal (true (step 3)))
(<= (goal ?p 100) (role ?p) (true (passed ?p)))
(<= (goal ?p 0) (role ?p) (not (true (passed ?p))))
"""
"""All pass, then all give something; who did not pass as the rules write it gets nothing."""

FLASH = """\
(role w) (role random)
(init (dark))
(<= (legal ?p (wait)) (role ?p))
(<= (sees w (flash)) (does random (wait)))
(<= (next lit) (does w (wait)))
(<= terminal (true lit))
(<= (goal ?p 100) (role ?p))
"""
"""GDL-II; fact, move and percept stand between brackets."""


def held_apart(text: str) -> str:
    """Return KIF text in which ``(pass)`` is a name of its own."""
    return re.sub(r"\(\s*([^\s()]+)\s*\)", r"\1!", text)


def as_rules_write(move: object) -> str:
    """Return a move of the game held apart as its rules write it."""
    return re.sub(r"([^\s()]+)!", r"(\1)", str(move))


@dataclass
class Strict:
    """A player of somebody else, for which ``(pass)`` and ``pass`` are two terms.

    Attributes:
        heard: All messages.
        wrong: Joint moves that it was told and that are not legal as it sees it.
    """

    heard: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    state: State | None = None
    role: str = ""

    async def behave(self, text: str, writer: asyncio.StreamWriter) -> None:
        body = self.answer(text)
        writer.write(f"HTTP/1.0 200 OK\r\nContent-length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()

    def answer(self, text: str) -> str:
        self.heard.append(text)
        match parse_message(held_apart(text)):
            case Start(_, role, rules):
                self.state, self.role = game(rules).initial(), str(role)
                return "ready"
            case Play(_, news):
                assert self.state is not None
                if isinstance(news, tuple):
                    legal = zip(self.state.game.roles, news, strict=True)
                    if not all(move in self.state.legal(role) for role, move in legal):
                        self.wrong.append(text)
                        return "nil"
                    self.state = self.state.play(news)
                return as_rules_write(max(self.state.legal(self.role), key=lambda m: "!" in str(m)))
            case _:
                return "done"


async def managed(strict: Strict, rules: str, *, is_scrambled: bool = False) -> Played:
    """Return a match of a strict player and one of ours, managed by us."""
    async with stranger(strict.behave) as one, player() as two:
        return await manage(game(rules), [one, two.port], is_scrambled=is_scrambled)


@pytest.mark.later
@pytest.mark.parametrize("is_scrambled", [False, True])
def test_our_manager_writes_moves_as_the_rules_do(is_scrambled: bool) -> None:  # noqa: FBT001  # pytest
    strict = Strict()
    played = run(managed(strict, SHY, is_scrambled=is_scrambled))
    assert (strict.wrong, played.faults) == ([], [])
    assert played.record.goals == (100, 100)
    table = json.loads(played.record.to_json())
    assert table["moves"][0] == ["(pass)", "(pass)"]
    assert table["moves"][1][0] == "(give (nothing))"
    assert table["states"][1] == "( (calm) (passed b) (passed w) (step 2) )"
    again = parse_record(played.record.to_json())
    assert json.loads(again.to_json()) == table


def test_our_player_answers_as_the_rules_write() -> None:
    rules = f"( START m w ( {on_one_line(SHY)} ) 60 5 )"

    async def main() -> list[str]:
        async with player() as server:
            return [
                await say(server, rules),
                await say(server, "( PLAY m NIL )"),
                await say(server, "( PLAY m ( ( pass ) pass ) )"),  # either is understood
            ]

    ready, first, second = run(main())
    assert (ready, first) == ("ready", "(pass)")
    assert second in {"(give (nothing))", "(give gold)"}
    assert kif_text(parse_term(second)) in {"(give nothing)", "(give gold)"}


def test_percepts_and_facts_are_written_as_the_rules_do() -> None:
    heard: list[str] = []

    async def listening(text: str, writer: asyncio.StreamWriter) -> None:
        heard.append(text)
        body = "ready" if text.startswith("( START") else "wait"
        writer.write(f"HTTP/1.0 200 OK\r\nContent-length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()

    async def main() -> Played:
        async with stranger(listening) as port:
            return await manage(game(FLASH), [port])

    played = run(main())
    assert played.faults == []
    assert heard[-1] == "( STOP match.1 1 (wait) ( (flash) ) )"
    assert json.loads(played.record.to_json())["states"] == ["( (dark) )", "( lit )"]


def test_an_illegal_answer_is_recorded_as_the_rules_write_names() -> None:
    async def wrong(text: str, writer: asyncio.StreamWriter) -> None:
        body = "ready" if text.startswith("( START") else "(give nothing)"
        writer.write(f"HTTP/1.0 200 OK\r\nContent-length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()

    async def main() -> Played:
        async with stranger(wrong) as port:
            return await manage(game(SHY), [port, port])

    assert run(main()).record.errors == [("IL (give (nothing))",) * 2, ("", "")]


@pytest.mark.parametrize(
    ("rules", "use", "text"),
    [
        ("(legal w (pass)) (init pass) (<= (next x) (does w pass))", Use.MOVE, "(pass)"),
        ("(legal w (pass)) (init pass) (<= (next x) (does w pass))", Use.FACT, "pass"),
        ("(init pass) (legal w (pass))", Use.MOVE, "(pass)"),
        ("(init (pass)) (legal w pass)", Use.MOVE, "pass"),
        ("(legal w pass) (legal b (pass))", Use.MOVE, "pass"),
        ("(<= (legal w ?m) (can ?m)) (<= (next x) (does w pass)) (can (pass))", Use.MOVE, "(pass)"),
        ("(<= (next x) (does w (pass)))", Use.MOVE, "(pass)"),
        ("(<= (LEGAL w ( pass ; really\n)) (or (not (pass)) pass))", Use.MOVE, "(pass)"),
        ("(<= (legal w pass) (pass) (not (pass)) (or (pass) (and (pass))))", Use.MOVE, "pass"),
        ("(<= (sees w (pass)) (true pass)) (legal w pass)", Use.PERCEPT, "(pass)"),
        ("(role (pass)) (legal (pass) pass)", Use.ROLE, "(pass)"),
        ("(role (pass)) (legal (pass) pass)", Use.MOVE, "pass"),
        ("(legal w (|pass|))", Use.MOVE, "(pass)"),
    ],
)  # fmt: skip
def test_a_name_is_written_as_where_its_terms_come_from(rules: str, use: Use, text: str) -> None:
    assert spelling(rules).text(parse_term("pass"), use) == text


def test_names_inside_of_terms_are_written_as_the_rules_do_too() -> None:
    names = spelling("(legal w (go (|no where|) (to (x))))")
    move = parse_term("(go |no where| (to x))")
    assert names.text(move, Use.MOVE) == "(go (|no where|) (to (x)))"


def test_rules_without_such_names_change_nothing() -> None:
    assert spelling(RACE) is PLAIN
    assert spelling("(<= (terminal) (open2)) (open2)") is PLAIN
