"""Rule files that several tests of the command line use."""

from __future__ import annotations

from pathlib import Path

import pytest

PENNIES = """\
; Matching pennies: both choose at once.
(role even)
(role odd)
(init fresh)
(side heads)
(side tails)
(<= (legal ?r (show ?s)) (role ?r) (side ?s) (true fresh))
(<= (next (shown ?r ?s)) (does ?r (show ?s)))
(<= terminal (true (shown even ?s)))
(<= same (true (shown even ?s)) (true (shown odd ?s)))
(<= (goal even 100) same)
(<= (goal odd 0) same)
(<= (goal even 0) (not same))
(<= (goal odd 100) (not same))
"""
"""Two roles that move at once."""

COUNT = """\
(role robot)
(init (count 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal robot 1) (true (count ?n)))
(<= (legal robot undo) (true (count ?n)))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m) (does robot 1))
(<= (next (count 0)) (does robot undo))
(<= terminal (true (count 3)))
(<= (goal robot 100) (true (count 3)))
(<= (goal robot 0) (not terminal))
"""
"""One role, whose moves are called ``1`` and ``undo``."""

UNSAFE = COUNT.replace("(legal robot 1) (true", "(legal ?r 1) (true")
"""The same with a head variable that nothing binds, in line 4."""

STUCK = """\
(role left)
(role right)
(init a)
(legal left go)
(<= (legal right go) (true a))
(<= (next b) (does left go))
(<= terminal (true never))
(goal left 0)
(goal right 0)
"""
"""After one move the second role has none, though the game is not over."""

COIN = """\
(role random)
(role guesser)
(init toss)
(side heads) (side tails)
(<= (legal random (toss ?s)) (side ?s) (true toss))
(<= (legal guesser noop) (true toss))
(<= (legal random noop) (true (fell ?s)))
(<= (legal guesser (guess ?s)) (side ?s) (true (fell ?t)))
(<= (sees guesser (glimpse ?s)) (does random (toss ?s)))
(<= (next (fell ?s)) (does random (toss ?s)))
(<= (next (guessed ?s)) (does guesser (guess ?s)))
(<= (next (was ?s)) (true (fell ?s)))
(<= terminal (true (guessed ?s)))
(<= won (true (guessed ?s)) (true (was ?s)))
(<= (goal guesser 100) won)
(<= (goal guesser 0) (not won))
(goal random 0)
"""
"""GDL-II: nature tosses a coin, and the guesser gets a glimpse of it."""

FILES = {
    "pennies.kif": PENNIES,
    "count.kif": COUNT,
    "unsafe.kif": UNSAFE,
    "stuck.kif": STUCK,
    "coin.kif": COIN,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder with some rule files in it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
