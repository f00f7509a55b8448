"""What must be unsatisfiable where no play of up to so many steps comes to anything bad.

In: a transition system, a number of steps. Out: one formula of that many copies of the system,
one after the other from the first state on; satisfiable where in some copy a bad is true. All
lengths are in it, so that none can be left out. Beside it the opposite: a play, and whether its
last state is bad; and that no play is longer than so many steps.

Source: Biere, Cimatti, Clarke, Zhu, "Symbolic Model Checking without BDDs", TACAS 1999; the form of
a play is that of AIGER's witnesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.closure import play_latch
from gdl.certify.formulas import Formula, literal

LENGTHS: Final = "lengths"
ENDS: Final = "ends"
NO_LONGER: Final = "no longer"
LOOP: Final = "loop"
MAX_LENGTH: Final = 100_000
"""Steps of a formula or a play, at most: more is a mistake, and would fill the memory."""


class Unrolled:
    """Copies of a system: copy k shows what is bad after k steps.

    Attributes:
        formula: What says so; it grows.
        bads: Of each copy a literal that may be true only where one of its bads is.
    """

    def __init__(self, model: AigerFile) -> None:
        """Begin before the first copy; the first state is constant."""
        self.formula = Formula()
        self.bads: list[int] = []
        self._model = model
        self._latches = [1 if value else -1 for value in model.resets]

    def extend(self) -> None:
        """Add a copy. Cost O(gates)."""
        model, formula = self._model, self.formula
        inputs = formula.fresh(model.inputs)
        literals = formula.add_gates(model, [*inputs, *self._latches])
        # One direction is enough: where a bad is true, this may be true, and so the last clause is.
        (is_bad,) = formula.fresh(1)
        formula.clauses.append((-is_bad, *(literal(literals, edge) for edge in model.bads)))
        self.bads.append(is_bad)
        self._latches = [literal(literals, edge) for edge in model.nexts]

    def finish(self) -> Formula:
        """Return the formula: something bad is true in one of the copies."""
        self.formula.clauses.append(tuple(self.bads))
        return self.formula

    def goes_on(self) -> int:
        """Return the literal of the latch that all steps of the copies were a play."""
        return self._latches[play_latch(self._model)]


def lengths_question(model: AigerFile, length: object) -> Formula:
    """Return that something is bad after 0, 1, ... or ``length`` steps. Cost O(gates * length).

    Raises:
        CertificateError: That is no length.
    """
    return _unrolled(model, length).finish()


def ends_question(model: AigerFile, length: object) -> Formula:
    """Return that a play has more than ``length`` steps. Cost O(gates * length).

    Raises:
        CertificateError: That is no length, or no latch says what a play is.
    """
    unrolled = _unrolled(model, length)
    unrolled.formula.clauses.append((unrolled.goes_on(),))
    return unrolled.formula


def _unrolled(model: AigerFile, length: object) -> Unrolled:
    unrolled = Unrolled(model)
    for _ in range(whole_length(length) + 1):
        unrolled.extend()
    return unrolled


def whole_length(length: object) -> int:
    """Return a number of steps.

    Raises:
        CertificateError: That is none, or far too large.
    """
    if not isinstance(length, int) or isinstance(length, bool) or not 0 <= length < MAX_LENGTH:
        raise CertificateError(f"{length!r} is no number of steps")
    return length


def check_clock(model: AigerFile, length: object) -> None:
    """Check that no play has more than so many steps, whatever the inputs are.

    Each variable is false, true or unknown; inputs are unknown throughout, and what follows from
    known values alone is known. What runs by itself, as a counter of steps does, stays known.
    Cost O(gates * length).

    Raises:
        CertificateError: A longer play is not ruled out so.
    """
    latch, steps = play_latch(model), whole_length(length) + 1
    latches: list[int | None] = list(model.resets)
    for _ in range(steps):
        values: list[int | None] = [0, *[None] * model.inputs, *latches]
        for left, right in model.gates:
            a, b = _known(values, left), _known(values, right)
            values.append(0 if 0 in (a, b) else None if None in (a, b) else 1)
        latches = [_known(values, edge) for edge in model.nexts]
    if latches[latch] != 0:
        raise CertificateError(f"what runs by itself does not end play after {length} steps")


def _known(values: Sequence[int | None], edge: int) -> int | None:
    value = values[edge >> 1]
    return None if value is None else value ^ (edge & 1)


class ShownPlay(NamedTuple):
    """A play that ends where something is bad, as a witness of AIGER has it.

    Attributes:
        bads: What it shows, by number.
        rows: The inputs of each step and, last, any inputs in the state that is bad.
    """

    bads: list[int]
    rows: list[str]


def read_play(model: AigerFile, text: str) -> ShownPlay:
    """Return the play of a witness; whether its bads are true where it ends is not looked at.

    Args:
        model: The system.
        text: A witness of AIGER: ``1``, the bads that are shown (``b0``), the first state, the
            inputs of each step and, last, any inputs in the state that is bad; then a dot.

    Raises:
        CertificateError: It is no witness.
    """
    lines = text.splitlines()
    if len(lines) < 5 or lines[0] != "1" or lines[-1] != ".":  # noqa: PLR2004  # at least one row of inputs
        raise CertificateError("this is no witness: 1, bads, a state, inputs and a dot are wanted")
    first = "".join(map(str, model.resets))
    if lines[2] != first:
        raise CertificateError("the play begins in another state")
    shown = [_bad(model, word) for word in lines[1].split("b")[1:]]
    if not shown or lines[1] != "".join(f"b{bad}" for bad in shown):
        raise CertificateError(f"{lines[1][:40]!r} is no list of bads")
    return ShownPlay(shown, read_rows(model, lines[3:-1]))


def read_rows(model: AigerFile, lines: Sequence[str], called: str = "the play") -> list[str]:
    """Return rows of inputs, a digit for each, as lines of a play have them.

    Raises:
        CertificateError: One is none; names it, and what the play is called.
    """
    for number, row in enumerate(lines, start=1):
        if len(row) != model.inputs or not {"0", "1"}.issuperset(row):
            raise CertificateError(f"row {number} of {called} is no row of inputs: {row[:40]}")
    return list(lines)


def check_play(model: AigerFile, text: str) -> int:
    """Return how many steps a play has, after which something is bad.

    Raises:
        CertificateError: It is no witness, see `read_play`, or nothing is bad where it ends.
    """
    shown, rows = read_play(model, text)
    held = bads_after(model, rows)
    for bad in shown:
        if bad not in held:
            raise CertificateError(f"after the play b{bad} is not true")
    return len(rows) - 1


def bads_after(model: AigerFile, rows: Sequence[str]) -> list[int]:
    """Return the bads that are true with the last of some rows of inputs, in the state before it.

    Args:
        model: The system.
        rows: Inputs of each step from the first state on, a digit each.
    """
    return list(bads_along(model, rows))[-1]


def bads_along(model: AigerFile, rows: Sequence[str]) -> Iterator[list[int]]:
    """Yield of each row, likewise, the bads that are true. Cost O(gates) a row."""
    latches: Sequence[int] = model.resets
    for row in rows:
        values = model.evaluate(list(map(int, row)), latches, 1)
        yield [n for n, edge in enumerate(model.bads) if values[edge >> 1] ^ (edge & 1)]
        latches = [values[edge >> 1] ^ (edge & 1) for edge in model.nexts]


def check_plays(model: AigerFile, text: str) -> int:
    """Return how many plays show all bads, each in some state of one of them.

    Args:
        model: The system.
        text: The inputs of each step, a line each, and last any inputs in the state where a play
            ends; a dot after each play.

    Raises:
        CertificateError: That is no list of plays, or a bad is not true in any of them.
    """
    *plays, rest = text.split(".\n")
    if rest:
        raise CertificateError("the last play does not end with a dot")
    shown: set[int] = set()
    for number, play in enumerate(plays, start=1):
        rows = read_rows(model, play.splitlines(), f"play {number}")
        shown.update(*bads_along(model, rows))
    for bad in range(len(model.bads)):
        if bad not in shown:
            raise CertificateError(f"in no play b{bad} is true")
    return len(plays)


def check_loop(model: AigerFile, text: str, back: object) -> int:
    """Return how many steps a play has that comes back to a state. Cost O(gates * steps).

    Args:
        model: The system.
        text: The inputs of each step, a line each.
        back: After how many of them the last state was there before.

    Raises:
        CertificateError: It is no play, or its last state is another than that one.
    """
    rows, length = read_rows(model, text.splitlines()), whole_length(back)
    states: list[Sequence[int]] = [model.resets]
    for row in rows:
        values = model.evaluate(list(map(int, row)), states[-1], 1)
        states.append(tuple(values[edge >> 1] ^ (edge & 1) for edge in model.nexts))
    if not all(state[play_latch(model)] for state in states):
        raise CertificateError("a step is none of a play")
    if length >= len(rows) or states[length] != states[-1]:
        raise CertificateError(f"after {len(rows)} steps the state is not that of {length} again")
    return len(rows)


def _bad(model: AigerFile, word: str) -> int:
    if not word.isdecimal() or not word.isascii() or int(word) >= len(model.bads):
        raise CertificateError(f"b{word[:20]} is no bad of the system")
    return int(word)
