"""Moves that no words match: told apart by where they are legal, and carried on by a rule."""

from __future__ import annotations

import pytest

from gdl.conform import conform, open_source
from gdl.conform.matching.matching import Matching, Unmet
from gdl.conform.matching.refined import ContradictionError, _Blocks, refined
from gdl.conform.matching.rules_of_words import by_pairs
from gdl.conform.matching.tokens import of_number, of_text
from gdl.conform.source import EngineMove, Source
from gdl.conform.sources.rules import RulesSource
from gdl.game import load

ENGINES = "tests.conform.strangers"


def test_a_block_is_split_alike_on_both_sides_or_not_at_all() -> None:
    blocks = _Blocks(0)
    ours, theirs = [(0, n) for n in range(4)], [(0, name) for name in "abcd"]
    assert blocks.split(dict.fromkeys(ours, 1), dict.fromkeys(theirs, 1))
    assert not blocks.split(dict.fromkeys(ours, 1), dict.fromkeys(theirs, 1))
    before = blocks.copy()
    with pytest.raises(ContradictionError):
        blocks.split(dict.fromkeys(ours[:2], 1), dict.fromkeys(theirs[:1], 1))
    assert blocks == before
    assert blocks.split(dict.fromkeys(ours[:2], 1), dict.fromkeys(theirs[2:], 1))
    assert blocks.of[0][ours[0]] == blocks.of[1][theirs[3]] != blocks.of[1][theirs[0]]


def test_with_slack_a_move_may_have_no_partner() -> None:
    blocks = _Blocks(1)
    assert blocks.split({(0, 1): 1, (0, 2): 1}, {(0, "a"): 1})
    with pytest.raises(ContradictionError):
        blocks.split({(0, 3): 1, (0, 4): 1}, {})


def test_moves_of_clobber_are_matched_though_directions_are_no_squares() -> None:
    ours: Source = RulesSource(load("clobber"))
    theirs = open_source(f"{ENGINES}:Clobber")
    order, tables = next(iter(refined(ours, theirs, [(1, 0)], 0)))
    assert order == (1, 0)
    assert [len(table) for table in tables.values()] == [98, 98]
    for role, table in tables.items():
        texts = {ours.text(None, role, move): partner for move, partner in table.items()}
        starts = {text[:2]: partner[:2] for text, partner in texts.items()}  # type: ignore[index]
        assert len(set(starts.values())) == len(starts) == 30
        assert all(starts[text[:2]] == texts[text][:2] for text in texts)  # type: ignore[index]


def test_two_different_games_have_no_table() -> None:
    ours, theirs = RulesSource(load("clobber")), open_source(f"{ENGINES}:DotsAndBoxes")
    assert not list(refined(ours, theirs, [(0, 1), (1, 0)], 0))


@pytest.fixture(scope="module")
def sums() -> Matching:
    """Three times a square and a direction, with one move of the first file left out."""
    source: Source = RulesSource(load("breakthrough"))
    moves = {source.text(None, 0, move): move for move in source.legal(source.initial(), 0)}
    table = {
        move: 3 * (8 * (int(text[1]) - 1) + ord(text[0]) - 97) + ord(text[3]) - ord(text[0]) + 1
        for text, move in moves.items()
        if text != "d2-e3"
    }
    return by_pairs({0: table}, (0, 1), (source, source), [(of_text, of_number)], "pairs")


def test_a_move_that_was_not_met_has_the_partner_that_the_others_say(sums: Matching) -> None:
    source: Source = RulesSource(load("breakthrough"))
    left = next(
        move for move in source.legal(source.initial(), 0) if source.text(None, 0, move) == "d2-e3"
    )
    assert sums.ours(None, 0, left) == sums.theirs(None, 0, 3 * 11 + 2)
    assert sums.ours(None, 0, left) != sums.theirs(None, 0, 3 * 11 + 1)


def test_of_a_square_that_was_not_met_the_others_say_nothing(sums: Matching) -> None:
    source: Source = RulesSource(load("breakthrough"))
    after = source.initial()
    for text in ("a2-a3", "h7-h6"):
        (role,) = source.movers(after)
        move = next(m for m in source.legal(after, role) if source.text(None, role, m) == text)
        after = source.play(after, {role: move})
    far = next(m for m in source.legal(after, 0) if source.text(None, 0, m) == "a3-a4")
    assert sums.ours(None, 0, far) == Unmet(("ours", far))


@pytest.mark.parametrize(("factor", "is_told"), [(1, True), (97, False)])
def test_moves_of_a_player_without_a_rule_are_said_to_be_in_doubt(
    factor: int, *, is_told: bool
) -> None:
    source: Source = RulesSource(load("breakthrough"))
    moves = source.legal(source.initial(), 0)

    def number(move: EngineMove) -> int:
        text = source.text(None, 0, move)
        return 3 * (ord(text[0]) - 97) + ord(text[3]) - ord(text[0])

    tables = {
        0: {move: number(move) for move in moves},
        1: {move: number(move) * factor % 101 for move in moves},
    }
    matching = by_pairs(tables, (0, 1), (source, source), [(of_text, of_number)], "pairs")
    assert (matching.doubt == "") == is_told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "engine"),
    [("clobber", "Clobber"), ("breakthrough", "Breakthrough"), ("dotsandboxes", "DotsAndBoxes")],
)
def test_an_engine_as_it_should_be_raises_no_alarm(game: str, engine: str) -> None:
    audit = conform(game, f"{ENGINES}:{engine}", positions=6_000)
    assert audit.agree
    assert not audit.remarks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "engine", "kind"),
    [
        ("clobber", "Misere", "returns"),
        ("breakthrough", "AheadToo", "legal"),
        ("dotsandboxes", "OneBoxAlone", "turn"),
    ],
)
def test_a_bug_is_found_behind_a_matching_that_play_has_taught(
    game: str, engine: str, kind: str
) -> None:
    audit = conform(game, f"{ENGINES}:{engine}", positions=20_000)
    assert audit.parting is not None
    assert audit.parting.kind == kind


@pytest.mark.slow
def test_a_board_is_matched_though_its_moves_are_numbered_in_no_order() -> None:
    audit = conform("breakthrough", "tests.conform.strangers:Shuffled", positions=3_000)
    assert audit.agree, str(audit)
    assert "where moves are legal" in audit.matching
