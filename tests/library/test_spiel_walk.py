"""The walk beside open_spiel finds what is wrong: faults put into Kuhn poker on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import ROOT, missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from tests.library.spiel_twins import centred
from tests.library.spiel_walk import Twin, Walk

KUHN = (ROOT / "rulesets" / "kuhnpoker" / "kuhnpoker.kif").read_text(encoding="utf-8")
CARDS = ("jack", "queen", "king")


def action(_theirs: object, role: str, move: str) -> int:
    if role == "random":
        return CARDS.index(move.rstrip(")").split()[-1])
    return ("pass", "bet").index(move)


def walk(rules: str, folder: Path) -> None:
    path = folder / "kuhn.kif"
    path.write_text(rules, encoding="utf-8")
    seats = ("first", "second")
    Walk(Twin(str(path), "kuhn_poker", seats, action, centred(25), secrets=True)).every_play(9)


def test_rules_without_a_fault_pass(tmp_path: Path) -> None:
    walk(KUHN, tmp_path)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (
            "(<= (sees ?player (dealt ?card))\n    (does random (deal ?player ?card)))",
            "",
            "open_spiel tells apart",
        ),
        (
            "(sees ?player (dealt ?card))\n    (does random (deal ?player ?card))",
            (
                "(sees ?player (dealt ?card))\n    (player ?player)"
                "\n    (does random (deal ?any ?card))"
            ),
            "we tell apart",
        ),
        ("(goal ?player 75)", "(goal ?player 80)", "kuhn.kif after"),
        ("    (card ?card)\n    (not (taken ?card)))", "    (card ?card))", "kuhn.kif after"),
        (
            "(<= (legal ?player pass)\n    (true (control ?player)))",
            (
                "(<= (legal ?player pass)\n    (true (control ?player))"
                "\n    (not (true (did first bet))))"
            ),
            "second in ",
        ),
    ],
    ids=["own-card-unseen", "cards-seen-by-all", "goal", "chance", "missing-move"],
)
def test_a_fault_is_found(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    assert right in KUHN
    with pytest.raises(AssertionError) as caught:
        walk(KUHN.replace(right, wrong), tmp_path)
    assert said in str(caught.value)
