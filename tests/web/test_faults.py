"""The server is killed and started again while matches are played: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import httpx
import pytest

from gdl.match.log import parse_log, replay
from gdl.match.view import view
from tests.web.faults import Player, Process, seat

SHORTEST = 7
"""Actions of the shortest match of connect four."""


async def storm(server: Process, players: list[Player], kills: int, chance: random.Random) -> None:
    """Let all play; kill the server so often meanwhile, between so many actions."""
    told = asyncio.Event()
    playing = asyncio.gather(*(player.play() for player in players))
    for number in range(1, kills + 1):
        actions = number * len(players) * SHORTEST // 2 // (kills + 1)
        for player in players:
            player.telling = told
        while sum(len(player.acknowledged) for player in players) < actions:
            told.clear()
            await told.wait()
        await asyncio.sleep(0.02 * chance.random())
        assert not playing.done()
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
    await playing


def run(database: Path | str, matches: int, kills: int, ruleset: str) -> int:
    """Return how often a connection was lost."""
    chance = random.Random(matches)
    server = Process(database)
    server.start()
    tables = [seat(server.base, ruleset, chance) for _ in range(matches)]
    players = [player for _, both in tables for player in both]
    try:
        asyncio.run(storm(server, players, kills, chance))
        for match, both in tables:
            check(server.base, match, both)
    finally:
        server.kill()
    return sum(player.returns for player in players)


def check(base: str, match: str, players: list[Player]) -> None:
    """Compare the log with what the players were told, and the state with the log."""
    text = httpx.get(f"{base}/api/matches/{match}/log", timeout=60).text
    header, entries = parse_log(text)
    state = httpx.get(f"{base}/api/matches/{match}", timeout=60).json()
    seats, clock = state.pop("seats"), state.pop("clock")
    assert all(state.pop(name) is True for name in ("shipped", "listed", "spectators"))
    assert (state.pop("rematch"), state.pop("trouble")) == (None, None)
    assert state.pop("titles").keys() == seats.keys()
    assert (set(seats), clock) == ({player.role for player in players}, None)
    of_log = view(replay(header, entries).match)
    of_log.pop("clock")
    assert of_log == state
    assert state["status"] == "finished"
    told = {seq: entry for player in players for seq, entry in player.acknowledged.items()}
    assert told == {entry.seq: entry.to_json() for entry in entries}
    for player in players:
        assert player.last["outcome"] == state["outcome"]


@pytest.mark.slow
def test_a_few_matches_survive_the_death_of_their_server(database: str) -> None:
    assert run(database, matches=4, kills=1, ruleset="connectfour") >= 1


@pytest.mark.slow
def test_fifty_matches_survive_many_deaths_of_their_server(tmp_path: Path) -> None:
    assert run(tmp_path / "m.db", matches=50, kills=8, ruleset="connectfour") >= 100
