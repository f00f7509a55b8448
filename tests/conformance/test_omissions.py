"""Every rule, and every condition of a rule, matters: leave any one out and the play is another.

Where this does not hold, the part is redundant, and `REDUNDANT` says why.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest

import gdl
from engine import GAMES
from gdl.conform import Lockstep
from gdl.language.checks.check import check
from gdl.language.diagnostics import Severity
from gdl.language.syntax import Description
from gdl.ruleset import Ruleset
from tests.conformance.attack import attack
from tests.conformance.games import load
from tests.shared import some

REDUNDANT: Final = {
    # The mover has a line and waits: whether the other one has a line as well does not matter.
    ("pentago/strict", "(wins ?player), rule 2, condition 3"),
    # Gomoku never gives both players a line.
    ("gomoku/freestyle", "(wins ?player), rule 1, condition 3"),
}


def omissions(description: Description) -> Iterator[tuple[str, Description]]:
    """Yield the description without one rule, or without one condition, and what is left out."""
    rules = description.rules
    heads: Counter[str] = Counter()
    for place, rule in enumerate(rules):
        head = str(rule.head.sentence)
        heads[head] += 1
        name = f"{head}, rule {heads[head]}"
        before, after = rules[:place], rules[place + 1 :]
        yield name, Description((*before, *after))
        for number in range(len(rule.body)):
            body = (*rule.body[:number], *rule.body[number + 1 :])
            changed = dataclasses.replace(rule, body=body)
            yield f"{name}, condition {number + 1}", Description((*before, changed, *after))


def is_valid(description: Description) -> bool:
    return not any(each.severity is Severity.ERROR for each in check(description))


def with_rules(ruleset: Ruleset, description: Description) -> Ruleset:
    changed = dataclasses.replace(ruleset, id=f"{ruleset.id} with less")
    changed._read.append(description)  # as if its files had said so
    return changed


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ruleset", GAMES)
def test_nothing_can_be_left_out(ruleset: str) -> None:
    shipped = load(ruleset).ruleset
    survivors = set()
    caught = 0
    valid = [each for each in omissions(shipped.description) if is_valid(each[1])]
    redundant = {each for each in REDUNDANT if each[0] == ruleset}
    asked = some([each for each in valid if (ruleset, each[0]) not in redundant], 15)
    for name, description in [*asked, *(each for each in valid if (ruleset, each[0]) in redundant)]:
        lockstep = Lockstep(
            gdl.load(with_rules(shipped, description), backend="reason"), GAMES[ruleset]
        )
        found = [report.difference for _, report in attack(lockstep, ruleset)]
        if found[-1] is None:
            survivors.add((ruleset, name))
        else:
            caught += 1
    assert survivors == redundant
    assert len(valid) > 50
    assert caught == len(asked)
