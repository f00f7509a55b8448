"""Matching moves: readings as arrays are what they are word by word, and a race is fair."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from itertools import islice

import pytest

from gdl.conform import conform, open_source
from gdl.conform.allowance import WAITING, Allowance
from gdl.conform.conventions import MOVE_LIMIT, RETURNS_SCALED
from gdl.conform.matching.candidates import OURS, THEIRS, ways
from gdl.conform.matching.chance import DOUBT, are_bare_numbers
from gdl.conform.matching.columns import NONE, are_as_many, in_products, kinds, partners, readings
from gdl.conform.matching.doubts import with_doubt
from gdl.conform.matching.find import find_matching
from gdl.conform.matching.learned import learned
from gdl.conform.matching.race import Agreement, Race, _Runner
from gdl.conform.matching.sample import sample
from gdl.conform.matching.tokens import Words, _words_of, numbers, words
from gdl.conform.source import CHANCE, Position, Source
from gdl.conform.sources.guarded import guarded
from gdl.conform.sources.merged import Merged
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from tests.shared import missing

ENGINES = "tests.conform.engines"


@pytest.fixture(scope="module")
def sides() -> tuple[Source, Source]:
    return RulesSource(load("tictactoe")), open_source(f"{ENGINES}:TicTacToe")


@pytest.fixture(scope="module")
def race(sides: tuple[Source, Source]) -> Race:
    return Race(*sides, 0, frozenset())


@pytest.fixture(scope="module")
def runners(race: Race, sides: tuple[Source, Source]) -> list[_Runner]:
    """Return every way to read the moves of both sides that fits the first position."""
    seen = (
        sample(sides[0], tuple(reader for _, reader in OURS), 0),
        sample(sides[1], tuple(reader for _, reader in THEIRS), 0),
    )
    every = list(ways(race, seen, is_any=True))
    assert len(every) > 16
    return [race._runner(way) for way in every if way is not None and race.fits(way)]


@pytest.mark.later
@pytest.mark.parametrize("by_kind", [True, False])
def test_moves_read_at_once_have_the_keys_that_they_have_one_by_one(*, by_kind: bool) -> None:
    squares = [f"{column}{row}" for column in "abc" for row in (1, 2, 3)]
    ours: set[Words] = {
        words(f"{a}{b}{way}") for a in squares for b in squares for way in ("", "q")
    }
    ours |= {words("pass")}
    theirs: set[Words] = {
        words(f"{way} {ord(a[0])} {a[1]} to {b}")
        for a in squares
        for b in squares
        for way in ("go", "make")
    } | {words("nothing")}
    rows = sorted(ours, key=repr), sorted(theirs, key=repr)
    one, other = (
        kinds({0: set(each)}, {row: n for n, row in enumerate(each)}, by_kind=by_kind)
        for each in rows
    )
    found = 0
    for pair in islice(readings(one, other, by_kind=by_kind, is_any=False), 300):
        numbers, same = partners(pair[0].keys(one, len(rows[0])), pair[1].keys(other, len(rows[1])))
        by_key = {pair[1].key(row): n for n, row in reversed(list(enumerate(rows[1])))}
        assert [by_key.get(pair[0].key(row), NONE) for row in rows[0]] == numbers.tolist()
        assert [by_key[pair[1].key(row)] for row in rows[1]] == same.tolist()
        found += 1
    assert found > 20


def test_numbers_of_a_board_with_holes_and_a_pass_are_read_as_its_squares() -> None:
    ours: set[Words] = {words(f"{a}{row}") for a in "abcd" for row in range(1, 5)} | {words("pass")}
    ours -= {words("b2"), words("c3")}
    theirs: set[Words] = {(4 * row + a,) for a in range(4) for row in range(4)} | {("last",)}
    theirs -= {(5,), (10,)}
    rows = sorted(ours, key=repr), sorted(theirs, key=repr)
    one, other = (
        kinds({0: set(each)}, {row: n for n, row in enumerate(each)}, by_kind=True) for each in rows
    )
    wanted: dict[Words, Words]
    wanted = {("a", 1): (0,), ("d", 1): (3,), ("a", 4): (12,), ("pass",): ("last",)}
    for pair in readings(one, other, by_kind=True, is_any=False):
        if all(pair[0].key(mine) == pair[1].key(yours) for mine, yours in wanted.items()):
            return
    pytest.fail("no reading has rows of four")


def test_lines_between_dots_are_read_as_two_kinds_however_they_are_written() -> None:
    lattice = [(x, y) for x in range(1, 8) for y in range(1, 6) if (x + y) % 2]
    ours: set[Words] = {("join", *each) for each in lattice}
    theirs: set[Words] = {("h", y // 2, x // 2 - 1) for x, y in lattice if x % 2 == 0}
    theirs |= {("v", y // 2 - 1, x // 2) for x, y in lattice if x % 2}
    sides = []
    for each in (ours, theirs):
        rows = {row: n for n, row in enumerate(sorted(each, key=repr))}
        whole = kinds({0: each}, rows, by_kind=True)
        sides.append(in_products(whole))
        assert [len(kind.numbers) for kind in whole] == [17]
        assert [len(kind.numbers) for kind in sides[-1]] == [9, 8]
        assert in_products(sides[-1]) == sides[-1]
        for kind in sides[-1]:
            found = {tuple(row) for row in kind.indices.tolist()}
            assert len(found) == len(kind.values[0]) * len(kind.values[1])
    assert are_as_many(*sides)
    wanted: dict[Words, Words] = {
        ("join", x, y): ("v", y // 2 - 1, x // 2) if x % 2 else ("h", y // 2, x // 2 - 1)
        for x, y in lattice
    }
    ways = readings(*sides, by_kind=True, is_any=False)
    assert any(
        all(one.key(mine) == other.key(yours) for mine, yours in wanted.items())
        for one, other in ways
    )
    one, _ = next(readings(*sides, by_kind=True, is_any=False))
    assert one.key(("join", 1, 1)) == ("?", ("join", 1, 1))  # a dot, which is no line
    assert one.key(("join", 9, 2)) == ("?", ("join", 9, 2))


def test_a_board_whose_squares_all_go_together_has_no_parts() -> None:
    rows: set[Words] = {(a, b) for a in "abc" for b in range(4)} | {("pass",)}
    whole = kinds({0: rows}, {row: n for n, row in enumerate(rows)}, by_kind=True)
    assert in_products(whole) == whole
    assert not are_as_many(whole, whole)


@pytest.mark.slow
def test_lines_of_dots_and_boxes_are_matched() -> None:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    ours = RulesSource(load("dotsandboxes?columns=2&rows=3"))
    theirs = open_source("pyspiel:dots_and_boxes(num_rows=3,num_cols=2)")
    matching = find_matching(ours, theirs)
    names = {matching.theirs(None, 0, n): n for n in theirs.legal(theirs.initial(), 0)}
    start = theirs.initial()
    texts = {
        ours.text(ours.initial(), 0, move): theirs.text(
            start, 0, names[matching.ours(None, 0, move)]
        )
        for move in ours.legal(ours.initial(), 0)
    }
    assert (texts["b1"], texts["a2"], texts["e6"]) == ("P1(h,0,0)", "P1(v,0,0)", "P1(v,2,2)")


def test_a_turn_of_several_moves_is_the_same_however_often_it_is_asked_for(
    leduc: tuple[Source, Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    for side in leduc:
        assert isinstance(side, Merged)
        plain = Merged(side.source)
        position = side.initial()
        while not side.is_terminal(position):
            roles = side.movers(position)
            for role in roles:
                moves = side.legal(position, role)
                texts = [side.text(position, role, move) for move in moves]
                monkeypatch.setattr(plain, "_turns", {})
                assert list(plain.legal(position, role)) == list(moves)
                assert [plain.text(position, role, move) for move in moves] == texts
                assert [side.text(position, role, move) for move in moves] == texts
            choice = {role: rng.choice(side.legal(position, role)) for role in roles}
            plain._turns.clear()
            one, other = side.play(position, choice), plain.play(position, choice)
            assert str(side.draw(one)) == str(side.draw(other))
            position = one
    monkeypatch.setattr("gdl.conform.sources.merged.MOST_WAYS", 100)
    small = Merged(guarded(open_source("pyspiel:leduc_poker")))
    starts = [small.initial() for _ in range(9)]
    deals = [small.legal(start, CHANCE) for start in starts]
    assert all(deal == deals[0] for deal in deals)
    assert len(small._turns) == 3  # thirty deals each


def test_a_matching_under_which_few_games_agree_is_in_doubt(sides: tuple[Source, Source]) -> None:
    matching = find_matching(*sides)
    assert matching.doubt == ""
    assert with_doubt(matching, Agreement(0.5, 0.5, 6.0, 40)) is matching
    assert with_doubt(matching, Agreement(0.45, 0.4, 6.0, 40)).doubt == (
        "the matching is in doubt: under the best way to read the moves both agree to the end in "
        "45% of 40 games; --map says which is right"
    )
    places = replace(matching, is_positional=True)
    assert with_doubt(places, Agreement(0.45, 0.4, 6.0, 40)).doubt.endswith("of 40 games")


@pytest.mark.parametrize("allowed", [(), (MOVE_LIMIT, RETURNS_SCALED)])
def test_a_game_that_is_skimmed_is_lost_only_where_it_is_lost_in_full(
    sides: tuple[Source, Source], runners: list[_Runner], allowed: tuple[str, ...]
) -> None:
    lost = 0
    race = Race(*sides, 0, frozenset(allowed))
    for matching in [runner.matching for runner in runners]:
        runner = race._runner(matching)
        for number in range(8):
            game = race._game(number)
            if race._skim(runner, game) is not None:
                _, kind = race._play(runner, game, number)
                assert kind in {"legal", "terminal", "turn", "failure"}
                lost += 1
    assert lost > 0


@pytest.mark.slow
def test_the_winner_of_a_race_is_what_play_of_all_games_by_all_says(
    race: Race, runners: list[_Runner]
) -> None:
    best = race.best(iter([runner.matching for runner in runners]))
    assert best is not None
    assert best[1].full == 1
    agreements = [race.agreement(runner.matching, 40) for runner in runners]
    first = next(n for n, agreement in enumerate(agreements) if agreement.full == 1)
    assert best[0] is runners[first].matching  # the plainest of those that never err
    assert min(agreement.whole for agreement in agreements) < 0.7


def test_matching_ends_when_its_time_is_over(sides: tuple[Source, Source]) -> None:
    wrong = open_source(f"{ENGINES}:OneLineMissing")
    found = find_matching(sides[0], wrong, allowance=Allowance(0.0))
    assert found.roles == (0, 1)
    assert found.doubt.startswith("the matching is in doubt: the time was over after 0 games")


def test_an_allowance_counts_work_by_the_processor_and_waiting_at_a_quarter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowance = Allowance(1.0)

    monkeypatch.setattr(os, "getloadavg", lambda: (1e9, 0.0, 0.0))

    def spent(clock: float, worked: float) -> float:
        monkeypatch.setattr(time, "monotonic", lambda: allowance._clock + clock)
        monkeypatch.setattr(time, "process_time", lambda: allowance._used + worked)
        return allowance.spent

    assert spent(0.8, 0.0) == pytest.approx(0.8 * WAITING)
    assert spent(0.8, 0.5) == pytest.approx(0.5)
    assert spent(0.8, 1.6) == pytest.approx(0.8)  # of several threads
    assert not allowance.is_spent()
    assert spent(1.1 / WAITING, 0.0) == pytest.approx(1.1)
    assert allowance.is_spent()
    assert not allowance.part(1.2).is_spent()
    monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.0, 0.0))
    assert spent(0.8, 0.0) == pytest.approx(0.8)  # a core for everybody: an engine that waits
    monkeypatch.undo()
    assert Allowance(0.0).is_spent()
    assert not Allowance(None).is_spent()


@pytest.fixture
def leduc() -> tuple[Source, Source]:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    ours, theirs = RulesSource(load("leducpoker")), open_source("pyspiel:leduc_poker")
    return Merged(ours), Merged(guarded(theirs))


SCALED = frozenset({"returns-scaled"})


@pytest.mark.slow
def test_cards_that_are_bare_numbers_are_told_apart_by_who_wins(
    leduc: tuple[Source, Source],
) -> None:
    ours, theirs = leduc
    matching = find_matching(ours, theirs, allowed=SCALED)
    assert matching.doubt == ""
    one, other = ours.initial(), theirs.initial()
    names = {matching.theirs(other, CHANCE, deal): deal for deal in theirs.legal(other, CHANCE)}
    ranks: dict[str, set[int]] = {}
    for deal in ours.legal(one, CHANCE):
        cards = names[matching.ours(one, CHANCE, deal)]
        assert isinstance(cards, tuple)
        for text, card in zip(ours.text(one, CHANCE, deal).split(", "), cards, strict=True):
            ranks.setdefault(text.split()[1][0], set()).add(card // 2)
    assert ranks == {"J": {0}, "Q": {1}, "K": {2}}  # the engine's own order


@pytest.mark.slow
def test_cards_that_no_order_explains_are_in_doubt(leduc: tuple[Source, Source]) -> None:
    ours, theirs = leduc
    paid = theirs.returns

    def wrong(position: Position) -> tuple[float, ...]:
        one, other = paid(position)
        return (other, one) if abs(one) == 5 else (one, other)

    theirs.returns = wrong  # type: ignore[method-assign]
    assert find_matching(ours, theirs, allowed=SCALED).doubt == DOUBT


def test_dice_that_are_numbers_on_both_sides_keep_their_order() -> None:
    pytest.importorskip("pyspiel", reason=missing("openspiel"))
    ours, theirs = RulesSource(load("pig")), open_source("pyspiel:pig")
    assert not are_bare_numbers(ours, theirs, 0)


def test_learning_what_moves_do_ends_when_its_time_is_over(sides: tuple[Source, Source]) -> None:
    mute = open_source(f"{ENGINES}:Mute")
    asked: list[int] = []

    def agreement(_: object, games: int) -> Agreement:
        asked.append(games)
        return Agreement(0.5, 0.5, 3.0, games)

    orders = [(0, 1)]
    assert list(learned(sides[0], mute, agreement, orders, 0, lambda: True)) == []
    assert asked == []
    late = iter([False, False])
    found = list(learned(sides[0], mute, agreement, orders, 0, lambda: next(late, True)))
    assert len(found) == 1
    assert len(asked) == 3  # the first table, and two that were tried


@pytest.mark.slow
def test_roles_of_one_name_need_not_be_the_same() -> None:
    """In one engine x begins, in another one o: who begins is the same role, and it is said."""
    found = conform("tictactoe", "tests.conform.engines:OBegins", positions=300)
    assert found.agree, str(found)
    assert found.roles == (("x", "o"), ("o", "x"))
    assert found.remarks == (
        "x stands for o there, though x is the name of another role",
        "o stands for x there, though o is the name of another role",
    )


def test_a_move_that_is_a_set_is_read_in_one_order() -> None:
    assert _words_of(frozenset({("b", 12), ("a", 3)})) == ("a", 3, "b", 12)
    assert _words_of({"y": 1, "x": frozenset({12, 3})}) == ("x", 3, 12, "y", 1)


def test_squares_of_the_complex_plane_and_steps_back_are_numbers() -> None:
    assert _words_of((1 + 2j, 1j)) == numbers((1 + 2j, 1j)) == (1, 2, 0, 1)
    assert _words_of(-1j) == (0, -1)
    assert (numbers(3.0), numbers(2.5), numbers(float("inf"))) == ((3,), (), ())
    assert numbers(1 << 70 | 1) == (1 << 70 | 1,)
    assert words("Step(across=-1, up=0)") == ("step", "across", -1, "up", 0)
    assert words("(step -1 12)") == ("step", -1, 12)
    assert words("32-27") == words("32 - 27") == (32, 27)


@pytest.mark.slow
def test_sets_of_fields_and_units_are_matched() -> None:
    found = conform("blotto", f"{ENGINES}:Armies", positions=300)
    assert found.agree, str(found)
