"""What ``auto`` begins, and what it says of what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl import backend
from gdl.backend import check_affordable
from gdl.compile import CompileError, build
from gdl.ruleset import find


@pytest.mark.slow
def test_machine_code_that_takes_too_long_is_not_begun() -> None:
    circuit = build(find("tictactoe").description)
    gates = sum(1 for _ in circuit.aig.ands())
    check_affordable(circuit, 1.0)
    with pytest.raises(CompileError) as caught:
        check_affordable(circuit, -0.5)
    assert str(caught.value) == (
        f"machine code of their {gates:,} gates would take about 0 seconds, "
        "and 0 of 10 are left\n"
        "  help: wait for it once with backend='native'; it is kept from then on"
    )


@pytest.mark.parametrize(("part", "is_kept"), [(0.0, True), (100.0, False)])
def test_auto_falls_back_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: float, *, is_kept: bool
) -> None:
    """A refusal is kept, but not when the machine was too busy to tell."""
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    monkeypatch.setattr(backend, "BUSY", part)
    monkeypatch.setattr(backend, "SECONDS_A_GATE", 1.0)
    for _ in range(2):  # the second answer may be the remembered one
        game = gdl.load("tictactoe")
        assert game.backend == "reason"
        assert game.back_end.why.startswith(
            "the rules could not be made into machine code: machine code of their "
        )
        assert "\n" not in game.back_end.why
        assert isinstance(game.back_end.refusal, CompileError)
        assert game.back_end.refusal.help == (
            "wait for it once with backend='native'; it is kept from then on"
        )
        assert len(game.initial().legal("x" if "x" in game.roles else game.roles[0])) > 0
        assert any(tmp_path.rglob("*.refusal")) is is_kept
    assert gdl.load("tictactoe", backend="native").backend == "native"


@pytest.mark.parametrize(
    "roles",
    [
        "(<= (role ?x) (player ?x)) (player p2) (player p1) (role p0)",
        "(<= (role (at ?x ?y)) (row ?x) (line ?y)) (row z) (row b) (line y) (line x)",
        "(role x) (<= (role ?y) (role ?x) (after ?x ?y)) (after x c) (after c b) (after x a)",
    ],
)
def test_roles_that_rules_derive_have_one_order_on_every_back_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, roles: str
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "derived.kif"
    path.write_text(
        f"""{roles} (init first) (<= (legal ?r (name ?r)) (role ?r))
        (<= (next (named ?r ?m)) (does ?r ?m)) (<= terminal (not (true first)))
        (<= (goal ?r 50) (role ?r))"""
    )
    written, compiled = gdl.load(path, backend="reason"), gdl.load(path, backend="native")
    assert len(written.roles) > 2
    assert compiled.roles == written.roles
    joint_move = [f"(name {role})" for role in written.roles]
    batch = compiled.batch(1)
    assert [str(moves[0]) for moves in batch.moves] == joint_move
    moves = dict(zip(written.roles, joint_move, strict=True))
    assert compiled.initial().play(moves).facts == written.initial().play(moves).facts


def test_goals_of_any_size_are_the_same_on_every_back_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They break the specification, and the rules can be played all the same."""
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "goals.kif"
    values = ["100000", "-70000", "9" * 18, "9" * 19, "9" * 900, "win"]
    named = " ".join(f"(goal-of m{i} {value})" for i, value in enumerate(values))
    path.write_text(
        f"""(role a) (init first) {named} (<= (legal a ?m) (goal-of ?m ?v))
        (<= (next (made ?m)) (does a ?m)) (<= terminal (not (true first)))
        (<= (goal a ?v) (true (made ?m)) (goal-of ?m ?v))"""
    )
    expected = [(100_000,), (-70_000,), (10**18 - 1,), (), (), ()]
    back_ends: tuple[backend.Wanted, ...] = ("reason", "native")
    for back_end in back_ends:
        game = gdl.load(path, backend=back_end)
        states = [game.initial().play(f"m{i}") for i in range(len(values))]
        assert [game.machine.goals(s.inner, game.machine.roles[0]) for s in states] == expected
    batch = game.batch(len(values))
    batch.step(range(len(values)))
    assert batch.goals[:, 0].tolist() == [one[0] if one else -1 for one in expected]
