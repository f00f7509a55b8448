"""Random simulation by numpy, many plays at once: what usually holds, and the first bad state.

In: a system and a seed. Out: for each ply the states of many plays, as bits, and the
shortest play among them that ends in a bad state, if there is one.

Source: random simulation before proof as in Kuehlmann and others, TCAD 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.circuit.aig import Lit
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts, of_step
from gdl.verify.systems.system import System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.bit_parallel import Bits

    Lanes: TypeAlias = NDArray[np.int64]
    Choices: TypeAlias = NDArray[np.int32]

LANES: Final = 1024
"""Plays at once."""
MAX_PLIES: Final = 500
SECOND_THOUGHTS: Final = 5
"""Times that a play which lingers chooses anew where its move would end it."""


SampledPlay = list[tuple[int, ...]]
"""The choice of each role, ply by ply."""


@dataclass(slots=True)
class Sample:
    """What random plays came through.

    Attributes:
        going: For each ply, ``bool[F, B]``: facts (rows) of states where play goes on.
        stopped: For each ply likewise where play has ended or something is bad.
        positions: How many states were looked at.
        play: Choices of each ply up to the bad state that came first, None when none was seen.
        lanes: For each ply, which plays the states of ``going`` and of ``stopped`` belong to.
        choices: For each ply, ``int32[R, B]``: the choice of each role (row) in each play.
    """

    going: list[Bits] = field(default_factory=list)
    stopped: list[Bits] = field(default_factory=list)
    positions: int = 0
    play: list[tuple[int, ...]] | None = None
    lanes: list[tuple[Lanes, Lanes]] = field(default_factory=list)
    choices: list[Choices] = field(default_factory=list)

    def first(self, system: System, edges: Sequence[Lit]) -> list[SampledPlay | None]:
        """Return for each edge the choices up to the first state that shows it.

        Args:
            system: What was sampled.
            edges: Edges of its facts.

        Returns:
            A play for each edge, None where no state shows it. Cost O(nodes) and one simulation.
        """
        import numpy as np

        looker = of_facts(system, edges)
        plays: list[SampledPlay | None] = [None] * len(edges)
        for ply, lanes in enumerate(self.lanes):
            for states, own in zip((self.going[ply], self.stopped[ply]), lanes, strict=True):
                if not states.shape[1]:
                    continue
                shown = looker.run(states)
                for index in np.flatnonzero(shown.any(axis=1)).tolist():
                    if plays[index] is None:
                        plays[index] = self.up_to(ply, int(own[int(shown[index].argmax())]))
        return plays

    def changes(self, lanes: int, *, to_the_end: bool) -> Bits:
        """Return which facts some step of the first plays made false, and which true.

        Args:
            lanes: How many plays.
            to_the_end: Whether steps count after which play stops.

        Returns:
            ``bool[2, F]``. Cost O(facts * plies * lanes).
        """
        import numpy as np

        facts = self.going[0].shape[0] if self.going else 0
        before, changed = np.zeros((facts, lanes), np.bool_), np.zeros((2, facts), np.bool_)
        for ply, parts in enumerate(self.lanes):
            for states, all_own in zip((self.going[ply], self.stopped[ply]), parts, strict=True):
                is_first = all_own < lanes
                own, now = all_own[is_first], states[:, is_first]
                if ply and (to_the_end or states is self.going[ply]):
                    changed[0] |= (before[:, own] & ~now).any(axis=1)
                    changed[1] |= (now & ~before[:, own]).any(axis=1)
                before[:, own] = now
        return changed

    def has_more(self, count: int) -> bool:
        """Return whether more than so many different states were looked at. Cost O(positions)."""
        import numpy as np

        met: set[bytes] = set()
        for states in (*self.going, *self.stopped) if self.positions > count else ():
            met.update(map(bytes, np.packbits(states, axis=0).T))
            if len(met) > count:
                return True
        return False

    def up_to(self, ply: int, lane: int) -> SampledPlay:
        """Return the choices of a play before a ply."""
        return [tuple(row[:, lane].tolist()) for row in self.choices[:ply]]


def sample(  # noqa: PLR0913  # all but two have a default
    system: System,
    budget: Budget,
    *,
    seed: int = 0,
    lanes: int = LANES,
    max_plies: int = MAX_PLIES,
    lingers: bool = False,
    on_ply: Callable[[int, int], None] | None = None,
) -> Sample:
    """Play at random from the first state until each play stops or is bad.

    Args:
        system: What to play.
        budget: Stops the plays, without an error, when it is used up.
        seed: Of the random numbers.
        lanes: Plays at once.
        max_plies: Longest play.
        lingers: Choose again, a few times, where a choice ends the play: what needs a full board
            or a long fight is hardly met by plays that end as soon as chance has it.
        on_ply: Called with the ply and the number of positions seen.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    return RandomPlay(system).play(
        system.initial, budget, random, lanes, max_plies, lingers=lingers, on_ply=on_ply
    )


class RandomPlay:
    """Plays a system at random, from any state; what evaluates it is made once."""

    def __init__(self, system: System) -> None:
        """Find the cones of what is looked at. Cost O(nodes)."""
        self._system = system
        looks = [system.stop, *(bad.edge for bad in system.bads), *system.flat_legal]
        self._looker = of_facts(system, looks)
        self._ender = of_facts(system, [system.stop])
        self._mover = of_step(system)

    def play(  # noqa: PLR0913  # as `sample`
        self,
        start: Sequence[bool],
        budget: Budget,
        random: np.random.Generator,
        lanes: int,
        max_plies: int,
        *,
        lingers: bool = False,
        on_ply: Callable[[int, int], None] | None = None,
    ) -> Sample:
        """Play as `sample` does, from a state, reached or not."""
        import numpy as np

        system, sampled, bads = self._system, Sample(), len(self._system.bads)
        states = np.repeat(np.array(start, np.bool_)[:, None], lanes, axis=1)
        alive = np.arange(lanes)
        for ply in range(max_plies + 1):
            if budget.left <= 0:
                break
            seen = self._looker.run(states)
            sampled.positions += states.shape[1]
            is_bad = seen[1 : 1 + bads].any(axis=0)
            if is_bad.any() and sampled.play is None:
                lane = int(np.flatnonzero(is_bad)[0])
                sampled.play = sampled.up_to(ply, alive[lane])
            legal = seen[1 + bads :]
            is_over = seen[0] | is_bad
            sampled.stopped.append(states[:, is_over])
            sampled.going.append(states[:, ~is_over])
            sampled.lanes.append((alive[~is_over], alive[is_over]))
            if on_ply is not None:
                on_ply(ply, sampled.positions)
            keep = ~is_over & can_move(legal, system)
            if not keep.any():
                break
            states, alive, legal = states[:, keep], alive[keep], legal[:, keep]
            chosen = choose(legal, system, random)
            follows = self._mover.run(np.concatenate([states, chosen]))
            # Only plays that would end choose again; at last they end all the same, where all
            # choices end them, so that every state that is seen still comes of legal choices.
            for _ in range(SECOND_THOUGHTS if lingers else 0):
                ends = self._ender.run(follows)[0]
                if not ends.any():
                    break
                chosen[:, ends] = choose(legal[:, ends], system, random)
                follows[:, ends] = self._mover.run(
                    np.concatenate([states[:, ends], chosen[:, ends]])
                )
            sampled.choices.append(numbers_of(chosen, alive, lanes, system))
            states = follows
        return sampled


def can_move(legal: Bits, system: System) -> Bits:
    """Return in which states each role has a legal choice: ``bool[B]``, of ``bool[C, B]``."""
    import numpy as np

    can: Bits = np.logical_and.reduce([part.any(axis=0) for part in system.by_role(legal)])
    return can


def choose(legal: Bits, system: System, random: np.random.Generator) -> Bits:
    """Return one legal choice of each role in each state, each as likely as the others."""
    return preferred(legal, system, random.random(legal.shape))


def preferred(legal: Bits, system: System, order: NDArray[np.float64]) -> Bits:
    """Return the legal choice of each role that stands highest in each state: ``bool[C, B]``."""
    import numpy as np

    chosen = np.zeros_like(legal)
    lanes = np.arange(legal.shape[1])
    ranked = system.by_role(legal * order)
    for part, mine in zip(ranked, system.by_role(chosen), strict=True):
        mine[part.argmax(axis=0), lanes] = True
    return chosen


def numbers_of(chosen: Bits, alive: Lanes, lanes: int, system: System) -> Choices:
    """Return the choices of each role as numbers."""
    import numpy as np

    numbers = np.zeros((len(system.choice_inputs), lanes), np.int32)
    for role, part in enumerate(system.by_role(chosen)):
        numbers[role, alive] = part.argmax(axis=0)
    return numbers
