"""Symmetries: found, proved, and of no effect on any value; none where rules are nearly alike."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.shared import SHARED, missing

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))
pytest.importorskip("pysat", reason=missing("verify"))

import gdl
from gdl.solve import solve
from gdl.solve import symmetry as symmetry_module
from gdl.solve.group import Action, Place, generated, keeps_fields, tractable
from gdl.solve.orbits import count_orbits, make_least
from gdl.solve.packing import guess_packing, sample_plays
from gdl.solve.symmetry import Candidate, is_symmetry
from gdl.verify.solvers.budget import Budget

ROW = """
(role x) (role o) (init (control x))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (other x o) (other o x)
(index 1) (index 2) (index 3) (index 4) (index 5)
(<= (legal ?p (mark ?i)) (true (control ?p)) (true (cell ?i b)))
(<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
(<= (next (cell ?i ?p)) (does ?p (mark ?i)))
(<= (next (cell ?i ?c)) (true (cell ?i ?c)) (distinct ?c b))
(<= (next (cell ?i b)) (true (cell ?i b)) (does ?p (mark ?j)) (distinct ?i ?j))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (pair ?p) (role ?p) (succ ?i ?j) (true (cell ?i ?p)) (true (cell ?j ?p)))
(<= open (true (cell ?i b)))
(<= terminal (pair ?p)) (<= terminal (not open))
(<= (goal ?p 100) (pair ?p) (other ?p ?q) (not (pair ?q)))
(<= (goal ?q 0) (pair ?p) (other ?p ?q) (not (pair ?q)))
(<= (goal ?p 50) (role ?p) (not (pair x)) (not (pair o)))
"""
"""Whoever has two neighbours first wins: the mirror of a play is a play."""
EMPTY = " ".join(f"(init (cell {i} b))" for i in range(1, 6))
NEARLY = {
    "an end that one side alone has": ROW + EMPTY + "(<= terminal (true (cell 1 o)))",
    "a goal at one side alone": ROW.replace(
        "(not (pair ?q)))", "(not (pair ?q)) (not (true (cell 5 x))))"
    )
    + "(<= (goal x 80) (pair x) (true (cell 5 x))) (<= (goal o 20) (pair x) (true (cell 5 x)))"
    + "(<= (goal x 10) (pair o) (true (cell 5 x))) (<= (goal o 90) (pair o) (true (cell 5 x)))"
    + EMPTY,
    "a first state that one side has": ROW + EMPTY.replace("(cell 1 b)", "(cell 1 o)"),
    "a move that one side lacks": ROW.replace(
        "(true (control ?p)) (true (cell ?i b)))",
        "(true (control ?p)) (true (cell ?i b)) (distinct ?i 2))"
        "(<= (legal x (mark 2)) (true (control x)) (true (cell 2 b)))",
    )
    + EMPTY,
    "a step that is another at one side": ROW.replace(
        "(<= (next (cell ?i ?c)) (true (cell ?i ?c)) (distinct ?c b))",
        "(<= (next (cell ?i ?c)) (true (cell ?i ?c)) (distinct ?c b) (not (slips ?i ?c)))"
        "(<= (slips 4 o) (does x (mark 5)))"
        "(<= (next (cell 4 x)) (true (cell 4 o)) (does x (mark 5)))",
    )
    + EMPTY,
}


def _game(text: str, folder: Path) -> gdl.Game:
    file = folder / "row.kif"
    file.write_text(text)
    return gdl.load(file, backend="native")


def _compare(game: gdl.Game | str | Path) -> int:
    """Check values of all positions, reduced and not; return the symmetries used."""
    reduced, whole = solve(game), solve(game, symmetries=False)
    assert (reduced.positions, reduced.initial) == (whole.positions, whole.initial)
    assert not whole.table.head.symmetries
    rows = reduced.table.find_keys(whole.table.keys)
    assert (rows >= 0).all()
    assert (reduced.table.values[rows] == whole.table.values).all()
    assert (reduced.table.distances[rows] == whole.table.distances).all()
    action = reduced.table.action
    return 1 if action is None else len(action.elements)


@pytest.mark.parametrize(("name", "symmetries"), [("tictactoe", 8), ("hex?size=2", 2)])
def test_values_are_those_without_symmetries(name: str, symmetries: int) -> None:
    assert _compare(name) == symmetries


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "symmetries"),
    [
        ("hex?size=3", 2),
        ("morris/three", 8),
        ("connectfour?columns=4&rows=4", 2),
        ("mnk?columns=4&rows=3&line=3", 4),
        ("slidingtiles", 1),
    ],
)
def test_values_of_larger_games_are_those_without(name: str, symmetries: int) -> None:
    assert _compare(name) == symmetries


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nim1", "nim2", "buttons", "lightsOn", "chomp", "toetictac"])
def test_values_of_published_files_are_those_without(name: str) -> None:
    path = SHARED / "games" / f"{name}.kif"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    _compare(path)


def test_tictactoe_has_765_positions_up_to_symmetry() -> None:
    solution = solve("tictactoe")
    assert (solution.positions, len(solution.table)) == (5478, 765)


def test_a_row_and_its_mirror_are_one(tmp_path: Path) -> None:
    assert _compare(_game(ROW + EMPTY, tmp_path)) == 2


@pytest.mark.parametrize("what", NEARLY)
def test_what_is_nearly_symmetric_is_not_reduced(what: str, tmp_path: Path) -> None:
    assert _compare(_game(NEARLY[what], tmp_path)) == 1


@pytest.mark.parametrize("what", ["", *NEARLY])
def test_a_mirror_is_proved_where_it_is_one_and_nowhere_else(what: str, tmp_path: Path) -> None:
    """The proof alone, however the candidate was found."""
    native = _game(NEARLY.get(what, ROW + EMPTY), tmp_path).back_end.native
    assert native is not None
    circuit = native.circuit
    packing = guess_packing(native, sample_plays(native, -1)).packing
    mirror = str.maketrans("12345", "54321")

    def image(terms: tuple[object, ...], term: object) -> int:
        texts = [str(each) for each in terms]
        text = str(term).translate(mirror)
        return texts.index(text if text in texts else str(term))

    stored = [fact for field in packing.fields for fact in field.members]
    candidate = Candidate(
        {fact: image(circuit.facts, circuit.facts[fact]) for fact in stored},
        tuple(tuple(image(row, move) for move in row) for row in circuit.moves),
    )
    assert is_symmetry(circuit, packing, candidate, Budget(10)) == (not what)


def test_without_a_prover_no_symmetry_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        symmetry_module, "find_spec", lambda name: None if name == "pysat" else object()
    )
    solution = solve("tictactoe")
    assert solution.note == (
        "no symmetry was looked for: a proof needs pysat (pip install 'gdl-framework[verify]')"
    )
    assert len(solution.table) == solution.positions == 5478


def test_without_time_no_symmetry_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry_module, "SECONDS", 0.0)
    solution = solve("tictactoe")
    assert solution.note == "the search for symmetries ended early: 0 seconds are over"
    assert len(solution.table) == solution.positions == 5478


def test_any_image_of_a_position_is_found(tmp_path: Path) -> None:
    solve("tictactoe").table.save(tmp_path / "table")
    whole = solve("tictactoe", symmetries=False).table
    kept = gdl.solve.open_table(tmp_path / "table")
    game = gdl.load("tictactoe")
    rng = random.Random(1)
    for _ in range(40):
        state = game.initial()
        while not state.is_terminal:
            state = state.play(rng.choice(state.legal()))
            assert kept.value(state) == whole.value(state)


def test_many_states_are_found_at_once() -> None:
    table = solve("tictactoe").table
    native = gdl.load("tictactoe", backend="native").back_end.native
    assert native is not None
    facts = native.circuit.facts
    states = sample_plays(native, -1).plays[:6, :20].reshape(-1, len(facts))
    rows = table.find_states(states, facts)
    singly = [
        table.find({str(f) for f, held in zip(facts, s, strict=True) if held}) for s in states
    ]
    assert rows.tolist() == singly
    assert (rows >= 0).all()
    twice = states.copy()
    twice[:, :3] = True
    assert (table.find_states(twice, facts) == -1).all()


def _random_action(rng: random.Random) -> tuple[list[Place], int, Action]:
    """Return an action on keys of several words, with fields of all kinds."""
    sizes = [(rng.choice([True, False]), rng.randint(1, 9)) for _ in range(6)]
    places: list[Place] = []
    at = 0
    for is_exact, size in [kind for kind in sizes for _ in range(rng.randint(1, 5))]:
        width = Place(0, is_exact, size).width
        if at // 64 != (at + max(width, 1) - 1) // 64:
            at = -(-at // 64) * 64
        places.append(Place(at, is_exact, size))
        at += width + rng.randint(0, 4)
    firsts = np.cumsum([0, *(place.size for place in places)]).tolist()
    generators = []
    for _ in range(3):
        image = list(range(firsts[-1]))
        one, other = rng.sample(range(len(places)), 2)
        if places[one][1:] == places[other][1:]:
            for i in range(places[one].size):
                image[firsts[one] + i], image[firsts[other] + i] = (
                    firsts[other] + i,
                    firsts[one] + i,
                )
        else:
            here = image[firsts[one] : firsts[one + 1]]
            image[firsts[one] : firsts[one + 1]] = here[1:] + here[:1]
        generators.append(tuple(image))
    words = max(1, -(-at // 64))
    return places, words, Action(places, words, tractable(generators, firsts[-1]))


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(6))
def test_the_least_key_is_the_least_of_the_orbit(seed: int) -> None:
    rng = random.Random(seed)
    places, words, action = _random_action(rng)

    def key(numbers: list[int]) -> int:
        pairs = zip(places, numbers, strict=True)
        return sum(number << place.start for place, number in pairs if place.width)

    def image(numbers: list[int], element: tuple[int, ...]) -> list[int]:
        firsts = np.cumsum([0, *(place.size for place in places)]).tolist()
        result = [0] * len(places)
        for place, first, number in zip(places, firsts[:-1], numbers, strict=True):
            member = number - (not place.is_exact)
            if member < 0:
                continue
            to = element[first + member]
            field = max(i for i, start in enumerate(firsts[:-1]) if start <= to)
            result[field] = to - firsts[field] + (not places[field].is_exact)
        return result

    states = [[rng.randrange(p.size + (not p.is_exact)) for p in places] for _ in range(50)]
    orbits = [{key(image(state, element)) for element in action.elements} for state in states]
    least = [min(orbit) for orbit in orbits]
    assert [action.least(key(state)) for state in states] == least
    rows = [[key(state) >> 64 * i & (1 << 64) - 1 for i in range(words)] for state in states]
    keys = np.array(rows, np.uint64)
    assert count_orbits(keys, action.chunks, action.tables) == sum(map(len, orbits))
    used = np.zeros(len(keys), np.int32)
    make_least(keys, action.chunks, action.tables, used)
    assert [sum(int(w) << 64 * i for i, w in enumerate(row)) for row in keys] == least
    for state, element, wanted in zip(states, used.tolist(), least, strict=True):
        assert key(image(state, action.elements[element])) == wanted


def test_a_group_that_is_too_large_is_cut_down() -> None:
    swaps = [tuple(i + 1 if j == i else i if j == i + 1 else j for j in range(8)) for i in range(7)]
    assert generated(swaps, 8, 128) is None
    kept = tractable(swaps, 8)
    elements = generated(kept, 8, 128)
    assert elements is not None
    assert len(elements) == 120
    assert elements[0] == tuple(range(8))


def test_renamings_keep_fields() -> None:
    places = [Place(*field) for field in ((0, True, 2), (1, True, 2), (2, False, 2))]
    assert keeps_fields((2, 3, 0, 1, 4, 5), places)
    assert not keeps_fields((0, 2, 1, 3, 4, 5), places)  # parts of two fields
    assert not keeps_fields((4, 5, 2, 3, 0, 1), places)  # a field of another kind
    assert not keeps_fields((0, 0, 2, 3, 4, 5), places)  # two become one


@pytest.mark.later
@pytest.mark.parametrize(("most", "found"), [((0,), 0), ((0, 500), 2)])
def test_more_sets_are_listed_where_few_tell_no_symmetry(
    most: tuple[int, ...], found: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what outputs depend on alone nobody knows which squares of a board make a line."""
    monkeypatch.setattr(symmetry_module, "MOST_SETS", most)
    native = gdl.load("tictactoe", backend="native").back_end.native
    assert native is not None
    guess = guess_packing(native, sample_plays(native, -1))
    symmetries = symmetry_module.find_symmetries(native.circuit, guess.packing, guess.counted)
    assert (len(symmetries.generators), symmetries.note) == (found, "")


def test_time_is_that_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine finds the same: what is learned does not hang on who else works there."""
    clocks = []

    def noted(seconds: float, megabytes: int, clock: Callable[[], float]) -> Budget:
        clocks.append(clock)
        return Budget(seconds, megabytes, clock=clock)

    monkeypatch.setattr("gdl.verify.solvers.budget.Budget", noted)
    native = gdl.load("tictactoe", backend="native").back_end.native
    assert native is not None
    guess = guess_packing(native, sample_plays(native, -1))
    symmetry_module.find_symmetries(native.circuit, guess.packing, guess.counted)
    assert clocks == [time.thread_time]
