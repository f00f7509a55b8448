"""What ``gdl train`` measures on the way, and says: of tuples, and of deep networks.

In: a training. Out: a `Look` each time, with a point for the curve. What both kinds share is the
matches: against `mcts` at equal nodes, and against the best network before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any, ClassVar, Final

from gdl.cli.terminal.console import say
from gdl.language.keywords import RANDOM

if TYPE_CHECKING:
    from gdl.learn.curves import Point
    from gdl.learn.deep.training import DeepTraining
    from gdl.learn.evaluation import Evaluation
    from gdl.learn.resumable import Progress
    from gdl.learn.training import Training

OPENING: Final = 2
EVEN: Final = 0.5
"""Share of the points of an equal player."""
MCTS: Final = "mcts:memory=64"


@dataclass(frozen=True, slots=True)
class Look:
    """What was measured at one time.

    Attributes:
        point: For the curve.
        words: What is said of it.
        mcts: How it did against `mcts`, None where that was not played; ``best`` likewise, against
            the best network before.
        best: See there.
        more: What else JSON says.
    """

    point: Point
    words: tuple[str, ...]
    mcts: Evaluation | None
    best: Evaluation | None
    more: dict[str, Any] = field(default_factory=dict)


class Looks(ABC):
    """Looks at one training.

    Attributes:
        training: The training.
        nodes: Positions that each player may look at for a move in a test.
        test: Games of a test.
        best: The player of the best network so far, a copy of its file; None before there is one.
        unmeasured: What is said of a file where learning was too short for a look; "" for nothing.
    """

    nodes: ClassVar[int]
    unmeasured: ClassVar[str] = ""

    def __init__(self, training: Training | DeepTraining, folder: Path, test: int) -> None:
        """Prepare; copies go into the folder."""
        self.training, self.test = training, test
        self._copy = folder / "best.gdlnet"
        self.best: str | None = None

    @abstractmethod
    def introduce(self) -> None:
        """Say what learns."""

    @abstractmethod
    def words(self) -> str:
        """Return how far it is."""

    @abstractmethod
    def look(self) -> Look:
        """Measure the network as it is now; the better one of it and the best before is kept."""

    @abstractmethod
    def as_json(self, looks: Sequence[Look]) -> dict[str, object]:
        """Return what JSON says of the training beside what it says of every one."""

    def _take(self, player: str) -> None:
        """Take the network of now as the best one, with the player that it is."""
        copyfile(self.training.path, self._copy)
        self.best = player

    def _meet(self, mine: str, kept: str) -> tuple[Evaluation, Evaluation | None]:
        """Return how a player did against `mcts` and the best network; the better one is kept.

        Args:
            mine: The player of the network as it is now.
            kept: The player of it, if it is kept.
        """
        before = None if self.best is None else self._met(mine, self.best)
        if before is None or before.share > EVEN:
            self._take(kept)
        return self._met(mine, MCTS), before

    def _met(self, mine: str, other: str) -> Evaluation:
        """Return how a player does against another at equal nodes."""
        from gdl.learn.evaluation import evaluate_here
        from gdl.play.tournament.plan import Plan

        plan = Plan(
            rulesets=(self.training.game.id,),
            players=(mine, other),
            rounds=-(-self.test // 2),
            seconds=60.0,
            simulations=self.nodes,
            opening_plies=OPENING,
            seed=self.training.seed,
        )
        return evaluate_here(self.training.game, plan)

    def _told(self, mcts: Evaluation | None, best: Evaluation | None) -> list[str]:
        told = [] if mcts is None else [f"  at {self.nodes} nodes a move {mcts}"]
        return told if best is None else [*told, f"  against the best network before {best}"]


class TupleLooks(Looks):
    """Looks at a network of tuples: how far it is to be believed, too."""

    nodes = 200
    unmeasured = "Too short to be measured: the file says weight 0, and plays as mcts does."
    training: Training

    def __init__(self, training: Training, folder: Path, test: int) -> None:
        """Prepare; what an earlier run left, if it was of use, is the first best one."""
        super().__init__(training, folder, test)
        if training.is_resumed and training.weight:
            training.keep()
            self._take(self._player(self._copy, training.weight))

    @staticmethod
    def _player(path: Path, weight: float) -> str:
        return f"mcts:value={path},weight={weight},memory=64"

    def introduce(self) -> None:
        """Say what learns."""
        layout = self.training.layout
        tables, weights = layout.tables.tables, layout.tables.weights
        say(
            f"{len(layout.tuples)} tuples of facts, {len(tables) - 1} with their images under "
            f"{layout.images} proved symmetries; {weights.size:,} weights"
        )
        if layout.note:
            say(layout.note)

    def words(self) -> str:
        """Return how far it is."""
        return in_words(self.training.progress)

    def look(self) -> Look:
        """Measure the network with the weight that was tried; without one nothing is played."""
        from gdl.learn.curves import Point, strength

        weighing = self.training.weigh()
        progress, weight = self.training.progress, weighing.tried
        mcts = best = None
        if self.test and weight:
            mcts, best = self._meet(
                self._player(self.training.path, weight), self._player(self._copy, weight)
            )
        seconds = round(progress.seconds, 3)
        point = Point(
            progress.games, seconds, weighing.loss, weight, strength(mcts), strength(best)
        )
        told = [f"{in_words(progress)}: {weighing}"]
        if weighing.loss is not None:
            told.append(f"  mean squared error of how games end: {weighing.loss:.4f}")
        return Look(point, (*told, *self._told(mcts, best)), mcts, best, asdict(weighing))

    def as_json(self, looks: Sequence[Look]) -> dict[str, object]:
        """Return how far the network is believed, and was each time."""
        weighings = [
            {"games": look.point.games, "seconds": look.point.seconds, **look.more}
            for look in looks
        ]
        return {"weight": self.training.weight, "weighings": weighings}


class DeepLooks(Looks):
    """Looks at a deep network: its losses."""

    nodes = 100
    training: DeepTraining

    def __init__(self, training: DeepTraining, folder: Path, test: int) -> None:
        """Prepare; what an earlier run left is the first best one."""
        players = [role for role in training.game.roles if role != RANDOM]
        super().__init__(training, folder, test if len(players) > 1 else 0)
        self._is_alone = len(players) == 1
        if training.is_resumed:
            training.keep()
            self._take(f"deep:network={self._copy}")

    def introduce(self) -> None:
        """Say what learns."""
        layout = self.training.layout
        shape = layout.shape
        size = sum(weights.size for weights in self.training.network.weights.values())
        seen = f"a board of {shape.rows} by {shape.columns}" if shape.cells > 1 else "all facts"
        say(
            f"A network of {2 * shape.blocks + 1} layers of {shape.channels} channels over {seen}, "
            f"{size:,} weights; {self.training.size} games at once, "
            f"{self.training.simulations} simulations a move, "
            f"{len(layout.fact_images)} proved symmetries"
        )
        if layout.note:
            say(layout.note)
        if self._is_alone:
            say("It is a game of one player: nobody is met in tests.")

    def words(self) -> str:
        """Return how far it is."""
        progress = self.training.progress
        return (
            f"{in_words(progress)}, loss {progress.policy_loss:.3f} of moves, "
            f"{progress.value_loss:.3f} of values"
        )

    def look(self) -> Look:
        """Measure the network."""
        from gdl.learn.curves import Point, strength

        progress = self.training.progress
        mcts = best = None
        if self.test:
            mcts, best = self._meet(
                f"deep:network={self.training.path}", f"deep:network={self._copy}"
            )
        point = Point(
            progress.games,
            round(progress.seconds, 3),
            None,
            None,
            strength(mcts),
            strength(best),
            progress.policy_loss,
            progress.value_loss,
        )
        return Look(point, (self.words(), *self._told(mcts, best)), mcts, best)

    def as_json(self, looks: Sequence[Look]) -> dict[str, object]:
        """Return the losses, now and each time."""
        progress = self.training.progress
        losses = [
            {
                "games": look.point.games,
                "seconds": look.point.seconds,
                "policy": look.point.policy_loss,
                "value": look.point.value_loss,
            }
            for look in looks
        ]
        return {
            "turns": progress.turns,
            "policy_loss": progress.policy_loss,
            "value_loss": progress.value_loss,
            "losses": losses,
        }


def in_words(progress: Progress) -> str:
    """Return how far a training is."""
    rate = progress.games / max(progress.seconds, 1e-9)
    return f"{progress.games:,} games, {progress.seconds:.0f} s, {rate:,.0f} games/s"
