"""``gdl diff``, ``gdl verify`` and ``gdl replay``: exit codes and files."""

import json
import re
from pathlib import Path

import pytest

from gdl.cli.main import main
from gdl.game import load as find_game
from gdl.plays import played, read_saved, saved_text
from gdl.ruleset import find
from gdl.verify import certificates
from gdl.verify.solvers.budget import OutOfBudgetError
from tests.cli.running import gdl


def test_diff_of_a_game_with_itself_is_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "tictactoe", "tictactoe"]) == 0
    assert "equivalent (proved by the same rules" in capsys.readouterr().out


def test_a_verdict_without_certificate_is_said_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(*_: object) -> None:
        raise OutOfBudgetError("4 seconds are over")

    said = "not certified: the games agree: no proof was written: 4 seconds are over"
    asked = ["diff", "tictactoe", "tictactoe", "--certificates"]
    assert main([*asked, str(tmp_path / "certified")]) == 0
    assert "not certified" not in capsys.readouterr().out
    monkeypatch.setattr(certificates, "_write", write)
    assert main([*asked, str(tmp_path / "bare")]) == 0
    assert said in capsys.readouterr().out.splitlines()


@pytest.mark.later
def test_games_that_cannot_be_matched_do_not_differ() -> None:
    """Nothing was compared: the exit code is not that of games that differ."""
    ran = gdl("diff", "tictactoe", "pig", "--all")
    assert ran.code == 3
    assert ran.err == (
        "error: tictactoe has 2 roles, pig has 3\n"
        "  note: roles of tictactoe: x o\n"
        "  note: roles of pig: random first second\n"
        "  expected: as many roles in both games, random counted\n"
    )


@pytest.fixture(scope="module")
def parting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the saved difference of two games that part after ten turns."""
    file = tmp_path_factory.mktemp("saved") / "parting.toml"
    assert gdl("diff", "pentago/strict", "pentago/utwente", "--save", str(file)).code == 1
    return file


@pytest.mark.slow
def test_a_saved_difference_is_replayed(parting: Path) -> None:
    ran = gdl("replay", str(parting))
    assert ran.code == 0
    assert "pentago/strict: over after 10 moves; goals: Black 0, White 100" in ran.out
    assert "pentago/utwente: over after 10 moves; goals: Black 50, White 50" in ran.out


@pytest.mark.slow
def test_a_saved_difference_is_played_on_from_the_move_before_its_end(parting: Path) -> None:
    file = read_saved(parting)[1]
    state = find_game(file.name).initial()
    for joint in file.play[:-1]:
        state = state.play(joint)
    last = state.notation(file.play[-1][1])
    ran = gdl("play", file.name, "--from", str(parting), stdin=f"{last}\n")
    assert ran.code == 0
    assert "You play White." in ran.out
    assert ran.out.split()[-4:] == ["Black", "50", "White", "50"]


def test_a_saved_play_is_opened_after_some_moves(tmp_path: Path) -> None:
    state, joints = find_game("tictactoe").initial(), []
    for cell in ("b2", "a1", "c3"):
        state = state.play(cell)
        assert state.last_move is not None
        joints.append(state.last_move)
    file = tmp_path / "saved.toml"
    file.write_text(saved_text([played("tictactoe", tuple(joints))], []), encoding="utf-8")
    ran = gdl("play", "--from", str(file), "--ply", "2", stdin="history\nquit\n")
    assert ran.code == 0
    assert ran.out.startswith("tictactoe")
    moves = ran.out.partition("X> history\n")[2].partition("X> quit")[0]
    assert len(moves.splitlines()) == 2


@pytest.mark.slow
def test_what_cannot_be_opened_says_why(parting: Path) -> None:
    name = parting.as_posix()
    assert gdl("play", "tictactoe", "--from", name).err == (
        f"error: {name}: there is no game 'tictactoe'\n"
        "  expected: pentago/strict or pentago/utwente\n"
    )
    assert gdl("play", "--from", name, "--ply", "11").err == (
        f"error: {name}: pentago/strict is played for 10 moves, not 11\n"
    )
    assert gdl("play", "tictactoe", "--ply", "1").err == (
        "error: --ply says where in a saved play to begin\n  expected: --from FILE\n"
    )
    assert gdl("play").err == (
        "error: which game?\n"
        "  expected: a ruleset id, a rule file, or --from FILE\n"
        "  help: gdl rulesets lists those that are here\n"
    )


@pytest.mark.later
def test_a_saved_play_holds_the_legal_moves_of_an_open_game(tmp_path: Path) -> None:
    other = tmp_path / "other.kif"
    text = "\n".join(source.text for source in find("tictactoe").texts())
    other.write_text(text.replace("(not (occupied ?col ?row))", "(column ?col)"), encoding="utf-8")
    file = tmp_path / "parting.toml"
    assert gdl("diff", "tictactoe", str(other), "--save", str(file)).code == 1
    assert gdl("replay", str(file)).code == 0
    other.write_text(text, encoding="utf-8")
    ran = gdl("replay", str(file))
    assert ran.code == 1
    assert re.search(r"not as it was saved: no longer legal for o: \(mark [abc] [123]\)", ran.out)


def test_a_replay_that_ends_otherwise_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(
        '[[game]]\nname = "tictactoe"\nplay = []\nterminal = true\n'
        'goals = { "x" = [100], "o" = [0] }\n',
        encoding="utf-8",
    )
    assert main(["replay", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "not as it was saved: terminal is false now" in shown


def test_one_game_is_no_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "tictactoe"]) == 2
    assert capsys.readouterr().err == (
        "error: 1 game given\n"
        "  expected: two, or --matrix and several\n"
        "  help: gdl diff pentago/strict pentago/utwente\n"
    )


LADDER = """
(role a) (role b) (init (rung 0)) (succ 0 1) (succ 1 2)
(<= (legal a (climb ?n)) (true (rung ?m)) (succ ?m ?n))
(<= (next (rung ?n)) (does a (climb ?n)))
(<= (goal ?role 50) (role ?role))
"""
WAITS_ONCE = "(<= (legal b wait) (true (rung 0)))"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("(<= terminal (true (rung 2)))", "in the first state: b cannot move"),
        (f"{WAITS_ONCE} (<= terminal (true (rung 2)))", "then: b cannot move"),
        (
            f"{WAITS_ONCE} (<= terminal (true (rung 1))) (<= (goal a 100) (true (rung 1)))",
            "then: a has the goals 50 and 100",
        ),
    ],
)
def test_what_is_wrong_in_the_end_is_said(
    rules: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ladder.kif"
    path.write_text(LADDER + rules, encoding="utf-8")
    main(["verify", str(path)])
    assert f"         {said}\n" in capsys.readouterr().out


def test_verify_says_proved_and_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "tictactoe", "--never", "(line x)"]) == 1
    shown = capsys.readouterr().out
    assert "refuted  never (line x): never: (line x)" in shown
    assert "proved   playable: every role can move until the game is over" in shown


@pytest.mark.slow
def test_a_table_says_which_games_could_not_be_matched() -> None:
    ran = gdl("diff", "--matrix", "tictactoe", "tron")
    assert ran.code == 3
    assert ran.out == (
        "            tictactoe     tron\n"
        "tictactoe                 not matched\n"
        "tron        not matched\n"
        "\n"
        "Moves of the shortest play after which two part, and what differs then.\n"
        "not matched: their moves could not be brought together; gdl diff A B says why.\n"
    )


@pytest.mark.slow
def test_a_table_can_be_read_by_programs() -> None:
    ran = gdl("diff", "--matrix", "tictactoe", "tron", "tictactoe", "--json")
    assert ran.code == 3
    (answer,) = json.loads(ran.out)
    assert (answer["a"], answer["b"], answer["equivalent"]) == ("tictactoe", "tron", None)
    assert "tron" in answer["error"]


def verdicts(*words: str) -> tuple[int, str, str]:
    ran = gdl("verify", "rockpaperscissors", *words)
    last = ran.out.splitlines()[-1] if ran.out else ""
    return ran.code, last, ran.err


VAIN = """\
refuted  moves reachable: each of 2 moves can become legal
         never legal: r: c
         vain.kif:2:17: warning[impossible-move]: no state makes c legal for r
           2 | (<= (legal r    c) (true ghost))
             |                 ^
           expected: a move that is legal in some state
           help: let a legal rule for it ask for what can be, or leave out what speaks of it
refuted  facts change: each of 2 facts can change
         never change: ghost never holds
         vain.kif:2:26: warning[never-holds]: ghost is true in no state
           2 | (<= (legal r    c) (true ghost))
             |                          ^^^^^
           expected: a fact that is true in some state
           help: let a next rule for it ask for what can be, or leave out what speaks of it
"""


def test_a_move_that_is_never_there_is_shown_where_the_rules_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "(role r) (init on) (legal r a)\n(<= (legal r    c) (true ghost))\n"
    text += "(<= terminal (not (true on))) (goal r 100)\n"
    Path("vain.kif").write_text(text, encoding="utf-8")
    ran = gdl("verify", "vain.kif")
    assert ran.code == 1
    assert VAIN in ran.out
    answer = json.loads(gdl("verify", "vain.kif", "--json").out)
    (moves,) = (each for each in answer["verdicts"] if each["name"] == "moves reachable")
    (said,) = moves["said"]
    assert (said["line"], said["column"], said["slug"]) == (2, 17, "impossible-move")


GHOST = """\
refuted  moves reachable: each of 5 moves can become legal
         never legal: whit (no role): y, ghost (no role): w, nobody (no role): ?m, \
ghost (no role): z
         ghost.kif:4:12: warning[unknown-role]: there is no role whit
           4 | (<= (legal whit y) (true on))
             |            ^^^^
           expected: one of the roles white
           help: did you mean white?
           note: ghost.kif:1:7: the first role is given here
           1 | (role white) (init on) (legal white a)
             |       ^^^^^
         ghost.kif:5:17: warning[unknown-role]: there is no role ghost
           5 | (<= lucky (does ghost w))
             |                 ^^^^^
           expected: one of the roles white
           help: name a role, or add (role ...) for it
           note: ghost.kif:1:7: the first role is given here
           1 | (role white) (init on) (legal white a)
             |       ^^^^^
         ghost.kif:6:21: warning[unknown-role]: there is no role nobody
           6 | (<= (next on) (does nobody ?m))
             |                     ^^^^^^
           expected: one of the roles white
           help: name a role, or add (role ...) for it
           note: ghost.kif:1:7: the first role is given here
           1 | (role white) (init on) (legal white a)
             |       ^^^^^
"""


def test_a_role_that_is_not_there_is_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its move was said to be never legal, as if the rules for it asked too much."""
    monkeypatch.chdir(tmp_path)
    text = "(role white) (init on) (legal white a)\n(thing white) (thing ghost)\n"
    text += "(input white a) (<= (input ?t z) (thing ?t) (distinct ?t white))\n"
    text += "(<= (legal whit y) (true on))\n(<= lucky (does ghost w))\n"
    text += "(<= (next on) (does nobody ?m))\n(<= terminal (not (true on))) (goal white 100)\n"
    Path("ghost.kif").write_text(text, encoding="utf-8")
    ran = gdl("verify", "ghost.kif", "--certificates", "shown")
    assert ran.code == 1
    assert GHOST in ran.out
    ran = gdl("certify", "shown", "--of", "ghost.kif")
    assert ran.code == 0, ran.out


NO_SUCH = """\
error: there is no property turn-takng
  expected: terminating, playable, goals unique, goals in range, turn-taking, constant sum, \
winnable by left, winnable by right, moves reachable, facts change, rules fire or one NAME a place
  help: did you mean turn-taking?
"""
NO_STATUS = """\
error: --expect turn-taking=prove expects nothing
  expected: NAME=STATUS, where STATUS is proved or refuted
  help: did you mean proved?
"""


@pytest.mark.later
def test_moves_at_once_are_no_fault_unless_they_are_said_to_be() -> None:
    assert verdicts()[0] == 0
    assert verdicts("--expect", "turn-taking=refuted")[0] == 0
    code, last, _ = verdicts("--expect", "turn-taking=proved")
    assert (code, last) == (1, "turn-taking is refuted, not proved as expected")
    code, last, _ = verdicts("--expect", "playable=refuted")
    assert (code, last) == (1, "playable is proved, not refuted as expected")


@pytest.mark.later
def test_what_is_skipped_does_not_fail() -> None:
    assert gdl("verify", "tictactoe", "--never", "(line x)").code == 1
    assert gdl("verify", "tictactoe", "--never", "(line x)", "--skip", "never (line x)").code == 0


def test_names_and_outcomes_that_there_are_not() -> None:
    assert verdicts("--skip", "turn-takng") == (2, "", NO_SUCH)  # before anything is proved
    assert verdicts("--expect", "turn-taking=prove") == (2, "", NO_STATUS)


TAKEN = """\
error: no property can be called {name}: that {why}
  expected: a name of its own for each formula
  help: {word} my property: {formula}
"""


@pytest.mark.later
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("never terminating: (line x)", "is what gdl verify asks of every game"),
        ("possible one cell a place: (line x)", "is what gdl verify asks of every game"),
        ("never never winnable by x: (line x)", "is what gdl verify asks of every game"),
        ("possible not stuck: (line x)", "reads like an answer about something else"),
        ("possible never mind: (line x)", "reads like an answer about something else"),
        ("never the games agree: (line x)", "reads like an answer about something else"),
        ("never both: (line o)\nnever both: (line x)", "is the name of two"),
        ("never both: (line o)\nnever never both: (line x)", "is the name of two"),
        ("never never both: (line o)\npossible both: (line x)", "is the name of two"),
    ],
)
def test_a_property_is_called_like_no_other_answer(
    lines: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(lines, encoding="utf-8")
    assert main(["verify", "tictactoe", "--properties", str(path)]) == 2
    word, _, rest = lines.splitlines()[-1].partition(" ")
    name, _, formula = rest.partition(": ")
    said = TAKEN.format(name=name, why=why, word=word, formula=formula)
    assert capsys.readouterr().err == said
