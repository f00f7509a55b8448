"""What must be unsatisfiable where counts of facts, ply by ply, show that nothing bad is reached.

In: a transition system, an invariant, and what is said of the states after 0, 1, ... moves: clauses
over latches that hold there, and how many of some groups of latches are true. Out: formulas. Each
counts only steps of a play, and the invariant only as long as nothing was bad:

- ``marked``: what was no play goes on as one, or is bad
- ``initial``, ``kept``: the invariant is false at first, or after a step from where nothing was bad
- ``first``: something is bad in the first state
- ``gain-N``: a step from where gain N is spoken of adds another number to its count
- ``ply-N``: a step leads from what is said of ply N - 1 to something bad, or to a state of which a
  clause of ply N is false
- ``end``: a step leads on from what is said of the last ply

If none can be satisfied, nothing is bad after so many moves or fewer; and where the last is asked,
no play is longer. That is by induction over plies. Say nothing was bad up to ply N - 1. Then the
invariant holds there, what is said of it does, and so it does of ply N: clauses are asked about,
and a count is what it was and what the step added. Of a state that no play leads to nothing is
said, and ``marked`` denies that it is bad.

A group is true where one of its latches has the value that is named. Counts are told in a sorting
network, gains and losses in unary sums; each clause of them is true of what its literals mean, so
whatever breaks the claim satisfies the formula.

Source: exact plies in place of the frames of Bradley, "SAT-Based Model Checking without Unrolling",
VMCAI 2011; Batcher, "Sorting Networks and Their Applications", 1968.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.closure import MARKED, marked_question, play_latch
from gdl.certify.formulas import Formula, literal, step_of
from gdl.certify.lengths import MAX_LENGTH, lengths_question
from gdl.certify.paths import kept_questions
from gdl.certify.ranking import Sum, total

BY_PLIES: Final = "plies"
FIRST: Final = "first"
END: Final = "end"
PLIES: Final = "plies"

Clause: TypeAlias = tuple[int, ...]
"""Latches with the value that makes it true: ``n``, or ``-1 - n`` where latch n is false."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What each step of a play from some states adds to a count.

    Attributes:
        count: The number of the count.
        where: What is true of the states before the step, as in a clause.
        added: What is added.
    """

    count: int
    where: Clause
    added: int


@dataclass(frozen=True, slots=True)
class Plies:
    """What is said of states, ply by ply.

    Attributes:
        counts: Groups of latches, as in a clause; how many of them are true has one value a ply.
        gains: What steps add to counts.
        steps: Of each ply but the last, the number of a gain for each count, and the clauses that
            hold of the next ply.
        is_end: Whether no play goes on after the last ply.
    """

    counts: tuple[tuple[Clause, ...], ...]
    gains: tuple[Gain, ...]
    steps: tuple[tuple[Clause, tuple[Clause, ...]], ...]
    is_end: bool

    def clauses_at(self, model: AigerFile, ply: int) -> Sequence[Clause]:
        """Return the clauses of a ply; of the first, what each latch is."""
        if ply:
            return self.steps[ply - 1][1]
        return [(n if value else -1 - n,) for n, value in enumerate(model.resets)]

    def values(self, model: AigerFile) -> list[tuple[int, ...]]:
        """Return the counts of each ply. Cost O(plies * counts).

        Raises:
            CertificateError: A gain is not one of that count, or not known to hold there.
        """
        true = {latch for (latch,) in self.clauses_at(model, 0)}
        value = tuple(sum(not true.isdisjoint(group) for group in count) for count in self.counts)
        values = [value]
        for ply, (numbers, _) in enumerate(self.steps):
            units = {clause[0] for clause in self.clauses_at(model, ply) if len(clause) == 1}
            gains = [self.gains[number] for number in numbers]
            if [gain.count for gain in gains] != list(range(len(self.counts))):
                raise CertificateError(f"after ply {ply} there is not one gain for each count")
            if not all(units.issuperset(gain.where) for gain in gains):
                raise CertificateError(f"states of ply {ply} are not known to be what a gain asks")
            value = tuple(a + gain.added for a, gain in zip(value, gains, strict=True))
            values.append(value)
        return values


def written(plies: Plies) -> dict[str, Any]:
    """Return what is said of plies as values of JSON; `read_plies` reads them."""
    return {
        "counts": plies.counts,
        "gains": [{"count": g.count, "where": g.where, "added": g.added} for g in plies.gains],
        "steps": [{"gains": gains, "then": clauses} for gains, clauses in plies.steps],
        "end": plies.is_end,
    }


def read_plies(text: str, latches: int) -> Plies:
    """Return what is said of plies.

    Raises:
        CertificateError: It is nothing of that form, or speaks of what there is not.
    """
    try:
        said = json.loads(text)
        plies = Plies(
            tuple(_clauses(row, latches) for row in _rows(said["counts"])),
            tuple(_gain(row, latches) for row in _rows(said["gains"])),
            tuple(
                (tuple(map(_whole, _rows(step["gains"]))), _clauses(step["then"], latches))
                for step in _rows(said["steps"])
            ),
            _answer(said["end"]),
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"this says nothing of plies: {error}") from error
    if len(plies.steps) >= MAX_LENGTH:
        raise CertificateError(f"{len(plies.steps)} are too many plies")
    numbers = {number for gains, _ in plies.steps for number in gains}
    if not numbers <= set(range(len(plies.gains))):
        raise CertificateError("a gain that is spoken of is none")
    if not {gain.count for gain in plies.gains} <= set(range(len(plies.counts))):
        raise CertificateError("a gain is one of no count")
    return plies


def _gain(said: Any, latches: int) -> Gain:  # noqa: ANN401  # as it was read
    return Gain(_whole(said["count"]), _clause(said["where"], latches), _whole(said["added"]))


def _rows(value: Any) -> list[Any]:  # noqa: ANN401  # as it was read
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def _whole(value: Any) -> int:  # noqa: ANN401  # as it was read
    if type(value) is not int:
        raise TypeError("a whole number was expected")
    return value


def _answer(value: Any) -> bool:  # noqa: ANN401  # as it was read
    if not isinstance(value, bool):
        raise TypeError("true or false was expected")
    return value


def _clause(value: Any, latches: int) -> Clause:  # noqa: ANN401  # as it was read
    clause = tuple(map(_whole, _rows(value)))
    if not all(-latches <= n < latches for n in clause):
        raise CertificateError("a latch that is spoken of is none")
    return clause


def _clauses(value: Any, latches: int) -> tuple[Clause, ...]:  # noqa: ANN401  # as it was read
    return tuple(_clause(row, latches) for row in _rows(value))


# --------------------------------------------------------------------------- formulas


def ply_questions(
    model: AigerFile, invariant: AigerFile, plies: Plies
) -> Iterator[tuple[str, Formula]]:
    """Yield all formulas, each with its name. Cost O(gates) each.

    Raises:
        CertificateError: The invariant is no circuit of one output over the latches, no latch says
            what a play is, or states of a ply are not of the kind that is said.
    """
    values = plies.values(model)
    yield MARKED, marked_question(model)
    yield from kept_questions(model, invariant).items()
    yield FIRST, lengths_question(model, 0)
    for number, gain in enumerate(plies.gains):
        groups = plies.counts[gain.count]
        yield f"gain-{number}", gain_question(model, invariant, groups, gain)
    for ply in range(1, len(values)):
        yield f"ply-{ply}", ply_question(model, invariant, plies, values, ply)
    if plies.is_end:
        last = PlyStep(model, invariant)
        last.before(plies, len(plies.steps), values[-1])
        yield END, last.formula


class PlyStep:
    """A step of a play from where the invariant holds and nothing is bad.

    Attributes:
        formula: What says so.
        latches: Literals of the latches before the step.
        after: Likewise after it.
    """

    def __init__(self, model: AigerFile, invariant: AigerFile) -> None:
        """Begin with a state of which nothing else is known."""
        self.model = model
        self.formula, self._step = step_of(model, invariant)
        self.formula.clauses += ((-literal(self._step, bad),) for bad in model.bads)
        self.formula.clauses.append((literal(self._step, model.nexts[play_latch(model)]),))
        first = 1 + model.inputs
        self.latches = self._step[first : first + len(model.nexts)]
        self.after = [literal(self._step, edge) for edge in model.nexts]

    def before(self, plies: Plies, ply: int, values: Sequence[int]) -> None:
        """Let what is said of a ply be so before the step."""
        self.formula.clauses += (
            put(c, self.latches) if c else (-1,) for c in plies.clauses_at(self.model, ply)
        )
        self.count(plies, self.latches, values)

    def count(self, plies: Plies, latches: Sequence[int], values: Sequence[int]) -> None:
        """Let counts of some state have values."""
        for groups, value in zip(plies.counts, values, strict=True):
            exactly(self.formula, [self.any_of(group, latches) for group in groups], value)

    def any_of(self, group: Clause, latches: Sequence[int]) -> int:
        """Return a literal that is true just where a group is."""
        members = put(group, latches)
        if len(members) == 1:
            return members[0]
        (true,) = self.formula.fresh(1)
        self.formula.clauses += ((true, -member) for member in members)
        self.formula.clauses.append((-true, *members))
        return true

    def bads_after(self) -> list[int]:
        """Return literals of what is bad after the step, whatever the inputs are there."""
        model = self.model
        wanted = {edge >> 1 for edge in model.bads}
        for index in range(len(model.gates) - 1, -1, -1):
            if model.first_gate + index in wanted:
                wanted.update(edge >> 1 for edge in model.gates[index])
        literals = [-1, *self.formula.fresh(model.inputs), *self.after]
        for index, gate in enumerate(model.gates):
            is_needed = model.first_gate + index in wanted
            literals.append(self.formula.add_gate(literals, gate) if is_needed else 0)
        return [literal(literals, bad) for bad in model.bads]


def put(clause: Clause, latches: Sequence[int]) -> tuple[int, ...]:
    """Return the literals of a clause, given those of the latches."""
    return tuple(latches[n] if n >= 0 else -latches[-1 - n] for n in clause)


def gain_question(
    model: AigerFile, invariant: AigerFile, groups: Sequence[Clause], gain: Gain
) -> Formula:
    """Return that a step adds another number to how many of some groups are true."""
    step = PlyStep(model, invariant)
    formula = step.formula
    formula.clauses += ((lit,) for lit in put(gain.where, step.latches))
    pairs = (
        tuple(step.any_of(group, row) for row in (step.latches, step.after)) for group in groups
    )
    unequal(formula, pairs, gain.added)
    return formula


def unequal(formula: Formula, pairs: Iterable[tuple[int, ...]], added: int) -> None:
    """Let another number of literals be true after a step than before it and so many more.

    Args:
        formula: Grows.
        pairs: Of each literal the one before the step and the one after it.
        added: How many more.
    """
    gains, losses = list[Sum](), list[Sum]()
    for was, is_ in pairs:
        gains.append({1: formula.both(is_, -was)})
        losses.append({1: formula.both(was, -is_)})
    gained, lost = total(formula, gains), total(formula, losses)
    # Gains of k + added or more and losses of less than k; or losses of k or more and fewer gains.
    size = len(gains)
    added = max(-size - 1, min(size + 1, added))  # what is beyond that is never added either
    wrong = []
    for k in range(-abs(added), size + abs(added) + 1):
        left, right = _at_least(gained, k + added, size), _at_least(lost, k, size)
        wrong += [formula.both(left, -right), formula.both(right, -left)]
    formula.clauses.append(tuple(wrong))


def _at_least(sum_: Sum, value: int, most: int) -> int:
    """Return the literal that a sum has a value, or more; 1 is true."""
    return 1 if value <= 0 else -1 if value > most else sum_[value]


def ply_question(
    model: AigerFile,
    invariant: AigerFile,
    plies: Plies,
    values: Sequence[Sequence[int]],
    ply: int,
) -> Formula:
    """Return that a step to a ply leads to what is bad, or to what a clause denies."""
    step = PlyStep(model, invariant)
    step.before(plies, ply - 1, values[ply - 1])
    step.count(plies, step.after, values[ply])
    wrong = step.bads_after()
    for clause in plies.clauses_at(model, ply):
        (denied,) = step.formula.fresh(1)
        step.formula.clauses += ((-denied, -lit) for lit in put(clause, step.after))
        wrong.append(denied)
    step.formula.clauses.append(tuple(wrong))
    return step.formula


def exactly(formula: Formula, literals: Sequence[int], value: int) -> None:
    """Let just so many of some literals be true; nothing can be so if that is no such number."""
    if not 0 <= value <= len(literals):
        formula.clauses.append((-1,))
        return
    falling = _sorted(formula, list(literals))
    formula.clauses += ((lit if rank < value else -lit,) for rank, lit in enumerate(falling))


def _sorted(formula: Formula, literals: list[int]) -> list[int]:
    """Return literals in falling order: by halves, each sorted, then merged odd and even."""
    if len(literals) <= 1:
        return literals
    half = len(literals) // 2
    return _merged(formula, _sorted(formula, literals[:half]), _sorted(formula, literals[half:]))


def _merged(formula: Formula, left: list[int], right: list[int]) -> list[int]:
    if not left or not right:
        return left or right
    if len(left) == len(right) == 1:
        return _compared(formula, left[0], right[0])
    # Of the even ranks of both there are up to two more true than of the odd ones. So, the first
    # put aside, those at one place are in order but for a neighbour.
    even, odd = _merged(formula, left[::2], right[::2]), _merged(formula, left[1::2], right[1::2])
    merged, even = even[:1], even[1:]
    shared = min(len(even), len(odd))
    for a, b in zip(odd, even, strict=False):
        merged += _compared(formula, a, b)
    return [*merged, *odd[shared:], *even[shared:]]


def _compared(formula: Formula, left: int, right: int) -> list[int]:
    """Return that one of two is true, and that both are."""
    low = formula.both(left, right)
    return [-formula.both(-left, -right), low]


def literals_of(states: Iterable[tuple[int, bool]]) -> Clause:
    """Return latches with values as in a clause."""
    return tuple(n if value else -1 - n for n, value in states)
