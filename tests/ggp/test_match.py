"""Whole matches over loopback: our manager and our players, and with players that misbehave."""

from __future__ import annotations

import asyncio

import pytest

import gdl
from gdl.ggp.manager import CHANCE, Fault, Seated, SetupError, StuckError, seat
from gdl.ggp.record import MatchRecord
from gdl.language.parse import parse_term
from tests.ggp.games import CARDS, COIN, PENNIES, RACE, STUCK, game, tic_tac_toe
from tests.ggp.loopback import Played, answering, manage, player, run, stranger


async def ours(rules: str, *, players: int = 2, is_scrambled: bool = False) -> Played:
    """Play a game between players of ours."""
    async with player() as one, player("greedy") as other:
        return await manage(
            game(rules), [one.port, other.port][:players], is_scrambled=is_scrambled
        )


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("is_scrambled", [False, True])
def test_two_players_of_ours_play_without_a_fault(is_scrambled: bool) -> None:  # noqa: FBT001  # pytest
    async def main() -> Played:
        async with player() as one, player("greedy") as other:
            return await manage(
                gdl.load("tictactoe"), [one.port, other.port], is_scrambled=is_scrambled
            )

    played = run(main())
    assert played.faults == []
    record = played.record
    assert record.is_completed
    assert record.is_scrambled is is_scrambled
    assert record.goals in {(100, 0), (0, 100), (50, 50)}
    state = tic_tac_toe().initial()
    for joint, facts in zip(record.moves, record.states, strict=False):
        assert set(facts) == set(state.facts)
        state = state.play(joint)
    assert state.is_terminal
    assert set(record.states[-1]) == set(state.facts)


@pytest.mark.slow
def test_simultaneous_moves_the_same_again_and_again() -> None:
    played = run(ours(RACE))
    assert played.faults == []
    assert len(played.record.moves) == 5


@pytest.mark.sample(1)
@pytest.mark.parametrize(("rules", "steps"), [(CARDS, 2), (COIN, 2)])
def test_gdl_2_with_nature(rules: str, steps: int) -> None:
    played = run(ours(rules, players=1, is_scrambled=True))
    assert played.faults == []
    assert len(played.record.moves) == steps
    assert played.record.errors == [("", "")] * steps


def faulty(port_of_second: int, seed: int = 0) -> Played:
    """Return a game of pennies in which the second player is at some port."""

    async def main() -> Played:
        async with player() as one:
            return await manage(game(PENNIES), [one.port, port_of_second], seed=seed)

    return run(main())


def test_a_dead_player_is_played_for() -> None:
    played = faulty(9, seed=3)
    step, start = played.faults[1], played.faults[0]
    assert (start.step, start.error, start.instead) == (None, "CE", None)
    assert (step.step, step.error, step.player) == (0, "CE", "player-1")
    assert step.instead == played.record.moves[0][1]
    assert played.record.errors == [("", "CE")]
    assert played.record.start_errors == ("", "CE")
    assert played.record.is_completed


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("(show edge)", "IL (show edge)"),
        ("(SHOW HEADS)", "IL (SHOW HEADS)"),
        ("nil", "IL nil"),
        ("(show", "IL null"),
        ("", "IL null"),
        ("(show ?x)", "IL null"),
        ("x" * 1_000_001, "IL null"),
    ],
    ids=lambda text: text[:12],
)
def test_a_player_that_answers_nonsense_is_played_for(answer: str, error: str) -> None:
    async def main() -> Played:
        async with stranger(answering(answer)) as one, stranger(answering("(show heads)")) as two:
            return await manage(game(PENNIES), [one, two])

    played = run(main())
    assert played.record.errors == [(error, "")]
    assert played.record.moves[0][1] == parse_term("(show heads)")
    assert [str(fault.instead) for fault in played.faults] == [str(played.record.moves[0][0])]
    assert played.record.moves[0][0] in {parse_term("(show heads)"), parse_term("(show tails)")}


@pytest.mark.slow
def test_a_slow_player_is_waited_for_as_long_as_its_clock_and_no_longer() -> None:
    async def never(text: str, writer: asyncio.StreamWriter) -> None:
        del text, writer
        await asyncio.sleep(30)

    async def drop_by_drop(text: str, writer: asyncio.StreamWriter) -> None:
        del text
        for char in "HTTP/1.0 200 OK\r\n\r\n(show heads)" * 10:
            writer.write(char.encode())
            await writer.drain()
            await asyncio.sleep(0.1)

    async def main() -> tuple[Played, float]:
        async with stranger(never) as one, stranger(drop_by_drop) as two:
            loop = asyncio.get_running_loop()
            begin = loop.time()
            played = await manage(game(PENNIES), [one, two], start_clock=1, play_clock=1)
            return played, loop.time() - begin

    played, spent = run(main())
    assert played.record.start_errors == ("TO", "TO")
    assert played.record.errors == [("TO", "TO")]
    assert 3 < spent < 8  # start clock, play clock and its grace, stop


@pytest.mark.slow
def test_the_same_seed_draws_the_same_moves_for_players_that_are_not_there() -> None:
    one, other, third = (faulty(9, seed=seed).record.moves for seed in (5, 5, 5))
    assert one[0][1] == other[0][1] == third[0][1]


def test_a_role_without_a_move_ends_the_match_and_players_are_told() -> None:
    heard: list[str] = []

    async def listening(text: str, writer: asyncio.StreamWriter) -> None:
        heard.append(text)
        await answering("go")(text, writer)

    async def main() -> str:
        async with stranger(listening) as port:
            with pytest.raises(StuckError) as caught:
                await manage(game(STUCK), [port, port])
            return str(caught.value)

    assert run(main()) == (
        "right has no legal move after 1 joint moves, and the game is not over\n"
        "  help: gdl verify tells whether a game can be played to its end"
    )
    assert heard[-2:] == ["( ABORT match.1 )"] * 2
    assert heard[2] == "( PLAY match.1 NIL )"


def test_players_are_told_when_the_record_cannot_be_kept() -> None:
    heard: list[str] = []

    async def listening(text: str, writer: asyncio.StreamWriter) -> None:
        heard.append(text)
        await answering("walk")(text, writer)

    def keep(record: MatchRecord) -> None:
        if record.moves:
            raise OSError("no space left")

    async def main() -> None:
        async with stranger(listening) as port:
            with pytest.raises(OSError, match="no space left"):
                await manage(game(RACE), [port, port], keep=keep)

    run(main())
    assert heard[-2:] == ["( ABORT match.1 )"] * 2


def test_a_match_without_an_end_is_given_up() -> None:
    async def main() -> str:
        async with stranger(answering("walk")) as port:
            with pytest.raises(StuckError) as caught:
                await manage(game(RACE), [port, port], max_steps=3)
            return str(caught.value)

    assert run(main()) == "the match is not over after 3 joint moves"


def test_who_sits_where() -> None:
    one, two = Seated("a", 1, "one"), Seated("b", 2, "two")
    assert seat(game(CARDS), [one]) == (CHANCE, one)
    assert seat(game(CARDS), [two, one]) == (CHANCE, one)
    assert seat(game(RACE), [one, two]) == (one, two)
    with pytest.raises(SetupError) as caught:
        seat(game(RACE), [one])
    assert str(caught.value) == (
        "1 player for 2 roles\n  expected: one for each of left, right, in this order"
    )


def test_events_name_what_went_wrong() -> None:
    fault = faulty(9).faults[1]
    assert fault == Fault(0, parse_term("odd"), "player-1", "CE", fault.instead)
