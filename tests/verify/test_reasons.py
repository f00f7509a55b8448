"""What a proof is made of: what would break it is refuted, and what it does not need is proved."""

import pytest

from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from gdl.verify import verify
from gdl.verify.properties.custom import CustomProperty
from gdl.verify.questions.changes import Changes, changed
from gdl.verify.questions.patch import places
from gdl.verify.questions.reasons import reasons
from tests.cli.running import gdl as run


@pytest.mark.slow
def test_a_change_that_breaks_a_proof_is_shown_by_a_play() -> None:
    known = reasons("tictactoe", "goals unique", most=2)
    assert known.verdict.status == "proved"
    assert len(known.breaks) == 2
    description = find("tictactoe").description
    every = Changes(description)
    by_place = {
        places(description, [change])[0]: change
        for at in range(len(description.rules))
        if description.rules[at].head.sentence.name == "goal"
        for change in every.of(at)
    }
    for each in known.breaks:
        rules = changed(description, [by_place[each.change]])
        assert rules is not None
        machine = Reasoner(rules)
        state = machine.initial()
        for joint in each.play:
            state = machine.successor(state, joint)
        assert machine.is_terminal(state)
        assert any(len(machine.goals(state, role)) != 1 for role in machine.roles)


@pytest.mark.slow
def test_what_a_formula_does_not_need_is_proved_without_it() -> None:
    probe = CustomProperty("both", "(and (line x) (line o) open)")
    known = reasons("tictactoe", "both", probes=[probe], most=1, seconds=60)
    assert known.weaker == ("(and (line x) (line o))",)
    shorter = CustomProperty("shorter", known.weaker[0])
    assert verify("tictactoe", probes=[shorter])["shorter"].status == "proved"


def test_only_rules_whose_variables_are_bound_come_of_a_change() -> None:
    rules = parse("(role a) (p 1) (<= (goal ?r 100) (role ?r) (p ?x)) (<= terminal (not (p 2)))")
    said = [change.words for change in Changes(rules).of(2)]
    assert "without (p ?x)" in said
    assert "without (role ?r)" not in said


@pytest.mark.later
def test_what_is_refuted_has_no_proof() -> None:
    probe = CustomProperty("line", "(line x)")
    known = reasons("tictactoe", "line", probes=[probe])
    assert (known.verdict.status, known.breaks, known.weaker) == ("refuted", (), ())


@pytest.mark.later
def test_a_property_that_is_not_there_is_an_error() -> None:
    with pytest.raises(GdlError) as caught:
        reasons("tictactoe", "playabel", seconds=30)
    assert str(caught.value).startswith("tictactoe has no property 'playabel'\n  expected: ")
    assert str(caught.value).endswith("\n  help: did you mean 'playable'?")


@pytest.mark.later
def test_the_command_says_what_refutes_it() -> None:
    ran = run("verify", "tictactoe", "--why", "goals unique")
    assert ran.code == 0
    assert "refuted after " in ran.out
    ran = run("verify", "tictactoe", "--why", "playable", "--certificates", "shown")
    assert ran.code == 2
    assert ran.err == (
        "error: --why writes no proofs\n"
        "  help: gdl verify GAME --proofs FOLDER, or --certificates FOLDER\n"
    )
