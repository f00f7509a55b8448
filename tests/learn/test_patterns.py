"""What decided ends: lines and chains as the rules mean them, and tuples that hold them whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gdl
from gdl.language.parse import parse_term
from gdl.language.terms import Term
from tests.shared import needs

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit

pytestmark = needs("play")


def ends_of(name: str) -> tuple[GameCircuit, list[tuple[int, ...]], list[frozenset[int]]]:
    """Return the circuit of a game, its groups of facts, and what decided random plays of it."""
    from gdl.learn.patterns import patterns
    from gdl.solve.packing import proved_groups, sample_plays

    native = gdl.load(name, backend="native").back_end.native
    assert native is not None
    groups = [field.members for field in proved_groups(native.circuit)]
    last = sample_plays(native, -1).plays[-1]
    return native.circuit, groups, patterns(native.circuit, groups, last)


def squares(circuit: GameCircuit, group: tuple[int, ...]) -> str:
    """Return the square that a group of facts (``cell X Y PIECE``) is about."""
    return " ".join(str(circuit.facts[group[0]]).strip("()").split()[1:3])


def test_tic_tac_toe_is_decided_by_its_eight_lines() -> None:
    circuit, groups, decided = ends_of("tictactoe")
    lines = {frozenset(squares(circuit, groups[number]) for number in p) for p in decided}
    rows = [{f"{x} {y}" for x in "abc"} for y in "123"]
    columns = [{f"{x} {y}" for y in "123"} for x in "abc"]
    diagonals = [{"a 1", "b 2", "c 3"}, {"a 3", "b 2", "c 1"}]
    assert lines == {frozenset(line) for line in (*rows, *columns, *diagonals)}


def test_a_chain_of_hex_wins_by_itself_and_not_without_one_of_its_stones() -> None:
    from gdl.circuit.evaluate import evaluate

    circuit, groups, decided = ends_of("hex?size=4")
    assert len(decided) > 30

    def wins(places: list[str], role: int) -> bool:
        stones: list[Term] = [parse_term(f"(cell {at} {circuit.roles[role]})") for at in places]
        return 100 in evaluate(circuit, stones).goals[role]

    for numbers in decided:
        places = [squares(circuit, groups[number]) for number in sorted(numbers)]
        assert any(
            wins(places, role)
            and not any(wins([at for at in places if at != gone], role) for gone in places)
            for role in (0, 1)
        )


@pytest.mark.slow
def test_five_squares_of_pentago_that_a_turn_makes_a_line_are_looked_at_together() -> None:
    """No line stands there before the move, so no end shows them; a square is one digit."""
    from gdl.learn.tuples import choose_tuples
    from gdl.solve.packing import sample_plays

    native = gdl.load("pentago/strict", backend="native").back_end.native
    assert native is not None
    facts = [str(fact).strip("()").split() for fact in native.circuit.facts]
    layout = choose_tuples(native, sample_plays(native, -1), 0)
    tables = layout.tables
    looked_at: list[dict[tuple[int, int], set[str]]] = [{} for _ in tables.tables]
    for number, words in enumerate(facts):
        for table, _ in tables.terms[tables.starts[number] : tables.starts[number + 1]].tolist():
            if words[0] == "cell":
                square = "abcdef".index(words[1]), int(words[2]) - 1
                looked_at[table].setdefault(square, set()).add(words[3])
    assert all(len(pieces) == 2 for seen in looked_at for pieces in seen.values())
    lines = [
        frozenset((x + i * dx, y + i * dy) for i in range(5))
        for x in range(6)
        for y in range(6)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        if x + 4 * dx < 6 and 0 <= y + 4 * dy < 6
    ]
    assert len(lines) == 32

    def turned(square: tuple[int, int], right: int, lower: int) -> tuple[int, int]:
        x, y = square[0] - 3 * right, square[1] - 3 * lower
        return (2 - y + 3 * right, x + 3 * lower) if 0 <= min(x, y) <= max(x, y) < 3 else square

    wanted = {
        frozenset(turned(square, right, lower) for square in line)
        for line in lines
        for right in (0, 1)
        for lower in (0, 1)
    }
    whole = sum(any(five <= seen.keys() for seen in looked_at) for five in wanted)
    assert whole >= 0.95 * len(wanted)


def test_a_threat_is_what_must_be_there_and_the_square_that_must_be_empty() -> None:
    from gdl.learn.patterns import threats
    from gdl.solve.packing import proved_groups

    native = gdl.load("tictactoe", backend="native").back_end.native
    assert native is not None
    circuit = native.circuit
    groups = [field.members for field in proved_groups(circuit)]
    held = {"(control x)", "(cell a 1 x)", "(cell b 1 x)", "(cell a 3 o)", "(cell b 2 o)"}
    before = np.array([[str(fact) in held for fact in circuit.facts]])
    made = ["(mark c 1)" if str(role) == "x" else "noop" for role in circuit.roles]
    numbers = [
        list(map(str, row)).index(move) for row, move in zip(circuit.moves, made, strict=True)
    ]
    (found,) = threats(circuit, groups, before, np.array([numbers], np.int32))
    facts = {str(circuit.facts[min(groups[number])]) for number in found}
    assert facts == {"(control o)", "(cell a 1 o)", "(cell b 1 o)", "(cell c 1 o)"}


def test_a_game_that_ends_for_want_of_moves_has_no_patterns() -> None:
    assert ends_of("clobber")[2] == []


@pytest.mark.parametrize("work", [0, 1])
def test_what_costs_too_much_is_not_looked_for(monkeypatch: pytest.MonkeyPatch, work: int) -> None:
    monkeypatch.setattr("gdl.learn.patterns.MOST_WORK", work)
    assert ends_of("tictactoe")[2] == []


@pytest.mark.parametrize("name", ["connectfour?columns=4&rows=4", "connectfour?columns=5&rows=4"])
def test_nearly_every_line_of_four_stands_in_a_tuple_whole(name: str) -> None:
    from gdl.learn.tuples import choose_tuples
    from gdl.solve.packing import sample_plays

    native = gdl.load(name, backend="native").back_end.native
    assert native is not None
    tables = choose_tuples(native, sample_plays(native, -1), 0).tables
    looked_at: list[set[tuple[int, int]]] = [set() for _ in tables.tables]
    for number, fact in enumerate(native.circuit.facts):
        words: Any = str(fact).strip("()").split()
        for table, _ in tables.terms[tables.starts[number] : tables.starts[number + 1]].tolist():
            if words[0] == "cell":
                looked_at[table].add((int(words[1]), int(words[2])))
    columns = max(x for seen in looked_at for x, _ in seen)
    lines = [
        {(x + i * dx, y + i * dy) for i in range(4)}
        for x in range(1, columns + 1)
        for y in range(1, 5)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        if x + 3 * dx <= columns and 1 <= y + 3 * dy <= 4
    ]
    whole = sum(any(line <= seen for seen in looked_at) for line in lines)
    assert whole >= 0.9 * len(lines)
