"""Strong solving, the entrance: the value of every position, by which way, and what is refused.

In: a game. Out: a `Solution` with a `Table`. Two things are guessed from random plays, how a state
is written and how it is known to which layer it belongs; both are checked of every move, and when
one was wrong all begins again without it (`RefutedError`).

Source: Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994 (strongly
solved: the value of all positions that play leads to).
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gdl.game import Game, GameLike, load
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require_whole
from gdl.solve.limits import DEFAULT_WORK_LIMITS, Hands, Progress, WorkLimits
from gdl.solve.table import Table, TableError, Value

if TYPE_CHECKING:
    from gdl.solve.attractor import Arena
    from gdl.state import State

PACKAGES: Final = ("numpy", "llvmlite", "clingo", "numba", "scipy")


class NoSolverError(GdlError):
    """Packages that the solver needs are not installed."""


class NoFolderError(GdlError):
    """Several processes have no folder to work in."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The values of all positions of a game.

    Attributes:
        game: Its id.
        initial: What the first position is worth.
        table: What every position is worth.
        way: How states were told apart: ``clock``, ``count`` or ``graph``.
        bits: Bits of a state.
        layers: Layers, or 0 for a graph.
        seconds: Processor time, of all but the compilation of the rules.
        note: What is to be said of symmetries that were not found or not used; mostly empty.
    """

    game: str
    initial: Value
    table: Table = field(repr=False)
    way: str
    bits: int
    layers: int
    seconds: float
    note: str = ""

    @property
    def positions(self) -> int:
        """How many positions play leads to; the table keeps one of each orbit of symmetries."""
        return self.table.positions

    @property
    def value(self) -> float | None:
        """The goal of the first role that is not nature; see ``initial.goals`` for the others."""
        return next(iter(self.initial.goals.values()), None)

    @property
    def distance(self) -> int | None:
        """Moves to the end; None where play never ends."""
        return self.initial.distance


def solve(  # noqa: PLR0913  # one parameter for each thing a user may want
    game: GameLike,
    *,
    limits: WorkLimits = DEFAULT_WORK_LIMITS,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    symmetries: bool = True,
    workers: int = 1,
    ray: str | None = None,
    shared: bool = False,
    start: State | None = None,
) -> Solution:
    """Return the value of every position that play leads to.

    Time and memory are linear in the positions and the moves between them: about 2 million
    positions a second and 11 bytes a position where play goes layer by layer, 20 bytes a move
    besides where it may come round again.

    Args:
        game: A ruleset id, a file, a ruleset or a game.
        limits: Memory and time that it may take.
        folder: Where layers are kept while the work goes on, for more positions than memory holds;
            who solves the same game there again goes on where it was left, at the latest file. The
            table is the file ``table`` in it.
        progress: Told how far the work is.
        symmetries: Whether to look for symmetries of the rules, which need a proof each, and to
            keep one position of those that they make of each other.
        workers: Processes that work in the folder; the table is the same for any number.
        ray: Address of a Ray cluster whose machines see the folder under the same name (``auto``,
            ``local``); tasks are done there, and ``workers`` says among how many memory is shared.
        shared: Whether other processes are, or will be, asked the same of the same folder, such as
            the jobs of an array: one leads, all do its tasks, and each returns the whole.
        start: A position of the game from which play begins, in place of the first one: then the
            table has what play leads to from there. Nothing is reduced by symmetries.

    Raises:
        GdlError: The game cannot be loaded or compiled; or ``start`` is given with a folder, or is
            no state that play of this game leads to.
        NoSolverError: Packages are missing.
        UnsolvableError: Facts are hidden; a role has no move or no goal where it needs one; or
            several roles choose at once, or play comes round again, in a game with no value then.
        TooWideError: A state does not fit a key.
        TooLargeError: Memory, disk or time is used up.
        FolderError: The folder is of another game, or others work in it who were not told to share.
        NoFolderError: Several workers have no folder.
        CrewError: Processes die again and again, or there is no cluster.
        EndedError: Another process led, and gave up.

    Example:
        >>> from gdl.solve import solve
        >>> solution = solve("tictactoe")
        >>> solution.positions, solution.value, solution.distance
        (5478, 50, 9)
    """
    _need_packages()
    loaded = game if isinstance(game, Game) and game.backend == "native" else _native(game)
    from gdl.solve.table_solver import TableSolver

    begun = time.process_time()
    require_whole("workers", workers, 1)
    if folder is None and (workers > 1 or ray is not None or shared):
        raise NoFolderError(
            "several workers need a folder to work in", help="solve(..., folder=...), or --folder"
        )
    if shared and (workers > 1 or ray is not None):
        raise NoFolderError(
            "processes that share a folder are begun one by one, and have no workers of their own",
            help="leave out workers and ray, and begin more of them",
        )
    if start is not None and folder is not None:
        raise NoFolderError(
            "a folder keeps all positions of a game, not those from one on",
            help="solve(..., start=...) without a folder",
        )
    place = None if folder is None else Path(folder).absolute()
    first = None if start is None else _facts_of(start, loaded)
    # Symmetries keep the first position of a game, and not just any: from another one on, what is
    # its like need not be reached at all.
    begins, reduces = loaded.initial() if start is None else start, symmetries and start is None
    solver = TableSolver(
        loaded,
        progress or _quiet,
        limits,
        place,
        reduces=reduces,
        hands=Hands(workers, ray, shared),
        start=first,
    )
    table, way, layers = solver.run()
    row = table.find(begins.facts)
    bits = solver.bits
    seconds = time.process_time() - begun + solver.spent
    return Solution(loaded.id, table.at(row), table, way, bits, layers, seconds, solver.note)


def table_or_arena(start: State, limits: WorkLimits = DEFAULT_WORK_LIMITS) -> Table | Arena:
    """Return what says of each state that a state leads to what a role can force there.

    Where no state is met at two lengths of play, and one role or two of a constant sum take turns,
    that is the table of their values; in all other games an `Arena`. Cost as that of `solve`.

    Args:
        start: Where play begins; its game runs as machine code.
        limits: Memory and time that it may take.

    Raises:
        GdlError: What `solve` raises; or nature draws, or several roles choose at once.
    """
    _need_packages()
    from gdl.solve.table_solver import TableSolver

    game = start.game
    is_first = start == game.initial()
    first = None if is_first else _facts_of(start, game)
    solver = TableSolver(game, _quiet, limits, None, reduces=is_first, start=first)
    result = solver.run_or_arena()
    return result[0] if isinstance(result, tuple) else result


def _need_packages() -> None:
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise NoSolverError(
            f"solving needs {' and '.join(missing)}", help="pip install 'gdl-framework[solve]'"
        )


def _native(game: GameLike) -> Game:
    return load(game.ruleset if isinstance(game, Game) else game, backend="native")


def _facts_of(start: State, game: Game) -> frozenset[int]:
    """Return the facts of a state by their numbers in the circuit of a game."""
    native = game.back_end.native
    assert native is not None
    inner = native.state(start.facts)
    if inner is None or start.game.ruleset.digest() != game.ruleset.digest():
        raise TableError(
            f"this is no state that play of {game.id} leads to",
            expected="a state of the game that is solved",
        )
    return frozenset(native.machine.held(inner))


def _quiet(phase: str, place: int, states: int) -> None:
    del phase, place, states
