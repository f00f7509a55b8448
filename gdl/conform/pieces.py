"""The pieces of a search one after the other, in one process or several, and where they stand.

Pieces are handed back in the order of their numbers whoever ran them, so that the first difference
is the same however many processes there are. A ledger is a small file with the counts of the
pieces that are done; a search that was broken off goes on behind them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gdl.conform.comparison import Comparison
from gdl.conform.likeness import Likeness
from gdl.conform.minimise import follow
from gdl.conform.piece import OutOfTime, Piece
from gdl.conform.search import run_piece
from gdl.conform.task import Sides, Task
from gdl.conform.twin import Choice, Parting
from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True)
class Search:
    """What a search works on, and who watches it.

    Attributes:
        task: What was asked.
        sides: Both sides, matched.
        is_done: Whether there is enough.
        on_position: Told of the piece so far; may raise `OutOfTime` to stop.
    """

    task: Task
    sides: Sides
    is_done: Callable[[], bool]
    on_position: Callable[[Piece], None]

    def pieces(self, first: int, jobs: int) -> Iterator[Piece]:
        """Yield pieces by their numbers, from the first on, until there is enough.

        A piece that the clock cuts short is the last one; its counts hold.
        """
        if jobs > 1 and isinstance(self.task.against, str):
            yield from self._shared(first, jobs)
        else:
            yield from self._alone(first)

    def _alone(self, first: int) -> Iterator[Piece]:
        for number in count(first):
            if self.is_done():
                return
            started: list[Piece] = []

            def note(piece: Piece, started: list[Piece] = started) -> None:
                started[:] = [piece]
                self.on_position(piece)

            try:
                yield _run(self.task, self.sides, number, note)
            except OutOfTime:
                yield from started
                return

    def _shared(self, first: int, jobs: int) -> Iterator[Piece]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        context, overlooked = get_context("spawn"), self.sides.comparison.overlooked
        with ProcessPoolExecutor(
            jobs, context, initializer=_begin, initargs=(self.task, overlooked)
        ) as pool:
            under_way: deque[Future[tuple[Piece, Numbers | None]]]
            under_way = deque(pool.submit(_piece, first + n) for n in range(jobs))
            number = first + jobs
            try:
                while under_way and not self.is_done():
                    piece, numbers = under_way.popleft().result()
                    under_way.append(pool.submit(_piece, number))
                    number += 1
                    if numbers is not None:
                        piece.parting = _again(self.sides.comparison, numbers)
                    yield piece
                    self.on_position(Piece(piece.number))
            except OutOfTime:
                return
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


def _run(task: Task, sides: Sides, number: int, on_position: Callable[[Piece], None]) -> Piece:
    return run_piece(
        sides.comparison.fresh(),
        sides.coverage,
        sides.by_numbers,
        number,
        seed=task.seed,
        depth=task.depth,
        on_position=on_position,
    )


# Several processes --------------------------------------------------------------------------

Numbers: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]
"""A play: for each ply the roles that chose, and the number of the move of each."""
_HERE: dict[str, tuple[Task, Sides]] = {}


def _begin(task: Task, overlooked: frozenset[Likeness]) -> None:
    sides = task.open()
    sides.comparison.overlooked = overlooked
    _HERE["task"] = task, sides


def _piece(number: int) -> tuple[Piece, Numbers | None]:
    """Run a piece in another process; a difference comes back as the numbers of its moves."""
    task, sides = _HERE["task"]
    piece = _run(task, sides, number, lambda _: None)
    parting, piece.parting = piece.parting, None
    if parting is None:
        return piece, None
    ours = sides.comparison.ours
    path = parting.twin.path
    numbers = tuple(
        tuple((role, list(ours.legal(here.ours, role)).index(move)) for role, move in after.items())
        for here, after in zip(path, parting.twin.choices, strict=False)
    )
    return piece, numbers


def _again(comparison: Comparison, numbers: Numbers) -> Parting:
    """Return the difference that another process met, met here."""
    comparison = comparison.fresh()
    choices: list[Choice] = []
    for row in numbers:
        twin = follow(comparison.fresh(), choices)
        if isinstance(twin, Parting):
            return twin
        choices.append({r: comparison.ours.legal(twin.ours, r)[n] for r, n in row})
    parting = follow(comparison, choices)
    if isinstance(parting, Parting):
        return parting
    raise GdlError(
        "a difference that one process met is not there in another",
        notes=("the engine answers otherwise from process to process, or remembers plays",),
    )


# Where a search stands ------------------------------------------------------------------------


class Ledger:
    """The counts of the pieces that are done, in a file, if there is one."""

    def __init__(self, path: str | os.PathLike[str] | None, task: Task) -> None:
        """Name the file; nothing is read yet."""
        self._path = None if path is None else Path(path)
        told = (str(task.game), str(task.against), task.allowed, str(task.names), task.seed)
        text = repr((*told, task.depth))
        self._about = hashlib.sha256(text.encode()).hexdigest()[:16]

    def load(self, total: Piece) -> int:
        """Add the counts of the file; return the number of the next piece.

        Raises:
            GdlError: The file is no ledger, or one of another search.
        """
        if self._path is None or not self._path.exists():
            return 0
        try:
            table = json.loads(self._path.read_text(encoding="utf-8"))
            if table["about"] != self._about:
                raise GdlError(
                    f"{self._path} is of another search",
                    expected="the same game, engine, conventions, map, seed and depth",
                    help="name another file, or remove this one",
                )
            total.positions, total.games = int(table["positions"]), int(table["games"])
            total.styles = Counter(table["styles"])
            total.fired = Counter({int(rule): n for rule, n in table["fired"].items()})
            total.used = set(table["used"])
            return int(table["next"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, GdlError):
                raise
            raise GdlError(f"{self._path} is no file of an audit: {error}") from error

    def save(self, total: Piece, following: int) -> None:
        """Write the counts; a reader sees the old file or the new one."""
        if self._path is None:
            return
        table = {
            "about": self._about,
            "next": following,
            "positions": total.positions,
            "games": total.games,
            "styles": total.styles,
            "fired": total.fired,
            "used": sorted(total.used),
        }
        beside = self._path.with_name(self._path.name + ".new")
        beside.write_text(json.dumps(table) + "\n", encoding="utf-8")
        beside.replace(self._path)
