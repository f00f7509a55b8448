"""Fair queueing: whoever asks for much waits for himself, not the others for him."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.web.problems import ProblemError
from gdl.web.turns import Turns
from tests.web.clocked import run


class Log:
    """What began and ended, in order, with work that takes a moment."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.began: list[str] = []
        self.running: list[str] = []
        self.most = 0
        self.most_of_one = 0

    async def work(
        self,
        client: str,
        seconds: float = 0.001,
        *,
        most: int | None = None,
    ) -> None:
        async with self.turns.turn(client, most=most):
            self.began.append(client)
            self.running.append(client)
            self.most = max(self.most, len(self.running))
            self.most_of_one = max(self.most_of_one, self.running.count(client))
            try:
                await asyncio.sleep(seconds)
            finally:
                self.running.remove(client)


def test_who_asks_once_waits_for_one_piece_of_work_of_who_asks_often() -> None:
    async def play() -> list[str]:
        log = Log(Turns(1, queued=100))
        greedy = [asyncio.create_task(log.work("greedy")) for _ in range(28)]
        await asyncio.sleep(0)
        await asyncio.gather(log.work("modest"), *greedy)
        return log.began

    assert run(play()).index("modest") <= 1


def test_work_counts_by_its_time_and_not_by_its_number() -> None:
    async def play() -> list[str]:
        log = Log(Turns(1, queued=100))
        await log.work("long", 6.0)
        for _ in range(5):
            await log.work("short", 1.0)
        first = asyncio.create_task(log.work("holder", 1.0))
        await asyncio.sleep(0)
        await asyncio.gather(first, log.work("long"), log.work("short"))
        return log.began[-2:]

    assert run(play()) == ["short", "long"]


def test_one_client_never_holds_all_of_several_places() -> None:
    async def play() -> Log:
        log = Log(Turns(3, queued=100))
        await asyncio.gather(*(log.work("greedy") for _ in range(20)))
        return log

    log = run(play())
    assert (log.most, log.most_of_one) == (2, 2)


def test_a_client_may_have_so_many_and_all_so_many_more() -> None:
    async def play() -> tuple[str, str]:
        log = Log(Turns(1, queued=2))
        texts = []
        tasks = [asyncio.create_task(log.work(name, most=2)) for name in ("a", "a", "b")]
        await asyncio.sleep(0)
        for name in ("a", "c"):
            with pytest.raises(ProblemError) as refusal:
                await log.work(name, most=2)
            assert refusal.value.status == 503
            assert refusal.value.more == {"retryAfter": 2.0}
            texts.append(refusal.value.message)
        await asyncio.gather(*tasks)
        await log.work("c")  # there is room again
        return texts[0], texts[1]

    assert run(play()) == (
        "2 requests of yours are being worked on; wait for an answer",
        "too many requests wait; try again later",
    )


def test_where_all_places_to_wait_are_taken_who_has_most_makes_room() -> None:
    """Else a client that asks for much has the queue, and others are refused for it."""

    async def play() -> tuple[list[str], list[BaseException | None]]:
        log = Log(Turns(2, queued=3))
        names = ["greedy"] * 5 + ["one", "other", "third"]
        done = await asyncio.gather(*map(log.work, names), return_exceptions=True)
        return log.began, done

    began, done = run(play())
    assert began[:2] == ["greedy", "one"]
    assert {"other", "third"} <= set(began)
    refused = [place for place, answer in enumerate(done) if isinstance(answer, ProblemError)]
    assert refused == [2, 3, 4]


def test_who_leaves_at_the_moment_in_which_he_is_refused_gives_no_place_away() -> None:
    async def play() -> Log:
        log = Log(Turns(1, queued=2))
        tasks = [asyncio.create_task(log.work("greedy")) for _ in range(3)]
        await asyncio.sleep(0)
        modest = asyncio.create_task(log.work("modest"))
        asyncio.get_running_loop().call_soon(tasks[2].cancel)  # once it is turned away
        await asyncio.gather(modest, *tasks, return_exceptions=True)
        assert tasks[2].cancelled()
        await asyncio.gather(*(log.work("greedy") for _ in range(2)))
        return log

    assert run(play()).most == 1


def test_who_leaves_at_the_moment_of_his_turn_takes_no_answer_of_another() -> None:
    async def play() -> tuple[str, list[str]]:
        log = Log(Turns(1, queued=100))
        ending = asyncio.Event()

        async def hold() -> str:
            async with log.turns.turn("holder"):
                await ending.wait()
            return "done"

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        leaving, staying = (asyncio.create_task(log.work(name)) for name in ("leaves", "stays"))
        await asyncio.sleep(0)
        ending.set()
        leaving.cancel()  # and the place is given away before it can be put away
        answer = await holder
        await staying
        return answer, log.began

    assert run(play()) == ("done", ["stays"])


Asked = st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 0.001]))


@given(
    places=st.integers(1, 3),
    asked=st.lists(Asked, max_size=12),
    leaving=st.sets(st.integers(0, 11)),
)
def test_all_are_served_once_whoever_leaves(
    places: int, asked: list[tuple[str, float]], leaving: set[int]
) -> None:
    """No place is lost and none is given twice, also where somebody leaves while he is called."""

    async def play() -> None:
        log = Log(Turns(places, queued=100))
        tasks = [asyncio.create_task(log.work(client, pause)) for client, pause in asked]
        await asyncio.sleep(0)
        for number in leaving & set(range(len(tasks))):
            tasks[number].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert log.most <= places
        assert log.most_of_one <= max(1, places - 1)
        for client in "abc":  # every place is free again
            await asyncio.gather(*(log.work(client) for _ in range(places)))

    run(play())
