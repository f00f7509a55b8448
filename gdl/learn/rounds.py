"""Learning in rounds: processes or machines play games by fixed weights, one process learns.

In: what `gdl.learn.training` learns with, and who plays. Out: the same network with better weights.
A round is so many batches of games, all played by the weights with which it began; the batches are
studied in the order of their numbers, each as soon as it and all before it are there, while the
later ones are still played. All chance of a batch comes from its number and the seed, so what is
learned depends on neither how many play nor who is first.

Beside the network lies a folder with the weights of the round and its batches. Who is killed goes
on from the last checkpoint: the batches since are still there, and only studied again.

Source: Nair et al., "Massively Parallel Methods for Deep Reinforcement Learning", 2015 (actors that
play by older weights, a learner apart from them).
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl._files import arrays_in, replaced
from gdl.language.diagnostics import GdlError
from gdl.learn import temporal_difference
from gdl.learn.batches import Arrays, Players, batch_path, players, read_batch
from gdl.learn.temporal_difference import CUT, LONGEST, Lesson, Played, new_lesson
from gdl.play.lane_tables import LaneGame
from gdl.play.value_network import ARRAYS, NetworkTables, facts_of, no_room, with_room

if TYPE_CHECKING:
    from gdl.game import Game

POSITIONS: Final = 1 << 14
"""Positions of a batch, at most."""
GAMES: Final = 1 << 13
"""Games of a batch, at most."""


@dataclass(frozen=True, slots=True)
class Terms:
    """By what games are played, the same in all processes; but for the weights.

    Attributes:
        game: The game.
        settings: See `gdl.learn.temporal_difference.EXPLORE`.
        total: The sum of both roles' goals.
        seed: Of the training.
        batches: Batches of a round.
        work: Children that are judged for a batch.
    """

    game: Game
    settings: tuple[float, ...]
    total: int
    seed: int
    batches: int
    work: int


class Player:
    """Plays batches in one process."""

    def __init__(self, terms: Terms) -> None:
        """Prepare."""
        self.terms = terms
        self._lanes: LaneGame | None = None
        self._lesson: Lesson | None = None
        self._digest, self._stamp = "", (0, 0)

    def play(self, folder: Path, number: int) -> Arrays:
        """Return the games of a batch, by the weights of its round.

        Raises:
            GdlError: The weights of the round are not there.
        """
        lesson, lanes = self._begin(folder, number)
        done = lesson.done.copy()
        rng = np.random.default_rng([self.terms.seed, number])
        lesson.random[:] = rng.integers(1, 1 << 63, 1, np.uint64)
        played = room(len(lesson.state))
        tables = lanes.stepping
        code = temporal_difference.play(lesson, tables, tables.network, played, self.terms.work)
        plies = played.plies[played.plies > 0]
        positions = int(plies.sum())
        cut = lesson.done[CUT] - done[CUT]
        lesson.done[:] = done
        return {
            "visited": played.visited[:positions],
            "found": played.child_values[:positions],
            "is_best": played.is_best[:positions],
            "plies": plies,
            "outcome": np.array([code, cut]),
            "weights": np.array(self._digest),
        }

    def _begin(self, folder: Path, number: int) -> tuple[Lesson, LaneGame]:
        """Return what games are played with, by the weights of the round of a batch."""
        path = round_path(folder, number // self.terms.batches)
        try:
            stamp = path.stat().st_ino, path.stat().st_mtime_ns
            if self._lesson is not None and self._lanes is not None and stamp == self._stamp:
                return self._lesson, self._lanes
            data = path.read_bytes()
            arrays = arrays_in(data)
        except (OSError, ValueError) as error:
            raise GdlError(
                f"{path} cannot be read: {error}",
                help="all who play have to see this folder by the same name",
            ) from None
        done = arrays.pop("done")
        if self._lesson is None or self._lanes is None:
            native = self.terms.game.back_end.native
            assert native is not None
            room = NetworkTables(**{name: arrays[name] for name in ARRAYS}, room=no_room())
            self._lanes = LaneGame(native, seed=0, network=with_room(room))
            self._lesson = new_lesson(
                self._lanes, self.terms.settings, total=self.terms.total, seed=0
            )
        self._lanes.tables.network.weights[:] = arrays["weights"]
        self._lesson.done[:] = done
        self._digest, self._stamp = digest_of(data), stamp
        return self._lesson, self._lanes


@lru_cache(1)
def _player(terms: bytes) -> Player:
    """Return what plays in this process; it is made once."""
    unpacked: Terms = pickle.loads(terms)  # noqa: S301  # what this program sent to its own process
    return Player(unpacked)


def play_batch(terms: bytes, folder: Path, number: int) -> Arrays:
    """Return the games of a batch, in whichever process; see `Player.play`."""
    return _player(terms).play(folder, number)


def room(words: int) -> Played:
    """Return room for a batch, of states of so many words."""
    most = POSITIONS + LONGEST
    return Played(
        np.zeros((most, words), np.uint64),
        np.zeros(most),
        np.zeros(most, np.bool_),
        np.zeros(GAMES, np.int64),
    )


def round_path(folder: Path, number: int) -> Path:
    """Return where the weights of a round lie."""
    return folder / f"round-{number:08}.npz"


def digest_of(data: bytes) -> str:
    """Return a name for the weights of a round."""
    return hashlib.sha256(data).hexdigest()


class Rounds:
    """The rounds of a training.

    Attributes:
        folder: Where the batches lie.
        batches: Batches of a round.
    """

    def __init__(  # noqa: PLR0913  # what is learned, and who plays
        self,
        terms: Terms,
        lanes: LaneGame,
        lesson: Lesson,
        folder: Path,
        *,
        label: str,
        workers: int,
        ray: str | None,
    ) -> None:
        """Prepare; nobody plays yet."""
        self.folder, self.batches = folder.absolute(), terms.batches
        self._lanes, self._lesson, self._label = lanes, lesson, label
        self._play = partial(play_batch, pickle.dumps(terms), self.folder)
        self._workers, self._ray = workers, ray
        self._held = ExitStack()
        self._players: Players | None = None
        empty = room(len(lesson.state))
        # Both are compiled here, before anybody waits for them.
        temporal_difference.study(lesson, self.network, empty._replace(plies=empty.plies[:0]))
        temporal_difference.play(lesson, lanes.stepping, self.network, empty, 0)
        lesson.studied[0] -= 1

    @property
    def network(self) -> NetworkTables:
        """What learns."""
        return self._lanes.stepping.network

    @property
    def is_between(self) -> bool:
        """Whether no round has begun that has not ended."""
        return bool(self._lesson.studied[0] % self.batches == 0)

    def learn(self, on_batch: Callable[[], object]) -> None:
        """Play a round and learn from it, or go on with one.

        Args:
            on_batch: Told after each batch.

        Raises:
            GdlError: A file of the folder is of something else, or damaged.
            CrewError: Processes die again and again, or there is no cluster.
            OSError: A file cannot be written.
        """
        number = int(self._lesson.studied[0]) // self.batches
        if self.is_between:
            self.folder.mkdir(exist_ok=True)
            with replaced(round_path(self.folder, number)) as file:
                file.write(self._weights())
        digest = digest_of(round_path(self.folder, number).read_bytes())
        if self._players is None:
            self._players = self._held.enter_context(
                players(
                    self._play,
                    self.folder,
                    label=self._label,
                    workers=self._workers,
                    ray=self._ray,
                )
            )
        end = (number + 1) * self.batches

        def study() -> None:
            while (at := int(self._lesson.studied[0])) < end:
                arrays = read_batch(self.folder, at, self._label)
                if arrays is None:
                    return
                self._study(batch_path(self.folder, at), arrays, digest)
                on_batch()

        self._players(range(int(self._lesson.studied[0]), end), study)
        study()  # those that had been there before

    def _weights(self) -> bytes:
        arrays = {name: getattr(self.network, name) for name in ARRAYS}
        file = io.BytesIO()
        np.savez(file, **arrays, done=self._lesson.done)
        return file.getvalue()

    def _study(self, path: Path, arrays: dict[str, NDArray[Any]], digest: str) -> None:
        """Learn from a batch.

        Raises:
            GdlError: It is damaged, or was played by other weights.
            PlayError: Play came to a state that cannot be learned.
        """
        played = _played(arrays, facts_of(self.network), len(self._lesson.state))
        if played is None:
            raise GdlError(f"{path} is no batch of games", help="remove it to play it again")
        if str(arrays["weights"]) != digest:
            raise GdlError(
                f"{path} was played by other weights", help=f"remove the folder {self.folder}"
            )
        code, cut = (int(number) for number in arrays["outcome"])
        if code != temporal_difference.LEARNED:
            raise PlayError(code)
        self._lesson.done[CUT] += cut
        temporal_difference.study(self._lesson, self.network, played)

    def forget(self) -> None:
        """Remove the files of rounds that have ended: a checkpoint is there."""
        studied = int(self._lesson.studied[0])
        # Their numbers have eight digits, so names are in the order of numbers.
        first = batch_path(self.folder, studied), round_path(self.folder, studied // self.batches)
        for path in self.folder.glob("*.npz"):
            if any(path.name[:5] == other.name[:5] and path < other for other in first):
                path.unlink(missing_ok=True)
        with suppress(OSError):  # somebody has something there
            self.folder.rmdir()

    def close(self) -> None:
        """Let those who play go."""
        self._players = None
        self._held.close()


class PlayError(Exception):
    """Play came to a state that cannot be learned; `code` says how."""

    def __init__(self, code: int) -> None:
        """Keep the code, see `gdl.learn.temporal_difference.LEARNED`."""
        super().__init__(code)
        self.code = code


def _are_lengths(plies: NDArray[Any]) -> bool:
    return bool(((plies > 0) & (plies <= LONGEST)).all())


def _played(arrays: dict[str, NDArray[Any]], facts: int, words: int) -> Played | None:
    """Return the games of a batch; None where machine code cannot go by them.

    Args:
        arrays: What the file holds.
        facts: Facts of the game.
        words: Words of a state.
    """
    kinds = {"visited": "uint64", "found": "float64", "is_best": "bool", "plies": "int64"}
    try:
        played = Played(*(np.ascontiguousarray(arrays[name]) for name in kinds))
        is_whole = arrays["outcome"].shape == (2,) and arrays["outcome"].dtype == np.int64
    except KeyError:
        return None
    positions = len(played.child_values)
    is_whole = is_whole and "weights" in arrays
    is_whole = is_whole and all(
        part.dtype == kind for part, kind in zip(played, kinds.values(), strict=True)
    )
    is_whole = is_whole and played.visited.shape == (positions, words)
    is_whole = is_whole and played.is_best.shape == played.child_values.shape == (positions,)
    is_whole = is_whole and played.plies.ndim == 1 and _are_lengths(played.plies)
    if not is_whole or played.plies.sum() != positions:
        return None
    spare = np.uint64((1 << 64) - (1 << (facts % 64)) if facts % 64 else 0)
    is_sound = not (played.visited[:, -1] & spare).any()
    is_sound = is_sound and bool(((played.child_values >= 0) & (played.child_values <= 1)).all())
    return played if is_sound else None
