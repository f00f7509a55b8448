"""Two server processes on one database: of each number of a log, one action, and both know it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gdl.match.log import parse_log, replay
from tests.web.faults import Player, Process, seat

ROUNDS = 25
"""Numbers of each log that both servers are asked for at once."""


@pytest.fixture
def servers(database: str) -> Iterator[tuple[Process, Process]]:
    """Run two processes on one database."""
    both = (Process(database), Process(database))
    started = []
    try:
        for server in both:
            server.start()
            started.append(server)
        yield both
    finally:
        for server in started:
            server.kill()


async def race(servers: tuple[Process, Process], matches: int) -> list[list[dict[str, Any]]]:
    """Let two clients of each match ask for the same numbers at once; return what was accepted."""
    async with (
        httpx.AsyncClient(base_url=servers[0].base, timeout=60) as here,
        httpx.AsyncClient(base_url=servers[1].base, timeout=60) as there,
    ):
        wanted = {"ruleset": "connectfour", "seats": {"red": {}, "yellow": {}}}
        made = [(await here.post("/api/matches", json=wanted)).json() for _ in range(matches)]
        contests = (contest((here, there), each, random.Random(n)) for n, each in enumerate(made))
        return list(await asyncio.gather(*contests))


async def contest(
    clients: tuple[httpx.AsyncClient, httpx.AsyncClient],
    made: dict[str, Any],
    chance: random.Random,
) -> list[dict[str, Any]]:
    """Play one match; of each number exactly one of two different moves is accepted."""
    path = f"/api/matches/{made['match']}/actions"
    accepted: list[dict[str, Any]] = []
    for seq in range(ROUNDS):
        role = ("red", "yellow")[seq % 2]
        token = {"Authorization": f"Bearer {made['seats'][role]['token']}"}
        moves = chance.sample(await legal(clients[seq % 2], made["match"], role), 2)
        bodies = [
            {"id": f"{which}.{seq}", "seq": seq, "type": "MOVE", "move": move}
            for which, move in enumerate(moves)
        ]
        answers = await asyncio.gather(
            *(
                client.post(path, json=body, headers=token)
                for client, body in zip(clients, bodies, strict=True)
            )
        )
        won = [answer for answer in answers if answer.status_code == 201]
        lost = [answer for answer in answers if answer.status_code != 201]
        assert len(won) == 1, [answer.text for answer in answers]
        assert lost[0].status_code == 409
        assert lost[0].json()["error"]["code"] in ("wrong-sequence", "game-over")
        accepted.append(won[0].json()["entry"])
        if (await clients[0].get(f"/api/matches/{made['match']}")).json()["status"] == "finished":
            break
    await check(clients, made["match"], accepted)
    return accepted


async def legal(client: httpx.AsyncClient, match: str, role: str) -> list[str]:
    """Return two legal moves or more; a match has them until its board is nearly full."""
    state = (await client.get(f"/api/matches/{match}")).json()
    moves: list[str] = state["legal"][role]["moves"]
    return moves


async def check(
    clients: tuple[httpx.AsyncClient, httpx.AsyncClient],
    match: str,
    accepted: list[dict[str, Any]],
) -> None:
    """Both servers tell the same log, of what was accepted and nothing else."""
    logs = [(await client.get(f"/api/matches/{match}/log")).text for client in clients]
    assert logs[0] == logs[1]
    header, entries = parse_log(logs[0])
    assert [entry.seq for entry in entries] == list(range(len(accepted)))
    assert [entry.to_json() for entry in entries] == accepted
    replay(header, entries)
    states = [(await client.get(f"/api/matches/{match}")).json() for client in clients]
    assert states[0] == states[1]


@pytest.mark.slow
def test_two_servers_never_accept_two_actions_with_one_number(
    servers: tuple[Process, Process],
) -> None:
    accepted = asyncio.run(race(servers, matches=3))
    assert sum(map(len, accepted)) >= 3 * 7
    winners = {entry["id"][0] for entries in accepted for entry in entries}
    assert winners == {"0", "1"}  # each server was first at times


async def all_play(players: list[Player]) -> None:
    await asyncio.gather(*(player.play() for player in players))


@pytest.mark.slow
def test_players_at_two_servers_finish_their_matches(servers: tuple[Process, Process]) -> None:
    """Of each match one player is at one server and one at the other; nothing is lost or twice."""
    chance = random.Random(7)
    tables = [seat(servers[0].base, "connectfour", chance) for _ in range(2)]
    for _, (_, second) in tables:
        second.address = second.address.replace(str(servers[0].port), str(servers[1].port))
    asyncio.run(all_play([player for _, both in tables for player in both]))
    for match, both in tables:
        for server in servers:
            text = httpx.get(f"{server.base}/api/matches/{match}/log", timeout=60).text
            header, entries = parse_log(text)
            told = {seq: entry for player in both for seq, entry in player.acknowledged.items()}
            assert told == {entry.seq: entry.to_json() for entry in entries}
            outcome = replay(header, entries).match.outcome
            assert outcome is not None
            assert outcome.to_json() == both[0].last["outcome"] == both[1].last["outcome"]
