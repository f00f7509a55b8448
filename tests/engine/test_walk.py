"""Random games and tree counts, and the tables of counts against the reference engines."""

from random import Random
from typing import Any

import pytest

from engine import GAMES, Game
from engine.walk import divide, perft, play_text, random_game
from tests.perft.tables import FOLDER, Case, all_cases, read_case
from tests.shared import some

QUICK_NODES = 100_000
SLOW_NODES = 30_000_000
CASES = [case for case in all_cases() if case.ruleset in GAMES]
games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
DEEP_CASES = [
    case for case in CASES if any(QUICK_NODES < row.nodes <= SLOW_NODES for row in case.rows)
]


def name_of(case: Case) -> str:
    return f"{case.ruleset}:{case.id}"


@games
def test_the_same_seed_gives_the_same_game(game: Game[Any, Any]) -> None:
    walk = random_game(game, Random(1))
    assert walk == random_game(game, Random(1))
    assert walk.moves != random_game(game, Random(2)).moves
    assert len(walk.positions) == len(walk.moves) + 1
    text = "; ".join(map(game.format, walk.moves))
    assert play_text(game, text) == walk.positions[-1]


@games
def test_a_random_game_may_start_anywhere(game: Game[Any, Any]) -> None:
    middle = random_game(game, Random(1)).positions[5]
    walk = random_game(game, Random(2), middle)
    assert walk.positions[0] == middle
    assert game.is_terminal(walk.positions[-1])


@games
def test_counting_agrees_with_plain_recursion(game: Game[Any, Any]) -> None:
    # Near the end, where sequences end at different depths and positions repeat.
    walk = random_game(game, Random(11))
    root = walk.positions[-3]

    def leaves(position: Any, depth: int) -> list[Any]:  # noqa: ANN401 (any engine)
        if depth == 0:
            return [position]
        children = [game.play(position, move) for move in game.legal_moves(position)]
        return [leaf for child in children for leaf in leaves(child, depth - 1)]

    for row in perft(game, root, 2):
        reached = leaves(root, row.depth)
        ended = [position for position in reached if game.is_terminal(position)]
        sums = tuple(sum(game.goals(end)[role] for end in ended) for role in game.roles)
        assert (row.nodes, row.terminal, row.goals) == (len(reached), len(ended), sums)


@games
def test_divide_adds_up_to_perft(game: Game[Any, Any]) -> None:
    root = random_game(game, Random(12)).positions[-2]
    for row in perft(game, root, 2):
        assert sum(divide(game, root, row.depth).values()) == row.nodes


def test_nothing_follows_the_end_of_a_game() -> None:
    game = GAMES["pentago/strict"]
    final = random_game(game, Random(1)).positions[-1]
    assert perft(game, final, 3) == []
    assert divide(game, final, 1) == {}


def check(case: Case, most: int) -> None:
    rows = [row for row in case.rows if row.nodes <= most]
    game = GAMES[case.ruleset]
    counted = perft(game, play_text(game, "; ".join(case.moves)), len(rows))
    assert [(r.depth, r.nodes, r.terminal, r.goals) for r in counted] == [
        (r.depth, r.nodes, r.terminal, r.goals) for r in rows
    ]


@pytest.mark.sample(10)
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_quick_rows_of_the_tables(case: Case) -> None:
    check(case, QUICK_NODES)


@pytest.mark.slow
@pytest.mark.parametrize("case", some(DEEP_CASES, 2), ids=name_of)
def test_deeper_rows_of_the_tables(case: Case) -> None:
    check(case, SLOW_NODES)


def test_every_ruleset_has_a_table_with_the_start_and_a_state_near_the_end() -> None:
    assert {path.stem for path in FOLDER.glob("*.perft")} >= {
        ruleset.replace("/", "-") for ruleset in GAMES
    }
    for ruleset in GAMES:
        mine = [case for case in CASES if case.ruleset == ruleset]
        assert [case.id for case in mine if not case.moves] == ["start"]
        assert any(row.terminal for case in mine for row in case.rows)


def test_the_known_counts_from_the_start() -> None:
    known = {
        "pentago/strict": [288, 80_640, 21_934_080, 5_790_597_120],
        "pentago/utwente": [288, 80_640, 21_934_080, 5_790_597_120],
        "pentago/classic": [288, 80_640, 21_934_080, 5_790_597_120],
        "pentago/phased": [36, 288, 10_080, 80_640, 2_741_760, 21_934_080],
        "gomoku/freestyle": [225, 50_400, 11_239_200],
    }
    for case in CASES:
        if case.id == "start":
            nodes = [row.nodes for row in case.rows]
            expected = known[case.ruleset]
            assert nodes[: len(expected)] == expected


def test_a_broken_table_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot read 'perfft 1 2 3'"):
        read_case("id a\nruleset b\nperfft 1 2 3", "x.perft")
    with pytest.raises(ValueError, match="id, ruleset and perft are needed"):
        read_case("id a\nruleset b", "x.perft")
    assert read_case("# only a comment", "x.perft") is None
