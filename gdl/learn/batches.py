"""Games that learners learn from, played by several processes or machines into one folder.

In: a function that plays the games of a batch, given its number. Out: a file for each batch. What
is in it comes from its number alone, so whoever plays it and however often, the file is the same;
it is there whole or not at all, and a process that dies loses the batch that it was playing and no
more.
The learner reads what is there: the folder may be one of this machine, or one that all see.

    play_batches(play, folder, range(100), label="connectfour, network 3", workers=2)
    for number, arrays in read_batches(folder, label="connectfour, network 3"): ...
"""

from __future__ import annotations

import io
import os
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl._files import arrays_in, replaced
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require, require_path, require_whole
from gdl.solve.disk import Task
from gdl.solve.task_workers import crew

__all__ = ["play_batches", "read_batches"]

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Play: TypeAlias = Callable[[int], Arrays]
"""Plays the batch of a number, all chance coming from it; can be pickled."""
Told: TypeAlias = Callable[[], object]
"""Told each time that a batch is there, in any order."""
Players: TypeAlias = Callable[[Iterable[int], Told], float]
"""Plays those batches of some numbers that are not there yet; see `play_batches`."""
LABEL: Final = "label"
"""The name under which a file says what it is of."""
PREFIX: Final = "array-"
"""What the names of arrays begin with in a file."""


def play_batches(  # noqa: PLR0913  # its options
    play: Play,
    folder: str | os.PathLike[str],
    numbers: Iterable[int],
    *,
    label: str,
    workers: int = 1,
    ray: str | None = None,
) -> float:
    """Play those batches of some numbers that are not in a folder yet; return when all are.

    Args:
        play: Plays one; for several processes a function of a module, and what it needs.
        folder: Where the files go; it is made if need be, and machines see it by the same name.
        numbers: Which, from 0.
        label: What they are of, rules and network, say: others are refused.
        workers: Processes; one plays in this one.
        ray: The address of a Ray cluster, as ``ray.init`` takes it, or ``local``.

    Returns:
        Seconds of processor time that playing took, in all processes together.

    Raises:
        GdlError: A file in the folder is of something else, or no file of batches; a player
            returns no arrays, or cannot be sent to other processes.
        CrewError: Processes die again and again, or there is no cluster.
        OSError: A file cannot be written.
    """
    with players(play, folder, label=label, workers=workers, ray=ray) as play_all:
        return play_all(numbers, lambda: None)


@contextmanager
def players(
    play: Play,
    folder: str | os.PathLike[str],
    *,
    label: str,
    workers: int = 1,
    ray: str | None = None,
) -> Iterator[Players]:
    """Give what plays batches again and again, by the same processes; see `play_batches`."""
    require_whole("workers", workers, 1)
    require("label", label, str, "a text")
    if workers > 1 or ray is not None:
        _require_sendable(play)
    # Who plays elsewhere stands in another folder.
    place = Path(require_path("folder", folder)).absolute()
    place.mkdir(parents=True, exist_ok=True)
    told: Told = lambda: None  # noqa: E731  # another one for each call
    spent = 0.0

    def tell(seconds: float) -> None:
        nonlocal spent
        spent += seconds
        told()

    with crew(partial(_play, play, place, label), tell, workers, ray) as do:

        def play_all(numbers: Iterable[int], on_played: Told) -> float:
            nonlocal told, spent
            left: list[Task] = []
            for number in numbers:
                require_whole("the number of a batch", number, 0)
                if (path := batch_path(place, number)).exists():
                    _read(path, label)
                else:
                    left.append(Task("batch", 0, number, number + 1))
            told, spent = on_played, 0.0
            do(left)
            return spent

        yield play_all


def read_batch(folder: Path, number: int, label: str) -> dict[str, NDArray[Any]] | None:
    """Return the batch of a number, None where it is not there.

    Raises:
        GdlError: The file is of something else, or no file of batches.
    """
    path = batch_path(folder, number)
    return _read(path, label) if path.exists() else None


def read_batches(
    folder: str | os.PathLike[str], *, label: str, after: int = -1
) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """Yield the batches that are in a folder now, in the order of their numbers.

    Args:
        folder: The folder.
        label: What they are to be of.
        after: Only those of higher numbers: what a learner had before.

    Raises:
        GdlError: A file is of something else, or no file of batches.
    """
    folder = Path(require_path("folder", folder))
    names = (path.stem.removeprefix("batch-") for path in folder.glob("batch-*.npz"))
    for number in sorted(int(name) for name in names if name.isdecimal()):
        if number > after:
            yield number, _read(batch_path(folder, number), label)


def batch_path(folder: Path, number: int) -> Path:
    """Return where the batch of a number lies."""
    return folder / f"batch-{number:08}.npz"


def _play(play: Play, folder: Path, label: str, task: Task) -> float:
    """Play one batch and write it; return the seconds of processor time."""
    began = time.process_time()
    file = io.BytesIO()
    played: object = play(task.start)
    if not isinstance(played, Mapping):
        raise GdlError(
            f"the player of batches returned a {type(played).__name__}",
            expected="arrays by their names, a dict",
        )
    # Names of arrays are the player's own, and so may be those of anything here.
    arrays: dict[str, Any] = {PREFIX + name: np.asarray(array) for name, array in played.items()}
    if strange := [name for name, array in arrays.items() if array.dtype.hasobject]:
        raise GdlError(
            f"the player of batches returned objects as {strange[0].removeprefix(PREFIX)}",
            expected="arrays of numbers",
        )
    arrays[LABEL] = np.array(label)
    np.savez(file, **arrays)
    with replaced(batch_path(folder, task.start)) as whole:
        whole.write(file.getvalue())
    return time.process_time() - began


def _require_sendable(play: Play) -> None:
    try:
        pickle.dumps(play)
    except (pickle.PicklingError, AttributeError, TypeError):
        raise GdlError(
            "the player of batches cannot be sent to other processes",
            expected="a function of a module, and what it needs by functools.partial",
        ) from None


def _read(path: Path, label: str) -> dict[str, NDArray[Any]]:
    try:
        arrays = arrays_in(path.read_bytes())
        written = str(arrays.pop(LABEL))
    except (ValueError, KeyError):
        raise GdlError(f"{path} is no batch of games", help="remove it to play it again") from None
    if written != label:
        raise GdlError(
            f"{path} is of {written}, not of {label}", help="use another folder, or remove it"
        )
    return {name.removeprefix(PREFIX): array for name, array in arrays.items()}
