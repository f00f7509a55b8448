"""How near states are to where a rule fires that fired nowhere: for games that aim at it.

In: a game that runs as machine code, and bodies of its rules. Out: for a body that looks at the
state alone a number for each of many states, 1 where it holds, by how much of it holds. Who has
lost more men is nearer to having none, though the rules say "none" only: an end of which chance
knows nothing is a few hundred moves away for two who both want it.

Source: coverage as an aim, "Search-based software test data generation: a survey" (McMinn, 2004);
`gdl.verify.systems.nearness`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from gdl.circuit.aig import TRUE
from gdl.compile import CompileError, CompileLimits, build
from gdl.verify.properties.monitors import monitor_edges, with_monitors
from gdl.verify.systems.nearness import Nearness

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.language.clauses import Clause

GATES: Final = 100_000
"""Gates of the rules before they are made smaller, beyond which nothing is aimed at."""
GROUND_RULES: Final = 100_000
"""Instances of the rules, beyond which nothing is either. Chess has fewer, and takes 3 s."""

GATES_A_TURN: Final = 500
"""Gates for which one turn of games towards rules is played, of so many more one turn in several:
how near forty states are takes as long as some thousand moves by chance."""

STATE, LANES = 300, 64
"""What a state costs beside, in parts of conditions, and how many have a gate asked at once."""

Aim: TypeAlias = Callable[[Sequence[bytes]], Sequence[float]]
"""Says how near states are, 0 to 1."""


class Aims:
    """Says of the rules of a game how near states are to where one fires.

    Attributes:
        every: The turn of games among so many that is to aim: of large rules, few.
    """

    def __init__(self, game: Game, watched: Sequence[Clause]) -> None:
        """Make a circuit of the rules and of what is watched; there are no aims where it is large.

        Args:
            game: It runs as machine code.
            watched: The clauses whose bodies are aimed at; a body's number is its place here.
        """
        self._aims: dict[int, Aim] = {}
        self._costs: dict[int, int] = {}
        self.every = 1
        native = game.back_end.native
        assert native is not None
        rules, roles = game.ruleset.checked(game.limits), game.machine.roles
        monitored = with_monitors(rules.description, roles[0], [clause.body for clause in watched])
        limits = CompileLimits(gates=GATES, ground_rules=GROUND_RULES, explain=False)
        try:
            circuit = build(monitored.description, limits=limits, roles=roles)
        except CompileError:
            return
        circuit, edges = monitor_edges(circuit, monitored)
        if circuit.facts != native.machine.compiled.facts:
            return
        gates = sum(1 for _ in circuit.aig.ands())
        self.every += gates // GATES_A_TURN
        for number, edge in enumerate(edges):
            if not monitored.of_moves[number] and edge > TRUE:
                nearness = Nearness(circuit, [edge])
                self._aims[number] = _aim(nearness)
                self._costs[number] = STATE + gates // LANES + nearness.size

    def of(self, number: int) -> Aim | None:
        """Return the aim of a rule; None where it looks at moves, or never fires."""
        return self._aims.get(number)

    def cost(self, number: int) -> int:
        """Return what the aim of a rule costs a state, in parts of conditions."""
        return self._costs[number]


def _aim(nearness: Nearness) -> Aim:
    def near(states: Sequence[bytes]) -> Sequence[float]:
        rows = np.frombuffer(b"".join(states), np.uint8).reshape(len(states), -1)
        (worths,) = nearness(rows)
        return worths.tolist()  # type: ignore[no-any-return]  # numpy says Any

    return near
