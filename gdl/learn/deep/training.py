"""From rules to a player by a deep network: the loop, its checkpoints, and what is refused.

In: a game, a seed, a file. Out: the file, a network for the player ``deep``, and the checkpoint
beside it (`gdl.learn.resumable`). A turn is a move in each of many games, and steps of the network
on positions of the last ones. What is learned depends on rules, seed and number of turns alone, not
on the clock or on how often it was stopped: all chance of a turn comes from its number. Whoever
breaks a turn off loses it: what is kept is always what the last whole one left.

One process learns, on one machine; another kind of processor may round differently.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from gdl.game import Game
from gdl.language.keywords import RANDOM
from gdl.language.packages import need_packages
from gdl.language.preconditions import require_whole
from gdl.learn.resumable import Kept, Progress, ResumableTraining, TrainingError, is_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.learn.deep.layout import Layout
    from gdl.learn.deep.learner import Memory
    from gdl.learn.deep.positions import Rows, Window
    from gdl.learn.deep.self_play import Standing
    from gdl.play.deep.network import Network

__all__ = ["DeepProgress", "DeepTraining"]

SIMULATIONS: Final = 16
"""New positions that a tree looks at for a move."""
GUMBEL: Final = 8
"""Moves among which the best is sought by halving."""
GAMES: Final = 64
"""Games at once, where trees have room for them."""
FEWEST: Final = 8
ROOM: Final = 1 << 27
"""Bytes of all trees; of many moves there are fewer games at once."""
ENTRY: Final = 40
"""Bytes of a move in a node."""
MOST_MOVES: Final = 1 << 14
"""Moves of a role, at most."""
BATCH: Final = 256
"""Positions of a step."""
STEPS: Final = 2
"""Steps of a turn: each position is learned from eight times, where 64 games go on at once."""
FADING: Final = 0.98
"""Part of the loss that is told that is of turns before."""
EXPECTED: Final = "a game in which all is seen, that runs as machine code, with goals that differ"
"""What can be learned."""
PACKAGES: Final = ("numpy", "llvmlite", "clingo", "numba", "jax", "optax")


@dataclass(frozen=True, slots=True)
class DeepProgress(Progress):
    """How far learning is.

    Attributes:
        turns: Moves in each of the games at once, and steps.
        policy_loss: Cross entropy of the policies of trees, in nats; of the last steps.
        value_loss: The same of what positions are worth, a mean over roles.
    """

    turns: int = 0
    policy_loss: float = 0.0
    value_loss: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """All that learning remembers after a whole turn; nothing of it ever changes.

    Attributes:
        standing: Where the games stand.
        window: The last positions.
        memory: Weights, and what Adam remembers.
        turns: How many there were.
        positions: Positions that came into the window.
        losses: Mean losses of the last turns, ``float64[2]``.
    """

    standing: Standing
    window: Window
    memory: Memory
    turns: int
    positions: int
    losses: NDArray[Any]


class DeepTraining(ResumableTraining[DeepProgress]):
    """The learning of one game by a deep network.

    Attributes:
        layout: What the network sees and tells.
        simulations: New positions that a tree looks at for a move.
        size: Games at once.
    """

    FORMAT: ClassVar = "gdl-deep-training-1"

    def __init__(
        self, game: Game, path: Path, *, seed: int = 0, simulations: int = SIMULATIONS
    ) -> None:
        """Begin, or go on where a checkpoint beside the file is.

        Args:
            game: The game.
            path: Where the network goes; the checkpoint lies beside it.
            seed: What all chance comes from, from 0.
            simulations: New positions that a tree looks at for a move.

        Raises:
            MissingPackageError: A package is not installed.
            TrainingError: The game cannot be learned, there is no folder for the file or there is
                something else in its place, or the checkpoint is of another training.
            ArgumentError: The seed or simulations are no whole number, or too small.
            OSError: The checkpoint cannot be read.
        """
        need_packages("learning by a deep network", PACKAGES, "learn")
        _refuse(game)
        self.simulations = require_whole("simulations", simulations, 1)
        super().__init__(game, path, seed)
        if self.is_resumed:
            self._kept(self._resume)
        else:
            from gdl.learn.deep.layout import layout_of

            self._prepare(layout_of(game))
            self._whole = self._begin()
        # What has to be compiled is no learning, and its seconds do not count.
        self._learner.compile(self._whole.memory, self._whole.window.rows.at(slice(0, BATCH)))

    def _prepare(self, layout: Layout) -> None:
        """Make what plays and learns."""
        from gdl.learn.deep.learner import Learner
        from gdl.learn.deep.self_play import SelfPlay

        self.layout = layout
        moves = layout.columns.shape[1]
        if moves > MOST_MOVES:
            raise TrainingError(
                f"{self.game.id} cannot be learned: a role has {moves:,} moves",
                expected=f"{MOST_MOVES:,} at most",
            )
        self.size = max(FEWEST, min(GAMES, ROOM // ((self.simulations + 1) * moves * ENTRY)))
        self._learner = Learner(layout, self.size)
        self._play = SelfPlay(
            self.game,
            layout,
            lambda held, legal, movers: self._judge(held, legal, movers),  # noqa: PLW0108  # the one of now
            size=self.size,
            simulations=self.simulations,
            gumbel=GUMBEL,
        )

    def _begin(self) -> Whole:
        import numpy as np

        rng = np.random.default_rng([self.seed, 0])
        memory = self._learner.begin(rng)
        return Whole(self._play.begin(rng), self._empty(), memory, 0, 0, np.zeros(2))

    def _empty(self) -> Window:
        from gdl.learn.deep.positions import Window, capacity, no_rows

        sizes = self._play.sizes
        return Window(no_rows(2 * capacity(*sizes), *sizes))

    @property
    def progress(self) -> DeepProgress:
        """How far it is."""
        whole, standing = self._whole, self._whole.standing
        policy, value = (float(loss) for loss in whole.losses)
        return DeepProgress(
            standing.ended,
            whole.positions,
            standing.cut,
            self.seconds,
            whole.turns,
            policy,
            value,
        )

    @property
    def network(self) -> Network:
        """The network as it is now."""
        import numpy as np

        from gdl.play.deep.network import Head, Network
        from gdl.play.network_file import rules_digest

        layout = self.layout
        head = Head(
            self.game.id,
            rules_digest(self.game),
            self.game.roles,
            layout.worst,
            layout.best,
            self.progress.games,
            self.seed,
            layout.facts,
            layout.moves,
            layout.shape,
        )
        weights = self._whole.memory.weights
        return Network(
            head, layout.sources, {name: np.asarray(array) for name, array in weights.items()}
        )

    def _go_on(self, most: int, on_progress: Callable[[DeepProgress], None] | None) -> None:
        del most
        begun = time.monotonic()
        # A turn is made beside what there is, and takes its place at once when it is whole.
        self._whole, self.seconds = (
            self._turn(self._whole),
            self.seconds + time.monotonic() - begun,
        )
        if on_progress is not None:
            on_progress(self.progress)

    def _turn(self, before: Whole) -> Whole:
        """Return what learning remembers after a turn more.

        Raises:
            TrainingError: Play came to a state that cannot be learned, or no number is left.
        """
        import numpy as np

        rng = np.random.default_rng([self.seed, 1 + before.turns])
        self._judge = self._learner.judge(before.memory.weights)
        standing, rows = self._play.turn(before.standing, rng)
        positions = before.positions + rows.count
        window, memory, losses = before.window, before.memory, before.losses
        if rows.count:
            window = window.with_rows(rows, _wanted(positions, window.rows.count // 2))
        if len(window) >= BATCH:
            for _ in range(STEPS):
                memory, now = self._learner.step(memory, self._some(window, rng), rng)
                losses = FADING * losses + (1 - FADING) * now if losses.any() else now
            if not np.isfinite(losses).all():
                raise TrainingError(
                    f"{self.game.id} cannot be learned: the loss is no number any more",
                    help="begin again with another seed",
                )
        return Whole(standing, window, memory, before.turns + 1, positions, losses)

    def _some(self, window: Window, rng: Any) -> Rows:  # noqa: ANN401  # of numpy, which is not imported
        """Return positions of a window, drawn with return."""
        return window.rows.at(window.start + rng.integers(len(window), size=BATCH))

    def _remembered(self) -> Kept:
        whole, layout = self._whole, self.layout
        standing = whole.standing
        said = {
            "names": self._names,
            "shape": asdict(layout.shape),
            "simulations": self.simulations,
            "turns": whole.turns,
            "positions": whole.positions,
            "ended": standing.ended,
            "cut": standing.cut,
            "length": standing.length,
        }
        arrays: dict[str, Any] = {
            "standing": standing.positions,
            "plies": standing.plies,
            "games": standing.games,
            "losses": whole.losses,
        }
        for prefix, rows in (("pending", standing.rows), ("window", whole.window.known)):
            arrays |= {f"{prefix}_{name}": part for name, part in rows.columns.items()}
        arrays |= {f"layout_{name}": array for name, array in layout.arrays.items()}
        packed = self._learner.packed(whole.memory)
        return Kept(said, arrays | {f"memory_{name}": array for name, array in packed.items()})

    @property
    def _names(self) -> str:
        """A name for all facts and moves in their order, by which a network counts."""
        text = "\n".join([*self.layout.facts, "", *self.layout.moves])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _resume(self, kept: Kept) -> bool:
        """Take all that the checkpoint remembers; return whether learning can go on from it.

        Raises:
            TrainingError: It is of another training of these rules.
            ValueError: It is damaged; so are KeyError and TypeError.
        """
        import numpy as np

        from gdl.learn.deep.layout import layout_of
        from gdl.learn.deep.positions import Rows
        from gdl.learn.deep.self_play import Standing

        said, arrays = kept
        self._refuse_simulations(said["simulations"])
        self._prepare(layout_of(self.game, said["shape"], _named(arrays, "layout_")))
        if said["names"] != self._names:
            return False
        counts = [said[name] for name in ("turns", "positions", "ended", "cut", "length")]
        if not all(type(count) is int and 0 <= count < 1 << 62 for count in counts):
            return False
        turns, positions, *ended = counts
        pending, known = (Rows(**_named(arrays, f"{name}_")) for name in ("pending", "window"))
        standing = Standing(arrays["standing"], arrays["plies"], pending, arrays["games"], *ended)
        window, losses = self._empty(), arrays["losses"]
        is_sound = (
            self._play.is_sound(standing)
            and self._play.are_sound(known)
            and known.count <= window.rows.count // 2
            and is_finite(arrays, "losses")
            and not np.isnan(known.values).any()
            and (losses.dtype, losses.shape) == (np.float64, (2,))
        )
        if is_sound:
            window = window.with_rows(known, known.count)
            memory = self._learner.unpacked(_named(arrays, "memory_"))
            self._whole = Whole(standing, window, memory, turns, positions, losses)
        return is_sound

    def _refuse_simulations(self, begun: object) -> None:
        """Refuse to go on with other trees: the result would hang on when it was interrupted.

        Raises:
            TrainingError: They are others.
        """
        if begun != self.simulations:
            raise TrainingError(
                f"{os.fspath(self.checkpoint)} was begun with {begun} simulations a move, "
                f"not {self.simulations}",
                help=f"go on with --simulations {begun}, or write to another file",
            )


def _wanted(positions: int, most: int) -> int:
    """Return how many positions the window is to have: what is old was played worse."""
    from gdl.learn.deep.positions import LEAST

    return min(most, max(LEAST, positions // 2))


def _named(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _refuse(game: Game) -> None:
    """Refuse a game that cannot be learned, as far as is known before it is played.

    Raises:
        TrainingError: It is none.
    """
    why = ""
    native = game.back_end.native
    if game.hides_facts:
        why = "it hides facts"
    elif native is None:
        why = "it does not run as machine code"
    else:
        goals = zip(game.roles, native.kernel.compiled.goals, strict=True)
        if all(len(set(values)) < 2 for role, values in goals if role != RANDOM):  # noqa: PLR2004  # one, or none
            why = "each role has the same goal in every end"
    if why:
        raise TrainingError(f"{game.id} cannot be learned: {why}", expected=EXPECTED)
