"""Certificates: what is proved holds by a checker that knows nothing of us; nothing else does."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.certify import CertificateError, check_folder
from gdl.certify.aiger_file import AigerFile, aiger_bytes, read_aiger
from gdl.certify.check import digest_of
from gdl.certify.closure import (
    MARKED,
    PLAY,
    check_closure,
    closure_questions,
    longest_play,
    marked_question,
    play_latch,
)
from gdl.certify.formulas import Formula, invariant_questions, questions
from gdl.certify.lengths import (
    check_clock,
    check_loop,
    check_play,
    check_plays,
    ends_question,
    lengths_question,
)
from gdl.certify.paths import k_questions
from gdl.certify.ranking import RANKING, falls_at_most, ranking_question, read_weights
from gdl.certify.used_up import read_groups, steps_at_most, used_up_questions
from gdl.circuit.aiger import Model
from gdl.cli.main import main
from gdl.compile.pipeline import build
from gdl.ruleset import Ruleset
from gdl.verify import certificates, verify
from gdl.verify.certificates import UncertifiedError, open_folder, write_certificates
from gdl.verify.correspondence.compared_game import prepare_game
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.diff import Comparison
from gdl.verify.properties import examination
from gdl.verify.properties.custom import CustomProperty
from gdl.verify.properties.examination import Examination
from gdl.verify.proving.evidence import (
    Claim,
    Ends,
    Evidence,
    Induction,
    KInduction,
    Lengths,
    Lowered,
    NoLonger,
)
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.prove import ALL_STATES, Prover
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.proof_log import prove_unsatisfiable
from gdl.verify.systems.product import product as side_by_side
from gdl.verify.systems.system import Bad, game_system
from gdl.verify.systems.transition import Same
from tests.certify.forged import Claims, again, claims_of, copied, first, signed
from tests.shared import examples
from tests.verify.planted import Pair, equal, planted
from tests.verify.test_planted import ALONE
from tests.verify.test_planted import side_by_side as planted_system

# ---------------------------------------------------------------------- small systems


@st.composite
def systems(draw: st.DrawFn) -> AigerFile:
    """Return a system of two inputs and three latches, the last the play latch, or nearly so."""
    one, other = draw(st.tuples(st.integers(6, 9), st.integers(6, 9)))  # what the inputs need
    worst = draw(st.sampled_from([(6, 8), (6, 8), (7, 8), (6, 6)]))
    gates = [(2, 4), (3, 5), (13, 15), (2, one ^ 1), (4, other ^ 1)]  # one input, and allowed
    gates += [(16, 19), (22, 21), (24, 10), worst, (28, 10)]  # the play latch; what is bad
    edits = draw(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0, 1, 6, 8])), max_size=1))
    for gate, edge in edits:
        gates[gate] = (gates[gate][0], edge)
    shown = draw(st.sampled_from([one, one, one, 2, 3, 28]))
    nexts = draw(st.tuples(*[st.sampled_from([2, 4, 2, 4, 3, 6, 8, 9])] * 2))
    resets = draw(st.tuples(st.integers(0, 1), st.integers(0, 1)))
    return AigerFile(
        2, (*nexts, 26), (*resets, 1), (shown, other), (30,), tuple(gates), {"l2": PLAY}
    )


def read(values: list[int], edge: int) -> int:
    return values[edge >> 1] ^ (edge & 1)


def reached(model: AigerFile) -> tuple[set[tuple[int, ...]], bool]:
    """Return all states that any inputs lead to, and whether one of them is bad."""
    found, todo, is_bad = {model.resets}, [model.resets], False
    while todo:
        latches = todo.pop()
        for inputs in product((0, 1), repeat=model.inputs):
            values = model.evaluate(inputs, latches, 1)
            is_bad |= any(read(values, edge) for edge in model.bads)
            after = tuple(read(values, edge) for edge in model.nexts)
            if after not in found:
                found.add(after)
                todo.append(after)
    return found, is_bad


def is_denied(asked: dict[str, Formula]) -> bool:
    return all(
        prove_unsatisfiable(formula.clauses, lambda: None) is not None for formula in asked.values()
    )


@pytest.mark.slow
@settings(max_examples=examples(1000))
@given(systems(), st.sampled_from([[[0, 1]], [[0, 1]], [[0], [1]], [[0, 1], []]]))
def test_states_that_are_closed_hold_nothing_bad(model: AigerFile, groups: list[list[int]]) -> None:
    # Whoever forges lists what play reaches, but for the bad states.
    states, is_bad = reached(model)
    good = [s for s in states if s[2] and not read(model.evaluate((0, 0), s, 1), model.bads[0])]
    listed = {sum(bit << n for n, bit in enumerate(state)) for state in good}
    try:
        check_closure(model, groups, listed)
    except CertificateError:
        return
    if is_denied(closure_questions(model, groups)):
        assert not is_bad


# Two latches that take the inputs, each allowed while the first latch is false; both are bad.
HONEST = [(2, 4), (3, 5), (13, 15), (2, 6), (4, 6), (16, 19), (22, 21), (24, 10), (6, 8), (28, 10)]


@pytest.mark.parametrize(
    ("gate", "forged", "is_bad", "held"),
    [
        (0, (2, 4), False, True),
        (0, (2, 0), True, False),  # two moves at once go on as a play
        (3, (2, 0), False, False),  # as does a move that is not allowed
        (9, (28, 1), True, False),  # what is no play can be bad
        (7, (24, 1), False, False),  # what was no play can be one again
    ],
)
def test_a_play_is_one_allowed_move_of_each_role(
    gate: int, forged: tuple[int, int], *, is_bad: bool, held: bool
) -> None:
    gates = tuple(forged if number == gate else pair for number, pair in enumerate(HONEST))
    model = AigerFile(2, (2, 4, 26), (0, 0, 1), (7, 7), (30,), gates, {"l2": PLAY})
    assert reached(model)[1] == is_bad
    assert check_closure(model, [[0, 1]], {0b100, 0b101, 0b110}) == 4
    assert is_denied(closure_questions(model, [[0, 1]])) == held
    shown = replace(model, outputs=(2, 7))
    with pytest.raises(CertificateError, match=r"^what is bad or allowed depends on the inputs$"):
        check_closure(shown, [[0, 1]], {0b100, 0b101, 0b110})


@settings(max_examples=examples(300))
@given(systems(), st.lists(st.integers(0, 7), min_size=2, max_size=2), st.integers(0, 11))
def test_where_an_invariant_is_proved_nothing_is_bad(
    model: AigerFile, operands: list[int], shown: int
) -> None:
    gates = ((operands[0], operands[1]), (8, operands[1] ^ 1))
    invariant = AigerFile(3, (), (), (shown,), (), gates, {})
    if is_denied(questions(model, invariant)):
        assert not reached(model)[1]


@settings(max_examples=examples(300))
@given(
    systems(),
    st.lists(st.integers(0, 7), min_size=2, max_size=2),
    st.integers(0, 11),
    st.tuples(st.integers(1, 4), st.booleans()),
)
def test_where_k_induction_proves_nothing_is_bad(
    model: AigerFile, operands: list[int], shown: int, asked: tuple[int, bool]
) -> None:
    gates = ((operands[0], operands[1]), (8, operands[1] ^ 1))
    invariant = AigerFile(3, (), (), (shown,), (), gates, {})
    k, is_simple = asked
    if is_denied(k_questions(model, invariant, k, is_simple=is_simple)):
        assert not reached(model)[1]


def test_paths_on_which_all_states_differ_come_to_an_end() -> None:
    # Where the first latch is true it stays so, and any step may lead to something bad.
    model = AigerFile(2, (6, 12, 10), (0, 0, 1), (), (14,), ((6, 2), (8, 6)), {"l2": PLAY})
    everything = AigerFile(3, (), (), (1,), (), (), {})
    assert not reached(model)[1]
    for k, is_simple, proved in ((4, False, False), (1, True, False), (2, True, True)):
        assert is_denied(k_questions(model, everything, k, is_simple=is_simple)) == proved


@pytest.mark.parametrize(
    ("k", "is_simple"), [(0, True), (1, None), (1, 1), (-1, True), ("1", True), (True, True)]
)
def test_what_is_no_k_is_refused(k: object, is_simple: object) -> None:
    model = AigerFile(2, (2, 4, 26), (0, 0, 1), (7, 7), (30,), tuple(HONEST), {"l2": PLAY})
    everything = AigerFile(3, (), (), (1,), (), (), {})
    with pytest.raises(CertificateError, match=r"over no state|is no number of steps"):
        k_questions(model, everything, k, is_simple=is_simple)


def bad_within(model: AigerFile, length: int) -> bool:
    """Return whether any inputs lead to something bad in so many steps or fewer."""
    states = {model.resets}
    for _ in range(length + 1):
        after = set()
        for latches, inputs in product(states, product((0, 1), repeat=model.inputs)):
            values = model.evaluate(inputs, latches, 1)
            if any(read(values, edge) for edge in model.bads):
                return True
            after.add(tuple(read(values, edge) for edge in model.nexts))
        states = after
    return False


@pytest.mark.later
@settings(max_examples=examples(300))
@given(systems(), st.integers(0, 3))
def test_lengths_are_denied_where_nothing_is_bad_within_them(model: AigerFile, length: int) -> None:
    is_refuted = is_denied({"lengths": lengths_question(model, length)})
    assert is_refuted != bad_within(model, length)


@settings(max_examples=examples(300))
@given(systems(), st.lists(st.sampled_from(["00", "01", "10", "11"]), min_size=1, max_size=4))
def test_a_play_is_accepted_where_it_ends_in_something_bad(
    model: AigerFile, rows: list[str]
) -> None:
    latches: tuple[int, ...] = model.resets
    is_bad = False
    for row in rows:
        values = model.evaluate(list(map(int, row)), latches, 1)
        is_bad = bool(read(values, model.bads[0]))
        latches = tuple(read(values, edge) for edge in model.nexts)
    text = "\n".join(["1", "b0", "".join(map(str, model.resets)), *rows, "."])
    if is_bad:
        assert check_play(model, text) == len(rows) - 1
    else:
        with pytest.raises(CertificateError, match=r"^after the play b0 is not true$"):
            check_play(model, text)


NO_WITNESS = "this is no witness: 1, bads, a state, inputs and a dot are wanted"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", NO_WITNESS),
        ("1\nb0\n001\n.\n", NO_WITNESS),
        (
            "0\nb0\n001\n00\n.\n",
            NO_WITNESS,
        ),
        ("1\nb0\n101\n00\n.\n", "the play begins in another state"),
        ("1\nb1\n001\n00\n.\n", "b1 is no bad of the system"),
        ("1\nb\n001\n00\n.\n", "b is no bad of the system"),
        ("1\n\n001\n00\n.\n", "'' is no list of bads"),
        ("1\nxb0\n001\n00\n.\n", "'xb0' is no list of bads"),
        ("1\nb0\n001\n0\n.\n", "row 1 of the play is no row of inputs: 0"),
        ("1\nb0\n001\n00\n0x\n.\n", "row 2 of the play is no row of inputs: 0x"),
        ("1\nb0\n001\n00\n.\n", "after the play b0 is not true"),
    ],
)
def test_what_is_no_play_is_refused(text: str, why: str) -> None:
    model = AigerFile(2, (2, 4, 26), (0, 0, 1), (7, 7), (30,), tuple(HONEST), {"l2": PLAY})
    with pytest.raises(CertificateError) as caught:
        check_play(model, text)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "in no play b0 is true"),
        ("00\n", "the last play does not end with a dot"),
        ("0\n.\n", "row 1 of play 1 is no row of inputs: 0"),
        ("00\n.\n0x\n.\n", "row 1 of play 2 is no row of inputs: 0x"),
        ("10\n00\n.\n", "in no play b1 is true"),
        ("10\n00\n.\n01\n00\n.\n", ""),
        ("01\n10\n00\n.\n", ""),
    ],
)
def test_plays_show_what_is_true_along_them(text: str, why: str) -> None:
    model = AigerFile(2, (2, 4, 26), (0, 0, 1), (7, 7), (6, 8), tuple(HONEST), {"l2": PLAY})
    if not why:
        assert check_plays(model, text) == text.count(".")
        return
    with pytest.raises(CertificateError) as caught:
        check_plays(model, text)
    assert str(caught.value) == why


@pytest.mark.parametrize("length", [None, "3", 3.0, True, -1, 10**9])
def test_what_is_no_length_is_refused(length: object) -> None:
    model = AigerFile(2, (2, 4, 26), (0, 0, 1), (7, 7), (30,), tuple(HONEST), {"l2": PLAY})
    with pytest.raises(CertificateError, match=r"^.* is no number of steps$"):
        lengths_question(model, length)


# ---------------------------------------------------------------------- files of anybody


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "this is no binary AIGER file: subsection not found"),
        (b"aag 0 0 0 0 0\n", "this is no binary AIGER file: it does not begin with aig"),
        (b"aig 1 0 1 0 0 1 1\n2 0\n2\n2\n", "an AIGER file of inputs, latches, gates and bads "),
        (b"aig 1 0 1 0 0 +1\n2 0\n2\n", "an AIGER file of whole numbers was expected"),
        (b"aig 1 0 1 0 0 1\r\n2 0\n2\n", "an AIGER file of whole numbers was expected"),
        (b"aig 1 0 1 0 0 1\n2  0\n2\n", "an AIGER file of whole numbers was expected"),
        (b"aig 1 0 1 0 0 1\n2 0\n02\n", "an AIGER file of whole numbers was expected"),
        (b"aig 1 0 1 0 0 1\n2 2\n2\n", "a latch without a first value"),
        (b"aig 1 0 1 0 0 1\n2 0 0\n2\n", "line 2 of the AIGER file is no edge"),
        (b"aig 1 0 1 0 0 1\n2 0\n2 0\n", "line 3 of the AIGER file is no edge"),
        (b"aig 1 0 1 0 0 1\n4 0\n2\n", "an edge to a variable that does not exist"),
        (b"aig 1 0 1 0 0 1\n2 0\n2\nb0 a\nb0 b\n", "b0 has two names"),
        (b"aig 1 1 0 0 0 1\n2\ni0 \xff\n", "this is no binary AIGER file: 'utf-8' codec"),
        (b"aig 1 0 0 0 1 0\n\x00\x00", "gate 1 has operands that come after it"),
        (b"aig 1 0 0 0 1 0\n" + 20 * b"\xff", "a gate whose operands are too far away"),
        (b"aig 9999999999 9999999999 0 0 0 0\n", "an AIGER file that names each of its inputs"),
    ],
)
def test_what_is_no_aiger_file_is_refused(data: bytes, text: str) -> None:
    with pytest.raises(CertificateError) as caught:
        read_aiger(data)
    assert str(caught.value).startswith(text)


def test_a_name_ends_where_its_line_ends() -> None:
    model = read_aiger("aig 1 0 1 0 0 1\n2 0\n2\nb0 a\u2028l0 b\nc\nl0 c\n".encode())
    assert model.names["b0"] == "a\u2028l0 b"
    assert "l0" not in model.names


def written(folder: Path, index: object) -> Path:
    """Write an index, with a digest where it can have one."""
    if isinstance(index, dict):
        index["digest"] = digest_of(json.dumps(index, sort_keys=True).encode())
    (folder / "certificates.json").write_text(json.dumps(index), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (None, "certificates.json is no index of claims"),
        ("claims", "certificates.json is no index of claims"),
        ({}, "certificates.json has another form than this program reads"),
        ({"format": 2, "claims": {}}, "certificates.json has another form than this program reads"),
        ({"format": 2, "claims": [0]}, "claim 1 of certificates.json has no name, or no kind"),
        (
            {"format": 2, "claims": [{"name": "a", "kind": []}]},
            "claim 1 of certificates.json has no name, or no kind",
        ),
    ],
)
def test_an_index_of_another_form_is_refused(index: object, text: str, tmp_path: Path) -> None:
    with pytest.raises(CertificateError) as caught:
        list(check_folder(written(tmp_path, index)))
    assert str(caught.value) == text


def test_an_index_too_deep_to_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "certificates.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(CertificateError, match=r"^there is no certificates\.json that can be read"):
        list(check_folder(tmp_path))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "None is no folder of a claim"),
        ({"folder": "../00"}, "'../00' is no folder of a claim"),
        ({"folder": ".."}, "'..' is no folder of a claim"),
        ({"folder": "0\0"}, "'0\\x00' is no folder of a claim"),
        ({"folder": "00\n"}, "'00\\n' is no folder of a claim"),
        ({"folder": "00"}, "the claim lists no files"),
        ({"folder": "00", "files": ["model.aig"]}, "the claim lists no files"),
        ({"folder": "00", "files": {}}, "the claim has no model.aig"),
    ],
)
def test_a_claim_of_another_form_is_refused(
    fields: dict[str, object], text: str, tmp_path: Path
) -> None:
    claim = {"name": "a", "kind": "induction", **fields}
    (found,) = check_folder(written(tmp_path, {"format": 2, "claims": [claim]}))
    assert (found.holds, found.text) == (False, text)


# ---------------------------------------------------------------------- one game


@pytest.fixture(scope="module")
def by_states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates") / "states"
    verify("tictactoe", certificates=folder)
    return folder


@pytest.fixture(scope="module")
def by_induction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates") / "induction"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examination, "MAX_STATES", 1)  # else all states are looked at
        verify("tictactoe", certificates=folder)
    return folder


def kinds(folder: Path) -> dict[str, str]:
    checked = list(check_folder(folder))
    assert all(claim.holds is not False for claim in checked), checked
    return {claim.name: claim.kind for claim in checked}


@pytest.mark.slow
def test_all_states_are_certified(by_states: Path) -> None:
    found = kinds(by_states)
    assert found["playable"] == found["goals unique"] == found["constant sum"] == "all states"
    assert found["winnable by x"] == "play"
    assert found["no shorter play: winnable by x"] == "lengths"
    assert found["moves reachable"] == found["facts change"] == found["rules fire"] == "plays"


@pytest.mark.slow
def test_induction_is_certified(by_induction: Path) -> None:
    found = kinds(by_induction)
    assert found["moves reachable"] == found["facts change"] == found["rules fire"] == "plays"
    assert found["goals unique"] == found["turn-taking"] == "induction"
    assert found["terminating"] == "used-up"


def flip(data: bytes, chance: random.Random, end: int | None = None) -> bytes:
    """Return bytes of which one is another."""
    place = chance.randrange(len(data) if end is None else end)
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(7)]) + data[place + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["all states", "induction", "lengths", "play", "used-up"])
def test_a_changed_byte_is_seen(
    kind: str, by_states: Path, by_induction: Path, tmp_path: Path
) -> None:
    chance = random.Random(0)
    source = by_induction if kind in ("induction", "used-up") else by_states
    number = first(source, kind)
    claim = claims_of(source)[number]
    for name in (*claim["files"], "../certificates.json"):
        target = copied(source, tmp_path)
        path = target / claim["folder"] / name
        path.write_bytes(flip(path.read_bytes(), chance))
        try:
            found = next(c for c in check_folder(target) if c.name == claim["name"])
        except CertificateError:
            continue  # the index is not read at all
        assert found.holds is False, name


@pytest.mark.later
def test_a_changed_circuit_is_refused_for_what_it_says(by_induction: Path, tmp_path: Path) -> None:
    chance = random.Random(0)
    number = first(by_induction, "induction")
    for name in ("model.aig", "invariant.aig"):
        for _ in range(3):
            target = copied(by_induction, tmp_path)
            path = target / claims_of(target)[number]["folder"] / name
            data = path.read_bytes()
            path.write_bytes(flip(data, chance, data.index(b"i0 ")))
            assert again(target, number).holds is False


@pytest.mark.parametrize(
    ("proof", "text"),
    [
        (b"", "the proof ends and nothing is refuted"),
        (b"9999999 0 0\n", "step 9999999 of the proof does not follow: its hints end without a "),
        (b"9999999 1 0 1 0\n", "the proof ends and nothing is refuted"),
        (b"9999999 7 0 1 0\n", "step 9999999 of the proof does not follow: its hints end without"),
        (b"9999999 0 8888888 0\n", "step 9999999 of the proof does not follow: there is no clause"),
        (b"1 0 1 0\n", "step 1 of the proof comes after step "),
        (b"9999999 0 -1 0\n", "this is no step of a proof: 9999999 0 -1 0"),
        (b"9999999 0 0 0 0\n", "this is no step of a proof: 9999999 0 0 0 0"),
        (b"9999999 d 0\n9999999 d 9999999 0\n", "the proof forgets clause 9999999: there is none"),
    ],
)
def test_a_forged_proof_is_refused(
    proof: bytes, text: str, by_induction: Path, tmp_path: Path
) -> None:
    number = next(n for n, c in enumerate(claims_of(by_induction)) if c["name"] == "goals unique")
    target = copied(by_induction, tmp_path)
    (target / claims_of(target)[number]["folder"] / "inductive.lrat").write_bytes(proof)
    found = again(target, number)
    assert found.holds is False
    assert found.text.startswith(f"inductive.lrat: {text}")


def test_a_proof_of_other_letters_is_refused(by_induction: Path, tmp_path: Path) -> None:
    number = first(by_induction, "induction")
    target = copied(by_induction, tmp_path)
    (target / claims_of(target)[number]["folder"] / "inductive.lrat").write_bytes(b"\xff")
    assert again(target, number).text == "inductive.lrat is no ASCII text"


def test_a_file_that_is_not_listed_is_not_read(by_induction: Path, tmp_path: Path) -> None:
    number = first(by_induction, "induction")

    def forget(claims: Claims) -> None:
        del claims[number]["files"]["safe.cnf"]

    target = copied(by_induction, tmp_path)
    signed(target, forget)
    assert again(target, number).text == "the claim has no safe.cnf"


@pytest.mark.later
def test_a_state_that_is_left_out_is_missed(by_states: Path, tmp_path: Path) -> None:
    chance = random.Random(1)
    number = first(by_states, "all states")
    for _ in range(2):
        target = copied(by_states, tmp_path)
        path = target / claims_of(target)[number]["folder"] / "states.txt"
        lines = path.read_text(encoding="ascii").splitlines(keepends=True)
        del lines[chance.randrange(len(lines))]
        path.write_text("".join(lines), encoding="ascii")
        assert again(target, number).holds is False


def test_moves_of_no_role_are_refused(by_states: Path, tmp_path: Path) -> None:
    number = first(by_states, "all states")

    def forget(claims: Claims) -> None:
        claims[number]["groups"][0].pop()

    target = copied(by_states, tmp_path)
    signed(target, forget)
    assert again(target, number).text == "the groups do not hold each input once"

    def split(claims: Claims) -> None:
        claims[number]["groups"].append([claims[number]["groups"][0].pop()])

    def nobody(claims: Claims) -> None:
        claims[number]["groups"].append([])  # who has no move would end every play

    for edit in (split, nobody):
        target = copied(by_states, tmp_path)
        signed(target, edit)
        text = again(target, number).text
        assert text == "joint.cnf is not the formula that the system and claim give"

    for groups, text in (
        (None, "the claim has no groups of inputs"),
        (["ab"], "the claim has no groups of inputs"),
        ([[0, "1"]], "an input of a group is no number"),
        ([[True, 0]], "an input of a group is no number"),
    ):
        target = copied(by_states, tmp_path)
        signed(target, lambda claims, said=groups: claims[number].update(groups=said))  # type: ignore[misc]
        assert again(target, number).text == text


def renumbered(proof: Path, before: int, after: int) -> None:
    """Let the steps of a proof come after so many clauses instead of so many."""

    def moved(word: str) -> str:
        return str(int(word) + after - before) if int(word) > before else word

    lines = []
    for line in proof.read_text(encoding="ascii").splitlines():
        number, *words = line.split()
        end = words.index("0")
        lines.append(" ".join([moved(number), *words[: end + 1], *map(moved, words[end + 1 :])]))
    proof.write_text("\n".join(lines) + "\n", encoding="ascii")


def test_a_length_is_what_its_formula_says(by_states: Path, tmp_path: Path) -> None:
    number = first(by_states, "lengths")
    assert claims_of(by_states)[number]["length"] == 4  # x needs five moves

    for length in (3, 5):
        target = copied(by_states, tmp_path)
        signed(target, lambda claims, said=length: claims[number].update(length=said))  # type: ignore[misc]
        text = again(target, number).text
        assert text == "lengths.cnf is not the formula that the system and claim give"

    # Whoever forges writes the longer formula too, with the proof of the shorter one.
    target = copied(by_states, tmp_path)
    place = target / claims_of(target)[number]["folder"]
    model = read_aiger((place / "model.aig").read_bytes())
    short, long = (lengths_question(model, length) for length in (4, 5))
    (place / "lengths.cnf").write_text(long.dimacs(), encoding="ascii")
    renumbered(place / "lengths.lrat", len(short.clauses), len(long.clauses))
    signed(target, lambda claims: claims[number].update(length=5))
    assert "of the proof does not follow: " in again(target, number).text


@settings(max_examples=examples(300))
@given(systems(), st.integers(0, 4))
def test_plays_end_where_that_is_proved(model: AigerFile, length: int) -> None:
    states = {model.resets}
    for _ in range(length + 1):
        states = {
            tuple(read(values, edge) for edge in model.nexts)
            for latches, inputs in product(states, product((0, 1), repeat=model.inputs))
            for values in [model.evaluate(inputs, latches, 1)]
        }
    goes_on = any(state[2] for state in states)
    assert is_denied({"ends": ends_question(model, length)}) != goes_on
    try:
        check_clock(model, length)
    except CertificateError as error:
        assert str(error) == f"what runs by itself does not end play after {length} steps"  # noqa: PT017
    else:
        assert not goes_on


graphs = st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 5), max_size=3))


@settings(max_examples=examples(300))
@given(graphs)
def test_the_longest_play_is_that_of_the_states(follows: dict[int, list[int]]) -> None:
    ends = {0}
    for length in range(7):
        ends = {after for state in ends for after in follows.get(state, [])}
        if not ends:
            assert longest_play(follows, 0) == length
            return
    with pytest.raises(CertificateError, match=r"^a play comes back to a state: [0-5]$"):
        longest_play(follows, 0)


CLOCKED = """
(role a) (init (step 0)) (next_step 0 1) (next_step 1 2) (next_step 2 3)
(<= (base (lamp ?x)) (next_step ?x ?y)) (<= (input a (press ?x)) (next_step ?x ?y))
(<= (legal a (press ?x)) (input a (press ?x)))
(<= (next (lamp ?x)) (does a (press ?x)))
(<= (next (step ?y)) (true (step ?x)) (next_step ?x ?y))
(<= terminal (true (step 3))) (<= (goal a 100) (true (lamp 2)))
(<= (goal a 0) (not (true (lamp 2))))
"""


def test_a_clock_ends_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "MAX_STATES", 1)  # else all states are looked at
    folder = tmp_path / "clocked"
    verification = verify(Ruleset("clocked", (), text=CLOCKED), certificates=folder)
    assert verification["terminating"].depth == 3
    assert kinds(folder)["terminating"] == "clock"
    number = first(folder, "clock")
    target = copied(folder, tmp_path)
    signed(target, lambda claims: claims[number].update(length=2))
    found = again(target, number)
    assert (found.holds, found.text) == (
        False,
        "what runs by itself does not end play after 2 steps",
    )


def test_a_formula_shows_that_play_ends(tmp_path: Path) -> None:
    system = game_system(build(Ruleset("clocked", (), text=CLOCKED).description))
    folder = open_folder(tmp_path / "ends")
    write_certificates(
        folder, [Claim("terminating", Ends(system, 3, by_clock=False))], (), Budget(60)
    )
    assert kinds(folder) == {"terminating": "ends"}
    signed(folder, lambda claims: claims[0].update(length=2))
    text = "ends.cnf is not the formula that the system and claim give"
    assert [claim.text for claim in check_folder(folder)] == [text]
    short = Claim("ends", Ends(system, 2, by_clock=False))
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        write_certificates(open_folder(tmp_path / "false"), [short], (), Budget(60))


@settings(max_examples=examples(500))
@given(systems(), st.integers(0, 3))
def test_where_no_play_is_longer_nothing_is_bad(model: AigerFile, length: int) -> None:
    asked = {"marked": marked_question(model), "lengths": lengths_question(model, length)}
    if is_denied(asked | {"ends": ends_question(model, length)}):
        assert not reached(model)[1]


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(
    systems(),
    st.lists(st.sampled_from(["00", "01", "10", "11"]), min_size=1, max_size=4),
    st.integers(-1, 3),
)
def test_a_play_that_comes_back_is_one(model: AigerFile, rows: list[str], back: int) -> None:
    states = [model.resets]
    for row in rows:
        values = model.evaluate(list(map(int, row)), states[-1], 1)
        states.append(tuple(read(values, edge) for edge in model.nexts))
    comes_back = 0 <= back < len(rows) and states[back] == states[-1]
    comes_back = comes_back and all(state[2] for state in states)  # no step was none
    try:
        assert check_loop(model, "\n".join(rows) + "\n", back) == len(rows)
    except CertificateError:
        assert not comes_back
    else:
        assert comes_back


@pytest.mark.parametrize("text", ["", "0\n", "012\n", "ab\n"])
def test_what_is_no_way_back_is_refused(text: str) -> None:
    model = AigerFile(2, (2, 4, 26), (0, 0, 1), (7, 7), (30,), tuple(HONEST), {"l2": PLAY})
    with pytest.raises(CertificateError):
        check_loop(model, text, 0)


def test_a_play_that_comes_back_is_certified(tmp_path: Path) -> None:
    """Left or right, and on for ever."""
    text = """(role a) (init start) (goal a 0) (<= terminal (true gone))
        (<= (legal a left) (true start)) (<= (legal a right) (true start))
        (<= (legal a on) (not (true start)))
        (<= (next here) (does a left)) (<= (next here) (true here))
        (<= (next there) (does a right)) (<= (next there) (true there))"""
    folder = tmp_path / "ways"
    verification = verify(Ruleset("ways", (), text=text), certificates=folder)
    assert verification["terminating"].status == "refuted"
    assert kinds(folder)["not terminating"] == "loop"
    assert all(claim.holds is not False for claim in check_folder(folder))
    number = first(folder, "loop")
    assert again(copied(folder, tmp_path), number).holds
    target = copied(folder, tmp_path)
    signed(target, lambda claims: claims[number].update(back=7))
    assert again(target, number).holds is False


def test_no_longer_plays_are_certified(tmp_path: Path) -> None:
    system = game_system(build(Ruleset("clocked", (), text=CLOCKED).description))
    held = system.aig.conj(system.fact_inputs[0], system.fact_inputs[1])  # two steps at once
    assert [str(label.term) for label in system.facts][:2] == ["(lamp 0)", "(lamp 1)"]
    folder = open_folder(tmp_path / "longer")
    claim = Claim("one lamp", NoLonger(system.asking([Bad("two lamps", held)]), 3))
    write_certificates(folder, [claim], (), Budget(60))
    assert kinds(folder) == {"one lamp": "no longer"}
    for length in (2, 4):
        signed(folder, lambda claims, said=length: claims[0].update(length=said))  # type: ignore[misc]
        (found,) = check_folder(folder)
        assert found.text == "lengths.cnf is not the formula that the system and claim give"
    short = Claim("one lamp", NoLonger(system.asking([Bad("two lamps", held)]), 2))
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        write_certificates(open_folder(tmp_path / "false"), [short], (), Budget(60))


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(systems(), st.lists(st.lists(st.integers(-2, 1), max_size=2), max_size=3), st.integers(1, 3))
def test_plays_end_where_steps_in_a_row_use_up_a_group(
    model: AigerFile, written: list[list[int]], steps: int
) -> None:
    groups = read_groups(written, 3)
    everything = AigerFile(3, (), (), (1,), (), (), {})  # the invariant that says nothing
    asked = invariant_questions(model, everything)
    asked[MARKED] = marked_question(model)
    asked |= used_up_questions(model, everything, groups, steps)
    if is_denied(asked):
        assert is_denied({"ends": ends_question(model, steps_at_most(model, groups, steps))})


@pytest.mark.slow
@settings(max_examples=examples(1000))
@given(
    systems(),
    st.dictionaries(st.integers(0, 1), st.sampled_from([-3, -2, -1, 1, 2, 3]), min_size=1),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_a_sum_that_steps_in_a_row_lower_is_just_that(
    model: AigerFile, weights: dict[int, int], drop: int, steps: int
) -> None:
    everything = AigerFile(3, (), (), (1,), (), (), {})  # the invariant that says nothing
    falls = True
    for before in product((0, 1), repeat=3):
        for run in product(product((0, 1), repeat=2), repeat=steps):
            after, is_play = list(before), True
            for inputs in run:
                values = model.evaluate(inputs, after, 1)
                after = [read(values, edge) for edge in model.nexts]
                is_play &= bool(after[2])
            gain = sum(w * (after[latch] - before[latch]) for latch, w in weights.items())
            falls &= not is_play or gain <= -drop
    asked = {RANKING: ranking_question(model, everything, weights, drop, steps)}
    assert is_denied(asked) == falls
    if falls and is_denied({MARKED: marked_question(model)}):
        most = falls_at_most(model, weights, drop, steps)
        assert is_denied({"ends": ends_question(model, most)})


NO_WEIGHTS = "the claim has no weights of latches"
SAME = "a weight is 0, or of no latch, or one of two of the same"


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        (None, NO_WEIGHTS),
        ([3], NO_WEIGHTS),
        ([[1]], NO_WEIGHTS),
        ([[1, True]], NO_WEIGHTS),
        ([[1, 2.0]], NO_WEIGHTS),
        ([[1, 0]], SAME),
        ([[9, 1]], SAME),
        ([[-1, 1]], SAME),
        ([[1, 1], [1, 2]], SAME),
    ],
)
def test_other_weights_are_refused(weights: object, text: str) -> None:
    with pytest.raises(CertificateError) as caught:
        read_weights(weights, 9)
    assert str(caught.value) == text


LADDER = """
(role a) (init (at 4)) (next_step 1 0) (next_step 2 1) (next_step 3 2) (next_step 4 3)
(<= (base (at ?x)) (next_step ?x ?y)) (base (at 0)) (<= (input a (to ?y)) (next_step ?x ?y))
(<= (legal a (to ?y)) (true (at ?x)) (next_step ?x ?y))
(<= (legal a (to 0)) (true (at 4)))
(<= (next (at ?y)) (does a (to ?y))) (<= terminal (true (at 0))) (goal a 100)
"""


def ladder(folder: Path, drop: int = 1) -> Path:
    """Write that each move comes down by so many steps."""
    system = game_system(build(Ruleset("ladder", (), text=LADDER).description))
    heights = (int(str(label.term)[4:-1]) for label in system.facts)
    weights = {fact: height for fact, height in enumerate(heights) if height}
    lowered = Lowered(system, Invariants({}, ()), weights, drop)
    write_certificates(open_folder(folder), [Claim("terminating", lowered)], (), Budget(60))
    return folder


@pytest.fixture(scope="module")
def by_ranking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ladder(tmp_path_factory.mktemp("certificates") / "ranking")


def test_what_is_not_lowered_so_much_has_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        ladder(tmp_path / "false", drop=2)


def test_a_ranking_is_certified(by_ranking: Path, tmp_path: Path) -> None:
    number = first(by_ranking, "ranking")
    claim = claims_of(by_ranking)[number]
    assert (kinds(by_ranking)["terminating"], claim["length"]) == ("ranking", 4)
    for fields, text in (
        ({"length": 3}, "a play may have 4 moves, not 3 at most"),
        ({"drop": 0}, "0 is nothing that a sum can be lowered by"),
        ({"drop": "1"}, "'1' is nothing that a sum can be lowered by"),
        ({"steps": 0}, "0 is no number of steps in a row"),
        ({"steps": True}, "True is no number of steps in a row"),
        ({"steps": 2}, "a play may have 9 moves, not 4 at most"),
        ({"steps": 2, "length": 9}, "ranking.cnf is not the formula that the system and claim"),
        ({"drop": 2 * claim["drop"]}, "ranking.cnf is not the formula that the system and claim"),
        ({"weights": claim["weights"][1:]}, "ranking.cnf is not the formula that the system and "),
    ):
        target = copied(by_ranking, tmp_path)
        signed(target, lambda claims, said=fields: claims[number].update(said))  # type: ignore[misc]
        assert again(target, number).text.startswith(text)


def test_what_was_no_play_is_none_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a play comes down, but play that may begin again has no end."""
    systems = []
    write = certificates._write_model

    def forging(path: Path, model: Model) -> AigerFile:
        honest = write(path, model)
        if path.name != "model.aig":
            return honest
        systems.append(honest)
        path.write_bytes(aiger_bytes(beginning_again(honest)))
        return beginning_again(honest)

    monkeypatch.setattr(certificates, "_write_model", forging)
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        ladder(tmp_path / "with the question")
    monkeypatch.setattr(certificates, "marked_question", lambda _: marked_question(systems[-1]))
    (claim,) = check_folder(ladder(tmp_path / "with another one"))
    assert claim.text == "marked.cnf is not the formula that the system and claim give"


def beginning_again(model: AigerFile) -> AigerFile:
    """Return a system in which a step is a play whatever was before it."""
    latch = play_latch(model)
    edge = 2 * (1 + model.inputs + latch)
    last = (model.nexts[latch] >> 1) - 1 - model.inputs - len(model.nexts)
    gates = list(model.gates)
    left, right = gates[last]  # it was a play so far, and this step is one
    assert edge in gates[last]
    gates[last] = (1 if left == edge else left, 1 if right == edge else right)
    return replace(model, gates=tuple(gates))


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        (None, "the claim has no groups of latches"),
        ([3], "the claim has no groups of latches"),
        ([["1"]], "a latch of a group is no latch"),
        ([[True]], "a latch of a group is no latch"),
        ([[10**6]], "a latch of a group is no latch"),
        ([[-(10**6)]], "a latch of a group is no latch"),
        ([], "used-up.cnf is not the formula that the system and claim give"),
    ],
)
def test_other_groups_are_refused(
    groups: object, text: str, by_induction: Path, tmp_path: Path
) -> None:
    number = first(by_induction, "used-up")
    target = copied(by_induction, tmp_path)
    signed(target, lambda claims: claims[number].update(groups=groups))
    assert again(target, number).text == text


def test_a_group_a_step_is_the_bound(by_induction: Path, tmp_path: Path) -> None:
    number = first(by_induction, "used-up")
    assert claims_of(by_induction)[number]["length"] == 9
    target = copied(by_induction, tmp_path)
    signed(target, lambda claims: claims[number].update(length=8))
    assert again(target, number).text == "a play may have 9 moves, not 8 at most"
    signed(target, lambda claims: claims[number].update(length=19, steps=2))
    assert again(target, number).text == "the claim has no back.cnf"


def test_the_longest_play_is_what_its_certificate_says(by_states: Path, tmp_path: Path) -> None:
    number = next(n for n, c in enumerate(claims_of(by_states)) if c["name"] == "terminating")
    target = copied(by_states, tmp_path)
    signed(target, lambda claims: claims[number].update(length=8))
    assert again(target, number).text == "a play has 9 moves, not 8 at most"


@pytest.mark.slow
def test_a_play_shows_only_what_it_comes_to(by_states: Path, tmp_path: Path) -> None:
    chance = random.Random(2)
    number = first(by_states, "play")
    for _ in range(20):
        target = copied(by_states, tmp_path)
        path = target / claims_of(target)[number]["folder"] / "play.cex"
        lines = path.read_text(encoding="ascii").splitlines()
        row = chance.randrange(3, len(lines) - 2)  # inputs in the last state decide nothing
        place = chance.randrange(len(lines[row]))
        other = "1" if lines[row][place] == "0" else "0"  # two moves of a role, or none
        lines[row] = lines[row][:place] + other + lines[row][place + 1 :]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        assert again(target, number).text == "after the play b0 is not true"


@pytest.mark.slow
def test_lengths_of_which_a_solver_forgets_much_are_certified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "_by_plies", lambda *_: None)  # that would be shorter
    verify("hex?size=4", certificates=tmp_path / "hex")
    found = kinds(tmp_path / "hex")  # none is refused
    assert found["no shorter play: winnable by red"] == "lengths"
    assert found["terminating"] == "used-up"


HAUNTED = """
(role a) (init (step 0)) (next_step 0 1) (next_step 1 2) (next_step 2 3)
(<= (base (step ?x)) (next_step ?x ?y)) (base (step 3)) (base ghost)
(<= (input a (press ?x)) (next_step ?x ?y)) (input a haunt)
(<= (legal a (press ?x)) (next_step ?x ?y)) (<= (legal a haunt) (true ghost))
(<= (next ghost) (does a haunt)) (<= (next ghost) (true ghost))
(<= (next (step ?y)) (true (step ?x)) (next_step ?x ?y))
(<= terminal (true (step 3))) (<= (goal a 100) (true (step 3))) (<= (goal a 0) (true ghost))
"""


@pytest.mark.parametrize(("most", "kind"), [(100_000, "all states"), (1, "induction")])
def test_what_can_never_be_is_certified(
    most: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "MAX_STATES", most)
    verify(Ruleset("haunted", (), text=HAUNTED), certificates=tmp_path / "haunted")
    found = kinds(tmp_path / "haunted")
    assert found["never moves reachable"] == found["never facts change"] == kind
    bads = {claim["name"]: claim.get("bads") for claim in claims_of(tmp_path / "haunted")}
    assert bads["never moves reachable"] == ["a: haunt"]
    assert bads["never facts change"] == ["ghost never holds"]


FLIPPED = """
(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (lamp a) (lamp b)
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 4)))
(<= (legal r (flip ?l)) (lamp ?l)) (<= (next (on ?l)) (does r (flip ?l)) (not (true (on ?l))))
(<= (next (on ?l)) (true (on ?l)) (not (does r (flip ?l)))) (<= (goal r 50) terminal)
(<= (next late) (does r (flip ?l)) (true (step 4)))
(<= (goal r 40) terminal (true (on a)) (not (true (on b))))
"""
"""Two rules can never fire: one is about a move after the end, one about an odd number of moves."""


def test_rules_that_never_fire_for_two_reasons_have_one_certificate(tmp_path: Path) -> None:
    game = Ruleset("flipped", (), text=FLIPPED)
    found = Examination(game, (), Budget(60), without={ALL_STATES}).run()["rules fire"]
    assert len(found.culprits) == 2
    claim = Claim("never rules fire", found.evidence)
    write_certificates(open_folder(tmp_path / "flipped"), [claim], (), Budget(60))
    assert kinds(tmp_path / "flipped") == {"never rules fire": "no longer"}


PLAIN = """
(role a) (init x) (legal a go) (<= (next y) (does a go)) (<= terminal (true y)) (goal a 50)
"""


def test_a_property_of_any_name_is_certified(tmp_path: Path) -> None:
    probe = CustomProperty("two\nlines\u2028 and more", "(and (true x) (not (true x)))")
    verify(Ruleset("plain", (), text=PLAIN), probes=[probe], certificates=tmp_path / "named")
    found = next(c for c in check_folder(tmp_path / "named") if c.name == probe.name)
    assert (found.holds, found.kind) == (True, "induction")


def test_ctrl_c_ends_the_writing(tmp_path: Path) -> None:
    presses = iter([KeyboardInterrupt])  # one is enough

    class Interrupted(Budget):
        def check(self) -> None:
            for press in presses:
                raise press
            Budget.check(self)

    system = game_system(build(Ruleset("plain", (), text=PLAIN).description)).asking([Bad("a", 0)])
    claims = [Claim(name, Induction(system, Invariants({}, ()))) for name in ("one", "other")]
    folder = open_folder(tmp_path / "stopped")
    write_certificates(folder, claims, (), Interrupted())
    assert [(c.holds, c.text) for c in check_folder(folder)] == [
        (None, "no proof was written: interrupted")
    ] * 2
    assert [path.name for path in folder.iterdir()] == ["certificates.json"]


def test_what_speaks_of_all_plays_takes_no_time_from_other_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spend(_place: Path, _evidence: Evidence, budget: Budget) -> dict[str, object]:
        budget.stop("60 seconds are over")
        raise OutOfBudgetError(budget.stopped)

    monkeypatch.setattr("gdl.verify.certificates._unrolled", spend)
    system = game_system(build(Ruleset("plain", (), text=PLAIN).description)).asking([Bad("a", 0)])
    claims = [
        Claim("first", Lengths(system, 1)),
        Claim("second", Induction(system, Invariants({}, ()))),
    ]
    folder = open_folder(tmp_path / "spent")
    write_certificates(folder, claims, (), Budget(60))
    assert [(c.name, c.holds) for c in check_folder(folder)] == [("first", None), ("second", True)]


# ---------------------------------------------------------------------- two games


def certified(pair: Pair, folder: Path, without: frozenset[str]) -> list[bool | None]:
    rulesets = Ruleset("one", (), text=pair.one), Ruleset("other", (), text=pair.other)
    comparison = Comparison(rulesets, Budget(60), without=without)
    answer = comparison.run()
    write_certificates(open_folder(folder), comparison.claims(answer), rulesets, Budget(60))
    return [claim.holds for claim in check_folder(folder)]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["k-induction", "k-induction, with equalities"])
def test_k_induction_is_certified(way: str, tmp_path: Path) -> None:
    found = Prover(planted_system(equal, 1, 4), Budget(60), without=ALONE[way]).run()
    assert isinstance(found.evidence, KInduction)
    write_certificates(open_folder(tmp_path / "k"), [Claim("k", found.evidence)], (), Budget(60))
    assert kinds(tmp_path / "k") == {"k": "k-induction"}
    assert [claim.holds for claim in check_folder(tmp_path / "k")] == [True]
    too_small = replace(found.evidence, k=1)
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        write_certificates(open_folder(tmp_path / "1"), [Claim("k", too_small)], (), Budget(60))


@pytest.mark.slow
@pytest.mark.parametrize("without", [frozenset({"all states", "compiled play"}), frozenset()])
@pytest.mark.parametrize("seed", range(4))
def test_no_certificate_of_two_games_is_refused(
    seed: int, without: frozenset[str], tmp_path: Path
) -> None:
    assert False not in certified(equal(seed, 4), tmp_path / "equal", without)
    assert certified(planted(seed, 4), tmp_path / "planted", without) == [True, True]


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 5])
def test_what_is_open_is_certified_where_the_rest_is_by_k_induction(
    seed: int, tmp_path: Path
) -> None:
    """By induction over one move from where nothing differs, which k moves show."""
    pair = equal(seed, 4)
    sides = [
        prepare_game(Ruleset(str(n), (), text=t)) for n, t in enumerate((pair.one, pair.other))
    ]
    (one, other), matching = find_matching((sides[0], sides[1]), Budget(60))
    both = side_by_side(one.circuit, other.circuit, matching)
    prover = Prover(both.system, Budget(60), without=ALONE["k-induction"])
    agree = prover.run().evidence
    assert isinstance(agree, KInduction)
    prover.without = ALONE["reachability"]
    opened = prover.ask(both.open_bads).evidence
    names = "the games agree", "goals agree while play goes on"
    claims = [Claim(names[0], agree), Claim(names[1], opened)]
    write_certificates(open_folder(tmp_path / "k"), claims, (), Budget(60))
    assert kinds(tmp_path / "k") == dict.fromkeys(names, "k-induction")


def test_a_part_of_an_answer_without_certificate_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proved = Result(None, proved=True, depth=3, method="ply by ply")
    monkeypatch.setattr(Prover, "ask", lambda *_, **__: proved)
    assert certified(equal(0, 3), tmp_path / "open", frozenset()) == [True, None]
    last = list(check_folder(tmp_path / "open"))[-1]
    assert last.name == "goals agree while play goes on"
    rests = "looking at all 84 states"
    assert last.text == f"ply by ply, resting on {rests}: that has no certificate yet"


def test_what_is_open_needs_what_it_rests_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Prover.run
    monkeypatch.setattr(Prover, "run", lambda *args, **kw: replace(run(*args, **kw), evidence=None))
    assert certified(equal(0, 3), tmp_path / "open", frozenset()) == [None, None]
    agree, goals = (claim.text for claim in check_folder(tmp_path / "open"))
    how = agree.removesuffix(": that has no certificate yet")
    assert goals == f"{how}, resting on {how}: that has no certificate yet"


@pytest.mark.parametrize("same", [{}, {0: Same(-1, flipped=False)}])
def test_no_certificate_can_be_written_of_what_is_false(
    same: dict[int, Same], tmp_path: Path
) -> None:
    pair = planted(0, 3)
    sides = [
        prepare_game(Ruleset(str(n), (), text=t)) for n, t in enumerate((pair.one, pair.other))
    ]
    (one, other), matching = find_matching((sides[0], sides[1]), Budget(60))
    system = side_by_side(one.circuit, other.circuit, matching).system
    claim = Claim("the games agree", Induction(system, Invariants(same, ())))
    with pytest.raises(UncertifiedError, match="so what was proved may be wrong"):
        write_certificates(open_folder(tmp_path / "false"), [claim], (), Budget(60))
    with pytest.raises(CertificateError):
        list(check_folder(tmp_path / "false"))  # the index comes last


# ---------------------------------------------------------------------- the command


@pytest.mark.later
def test_the_command_says_what_holds(by_states: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", str(by_states)]) == 0
    text = capsys.readouterr().out
    assert "holds    playable: by all states\n         5478 states closed under" in text
    assert "holds    terminating: by all states\n         no play has more than 9 moves: " in text


def test_names_do_not_look_like_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = {"name": "a\nholds    b: by induction", "why": "none\nholds    c: by induction"}
    assert main(["certify", str(written(tmp_path, {"format": 2, "claims": [claim]}))]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert not [line for line in lines if line.startswith("holds")]


def test_a_folder_without_certificates_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path} holds no certificates: ")


def test_a_folder_that_is_not_empty_is_not_written_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").touch()
    assert main(["verify", "tictactoe", "--certificates", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"error: {tmp_path} is not empty\n  help: name a new folder for the certificates\n"
    )


def test_the_formulas_of_a_model_are_the_same_each_time(by_induction: Path) -> None:
    index = json.loads((by_induction / "certificates.json").read_text(encoding="utf-8"))
    claim = next(c for c in index["claims"] if c.get("kind") == "induction")
    place = by_induction / claim["folder"]
    model, invariant = (
        read_aiger((place / name).read_bytes()) for name in ("model.aig", "invariant.aig")
    )
    for name, formula in questions(model, invariant).items():
        assert formula.dimacs() == (place / f"{name}.cnf").read_text(encoding="ascii")
