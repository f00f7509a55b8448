"""Certificates of answers: files from which `gdl.certify` checks a claim by itself.

In: claims with their evidence. Out: a folder; `gdl/certify/` says what it holds. Formulas are
made by the checker's own module, since both must have the same bytes; proofs come from a solver.

The invariant of an inductive proof is one circuit: where every step was a play, nothing is bad,
and the game is over or the invariants that were proved hold. That is what the search showed.

Source: as in `gdl.certify`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError, aiger_bytes, read_aiger
from gdl.certify.balances import BALANCES, balance_questions
from gdl.certify.balances import written as written_balances
from gdl.certify.check import (
    ALL_STATES,
    BESIDE,
    CLOCK,
    FORMAT,
    INDEX,
    INDUCTION,
    INVARIANT,
    LEVELS,
    MODEL,
    PLAY,
    REACHED,
    SHOWN,
    STATES,
    WITNESS,
    digest_of,
)
from gdl.certify.closure import MARKED, closure_questions, marked_question
from gdl.certify.formulas import INDUCTIVE, INITIAL, Formula, invariant_questions, questions
from gdl.certify.lengths import ENDS, LENGTHS, LOOP, NO_LONGER, Unrolled, bads_after, check_clock
from gdl.certify.paths import K_INDUCTION, KEPT, PATH, kept_questions, path_question
from gdl.certify.plies import BY_PLIES, FIRST, PLIES, Gain, gain_question, ply_questions, written
from gdl.certify.ranking import RANKING, falls_at_most, ranking_question
from gdl.certify.renaming import OTHER_RULES, RENAMING, RULES
from gdl.certify.used_up import USED_UP, steps_at_most, used_up_questions
from gdl.certify.witness import witness_of
from gdl.circuit.aig import Aig, negate
from gdl.circuit.aiger import Model, model_bytes
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import conj_all, disj_all
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require_path
from gdl.ruleset import Ruleset
from gdl.verify.covering import covering_plays
from gdl.verify.export import system_model
from gdl.verify.proving.evidence import (
    AllStates,
    BalancedInduction,
    ByPly,
    Claim,
    ComesBack,
    Ends,
    Evidence,
    Induction,
    KInduction,
    Lengths,
    Levels,
    Lowered,
    NoLonger,
    Reached,
    SameRules,
    Shown,
    UsedUp,
)
from gdl.verify.proving.inductive_check import conditions
from gdl.verify.proving.invariants import Invariants
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.hints import lrat_lines, read_steps
from gdl.verify.solvers.proof_log import make_empty, prove_unsatisfiable
from gdl.verify.systems.state_space import StateSpace, whole_space
from gdl.verify.systems.system import Play, System
from gdl.verify.systems.transition import Same
from gdl.verify.written_ply_facts import Group, said_of_plies

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

Clause: TypeAlias = tuple[int, ...]
Lines: TypeAlias = list[str]
"""Of a proof: clauses that are added or forgotten."""
OfPlays: TypeAlias = Lengths | NoLonger | Ends
"""What is shown of all plays of some lengths."""

BY_PLY: Final = 0.7
"""Of the time left, what a proof ply by ply may take: what it cannot show it mostly says soon."""
UNROLLING: Final = 0.4
"""Of the time left, what the proof about plays of some lengths may take."""
MAX_GATES: Final = 3_000_000
"""Gates of a formula of such plays."""


class UncertifiedError(GdlError):
    """An answer of which no certificate can be written: a fault of this package."""


def open_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder for certificates.

    Raises:
        ArgumentError: That is no path.
        GdlError: There is something in it.
    """
    folder = Path(require_path("certificates", path))
    make_empty(folder, "certificates")
    return folder


def write_certificates(  # noqa: PLR0913  # what a folder is made of
    folder: Path,
    claims: Iterable[Claim],
    games: Sequence[Ruleset],
    budget: Budget,
    on_stage: Callable[[str, str], None] | None = None,
    *,
    beside: Mapping[str, object] | None = None,
) -> None:
    """Write the certificates of claims, and the index last: without it there are none.

    Args:
        folder: Where; made by `open_folder`.
        claims: What is claimed.
        games: What they are about.
        budget: Of time and memory; a claim for which it does not suffice is listed without one.
        on_stage: Told of each claim before it is written.
        beside: What the index says besides, for whoever compares it with the rules (`provenance`).

    Raises:
        UncertifiedError: A claim is not what its evidence shows.
    """
    listed = list(claims)
    rows: list[dict[str, object]] = [{"name": claim.name} for claim in listed]
    # What looks at all plays of some lengths may take all the time there is, and goes last.
    for number in sorted(range(len(listed)), key=lambda n: isinstance(listed[n].evidence, OfPlays)):
        claim, row = listed[number], rows[number]
        if claim.evidence is None:
            row["why"] = f"{claim.method}: that has no certificate yet"
            continue
        if on_stage is not None:
            on_stage("certificates", claim.name)
        place = folder / f"{number:02}"
        place.mkdir()
        try:
            certificate = _write(place, claim.evidence, budget)
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            if isinstance(stopped, KeyboardInterrupt):
                budget.stop("interrupted")  # nor is anything else written
            row["why"] = f"no proof was written: {str(stopped) or 'interrupted'}"
            # Half of a certificate is none: nobody is to take what lies there for one.
            for file in place.iterdir():
                file.unlink()
            place.rmdir()
        else:
            files = {file.name: digest_of(file.read_bytes()) for file in sorted(place.iterdir())}
            row |= {"folder": place.name, "files": files, **certificate}
    about = [{"name": game.id, "rules": game.digest()} for game in games]
    index = {"format": FORMAT, "games": about, **(beside or {}), "claims": rows}
    index["digest"] = digest_of(json.dumps(index, sort_keys=True).encode())
    (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def _write(  # noqa: C901  # a case for each kind
    place: Path, evidence: Evidence, budget: Budget
) -> dict[str, object]:
    budget.check()
    match evidence:
        case Induction():
            return _write_induction(place, evidence, budget)
        case KInduction():
            return _write_k_induction(place, evidence, budget)
        case BalancedInduction():
            return _write_balances(place, evidence, budget)
        case Lengths() | NoLonger() | Ends():
            return _by_plies(place, evidence, budget) or _unrolled(place, evidence, budget)
        case UsedUp():
            return _write_used_up(place, evidence, budget)
        case Lowered():
            return _write_lowered(place, evidence, budget)
        case SameRules():
            return _write_renaming(place, evidence)
        case Shown():
            return _write_play(place, evidence)
        case Reached():
            return _write_reached(place, evidence, budget)
        case ComesBack():
            return _write_loop(place, evidence)
        case Levels():
            return _write_levels(place, evidence, budget)
        case AllStates():
            return _write_states(place, evidence, budget)


def _unrolled(place: Path, evidence: OfPlays, budget: Budget) -> dict[str, object]:
    """Write what all plays in one formula show; else what all states do that lengths lead to."""
    share = budget.share(UNROLLING * budget.left)
    if isinstance(evidence, NoLonger):
        return _write_no_longer(place, evidence, share)
    if isinstance(evidence, Ends):
        return _write_ends(place, evidence, share)
    try:
        return _write_lengths(place, evidence, share)
    except OutOfBudgetError:
        budget.check()
        for file in place.iterdir():
            file.unlink()
        return _write_levels(place, Levels(evidence.system, evidence.length), budget)


def _by_plies(place: Path, evidence: OfPlays, budget: Budget) -> dict[str, object] | None:
    """Write what is known of each ply, where it is enough and comes in its share of the time."""
    if evidence.by_ply is None or not evidence.length:
        return None
    try:
        share = budget.share(BY_PLY * budget.left)
        return _write_plies(place, evidence, evidence.by_ply, share)
    except (OutOfBudgetError, UncertifiedError):
        budget.check()  # the search may have used more than is known of plies
        for file in place.iterdir():
            file.unlink()
        return None


def _write_plies(
    place: Path, evidence: OfPlays, by_ply: ByPly, budget: Budget
) -> dict[str, object]:
    system, invariants = evidence.system, by_ply.frames.invariants
    if isinstance(evidence, Ends):
        system = system.asking(())
    model = _write_model(place / MODEL, system_model(system))
    invariant = _write_model(place / INVARIANT, _meanwhile(system, invariants))
    equal = _equalities(model, invariants.same)
    gains: dict[Gain, Lines | None] = {}

    def adds(group: Group, gain: Gain) -> bool:
        formula = gain_question(model, invariant, group, gain)
        gains[gain] = proof = _refutation(formula, _told(formula, equal), budget)
        return proof is not None

    is_end = not isinstance(evidence, Lengths)
    plies = said_of_plies(by_ply, evidence.length, adds, is_end=is_end)
    proved = {f"gain-{number}": gains[gain] for number, gain in enumerate(plies.gains)}
    for name, formula in ply_questions(model, invariant, plies):
        proof = proved.get(name)
        if proof is None:
            lemmas = _told(formula, {} if name in (MARKED, INITIAL, FIRST) else equal)
            proof = _refutation(formula, lemmas, budget)
        if proof is None:
            raise _not_so(place, name)
        _write_refuted(place, name, formula, proof, budget)
    (place / f"{PLIES}.json").write_bytes(json.dumps(written(plies)).encode())
    return {"kind": BY_PLIES, "bads": _bad_names(model), "length": evidence.length}


def _told(formula: Formula, equal: Mapping[int, int]) -> list[Clause]:
    """Return which gates are equal, first without and then with what an invariant says is so."""
    # First that copies of one gate are one, so that propagation comes from the system to the
    # invariant; then what follows from facts that the invariant says are equal.
    lemmas = list(_lemmas(formula, {}))
    return [*lemmas, *_lemmas(formula, equal)] if equal else lemmas


def _write_induction(place: Path, evidence: Induction, budget: Budget) -> dict[str, object]:
    model = _write_model(place / MODEL, system_model(evidence.system))
    invariant = _write_model(place / INVARIANT, _invariant(evidence))
    _write_induced(place, model, evidence, questions(model, invariant), budget)
    (place / WITNESS).write_bytes(aiger_bytes(witness_of(model, invariant)))
    return {"kind": INDUCTION, "bads": _bad_names(model)}


def _write_k_induction(place: Path, evidence: KInduction, budget: Budget) -> dict[str, object]:
    system, k, is_simple = evidence.system, evidence.k, evidence.is_simple
    certificate = _write_lengths(place, Lengths(system, k - 1), budget)
    model = read_aiger((place / MODEL).read_bytes())
    invariant = _write_model(place / INVARIANT, _meanwhile(system, evidence.invariants))
    asked = kept_questions(model, invariant)
    asked[PATH] = path_question(model, invariant, k, is_simple=is_simple)
    _write_induced(place, model, evidence, asked, budget)
    del certificate["length"]
    return certificate | {"kind": K_INDUCTION, "k": k, "simple": is_simple}


def _write_balances(place: Path, evidence: BalancedInduction, budget: Budget) -> dict[str, object]:
    model = _write_model(place / MODEL, system_model(evidence.system))
    invariant = _write_model(place / INVARIANT, _meanwhile(evidence.system, evidence.invariants))
    equal = _equalities(model, evidence.invariants.same)
    balances = [balance.groups for balance in evidence.balances]
    for name, formula in balance_questions(model, invariant, balances):
        is_step = name not in (MARKED, INITIAL, FIRST)
        _write_denied(place, name, formula, _told(formula, equal if is_step else {}), budget)
    (place / f"{BALANCES}.json").write_bytes(written_balances(balances).encode())
    return {"kind": BALANCES, "bads": _bad_names(model)}


def _write_used_up(place: Path, evidence: UsedUp, budget: Budget) -> dict[str, object]:
    induction = Induction(evidence.system, evidence.invariants)
    model = _write_model(place / MODEL, system_model(evidence.system))
    invariant = _write_model(place / INVARIANT, _invariant(induction))
    asked = invariant_questions(model, invariant)
    asked[MARKED] = marked_question(model)
    asked |= used_up_questions(model, invariant, evidence.groups, evidence.steps)
    _write_induced(place, model, induction, asked, budget)
    groups = [[n if value else -1 - n for n, value in group] for group in evidence.groups]
    length = steps_at_most(model, evidence.groups, evidence.steps)
    said = {"groups": groups, "steps": evidence.steps, "length": length}
    return {"kind": USED_UP, "bads": _bad_names(model), **said}


def _write_lowered(place: Path, evidence: Lowered, budget: Budget) -> dict[str, object]:
    induction = Induction(evidence.system, evidence.invariants)
    model = _write_model(place / MODEL, system_model(evidence.system))
    invariant = _write_model(place / INVARIANT, _invariant(induction))
    asked = invariant_questions(model, invariant)
    asked[MARKED] = marked_question(model)
    weights, drop = dict(sorted(evidence.weights.items())), evidence.drop
    steps = evidence.steps
    try:
        asked[RANKING] = ranking_question(model, invariant, weights, drop, steps)
    except CertificateError as error:
        raise OutOfBudgetError(str(error)) from error
    _write_induced(place, model, induction, asked, budget)
    said = {
        "weights": [list(pair) for pair in weights.items()],
        "drop": drop,
        "steps": steps,
        "length": falls_at_most(model, weights, drop, steps),
    }
    return {"kind": RANKING, "bads": _bad_names(model), **said}


def _write_renaming(place: Path, evidence: SameRules) -> dict[str, object]:
    for name, rules in zip((RULES, OTHER_RULES), evidence.rules, strict=True):
        (place / name).write_bytes("".join(f"{rule}\n" for rule in rules).encode())
    written = {"words": evidence.words, "places": evidence.places, "variables": evidence.variables}
    (place / f"{RENAMING}.json").write_bytes(json.dumps(written).encode())
    return {"kind": RENAMING}


def _write_induced(
    place: Path,
    model: AigerFile,
    evidence: Induction | KInduction,
    asked: Mapping[str, Formula],
    budget: Budget,
) -> None:
    """Write formulas about steps from where the invariants hold, and their proofs."""
    for name, formula in asked.items():
        is_step = name in (INDUCTIVE, KEPT)
        equal = _equalities(model, evidence.invariants.same) if is_step else {}
        _write_denied(place, name, formula, _told(formula, equal), budget)


def _write_states(place: Path, evidence: AllStates, budget: Budget) -> dict[str, object]:
    space = evidence.space
    if isinstance(space, System):
        found_anew = whole_space(space, budget)
        if found_anew is None:
            raise OutOfBudgetError("there are too many states, with what each move did")
        space = found_anew
    certificate = _write_closed(place, space.system.asking(evidence.bads), budget)
    rows: list[str] = []
    for block in space.blocks():
        budget.check()
        rows += _written(block)
    _write_text(place / STATES, "".join(f"{row}\n" for row in sorted(rows)))
    certificate["kind"] = ALL_STATES
    return certificate if evidence.longest is None else certificate | {"length": evidence.longest}


def _write_levels(place: Path, evidence: Levels, budget: Budget) -> dict[str, object]:
    space = StateSpace(evidence.system, budget)
    while space.numbers and space.depth < evidence.length:
        if not space.grow():
            raise OutOfBudgetError("there are too many states that so many moves lead to")
    certificate = _write_closed(place, evidence.system, budget)
    levels = (" ".join(sorted(_written(level))) for level in space.states)
    _write_text(place / STATES, "".join(f"{level}\n" for level in levels))
    return certificate | {"kind": LEVELS, "length": evidence.length}


def _write_closed(place: Path, system: System, budget: Budget) -> dict[str, object]:
    """Write what a play is, so that moves of listed states are all that there are."""
    model = _write_model(place / MODEL, system_model(system))
    numbers = iter(range(len(system.flat_choices)))
    groups = [[next(numbers) for _ in row] for row in system.choice_inputs]
    for name, formula in closure_questions(model, groups).items():
        _write_denied(place, name, formula, (), budget)
    return {"bads": _bad_names(model), "groups": groups}


def _written(columns: Bits) -> list[str]:
    """Return states as numbers: bit n is latch n; the last one, that all was play, is true."""
    import numpy as np

    bits = np.concatenate([columns, np.ones((1, columns.shape[1]), np.bool_)])
    rows = np.packbits(bits, axis=0, bitorder="little").T
    return [f"{int.from_bytes(row.tobytes(), 'little'):x}" for row in rows]


def _write_lengths(place: Path, evidence: Lengths, budget: Budget) -> dict[str, object]:
    """Write that plays of some lengths come to nothing bad, length by length.

    The clauses that a solver learns where something is bad after k steps, each with the literal
    that says so turned round, follow without it. So one proof holds those of all lengths, and no
    length has to find anew that those before it are fine.
    """
    model = _write_model(place / MODEL, system_model(evidence.system))
    unrolled, told = Unrolled(model), list[str]()
    learnt: list[Clause] = []
    for lemmas in _extended(unrolled, evidence.length, budget):
        formula, is_bad = unrolled.formula, unrolled.bads[-1]
        told += map(_line, lemmas)
        learnt += lemmas
        proof = prove_unsatisfiable([*formula.clauses, *learnt, (is_bad,)], budget.check)
        if proof is None:
            raise _not_so(place, LENGTHS)
        told += _without(proof, is_bad)
        learnt.append((-is_bad,))
    _write_refuted(place, LENGTHS, unrolled.finish(), told, budget)
    return {"kind": LENGTHS, "bads": _bad_names(model), "length": evidence.length}


def _extended(unrolled: Unrolled, length: int, budget: Budget) -> Iterator[list[Clause]]:
    """Add copies for 0, 1, ... moves; yield of each which of its gates are equal to others.

    Raises:
        OutOfBudgetError: Time ran out, or the formula would be too large to write down.
    """
    proved = 0  # gates of which that was said
    leader: dict[int, int] = {}
    gate_of: dict[tuple[int, int], int] = {}
    for _ in range(length + 1):
        budget.check()
        unrolled.extend()
        gates = unrolled.formula.gates
        if len(gates) > MAX_GATES:
            raise OutOfBudgetError(f"the formula of all lengths has more than {MAX_GATES:,} gates")
        yield list(_equal_gates(gates[proved:], leader, gate_of))
        proved = len(gates)


def _write_ends(place: Path, evidence: Ends, budget: Budget) -> dict[str, object]:
    model = _write_model(place / MODEL, system_model(evidence.system.asking(())))
    _write_denied(place, MARKED, marked_question(model), (), budget)
    certificate: dict[str, object] = {"bads": [], "length": evidence.length}
    if evidence.by_clock:
        with suppress(CertificateError):  # where moves run out, and nothing says that it is over
            check_clock(model, evidence.length)
            return certificate | {"kind": CLOCK}
    _write_end(place, model, evidence.length, budget)
    return certificate | {"kind": ENDS}


def _write_end(place: Path, model: AigerFile, length: int, budget: Budget) -> None:
    """Write that no play has more than so many steps."""
    unrolled, lemmas = Unrolled(model), list[Clause]()
    for some in _extended(unrolled, length, budget):
        lemmas += some
    unrolled.formula.clauses.append((unrolled.goes_on(),))
    _write_denied(place, ENDS, unrolled.formula, lemmas, budget)


def _write_no_longer(place: Path, evidence: NoLonger, budget: Budget) -> dict[str, object]:
    certificate = _write_lengths(place, Lengths(evidence.system, evidence.length), budget)
    model = read_aiger((place / MODEL).read_bytes())
    _write_denied(place, MARKED, marked_question(model), (), budget)
    _write_end(place, model, evidence.length, budget)
    return certificate | {"kind": NO_LONGER}


def _without(proof: Iterable[str], assumed: int) -> Iterator[str]:
    """Yield steps that show a literal to be false, given a refutation of it."""
    # A solver may forget the clause that made a literal true for good, and keeps the literal; here
    # that clause has to stay, as the literal is true only where ``assumed`` is. So nothing is
    # forgotten before the end. (Keeping just those clauses makes checking no quicker.)
    added = [f"{-assumed} {line}" for line in proof if not line.startswith("d")]
    yield from added
    yield f"{-assumed} 0"
    yield from (f"d {clause}" for clause in added if clause != f"{-assumed} 0")


def _write_play(place: Path, evidence: Shown) -> dict[str, object]:
    """Write a play as a witness of AIGER."""
    system = evidence.system
    model = _write_model(place / MODEL, system_model(system))
    rows = _rows(model, system, evidence.play)
    rows.append("0" * model.inputs)
    shown = [f"b{bad}" for bad in bads_after(model, rows)]
    if not shown:
        raise _not_so(place, PLAY)
    state = "".join(map(str, model.resets))
    _write_text(place / PLAY, "\n".join(["1", "".join(shown), state, *rows, "."]) + "\n")
    if evidence.beside is not None:
        steps = _rows(model, system, evidence.beside)
        _write_text(place / BESIDE, "".join(f"{row}\n" for row in steps))
    return {"kind": SHOWN, "bads": _bad_names(model)}


def _write_reached(place: Path, evidence: Reached, budget: Budget) -> dict[str, object]:
    system = evidence.system
    model = _write_model(place / MODEL, system_model(system))
    last = f"{'0' * model.inputs}\n.\n"
    plays = covering_plays(system, evidence.plays, budget, seed=evidence.seed)
    texts = ("".join(f"{row}\n" for row in _rows(model, system, play)) + last for play in plays)
    _write_text(place / f"{REACHED}.txt", "".join(texts))
    return {"kind": REACHED, "bads": _bad_names(model)}


def _write_loop(place: Path, evidence: ComesBack) -> dict[str, object]:
    model = _write_model(place / MODEL, system_model(evidence.system))
    _write_text(
        place / PLAY, "".join(f"{row}\n" for row in _rows(model, evidence.system, evidence.play))
    )
    return {"kind": LOOP, "bads": _bad_names(model), "back": evidence.back}


def _rows(model: AigerFile, system: System, play: Play) -> list[str]:
    """Return the inputs of each step of a play."""
    rows = []
    for joint in play:
        row, first = ["0"] * model.inputs, 0
        for inputs, choice in zip(system.choice_inputs, joint, strict=True):
            row[first + choice] = "1"
            first += len(inputs)
        rows.append("".join(row))
    return rows


def _bad_names(model: AigerFile) -> list[str]:
    """Return what a file calls its bads: a name of two lines is one line there."""
    return [model.names[f"b{bad}"] for bad in range(len(model.bads))]


def _write_text(file: Path, text: str) -> None:
    """Write the same bytes on every system, whatever it ends its lines with."""
    file.write_bytes(text.encode("ascii"))


def _write_model(file: Path, model: Model) -> AigerFile:
    """Write a model; return it as the checker reads it."""
    data = model_bytes(model)
    file.write_bytes(data)
    return read_aiger(data)


def _invariant(evidence: Induction) -> Model:
    """Return the invariant as a circuit over the facts and the latch that all was play."""
    return _shown(evidence.system, evidence.invariants, is_good=True)


def _meanwhile(system: System, invariants: Invariants) -> Model:
    """Return likewise what holds as long as nothing was bad."""
    return _shown(system, invariants, is_good=False)


def _shown(system: System, invariants: Invariants, *, is_good: bool) -> Model:
    """Return that invariants hold in every state of a play that goes on.

    Args:
        system: The system.
        invariants: What they are.
        is_good: Whether nothing is bad in any state; else of bad states nothing is said.
    """
    aig = Aig()
    facts = [aig.add_input() for _ in system.facts]
    play = aig.add_input()
    table = {edge >> 1: fact for edge, fact in zip(system.fact_inputs, facts, strict=True)}
    stop, *bads = copy_cone(
        system.aig, aig, table, [system.stop, *(bad.edge for bad in system.bads)]
    )
    holds_here = conj_all(aig, conditions(system, invariants, aig, facts))
    is_bad = disj_all(aig, bads)
    holds = aig.disj(stop, holds_here)
    holds = aig.conj(negate(is_bad), holds) if is_good else aig.disj(is_bad, holds)
    inputs = [(edge, f"latch {number}") for number, edge in enumerate((*facts, play))]
    shown = aig.disj(negate(play), holds)
    return Model(aig, tuple(inputs), (), ((shown, "invariant"),))


def _equalities(model: AigerFile, same: Mapping[int, Same]) -> dict[int, int]:
    """Return for each literal of a fact the one that it is equal to; 1 is true."""
    first = model.inputs + 2  # of a formula's literals: 1 is true, then come inputs, then latches
    return {
        first + fact: (first + equal.fact if equal.fact >= 0 else -1) * (-1 if equal.flipped else 1)
        for fact, equal in same.items()
    }


def _lemmas(formula: Formula, equal: Mapping[int, int]) -> Iterator[Clause]:
    """Yield clauses, each implied by propagation, that make logic which two games share one."""
    for literal_, other in equal.items():
        yield from _both(literal_, other)
    yield from _equal_gates(formula.gates, dict(equal), {})


def _equal_gates(
    gates: Iterable[tuple[int, int, int]],
    leader: dict[int, int],
    gate_of: dict[tuple[int, int], int],
) -> Iterator[Clause]:
    """Yield that gates are equal whose operands are.

    Told bottom up, each equality follows from those before it; a solver that has to find them for
    itself may need exponential time.

    Args:
        gates: The gates, operands first.
        leader: What a literal is known to be equal to; 1 is true. It grows.
        gate_of: Gates by what their operands are equal to. It grows.
    """

    def led(edge: int) -> int:
        led_by = leader.get(abs(edge), abs(edge))
        return led_by if edge > 0 else -led_by

    for gate, left, right in gates:
        a, b = sorted((led(left), led(right)))
        if -1 in (a, b) or a == -b:
            to = -1
        elif a in (b, 1):
            to = b
        elif b == 1:
            to = a
        else:
            to = gate_of.setdefault((a, b), gate)
        if to != gate:
            leader[gate] = to
            yield from _both(gate, to)


def _both(left: int, right: int) -> tuple[Clause, ...]:
    """Return that two literals are equal; that of 1 is true."""
    if abs(right) == 1:
        return ((left * right,),)
    return (-left, right), (left, -right)


def _write_denied(
    place: Path, name: str, formula: Formula, lemmas: Sequence[Clause], budget: Budget
) -> None:
    """Write a formula and a proof that it cannot be satisfied.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
        UncertifiedError: It can.
    """
    proof = _refutation(formula, lemmas, budget)
    if proof is None:
        raise _not_so(place, name)
    _write_refuted(place, name, formula, proof, budget)


def _refutation(formula: Formula, lemmas: Sequence[Clause], budget: Budget) -> Lines | None:
    """Return the lines of a proof that a formula cannot be satisfied; None if it can."""
    proof = prove_unsatisfiable([*formula.clauses, *lemmas], budget.check)
    return None if proof is None else [*map(_line, lemmas), *proof]


def _write_refuted(
    place: Path, name: str, formula: Formula, told: Sequence[str], budget: Budget
) -> None:
    """Write a formula and its proof, given the lines of one that says nothing but clauses."""
    proof = lrat_lines(formula.clauses, read_steps((*told, "0")), budget.check)
    _write_text(place / f"{name}.cnf", formula.dimacs())
    _write_text(place / f"{name}.lrat", "\n".join(proof) + "\n")


def _line(clause: Clause) -> str:
    return " ".join(map(str, (*clause, 0)))


def _not_so(place: Path, name: str) -> UncertifiedError:
    return UncertifiedError(
        f"{place}: {name} does not hold, so what was proved may be wrong",
        help="this is a fault of gdl: please report the game and the command",
    )
