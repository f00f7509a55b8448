"""Programs that speak the GGP protocol: each answer is a legal move, wherever they are led."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path

import pytest

from gdl.conform import SourceError, conform_player, open_source, write_player_report
from gdl.plays import read_saved
from tests.cli.running import gdl
from tests.ggp.loopback import answering, player, stranger


@contextmanager
def served(program: AbstractAsyncContextManager[object]) -> Iterator[str]:
    """Serve a player in a thread of its own; gives its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    there = asyncio.run_coroutine_threadsafe(program.__aenter__(), loop).result(30)
    port = there if isinstance(there, int) else getattr(there, "port", 0)
    try:
        yield f"ggp:127.0.0.1:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(program.__aexit__(None, None, None), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


@pytest.mark.slow
def test_a_program_of_ours_answers_with_legal_moves() -> None:
    with served(player()) as address:
        audit = conform_player("tictactoe", f"{address}(startclock=30,playclock=5)", positions=30)
    assert audit.agree, str(audit)
    assert audit.answers == 30
    assert audit.matches > 2
    assert str(audit).startswith("tictactoe: ggp:127.0.0.1:")


@pytest.mark.slow
def test_chance_and_what_is_hidden_come_between_its_moves() -> None:
    with served(player()) as address:
        audit = conform_player("kuhnpoker", f"{address}(startclock=30,playclock=5)", positions=25)
    assert audit.agree, str(audit)
    assert audit.matches > 4


def test_a_move_that_is_not_legal_is_shown_after_a_short_play(tmp_path: Path) -> None:
    with served(stranger(answering("(mark 2 2)"))) as address:
        audit = conform_player("tictactoe", address, positions=1_000)
        again = conform_player("tictactoe", address, positions=1_000)
    assert audit.wrong is not None
    assert audit.wrong == again.wrong
    assert str(audit.wrong.role) in {"x", "o"}
    # As x it waits legally in no position; as o the first answer is a move where it has to wait.
    assert len(audit.wrong.play) <= 1
    assert audit.first_length is not None
    assert audit.first_length >= len(audit.wrong.play)
    assert "(mark 2 2)" in audit.wrong.answer
    paths = write_player_report(audit, tmp_path)
    assert [path.name for path in paths] == ["report.txt", "play.toml", "issue.md"]
    (saved,) = read_saved(tmp_path / "play.toml")
    assert saved.play == audit.wrong.play


def test_a_program_that_says_nothing_is_no_difference() -> None:
    with pytest.raises(SourceError, match=r"does not answer START as x .no connection"):
        conform_player("tictactoe", "ggp:127.0.0.1:9")


@pytest.mark.parametrize(
    "name", ["ggp:localhost", "ggp:localhost:0", "ggp:localhost:99999", "ggp:a:1(playclock=2)"]
)
def test_an_address_has_a_host_and_a_port(name: str) -> None:
    with pytest.raises(SourceError, match="is no address of a player"):
        conform_player("tictactoe", name)


def test_such_a_program_is_no_engine() -> None:
    with pytest.raises(SourceError, match="answers with moves, and nothing else"):
        open_source("ggp:localhost:9147")


def test_the_command_asks_it_and_refuses_what_it_cannot_be_asked() -> None:
    with served(stranger(answering("nonsense"))) as address:
        ran = gdl("conform", "tictactoe", "--against", address)
        assert ran.code == 1
        assert "answered with a move that is not legal" in ran.out
        refused = gdl("conform", "tictactoe", "--against", address, "--jobs", "2")
    assert refused.code == 2
    assert "--jobs is not for a program that speaks the GGP protocol" in refused.err
