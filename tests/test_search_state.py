"""`State` for search: numbers of moves, keys, lines of text, set-up positions and pickles.

All back ends and all ways to give a move are held against each other, in plays that hypothesis
draws; what one back end cannot do it says in words.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.backend import NoNativeError
from gdl.language.terms import Constant, Variable
from tests.shared import GAMES, missing, needs_games, some

pytest.importorskip("llvmlite", reason=missing("native"))

NAMES = ("tictactoe", "connectfour", "pentago/strict", "pentago/phased")
DUEL = """
(role left) (role right) (init (round 1)) (succ 1 2) (succ 2 3)
(shape rock) (shape paper) (shape scissors)
(beats rock scissors) (beats scissors paper) (beats paper rock)
(<= (legal ?r (show ?s)) (role ?r) (shape ?s))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (won ?r)) (does ?r (show ?s)) (does ?q (show ?t)) (beats ?s ?t))
(<= (next (won ?r)) (true (won ?r)))
(<= terminal (true (round 3)))
(<= (goal ?r 100) (role ?r) (true (won ?r)))
(<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""
"""Two who move at once; both may have won."""


@cache
def loaded(name: str, backend: str) -> gdl.Game:
    return gdl.load(name, backend=backend)  # type: ignore[arg-type]  # one of the three


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> gdl.Game:
    path = tmp_path_factory.mktemp("duel") / "duel.kif"
    path.write_text(DUEL)
    return gdl.load(path, backend="native")


@given(st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_numbers_terms_text_and_back_ends_agree_move_by_move(name: str, random: Random) -> None:
    native, reason = loaded(name, "native").initial(), loaded(name, "reason").initial()
    for _ in range(random.randrange(1, 9)):
        assert native.is_terminal == reason.is_terminal
        assert native.facts == reason.facts
        assert native.key == reason.key
        assert str(native.position) == str(reason.position)
        for role in native.game.roles:
            moves = native.game.moves(role)
            ids = native.legal_ids(role)
            assert [moves[i] for i in ids] == list(native.legal(role)) == list(reason.legal(role))
        if native.is_terminal:
            break
        mover = native.movers[0]
        move_id = random.choice(native.legal_ids())
        move = native.game.moves(mover)[move_id]
        joint = {role: native.legal(role)[0] for role in native.game.roles} | {mover: move}
        texts = {role: native.notation(term) for role, term in joint.items()}
        children = [
            native.play(joint),
            native.play(texts),
            native.play(joint | {mover: texts[mover]}),
            native.play({native.game.role(role): term for role, term in joint.items()}),  # type: ignore[misc]  # roles may be terms
            native.play(MappingProxyType(joint)),
            native.play(tuple(joint.values())),
            native.apply(move_id),
            native.apply({mover: move_id}),
            native.play(move),
            native.play(native.notation(move)),
            native.play({mover: move}),
        ]
        reason = reason.play(move)
        assert len(set(children)) == 1
        assert {child.last_move for child in children} == {reason.last_move}
        assert {child.ply for child in children} == {reason.ply}
        assert children[0].previous is native
        native = children[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_mapping_with_one_bad_move_says_the_same_as_without_machine_code(name: str) -> None:
    texts = []
    for backend in ("native", "reason"):
        state = loaded(name, backend).initial()
        joint: dict[str, object] = {role: state.legal(role)[0] for role in state.game.roles}
        for wrong in (Constant("moon"), Variable("x"), "(unclosed", 5, [joint], None):
            for role in joint:
                with pytest.raises(gdl.GdlError) as caught:
                    state.play(joint | {role: wrong})  # type: ignore[arg-type]  # on purpose
                texts.append(f"{type(caught.value).__name__} {caught.value}")
        with pytest.raises(gdl.UnknownRoleError) as unknown:
            state.play(dict(zip(("sun", *list(joint)[1:]), joint.values(), strict=True)))  # type: ignore[arg-type]
        texts.append(str(unknown.value))
    assert texts[: len(texts) // 2] == texts[len(texts) // 2 :]


@given(st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_a_line_of_text_and_a_pickle_give_the_position_back(name: str, random: Random) -> None:
    game = loaded(name, "native")
    state = game.initial()
    while not state.is_terminal and random.random() < 0.9:
        state = state.apply(random.choice(state.legal_ids()))
    line = str(state.position)
    assert "\n" not in line
    for again in (game.position(line), game.state(state.facts), pickle.loads(pickle.dumps(state))):
        assert again == state
        assert again.key == state.key
        assert again.machine is again.game.machine, "a state that play reaches runs in machine code"
    if not state.is_terminal:
        choice = random.choice(state.legal_ids())
        assert game.position(line).apply(choice) == state.apply(choice)


def test_keys_are_the_same_in_every_process_and_differ() -> None:
    program = (
        "import gdl, json; s = gdl.load('connectfour').initial(); "
        "print(json.dumps([s.key] + [s.apply(i).key for i in s.legal_ids()]))"
    )
    printed = [
        json.loads(
            subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
        )
        for _ in range(2)
    ]
    state = loaded("connectfour", "native").initial()
    assert printed[0] == printed[1] == [state.key, *(state.apply(i).key for i in state.legal_ids())]
    assert len(set(printed[0])) == 8


def test_a_pickle_does_not_carry_the_rules(tmp_path: Path) -> None:
    state = loaded("pentago/strict", "native").initial().play("E5 Q01 CW")
    assert len(pickle.dumps(state)) < 1_000
    path = tmp_path / "duel.kif"
    path.write_text(DUEL)
    pickled = pickle.dumps(gdl.load(path, backend="reason"))
    path.write_text(DUEL.replace("(succ 2 3)", ""))
    with pytest.raises(gdl.GdlError, match="are not those that the pickled game was played by"):
        pickle.loads(pickled)


def test_rules_that_no_name_leads_to_are_carried() -> None:
    text = gdl.Ruleset(id="duel", paths=(), text=DUEL)
    game = gdl.load(text, backend="reason")
    again = pickle.loads(pickle.dumps(game.initial()))
    assert again.legal("left") == game.initial().legal("left")


def test_who_moves_at_once_gives_a_number_each(duel: gdl.Game) -> None:
    state = duel.initial()
    with pytest.raises(gdl.AmbiguousMoveError, match="left and right can move here"):
        state.legal_ids()
    with pytest.raises(gdl.AmbiguousMoveError):
        state.apply(0)
    for joint in ((0, 1), {"left": 0, "right": 1}):
        assert state.apply(joint).last_move == (duel.moves("left")[0], duel.moves("right")[1])


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (
            9,
            (
                "9 is the number of no move of left\n  expected: 0 to 2\n"
                "  help: state.legal_ids() has those that are legal"
            ),
        ),
        (
            "rock",
            (
                "str 'rock' numbers no move\n"
                "  expected: a whole number, or one for each of left, right\n"
                "  help: state.legal_ids() has the numbers; state.play takes text and terms"
            ),
        ),
        (
            (0, 1.5),
            (
                "tuple (0, 1.5) numbers no move\n"
                "  expected: a whole number, or one for each of left, right\n"
                "  help: state.legal_ids() has the numbers; state.play takes text and terms"
            ),
        ),
    ],
)
def test_a_number_that_means_no_move_is_refused_in_words(
    duel: gdl.Game, move: object, message: str
) -> None:
    with pytest.raises(gdl.GdlError) as caught:
        duel.initial().apply((move, 0) if isinstance(move, int) else move)  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value) == message


def test_an_illegal_number_and_one_after_the_end_are_refused() -> None:
    state = loaded("tictactoe", "native").initial().apply(1)
    with pytest.raises(
        gdl.IllegalMoveError, match=r"^a1 is not legal for o here\n  expected: one of 8"
    ):
        state.apply(1)
    for move in ("b1", "a2", "b2", "a3"):
        state = state.play(move)
    assert state.is_terminal
    with pytest.raises(gdl.IllegalMoveError, match="the game is over"):
        state.apply(state.legal_ids("o")[0] if state.legal_ids("o") else 0)


@pytest.mark.parametrize("backend", ["reason", "meaning"])
def test_without_machine_code_there_are_no_numbers(backend: str) -> None:
    state = loaded("tictactoe", backend).initial()
    for ask in (state.legal_ids, lambda: state.apply(0), lambda: state.game.moves("x")):
        with pytest.raises(NoNativeError, match="numbers of moves need machine code"):
            ask()


def test_a_set_up_position_runs_in_machine_code_where_that_is_sound() -> None:
    game, judge = loaded("connectfour", "native"), loaded("connectfour", "reason")
    facts = frozenset(game.initial().facts)
    control = next(fact for fact in facts if str(fact).startswith("(control"))
    other = next(
        fact
        for state in (game.initial().apply(game.initial().legal_ids()[0]),)
        for fact in state.facts
        if str(fact).startswith("(control")
    )
    for held, machine in (
        (facts - {control} | {other}, game.machine),
        (facts | {other}, game.reasoner),
    ):
        state = game.state(held)
        assert state.machine is machine
        assert set(state.facts) == held
        for role in game.roles:
            assert list(state.legal(role)) == list(judge.state(held).legal(role))
    odd = game.state([*facts, other])
    assert odd.machine is game.reasoner
    assert odd.legal_ids(game.roles[0]) or odd.legal_ids(game.roles[1])
    again = pickle.loads(pickle.dumps(odd))
    assert again == odd
    assert again.machine is again.game.reasoner


RING = """
(role walker) (init (beat 1)) (init (half 1)) (init (at 0))
(after 1 2) (after 2 3) (after 3 4) (after 4 1) (other 1 2) (other 2 1) (succ 0 1) (succ 1 2)
(<= (legal walker go) (true (half 1))) (<= (legal walker stay) (true (beat ?n)))
(<= (next (beat ?m)) (true (beat ?n)) (after ?n ?m))
(<= (next (half ?m)) (true (half ?n)) (other ?n ?m))
(<= (next (at ?m)) (does walker go) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?n)) (does walker stay) (true (at ?n)))
(<= terminal (true (at 2)))
(<= (goal walker 100) (true (at 2))) (<= (goal walker 0) (not (true (at 2))))
"""


def test_a_set_up_position_out_of_step_is_left_to_the_reasoner(tmp_path: Path) -> None:
    (tmp_path / "ring.kif").write_text(RING)
    game = gdl.load(tmp_path / "ring.kif", backend="native")
    assert game.state(["(beat 3)", "(half 1)", "(at 1)"]).machine is game.machine
    odd = game.state(["(beat 2)", "(half 1)", "(at 1)"])
    assert odd.machine is game.reasoner
    assert odd.play("go").is_terminal


def test_states_are_immutable_and_positions_are_facts() -> None:
    state = loaded("tictactoe", "native").initial().play("b2")
    with pytest.raises(AttributeError, match="states are immutable: cannot set ply"):
        state.ply = 3
    with pytest.raises(AttributeError, match="states are immutable: cannot delete ply"):
        del state.ply
    assert state.position == state.facts
    assert gdl.load("tictactoe").move("(control o)") in state.position
    assert repr(state).startswith("State(game=<Game tictactoe: x, o; native>, last_move=(")
    with pytest.raises(gdl.GdlSyntaxError):
        state.game.position("(cell a 1")
    with pytest.raises(gdl.ArgumentError, match="one line of text"):
        state.game.position(3)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize(
    "path",
    some([path for path in GAMES if path.stat().st_size < 3_000], 4),
    ids=lambda path: path.stem,
)
def test_numbers_and_terms_agree_on_published_files(path: Path) -> None:
    try:
        native = gdl.load(path, backend="native", limits=gdl.Limits(seconds=5.0))
    except gdl.GdlError:
        pytest.skip("machine code refuses it in words")
    reason = gdl.load(path, backend="reason")
    random = Random(path.name)
    for _ in range(3):
        fast, slow = native.initial(), reason.initial()
        for _ in range(12):
            assert fast.facts == slow.facts
            assert fast.key == slow.key
            assert fast.is_terminal == slow.is_terminal
            assert native.position(str(fast.position)) == fast
            legal = [fast.legal_ids(role) for role in native.roles]
            for role, ids in zip(native.roles, legal, strict=True):
                assert [native.moves(role)[i] for i in ids] == list(slow.legal(role))
            if fast.is_terminal or not all(legal):
                break
            fast = fast.apply(tuple(map(random.choice, legal)))
            assert fast.last_move is not None
            slow = slow.play(fast.last_move)
