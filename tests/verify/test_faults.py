"""Games with a planted fault: `verify` finds each, after as few moves as there are to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.certify import check_folder, read_index
from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse
from gdl.ruleset import find
from gdl.verify.properties import examination
from gdl.verify.properties.verdict import Verdict, Verification
from gdl.verify.provenance import Provenance
from gdl.verify.verification import verify
from tests.verify.brute import contradictions, look_at_all

RACE = """
(role left) (role right)
(init (at left 0)) (init (at right 0)) (init (control left))
(next-of 0 1) (next-of 1 2) (next-of 2 3) (next-of 3 4)
(<= (legal ?r (go 1)) (true (control ?r)))
(<= (legal ?r (go 2)) (true (control ?r)) (true (at ?r ?n)) (next-of ?n ?m) (next-of ?m ?k))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (at ?r ?m)) (does ?r (go 1)) (true (at ?r ?n)) (next-of ?n ?m))
(<= (next (at ?r ?k)) (does ?r (go 2)) (true (at ?r ?n)) (next-of ?n ?m) (next-of ?m ?k))
(<= (next (at ?r ?n)) (does ?r noop) (true (at ?r ?n)))
(<= (next (control left)) (true (control right)))
(<= (next (control right)) (true (control left)))
(<= (arrived ?r) (true (at ?r 4)))
(<= terminal (arrived ?r))
(<= (goal ?r 100) (arrived ?r))
(<= (goal ?r 0) (role ?r) (not (arrived ?r)))
"""
"""Two runners on a track of four steps, each moved by one or two; who arrives first wins."""

BOARD = """
(role painter)
(init (step 1)) (cell-of a) (cell-of b) (cell-of c)
(init (cell 1 a white)) (init (cell 1 b white)) (init (cell 1 c white))
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal painter (paint ?c)) (true (cell 1 ?c white)))
(<= (next (cell 1 ?c red)) (does painter (paint ?c)))
(<= (next (cell 1 ?c ?m)) (true (cell 1 ?c ?m)) (not (painted ?c)))
(<= (painted ?c) (does painter (paint ?c)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal painter 100) (true (cell 1 a red)))
(<= (goal painter 0) (not (true (cell 1 a red))))
"""
"""One painter paints three cells, one a move."""

OLD_PAINT = "(<= (next (cell 1 ?c ?m)) (true (cell 1 ?c ?m)) (not (painted ?c)))"
FAULTS = {
    "a role without a move in a deep state": (
        RACE.replace(
            "(<= (legal ?r (go 1)) (true (control ?r)))",
            "(<= (legal ?r (go 1)) (true (control ?r)) (not (true (at ?r 3))))",
        ),
        "playable",
        "refuted",
        4,  # one by two, two by one, then left stands at 3 and must move
    ),
    "a goal is missing in one end": (
        RACE.replace(
            "(<= (goal ?r 0) (role ?r) (not (arrived ?r)))",
            "(<= (goal ?r 0) (role ?r) (not (arrived ?r)) (not (true (at ?r 3))))",
        ),
        "goals unique",
        "refuted",
        4,
    ),
    "two goals in one end": (
        RACE + "(<= (goal right 50) (true (at right 4)) (true (at left 3)))",
        "goals unique",
        "refuted",
        4,
    ),
    "a goal that is none": (
        RACE + "(<= (goal right 101) (true (at right 4)) (true (at left 3)))",
        "goals in range",
        "refuted",
        4,
    ),
    "a sum that is not that of the others": (
        RACE.replace(
            "(<= (goal ?r 0) (role ?r) (not (arrived ?r)))",
            "(<= (goal ?r 0) (role ?r) (not (arrived ?r)) (not (true (at ?r 3))))"
            "(<= (goal ?r 10) (role ?r) (true (at ?r 3)))",
        ),
        "constant sum",
        "refuted",
        None,
    ),
    "both may choose": (
        RACE + "(<= (legal right wait) (true (at right 3)) (true (control left)))",
        "turn-taking",
        "refuted",
        4,
    ),
    "an endless game": (
        RACE + "(<= (legal ?r stay) (true (control ?r)))"
        "(<= (next (at ?r ?n)) (does ?r stay) (true (at ?r ?n)))",
        "terminating",
        "refuted",
        2,
    ),
    "nobody can win": (
        RACE.replace("(<= (goal ?r 100) (arrived ?r))", "(<= (goal left 100) (arrived left))"),
        "winnable by right",
        "refuted",
        None,
    ),
    "a cell with two marks": (
        BOARD.replace(
            OLD_PAINT,
            "(<= (next (cell 1 ?c ?m)) (true (cell 1 ?c ?m)) (not (painted ?c)))"
            "(<= (next (cell 1 c white)) (does painter (paint c)) (true (cell 1 b red)))",
        ),
        "one cell a place",
        "refuted",
        2,
    ),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "game.kif"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.sample(3)
@pytest.mark.parametrize("how", ["all states", "search"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(
    fault: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "search":
        monkeypatch.setattr(examination, "MAX_STATES", 1)
    text, name, status, depth = FAULTS[fault]
    found = verify(written(tmp_path, text), seconds=60)
    assert found[name].status == status
    if depth is not None:
        assert (found[name].depth, found[name].is_shortest) == (depth, True)
    seen = look_at_all(parse(text, syntax="kif"))
    assert seen.is_all
    assert [c for c in contradictions(found, seen) if how == "all states" or "open" not in c] == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", ["all states", "search"])
@pytest.mark.parametrize("text", [RACE, BOARD], ids=["race", "board"])
def test_a_game_without_fault_is_proved(
    text: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "search":
        monkeypatch.setattr(examination, "MAX_STATES", 1)
    found = verify(written(tmp_path, text), seconds=60)
    assert {verdict.status for verdict in found.verdicts} == {"proved"}, found
    assert contradictions(found, look_at_all(parse(text, syntax="kif"))) == []


DEAD = """
(<= (next (at ?r 0)) (does ?r (go 1)) (true (at left 4)) (true (at right 4)))
(<= lost (true (at ?r 4)) (true (at ?r 3)))
(<= (base (at ?r ?n)) (role ?r) (next-of ?n ?m))
(base (at left 9)) (input left jump)
"""


def culprits(found: Verification, name: str) -> list[str]:
    verdict: Verdict = found[name]
    assert verdict.status == "refuted"
    return [each.partition(": ")[2] if name == "rules fire" else each for each in verdict.culprits]


def test_what_can_never_be_is_named(tmp_path: Path) -> None:
    found = verify(written(tmp_path, RACE + DEAD))
    assert culprits(found, "rules fire") == [
        "(<= (next (at ?r 0)) (does ?r (go 1)) (true (at left 4)) ...",
        "(<= lost (true (at ?r 4)) (true (at ?r 3)))",
    ]
    assert culprits(found, "facts change") == ["(at left 9) never holds"]
    assert culprits(found, "moves reachable") == ["left: jump"]


GHOST = """
(role r) (succ 0 1) (succ 1 2)
(init (step 0)) (init (at 1 1))
(legal r a) (legal r b)
(<= (legal r c) (true ghost))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (at ?x ?y)) (does r (jump ?x ?y)))
(<= (next (at ?y ?x)) (does r (jump ?y ?x)) (true (at ?x ?x)))
(<= terminal (true (step 2))) (goal r 50) (<= (goal r 100) (true (won ?who ?who)))
"""
"""What rules name and grounding leaves nothing of: a move, a fact, some of either."""


@pytest.mark.parametrize("most", [100_000, 1])
def test_what_rules_name_in_vain_is_no_less_never(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it is called, and where it is named first; under other variables it is the same."""
    monkeypatch.setattr(examination, "MAX_STATES", most)
    game = written(tmp_path, GHOST)
    found = verify(game, certificates=tmp_path / "shown")
    assert found["moves reachable"].claim == "each of 4 moves can become legal"
    assert culprits(found, "moves reachable") == ["r: c", "r: (jump ?x ?y)"]
    assert culprits(found, "facts change") == ["ghost never holds", "(won ?who ?who) never holds"]
    said = [said for name in ("moves reachable", "facts change") for said in found[name].said]
    assert [(each.line, each.column) for each in said] == [(5, 14), (7, 31), (5, 23), (9, 66)]
    assert contradictions(found, look_at_all(find(game).description)) == []
    origin = Provenance([find(game)], read_index(tmp_path / "shown"))
    assert all(claim.holds for claim in check_folder(tmp_path / "shown", origin=origin))


COINS = """
(role random) (role guesser) (init start) (coin heads) (coin tails)
(<= (legal random ?side) (coin ?side)) (<= (legal guesser (say ?side)) (coin ?side))
(<= (sees guesser ?side) (does random ?side))
(<= (next over) (does guesser (say ?side)))
(<= (next right) (does guesser (say ?side)) (does random ?side))
(<= terminal (true over))
(<= (goal guesser 100) (true right)) (<= (goal guesser 0) (true over) (not (true right)))
"""


def test_nobody_plays_chance(tmp_path: Path) -> None:
    found = verify(written(tmp_path, COINS))
    assert "winnable by random" not in {verdict.name for verdict in found.verdicts}
    for name in ("goals unique", "turn-taking", "winnable by guesser", "rules fire"):
        assert found[name].status == "proved", name
    assert contradictions(found, look_at_all(parse(COINS, syntax="kif"))) == []


def test_rules_without_a_role_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GdlError) as caught:
        verify(written(tmp_path, "(init a) (<= terminal (true a))"))
    assert str(caught.value) == (
        "the rules name no role\n"
        "  expected: a fact (role NAME) for each player\n"
        "  help: gdl check says what else a game needs"
    )
