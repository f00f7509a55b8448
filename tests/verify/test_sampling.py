"""Random plays of a system, many at once."""

import pytest

from gdl.compile import build
from gdl.language.parse import parse
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system

PLIES = 40
MINEFIELD = f"""
(role walker) (init (at 0))
{" ".join(f"(succ {n} {n + 1})" for n in range(PLIES))}
(base (at 0)) (base hurt) (<= (base (at ?m)) (succ ?n ?m))
(input walker left) (input walker right)
(<= (legal walker left) (true (at ?n)))
(<= (legal walker right) (true (at ?n)))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= (next hurt) (does walker left))
(<= terminal (true hurt))
(<= terminal (true (at {PLIES})))
(<= (goal walker 100) (not (true hurt)))
(<= (goal walker 0) (true hurt))
"""


@pytest.mark.parametrize("lingers", [False, True])
def test_plays_that_linger_come_to_the_end_of_a_minefield(lingers: bool) -> None:  # noqa: FBT001
    """Each move ends the play by even chance: of 2^40 plays one goes on to the end."""
    system = game_system(build(parse(MINEFIELD, syntax="kif")))
    sampled = sample(system, Budget(20), lanes=64, lingers=lingers)
    assert (len(sampled.stopped) > PLIES) == lingers
