"""What is computed of a description is computed once, and says what play rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.backend import Wanted
from gdl.language import checked as module
from gdl.language.checked import CheckedDescription, checked
from gdl.language.clauses import Clause, clauses
from gdl.language.dependencies import UnstratifiedError
from gdl.language.diagnostics import InvalidDescriptionError
from gdl.language.parse import parse
from gdl.language.syntax import Description
from gdl.ruleset import find


def rules(text: str) -> CheckedDescription:
    return CheckedDescription(parse(text, syntax="kif"))


def test_a_checked_description_is_taken_as_it_is() -> None:
    one = rules("(role r)")
    assert checked(one) is one
    assert checked(one.description) is not one


def test_roles_are_those_that_are_named_outright() -> None:
    assert [str(role) for role in rules("(role b) (role a) (role b)").roles] == ["b", "a"]
    assert rules("(role b) (<= (role ?x) (player ?x))").roles == ()


def test_rules_for_true_and_does_are_not_evaluated() -> None:
    odd = rules("(role r) (<= (true a) (not (true a))) (does r m) p")
    assert [str(clause.head) for clause in odd.played] == ["(role r)", "p"]


def test_hints_without_meaning_are_left_out_unless_they_are_asked_for() -> None:
    hint = "(role r) (base a) (<= (input r b) (not (input r b)))"
    assert [str(clause.head) for clause in rules(hint).played] == ["(role r)", "(base a)"]
    assert len(rules("(role r) (base a)").played) == 2
    with pytest.raises(UnstratifiedError, match="input depends on its own negation"):
        _ = rules(f"{hint} (<= (legal r ?m) (input r ?m))").layers


def test_what_serves_hints_alone_is_left_out_with_them() -> None:
    odd = rules("(role r) (<= (base a) odd) (<= odd (not odd)) (input r b)")
    assert [str(clause.head) for clause in odd.played] == ["(role r)", "(input r b)"]
    assert {str(relation) for relation in odd.refused} == {"base/1", "odd/0"}
    with pytest.raises(UnstratifiedError, match="odd depends on its own negation"):
        _ = rules("(role r) (<= (base a) odd) (<= odd (not odd)) (<= (legal r b) odd)").layers


def test_every_back_end_takes_the_same_clausal_form(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Loading brings rules into clausal form once, and so does comparing them, each game."""
    counted: list[Description] = []

    def counting(description: Description, **options: gdl.Limits) -> tuple[Clause, ...]:
        counted.append(description)
        return clauses(description, **options)

    monkeypatch.setattr(module, "clauses", counting)
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    ruleset = find("tictactoe")
    backends: tuple[Wanted, ...] = ("reason", "native", "meaning")
    for backend in backends:
        gdl.load(ruleset, backend=backend)
    assert len(counted) == 1


def test_a_comparison_brings_each_game_into_clausal_form_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    counted: list[Description] = []

    def counting(description: Description, **options: gdl.Limits) -> tuple[Clause, ...]:
        counted.append(description)
        return clauses(description, **options)

    monkeypatch.setattr(module, "clauses", counting)
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    paths = []
    for name, end in (("one", "(true (n 2))"), ("other", "(or (true (n 2)) (true (n 3)))")):
        path = tmp_path / f"{name}.kif"
        path.write_text(
            "(role r) (init (n 1)) (legal r go) (goal r 100) (s 1 2) (s 2 3)"
            f"(<= (next (n ?y)) (does r go) (true (n ?x)) (s ?x ?y)) (<= terminal {end})"
        )
        paths.append(path)
    assert gdl.diff(*paths).equivalent
    assert len(counted) == 2


def test_a_rule_is_refused_for_the_part_of_a_relation_that_has_no_answer() -> None:
    """Of ``p``, split by its negation, ``(p a)`` can be asked and ``(p b)`` never."""
    split = "(<= (p a) (not (p c))) (<= (p b) (q ?z ?w)) (q ?x ?y)"
    with pytest.raises(InvalidDescriptionError, match=r"nothing gives \?w a value"):
        _ = rules(f"(role r) (s a) (s b) {split} (<= terminal (s ?x) (p ?x))").orders
