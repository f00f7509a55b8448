"""Properties of games: known verdicts, and refutations that the reasoner confirms."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gdl.cli.main import main
from gdl.game import load
from gdl.language.diagnostics import GdlError, LimitError
from gdl.ruleset import Ruleset
from gdl.verify import verify
from gdl.verify.properties import examination
from gdl.verify.properties.custom import CustomProperty, read_properties
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.verdict import Verdict
from gdl.verify.properties.well_formed import Property
from gdl.verify.proving.prove import ALL_STATES, RANDOM, Prover
from gdl.verify.solvers import budget as budgets
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from tests.shared import ROOT, SHARED, needs_games


def test_tictactoe_is_well_formed() -> None:
    found = verify("tictactoe")
    assert {verdict.status for verdict in found.verdicts} == {"proved"}
    assert found["terminating"].depth == 9
    assert found["winnable by x"].depth == 5
    assert found["winnable by o"].depth == 6


@pytest.mark.slow
def test_a_line_of_four_in_a_column_takes_seven_moves() -> None:
    found = verify("connectfour")
    assert (found["winnable by red"].depth, found["winnable by red"].is_shortest) == (7, True)
    assert found["winnable by yellow"].depth == 8


@pytest.mark.slow
@needs_games
def test_the_public_pentago_gives_two_goals() -> None:
    path = SHARED / "games" / "pentago.kif"
    verdict = verify(path)["goals unique"]
    assert (verdict.status, verdict.depth, verdict.is_shortest) == ("refuted", 19, True)
    assert verdict.play is not None
    game = load(path, backend="reason")
    state = game.initial()
    for joint in verdict.play:
        state = state.play(joint)
    assert state.is_terminal
    assert game.machine.goals(state.inner, game.machine.roles[1]) == (0, 100)


def test_a_property_of_the_users_own() -> None:
    probes = [
        CustomProperty("both lines", "(and (line x) (line o))"),
        CustomProperty("a full board", "(not open)", is_possible=True),
    ]
    found = verify("tictactoe", probes=probes)
    assert found["both lines"].status == "proved"
    assert (found["a full board"].status, found["a full board"].depth) == ("proved", 9)


def test_properties_are_read_one_a_line() -> None:
    text = "; comment\n\nnever both lines: (and (line x) (line o))\npossible: (not open)\n"
    both, full = read_properties(text)
    assert (both.name, both.formula, both.is_possible) == (
        "both lines",
        "(and (line x) (line o))",
        False,
    )
    assert (full.name, full.formula, full.is_possible) == ("(not open)", "(not open)", True)
    assert [str(each.span) for each in (both, full)] == ["properties:3:19", "properties:4:11"]


def test_a_line_that_is_no_property_says_what_is_expected() -> None:
    with pytest.raises(GdlError) as caught:
        read_properties("always good: (open)", name="mine.txt")
    assert str(caught.value) == (
        "mine.txt:1:1: error[no-property]: this line is no property\n"
        "  1 | always good: (open)\n"
        "    | ^^^^^^^^^^^^^^^^^^^\n"
        "  expected: never NAME: FORMULA, or possible NAME: FORMULA\n"
        "  help: never both lines: (and (line black) (line white))"
    )


@pytest.mark.slow
def test_time_is_kept() -> None:
    start = time.monotonic()
    found = verify("gomoku/freestyle", seconds=2)
    assert time.monotonic() - start < 30  # a busy machine; without a limit it takes minutes
    assert {verdict.status for verdict in found.verdicts} <= {"proved", "open"}
    assert "terminating" in {verdict.name for verdict in found.verdicts}


def test_what_is_open_is_asked_again_in_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares: dict[str, list[float]] = {"playable": [], "goals unique": [], "goals in range": []}

    def decide(_: object, asked: Property, budget: Budget) -> Verdict:
        shares[asked.name].append(budget.seconds)
        if asked.name != "goals in range" and budget.seconds < 30:
            raise OutOfBudgetError("too short")
        return Verdict(asked.name, asked.claim, "proved", "")

    monkeypatch.setattr(examination._Prepared, "_decide", decide)
    game = Ruleset("step", (), text="(role r) (legal r go) (<= (next p) (does r go)) (goal r 50)")
    found = Examination(game, (), Budget(100), wanted=shares.__contains__).run()
    assert not found.open
    assert len(shares["goals in range"]) == 1
    for first, second in (shares["playable"], shares["goals unique"]):
        assert first < 26  # a quarter
        assert second > 45  # half of what is left, as two are open; then all of it


STEP = Ruleset(
    "step",
    (),
    text="""(role r) (legal r go) (legal r stay) (<= (next p) (does r go)) (init (c 0)) (succ 0 1)
    (succ 1 2) (succ 2 3) (<= (next (c ?j)) (true (c ?i)) (succ ?i ?j)) (<= terminal (true (c 3)))
    (<= (goal r 100) (true p)) (<= (goal r 0) (not (true p)))""",
)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "the memory ran out"),
        (LimitError("more than 9 facts", expected="fewer"), "more than 9 facts"),
    ],
)
def test_a_property_that_runs_out_of_memory_takes_no_other_along(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    """All answers of a file were lost."""
    own, told = examination._Prepared._decide, list[str]()

    def decide(self: examination._Prepared, asked: Property, budget: Budget) -> Verdict:
        if asked.name == "playable":
            raise error
        return own(self, asked, budget)

    monkeypatch.setattr(examination._Prepared, "_decide", decide)
    wanted = {"terminating", "playable", "goals unique", "goals in range"}
    found = Examination(
        STEP,
        (),
        Budget(60),
        wanted=wanted.__contains__,
        on_verdict=lambda verdict: told.append(f"{verdict.name}: {verdict.status}"),
    ).run()
    assert {v.name: v.status for v in found.verdicts} == {
        name: "open" if name == "playable" else "proved" for name in wanted
    }
    assert found["playable"].text == said
    assert told == [f"{v.name}: {v.status}" for v in found.verdicts]


@pytest.mark.parametrize("stage", ["play", "learn"])
def test_where_a_stage_runs_out_of_memory_all_is_asked_without_it(
    monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def run_out(_: Prover, *__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Prover, stage, run_out)
    found = Examination(STEP, (), Budget(60), without={ALL_STATES}).run()
    assert found["playable"].status == found["goals unique"].status == "proved"


LITTLE = """
from gdl.verify.verification import verify
found = verify("pentago/strict", megabytes=16)["playable"]
print(found.status, found.text)
"""


@pytest.mark.slow
def test_memory_is_kept() -> None:
    """In a process of its own: another may have room from before, and need no more for this."""
    ran = subprocess.run(
        [sys.executable, "-c", LITTLE],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.match(r"open .*(16 megabytes are in use|[\d,]+ bytes)", ran.stdout), ran.stdout


def test_memory_counts_from_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(megabytes=64)
    monkeypatch.setattr(budgets, "memory_held", lambda: budget._held + (63 << 20))
    budget.check()
    budget.share(60).check()
    monkeypatch.setattr(budgets, "memory_held", lambda: budget._held + (64 << 20))
    for each in (budget, budget.share(60), budget.without_proofs()):
        with pytest.raises(OutOfBudgetError, match="all of 64 megabytes are in use"):
            each.check()


INTERRUPTED = """
from gdl.verify.verification import verify
found = verify("gomoku/freestyle", seconds=100, on_stage=lambda stage, _: print(stage, flush=True))
for verdict in found.verdicts:
    print(verdict.name, verdict.status, verdict.text, sep=": ")
"""


@pytest.mark.slow
def test_ctrl_c_gives_what_is_known_by_then() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=env,
    ) as running:
        assert running.stdout is not None
        while "random play" not in running.stdout.readline():
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        shown, errors = running.communicate(timeout=100)
    assert errors == ""
    assert running.returncode == 0
    assert "playable: open: interrupted" in shown
    assert "goals in range: proved: no state can" in shown
    assert "rules fire: open: interrupted" in shown


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (
            "(and (line x) (lin o))",
            """\
--never:1:15: error[undefined-relation]: no rule or fact is about lin, so (lin ...) never holds
  1 | (and (line x) (lin o))
    |               ^^^^^^^
  expected: a relation that some rule or fact produces
  help: did you mean line?
""",
        ),
        (
            "(true (control xx))",
            """\
--never:1:16: error[unknown-name]: the rules know no xx, so this never holds
  1 | (true (control xx))
    |                ^^
  expected: a name that the rules use
""",
        ),
        (
            "(not (true (cell a 1 ?who)))",
            """\
--never:1:22: error[unsafe-negation]: ?who occurs under not but in no positive literal of the body
  1 | (not (true (cell a 1 ?who)))
    |                      ^^^^
  expected: every variable under not in a positive body literal too
  help: add a literal that binds ?who, or ask a helper relation that does
""",
        ),
        (
            "(line x",
            """\
--never:1:1: error[unclosed-bracket]: this bracket is never closed
  1 | (line x
    | ^
  help: add ) at the end of line 1
""",
        ),
        (
            " ",
            """\
error: the property never   has no formula
  expected: a formula of the rules, for instance (and (line black) (line white))
""",
        ),
    ],
)
def test_an_error_points_into_the_formula(
    formula: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "tictactoe", "--never", formula]) == 2
    assert capsys.readouterr().err == text


def test_a_formula_may_speak_of_moves() -> None:
    probes = [
        CustomProperty("out of turn", "(and (does ?r (mark ?c ?n)) (not (true (control ?r))))"),
        CustomProperty("a corner twice", "(and (does x (mark a 1)) (true (cell c 3 x)))"),
    ]
    found = verify("tictactoe", probes=probes)
    assert found["out of turn"].status == "proved"
    assert (found["a corner twice"].status, found["a corner twice"].depth) == ("refuted", 3)


@pytest.mark.slow
def test_search_and_enumeration_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = verify("tictactoe")
    monkeypatch.setattr(examination, "MAX_STATES", 1)
    searched = verify("tictactoe")
    assert [(v.name, v.status, v.claim) for v in looked.verdicts] == [
        (v.name, v.status, v.claim) for v in searched.verdicts
    ]
    for one, other in zip(looked.verdicts, searched.verdicts, strict=True):
        assert (one.play is None) == (other.play is None)
        assert one.play is None or one.depth == other.depth


STEPS = """
    (role white) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal white go) (not terminal))
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
"""
"""A game of one role that goes three steps; each test says when it is over."""


def test_watching_changes_no_game_that_asks_whether_there_is_any_goal(tmp_path: Path) -> None:
    rules = tmp_path / "any.kif"
    rules.write_text(f"{STEPS} (<= terminal (goal white ?v)) (<= (goal white 100) (true (step 3)))")
    probes = [
        CustomProperty("two steps", "(true (step 2))", is_possible=True),
        CustomProperty("two goals", "(and (goal white ?x) (goal white ?y) (distinct ?x ?y))"),
    ]
    found = verify(rules, probes=probes)
    assert {verdict.name: verdict.status for verdict in found.verdicts} == dict.fromkeys(
        [verdict.name for verdict in found.verdicts], "proved"
    )
    assert found["terminating"].depth == 3
    assert found["two steps"].depth == 2


def test_watching_leaves_numbers_to_the_rules_that_have_them(tmp_path: Path) -> None:
    rules = tmp_path / "numbers.kif"
    rules.write_text(
        "(role white) (init (n 0)) (legal white a) (legal white b)"
        "(<= (next (n 1)) (does white a)) (<= (next (n 2)) (does white b))"
        "(<= terminal (not (true (n 0)))) (<= (sees white 9000001) (does white a))"
        "(<= (goal white 100) (true (n 1))) (<= (goal white 50) (true (n 2)))"
        "(<= (goal white 9000000) (true (n 2)))"
    )
    probes = [
        CustomProperty("nowhere", "(true (n 5))"),
        CustomProperty("to the right", "(does white b)", is_possible=True),
        CustomProperty("asked", "(and (goal white 9000000) (true (n 1)))"),
    ]
    with_probes, without = verify(rules, probes=probes), verify(rules)
    for found in (with_probes, without):
        assert found["goals in range"].status == "refuted"
        assert found["goals unique"].status == "refuted"
    assert with_probes["nowhere"].status == with_probes["asked"].status == "proved"
    assert list(map(str, with_probes["to the right"].play or ())) == ["(Constant('b'),)"]


def test_a_relation_between_bars_is_not_what_was_set_aside(tmp_path: Path) -> None:
    rules = tmp_path / "any.kif"
    rules.write_text(
        f"{STEPS} (<= terminal (goal white ?v)) (<= (goal white 100) (true (step 3)))"
        "(|goal as written| white 0)"
    )
    probes = [CustomProperty("two steps", "(true (step 2))", is_possible=True)]
    assert verify(rules, probes=probes)["two steps"].depth == 2


def test_formulas_do_not_see_each_other(tmp_path: Path) -> None:
    rules = tmp_path / "end.kif"
    rules.write_text(f"{STEPS} (<= terminal (true (step 3))) (goal white 100)")
    probes = [
        CustomProperty("one step", "(true (step 1))", is_possible=True),
        CustomProperty("another goal", "(and (goal white ?x) (distinct ?x 100))"),
    ]
    assert verify(rules, probes=probes)["another goal"].status == "proved"


def test_rules_may_have_a_relation_of_any_name() -> None:
    """Also that of the rule which a formula is read as."""
    text = f"{STEPS} (<= terminal watched) (<= watched (true (step 3))) (goal white 100)"
    game = Ruleset("steps", (), text=text)
    probes = [
        CustomProperty("soon", "(not watched)", is_possible=True),
        CustomProperty("late", "(and watched (not (true (step 3))))"),
    ]
    found = verify(game, probes=probes)
    assert [found[name].status for name in ("soon", "late")] == ["proved", "proved"]


def test_what_tells_of_a_formula_is_nobodys_goal() -> None:
    """Where a play ends without a goal, however it is found."""
    text = """
        (role white) (role black) (legal white go) (legal black go)
        (<= (next over) (does white go)) (<= terminal (true over))
    """
    probes = [CustomProperty("the end", "terminal")]
    for without in ((), (RANDOM, ALL_STATES)):
        game = Ruleset("end", (), text=text)
        found = Examination(game, probes, Budget(60), without=without).run()
        assert found["goals unique"].status == found["the end"].status == "refuted"
        assert found["constant sum"].claim == "the goals of finished games always add up to 0"
        assert found["constant sum"].status == "proved"


def test_an_end_without_a_goal_adds_nothing_to_the_sum(tmp_path: Path) -> None:
    rules = tmp_path / "ends.kif"
    rules.write_text(
        "(role white) (role black) (init here) (<= (legal white (to a)) (true here))"
        "(<= (legal white (to b)) (true here)) (<= (legal black noop) (true here))"
        "(<= (next (at ?x)) (does white (to ?x))) (<= terminal (true (at ?x)))"
        "(<= (goal white 100) (true (at a))) (<= (goal black 0) (true (at a)))"
        "(<= (goal white 50) (true (at b)))"
    )
    for seed in range(2):  # whichever end random play sees first
        verdict = verify(rules, seed=seed)["constant sum"]
        assert (verdict.status, verdict.depth) == ("refuted", 1)
