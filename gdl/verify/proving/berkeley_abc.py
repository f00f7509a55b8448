"""Berkeley ABC as one more engine: another program's proof or play, which counts once checked.

In: a system with questions. Out: a `ReachabilityResult`. ABC gets the system as an AIGER file and
reduces nothing. Property-directed reachability goes first, then plays length by length, which may
find what it does not come to, then it has the rest of the time. Its invariant is asked for whole: a
set of cubes that no play comes to; the clauses that deny them have to pass `check_inductive`, three
questions to a solver of ours. Its play has to come to something bad in our evaluation. What does
not is an `UnsoundError`: a disagreement between two programs, one of which is wrong.

Latches begin with 0 in the file, as the invariant that ABC writes asks for: a fact that is true at
first is stored as its opposite.

Source: Brayton, Mishchenko, "ABC: An Academic Industrial-Strength Verification Tool", CAV 2010.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

from gdl.circuit.aig import Aig, negate
from gdl.circuit.aiger import Latch, Model, model_bytes
from gdl.circuit.copy import copy_cone
from gdl.circuit.evaluate import evaluate_edges
from gdl.circuit.logic import conj_all, disj_all, exactly_one
from gdl.language.diagnostics import GdlError
from gdl.verify.proving.inductive_check import UnsoundError, check_inductive
from gdl.verify.proving.invariants import Clause, Invariants
from gdl.verify.proving.pdr import ReachabilityResult
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import Play, System

PROGRAM: Final = "berkeley-abc"
MODEL: Final = "asked.aig"
INVARIANT: Final = "invariant.pla"
WITNESS: Final = "play.cex"
PROVED: Final = "Property proved"
CHECKING: Final = 0.3
"""Of the time, what is left for checking its answer."""
PDR: Final = f"pdr -e -d -I {INVARIANT}"
TURNS: Final = ((PDR, 0.1), ("bmc3", 0.4), (PDR, 1 - CHECKING))
"""What it is asked in turn, each with its share of the time that is left."""


def require_outside() -> None:
    """Refuse where the program is not there to be asked.

    Raises:
        GdlError: Says what to do.
    """
    if shutil.which(PROGRAM) is None:
        raise GdlError(
            f"a second opinion needs {PROGRAM}",
            help=f"apt-get install {PROGRAM}, or leave out --second-opinion",
        )


def ask_outside(system: System, budget: Budget) -> ReachabilityResult | None:
    """Return what ABC finds, checked; None where it does not tell in the time there is.

    Args:
        system: What is asked: can any of its questions be reached?
        budget: For ABC, and for checking what it says.

    Raises:
        UnsoundError: What it says is not so; its files are kept, the error says where.
        OutOfBudgetError: Its answer could not be checked in time.
        FileNotFoundError: The program is not there.
    """
    budget.check()
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / MODEL).write_bytes(model_bytes(_zero_model(system)))
        said = None
        for command, share in TURNS:
            said = said or _ask(place, command, max(1, int(share * budget.left)))
        if said is None:
            return None
        try:
            return _checked((place / said).read_text("utf-8"), said, system, budget)
        except UnsoundError as error:
            kept = _kept()
            shutil.copytree(place, kept, dirs_exist_ok=True)
            raise UnsoundError(f"{error}; please report it with what lies in {kept}") from None


def _ask(place: Path, command: str, seconds: int) -> str | None:
    """Return the name of the file in which ABC says what it found, None for nothing."""
    script = f"read {MODEL}; {command} -T {seconds}; write_cex -n {WITNESS}"
    try:
        ran = subprocess.run(  # noqa: S603  # a program of that name, and files of ours
            [shutil.which(PROGRAM) or PROGRAM, "-q", script],
            cwd=place,
            capture_output=True,
            timeout=seconds + 5,
            check=False,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return None
    # Clauses of the last frame are written too where it proves nothing, so its word is needed.
    if PROVED in ran.stdout and (place / INVARIANT).exists():
        return INVARIANT
    return WITNESS if (place / WITNESS).exists() else None


def _checked(text: str, said: str, system: System, budget: Budget) -> ReachabilityResult:
    if said == WITNESS:
        return ReachabilityResult(-1, play=read_play(text, system))
    invariants = read_invariant(text, system)
    check_inductive(system, invariants, budget)
    return ReachabilityResult(-1, invariants)


def disagreement(
    system: System, reached: ReachabilityResult, said: str, rules: Iterable[str]
) -> UnsoundError:
    """Return the error of two programs that disagree, all that is needed to report it being saved.

    Args:
        system: What both were asked, saved as an AIGER file.
        reached: What the other found.
        said: What both say, in words.
        rules: The texts of the games.
    """
    kept = _kept()
    (kept / MODEL).write_bytes(model_bytes(_zero_model(system)))
    (kept / "said.txt").write_text(f"{said}\n", encoding="utf-8")
    for number, text in enumerate(rules, start=1):
        (kept / f"{number}.kif").write_text(text, encoding="utf-8")
    if reached.play is not None:
        lines = [" ".join(map(str, joint)) for joint in reached.play]
    else:
        clauses = () if reached.invariants is None else reached.invariants.clauses
        lines = [" ".join(f"{'' if v else '-'}l{fact}" for fact, v in clause) for clause in clauses]
    file = "play.txt" if reached.play is not None else "clauses.txt"
    (kept / file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return UnsoundError(f"{said}; please report it with what lies in {kept}")


def _kept() -> Path:
    """Return a new folder that stays."""
    return Path(mkdtemp(prefix="gdl-disagreement-"))


def read_invariant(text: str, system: System) -> Invariants:
    """Return the clauses that deny the cubes of a PLA file, as clauses over facts.

    The columns are the latches of the model: the facts, then "every step so far was a play", which
    is so of all states that the clauses are said of. A cube that denies it says nothing of them.

    Raises:
        UnsoundError: The file is not of this system.
    """
    clauses: list[Clause] = []
    for line in text.splitlines():
        if not line or line[0] not in "01-":
            continue
        cube = line.split()[0]
        if len(cube) != len(system.facts) + 1:
            raise UnsoundError("the invariant speaks of other latches than the model")
        if cube[-1] == "1":
            continue
        clauses.append(
            tuple(
                (fact, (value == "1") == start)  # stored as its opposite where it is true at first
                for fact, (value, start) in enumerate(zip(cube, system.initial, strict=False))
                if value != "-"
            )
        )
    return Invariants({}, tuple(clauses))


def read_play(text: str, system: System) -> Play:
    """Return the play of a witness, up to its first bad state; each step is evaluated here.

    Raises:
        UnsoundError: It comes to nothing bad.
    """
    play: list[tuple[int, ...]] = []
    facts = [int(value) for value in system.initial]
    for inputs in (*_rows(text, len(system.flat_choices)), [0] * len(system.flat_choices)):
        stop, is_bad, legal, after = _look(system, facts, inputs)
        if is_bad:
            return tuple(play)
        rows = list(system.by_role(inputs))
        is_play = not stop and all(sum(row) == 1 for row in rows)
        if not is_play or any(i and not ok for i, ok in zip(inputs, legal, strict=True)):
            break
        play.append(tuple(row.index(1) for row in rows))
        facts = after
    raise UnsoundError("the play that another program found comes to nothing bad")


def _rows(text: str, width: int) -> Iterator[list[int]]:
    """Yield the inputs of each frame of what ``write_cex -n`` says: ``name@frame=value``."""
    rows: dict[int, list[int]] = {}
    for word in text.replace("\n", " ").split():
        name, _, value = word.rpartition("=")
        name, _, ply = name.rpartition("@")
        if value in ("0", "1") and ply.isdecimal() and name[:1] == "i" and name[1:].isdecimal():
            rows.setdefault(int(ply), [0] * width)[int(name[1:])] = int(value)
    for _, inputs in sorted(rows.items()):
        yield inputs


def _look(
    system: System, facts: list[int], inputs: list[int]
) -> tuple[bool, bool, list[bool], list[int]]:
    """Return of a state whether it is over, and bad; which choices are legal; what comes next."""
    values = {0: 0}
    values |= {edge >> 1: value for edge, value in zip(system.fact_inputs, facts, strict=True)}
    values |= {edge >> 1: value for edge, value in zip(system.flat_choices, inputs, strict=True)}
    bads = [bad.edge for bad in system.bads]
    asked = [system.stop, *bads, *system.flat_legal, *system.next]
    stop, *rest = evaluate_edges(system.aig, asked, values, 1)
    legal = rest[len(bads) : len(bads) + len(system.flat_legal)]
    after = rest[len(bads) + len(system.flat_legal) :]
    return bool(stop), any(rest[: len(bads)]), list(map(bool, legal)), list(map(int, after))


def _zero_model(system: System) -> Model:
    """Return a system with one bad, plain names, and latches that all begin with 0."""
    aig = Aig()
    rows = [[aig.add_input() for _ in row] for row in system.choice_inputs]
    stored = [aig.add_input() for _ in system.facts]
    broken = aig.add_input()  # some step was no play
    facts = [edge ^ int(start) for edge, start in zip(stored, system.initial, strict=True)]
    bads = [bad.edge for bad in system.bads]
    wanted = [system.stop, *bads, *system.flat_legal, *system.next]
    stop, *rest = copy_cone(system.aig, aig, system.put(facts, rows), wanted)
    bad = disj_all(aig, rest[: len(bads)])
    legal = iter(rest[len(bads) : len(bads) + len(system.flat_legal)])
    after = rest[len(bads) + len(system.flat_legal) :]
    conditions = [negate(stop), negate(broken)]
    for row in rows:
        conditions.append(exactly_one(aig, row))
        conditions += (negate(aig.conj(choice, negate(next(legal)))) for choice in row)
    latches = [
        Latch(edge, value ^ int(start), start=False, name=f"l{i}")
        for i, (edge, value, start) in enumerate(zip(stored, after, system.initial, strict=True))
    ]
    latches.append(Latch(broken, negate(conj_all(aig, conditions)), start=False, name="broken"))
    choices = [edge for row in rows for edge in row]
    named = tuple((edge, f"i{index}") for index, edge in enumerate(choices))
    return replace(
        Model(aig, named, tuple(latches), ()),
        bads=((aig.conj(bad, negate(broken)), "bad"),),
    )
