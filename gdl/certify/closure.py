"""Checks that a list of states holds all that play reaches, and that none of them is bad.

In: a transition system of which the latch named `PLAY` says that every step so far was a play,
groups of inputs of which a play sets one each, and states. Out: how many steps were looked at.

Inputs could be set in far too many ways to try all. So two formulas say first what a play is:
where the latch is false it stays so and nothing is bad; and where it stays true, one input of each
group was set, and the output of that input (whether it is allowed) was true. Then only such
steps have to be tried, and each must lead to a state of the list.

Source: an inductive invariant written out state by state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Final

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.formulas import Formula, literal

PLAY: Final = "every step so far was a play"
"""Name of the latch that is true until a step was none."""
MARKED: Final = "marked"
JOINT: Final = "joint"
"""The two formulas: the latch marks what is no play; a play is a joint choice that is allowed."""
LANES: Final = 4096
"""Steps that are tried at once."""


def play_latch(model: AigerFile) -> int:
    """Return the number of the latch that is true until a step was none.

    Raises:
        CertificateError: There is none, or it begins as false.
    """
    for latch, first in enumerate(model.resets):
        if model.names.get(f"l{latch}") == PLAY and first:
            return latch
    raise CertificateError(f"no latch is named {PLAY!r} and true at first")


def closure_questions(model: AigerFile, groups: Sequence[Sequence[int]]) -> dict[str, Formula]:
    """Return the formulas that say what a play is; neither may be satisfied. Cost O(gates).

    Args:
        model: The system; it has an output for each input: whether that is allowed.
        groups: Numbers of the inputs, each in one group.

    Raises:
        CertificateError: The groups are not all inputs once each, or outputs are missing.
    """
    if sorted(chain.from_iterable(groups)) != list(range(model.inputs)):
        raise CertificateError("the groups do not hold each input once")
    if len(model.outputs) != model.inputs:
        raise CertificateError("there is not one output for each input")
    return {MARKED: marked_question(model), JOINT: _joint(model, groups)}


def marked_question(model: AigerFile) -> Formula:
    """Return that what is no play goes on as one, or is bad.

    Raises:
        CertificateError: No latch says what a play is.
    """
    latch = play_latch(model)
    formula = Formula()
    leaves = formula.fresh(model.inputs + len(model.nexts))
    literals = formula.add_gates(model, leaves)
    formula.clauses.append((-leaves[model.inputs + latch],))
    wrong = [model.nexts[latch], *model.bads]
    formula.clauses.append(tuple(literal(literals, edge) for edge in wrong))
    return formula


def _joint(model: AigerFile, groups: Sequence[Sequence[int]]) -> Formula:
    """Return that a step is a play, and no input of a group is set, or two, or one not allowed."""
    formula = Formula()
    leaves = formula.fresh(model.inputs + len(model.nexts))
    literals = formula.add_gates(model, leaves)
    formula.clauses.append((literal(literals, model.nexts[play_latch(model)]),))
    wrong: list[int] = []
    for group in groups:
        (none,) = formula.fresh(1)
        formula.clauses += ((-none, -leaves[number]) for number in group)
        wrong.append(none)
        before = 0  # the literal that says: one of those before was set
        for number in group:
            chosen = leaves[number]
            (denied,) = formula.fresh(1)
            allowed = literal(literals, model.outputs[number])
            formula.clauses += ((-denied, chosen), (-denied, -allowed))
            wrong.append(denied)
            if before:
                several, now = formula.fresh(2)
                formula.clauses += ((-several, chosen), (-several, before))
                formula.clauses += ((-now, before, chosen),)
                wrong.append(several)
                before = now
            else:
                before = chosen
    formula.clauses.append(tuple(wrong))
    return formula


def read_states(lines: Iterable[str], latches: int) -> set[int]:
    """Return states: each line a number in hexadecimal, whose bit n is the value of latch n.

    Raises:
        CertificateError: A line is no such number.
    """
    states = set()
    for number, line in enumerate(lines, start=1):
        try:
            state = int(line, 16)
        except ValueError:
            state = -1
        if not 0 <= state < 1 << latches:
            raise CertificateError(f"line {number} of the states is no state: {line[:40]}")
        states.add(state)
    return states


def read_levels(lines: Iterable[str], latches: int) -> dict[int, int]:
    """Return states, each with its level: a line a level, numbers as of `read_states`.

    Raises:
        CertificateError: A word is no such number, or a state is there twice.
    """
    levels: dict[int, int] = {}
    for level, line in enumerate(lines):
        words = line.split(" ")
        states = read_states(words, latches)
        if len(states) < len(words) or not levels.keys().isdisjoint(states):
            raise CertificateError(f"level {level} lists a state twice")
        levels |= dict.fromkeys(states, level)
    return levels


def first_state(model: AigerFile) -> int:
    """Return the state that play begins in, as `read_states` writes states."""
    return sum(1 << latch for latch, value in enumerate(model.resets) if value)


def check_closure(
    model: AigerFile,
    groups: Sequence[Sequence[int]],
    states: set[int],
    follows: dict[int, list[int]] | None = None,
    *,
    outermost: Collection[int] = (),
) -> int:
    """Return how many steps between the states there are.

    Cost O(gates * (states + steps)), a machine word at a time.

    Args:
        model: The system.
        groups: Inputs of which a play sets one each.
        states: The list.
        follows: Where to note the states after each state, None for nowhere.
        outermost: States of which it does not matter what they lead to.

    Raises:
        CertificateError: The first state is missing, a state is bad or no play, or a step leads
            out of the states.
    """
    play = play_latch(model)
    if first_state(model) not in states:
        raise CertificateError("the first state is not among the states")
    if any(not state >> play & 1 for state in states):
        raise CertificateError("a state that no play comes to is among the states")
    count = 0
    for steps in _batches(_steps(model, groups, states, outermost)):
        count += len(steps)
        for (before, _), after in zip(steps, _after(model, steps), strict=True):
            if not after >> play & 1:
                continue
            if after not in states:
                raise CertificateError(f"a step leads to a state that is not listed: {after:x}")
            if follows is not None:
                follows.setdefault(before, []).append(after)
    return count


def check_levels(
    model: AigerFile, groups: Sequence[Sequence[int]], levels: Mapping[int, int], length: int
) -> int:
    """Return how many steps lead from states of a level to those of the next one, or of one before.

    So whatever so many moves lead to is listed, and nothing bad is among it. Cost as above.

    Raises:
        CertificateError: As above; or a step leads further than one level, or levels are missing.
    """
    last = {state for state, level in levels.items() if level >= length}
    follows: dict[int, list[int]] = {}
    if levels.get(first_state(model)) != 0:
        raise CertificateError("the first state is not on the first level")
    count = check_closure(model, groups, set(levels), follows, outermost=last)
    for before, states in follows.items():
        for after in states:
            if levels[after] > levels[before] + 1:
                raise CertificateError(f"a step leads further than one level: {after:x}")
    return count


def longest_play(follows: dict[int, list[int]], first: int) -> int:
    """Return how many steps the longest play from a state has. Cost O(steps).

    Raises:
        CertificateError: A play comes back to a state, so that it need not end.
    """
    # Depth first: a state is settled after all that follow it, and one that is met again while
    # it waits for them is on a way back to itself.
    longest: dict[int, int] = {}
    waiting: set[int] = set()
    stack = [first]
    while stack:
        state = stack[-1]
        if state in longest:
            stack.pop()
        elif state in waiting:
            longest[state] = max((1 + longest[after] for after in follows[state]), default=0)
            stack.pop()
        else:
            waiting.add(state)
            for after in follows.setdefault(state, []):
                if after in waiting and after not in longest:
                    raise CertificateError(f"a play comes back to a state: {after:x}")
                stack.append(after)
    return longest[first]


def _steps(
    model: AigerFile,
    groups: Sequence[Sequence[int]],
    states: set[int],
    outermost: Collection[int],
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each state with each joint choice that is allowed in it; refuse one that is bad.

    Of the outermost no choices.
    """
    if _sees_inputs(model):
        raise CertificateError("what is bad or allowed depends on the inputs")
    for batch in _batches(sorted(states)):
        ones = (1 << len(batch)) - 1
        latches = _transposed(batch, len(model.nexts))
        values = model.evaluate([0] * model.inputs, latches, ones)
        bads = [_value(values, edge, ones) for edge in model.bads]
        allowed = [_value(values, edge, ones) for edge in model.outputs]
        if any(bads):
            lane = next(value for value in bads if value).bit_length() - 1
            raise CertificateError(f"a state of the list is bad: {batch[lane]:x}")
        for lane, state in enumerate(batch):
            if state in outermost:
                continue
            options = [[n for n in group if allowed[n] >> lane & 1] for group in groups]
            for joint in product(*options):
                yield state, joint


def _sees_inputs(model: AigerFile) -> bool:
    """Return whether an input is in the cone of a bad or of an output."""
    wanted = {edge >> 1 for edge in (*model.bads, *model.outputs)}
    for index in range(len(model.gates) - 1, -1, -1):
        if model.first_gate + index in wanted:
            wanted.update(edge >> 1 for edge in model.gates[index])
    return any(0 < variable <= model.inputs for variable in wanted)


def _after(model: AigerFile, steps: Sequence[tuple[int, tuple[int, ...]]]) -> list[int]:
    """Return the state after each step."""
    ones = (1 << len(steps)) - 1
    inputs = [0] * model.inputs
    for lane, (_, joint) in enumerate(steps):
        for number in joint:
            inputs[number] |= 1 << lane
    latches = _transposed([state for state, _ in steps], len(model.nexts))
    values = model.evaluate(inputs, latches, ones)
    return _transposed([_value(values, edge, ones) for edge in model.nexts], len(steps))


def _value(values: Sequence[int], edge: int, ones: int) -> int:
    return values[edge >> 1] ^ ones if edge & 1 else values[edge >> 1]


def _transposed(rows: Sequence[int], width: int) -> list[int]:
    """Return for each of so many bits a number with a bit a row."""
    # As text, since Python has no better word for it: row r is a string of its bits, the lowest
    # first, and column c the c-th letters of all rows.
    texts = [format(row, f"0{width}b")[::-1] if width else "" for row in rows]
    return [int("".join(letters)[::-1], 2) for letters in zip(*texts, strict=True)]


def _batches(items: Iterable) -> Iterator[list]:  # type: ignore[type-arg]  # of anything
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == LANES:
            yield batch
            batch = []
    if batch:
        yield batch
