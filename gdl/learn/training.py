"""From rules to a player by tuples of facts: what is learned, and which games are refused.

In: a game, a seed, a file. Out: the file, a network for players, and the checkpoint beside it
(`gdl.learn.resumable`). What is learned depends on rules, seed and number of games alone: not on
the clock, on how often it was stopped, or on what was shown meanwhile; and, where several play for
it in rounds (`gdl.learn.rounds`), not on how many do.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from gdl.game import Game
from gdl.language.keywords import RANDOM
from gdl.language.preconditions import require_whole
from gdl.learn.resumable import Kept, Progress, ResumableTraining, TrainingError, is_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.learn.mixing_weight import Weighing
    from gdl.learn.rounds import Rounds
    from gdl.learn.temporal_difference import Lesson
    from gdl.learn.tuples import Layout
    from gdl.native.game import NativeGame
    from gdl.play.value_network import Network
    from gdl.solve.packing import Sample

__all__ = ["Progress", "Training", "TrainingError"]

FORMAT: Final = "gdl-training-4"
"""What a file says that it is; changes with the format, and with how is learned."""
EXPLORE: Final = 0.1
"""Share of moves that are drawn."""
FOLLOW: Final = 0.85
"""How far a value follows what came of the best moves (lambda)."""
RATE: Final = 4.0
"""Step of a correction, as a sum over all tables."""
SHARP: Final = 2.7
"""How rates fall: that of a weight whose corrections cancel is exp(-SHARP) of one whose agree."""
OPENING: Final = 0.5
"""Share of games that begin with drawn moves."""
BATCHES: Final = 8
"""Batches of a round, where several play."""
WORK: Final = 1 << 16
"""Children that are judged for a batch: a fifth of a second of Connect Four."""
GAMES_SUFFIX: Final = ".games"
"""What the name of the folder has at its end in which several play."""
SETTINGS: Final = (EXPLORE, FOLLOW, RATE, SHARP, OPENING)
SLICE: Final = 0.2
"""Seconds of learning between two looks at the clock."""
WEIGHED: Final = 0.2
"""Processor seconds of weighing for each second of learning."""
LEAST_SECONDS: Final = 1.0
"""Processor seconds of weighing besides."""
TWO: Final = 2


class Training(ResumableTraining[Progress]):
    """The learning of one game.

    Attributes:
        game: The game, compiled.
        layout: What the network looks at.
        weight: How far the network is to be believed beside playouts, as `weigh` found; 0 before.
        seconds: Seconds of learning, all runs together.
        is_resumed: Whether it goes on from a checkpoint.
    """

    FORMAT: ClassVar = FORMAT

    def __init__(  # noqa: PLR0913  # who plays for it
        self,
        game: Game,
        path: Path,
        *,
        seed: int = 0,
        workers: int | None = None,
        ray: str | None = None,
        batches: int = BATCHES,
    ) -> None:
        """Begin, or go on where a checkpoint beside the file is.

        Args:
            game: The game.
            path: Where the network goes; the checkpoint lies beside it.
            seed: What all chance comes from, from 0.
            workers: Processes that play for it in rounds, this one alone for 1; None for learning
                from each game before the next one. What is learned is the same for any number, and
                another than without. Several begin a program's main module anew, as
                `multiprocessing` says.
            ray: The address of a Ray cluster that plays in their place, as ``ray.init`` takes it,
                or ``local``; its machines see the folder of the file under the same name.
            batches: Batches of a round: so many may be played at the same time.

        Raises:
            TrainingError: The game cannot be learned, there is no folder for the file or there is
                something else in its place, or the checkpoint is of another training.
            ArgumentError: The seed, workers or batches are no whole number, or too small.
            OSError: The checkpoint cannot be read.
        """
        native = _suited(game)
        super().__init__(game, path, seed)
        is_shared = workers is not None or ray is not None
        self._batches = require_whole("batches", batches, 1) if is_shared else 0
        workers = require_whole("workers", 1 if workers is None else workers, 1)
        from gdl.learn.temporal_difference import new_lesson
        from gdl.learn.tuples import choose_tuples
        from gdl.play.lane_tables import LaneGame
        from gdl.solve.packing import sample_plays

        sample = sample_plays(native, -1)
        _refuse_sample(game, sample)
        self.layout: Layout = choose_tuples(native, sample, seed)
        self._lanes = LaneGame(native, seed=seed, network=self.layout.tables)
        (total,) = sample.sums
        self._lesson: Lesson = new_lesson(self._lanes, SETTINGS, total=total, seed=seed)
        self.weight, self._pace = 0.0, 16
        if self.is_resumed:
            self._resume()
        # What has to be compiled is no learning, and its seconds do not count.
        self._rounds = self._begin_rounds(total, workers, ray) if is_shared else None
        if self._rounds is None:
            self._learn(0)

    def _begin_rounds(self, total: int, workers: int, ray: str | None) -> Rounds:
        from gdl.learn.rounds import Rounds, Terms
        from gdl.play.network_file import rules_digest

        return Rounds(
            Terms(self.game, SETTINGS, total, self.seed, self._batches, WORK),
            self._lanes,
            self._lesson,
            self.path.with_name(self.path.name + GAMES_SUFFIX),
            label=f"{FORMAT}, rules {rules_digest(self.game)[:16]}, seed {self.seed}, "
            f"rounds of {self._batches} times {WORK}",
            workers=workers,
            ray=ray,
        )

    def _let_go(self) -> None:
        if self._rounds is not None:
            self._rounds.close()

    @property
    def progress(self) -> Progress:
        """How far it is."""
        games, positions, cut = (int(n) for n in self._lesson.done)
        return Progress(games, positions, cut, self.seconds)

    @property
    def network(self) -> Network:
        """The network as it is now; it goes on changing."""
        from gdl.play.network_file import rules_digest
        from gdl.play.value_network import Head, Network

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

    def _go_on(self, most: int, on_progress: Callable[[Progress], None] | None) -> None:
        if self._rounds is not None:
            self._learn_round(on_progress)
            return
        begun = time.monotonic()
        self._learn(min(self._pace, most - self.progress.games))
        spent = time.monotonic() - begun
        self.seconds += spent
        if spent > SLICE:
            self._pace = max(1, self._pace // 2)
        elif spent < SLICE / 2:
            self._pace *= 2
        if on_progress is not None:
            on_progress(self.progress)

    def _learn_round(self, on_progress: Callable[[Progress], None] | None) -> None:
        from gdl.learn.rounds import PlayError

        assert self._rounds is not None
        begun, before = time.monotonic(), self.seconds

        def tell() -> None:
            self.seconds = before + time.monotonic() - begun
            if on_progress is not None:
                on_progress(self.progress)

        try:
            self._rounds.learn(tell)
        except PlayError as error:
            raise self._unlearned(error.code) from None

    def weigh(self) -> Weighing:
        """Measure how far the network is to be believed beside playouts, and keep that.

        It takes a fifth of the seconds of learning so far, and some seconds more; what is learned
        afterwards is the same.

        Raises:
            OSError: A file cannot be written.
        """
        from gdl.learn.mixing_weight import weigh

        with self.held():
            self.keep()
            progress = self.progress
            weighed = weigh(
                self.game,
                self.path,
                seconds=WEIGHED * self.seconds + LEAST_SECONDS,
                plies=progress.positions / max(1, progress.games),
                seed=self.seed,
            )
            self.weight = weighed.weight
            self.keep()
        return weighed

    def keep(self) -> None:
        """Write the checkpoint, then the network; each is there whole or as it was.

        In the middle of a round nothing is written: from the last checkpoint on all batches that
        were played are there, and are studied again.

        Raises:
            TrainingError: See `held`.
            OSError: One cannot be written.
        """
        if self._rounds is not None and not self._rounds.is_between:
            return
        super().keep()
        if self._rounds is not None:
            self._rounds.forget()

    def _learn(self, games: int) -> None:
        from gdl.learn import temporal_difference

        tables = self._lanes.stepping
        code = temporal_difference.learn(self._lesson, tables, tables.network, games)
        if code != temporal_difference.LEARNED:
            raise self._unlearned(code)

    def _unlearned(self, code: int) -> TrainingError:
        """Return the error for play that ended so, see `gdl.learn.temporal_difference.LEARNED`."""
        from gdl.learn.temporal_difference import NO_GOAL, NOT_SEQUENTIAL, OTHER_SUM

        why = {
            NOT_SEQUENTIAL: "a role has no move, or both have a choice at once",
            NO_GOAL: "the game is over and a role has no single goal",
            OTHER_SUM: "the goals of both roles do not add up to what they did elsewhere",
        }[code]
        return TrainingError(
            f"{self.game.id} cannot be learned: play came to a state in which {why}",
            expected=EXPECTED,
        )

    @property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays that learning writes into."""
        lesson = self._lesson
        return {
            "weights": self.layout.tables.weights,
            "drift": lesson.drift,
            "length": lesson.length,
            "random": lesson.random,
            "done": lesson.done,
        }

    def _remembered(self) -> Kept:
        said = {
            "weight": self.weight,
            "batches": self._batches,
            "studied": int(self._lesson.studied[0]),
        }
        return Kept(said, self._arrays)

    def _resume(self) -> None:
        """Take all that the checkpoint remembers, or nothing of it.

        Raises:
            TrainingError: It is none, damaged, or of another training of these rules.
            OSError: It cannot be read.
        """
        own = self._arrays
        said, arrays = self._kept(lambda kept: _is_sound(kept, own))
        self._refuse_another(said.get("batches", 0), arrays, own)
        self.weight = float(said.get("weight", 0.0))
        # Written into, not replaced: machine code and helpers hold the addresses of these arrays.
        for name, array in own.items():
            array[:] = arrays[name]
        self._lesson.studied[0] = said.get("studied", 0)

    def _refuse_another(
        self, batches: int, kept: Mapping[str, NDArray[Any]], own: Mapping[str, NDArray[Any]]
    ) -> None:
        """Refuse a checkpoint of another training: to go on would give what neither gives alone.

        How batches are shared out settles which games are played; so with another way the result
        would hang on when the training was interrupted.

        Raises:
            TrainingError: Way of sharing or network are not those of this training.
        """
        where = os.fspath(self.checkpoint)
        if batches != self._batches:
            begun, now = (
                f"in rounds of {count} batches" if count else "by one process, not in rounds"
                for count in (batches, self._batches)
            )
            way = f"--workers N --batches {batches}" if batches else "neither --workers nor --ray"
            raise TrainingError(
                f"{where} was begun {begun}, and is to go on {now}",
                help=f"go on with {way}, or write to another file",
            )
        if any(kept[name].shape != array.shape for name, array in own.items()):
            raise TrainingError(
                f"{where} was begun by a network that looks at other facts",
                help="remove it to begin anew",
            )


def _is_whole(batches: object, studied: object) -> bool:
    """Return whether so many studied batches are whole rounds of so many."""
    if not isinstance(batches, int) or not isinstance(studied, int) or not 0 <= studied < 1 << 62:
        return False
    return studied % batches == 0 if batches > 0 else batches == studied == 0


def _is_sound(checkpoint: Kept, own: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether learning can go on from what a checkpoint holds, but for shapes.

    What is wrong is looked for here, as nothing would raise later: weights that are not finite, or
    a generator of random numbers whose state is zero, learn on in silence and learn nothing.
    """
    said, kept = checkpoint
    return (
        0 <= float(said.get("weight", 0.0)) <= 1
        and _is_whole(said.get("batches", 0), said.get("studied", 0))
        and {name: array.dtype for name, array in kept.items()}
        == {name: array.dtype for name, array in own.items()}
        and is_finite(kept, "weights", "drift", "length")
        and bool((kept["done"] >= 0).all())
        and bool(kept["random"].all())  # numbers drawn from a state of zeros are zeros for ever
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
