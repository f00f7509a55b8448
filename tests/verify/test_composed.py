"""Games of parts that rules are seldom made of: nothing wrong is said, and all is certified."""

from __future__ import annotations

import pytest

from gdl.certify import check_folder, read_index
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.diff import Comparison
from gdl.verify.provenance import Provenance
from gdl.verify.solvers.budget import Budget
from tests.shared import some
from tests.verify.composed import composed
from tests.verify.test_planted import ALONE, SLOWER, compared, is_right, rules


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", some(range(24), 4))
def test_what_is_said_of_composed_games_is_so_and_certified(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every other pair is equal; of some not all states are looked at."""
    pair = composed(seed, differs=seed % 2 == 1)
    games = rules("one", pair.one), rules("other", pair.other)
    comparison = Comparison(games, Budget(30), without=SLOWER if seed % 3 == 0 else ())
    answer = comparison.run()
    assert is_right(answer, pair), answer.headline
    folder = open_folder(tmp_path_factory.mktemp("claims") / "shown")
    claims, beside = comparison.claims(answer), comparison.beside()
    write_certificates(folder, claims, games, Budget(60), beside=beside)
    origin = Provenance(games, read_index(folder))
    assert all(claim.holds is not False for claim in check_folder(folder, origin=origin))


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(100, 130), 3))
def test_no_way_of_proof_is_fooled_by_composed_games(seed: int) -> None:
    pair = composed(seed, differs=seed % 2 == 1)
    for number, way in enumerate(ALONE):
        if number % 7 == seed % 7:
            answer = compared(pair, ALONE[way], seconds=1)
            assert is_right(answer, pair), (pair.kind, way, answer.headline)


@pytest.mark.slow
@pytest.mark.parametrize("differs", [False, True])
def test_games_that_part_behind_twenty_thousand_states(differs: bool) -> None:  # noqa: FBT001  # a parameter
    pair = composed(1, differs=differs, is_large=True)
    for without in ((), SLOWER):
        answer = compared(pair, without, seconds=20)
        assert is_right(answer, pair), answer.headline
