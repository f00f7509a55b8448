"""Rulesets compared: differences with a known length, equivalence of the same game."""

from dataclasses import replace
from pathlib import Path

import pytest

import gdl
from gdl.cli.comparing.diff import _cell
from gdl.language.diagnostics import GdlError
from gdl.language.render import render
from gdl.ruleset import Ruleset, find
from gdl.verify.answer import Kind
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.solvers.budget import OutOfBudgetError
from tests.cli.running import gdl as command
from tests.conformance.mutants import all_mutants
from tests.shared import SHARED, needs_games
from tests.verify.scramble import scramble

NAMED_ANEW = (
    *("connectfour", "gomoku/freestyle", "pentago/strict", "pentago/utwente", "pentago/classic"),
    *("pentago/phased", "breakthrough", "clobber", "hex?size=5", "kuhnpoker", "leducpoker"),
    *("othello", "tron", "tictactoe"),
)
"""Rulesets whose numbers may have other names, as all goals are written out."""


def scrambled(name: str, folder: Path, seed: int) -> Path:
    path = folder / "scrambled.kif"
    path.write_text(render(scramble(find(name).description, seed=seed)), encoding="utf-8")
    return path


def changed(folder: Path, name: str, old: str, new: str) -> Path:
    """Return a rule file with one text replaced."""
    text = "\n".join(source.text for source in find(name).texts())
    assert text.count(old) == 1
    path = folder / "changed.kif"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_the_same_rules_are_equivalent_without_a_solver() -> None:
    answer = gdl.diff("tictactoe", "tictactoe")
    assert answer.equivalent
    assert answer.proved
    assert answer.play is None
    assert answer.method == "the same rules, in whatever order"


WITHOUT_MEANING = {
    "its own negation": ("(<= p (not q)) (<= q (not p)) (<= terminal p)", "unstratified-negation"),
    "a variable without a value": (
        "(<= (gone ?x) (not (true (at ?x)))) (<= terminal (gone ?x))",
        "unsafe-variable",
    ),
}


@pytest.mark.parametrize("name", WITHOUT_MEANING)
@pytest.mark.parametrize("other", ["", "(<= terminal (not (true (at ?x))))"])
def test_rules_without_a_meaning_are_refused_and_equal_to_none(name: str, other: str) -> None:
    """Also beside rules that have one and are the same once helpers are written out."""
    rules, slug = WITHOUT_MEANING[name]
    game = "(role r) (legal r a) (goal r 50) (init (at 1))"
    one = Ruleset("one", (), text=f"{game} {rules}")
    beside = Ruleset("other", (), text=f"{game} {other or rules}")
    for pair in ((one, beside), (beside, one)):
        with pytest.raises(GdlError) as caught:
            gdl.diff(*pair)
        assert [problem.slug for problem in caught.value.diagnostics] == [slug]


@pytest.mark.parametrize("text", ["", "; nothing", "(init (at 1)) terminal"])
def test_rules_that_nobody_plays_are_equal_to_none(text: str) -> None:
    game = Ruleset("empty", (), text=text)
    with pytest.raises(GdlError) as caught:
        gdl.diff(game, game)
    assert str(caught.value) == "the rules name no role, so nobody can play"


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMED_ANEW)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_game_is_equivalent_to_itself_in_other_words(
    name: str, seed: int, tmp_path: Path
) -> None:
    answer = gdl.diff(name, scrambled(name, tmp_path, seed))
    assert answer.equivalent
    assert answer.proved
    assert answer.method == "the same rules, in other words"
    assert len(answer.matched) > 4


@pytest.mark.later
@pytest.mark.parametrize(
    ("old", "new", "depth", "kind"),
    [
        # Nothing moves before the first move: who begins is seen at once.
        ("(init (control x))", "(init (control o))", 0, Kind.LEGAL),
        # A mark on a mark is first possible when there is a mark.
        ("    (not (occupied ?col ?row)))", "    (column ?col))", 1, Kind.LEGAL),
        # A full board without a line needs all nine.
        ("(<= (goal ?player 50)", "(<= (goal ?player 40)", 9, Kind.GOAL),
    ],
)
def test_a_fault_in_tictactoe_is_found_after_the_fewest_moves(
    old: str, new: str, depth: int, kind: Kind, tmp_path: Path
) -> None:
    answer = gdl.diff("tictactoe", changed(tmp_path, "tictactoe", old, new))
    assert answer.equivalent is False
    assert answer.proved
    assert answer.depth == depth
    assert answer.play is not None
    assert len(answer.play) == depth
    assert answer.what[0].startswith(f"{kind} ")
    assert answer.kinds == (kind,) * len(answer.what)
    # The table tells what differs from the kind: words may change.
    assert _cell(replace(answer, what=("they part",))) == f"{depth}: {kind}"


@pytest.mark.slow
def test_two_lines_at_once_need_ten_turns() -> None:
    answer = gdl.diff("pentago/strict", "pentago/utwente")
    assert (answer.depth, answer.proved) == (10, True)
    assert answer.what == (
        "goal of black: 0 in pentago/strict, 50 in pentago/utwente",
        "goal of white: 100 in pentago/strict, 50 in pentago/utwente",
    )


@pytest.mark.slow
def test_the_report_has_the_play_the_boards_the_difference_and_the_reasons() -> None:
    report = str(gdl.diff("pentago/strict", "pentago/utwente"))
    for text in (
        "differs after 10 moves (no shorter play does)",
        "matched by same names",
        "  10. ",
        "A B C   D E F",
        "- goal of black: 0 in pentago/strict, 50 in pentago/utwente",
        "(wins white)  [strict.kif:",
        "the reasoner confirms the play",
    ):
        assert text in report


@pytest.mark.slow
@needs_games
def test_the_public_phased_file_is_ours() -> None:
    answer = gdl.diff("pentago/phased", SHARED / "games" / "pentago.v1.kif")
    assert answer.equivalent
    assert answer.proved


@pytest.mark.slow
@needs_games
def test_the_fault_of_the_other_public_file_needs_a_black_line() -> None:
    answer = gdl.diff("pentago/phased", SHARED / "games" / "pentago.kif")
    assert (answer.depth, answer.proved) == (19, True)
    assert answer.what[0].startswith("goal of black: 100 in pentago/phased, 0 and 100 in ")


@pytest.mark.slow
def test_games_without_common_moves_are_an_error_and_not_equal() -> None:
    with pytest.raises(gdl.CorrespondenceError) as caught:
        gdl.diff("tictactoe", "connectfour")
    assert str(caught.value) == (
        "the moves of tictactoe and connectfour cannot be matched\n"
        "  note: roles of tictactoe: x o\n"
        "  note: roles of connectfour: red yellow\n"
        "  note: only tictactoe has (mark a 1), (mark a 2), (mark a 3), (mark b 1) and 5 more\n"
        "  note: only connectfour has (drop 1), (drop 2), (drop 3), (drop 4) and 3 more\n"
        "  expected: the same names, notation, board picture, structure or shape\n"
        "  help: fill in what stands for what, and say: gdl diff A B --map FILE\n"
        "    [roles]  # of tictactoe; in connectfour: red yellow\n"
        '    "x" = ""\n'
        '    "o" = ""\n'
        "    [constants]  # words of moves of tictactoe; in connectfour: drop 4 5 6 7\n"
        '    "mark" = ""\n'
        '    "a" = ""\n'
        '    "b" = ""\n'
        '    "c" = ""\n'
        "    [moves]  # whole moves, where words are not enough\n"
        '    # "(mark c 3)" = "(drop 7)"'
    )


def test_moves_that_one_game_lacks_are_a_difference_where_they_are_legal(tmp_path: Path) -> None:
    other = changed(
        tmp_path,
        "tictactoe",
        "(<= (legal ?player (mark ?col ?row))",
        "(<= (legal ?player (mark ?col ?row)) (distinct ?col a) (distinct ?row 3)",
    )
    answer = gdl.diff("tictactoe", other)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 0)
    assert answer.what == ("legal for x in tictactoe only: a1, a2, a3, b3, c3",)


def test_a_budget_that_ends_before_the_games_are_read_gives_an_honest_answer() -> None:
    answer = gdl.diff("pentago/strict", "pentago/utwente", seconds=0.1)
    assert answer.equivalent is None
    assert answer.headline == "no difference found, not proved (0.1 seconds are over)"


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["circuits", "matching", "random play", "invariants", "search"])
def test_an_interrupt_gives_what_is_known_by_then(stage: str, tmp_path: Path) -> None:
    interrupts = iter([KeyboardInterrupt])

    def interrupt(name: str, _text: str) -> None:
        if name == stage:
            for error in interrupts:
                raise error

    other = changed(tmp_path, "connectfour", "(goal ?player 50)", "(goal ?player 40)")
    answer = gdl.diff("connectfour", other, on_stage=interrupt)
    assert not answer.proved
    assert answer.equivalent is None or answer.play is not None
    assert answer.method == "interrupted"


@pytest.mark.parametrize("stop", [OutOfBudgetError("60 seconds are over"), KeyboardInterrupt()])
def test_a_difference_stands_where_time_ends_before_other_ways_to_match_are_tried(
    stop: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> None:
        raise stop

    monkeypatch.setattr("gdl.verify.diff.find_another", ends)
    path = changed(tmp_path, "tictactoe", "(goal ?player 50)", "(goal ?player 40)")
    answer = gdl.diff("tictactoe", path)
    assert (answer.equivalent, answer.proved) == (False, True)
    untold = "whether moves matched otherwise agree longer was not looked at to the end"
    assert f"{untold}: {str(stop) or 'interrupted'}" in answer.notes
    assert untold in str(answer)


@pytest.mark.slow
def test_a_move_beside_those_that_it_could_stand_for_is_one_more(tmp_path: Path) -> None:
    """A bare placement stands for turns where there are none; beside them it is a difference."""
    lazy = next(m for m in all_mutants() if m.name.endswith("rotation-may-be-left-out"))
    answer = gdl.diff(lazy.ruleset, lazy.write(tmp_path))
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 0)
    assert answer.what[0].startswith(
        "legal for black in pentago/utwente:rotation-may-be-left-out only: (place a 1), (place a 2)"
    )


TELLING = """
(role r) (role s) (init p) (legal r a) (legal r b) (legal s c)
(<= (next q) (does r a)) (<= terminal (true q)) (goal r 50) (goal s 50)
(<= (sees s (it ?m)) (does r ?m) {more})
"""


def test_what_is_seen_otherwise_is_so_by_a_rule() -> None:
    one = Ruleset("one", (), text=TELLING.format(more=""))
    other = Ruleset("other", (), text=TELLING.format(more="(not (true p))"))
    answer = gdl.diff(one, other)
    assert (answer.depth, answer.kinds) == (1, (Kind.SEES,))
    assert answer.sentence == (
        "after 1 move s saw (it a) in one, nothing in other: one says so at one:4; "
        "other asks that (true p) does not hold at other:4, and it does"
    )
    state = gdl.load(other).initial().play(["a", "c"])
    assert "but (true p)" in str(state.why("sees s (it a)"))  # of the last move, where p was true


def test_games_that_have_no_turns_are_refused_and_not_told_to_differ(tmp_path: Path) -> None:
    """A map would not help; and the exit code is not that of a difference."""
    texts = {name: TELLING.format(more=more) for name, more in (("one", ""), ("two", "(true p)"))}
    with pytest.raises(TurnError) as caught:
        gdl.diff(*(Ruleset(name, (), text=text) for name, text in texts.items()), turns=True)
    assert str(caught.value) == (
        "neither one nor two can be read in whole turns\n"
        "  note: of one: what roles see of each ply is not read in whole turns\n"
        "  note: of two: what roles see of each ply is not read in whole turns\n"
        "  expected: two plies of the same role in a row, the others with noop, throughout\n"
        "  help: compare ply by ply (--plies)"
    )
    games = [tmp_path / f"{name}.kif" for name in texts]
    for game, text in zip(games, texts.values(), strict=True):
        game.write_text(text)
    ran = command("diff", *map(str, games), "--turns")
    assert (ran.code, "can be read in whole turns" in ran.err) == (3, True)


LOCK = "31425314"
"""What has to be placed, turn by turn, before one may pass; random play does not find it."""
TWO_PLAYERS = f"""
    (role w) (role b) (init (control w)) (init (step 0)) (init ok) (opp w b) (opp b w)
    (way turn) (way spin) {" ".join(f"(cell {x}) " for x in range(1, 6))}
    {" ".join(f"(key {2 * turn} {x})" for turn, x in enumerate(LOCK))}
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= (next spun) (true spun))
    (<= (next ok) (true ok) (true (step 16))) (<= terminal (true (step 18)))
    (<= (goal w 100) (true spun)) (<= (goal w 0) (not (true spun)))
    (<= (goal b 0) (true spun)) (<= (goal b 100) (not (true spun)))
    (<= (legal ?r noop) (opp ?r ?q) (true (control ?q)))
"""
IN_PLIES = """
    (init (phase place)) (<= (next (phase rotate)) (true (phase place)))
    (<= (next (phase place)) (true (phase rotate)))
    (<= (legal ?r (place ?x)) (true (control ?r)) (true (phase place)) (cell ?x))
    (<= (legal ?r noop) (true (control ?r)) (true (phase place)) (true (step 16)) (true ok))
    (<= (legal ?r ?s) (true (control ?r)) (true (phase rotate)) (way ?s))
    (<= (next ok) (true ok) (true (phase rotate)))
    (<= (next ok) (true ok) (does ?r (place ?x)) (true (step ?n)) (key ?n ?x))
    (<= (next spun) (does ?r spin))
    (<= (next (control ?r)) (true (control ?r)) (true (phase place)))
    (<= (next (control ?q)) (true (control ?r)) (opp ?r ?q) (true (phase rotate)))
"""
IN_TURNS = """
    (<= (legal ?r (then (place ?x) ?s)) (true (control ?r)) (cell ?x) (way ?s))
    (<= (legal ?r noop) (true (control ?r)) (true (step 16)) (true ok))
    (<= (next ok) (true ok) (does ?r (then (place ?x) ?s)) (true (step ?n)) (key ?n ?x))
    (<= (next spun) (does ?r (then ?a spin)))
    (<= (next (control ?q)) (true (control ?r)) (opp ?r ?q))
"""


@pytest.mark.slow
def test_who_may_wait_for_a_ply_passes_no_whole_turn(tmp_path: Path) -> None:
    plies, turns = tmp_path / "plies.kif", tmp_path / "turns.kif"
    one_by_one = " ".join(f"(succ {n} {n + 1})" for n in range(18))
    two_by_two = " ".join(f"(succ {n} {n + 2})" for n in range(0, 18, 2))
    plies.write_text(TWO_PLAYERS + IN_PLIES + one_by_one)
    turns.write_text(TWO_PLAYERS + IN_TURNS + two_by_two)
    with pytest.raises(TurnError) as caught:  # the second ply is not optional in the one text
        gdl.diff(plies, turns, turns=True)
    assert "after 8 turns its plies do not make turns of two" in str(caught.value)
