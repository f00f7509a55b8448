"""Changed certificates are refused: circuits, invariants, formulas, proofs, states, plays, maps.

Whoever changes a file signs it, so no digest gives it away. A mutant may be right all the same: a
proof whose changed step follows too, a circuit changed where the claim does not look. Which these
are is found out here by other means (clauses that follow for a checker without hints, a claim that
is true of all states of the changed system), and only they may be accepted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gdl.certify import Checked, check_folder
from gdl.certify.aiger_file import AigerFile, aiger_bytes, read_aiger
from gdl.certify.closure import PLAY
from gdl.circuit.aig import FALSE, negate
from gdl.compile.pipeline import build
from gdl.ruleset import Ruleset
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.diff import diff
from gdl.verify.properties.monitors import with_memory
from gdl.verify.proving.evidence import (
    AllStates,
    ByPly,
    Claim,
    ComesBack,
    Ends,
    Induction,
    KInduction,
    Lengths,
    Levels,
    Lowered,
    NoLonger,
    Reached,
    Shown,
    UsedUp,
)
from gdl.verify.proving.frames import Frames, Sum
from gdl.verify.proving.invariants import Clause, Invariants
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.state_space import whole_space
from gdl.verify.systems.system import Bad, System, game_system
from gdl.verify.systems.transition import Same, transition
from tests.certify.forged import Claims, again, alone, claims_of, copied, signed
from tests.circuit import aiger_file as simulator
from tests.shared import examples
from tests.verify.rup import read_dimacs, refutes

LAMPS = """
(role a) (init (step 0)) (next_step 0 1) (next_step 1 2) (next_step 2 3) (init idle)
(<= (base (step ?x)) (next_step ?x ?y)) (base (step 3)) (base idle)
(<= (base (lamp ?x)) (next_step ?x ?y)) (<= (base (dark ?x)) (next_step ?x ?y))
(<= (init (dark ?x)) (next_step ?x ?y))
(<= (input a (press ?x)) (next_step ?x ?y))
(<= (legal a (press ?x)) (true (dark ?x)))
(<= (next (lamp ?x)) (does a (press ?x))) (<= (next (lamp ?x)) (true (lamp ?x)))
(<= (next (dark ?x)) (true (dark ?x)) (not (does a (press ?x))))
(<= (next (step ?y)) (true (step ?x)) (next_step ?x ?y)) (<= (next idle) (true idle))
(<= terminal (true (step 3))) (<= (goal a 100) (true (lamp 2)))
"""
"""Three lamps, to be switched on one by one; three steps; and a fact that never changes."""

WHEEL = """
(role a) (init (at 0)) (after 0 1) (after 1 2) (after 2 0) (legal a (turn on)) (legal a (turn back))
(<= (next (at ?y)) (does a (turn on)) (true (at ?x)) (after ?x ?y))
(<= (next (at ?x)) (does a (turn back)) (true (at ?y)) (after ?x ?y))
(goal a 50)
"""
"""A wheel that is turned on or back, for ever: plays of it come back to a state."""

Change = Callable[[Path, random.Random], bool | None]
"""Changes a claim's folder; says whether what is there now is right all the same, None for: not
known, see there."""


def lamps() -> tuple[System, dict[str, int]]:
    system = game_system(build(Ruleset("lamps", (), text=LAMPS).description))
    return system, {str(label.term): fact for fact, label in enumerate(system.facts)}


def claims() -> Iterator[Claim]:
    """Yield a claim of each kind."""
    system, fact = lamps()
    aig, edges = system.aig, system.fact_inputs
    both = aig.conj(edges[fact["(lamp 1)"]], edges[fact["(dark 1)"]])
    lit = Bad("a lamp is lit", edges[fact["(lamp 1)"]])
    bad = Bad("a lamp is lit and dark", both)
    asked = system.asking([bad])
    same = {fact[f"(lamp {n})"]: Same(fact[f"(dark {n})"], flipped=True) for n in range(3)}
    known = Invariants(same, ())
    last, idle = edges[fact["(step 3)"]], edges[fact["idle"]]
    late = system.asking([Bad("the end, and not idle", aig.conj(last, negate(idle)))])
    space = whole_space(system, Budget(60))
    assert space is not None
    darks = tuple(((fact[f"(dark {n})"], False),) for n in range(3))
    weights = {fact[f"(dark {n})"]: 2 for n in range(3)}
    yield Claim("induction", Induction(asked, known))
    for name, is_simple in (("k-induction", False), ("k-induction, simple", True)):
        yield Claim(name, KInduction(late, Invariants({}, ()), 4, is_simple))
    yield Claim("all states", AllStates(space, (bad,)))
    yield Claim("terminating", AllStates(space, (), 3))
    again_ = aig.conj(system.choice_inputs[0][0], edges[fact["(lamp 0)"]])
    pressed, edge = with_memory(system, again_, "pressed again")
    yield Claim("of moves", AllStates(pressed, (Bad("pressed again", edge),)))
    yield Claim("lengths, up to 2 moves", Lengths(system.asking([Bad("the end", system.stop)]), 2))
    yield Claim("levels, up to 2 moves", Levels(system.asking([Bad("the end", system.stop)]), 2))
    yield Claim("no longer", NoLonger(asked, 3))
    yield Claim("play", Shown(system.asking([lit]), ((1,),), is_shortest=True))
    parts = [Bad(f"lamp {n} is lit", edges[fact[f"(lamp {n})"]]) for n in range(3)]
    yield Claim("plays", Reached(system.asking([*parts, lit]), (((0,), (1,)),), 0))
    yield Claim("terminating", Ends(system, 3, by_clock=False))
    yield Claim("terminating", Ends(system, 3, by_clock=True))
    wheel = game_system(build(Ruleset("wheel", (), text=WHEEL).description))
    yield Claim("not terminating", ComesBack(wheel, ((0,), (1,), (1,), (1,)), 1))
    yield Claim("terminating", UsedUp(system.asking(()), known, darks))
    yield Claim("terminating", Lowered(system.asking(()), known, weights, 2))
    # After n moves the clock shows n, and n lamps are lit; after two, one of the first two is.
    single = [Sum(((fact[f"(step {n})"], 1),)) for n in range(4)]
    number = Sum(tuple((fact[f"(dark {n})"], 1) for n in range(3)))
    frames = Frames(transition(asked, same), known, [*single, number])
    two: dict[int, list[Clause]] = {2: [((fact["(lamp 0)"], True), (fact["(lamp 1)"], True))]}
    yield Claim("plies, up to 3 moves", Lengths(asked, 3, ByPly(frames, two)))
    yield Claim("plies, to the end", NoLonger(asked, 3, ByPly(frames, two)))


def called(claim: dict[str, Any]) -> str:
    """Return the name of a claim without its length; where that is how play ends, what shows it."""
    is_end = claim["name"].endswith("terminating") and claim["kind"] != "all states"
    return str(claim["kind"] if is_end else claim["name"]).partition(", up to")[0]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = open_folder(tmp_path_factory.mktemp("certificates") / "lamps")
    write_certificates(folder, list(claims()), (), Budget(60))
    kinds = {called(claim): claim.get("kind") for claim in claims_of(folder)}
    others = {"terminating": "all states", "k-induction, simple": "k-induction"}
    others |= {"plies, to the end": "plies", "of moves": "all states"}
    assert kinds == {name: name for name in kinds} | others
    assert all(again(copied(folder, folder.parent), n).holds for n in range(len(kinds)))
    return folder


# ---------------------------------------------------------------------- changes


def other(chance: random.Random, value: int, most: int) -> int:
    return chance.choice([n for n in range(most) if n != value])


def changed_circuit(name: str, claim: str = "") -> Change:
    def change(place: Path, chance: random.Random) -> bool | None:
        path = place / name
        old = read_aiger(path.read_bytes())
        new = old
        while new == old:
            new = _other_circuit(old, chance)
        path.write_bytes(aiger_bytes(new))
        return _is_true(place, claim) if name == "model.aig" else None

    return change


def _other_circuit(old: AigerFile, chance: random.Random) -> AigerFile:
    """Return a circuit in which one operand, first value, or edge that is shown is another."""
    part = chance.choice(["gates", "gates", "nexts", "resets", "outputs", "bads"])
    row = list(getattr(old, part))
    if not row:
        return old
    number = chance.randrange(len(row))
    most = 2 * (old.first_gate + (number if part == "gates" else len(old.gates)))
    if part == "gates":
        pair = list(row[number])
        pair[chance.randrange(2)] = chance.randrange(most)
        row[number] = (max(pair), min(pair))
    else:
        row[number] = 1 - row[number] if part == "resets" else other(chance, row[number], most)
    fields: dict[str, Any] = {part: tuple(row)}
    return replace(old, **fields)


ENDING = ("ends", "clock", "used-up", "ranking")


def _is_true(place: Path, claim: str) -> bool:
    """Return whether a claim holds of the model that lies there: all states are looked at."""
    machine = simulator.read_aiger((place / "model.aig").read_bytes())
    play = next(n for n in range(len(machine.latches)) if machine.names[f"l{n}"] == PLAY)
    inputs = list(product((0, 1), repeat=len(machine.inputs)))
    reached = todo = {tuple(machine.start())}
    for step in range(1 << len(machine.latches)):
        after = set()
        for state in todo:
            for row in inputs:
                values = machine.values(list(state), list(row))
                if any(simulator.bit(values, edge) for edge in machine.bads):
                    return step > {"lengths": 2, "levels": 2, "plies": 3}.get(
                        claim, 1 << 9
                    )  # the claim's length
                after.add(tuple(simulator.bit(values, latch[1]) for latch in machine.latches))
        if claim in ENDING and step == 3:  # likewise
            return not any(state[play] for state in after)
        todo = after - reached
        if not todo and claim not in ENDING:
            break
        reached = reached | after
        todo = after if claim in ENDING else todo
    return True


def changed_formula(place: Path, chance: random.Random) -> bool:
    path = chance.choice(sorted(place.glob("*.cnf")))
    lines = path.read_text(encoding="ascii").splitlines()
    number = chance.randrange(1, len(lines))
    if chance.random() < 1 / 2:
        del lines[number]
    else:
        first, _, rest = lines[number].partition(" ")
        lines[number] = f"{-int(first) or 1} {rest}"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return False


def changed_proof(place: Path, chance: random.Random) -> bool:
    """Change a step or a hint; right is what a checker without hints finds to follow, too."""
    path = chance.choice(sorted(place.glob("*.lrat")))
    lines = path.read_text(encoding="ascii").splitlines()
    number = chance.randrange(len(lines))
    how = chance.choice(["drop", "literal", "hint", "hint", "forget", "number"])
    words = lines[number].split()
    end = words.index("0")
    if how == "drop":
        del lines[number]
    elif how == "literal" and end > 1:
        place_of = chance.randrange(1, end)
        words[place_of] = str(-int(words[place_of]))
    elif how in ("literal", "hint"):
        words[chance.randrange(end + 1, len(words) - 1)] = str(chance.randrange(1, int(words[0])))
    elif how == "forget":
        del words[chance.randrange(end + 1, len(words) - 1)]
    else:
        words[0] = str(int(words[0]) - 1 - chance.randrange(3))
    if how != "drop":
        lines[number] = " ".join(words)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    formula = read_dimacs(path.with_suffix(".cnf").read_text(encoding="ascii"))
    rows = [[int(word) for word in line.split()] for line in lines]
    return refutes(formula, [row[1 : row.index(0, 1)] for row in rows])


def changed_states(place: Path, chance: random.Random) -> bool:
    """Leave a state out, or let it be another: play reaches all that are listed."""
    path = place / "states.txt"
    lines = path.read_text(encoding="ascii").splitlines()
    number = chance.randrange(len(lines))
    if chance.random() < 1 / 2:
        del lines[number]
    else:
        lines[number] = f"{int(lines[number], 16) ^ 1 << chance.randrange(9):x}"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return False


def changed_levels(place: Path, chance: random.Random) -> bool:
    """Leave a level or a state out, move a state to another level, or let it be another."""
    path = place / "states.txt"
    levels = [line.split(" ") for line in path.read_text(encoding="ascii").splitlines()]
    level = chance.randrange(len(levels))
    state = chance.randrange(len(levels[level]))
    how = chance.choice(["level", "state", "later", "twice", "other"])
    if how == "level":
        del levels[level]
    elif how == "other":
        levels[level][state] = f"{int(levels[level][state], 16) ^ 1 << chance.randrange(9):x}"
    else:
        moved = levels[level][state] if how == "twice" else levels[level].pop(state)
        if how != "state":
            levels.append([moved])
    path.write_text("".join(f"{' '.join(line)}\n" for line in levels), encoding="ascii")
    # Play reaches all that are listed, and from the last level nothing is asked: but what is left
    # out of it, or comes later, is missed on the one before.
    return False


def changed_play(place: Path, chance: random.Random) -> bool:
    """Set or clear an input of a step (not those after the last, which decide nothing)."""
    path = place / "play.cex"
    lines = path.read_text(encoding="ascii").splitlines()
    row = chance.randrange(len(lines) - 2)
    letter = chance.randrange(len(lines[row]))
    text = lines[row]
    lines[row] = text[:letter] + ("1" if text[letter] == "0" else "0") + text[letter + 1 :]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return False


def one_changed(lines: list[str], chance: random.Random) -> list[str]:
    """Return lines of inputs without one of them, or with one of its inputs set or cleared."""
    number = chance.randrange(len(lines))
    if chance.random() < 1 / 2:
        return [*lines[:number], *lines[number + 1 :]]
    line = lines[number]
    letter = chance.randrange(len(line))
    flipped = {"0": "1", "1": "0", ".": "0"}[line[letter]]
    return [*lines[:number], line[:letter] + flipped + line[letter + 1 :], *lines[number + 1 :]]


def changed_loop(place: Path, chance: random.Random) -> bool:
    """Set or clear an input, or leave a step out: then it is no play, or comes to another state."""
    path = place / "play.cex"
    lines = one_changed(path.read_text(encoding="ascii").splitlines(), chance)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    return False


def changed_plays(place: Path, chance: random.Random) -> bool:
    """Set or clear an input, or leave a line out; others may show what was shown there."""
    path = place / "plays.txt"
    lines = one_changed(path.read_text(encoding="ascii").splitlines(), chance)
    text = "".join(f"{line}\n" for line in lines)
    path.write_text(text, encoding="ascii")
    machine = simulator.read_aiger((place / "model.aig").read_bytes())
    *plays, rest = text.split(".\n")
    shown = set()
    for play in plays:
        state = list(machine.start())
        for line in play.splitlines():
            if len(line) != len(machine.inputs):
                return False
            values = machine.values(state, list(map(int, line)))
            shown |= {edge for edge in machine.bads if simulator.bit(values, edge)}
            state = [simulator.bit(values, latch[1]) for latch in machine.latches]
    return not rest and shown == set(machine.bads)


def changed_plies(place: Path, chance: random.Random) -> bool:
    """Let something else be said of a ply, a count or a gain: of all of them it would be wrong.

    What is said less may still be enough; the formulas are then others than those that lie there.
    """
    path = place / "plies.json"
    said = json.loads(path.read_text(encoding="ascii"))
    how = chance.choice(["added", "where", "count", "gains", "then", "then", "steps", "end"])
    gain, step = chance.choice(said["gains"]), chance.choice(said["steps"])
    if how == "added":
        gain["added"] += chance.choice([-1, 1])
    elif how == "where":
        gain["where"] = [*gain["where"], -1 - chance.randrange(9)]
        gain["where"].pop(chance.randrange(len(gain["where"]) - 1) if gain["where"][1:] else 0)
    elif how == "count":
        groups = chance.choice(said["counts"])
        groups[chance.randrange(len(groups))] = [-1 - chance.randrange(9)]
    elif how == "gains":
        step["gains"] = [(number + 1) % (1 + len(said["gains"])) for number in step["gains"]]
    elif how == "then":
        number = chance.randrange(len(step["then"]))
        step["then"][number] = [-1 - each for each in step["then"][number]]
    elif how == "steps":
        del said["steps"][chance.randrange(len(said["steps"]))]
    else:
        said["end"] = not said["end"]
        if not said["end"]:  # it says less, which the files that are left show, too
            said["steps"][0]["then"].pop()
    path.write_text(json.dumps(said), encoding="ascii")
    return False


CHANGES: dict[str, list[Change]] = {
    "terminating": [changed_formula, changed_proof, changed_states],
    "play": [changed_play],
    "plays": [changed_plays],
    "loop": [changed_loop],
}
INVARIANT = ("induction", "k-induction", "used-up", "ranking", "plies")
for kind in (*INVARIANT, "all states", "levels", "lengths", "no longer", "ends", "clock"):
    CHANGES[kind] = [changed_circuit("model.aig", kind), changed_formula, changed_proof]
for kind in INVARIANT:
    CHANGES[kind].append(changed_circuit("invariant.aig"))
CHANGES["induction"].append(changed_circuit("witness.aig"))
CHANGES["k-induction, simple"] = [changed_circuit("model.aig", ""), changed_proof]
CHANGES["all states"].append(changed_states)
CHANGES["levels"].append(changed_levels)
CHANGES["of moves"] = [changed_formula, changed_proof, changed_states]
CHANGES["plies"].append(changed_plies)
CHANGES["plies, to the end"] = [changed_circuit("model.aig", ""), changed_plies, changed_proof]
PAIRS = [(name, number) for name, changes in CHANGES.items() for number in range(len(changes))]


@pytest.mark.later
@pytest.mark.sample(16)
@pytest.mark.parametrize(("name", "number"), PAIRS)
def test_a_changed_certificate_is_refused(
    name: str, number: int, right: Path, tmp_path: Path
) -> None:
    chance = random.Random(f"{name} {number}")
    index = next(n for n, claim in enumerate(claims_of(right)) if called(claim) == name)
    refused = 0
    for _ in range(examples(8)):
        target = alone(right, tmp_path, index)
        place = target / claims_of(target)[0]["folder"]
        may_hold = CHANGES[name][number](place, chance)
        found = again(target, 0)
        assert found.holds is False or may_hold, (name, number, found)
        refused += found.holds is False
    assert refused


# ---------------------------------------------------------------------- the index

KINDS = [
    "induction",
    "all states",
    "levels",
    "lengths",
    "no longer",
    "play",
    "plays",
    "ends",
    "clock",
    "loop",
    "used-up",
]
KINDS += ["ranking", "renaming", "plies", "k-induction", "faith", "Induction"]


def forged(right: Path, tmp_path: Path, number: int, fields: dict[str, object]) -> Checked:
    """Return what comes of a claim whose row of the index says something else."""

    def edit(claims: Claims) -> None:
        claims[0] |= fields

    target = alone(right, tmp_path, number)
    signed(target, edit)
    return next(check_folder(target))


@pytest.mark.slow
def test_no_claim_is_of_another_kind(right: Path, tmp_path: Path) -> None:
    # A clock needs no file, and here one ends play whatever else does.
    clocked = ("terminating", "ends", "used-up", "ranking")
    for number, claim in enumerate(claims_of(right)):
        for kind in KINDS:
            if kind != claim["kind"]:
                found = forged(right, tmp_path, number, {"kind": kind})
                is_weaker = kind == "clock" and called(claim) in clocked
                assert found.holds is is_weaker, (found, kind)


OTHER_NAMES = {
    "induction": ["the games differ"],
    "play": ["the games agree"],
    "loop": ["terminating", "the games agree"],
    "lengths": ["the games agree", "lengths, up to 3 moves", "no shorter play: play"],
    "plies": ["the games agree", "plies, up to 4 moves"],
    **{kind: ["not terminating", "the games agree"] for kind in ("ends", "clock", "used-up")},
}


@pytest.mark.later
@pytest.mark.parametrize(("name", "others"), OTHER_NAMES.items())
def test_no_claim_has_the_name_of_one_that_says_more(
    name: str, others: list[str], right: Path, tmp_path: Path
) -> None:
    number = next(n for n, claim in enumerate(claims_of(right)) if called(claim) == name)
    for other_name in others:
        assert forged(right, tmp_path, number, {"name": other_name}).holds is False


def test_a_play_is_the_shortest_where_all_shorter_ones_of_its_system_are_denied(
    tmp_path: Path,
) -> None:
    system, _ = lamps()
    ended, never = (system.asking([Bad("the end", edge)]) for edge in (system.stop, FALSE))
    shown = Claim("end", Shown(ended, ((0,), (1,), (2,)), is_shortest=True))
    for number, (asked, length) in enumerate([(ended, 2), (ended, 1), (never, 2)]):
        folder = open_folder(tmp_path / str(number))
        shorter = Claim("no shorter play: end", Lengths(asked, length))
        write_certificates(folder, [shown, shorter], (), Budget(60))
        assert [claim.holds for claim in check_folder(folder)] == [True, number == 0]


@pytest.mark.slow
def test_no_claim_says_more_than_its_files(right: Path, tmp_path: Path) -> None:
    fields: dict[str, list[object]] = {
        "length": [-1, 0, 1, "3", True],
        "back": [-1, 0, 2, 3, 4, "1", True, None],
        "bads": [["something else"], None],
        "groups": [[], [[0]], [[0], [0, 1, 2]], None],
        "weights": [[], [[0, 1]], None],
        "drop": [1, 3, 4, -2, 0, None],
        "k": [0, 1, 3, 5, -1, True, "4", None],
        "folder": ["99", "..", ".", "", None],
        "files": [{}, None],
    }
    for number, claim in enumerate(claims_of(right)):
        fields["simple"] = [not claim.get("simple"), None, 1, 0]
        for field, values in fields.items():
            for value in values if field in claim else ():
                found = forged(right, tmp_path, number, {field: value})
                assert found.holds is False, (claim["name"], field, value, found)


# ---------------------------------------------------------------------- renamings


def test_a_changed_map_is_refused(tmp_path: Path) -> None:
    chance = random.Random(0)
    other_text = LAMPS.replace("lamp", "light").replace("?x", "?z").replace("step", "tick")
    games = Ruleset("lamps", (), text=LAMPS), Ruleset("lights", (), text=other_text)
    right = tmp_path / "right"
    assert diff(*games, certificates=right).equivalent
    for _ in range(examples(30)):
        target = copied(right, tmp_path)
        path = target / "00" / chance.choice(["a.kif", "b.kif", "renaming.json"])
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            written = json.loads(text)
            rows = [row for row in (*written["words"], *written["variables"]) if row]
            row = chance.choice(rows)
            if isinstance(row, dict):
                row[chance.choice(list(row))] = "?other"
            else:
                row[1][0] += "s"
            text = json.dumps(written)
        else:
            lines = text.splitlines()
            del lines[chance.randrange(len(lines))]
            text = "\n".join(lines) + "\n"
        path.write_text(text, encoding="utf-8")
        assert again(target, 0).holds is False
