"""What proofs are made of: enough, not more than needed, and what it leaves out may be anything."""

import json
from pathlib import Path

import pytest

from gdl.language.diagnostics import GdlError
from gdl.ruleset import Ruleset, find
from gdl.verify import verify
from gdl.verify.properties.custom import CustomProperty
from gdl.verify.properties.examination import Examination
from gdl.verify.proving.evidence import Induction
from gdl.verify.proving.inductive_check import UnsoundError
from gdl.verify.proving.prove import ALL_STATES
from gdl.verify.proving.validity_core import check_core, find_core
from gdl.verify.questions.changes import Changes, Kind, changed
from gdl.verify.questions.proof_core import proof_core
from gdl.verify.questions.requirements import ruleset_with
from gdl.verify.solvers.budget import Budget
from tests.cli.running import gdl as run

LAMPS = """\
(role a)
(init off)
(<= (legal a press) (true off))
(<= (legal a wait) idle)
(<= (legal a wait) (true on))
(<= idle (not (true busy)))
(<= (next on) (does a press))
(<= (next off) (does a wait))
(<= (next busy) idle)
(<= (next red) (true busy) (true on))
(<= terminal (true red))
(<= (goal a 100) (true red))
"""
"""A lamp that is never on and off at once; whether it is busy, or red, has no part in that."""
BOTH = CustomProperty("never both", "(and (true on) (true off))")


def lamps(tmp_path: Path, text: str = LAMPS) -> Ruleset:
    path = tmp_path / "lamps.kif"
    path.write_text(text, encoding="utf-8")
    return find(str(path))


COUNTED = """\
(role a)
(init (n 0))
(init open)
(legal a go)
(<= (next (n 1)) (true (n 0)))
(<= (next (n 0)) (true (n 1)))
(<= (next open) (true open))
(<= (next shut) (true (n 1)))
(<= (goal a 100) (true (n 0)))
"""
"""Exactly one number holds, and the door stays open: the compiler sees that."""


@pytest.mark.parametrize(
    ("formula", "definition"),
    [("(and (true (n 0)) (true (n 1)))", "(n ...)"), ("(not (true open))", "(open ...)")],
)
def test_what_the_compiler_sees_rests_on_rules_too(
    formula: str, definition: str, tmp_path: Path
) -> None:
    """Else the rules that see to it would not be needed, whatever their conditions are."""
    probe = CustomProperty("never", formula)
    found = proof_core(lamps(tmp_path, COUNTED), "never", probes=[probe])
    assert found.definitions == (f"what {definition} is next",)
    assert any(rule.endswith("(next shut)") for rule in found.not_needed)


def test_what_the_first_state_and_the_roles_rest_on_is_needed(tmp_path: Path) -> None:
    """Without a fresh bulb the lamp would be on and off at first."""
    text = LAMPS.replace("(role a)", "(<= (role a) seated) (<= seated (chair 1)) (chair 1)")
    text += "(<= (init on) (not fresh)) (<= fresh (bulb 1)) (bulb 1)\n(<= loose (chair 1))\n"
    found = proof_core(lamps(tmp_path, text), "never both", probes=[BOTH])
    assert found.core is not None
    heads = [rule.rpartition(": ")[2] for rule in found.not_needed]
    assert "loose" in heads
    assert not {"fresh", "seated"} & set(heads)


def test_a_core_is_what_a_proof_needs(tmp_path: Path) -> None:
    found = proof_core(lamps(tmp_path), "never both", probes=[BOTH])
    assert found.core is not None
    assert found.core.is_minimal
    assert found.definitions == ("what (off ...) is next", "what (on ...) is next")
    assert [rule.partition("lamps.kif:")[2] for rule in found.not_needed] == [
        "3: (legal a press)",
        "4: (legal a wait)",
        "5: (legal a wait)",
        "6: idle",
        "9: (next busy)",
        "10: (next red)",
        "11: terminal",
        "12: (goal a 100)",
    ]
    assert found.vacuous == ()


@pytest.mark.slow
def test_changing_what_is_not_needed_leaves_it_proved(tmp_path: Path) -> None:
    """A law of cores: any other body of such a rule, proved by what knows nothing of cores."""
    ruleset = lamps(tmp_path)
    found = proof_core(ruleset, "never both", probes=[BOTH])
    lines = {int(rule.rpartition("lamps.kif:")[2].partition(":")[0]) for rule in found.not_needed}
    description, every = ruleset.description, Changes(ruleset.description)
    tried = 0
    for at, rule in enumerate(description.rules):
        assert rule.place is not None
        line = rule.place.span.source.position(rule.place.span.start)[0]
        if line not in lines:
            continue
        for change in [each for each in every.of(at) if each.kind != Kind.RELATION][:6]:
            rules = changed(description, [change])
            assert rules is not None
            if change.kind != Kind.REMOVED and rules.rules[at].head != rule.head:
                continue  # it would say something of what is needed
            try:
                verdict = verify(ruleset_with(ruleset, rules), probes=[BOTH])["never both"]
            except GdlError:
                continue  # these rules are no game
            tried += 1
            assert verdict.status == "proved", change.words
    assert tried > 15


@pytest.mark.later
@pytest.mark.parametrize(
    ("name", "wanted"), [("tictactoe", "one cell a place"), ("connectfour", "playable")]
)
def test_nothing_of_a_core_can_be_left_out(name: str, wanted: str) -> None:
    """Its check refuses every smaller one."""
    examined = Examination(
        find(name), (), Budget(60), without={ALL_STATES}, wanted=wanted.__eq__
    ).run()
    proof = examined[wanted].evidence
    assert isinstance(proof, Induction)
    moves = [choice.split()[1] for choice in proof.system.choices]  # of a role all moves
    core = find_core(proof, moves, Budget(60))
    assert core.is_minimal
    check_core(proof.system, core.invariants, moves, core.parts, Budget(60))
    definitions = {part for part in core.parts if part[0] != "invariant"}
    assert definitions
    for part in definitions:
        with pytest.raises(UnsoundError):
            check_core(proof.system, core.invariants, moves, core.parts - {part}, Budget(60))


def test_a_formula_of_which_a_part_never_holds_is_vacuous(tmp_path: Path) -> None:
    asked = CustomProperty("idle", "(and (true on) (true off) (true busy))")
    found = proof_core(lamps(tmp_path), "idle", probes=[asked])
    assert found.vacuous == ("(and (true on) (true off)) never holds either",)


def test_goals_of_ends_that_never_come_are_vacuous(tmp_path: Path) -> None:
    text = LAMPS.replace("(<= terminal (true red))", "(<= terminal (true on) (true off))")
    found = proof_core(lamps(tmp_path, text), "goals unique")
    assert found.verdict.status == "proved"
    assert found.vacuous == ("no play ends",)


def test_goals_in_range_say_something_where_no_play_ends_too(tmp_path: Path) -> None:
    """They are asked about in every state: a goal of 200 would be out of range in an open one."""
    text = LAMPS.replace("(true red))", "(true red) (true never))")
    found = proof_core(
        lamps(tmp_path, f"{text}(<= (goal a 200) (true on) (true off))"), "goals in range"
    )
    assert found.verdict.status == "proved"
    assert found.vacuous == ()
    assert found.definitions == ("what (off ...) is next", "what (on ...) is next")


def test_what_is_refuted_has_no_core(tmp_path: Path) -> None:
    asked = CustomProperty("on", "(true on)")
    found = proof_core(lamps(tmp_path), "on", probes=[asked])
    assert (found.core, found.why) == (None, "nothing is proved of all plays")


def test_a_property_that_is_not_there_is_an_error() -> None:
    with pytest.raises(GdlError, match="tictactoe has no property 'goal unique'"):
        proof_core("tictactoe", "goal unique")


@pytest.mark.slow
def test_the_command_says_what_a_proof_needs(tmp_path: Path) -> None:
    path = tmp_path / "lamps.kif"
    path.write_text(LAMPS, encoding="utf-8")
    asked = "(and (true on) (true off))"
    ran = run("verify", str(path), "--never", asked, "--core", f"never {asked}")
    assert ran.code == 0
    assert "needs: what (on ...) is next\n" in ran.out
    assert f"not needed: {path}:11: terminal\n" in ran.out
    ran = run("verify", str(path), "--never", asked, "--core", f"never {asked}", "--json")
    assert json.loads(ran.out)["minimal"] is True
    ran = run("verify", "tictactoe", "--core", "playable", "--why", "playable")
    assert ran.code == 2
    assert ran.err == (
        "error: --core writes no proofs, and asks nothing else\n"
        "  help: gdl verify GAME --core PROPERTY, alone\n"
    )
