"""Certificates ply by ply: what is proved of counts and clauses is true of every state of a ply."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.certify import CertificateError, check_folder
from gdl.certify.aiger_file import AigerFile
from gdl.certify.formulas import Formula
from gdl.certify.plies import Gain, Plies, exactly, literals_of, ply_questions, read_plies, written
from gdl.verify.certificates import UncertifiedError, open_folder, write_certificates
from gdl.verify.proving.evidence import Claim, Lengths, Shown, claims_of
from gdl.verify.proving.prove import Prover
from gdl.verify.solvers.budget import Budget
from tests.certify.forged import claims_of as claims_in
from tests.certify.test_certificates import bad_within, is_denied, reached, read, systems
from tests.shared import examples
from tests.verify.planted import planted
from tests.verify.test_planted import ALONE, side_by_side


def after_a_step(model: AigerFile, states: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Return the states that any inputs lead to, where that was a play."""
    return {
        after
        for latches, inputs in product(states, product((0, 1), repeat=model.inputs))
        for values in [model.evaluate(inputs, latches, 1)]
        for after in [tuple(read(values, edge) for edge in model.nexts)]
        if after[2]
    }


@st.composite
def said_of(draw: st.DrawFn, model: AigerFile) -> Plies:
    """Return what is said of plies by somebody who saw some states of each, or guesses."""
    length = draw(st.integers(1, 3))
    groups = st.lists(st.sampled_from([(0,), (1,), (0, 1), (-1,), (2,), (-2, 0)]), max_size=2)
    counts = tuple(map(tuple, draw(st.lists(groups, max_size=2))))
    seen = [{model.resets}]
    for _ in range(length):
        after = sorted(after_a_step(model, seen[-1])) or [(0, 0, 1)]
        seen.append({draw(st.sampled_from(after)), draw(st.sampled_from(after))})
    true = [
        set.intersection(*(set(literals_of(enumerate(map(bool, s)))) for s in states))
        for states in seen
    ]
    values = [
        [sum(any(n in true[ply] for n in group) for group in each) for each in counts]
        for ply in range(length + 1)
    ]
    gains, steps = [], []
    for ply in range(length):
        where = tuple(n for n in sorted(true[ply]) if draw(st.booleans()))
        for count in range(len(counts)):
            added = values[ply + 1][count] - values[ply][count]
            gains.append(Gain(count, where, draw(st.sampled_from([added, added, added, 0, 1]))))
        clauses = [(n,) for n in sorted(true[ply + 1])]
        clauses += draw(st.lists(st.sampled_from([(0, 1), (-1, -2), (0,), ()]), max_size=1))
        numbers = tuple(range(len(gains) - len(counts), len(gains)))
        steps.append((numbers, tuple(clauses)))
    return Plies(counts, tuple(gains), tuple(steps), draw(st.booleans()))


@pytest.mark.slow
@settings(max_examples=examples(1000))
@given(st.data(), systems(), st.lists(st.integers(0, 7), min_size=2, max_size=2))
def test_what_is_proved_ply_by_ply_is_so(
    data: st.DataObject, model: AigerFile, operands: list[int]
) -> None:
    plies = data.draw(said_of(model))
    shown = data.draw(st.sampled_from([1, 1, 1, 7, 9, 10]))
    invariant = AigerFile(
        3, (), (), (shown,), (), ((operands[0], operands[1]), (8, operands[1] ^ 1)), {}
    )
    assert read_plies(json.dumps(written(plies)), 3) == plies
    try:
        asked = dict(ply_questions(model, invariant, plies))
    except CertificateError:  # a gain asks what is not known of its ply
        return
    if not is_denied(asked):
        return
    length = len(plies.steps)
    assert not bad_within(model, length)
    states = {model.resets}
    for values, (_, clauses) in zip(plies.values(model)[1:], plies.steps, strict=True):
        states = after_a_step(model, states)
        for state in states:
            true = set(literals_of(enumerate(map(bool, state))))
            assert all(not true.isdisjoint(clause) for clause in clauses)
            counted = [sum(not true.isdisjoint(g) for g in each) for each in plies.counts]
            assert tuple(counted) == values
    if plies.is_end:
        assert not after_a_step(model, states)
        assert not reached(model)[1]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("{", "this says nothing of plies: "),
        ("[]", "this says nothing of plies: "),
        ('{"counts": [], "gains": [], "steps": []}', "this says nothing of plies: 'end'"),
        (
            '{"counts": [[[1.0]]], "gains": [], "steps": [], "end": true}',
            "this says nothing of plies: a whole number was expected",
        ),
        (
            '{"counts": 3, "gains": [], "steps": [], "end": true}',
            "this says nothing of plies: a list was expected",
        ),
        (
            '{"counts": [[[3]]], "gains": [], "steps": [], "end": true}',
            "a latch that is spoken of is none",
        ),
        (
            '{"counts": [], "gains": [], "steps": [], "end": 1}',
            "this says nothing of plies: true or false was expected",
        ),
        (
            '{"counts": [], "gains": [], "steps": [{"gains": [0], "then": []}], "end": true}',
            "a gain that is spoken of is none",
        ),
        (
            '{"counts":[], "gains":[{"count":1, "where":[], "added":0}], "steps":[], "end":false}',
            "a gain is one of no count",
        ),
    ],
)
def test_what_says_nothing_of_plies_is_refused(said: str, text: str) -> None:
    with pytest.raises(CertificateError) as caught:
        read_plies(said, 3)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("literals", range(7))
def test_a_number_of_literals_is_just_that_number(literals: int) -> None:
    for value in range(-1, literals + 2):
        formula = Formula()
        given_ = formula.fresh(literals)
        exactly(formula, given_, value)
        for row in product((1, -1), repeat=literals):
            fixed = [(each * sign,) for each, sign in zip(given_, row, strict=True)]
            is_denied_ = is_denied({"": Formula([*formula.clauses, *fixed], formula.variables)})
            assert is_denied_ != (row.count(1) == value)


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [3, 5])
def test_a_length_that_rests_on_counts_is_certified(seed: int, tmp_path: Path) -> None:
    """Tokens that keep their number, and cells that two colours fill; then with a count changed."""
    system = side_by_side(planted, seed, 6)
    found = Prover(system, Budget(60), without=ALONE["one move, with counts"]).run()
    assert found.play is not None
    assert found.proved
    folder = open_folder(tmp_path / "certificates")
    shown = Shown(system, found.play, found.proved, found.by_ply)
    write_certificates(folder, list(claims_of("differ", shown)), (), Budget(60))
    assert [claim["kind"] for claim in claims_in(folder)] == ["play", "plies"]
    assert [claim.holds for claim in check_folder(folder)] == [True, True]
    said = json.loads((folder / "01" / "plies.json").read_text(encoding="ascii"))
    assert said["counts"]
    # One ply more is not so, and what is known of plies is no reason to say it: there is a play.
    longer = Claim("longer", Lengths(system, len(found.play), found.by_ply))
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        write_certificates(open_folder(tmp_path / "false"), [longer], (), Budget(60))
