"""Certificates are about the rules that somebody names, or they are refused."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gdl.certify import Checked, check_folder, read_index
from gdl.certify.aiger_file import AigerFile, CertificateError, aiger_bytes, read_aiger
from gdl.certify.check import MODEL, digest_of
from gdl.circuit.aig import FALSE
from gdl.cli.main import main
from gdl.compile.pipeline import build
from gdl.language.parse import parse
from gdl.language.source import Source
from gdl.ruleset import Ruleset
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.correspondence.compared_game import side_by_side
from gdl.verify.diff import Comparison, diff
from gdl.verify.properties.custom import CustomProperty
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.well_formed import constant_sum
from gdl.verify.provenance import Provenance
from gdl.verify.proving.evidence import (
    AllStates,
    Claim,
    Induction,
    NoLonger,
    Reached,
    Shown,
    claims_of,
)
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.prove import ALL_STATES, RANDOM
from gdl.verify.proving.search import INDUCTION
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import Bad, game_system
from gdl.verify.verification import verify
from tests.certify.forged import Claims, copied, signed
from tests.certify.test_mutants import LAMPS, WHEEL, _other_circuit
from tests.shared import examples
from tests.verify.test_matching import IN_PLIES, IN_TURNS

RULES = LAMPS + "(<= (goal a 0) (not (true (lamp 2))))"
OWN = (
    CustomProperty("lit and dark", "(and (true (lamp 1)) (true (dark 1)))"),
    CustomProperty("pressed late", "(and (does a (press 0)) (true (step 2)))", is_possible=True),
)


def rules(name: str, text: str) -> Ruleset:
    return Ruleset(name, (), text=text)


def checked(folder: Path, *games: Ruleset) -> list[Checked]:
    return list(check_folder(folder, origin=Provenance(games, read_index(folder))))


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("of rules") / "lamps"
    verify(rules("lamps", RULES), probes=OWN, certificates=folder)
    return folder


def test_all_that_was_said_of_a_game_is_about_its_rules(lamps: Path) -> None:
    found = checked(lamps, rules("lamps", RULES))
    names = {claim.name for claim in found}
    assert {"terminating", "lit and dark", "pressed late", "rules fire", "facts change"} <= {
        name.removeprefix("never ") for name in names
    }
    assert [claim for claim in found if not claim.holds] == []
    assert all(claim.text.endswith("; the system is that of lamps") for claim in found)


def test_a_play_that_comes_back_is_one_of_its_rules(tmp_path: Path) -> None:
    verify(rules("wheel", WHEEL), certificates=tmp_path / "wheel")
    assert all(claim.holds for claim in checked(tmp_path / "wheel", rules("wheel", WHEEL)))
    stuck = WHEEL.replace("(after 2 0)", "(after 2 1)")
    assert not any(claim.holds for claim in checked(tmp_path / "wheel", rules("wheel", stuck)))


def test_other_gates_of_the_same_text_may_come_of_little_time(lamps: Path, tmp_path: Path) -> None:
    """Gates are shared and left out while there is time: nobody is to think of a forger."""
    game, folder = rules("lamps", RULES), copied(lamps, tmp_path)
    index = read_index(folder)
    claim = next(claim for claim in index["claims"] if claim["name"] == "playable")
    model = read_aiger((folder / claim["folder"] / MODEL).read_bytes())
    data = {MODEL: aiger_bytes(replace(model, nexts=(0, *model.nexts[1:])))}.__getitem__
    same, other = (Provenance([g], index) for g in (game, rules("lamps", f"{RULES} ; later")))
    for origin in (same, other):
        with pytest.raises(CertificateError, match="does not become what lamps makes of it"):
            origin(claim, data)
    assert same.notes[0].startswith("a circuit that was made in little time has other gates")
    assert not any("little time" in note for note in other.notes)


def test_the_order_and_the_layout_of_rules_do_not_count(lamps: Path) -> None:
    shuffled = [str(rule) for rule in parse(Source("lamps", RULES), syntax="kif").rules]
    text = "\n".join(reversed(RULES.strip().splitlines()))
    assert len(shuffled) > 10
    found = checked(lamps, rules("lamps", text))
    # What is said of single rules names the lines in which they stand.
    assert {claim.name for claim in found if not claim.holds} <= {"rules fire"}


def test_what_a_search_denies_of_many_things_it_denies_of_each(tmp_path: Path) -> None:
    """That none of them is, is asked at once; the claim is of these by name."""
    game, without = rules("lamps", RULES), {ALL_STATES, INDUCTION}
    wanted = "facts change".__eq__
    (found,) = Examination(game, (), Budget(60), without=without, wanted=wanted).run().verdicts
    assert found.status == "refuted"
    folder = open_folder(tmp_path / "denied")
    claim = Claim("never facts change", found.evidence)
    write_certificates(folder, [claim], [game], Budget(60))
    (shown,) = checked(folder, game)
    assert shown.holds
    assert shown.text == (
        "lengths 0 to 3, and no play is longer: three formulas, 17 steps of proof; "
        "the system is that of lamps"
    )


CHANGES = [
    ("(init (step 0))", "(init (step 1))", "the system has a fact a: (step 0), unlike lamps"),
    (
        "(next_step 2 3)",
        "(next_step 2 3) (next_step 3 4)",
        "the system has no move (does a (press 3)), unlike lamps",
    ),
    (
        "(true (step 3))) (<= (goal a 100)",
        "(true (step 2))) (<= (goal a 100)",
        "'every step so far was a play' does not become what lamps makes of it",
    ),
    (
        "(does a (press ?x))) (<= (next (lamp",
        "(true (lamp ?x))) (<= (next (lamp",
        "the system has a fact a: (lamp 0), unlike lamps",
    ),
    (
        "(<= (legal a (press ?x)) (true (dark ?x)))",
        "(legal a (press 1))",
        "the system has a move (does a (press 0)), unlike lamps",
    ),
]


@pytest.mark.parametrize(("old", "new", "why"), CHANGES, ids=range(len(CHANGES)))
def test_rules_that_were_changed_have_no_claims(lamps: Path, old: str, new: str, why: str) -> None:
    assert RULES.count(old) == 1
    found = checked(lamps, rules("lamps", RULES.replace(old, new)))
    assert [claim.holds for claim in found] == [False] * len(found)
    assert found[0].text == why


def test_goals_count_where_a_claim_speaks_of_them(lamps: Path) -> None:
    two = RULES.replace("(<= (goal a 0) (not (true (lamp 2))))", "(goal a 0)")
    found = {claim.name: claim for claim in checked(lamps, rules("lamps", two))}
    assert found["terminating"].holds
    assert found["lit and dark"].holds
    assert not found["goals unique"].holds
    assert found["goals unique"].text == "'goals unique' is not what it is in lamps"


@pytest.mark.parametrize(
    ("more", "name", "why"),
    [
        ("(<= (legal a haunt) (true (lamp 9)))", "moves reachable", "a: haunt"),
        ("(<= (next ghost) (does a (haunt ?x)))", "moves reachable", "a: (haunt ?x)"),
    ],
)
def test_what_rules_name_in_vain_is_not_left_out(
    lamps: Path, more: str, name: str, why: str
) -> None:
    """The system stays as it was, and the claim that all can be is no longer about it."""
    before = checked(lamps, rules("lamps", RULES))
    found = checked(lamps, rules("lamps", RULES + more))
    assert [claim for claim in before if claim.name == name and claim.holds]
    others = [claim for claim in found if not claim.holds and claim.name != "rules fire"]
    assert [claim.name for claim in others] == [name]
    assert others[0].text == f"{why!r}, which the claim asks, is not looked at"


def test_what_is_denied_must_be_what_the_claim_says(tmp_path: Path) -> None:
    """What is never true has a proof whatever it is called; the rules say what it has to be."""
    game = rules("lamps", RULES)
    system = game_system(build(game.description))
    asked = system.asking([Bad("playable", FALSE)])
    folder = open_folder(tmp_path / "forged")
    claim = Claim("playable", Induction(asked, Invariants({}, ())))
    write_certificates(folder, [claim], [game], Budget(60))
    assert [claim.holds for claim in check_folder(folder)] == [True]
    (found,) = checked(folder, game)
    assert (found.holds, found.text) == (False, "'playable' is not what it is in lamps")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("winnable by a", "not winnable by a"),
        ("pressed late", "not pressed late"),
        ("playable", "never playable"),
        ("goals in range", "never goals in range"),
        ("lit and dark", "never lit and dark"),
        ("lit and dark", "no shorter play: lit and dark"),
        ("moves reachable", "no play decides moves reachable"),
        ("winnable by a", "ends"),
    ],
)
def test_no_claim_is_the_opposite_of_what_is_shown(lamps: Path, name: str, other: str) -> None:
    """A proof that nobody gets stuck is none that nobody can ever move, and so on."""
    index = read_index(lamps)
    claim = next(claim for claim in index["claims"] if claim["name"] == name)
    data = (lamps / claim["folder"] / MODEL).read_bytes()
    origin = Provenance([rules("lamps", RULES)], index)
    with pytest.raises(CertificateError, match=r"is nothing that is (said|asked) of lamps"):
        origin(claim | {"name": other}, {MODEL: data}.__getitem__)


def test_a_play_to_one_move_does_not_show_that_each_can_be_legal(tmp_path: Path) -> None:
    game = rules("lamps", RULES)
    shown = Examination(game, (), Budget(60)).run()["moves reachable"].evidence
    assert isinstance(shown, Reached)
    assert len(shown.system.bads) > 1
    folder = open_folder(tmp_path / "forged")
    claim = Claim("moves reachable", Shown(shown.system, (), is_shortest=True))
    write_certificates(folder, [claim], [game], Budget(60))
    (found,) = checked(folder, game)
    assert not found.holds
    assert found.text == "the claim is of each of several things, and one play is shown"


def test_that_something_else_never_holds_does_not_show_that_play_ends(tmp_path: Path) -> None:
    """A search denies many things by one name, which is asked of no rules."""
    game = rules("wheel", WHEEL)
    system = game_system(build(game.description)).asking([Bad("facts change", FALSE)])
    folder = open_folder(tmp_path / "forged")
    claim = Claim("terminating", Induction(system, Invariants({}, ())))
    write_certificates(folder, [claim], [game], Budget(60))
    (found,) = check_folder(folder)
    assert not found.holds
    index = read_index(folder)
    data = {MODEL: (folder / "00" / MODEL).read_bytes()}
    with pytest.raises(CertificateError, match="'facts change' is nothing that the claim asks"):
        Provenance([game], index)(index["claims"][0], data.__getitem__)


def test_that_games_agree_is_not_called_that_they_differ_up_to_some_length(tmp_path: Path) -> None:
    games = [rules("lamps", RULES), rules("more", f"{RULES} (<= (goal a 0) (true (step 9)))")]
    comparison = Comparison((games[0], games[1]), Budget(60))
    answer = comparison.run()
    assert answer.equivalent
    folder = open_folder(tmp_path / "forged")
    claim = Claim("the games differ, up to 5 moves", answer.evidence)
    write_certificates(folder, [claim], games, Budget(60), beside=comparison.beside())
    assert [found.holds for found in check_folder(folder)] == [False]
    index = read_index(folder)
    data = {MODEL: (folder / "00" / MODEL).read_bytes()}
    with pytest.raises(CertificateError, match="is nothing that is asked of two games"):
        Provenance(games, index)(index["claims"][0], data.__getitem__)


def test_no_formula_of_a_folder_has_the_name_of_what_is_asked_of_every_game(tmp_path: Path) -> None:
    """What never holds would be called playable of a game in which somebody gets stuck."""
    game = rules("lamps", RULES)
    own = replace(OWN[0], name="playable")
    evidence = Examination(game, OWN, Budget(60), without=(ALL_STATES,)).run()[OWN[0].name].evidence
    assert isinstance(evidence, Induction | NoLonger)
    system = evidence.system.asking(Bad(own.name, bad.edge) for bad in evidence.system.bads)
    folder = open_folder(tmp_path / "forged")
    asked = {"name": own.name, "formula": own.formula, "possible": False}
    claim = Claim(own.name, replace(evidence, system=system))
    write_certificates(folder, [claim], [game], Budget(60), beside={"properties": [asked]})
    (found,) = checked(folder, game)
    assert not found.holds
    assert found.text == (
        "no property can be called playable: that is what gdl verify asks of every game"
    )


def test_of_two_things_with_one_name_both_are_looked_at(tmp_path: Path) -> None:
    """`legal a:1` and `goal a:1` are both called `:1`, as places of rules are left out."""
    text = "(role a:1) (init (at 0)) (<= (legal a:1 go) (true (at 0)))"
    text += "(<= (next (at 1)) (true (at 0)))"
    text += "(<= terminal (true (at 1))) (<= (goal a:1 %s) (true (at 1)))"
    games = [rules("one", text % 100), rules("other", text % 0)]
    comparison = Comparison((games[0], games[1]), Budget(60))
    assert comparison.run().equivalent is False
    assert comparison.read is not None
    sides, matching = comparison.read
    system = side_by_side(*sides, matching).system
    legal = next(bad for bad in system.bads if bad.name == "legal a:1")
    bads = (bad if bad.name != "goal a:1" else replace(legal, name=bad.name) for bad in system.bads)
    asked = system.asking(bads)
    evidence = AllStates(asked, asked.bads)
    folder = open_folder(tmp_path / "forged")
    claim = Claim("the games agree", evidence)
    write_certificates(folder, [claim], games, Budget(60), beside=comparison.beside())
    (found,) = checked(folder, *games)
    assert (found.holds, found.text) == (False, "':1', which the claim asks, is not looked at")


def test_nobody_compares_three_games() -> None:
    games = [rules(name, RULES) for name in ("one", "two", "three")]
    index = {"games": [{"name": game.id, "rules": game.digest()} for game in games]}
    with pytest.raises(CertificateError, match="it is about 3 games, 3 are given"):
        Provenance(games, index)


def test_a_role_that_is_called_like_a_place_has_certificates(tmp_path: Path) -> None:
    """That goals agree while play goes on is another claim, though its bads read the same."""
    text = LAMPS.replace("(role a)", "(role a:1)").replace("(legal a ", "(legal a:1 ")
    text = text.replace("(does a ", "(does a:1 ").replace("(goal a ", "(goal a:1 ")
    games = rules("lamps", text), rules("more", f"{text} (<= (goal a:1 0) (true (step 9)))")
    assert diff(*games, certificates=tmp_path / "both").equivalent
    found = checked(tmp_path / "both", *games)
    assert [(claim.name, claim.holds) for claim in found] == [
        ("the games agree", True),
        ("goals agree while play goes on", True),
    ]


PAID = """
(role a) (role b)
(init (at 0))
(<= (legal a (go ?n)) (true (at 0)) (road ?n)) (<= (legal b wait) (true (at 0)))
(road 1) (road 2)
(<= (next (at ?n)) (does a (go ?n)))
(<= terminal (not (true (at 0))))
(<= (goal a 60) (true (at 1))) (<= (goal b 40) (true (at 1)))
(<= (goal a 50) (true (at 2))) (<= (goal b %s) (true (at 2)))
"""


def test_that_no_end_has_some_sum_is_not_shown_by_one_end(tmp_path: Path) -> None:
    """All ends of a game give 100; that one of them does not give 0 shows no other sum."""
    game = rules("paid", PAID % 50)
    circuit = build(game.description)
    not_nothing = constant_sum(circuit, 0)
    system = game_system(circuit).asking([Bad(not_nothing.name, not_nothing.edge)])
    for name, beside in (("one", None), ("other", ((1, 0),)), ("begun", ())):
        folder = open_folder(tmp_path / name)
        claim = Claim(
            "not constant sum", Shown(system, ((0, 0),), is_shortest=False, beside=beside)
        )
        write_certificates(folder, [claim], [game], Budget(60))
        (found,) = checked(folder, game)
        assert not found.holds
    assert found.text == "a play does not come to an end"
    signed_with(tmp_path / "other", "100\n")
    assert checked(tmp_path / "other", game)[0].text == "a step of a play is no joint move"
    signed_with(tmp_path / "other", "1\n")
    assert not checked(tmp_path / "other", game)[0].holds


def signed_with(folder: Path, rows: str) -> None:
    (folder / "00" / "beside.txt").write_text(rows, encoding="ascii")
    signed(folder)


@pytest.mark.later
@pytest.mark.parametrize("without", [(), (ALL_STATES,), (RANDOM,)])
@pytest.mark.parametrize("is_one_end", [False, True])
def test_two_ends_of_other_sums_are_shown(
    is_one_end: bool,  # noqa: FBT001  # a parameter
    without: Sequence[str],
    tmp_path: Path,
) -> None:
    """Also where there is one end only, with two goals for a role, so that it has two sums."""
    one_end = PAID.replace("(road 1) ", "") % "50) (true (at 2))) (<= (goal b 10"
    game = rules("paid", one_end if is_one_end else PAID % "30")
    verdict = Examination(game, (), Budget(60), without=without).run()["constant sum"]
    folder = open_folder(tmp_path / "shown")
    write_certificates(folder, claims_of("not constant sum", verdict.evidence), [game], Budget(60))
    assert all(claim.holds for claim in checked(folder, game))


def test_an_end_with_two_goals_for_a_role_has_the_sum_of_one_of_them(tmp_path: Path) -> None:
    """Both together are no sum of goals, and that no end has it says nothing."""
    text = PAID.replace("(road 1) ", "") % "50) (true (at 2))) (<= (goal b 3"
    game = rules("paid", text)
    folder = tmp_path / "shown"
    found = verify(game, certificates=folder)["constant sum"]
    assert (found.status, found.claim) == (
        "refuted",
        "the goals of finished games always add up to 53",
    )
    assert all(claim.holds for claim in checked(folder, game))


def changed_models(model: AigerFile, count: int) -> Iterator[AigerFile]:
    chance = random.Random(0)
    while count:
        other = _other_circuit(model, chance)
        if other != model:
            count -= 1
            yield other


def shown(model: AigerFile, chance: random.Random) -> list[int]:
    """Return what a system does in 256 random states: what follows, and what is bad."""
    ones = (1 << 256) - 1
    inputs, latches = (
        [chance.getrandbits(256) for _ in range(n)] for n in (model.inputs, len(model.nexts))
    )
    values = model.evaluate(inputs, latches, ones)
    return [values[e >> 1] ^ (ones if e & 1 else 0) for e in (*model.nexts, *model.bads)]


def test_a_changed_system_is_none_of_the_rules(lamps: Path) -> None:
    game = rules("lamps", RULES)
    origin = Provenance([game], read_index(lamps))
    claims = [claim for claim in read_index(lamps)["claims"] if claim["kind"] != "plays"]
    refused = 0
    for claim in claims:
        data = (lamps / claim["folder"] / MODEL).read_bytes()
        model = read_aiger(data)
        assert origin(claim, {MODEL: data}.__getitem__) == "the system is that of lamps"
        for other in changed_models(model, examples(12)):
            try:
                origin(claim, {MODEL: aiger_bytes(other)}.__getitem__)
            except CertificateError:
                refused += 1
            else:
                assert shown(other, random.Random(1)) == shown(model, random.Random(1))
                assert other.resets == model.resets
    assert refused > len(claims)


# ---------------------------------------------------------------------- two games

ONE = rules("plies", IN_PLIES)
OTHER = rules("turns", IN_TURNS)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("of rules") / "both"
    assert diff(ONE, OTHER, certificates=folder).equivalent
    return folder


@pytest.mark.later
def test_two_games_are_those_that_were_compared(both: Path) -> None:
    origin = Provenance([ONE, OTHER], read_index(both))
    found = list(check_folder(both, origin=origin))
    assert all(claim.holds for claim in found)
    assert "matched: (place 1), cw = (turn 1 cw)" in origin.notes
    assert not any(claim.holds for claim in checked(both, OTHER, ONE))
    barred = rules("turns", f"{IN_TURNS} (<= (barred b ccw) (true (has w 2)))")
    assert not any(claim.holds for claim in checked(both, ONE, barred))


def test_rules_in_other_words_are_those_that_were_compared(tmp_path: Path) -> None:
    one, other = rules("lamps", RULES), rules("lights", RULES.replace("lamp", "light"))
    folder = tmp_path / "same"
    assert diff(one, other, certificates=folder).equivalent
    (right,), (wrong,) = checked(folder, one, other), checked(folder, one, rules("lights", RULES))
    assert right.holds
    assert right.text.endswith("; these are the rules of lamps and lights")
    assert (wrong.holds, wrong.text) == (False, "the rules that lie there are not those of lights")


@pytest.mark.slow
def test_what_stands_for_what_is_nothing_that_a_folder_could_make_up(
    both: Path, tmp_path: Path
) -> None:
    for key, value, why in FORGED:
        folder = copied(both, tmp_path)
        index = json.loads((folder / "certificates.json").read_text(encoding="utf-8"))
        index["matching"][key] = value
        (folder / "certificates.json").write_text(json.dumps(index), encoding="utf-8")
        signed(folder)
        found = checked(folder, ONE, OTHER)[0]
        assert (found.holds, found.text) == (False, why)


NEXT = "'b: (has b 1)' does not become"
SAYS = "what the folder says stands for what"
FORGED: Sequence[tuple[str, object, str]] = [
    ("roles", [["w", "b"], ["b", "w"]], f"{NEXT} what plies and turns makes of it"),
    ("roles", [["w", "x"], ["b", "w"]], f"{SAYS}: w = x, b = w; these games have other roles"),
    ("roles", None, f"{SAYS} are no pairs of names"),
    (
        "moves",
        [[], []],
        (
            "the system has a move (does w (then (place 1) ccw) & (turn 1 ccw)), "
            "unlike plies and turns"
        ),
    ),
    ("moves", [], "the folder does not say of each role which moves stand for which"),
    ("moves", [[["noop", "pass"]], []], f"{SAYS}: pass, a move that these rules do not have"),
    ("moves", [[["noop", "noop"]] * 2, []], f"{SAYS}: a pair of moves is there twice"),
    ("turns", [False, False], f"{SAYS}: (then (place 1) ccw), a move that these rules do not have"),
    ("turns", "no", "the folder does not say which games are read in whole turns"),
    ("percepts", [[["a", "b"]], []], f"{SAYS}: a percept that these rules do not have"),
    ("percepts", 3, "the folder does not say of each role which percepts are which"),
]


# ---------------------------------------------------------------------- the command


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["certify", *words])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_the_command_names_what_is_not_about_the_rules(
    lamps: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lamps.parent)
    Path("lamps.kif").write_text(RULES, encoding="utf-8")
    code, said = run(capsys, "lamps", "--of", "lamps.kif")
    assert code == 0
    assert "note: lit and dark: never (and (true (lamp 1)) (true (dark 1)))" in said
    assert "the claim's name" not in said
    Path("other.kif").write_text(RULES.replace("(init (step 0))", "(init (step 1))"), "utf-8")
    code, said = run(capsys, "lamps", "--of", "other.kif")
    assert code == 1
    assert "note: the text of other.kif is not the one that the folder names (lamps)" in said
    assert run(capsys, "lamps", "--of", "lamps.kif", "other.kif") == (2, OF_TWO)
    assert run(capsys, "lamps", "lamps.kif") == (2, BESIDE)


OF_TWO = """\
error: lamps is not about lamps.kif and other.kif: it is about 1 game, 2 are given
  expected: after --of as many games as the certificates were written of
  help: gdl certify lamps checks them without
"""
BESIDE = """\
error: lamps.kif stands beside the folder
  expected: rules after --of
  help: gdl certify lamps --of lamps.kif
"""


def test_of_many_notes_the_command_shows_the_first(
    both: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands for what in two readings of Pentago is 288 lines."""
    monkeypatch.chdir(both.parent)
    for name, text in (("plies", IN_PLIES), ("turns", IN_TURNS)):
        Path(f"{name}.kif").write_text(text, encoding="utf-8")
    _, said = run(capsys, "both", "--of", "plies.kif", "turns.kif")
    whole = [line for line in said.splitlines() if line.startswith("note: ")]
    assert "note: matched: (place 1), cw = (turn 1 cw)" in whole
    monkeypatch.setattr("gdl.cli.comparing.certify.NOTES", 2)
    _, said = run(capsys, "both", "--of", "plies.kif", "turns.kif")
    more = f"note: and {len(whole) - 2} more; certificates.json lists them"
    assert [line for line in said.splitlines() if line.startswith("note: ")] == [*whole[:2], more]


def test_a_folder_that_says_nothing_of_its_games_is_about_none(both: Path, tmp_path: Path) -> None:
    folder = copied(both, tmp_path)
    index = json.loads((folder / "certificates.json").read_text(encoding="utf-8"))
    del index["matching"], index["digest"]
    index["digest"] = digest_of(json.dumps(index, sort_keys=True).encode())
    (folder / "certificates.json").write_text(json.dumps(index), encoding="utf-8")
    lacking = "the folder does not say what stands for what in two games"
    assert {claim.text for claim in checked(folder, ONE, OTHER)} == {lacking}


def test_claims_that_are_asked_of_no_game_are_refused(lamps: Path, tmp_path: Path) -> None:
    def edit(claims: Claims) -> None:
        claims[:] = [claim for claim in claims if claim["name"] == "lit and dark"]
        claims[0] |= {"name": "nobody is dark"}

    folder = copied(lamps, tmp_path)
    signed(folder, edit)
    (found,) = checked(folder, rules("lamps", RULES))
    assert (found.holds, found.text) == (
        False,
        "'nobody is dark' is nothing that is asked of lamps",
    )
