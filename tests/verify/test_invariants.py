"""Invariants: play from what refutes a guess spares questions, and never changes the answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gdl.compile.pipeline import build
from gdl.ruleset import find
from gdl.verify.proving import invariants
from gdl.verify.proving.invariants import Clause, Invariants, find_invariants
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.sat import Solver
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system

GAMES = ("tictactoe", "connectfour?columns=4&rows=4", "clobber", "sokoban/yard", "breakthrough")


def proved(game: str, monkeypatch: pytest.MonkeyPatch, *, plies: int) -> tuple[Invariants, int]:
    """Return what is proved of a game from few sampled states, and after how many questions."""
    asked, ask = 0, Solver.solve

    def counted(solver: Solver, assumptions: Sequence[int] = ()) -> bool:
        nonlocal asked
        asked += 1
        return ask(solver, assumptions)

    with monkeypatch.context() as patch:
        patch.setattr(invariants, "PLIES", plies)
        patch.setattr(Solver, "solve", counted)
        system = game_system(build(find(game).description))
        few = sample(system, Budget(60), lanes=4)  # so that many guesses are wrong
        return find_invariants(system, few, Budget(300)), asked


def pairs(found: Invariants) -> set[Clause]:
    """Return the clauses of two facts: larger groups are guessed greedily, by what was sampled."""
    return {clause for clause in found.clauses if len(clause) == 2}


@pytest.mark.slow
def test_play_from_what_refutes_a_guess_spares_questions_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = fewer = 0
    for game in GAMES:
        plain, asked = proved(game, monkeypatch, plies=0)
        more += asked
        played, asked = proved(game, monkeypatch, plies=invariants.PLIES)
        fewer += asked
        assert played.same == plain.same
        assert pairs(played) == pairs(plain)
    assert fewer < more
