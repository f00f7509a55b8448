"""From rules to a player: the loop of learning, its checkpoints, and which games it refuses.

In: a game, a seed, a file. Out: the file, a network for players, renewed as learning goes on; and
beside it another, ``.training``, with all that learning remembers, from which it goes on after
whatever ended it. What is learned depends on rules, seed and number of games alone: not on the
clock, on how often it was stopped, or on what was shown meanwhile.
"""

from __future__ import annotations

import io
import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gdl._files import arrays_in, replaced
from gdl.game import Game
from gdl.language.arguments import require_whole
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.learn.temporal import Lesson
    from gdl.learn.tuples import Layout
    from gdl.learn.weighing import Weighing
    from gdl.native.game import NativeGame
    from gdl.play.network import Network
    from gdl.solve.packing import Sample

FORMAT: Final = "gdl-training-3"
"""What a file says that it is; changes with the format, and with how is learned."""
SUFFIX: Final = ".training"
"""What the name of the file has at its end that holds all that learning remembers."""
EXPLORE: Final = 0.1
"""Share of moves that are drawn."""
FOLLOW: Final = 0.6
"""How far a value follows what came of the best moves (lambda)."""
RATE: Final = 4.0
"""Step of a correction, as a sum over all tables."""
SHARP: Final = 2.7
"""How rates fall: that of a weight whose corrections cancel is exp(-SHARP) of one whose agree."""
OPENING: Final = 0.5
"""Share of games that begin with drawn moves."""
SETTINGS: Final = (EXPLORE, FOLLOW, RATE, SHARP, OPENING)
SLICE: Final = 0.2
"""Seconds of learning between two looks at the clock."""
KEEP_SECONDS: Final = 20.0
"""Seconds between two checkpoints."""
WEIGHED: Final = 0.2
"""Processor seconds of weighing for each second of learning."""
LEAST_SECONDS: Final = 1.0
"""Processor seconds of weighing besides."""
TWO: Final = 2


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


class Training:
    """The learning of one game.

    Attributes:
        game: The game, compiled.
        layout: What the network looks at.
        weight: How far the network is to be believed beside playouts, as `weigh` found; 0 before.
        seconds: Seconds of learning, all runs together.
        is_resumed: Whether it goes on from a checkpoint.
    """

    def __init__(self, game: Game, path: Path, *, seed: int = 0) -> None:
        """Begin, or go on where a checkpoint beside the file is.

        Args:
            game: The game.
            path: Where the network goes; the checkpoint lies beside it.
            seed: What all chance comes from, from 0.

        Raises:
            TrainingError: The game cannot be learned, there is no folder for the file or there is
                one in its place, or the checkpoint is of another training.
            ArgumentError: The seed is no whole number, or below 0.
            OSError: The checkpoint cannot be read.
        """
        require_whole("seed", seed, 0)
        if path.is_dir():
            raise TrainingError(f"{path} cannot be written: it is a folder")
        if not path.parent.is_dir():
            raise TrainingError(f"{path} cannot be written: there is no folder {path.parent}")
        native = _suited(game)
        from gdl.learn.temporal import new_lesson
        from gdl.learn.tuples import choose_tuples
        from gdl.play.lane_tables import LaneGame
        from gdl.solve.packing import sample_plays

        sample = sample_plays(native, -1)
        _refuse_sample(game, sample)
        self.game, self.path, self.seed = game, path, seed
        self.layout: Layout = choose_tuples(native, sample, seed)
        self._lanes = LaneGame(native, seed=seed, network=self.layout.tables)
        (total,) = sample.sums
        self._lesson: Lesson = new_lesson(self._lanes, SETTINGS, total=total, seed=seed)
        self.seconds = self.weight = 0.0
        self.is_resumed = self.checkpoint.exists()
        if self.is_resumed:
            self._resume()
        self._learn(0)  # what has to be compiled is no learning, and its seconds do not count

    @property
    def checkpoint(self) -> Path:
        """Where all that learning remembers is kept."""
        return self.path.with_name(self.path.name + SUFFIX)

    @property
    def progress(self) -> Progress:
        """How far it is."""
        games, positions, cut = (int(n) for n in self._lesson.done)
        return Progress(games, positions, cut, self.seconds)

    @property
    def network(self) -> Network:
        """The network as it is now; it goes on changing."""
        from gdl.play.network import Head, Network, rules_digest

        head = Head(
            self.game.id,
            rules_digest(self.game),
            self.game.roles,
            tuple(int(n) for n in self._lesson.worst),
            tuple(int(n) for n in self._lesson.best),
            self.progress.games,
            self.seed,
            self.weight,
        )
        return Network(head, self.layout.tables)

    def run(
        self,
        *,
        seconds: float | None = None,
        games: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Progress:
        """Learn until so many seconds or games are reached, all runs together, and keep it.

        Args:
            seconds: Of learning; None for no bound.
            games: Likewise.
            on_progress: Is told how far it is, some times a second.

        Raises:
            ValueError: Neither seconds nor games are given: it would never end.
            TrainingError: Play came to a state that cannot be learned.
            OSError: A file cannot be written.
        """
        if seconds is None and games is None:
            raise ValueError("learning needs an end: seconds or games")
        most = games if games is not None else 1 << 62
        kept, pace = time.monotonic(), 16
        while self.progress.games < most and (seconds is None or self.seconds < seconds):
            begun = time.monotonic()
            self._learn(min(pace, most - self.progress.games))
            spent = time.monotonic() - begun
            self.seconds += spent
            pace = max(1, pace // 2) if spent > SLICE else pace * 2 if spent < SLICE / 2 else pace
            if on_progress is not None:
                on_progress(self.progress)
            if time.monotonic() - kept > KEEP_SECONDS:
                self.keep()
                kept = time.monotonic()
        self.keep()
        return self.progress

    def weigh(self) -> Weighing:
        """Measure how far the network is to be believed beside playouts, and keep that.

        It takes a fifth of the seconds of learning so far, and some seconds more; what is learned
        afterwards is the same.

        Raises:
            OSError: A file cannot be written.
        """
        from gdl.learn.weighing import weigh

        self.keep()
        progress = self.progress
        found = weigh(
            self.game,
            self.path,
            seconds=WEIGHED * self.seconds + LEAST_SECONDS,
            plies=progress.positions / max(1, progress.games),
            seed=self.seed,
        )
        self.weight = found.weight
        self.keep()
        return found

    def keep(self) -> None:
        """Write the checkpoint, then the network; each is there whole or as it was.

        Raises:
            OSError: One cannot be written.
        """
        with replaced(self.checkpoint) as file:
            file.write(self._remembered())
        self.network.save(self.path)

    def _learn(self, games: int) -> None:
        from gdl.learn import temporal

        tables = self._lanes.stepping
        code = temporal.learn(self._lesson, tables, tables.network, games)
        if code == temporal.LEARNED:
            return
        why = {
            temporal.NOT_SEQUENTIAL: "a role has no move, or both have a choice at once",
            temporal.NO_GOAL: "the game is over and a role has no single goal",
            temporal.OTHER_SUM: "the goals of both roles do not add up to what they did elsewhere",
        }[code]
        raise TrainingError(
            f"{self.game.id} cannot be learned: play came to a state in which {why}",
            expected=EXPECTED,
        )

    def _remembered(self) -> bytes:
        import numpy as np

        from gdl.play.network import rules_digest

        head = {
            "format": FORMAT,
            "digest": rules_digest(self.game),
            "seed": self.seed,
            "seconds": self.seconds,
            "weight": self.weight,
        }
        file = io.BytesIO()
        np.savez(
            file,
            head=np.frombuffer(json.dumps(head).encode(), np.uint8),
            weights=self.layout.tables.weights,
            drift=self._lesson.drift,
            length=self._lesson.length,
            random=self._lesson.random,
            done=self._lesson.done,
        )
        return file.getvalue()

    def _resume(self) -> None:
        """Take all that the checkpoint remembers.

        Raises:
            TrainingError: It is none, damaged, or of another training.
            OSError: It cannot be read.
        """
        from gdl.play.network import rules_digest

        where = os.fspath(self.checkpoint)
        lesson = self._lesson
        own: dict[str, NDArray[Any]] = {
            "weights": self.layout.tables.weights,
            "drift": lesson.drift,
            "length": lesson.length,
            "random": lesson.random,
            "done": lesson.done,
        }
        try:
            arrays = arrays_in(self.checkpoint.read_bytes())
            head = json.loads(bytes(arrays.pop("head")))
            digest, seed = head["digest"], head["seed"]
            self.seconds, self.weight = float(head["seconds"]), float(head.get("weight", 0.0))
            is_ours = head["format"] == FORMAT and isinstance(seed, int)
            is_ours = is_ours and 0 <= self.seconds < math.inf and 0 <= self.weight <= 1
            is_ours = is_ours and _is_sound(arrays, own)
        except (ValueError, KeyError, TypeError, OverflowError):
            is_ours, digest, seed, arrays = False, "", 0, {}
        if not is_ours:
            raise TrainingError(
                f"{where} is no checkpoint of this version", help="remove it to begin anew"
            )
        if digest != rules_digest(self.game):
            raise TrainingError(
                f"{where} is of other rules than those of {self.game.id}",
                help="write to another file, or remove it to begin anew",
            )
        if seed != self.seed:
            raise TrainingError(
                f"{where} was begun with the seed {seed}, not {self.seed}",
                help=f"go on with --seed {seed}, or write to another file",
            )
        if any(arrays[name].shape != array.shape for name, array in own.items()):
            raise TrainingError(
                f"{where} was begun by a network that looks at other facts",
                help="remove it to begin anew",
            )
        for name, array in own.items():
            array[:] = arrays[name]


def _is_sound(kept: dict[str, NDArray[Any]], own: dict[str, NDArray[Any]]) -> bool:
    """Return whether what a checkpoint holds can be learned on from, but for its shapes.

    Numbers drawn from a state of zeros are zeros for ever.
    """
    return (
        {name: array.dtype for name, array in kept.items()}
        == {name: array.dtype for name, array in own.items()}
        and all(bool((abs(kept[name]) < math.inf).all()) for name in ("weights", "drift", "length"))
        and bool((kept["done"] >= 0).all())
        and bool(kept["random"].all())
    )


EXPECTED: Final = "a game of two roles that take turns, of whose goals the sum is constant"
"""What can be learned."""


def _suited(game: Game) -> NativeGame:
    """Return the compiled game.

    Raises:
        TrainingError: It is none that can be learned, as far as is known before it is played.
    """
    if missing := [
        name for name in ("numba", "numpy", "llvmlite", "clingo") if not find_spec(name)
    ]:
        raise TrainingError(
            f"learning needs {' and '.join(missing)}: pip install 'gdl-framework[play]'"
        )
    why = ""
    if RANDOM in game.roles:
        why = "nature draws moves"
    elif len(game.roles) != TWO:
        why = f"it has {len(game.roles)} role{'s' * (len(game.roles) != 1)}"
    elif game.hides_facts:
        why = "it hides facts"
    elif game.back_end.native is None:
        why = "it does not run as machine code"
    if why:
        raise TrainingError(f"{game.id} cannot be learned: {why}", expected=EXPECTED)
    native = game.back_end.native
    assert native is not None
    return native


def _refuse_sample(game: Game, sample: Sample) -> None:
    """Refuse what random plays show to be none that can be learned.

    Raises:
        TrainingError: It is.
    """
    native = game.back_end.native
    assert native is not None
    why = ""
    if sample.is_simultaneous:
        why = "both roles choose at once"
    elif not sample.sums:
        why = "no random play came to an end"
    elif len(sample.sums) > 1:
        shown = " and ".join(map(str, sorted(sample.sums)[:TWO]))
        why = f"the goals of both roles add up to {shown}"
    elif any(len(set(values)) < TWO for values in native.kernel.compiled.goals):
        why = "a role has the same goal in every end"
    if why:
        raise TrainingError(f"{game.id} cannot be learned: {why}", expected=EXPECTED)
