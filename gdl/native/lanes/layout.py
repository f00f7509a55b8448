"""Where everything of a set of lanes lies in memory.

Memory is one array of vectors, called slots; behind it stand counters, then tables of lengths and
of goals. In goes a `Program`, out comes a `Layout`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from gdl.native.lanes.ply import Program

TABLE_BITS: Final = 20
"""Bits of the index of a goal vector for which a table is kept, a count of eight bytes each."""
MAX_GOAL_BITS: Final = 63
"""Bits of such an index at most; where there is no table, ends are listed."""
BATCH: Final = 8
"""Vectors of ends that are counted at once."""
EASY_TURN_BITS: Final = 5
"""Bits of the count of turns that are always carried through; higher ones are rarely reached."""
COUNTERS: Final = 64
"""Bytes of the counters before the tables."""
STUCK, CUT, LAID_ASIDE, LONG = 0, 1, 2, 3
"""Which of the counters counts what: playouts stuck and cut, vectors of ends laid aside; the last
is not 0 once a playout has needed more than the easy bits of its count of turns."""
UINT64: Final = 8
LISTED: Final = 2 * UINT64
"""Bytes of a listed end: a goal vector, and how many; the first entry says how many there are."""


class GoalTableError(ValueError):
    """The goal values have too many combinations to be counted."""


class Layout(NamedTuple):
    """Numbers of slots; where there are several, of the first.

    Attributes:
        live: Lanes in the middle of a playout.
        go: Lanes that move in this ply.
        terminal: Lanes whose game is over after it.
        able: Lanes in which every role has a legal move.
        pending: Lanes whose end is kept but not yet counted.
        quota: Playouts still to be started, a number a word.
        seed: State of the random numbers, two slots.
        waits: Lanes that missed a draw, a slot a phase.
        turns: Cycles begun in this playout, a number over ``turn_bits`` slots.
        kept_turns: The same of ended lanes, then the phase of the end (``phase_bits``).
        kept: What the goals need of ended lanes.
        planes: Goal indices, over ``goal_bits`` slots.
        aside: Lanes of `BATCH` vectors of ends laid aside.
        aside_planes: `BATCH` slots for each plane of their lengths and then of their goals.
        halves: Memory of the walk that counts them.
        last: Highest rank of each chooser of a phase; masks and ranks follow likewise.
        facts: Stored facts.
        scratch: From here on free for schedules.
    """

    live: int
    go: int
    terminal: int
    able: int
    pending: int
    quota: int
    seed: int
    waits: int
    turns: int
    turn_bits: int
    kept_turns: int
    phase_bits: int
    kept: int
    planes: int
    goal_bits: int
    aside: int
    aside_planes: int
    halves: int
    last: int
    mask: int
    rank: int
    facts: int
    scratch: int

    @property
    def is_listed(self) -> bool:
        """Whether goal vectors are listed, as there is no table of all that could be."""
        return self.goal_bits > TABLE_BITS

    @property
    def easy_turns(self) -> range:
        """Bits of the count of turns that every playout needs."""
        return range(min(EASY_TURN_BITS, self.turn_bits))

    @property
    def hard_turns(self) -> range:
        """Those that long playouts need too."""
        return range(len(self.easy_turns), self.turn_bits)


def list_length(width: int, period: int) -> int:
    """Return for how many listed ends there is room: twice those of a cycle at worst."""
    return 2 * BATCH * width * (period // BATCH + 2)


def lay_out(program: Program, max_plies: int) -> Layout:
    """Return the layout of a program."""
    scores = program.scores
    goal_bits = sum(scores.widths)
    if goal_bits > MAX_GOAL_BITS:
        raise GoalTableError(f"{goal_bits} bits of goal values, at most {MAX_GOAL_BITS}")
    period = len(program.phases)
    # Room for one more than the limit at which a playout is cut off.
    turn_bits = (-(-max_plies // period) + 1).bit_length()
    phase_bits = (period - 1).bit_length()
    choice = max(sum(len(c.last) for c in phase.choosers) for phase in program.phases)
    # One behind another in this order; the scratch of schedules is last, its size moves nothing.
    sizes = {
        "live": 1,
        "go": 1,
        "terminal": 1,
        "able": 1,
        "pending": 1,
        "quota": 1,
        "seed": 2,
        "waits": period,
        "turns": turn_bits,
        "kept_turns": turn_bits + phase_bits,
        "kept": len(scores.latches),
        "planes": goal_bits,
        "aside": BATCH,
        "aside_planes": BATCH * (turn_bits + phase_bits + goal_bits),
        "halves": BATCH * max(turn_bits + phase_bits, goal_bits),
        "last": choice,
        "mask": choice,
        "rank": choice,
        "facts": len(program.stored),
    }
    starts: dict[str, int] = {}
    slot = 0
    for name, size in sizes.items():
        starts[name] = slot
        slot += size
    return Layout(
        **starts, turn_bits=turn_bits, phase_bits=phase_bits, goal_bits=goal_bits, scratch=slot
    )
