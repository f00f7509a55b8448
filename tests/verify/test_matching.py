"""Which moves stand for which: by shape, and by a map that the error hands out to fill in."""

import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

import gdl
from gdl.circuit.game import GameCircuit
from gdl.compile.pipeline import build
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Constant, Term
from gdl.plays import SavedPlayError
from gdl.ruleset import Ruleset, find
from gdl.verify.correspondence import correspondence
from gdl.verify.correspondence.relational_structure import relational_structure
from gdl.verify.correspondence.restriction import restrictions
from gdl.verify.correspondence.shape_matching import by_rank, by_shapes
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.saved import read_map
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.matching import CorrespondenceError, Matching, by_names, with_prefixes
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system
from tests.shared import GAMES, needs_games
from tests.verify.crafted import lock


def choosing(*moves: str) -> GameCircuit:
    """Return a game in which one role may always make any of some moves."""
    rules = "(role r) (init on) (<= (next on) (true on)) (<= terminal (not (true on))) (goal r 50)"
    return build(parse(rules + " ".join(f"(<= (legal r {m}) (true on))" for m in moves)))


def told(one: GameCircuit, other: GameCircuit) -> dict[str, str]:
    """Return what stands for what by shape."""
    found = next(by_shapes(one, other), None)
    assert found is not None
    assert found.is_one_to_one(0)
    return {str(one.moves[0][a]): str(other.moves[0][b]) for a, b in found.pairs[0]}


def test_a_place_in_which_all_are_the_same_says_nothing() -> None:
    one = choosing("noop", "(mark 1 1)", "(mark 1 2)", "(mark 2 1)")
    other = choosing("pass", "(play 4 4 x)", "(play 4 8 x)", "(play 8 4 x)")
    assert told(one, other) == {
        "noop": "pass",
        "(mark 1 1)": "(play 4 4 x)",
        "(mark 1 2)": "(play 4 8 x)",
        "(mark 2 1)": "(play 8 4 x)",
    }
    assert by_rank(one, other) is None


def test_a_long_move_that_can_be_seen_in_many_ways_says_nothing_and_at_once() -> None:
    rows = "x y " * 5, "y x " * 5
    short = [f"(short {row})" for row in rows]
    long = [f"(long {row} {row[:2]} {row[:2]})" for row in ("x x " * 5, "y y " * 5)]
    one, other = choosing(*short, *long), choosing(*long)
    named = by_names(one, other)
    assert named is not None
    found = with_prefixes(one, other, named)
    assert {str(move).split()[0] for move in found.alone[0]} == {"(short"}


def test_arguments_may_come_in_another_order() -> None:
    one = choosing("(step a 1)", "(step a 2)", "(step a 3)")
    other = choosing("(go 1 2 b)", "(go 1 3 b)", "(go 1 4 b)")
    assert told(one, other)["(step a 3)"] == "(go 1 4 b)"
    one = choosing("(step a 1)", "(step a 2)", "(step b 2)")
    other = choosing("(step 1 1)", "(step 2 1)", "(step 2 2)")
    assert told(one, other) == {
        "(step a 1)": "(step 1 1)",
        "(step a 2)": "(step 2 1)",
        "(step b 2)": "(step 2 2)",
    }


def test_moves_of_the_same_name_belong_together() -> None:
    one = choosing("left", "right", "stay")
    other = choosing("halt", "right", "left")
    assert told(one, other) == {"left": "left", "right": "right", "stay": "halt"}


@pytest.mark.parametrize(
    "moves", [("(go 1)", "(go 2)"), ("(go 1)", "(go 2)", "(go 3)", "stop"), ("(go 1)", "go", "on")]
)
def test_another_shape_is_no_match(moves: tuple[str, ...]) -> None:
    assert not list(by_shapes(choosing("(step 1)", "(step 2)", "(step 3)"), choosing(*moves)))


@pytest.mark.slow
@needs_games
def test_tictactoe_without_variables_is_matched_with_tictactoe() -> None:
    paths = {path.stem: path for path in GAMES}
    answer = gdl.diff(paths["ticTacToe"], paths["ticTacToeNoVars"], goals="terminal")
    assert answer.matching == "moves of the same shape"
    assert answer.matched[:3] == (
        "xplayer = xPlayer",
        "oplayer = oPlayer",
        "(mark 1 1) = (play 1 1 x)",
    )
    assert (answer.equivalent, answer.proved) == (True, True)


def test_a_map_with_a_word_that_no_rule_has_is_refused() -> None:
    """Nothing stood for what the slip was about, so that the games were said to differ."""
    text = (
        "(role r) (init (at 1)) (legal r (go 1)) (legal r (go 2)) (<= terminal (not (true (at 1))))"
    )
    one, other = Ruleset("one", (), text=text), Ruleset("two", (), text=text.replace("go", "move"))
    right: dict[Term, Term] = {Constant("go"): Constant("move")}
    assert gdl.diff(one, other, table=right).equivalent
    slips = {
        "go = mvoe, but no rule of two has mvoe": ("go", "mvoe", "move"),
        "goo = move, but no rule of one has goo": ("goo", "move", "go"),
        "(go 1) = (move 11), but no rule of two has 11": ("(go 1)", "(move 11)", None),
    }
    for said, (mine, theirs, meant) in slips.items():
        table = {parse_term(mine): parse_term(theirs)}
        with pytest.raises(gdl.CorrespondenceError) as caught:
            gdl.diff(one, other, table={**right, **table})
        help_ = f"\n  help: did you mean {meant}?" if meant else ""
        assert str(caught.value) == f"the map says {said}\n  expected: words of the rules{help_}"


def test_a_map_that_says_two_things_of_a_word_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text('[roles]\nx = "o"\n[constants]\nx = "x"\n', encoding="utf-8")
    with pytest.raises(SavedPlayError) as caught:
        read_map(path)
    assert str(caught.value) == (
        f"{path}: x stands for o, and in [constants] for x\n"
        "  expected: one name for each word, whatever table it is in"
    )


@pytest.mark.slow
def test_the_error_hands_out_a_map_to_fill_in(tmp_path: Path) -> None:
    """Two games in words of their own, one with a move more: nothing but a map tells."""
    other = tmp_path / "other.kif"
    text = "\n".join(source.text for source in find("tictactoe").texts())
    text = text.replace("mark", "put").replace("noop", "rest")
    text += "\n(<= (legal ?player resign) (true (control ?player)))"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(gdl.CorrespondenceError) as caught:
        gdl.diff("tictactoe", other)
    draft = str(caught.value).partition("--map FILE\n")[2]
    lines = [line.removeprefix("    ") for line in draft.splitlines()]
    path = tmp_path / "map.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(SavedPlayError) as unfilled:
        read_map(path)
    assert str(unfilled.value) == (
        f"{path}: 'noop' in [constants] is not filled in\n"
        "  expected: its name in the second game, or no line where that is the same"
    )
    filled = "\n".join(lines)
    for old, new in (("mark", "put"), ("noop", "rest")):
        assert f'"{old}" = ""' in filled
        filled = filled.replace(f'"{old}" = ""', f'"{old}" = "{new}"')
    path.write_text(filled, encoding="utf-8")
    answer = gdl.diff("tictactoe", other, table=read_map(path))
    assert answer.matching.startswith("the map")
    assert answer.matched[0] == "noop = rest"
    assert answer.what == (f"legal for x in {other} only: resign",)


def test_a_move_stands_for_those_that_hold_its_arguments_in_any_places() -> None:
    one = choosing("(turn 1 left a)", "(turn 1 right a)", "(turn 2 left a)", "(turn 2 left b)")
    other = choosing(*map(str, one.moves[0]), "(place a 1)", "(place b 2)", "(place a 2)")
    named = by_names(one, other)
    assert named is not None
    found = with_prefixes(one, other, named)
    assert found.is_full
    stands = [str(one.moves[0][a]) for a, b in found.pairs[0] if str(other.moves[0][b])[1] == "p"]
    assert sorted(stands) == sorted(map(str, one.moves[0]))
    assert {a for a, b in found.pairs[0] if str(other.moves[0][b]) == "(place a 1)"} == {
        index for index, move in enumerate(one.moves[0]) if str(move).startswith("(turn 1 ")
    }


def test_places_that_could_be_seen_in_two_ways_say_nothing() -> None:
    one = choosing("(turn 1 2 up)", "(turn 2 1 up)")
    other = choosing("(turn 1 2 up)", "(turn 2 1 up)", "(put 2)", "(put 1)")
    named = by_names(one, other)
    assert named is not None
    prefixed = with_prefixes(one, other, named)
    assert prefixed.is_full  # the first argument comes first: that is the way it is read
    other = choosing("(turn 1 2 up)", "(turn 2 1 up)", "(put up 2)", "(put up 1)")
    named = by_names(one, other)
    assert named is not None
    assert with_prefixes(one, other, named) == named


def test_parts_of_a_game_leave_out_moves_by_name() -> None:
    whole = choosing("(go 1)", "(go 2)", "stop", "(stop now)", "(jump 1)", "(jump 2)")
    found = [[str(move) for move in part.circuit.moves[0]] for part in restrictions(whole, [2])]
    assert sorted(map(sorted, found)) == [
        ["(go 1)", "(go 2)"],
        ["(jump 1)", "(jump 2)"],
        ["(stop now)", "stop"],
    ]
    assert len(list(restrictions(whole, [5]))) == 2
    assert list(restrictions(whole, [6])) == []


def test_a_part_plays_on_without_the_other_moves() -> None:
    rules = """(role r) (init (at 1)) (goal r 0) (succ 1 2) (succ 2 3)
    (<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y)) (legal r stay)
    (<= (next (at ?y)) (does r (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does r stay))
    (<= terminal (true (at 3)))"""
    (part,) = restrictions(build(parse(rules)), [2])
    seen = sample(game_system(part.circuit), Budget(10), lanes=8)
    assert [states.shape[1] for states in seen.going] == [8, 8, 0]
    assert [str(move) for move in part.circuit.moves[0]] == ["(go 2)", "(go 3)"]
    assert part.kept == ((1, 2),)  # stay comes first


@pytest.mark.slow
def test_games_that_take_too_long_to_look_at_are_an_error_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_long(*_: object) -> Iterator[Matching]:
        raise OutOfBudgetError("its share is over")

    monkeypatch.setattr(correspondence, "by_structure", too_long)
    with pytest.raises(gdl.CorrespondenceError):
        gdl.diff("tictactoe", "connectfour")


COIN = """
    (role white) (role random) (init here) (<= (legal white noop) (true here))
    (<= (legal random heads) (true here)) (<= (next (won)) (does random heads))
    (<= terminal (not (true here))) (<= (goal white 100) (true (won)))
    (<= (goal white 0) (not (true (won))))
"""
"""A game in which a coin is thrown; the other side of the coin is each test's."""


def test_chance_stands_for_no_player(tmp_path: Path) -> None:
    coin, player = tmp_path / "coin.kif", tmp_path / "player.kif"
    coin.write_text(f"{COIN} (<= (legal random tails) (true here))")
    player.write_text(coin.read_text().replace("random", "black"))
    tables: list[dict[Term, Term] | None] = [None, {Constant("random"): Constant("black")}]
    for table in tables:
        with pytest.raises(CorrespondenceError) as caught:
            gdl.diff(coin, player, table=table)
        assert str(caught.value) == (
            f"only {coin} has a role of chance\n"
            f"  note: roles of {coin}: white random\n"
            f"  note: roles of {player}: white black\n"
            "  expected: random in both games, which stands for random alone, or in none"
        )


def test_a_move_of_chance_stands_for_one_move(tmp_path: Path) -> None:
    even, uneven = tmp_path / "even.kif", tmp_path / "uneven.kif"
    even.write_text(f"{COIN} (<= (legal random (tails 1)) (true here))")
    uneven.write_text(
        f"{COIN} (<= (legal random (tails 1 a)) (true here))"
        "(<= (legal random (tails 1 b)) (true here))"
    )
    assert (
        gdl.diff(even, uneven).equivalent is False
    )  # heads is one of two there, one of three here


def test_the_same_names_in_whole_turns_go_before_guesses_of_half_turned_games() -> None:
    rules = (
        "(role r) (init (n 0)) (<= (next (n 1)) (true (n 0)) (does r a))"
        "(<= v (not (true (n 1)))) (<= (next f) (not (true g))) (legal r a)"
        "(<= (legal r (m 1)) (true f) (true (n 0)) (not v)) (<= (goal r 100) (not (true (n 1))) v)"
    )
    ghost = "(<= (next ghost) (true ghost)) (<= (legal r ghostly) (true ghost))"
    one, other = Ruleset("one", (), text=rules), Ruleset("other", (), text=rules + ghost)
    answer = gdl.diff(one, other, turns=True, seconds=20)
    assert answer.equivalent
    assert answer.matching == "same names; one and other read in whole turns"


TURNS = """
(role w) (role b) (init (control w)) (init (step 0)) (opp w b) (opp b w) (way cw) (way ccw)
(cell 1) (cell 2) (<= (legal ?r noop) (opp ?r ?q) (true (control ?q)))
(<= (next (has ?r ?x)) (true (has ?r ?x))) (<= terminal (true (step 4))) (goal b 50)
(<= (goal w 100) (true (has w 1))) (<= (goal w 0) (not (true (has w 1))))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
"""
IN_PLIES = f"""{TURNS} (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= second (true (step 1))) (<= second (true (step 3)))
(<= (legal ?r (place ?x)) (true (control ?r)) (not second) (cell ?x))
(<= (legal ?r ?s) (true (control ?r)) second (way ?s))
(<= (next (has ?r ?x)) (does ?r (place ?x)))
(<= (next (control ?r)) (true (control ?r)) (not second))
(<= (next (control ?q)) (true (control ?r)) (opp ?r ?q) second)
"""
IN_TURNS = f"""{TURNS} (succ 0 2) (succ 2 4)
(<= (legal ?r (turn ?x ?s)) (true (control ?r)) (cell ?x) (way ?s) (not (barred ?r ?s)))
(<= (next (has ?r ?x)) (does ?r (turn ?x ?s)))
(<= (next (control ?q)) (true (control ?r)) (opp ?r ?q))
"""


@pytest.mark.slow
def test_plies_that_make_the_turns_of_the_other_game_are_read_so_without_being_told() -> None:
    """Most moves of the turns begin with a ply of the same words, which is not all they are."""
    one, other = Ruleset("plies", (), text=IN_PLIES), Ruleset("turns", (), text=IN_TURNS)
    answer = gdl.diff(one, other)
    assert (answer.equivalent, answer.proved) == (True, True)
    assert answer.matching == "the same words in whole turns; plies read in whole turns"


@pytest.mark.slow
@pytest.mark.parametrize("is_swapped", [False, True])
def test_whole_turns_that_part_at_once_are_matched_by_their_words(
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    barred = f"{IN_TURNS} (<= (barred b ccw) (true (has w 2)))"
    pair = Ruleset("plies", (), text=IN_PLIES), Ruleset("turns", (), text=barred)
    answer = gdl.diff(*(pair[::-1] if is_swapped else pair))
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 1)
    assert answer.what == ("legal for b in plies only: (place 1), ccw; (place 2), ccw",)


LATE = IN_PLIES.replace("second (way ?s)", "second (way ?s) (not (late ?r ?s))")
EARLY = IN_PLIES.replace("(cell ?x))\n", "(cell ?x) (not (taken ?r ?x)))\n", 1)


@pytest.mark.parametrize(
    ("rules", "more", "sentence"),
    [
        (
            LATE,
            "(<= (late b ccw) (true (has w 2)))",
            (
                "legal for b in plies only: (place 1), ccw; (place 2), ccw (plies and other read "
                "in whole turns): plies says so at plies:10; "
                "other asks that (late b ccw) does not hold at other:10, and it does"
            ),
        ),
        (
            EARLY,
            "(<= (taken b ?x) (true (has w ?x)))",
            (
                "legal for b in plies only: (place 1), ccw; (place 1), cw (plies and other read "
                "in whole turns): plies says so at plies:9; "
                "other asks that (taken b 1) does not hold at other:9, and it does"
            ),
        ),
    ],
    ids=["second ply", "first ply"],
)
def test_a_whole_turn_is_refused_by_the_rule_of_one_of_its_plies(
    rules: str, more: str, sentence: str
) -> None:
    one, other = Ruleset("plies", (), text=IN_PLIES), Ruleset("other", (), text=rules + more)
    assert gdl.diff(one, other, turns=True).sentence == f"after 1 whole turn {sentence}"


@pytest.mark.slow
def test_a_first_ply_that_always_ends_the_game_begins_any_turn() -> None:
    ended = "(<= terminal (true (has b ?x)))"
    one = Ruleset("plies", (), text=IN_PLIES + ended)
    other = Ruleset("turns", (), text=IN_TURNS + ended)
    for turns in (True, None):
        answer = gdl.diff(one, other, turns=turns)
        assert (answer.equivalent, answer.proved) == (True, True)
        assert answer.matching == "the same words in whole turns; plies read in whole turns"


@pytest.mark.slow
def test_plies_that_only_begin_turns_are_no_reason_to_say_that_games_differ() -> None:
    """Games that are equal until one may skip a turn, and that says which way before where."""
    other = IN_TURNS.replace("(turn ?x ?s)", "(turn ?s ?x)")
    one = Ruleset("plies", (), text=IN_PLIES)
    skipping = f"{other} (<= (legal b skip) (true (control b)))"
    with pytest.raises(CorrespondenceError, match="cannot be matched"):
        gdl.diff(one, Ruleset("turns", (), text=skipping))
    never = f"{other} (<= (legal b skip) (true (control b)) (true (control w)))"
    answer = gdl.diff(one, Ruleset("turns", (), text=never))
    assert (answer.equivalent, answer.proved) == (True, True)


ERRAND = """
(role r) (role s) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (init calm)
(<= (legal r (go ?n)) (true (at ?m)) (succ ?m ?n)) (legal r rest) (legal s watch)
(<= (legal s cheer) (true (at 2))) (<= (next (at ?n)) (does r (go ?n)))
(<= (next (at ?m)) (true (at ?m)) (does r rest)) (<= (next calm) (true calm) (does s watch))
(<= terminal (true (at 3))) (<= (goal r 100) (true calm)) (<= (goal r 30) (not (true calm)))
(goal s 50)
"""
ANEW = {"r": "alice", "s": "bob", "go": "zoom", "rest": "stay", "watch": "look"}
ANEW |= {"at": "spot", "calm": "quiet", "cheer": "hurra", "succ": "after"}
ANEW |= {str(number): f"n{number}" for number in range(4)}


@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_move_that_can_never_be_legal_stands_for_nothing(
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    renamed = re.sub(r"[\w?]+", lambda word: ANEW.get(word[0], word[0]), ERRAND)
    cheat = "(<= (legal alice cheat) (true (spot n0)) (true (spot n2)))"
    pair = Ruleset("one", (), text=ERRAND), Ruleset("other", (), text=renamed + cheat)
    answer = gdl.diff(*(pair[::-1] if is_swapped else pair))
    assert (answer.equivalent, answer.proved) == (True, True)
    assert answer.notes == ("only other knows cheat; where it is legal the games differ",)


def test_waiting_that_no_rule_speaks_of_is_nothing_in_common() -> None:
    rules = (
        "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (<= (next (at ?y)) (does r (go ?y)))"
        "(<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2)))"
        "(<= (goal r ?n) (true (at ?n)))"
    )
    shifted = re.sub(r"\b(\d)\b", r"1\1", rules)
    one, other = Ruleset("one", (), text=rules), Ruleset("other", (), text=shifted)
    with pytest.raises(CorrespondenceError):
        gdl.diff(one, other, seconds=20)


def test_a_turn_of_waiting_that_no_rule_allows_stands_for_nothing() -> None:
    """Two plies of the one game are as long as a move of the other, which has a second move."""
    rules = (
        "(role r) (init (n 0)) (goal r 100) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))"
        "(<= terminal (true (n end))) (succ 0 1) (succ 1 2) (succ 2 3)"
    )
    plies = "(succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 end) (legal r a)"
    moves = "(succ 3 end) (legal r x) (<= (legal r y) (true (n 3)))"
    one, other = Ruleset("one", (), text=rules + plies), Ruleset("other", (), text=rules + moves)
    with pytest.raises(CorrespondenceError):
        gdl.diff(one, other, seconds=20)


def test_what_other_words_would_make_the_same_is_said_of_places_too() -> None:
    """What is called the same comes first; that a term is kept the other way round is a note."""
    rules = (
        "(role a) (role b) (init (t 0)) (<= (next (t 1)) (true (t 0))) (<= terminal (true (t 1)))"
        "(<= (legal ?x (say ?y)) (role ?x) (role ?y)) (<= (next {}) (does ?x (say ?y)))"
        "(<= (goal ?x 100) (true (v ?x ?x))) (<= (goal ?x 0) (role ?x) (not (true (v ?x ?x))))"
    )
    one = Ruleset("one", (), text=rules.format("(v ?x ?y)"))
    other = Ruleset("other", (), text=rules.format("(v ?y ?x)"))
    answer = gdl.diff(one, other, seconds=20)
    assert answer.equivalent
    assert answer.notes == ("with other words they are the same rules: (v ?1 ?2) = (v ?2 ?1)",)


def test_of_a_move_that_one_game_alone_knows_the_other_is_asked_too() -> None:
    rules = (
        "(role r) (init (t 0)) (<= (next (t 1)) (true (t 0))) (<= terminal (true (t 1)))"
        "(goal r 100) (at a) (at b) (<= (legal r (go ?x)) (at ?x){})"
    )
    one = Ruleset("one", (), text=rules.format(""))
    other = Ruleset("other", (), text=rules.format(" (distinct ?x b)"))
    assert gdl.diff(one, other, seconds=20).sentence == (
        "at the beginning legal for r in one only: (go b): one says so at one:1; "
        "other asks for another than b at other:1"
    )


def test_no_time_for_random_play_is_no_time() -> None:
    with pytest.raises(OutOfBudgetError):
        relational_structure(choosing("a", "b"), Budget(0))


STEPS = (
    "(role a) (role b) (init (at 0)) (init (turn a)) "
    + " ".join(f"(succ {n} {n + 1})" for n in range(12))
    + """
(<= (to ?n ?m 1) (succ ?n ?m)) (<= (to ?n ?m 2) (to ?n ?k 1) (succ ?k ?m))
(<= (to ?n ?m 3) (to ?n ?k 2) (succ ?k ?m))
(<= (legal ?p ?w) (true (turn ?p)) (true (at ?n)) (way ?w ?s) (to ?n ?m ?s))
(<= (legal a noop) (true (turn b))) (<= (legal b noop) (true (turn a)))
(<= (next (at ?m)) (does ?p ?w) (way ?w ?s) (true (at ?n)) (to ?n ?m ?s))
(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
(<= terminal (true (at 12)))
"""
)
WINS = """
(<= (goal a 100) (true (turn b))) (<= (goal a 0) (true (turn a)))
(<= (goal b 100) (true (turn a))) (<= (goal b 0) (true (turn b)))
"""
ONCE = "(<= (goal a 50) (true (turn b))) (<= (goal a 0) (true (turn a)))\n" + WINS.split("\n")[2]


def ways(*words: str) -> str:
    return " ".join(f"(way {word} {steps})" for steps, word in enumerate(words, start=1))


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize("words", tuple(permutations("xyz")))
def test_of_words_of_one_shape_play_tells_which_is_which(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    one, other, wrong = (tmp_path / f"{name}.kif" for name in ("one", "other", "wrong"))
    spare = "(<= (next (spare ?n)) (true (at ?n)) (true (turn a)))"  # other texts, same game
    one.write_text(STEPS + ways("u", "v", "w") + WINS)
    other.write_text(STEPS + ways(*words) + WINS + spare)
    wrong.write_text(STEPS + ways(*words) + ONCE + spare)
    same, parted = gdl.diff(str(one), str(other)), gdl.diff(str(one), str(wrong))
    assert same.equivalent
    assert same.proved
    pairs = zip("uvw", words, strict=True)
    assert {f"{mine} = {theirs}" for mine, theirs in pairs} == {
        text.strip() for text in same.matched
    }
    assert parted.depth == 5  # of 12 by threes and less the first end that a has moved to
    assert parted.proved


def test_of_roles_with_other_names_play_tells_which_is_which(tmp_path: Path) -> None:
    one, other = tmp_path / "one.kif", tmp_path / "other.kif"
    one.write_text(STEPS + ways("u", "v", "w") + WINS)
    swapped = STEPS + ways("z", "x", "y") + WINS + "(<= (next (spare ?n)) (true (at ?n)))"
    swapped = re.sub(r"\ba\b", "blue", re.sub(r"\bb\b", "red", swapped))
    other.write_text(swapped.replace("(role blue) (role red)", "(role red) (role blue)"))
    same = gdl.diff(str(one), str(other))
    assert same.equivalent
    assert same.proved


def _with_a_lock(*more: str) -> Ruleset:
    """Return a game in plies, two a turn, in which seven right ones of four open a lock."""
    turns = range(7)
    rules = [
        "(role x) (role y) (other x y) (other y x) (init (control x)) (init (half 1))",
        "(init (turn 0)) (n 0) (n 1) (n 2) (n 3)",
        *(f"(after {turn} {turn + 1})" for turn in turns),
        "(<= (legal ?r (put ?n)) (true (control ?r)) (true (half 1)) (n ?n))",
        "(<= (legal ?r twist) (true (control ?r)) (true (half 2)))",
        "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))",
        "(<= (next (key ?t)) (true (turn ?t)) (does ?r (put 2)))",
        "(<= (next (key ?t)) (true (key ?t)))",
        f"(<= open {' '.join(f'(true (key {turn}))' for turn in turns)} (true (half 2)))",
        "(<= (next (half 2)) (true (half 1))) (<= (next (half 1)) (true (half 2)))",
        "(<= (next (control ?r)) (true (control ?r)) (true (half 1)))",
        "(<= (next (control ?q)) (true (control ?r)) (other ?r ?q) (true (half 2)))",
        "(<= (next (turn ?t)) (true (turn ?t)) (true (half 1)))",
        "(<= (next (turn ?u)) (true (turn ?t)) (after ?t ?u) (true (half 2)))",
        "(<= terminal (true (turn 7))) (<= (goal ?r 50) (role ?r))",
    ]
    return Ruleset("locked", (), text="\n".join([*rules, *more]))


@pytest.mark.slow
def test_who_may_wait_for_half_a_turn_in_a_rare_state_has_a_ply_more() -> None:
    """What random play never met: these games are not the same in whole turns either."""
    waits = _with_a_lock("(<= (legal ?r noop) (true (control ?r)) open)")
    in_turns = gdl.diff(_with_a_lock(), waits, turns=True)
    assert (in_turns.equivalent, in_turns.proved, in_turns.depth) == (False, True, 6)
    assert "legal for x in locked only: (put 2), noop" in str(in_turns)
    found = gdl.diff(_with_a_lock(), waits)
    assert (found.equivalent, found.proved, found.depth) == (False, True, 13)


EARLY = "(<= early (true (key 0)) (true (key 1)) (true (key 2)) (true (half 1)))"


def _hurried(never_waits: str, more: str) -> Ruleset:
    """Return the game with a lock, in which nobody may wait where something is so."""
    text = _with_a_lock().text.replace(
        "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))",
        f"(<= (legal ?r noop) (role ?r) (not (true (control ?r))) (not {never_waits})) {more}",
    )
    return Ruleset("hurried", (), text=text)


@pytest.mark.slow
def test_who_is_stuck_in_a_rare_state_of_one_game_tells_them_apart() -> None:
    stuck = _hurried("early", EARLY)
    answer = gdl.diff(_with_a_lock(), stuck, turns=True)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 3)
    assert answer.what == ("legal for x in locked only: noop",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "why"),
    [
        (
            (
                _with_a_lock(),
                _hurried("open", "(<= (legal ?r hurry) (role ?r) (not (true (control ?r))) open)"),
            ),
            "after 6 turns its plies do not make turns of two",
        ),
        (
            (
                _hurried("early", EARLY + "(<= (legal ?r twist) (true (control ?r)) early)"),
                _hurried("early", EARLY),
            ),
            "after 3 turns x may not wait while another makes a ply",
        ),
    ],
    ids=["must make a ply", "is stuck"],
)
def test_who_may_not_wait_in_a_rare_state_has_no_whole_turns(
    games: tuple[Ruleset, Ruleset], why: str
) -> None:
    """There both must make a ply, which is half of nobody's turn; or one is stuck in both games."""
    with pytest.raises(TurnError) as caught:
        gdl.diff(*games, turns=True)
    assert str(caught.value) == (
        f"hurried cannot be read in whole turns: {why}\n"
        "  expected: two plies of the same role in a row, the others with noop, throughout\n"
        "  help: compare ply by ply (--plies), or mend the rules where no role may be stuck"
    )


def test_moves_to_which_a_map_gives_one_name_are_named() -> None:
    """Two moves that do the same are one move of the other game, if the map says so."""
    text = "(role r) (init s) (<= terminal (true t)) (goal r 100)"
    one = "(legal r a) (legal r b) (<= (next t) (does r a)) (<= (next t) (does r b))"
    other = "(legal r x) (<= (next t) (does r x))"
    games = Ruleset("one", (), text=f"{text} {one}"), Ruleset("other", (), text=f"{text} {other}")
    answer = gdl.diff(*games, table={Constant(name): Constant("x") for name in "ab"})
    assert answer.equivalent
    note = "x stands for each of a, b: that these are 2 moves in one is no difference"
    assert answer.notes == (note,)


def _two_locks(roles: tuple[str, str], order: tuple[str, str], rest: str) -> str:
    """Two roles that are alike but for what they get, each with a lock; two rules more."""
    key = "abbabbaab"
    first, second = roles
    locks = lock(key, "k", first) + lock(key, "m", second)
    moves = " ".join(f"(legal {role} {move})" for role in roles for move in "ab")
    return f"""(role {order[0]}) (role {order[1]}) {moves} {locks} {rest}
        (<= terminal (true (k 9))) (<= terminal (true (m 9)))
        (<= (goal {first} 60) (true (k 9))) (<= (goal {first} 0) (not (true (k 9))))
        (<= (goal {second} 40) (true (m 9))) (<= (goal {second} 0) (not (true (m 9))))"""


@pytest.mark.later
@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(("rest", "is_same"), [("(true z)", True), ("(does white b)", False)])
def test_a_guess_that_only_a_long_combination_refutes_is_given_up_for_one_that_holds(
    rest: str,
    is_same: bool,  # noqa: FBT001  # a parameter
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    """Roles of other names, listed in another order, were the first and the first: they differed.

    Where no guess has the games agree they differ, as they did.
    """
    one = _two_locks(("r", "s"), ("r", "s"), "")
    extra = f"(init z) (<= (next z) {rest}) (<= terminal (not (true z)) (true (k 8)))"
    other = _two_locks(("white", "black"), ("black", "white"), extra)
    games = Ruleset("one", (), text=one), Ruleset("other", (), text=other)
    answer = gdl.diff(*(games[::-1] if is_swapped else games), seconds=20)
    assert (answer.equivalent, answer.proved) == (is_same, True)
    if is_same:
        assert answer.matched == (
            ("black = s", "white = r") if is_swapped else ("r = white", "s = black")
        )
    else:
        assert answer.depth == 8
