"""A player that is asked: matches, repeated and late messages, and whoever gets it wrong."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from time import monotonic

import pytest

import gdl
from gdl.ggp.server import PortError, Settings, serving
from gdl.ruleset import find
from gdl.ruleset.flatten import flatten
from tests.ggp.games import CARDS, RACE
from tests.ggp.loopback import HOST, player, run, say

RULES = flatten(find("tictactoe"))


def start(match: str, role: str = "x", rules: str = RULES, clocks: str = "60 5") -> str:
    return f"( START {match} {role} ( {rules} ) {clocks} )"


@pytest.mark.slow
def test_a_match_from_beginning_to_end() -> None:
    async def main() -> list[str]:
        async with player() as server:
            said = [await say(server, "( INFO )"), await say(server, f"( PREVIEW ( {RULES} ) 5 )")]
            said.append(await say(server, start("m")))
            first = await say(server, "( PLAY m NIL )")
            assert first.startswith("(mark ")
            again = [
                await say(server, "( PLAY m NIL )") for _ in range(3)
            ]  # no answer came through
            assert again == [first] * 3
            said.append(await say(server, f"( PLAY m ( {first} noop ) )"))
            said.append(await say(server, f"(play m ({first} noop))"))  # once more
            other = next(f"(mark a {n})" for n in "123" if f"(mark a {n})" != first)
            third = await say(server, f"( PLAY m ( noop {other} ) )")
            assert third.startswith("(mark ")
            assert third not in {first, other}
            said.append(await say(server, f"( PLAY m ( {first} noop ) )"))  # late
            assert await say(server, f"( PLAY m ( noop {other} ) )") == third
            said += [await say(server, f"( STOP m ( {third} noop ) )") for _ in range(2)]
            said.append(await say(server, f"( PLAY m ( {third} noop ) )"))
            return said

    introduced = "( ( name gdl ) ( status available ) )"
    assert run(main()) == [
        *(introduced, "available", "ready", "noop", "noop", "noop", "done", "done", "busy"),
    ]


def test_a_match_that_nobody_knows() -> None:
    async def main() -> list[str]:
        async with player() as server:
            messages = ("( PLAY m NIL )", "( STOP m NIL )", "( ABORT m )")
            return [await say(server, text) for text in messages]

    assert run(main()) == ["busy"] * 3


@pytest.mark.slow
def test_matches_side_by_side_up_to_as_many_as_are_wanted() -> None:
    async def main() -> None:
        async with player(most_matches=2) as server:
            said = await asyncio.gather(
                say(server, start("one")), say(server, start("two", "left", RACE))
            )
            assert list(said) == ["ready", "ready"]
            assert await say(server, start("three")) == "busy"
            assert await say(server, "( INFO )") == "( ( name gdl ) ( status busy ) )"
            assert await say(server, start("one", "o")) == "busy"  # another role of the same match
            assert await say(server, start("one")) == "ready"  # the same once more
            moves = await asyncio.gather(
                say(server, "( PLAY one NIL )"), say(server, "( PLAY two NIL )")
            )
            assert moves[0].startswith("(mark ")
            assert moves[1] in {"walk", "run"}
            assert await say(server, "( ABORT one )") == "aborted"
            assert await say(server, "( ABORT one )") == "aborted"
            assert await say(server, "( PLAY one NIL )") == "busy"
            assert await say(server, "( INFO )") == "( ( name gdl ) ( status available ) )"

    run(main())


def test_a_manager_that_begins_the_same_match_anew_gets_it_from_the_beginning() -> None:
    async def main() -> None:
        async with player() as server:
            assert await say(server, start("m", "o")) == "ready"
            assert await say(server, "( PLAY m NIL )") == "noop"
            assert (await say(server, "( PLAY m ( (mark a 1) noop ) )")).startswith("(mark ")
            assert await say(server, start("m", "o")) == "ready"
            assert await say(server, "( PLAY m NIL )") == "noop"
            assert (await say(server, "( PLAY m ( (mark c 3) noop ) )")).startswith("(mark ")

    run(main())


@pytest.mark.later
@pytest.mark.parametrize(
    "rules", ["(role x", "(role ?x) (<= p (not p))", "(role y)", "(((", ") ("], ids=str
)
def test_rules_that_cannot_be_played_are_declined(rules: str) -> None:
    async def main() -> tuple[str, str]:
        async with player() as server:
            answer = await say(server, start("m", rules=rules))
            return answer, await say(server, "( INFO )")

    answer, after = run(main())
    assert answer == "busy" or answer.startswith('( ERROR "')
    assert after == "( ( name gdl ) ( status available ) )"


@pytest.mark.slow
def test_gdl_2_in_the_form_of_the_dresden_server() -> None:
    async def main() -> list[str]:
        async with player("greedy") as server:
            said = [await say(server, start("m", "player", CARDS))]
            said.append(await say(server, "( PLAY m 0 NIL NIL )"))
            said.append(await say(server, "( PLAY m 1 noop ( ( got king ) ) )"))
            said.append(await say(server, "( PLAY m 1 noop ( ( got king ) ) )"))
            said.append(await say(server, "( STOP m 2 ( say king ) NIL )"))
            return said

    assert run(main()) == ["ready", "noop", "(say king)", "(say king)", "done"]


@pytest.mark.slow
def test_a_process_that_dies_is_replaced_and_told_what_happened() -> None:
    async def main() -> None:
        async with player() as server:
            assert await say(server, start("m")) == "ready"
            first = await say(server, "( PLAY m NIL )")
            assert await say(server, f"( PLAY m ( {first} noop ) )") == "noop"
            children = await _children(os.getpid())
            assert children
            for child in children:
                os.kill(child, signal.SIGKILL)
            await asyncio.sleep(0.2)
            other = next(f"(mark a {n})" for n in "123" if f"(mark a {n})" != first)
            third = await say(server, f"( PLAY m ( noop {other} ) )")
            assert third.startswith("(mark ")
            assert third not in {first, other}

    run(main())


async def _children(parent: int) -> list[int]:
    found = await asyncio.create_subprocess_exec(
        *("ps", "-o", "pid=,args=", "--ppid", str(parent)), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await found.communicate()
    return [int(line.split()[0]) for line in out.decode().splitlines() if "gdl.ggp" in line]


SLOW_MODULE = '''
"""A player that does not look at its clock, and prints."""
import time


class Slow:
    def __init__(self, *, role=None, seed=0):
        self.role = role

    def __call__(self, game, state, clock):
        print("this goes nowhere")
        time.sleep(60)
        return state.legal(self.role)[0]


class Broken(Slow):
    def __call__(self, game, state, clock):
        raise SystemError("out of ideas")
'''


@pytest.fixture
def slow_players(tmp_path, monkeypatch):  # type: ignore[no-untyped-def]  # noqa: ANN001  # fixtures
    """Install players of another package that misbehave."""
    (tmp_path / "slow_players.py").write_text(SLOW_MODULE)
    info = tmp_path / "slow_players-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-players\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[gdl.players]\nslow = slow_players:Slow\nbroken = slow_players:Broken\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("slow_players")
def test_a_player_that_forgets_its_clock_or_fails_still_answers_with_a_legal_move() -> None:
    async def main(name: str) -> float:
        async with player(name) as server:
            assert await say(server, start("m", clocks="20 2")) == "ready"
            begin = monotonic()
            answer = await say(server, "( PLAY m NIL )")
            spent = monotonic() - begin
            assert answer.startswith("(mark ")
            assert await say(server, "( ABORT m )") == "aborted"
            return spent

    for name in ("slow", "broken"):  # a machine that holds up everything does not do so each time
        assert any(run(main(name)) < 2 for _ in range(3))


def test_a_port_that_is_taken_is_said_to_be() -> None:
    async def main() -> str:
        async with player() as server:
            settings = Settings(port=server.port)
            with pytest.raises(PortError) as caught:
                async with serving(settings):
                    pass
            return str(caught.value).replace(str(server.port), "PORT")

    said = run(main())
    assert said.startswith(f"{HOST}:PORT cannot be listened on: ")
    assert said.endswith("\n  help: another program may have the port; --port takes another, 0 any")


@pytest.mark.slow
@pytest.mark.alone
def test_a_start_clock_too_short_for_machine_code_is_no_match_by_the_rules_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made beside the match, taken over, and said; every move comes in time."""
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    rules = flatten(find("hex"))
    log: list[str] = []

    async def main() -> None:
        settings = Settings(player="mcts", port=0, is_warm=False)
        async with serving(settings, log=log.append) as server:
            game = gdl.load("hex", backend="reason")
            state = game.initial()
            role, other = game.roles
            assert await say(server, start("m", role, rules, "2 2")) == "ready"
            told = "NIL"
            until = monotonic() + 80.0
            while not any(line.endswith("by machine code") for line in log):
                assert monotonic() < until, log
                await asyncio.sleep(1.0)  # the other side thinks as well
                asked = monotonic()
                answer = await say(server, f"( PLAY m {told} )")
                assert monotonic() - asked < 2.0
                mine = game.move(answer)
                reply = "noop"
                if role in state.movers:
                    state = state.play(mine)
                    told = f"( {mine} {reply} )"
                else:
                    move = state.legal(other)[0]
                    state = state.play(move)
                    told = f"( noop {move} )"
            assert await say(server, f"( PLAY m {told} )")

    run(main(), 120.0)
    written = f"m: {gdl.load('hex', backend='reason').roles[0]} plays by the rules as written; "
    assert log[1] == written + "machine code is made beside", log
