"""What every training is: a loop that whoever ends it loses little of, and the files that it has.

In: a game, a seed, a file. Out: the file, a network for players, renewed as learning goes on; and
beside it another, ``.training``, with all that learning remembers, from which it goes on after
whatever ended it. One program at a time has the file. What is learned, and how, others say: of
tuples `gdl.learn.training`, of deep networks `gdl.learn.deep.training`.
"""

from __future__ import annotations

import io
import json
import math
import os
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, NamedTuple, Protocol, TypeVar

from numpy.typing import NDArray

from gdl._files import arrays_in, locked, replaced
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require_whole

SUFFIX: Final = ".training"
"""What the name of the file has at its end that holds all that learning remembers."""
KEEP_SECONDS: Final = 20.0
"""Seconds between two checkpoints."""
KINDS: Final = {"gdl-training": "a training without --deep", "gdl-deep-training": "one with --deep"}
"""What checkpoints are of, by their format without its version."""


class TrainingError(GdlError):
    """A game is none that can be learned, or a checkpoint is of another training."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far learning is.

    Attributes:
        games: Games that were played.
        positions: Positions that were learned from.
        cut: Games that were too long and cut.
        seconds: Seconds of learning, all runs together.
    """

    games: int
    positions: int
    cut: int
    seconds: float


class Saved(Protocol):
    """What can be written to a file."""

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write it."""


class Kept(NamedTuple):
    """What a checkpoint holds: what it says, and arrays."""

    said: dict[str, Any]
    arrays: dict[str, Any]


P = TypeVar("P", bound=Progress)
"""What a training says of how far it is."""


class ResumableTraining(ABC, Generic[P]):
    """The learning of one game, which goes on where it was stopped.

    Attributes:
        game: The game, compiled.
        path: Where the network goes; the checkpoint lies beside it.
        seed: What all chance comes from.
        seconds: Seconds of learning, all runs together.
        is_resumed: Whether it goes on from a checkpoint.
    """

    FORMAT: ClassVar[str]
    """What a checkpoint says that it is; changes with the format, and with how is learned."""

    def __init__(self, game: Game, path: Path, seed: int) -> None:
        """Look at what is where the file is to be.

        Raises:
            TrainingError: There is no folder for the file, or something else in its place, or the
                checkpoint is of another training.
            ArgumentError: The seed is no whole number, or below 0.
            OSError: The checkpoint cannot be read.
        """
        self.game, self.path, self.seed = game, path, require_whole("seed", seed, 0)
        if path.is_dir():
            raise TrainingError(f"{path} cannot be written: it is a folder")
        if not path.parent.is_dir():
            raise TrainingError(f"{path} cannot be written: there is no folder {path.parent}")
        self.seconds = 0.0
        self._is_held, self._stamp = False, self._stamped()
        self.is_resumed = self._stamp is not None
        self._require_own()

    @property
    @abstractmethod
    def progress(self) -> P:
        """How far it is."""

    @property
    @abstractmethod
    def network(self) -> Saved:
        """The network as it is now."""

    @abstractmethod
    def _go_on(self, most: int, on_progress: Callable[[P], None] | None) -> None:
        """Learn for a moment, up to so many games in all, and count the seconds of it."""

    @abstractmethod
    def _remembered(self) -> Kept:
        """Return what a checkpoint holds beside format, rules, seed and seconds."""

    @property
    def checkpoint(self) -> Path:
        """Where all that learning remembers is kept."""
        return self.path.with_name(self.path.name + SUFFIX)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the file, so that no other program learns into it meanwhile.

        `run` and `keep` do so by themselves, and nothing where it is had already.

        Raises:
            TrainingError: Another training has it, or has written the checkpoint since this one
                read it.
            OSError: The file that says who has it cannot be written.
        """
        if self._is_held:
            yield
            return
        lock = self.path.with_name(f".{self.path.name}.lock")
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(lock, waits=False))
            except BlockingIOError:
                holder = lock.read_text("utf-8", "replace") or "another program"
                raise TrainingError(
                    f"{self.path} is being learned by {holder}",
                    help="wait until it has ended, or write to another file",
                ) from None
            lock.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
            if self._stamped() not in {self._stamp, None}:
                raise TrainingError(
                    f"{self.checkpoint} was written by another training since this one read it",
                    help="begin again: learning goes on from there",
                )
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False
                self._let_go()

    def _let_go(self) -> None:
        """Let those go who learn with this one."""

    def _stamped(self) -> tuple[int, int, int] | None:
        """Return what tells one checkpoint from another, None where there is none."""
        try:
            status = self.checkpoint.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def run(
        self,
        *,
        seconds: float | None = None,
        games: int | None = None,
        on_progress: Callable[[P], None] | None = None,
    ) -> P:
        """Learn until so many seconds or games are reached, all runs together, and keep it.

        Args:
            seconds: Of learning; None for no bound.
            games: Likewise.
            on_progress: Is told how far it is, some times a second.

        Raises:
            ValueError: Neither seconds nor games are given: it would never end.
            ArgumentError: Games are no whole number, or below 0.
            TrainingError: Play came to a state that cannot be learned.
            OSError: A file cannot be written.
        """
        if seconds is None and games is None:
            raise ValueError("learning needs an end: seconds or games")
        until = math.inf if seconds is None else seconds
        most = 1 << 62 if games is None else require_whole("games", games, 0)
        with self.held():
            kept = time.monotonic()
            while self.progress.games < most and self.seconds < until:
                self._go_on(most, on_progress)
                if time.monotonic() - kept > KEEP_SECONDS:
                    self.keep()
                    kept = time.monotonic()
            self.keep()
        return self.progress

    def keep(self) -> None:
        """Write the checkpoint, then the network; each is there whole or as it was.

        Raises:
            TrainingError: See `held`.
            OSError: One cannot be written.
        """
        with self.held():
            with replaced(self.checkpoint) as file:
                file.write(self._packed())
            self._stamp = self._stamped()
            self.network.save(self.path)

    def _packed(self) -> bytes:
        import numpy as np

        from gdl.play.network_file import rules_digest

        said, arrays = self._remembered()
        head = {
            "format": self.FORMAT,
            "digest": rules_digest(self.game),
            "seed": self.seed,
            "seconds": self.seconds,
            **said,
        }
        file = io.BytesIO()
        np.savez(file, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)
        return file.getvalue()

    def _require_own(self) -> None:
        """Refuse a checkpoint of other rules, and to write over what is no network of these.

        Raises:
            TrainingError: It is so.
            OSError: The checkpoint cannot be read.
        """
        from gdl.play.network_file import NetworkError, origin_of, rules_digest

        own = rules_digest(self.game)
        if self.is_resumed:
            try:
                head = json.loads(bytes(arrays_in(self.checkpoint.read_bytes())["head"]))
                other = head["digest"] != own
            except (ValueError, KeyError, TypeError):
                return  # what is wrong with it `_kept` says
            if other:
                raise TrainingError(
                    f"{self.checkpoint} is of other rules than those of {self.game.id}",
                    help="write to another file, or remove it to begin anew",
                )
        elif self.path.exists():
            try:
                is_own = origin_of(self.path).digest == own
            except NetworkError:
                is_own = False
            if not is_own:
                raise TrainingError(
                    f"{self.path} is there already, and is no network of {self.game.id}",
                    help="write to another file, or remove it",
                )

    def _kept(self, is_sound: Callable[[Kept], bool]) -> Kept:
        """Return what the checkpoint holds, and take its seconds.

        Args:
            is_sound: Whether learning can go on from what a checkpoint of this format holds; where
                it raises KeyError, TypeError or ValueError it cannot.

        Raises:
            TrainingError: It is none, damaged, or of another training of these rules.
            OSError: It cannot be read.
        """
        where = os.fspath(self.checkpoint)
        try:
            arrays = arrays_in(self.checkpoint.read_bytes())
            said = json.loads(bytes(arrays.pop("head")))
            self._refuse_kind(said["format"])
            seed, seconds = said["seed"], float(said["seconds"])
            is_ours = said["format"] == self.FORMAT and type(seed) is int
            is_ours = is_ours and 0 <= seconds < math.inf and is_sound(Kept(said, arrays))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            if isinstance(error, TrainingError):
                raise
            is_ours = False
        if not is_ours:
            raise TrainingError(
                f"{where} is no checkpoint of this version", help="remove it to begin anew"
            )
        # To go on with another seed would give what neither gives alone.
        if seed != self.seed:
            raise TrainingError(
                f"{where} was begun with the seed {seed}, not {self.seed}",
                help=f"go on with --seed {seed}, or write to another file",
            )
        self.seconds = seconds
        return Kept(said, arrays)

    def _refuse_kind(self, said: str) -> None:
        """Refuse a checkpoint of the other way of learning."""
        mine, other = (KINDS.get(name.rpartition("-")[0]) for name in (self.FORMAT, said))
        if other is not None and other != mine:
            raise TrainingError(
                f"{os.fspath(self.checkpoint)} is of {other}, not of {mine}",
                help="write to another file, or remove it to begin anew",
            )


def is_finite(arrays: Mapping[str, NDArray[Any]], *names: str) -> bool:
    """Return whether arrays hold numbers and no others: what is none learns on in silence."""
    import numpy as np

    return all(bool(np.isfinite(arrays[name]).all()) for name in names)
