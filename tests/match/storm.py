"""A program that plays as fast as it can, to be killed in the middle of it.

Called with the URL of a database. For each line on standard input it forks; the child plays random
matches in several threads, and writes ``MATCH SEQ ID`` on standard output whenever an action has
been acknowledged. The first line of each round is the child's process id.
"""

from __future__ import annotations

import os
import random
import sys
import threading

from gdl.match import Action, Header, Kind, start, submit
from gdl.match.store import Store, open_store
from gdl.ruleset import find

THREADS = 3
GAMES = ("tictactoe", "connectfour", "gomoku/freestyle")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # one write, so that a line is there wholly or not at all


def play(store: Store, header: Header, chance: random.Random) -> None:
    """Play one match to its end; now and then an action is sent twice."""
    store.create(header, owner="w", trusted=True)
    match = start(header)
    while match.outcome is None:
        role = match.to_move[0]
        move = str(chance.choice(match.state.legal(role)))
        action = Action(f"{role}.{match.seq}", match.seq, role, Kind.MOVE, move)
        accepted = submit(match, action, at=match.seq)
        match = accepted.match
        store.append(header.id, accepted.entry, finished=match.outcome is not None)
        say(f"{header.id} {accepted.entry.seq} {action.id}")
        if chance.random() < 0.1:
            assert not submit(match, action, at=match.seq).is_new


def storm(url: str, pinned: list[Header]) -> None:
    store = open_store(url)

    def run(number: int) -> None:
        chance = random.Random(f"{os.getpid()}.{number}")
        for game in range(10_000):
            known = chance.choice(pinned)
            name = f"{os.getpid()}.{number}.{game}"
            play(store, Header(name, known.ruleset), chance)

    for number in range(THREADS):
        threading.Thread(target=run, args=(number,), daemon=True).start()
    threading.Event().wait()


def main() -> None:
    pinned = [Header.of("", find(name)) for name in GAMES]
    for header in pinned:
        start(header)  # what is imported before the fork costs nothing after it
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            say(f"child {os.getpid()}")
            storm(sys.argv[1], pinned)
        os.waitpid(child, 0)
        say("gone")


if __name__ == "__main__":
    main()
