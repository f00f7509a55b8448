"""Repairs of small games in odd rules, held to a search of all states that knows no circuit."""

from __future__ import annotations

import pytest

from gdl.language.render import render
from gdl.ruleset import Ruleset
from gdl.verify.questions.repair import Repairs, repair
from gdl.verify.verification import verify
from tests.verify.brute import Seen, look_at_all
from tests.verify.odd import compared, odd

SECONDS = 60
FAULTS = ("playable", "terminating", "goals unique", "goals in range")


def has(seen: Seen, name: str) -> bool:
    """Return whether a game of which all was seen has a property."""
    return not seen.loops if name == "terminating" else name not in seen.first


def assert_mended(found: Repairs, before: Seen, ruleset: Ruleset) -> None:
    name = found.claim.partition(":")[0]
    assert found.is_open or found.is_needed != has(before, name)
    kept = [v.name for v in verify(ruleset, seconds=SECONDS).verdicts if v.status == "proved"]
    for each in found.repairs:
        after = look_at_all(each.description)
        assert after.is_all
        assert has(after, name), each.patch
        lost = [fault for fault in FAULTS if fault in kept and not has(after, fault)]
        assert not lost, (lost, each.patch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_fault_of_odd_rules_is_mended_for_all_states(seed: int) -> None:
    ruleset = Ruleset("odd", (), text=odd(seed, differs=True).other)
    before = look_at_all(ruleset.description)
    assert before.is_all
    for name in FAULTS:
        if not has(before, name):
            found = repair(ruleset, wanted=name, seconds=SECONDS, edits=1, keep=0)
            assert_mended(found, before, ruleset)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rules_that_were_changed_become_the_game_of_the_reference(seed: int) -> None:
    pair = odd(seed, differs=True)
    one, other = Ruleset("one", (), text=pair.one), Ruleset("other", (), text=pair.other)
    found = repair(other, reference=one, seconds=SECONDS, edits=1, keep=0)
    assert found.is_needed or found.is_open
    for each in found.repairs:
        text = render(each.description, syntax="kif")
        assert compared(pair.one, text)[0] is None, each.patch
