"""The table of moves: a number for each move, the same in every process and every run.

In: a `Game`. Out: a `MoveTable`. All roles share one table, for most programs know one set
of actions. It holds the moves of all roles in canonical order, without those that a role
makes only while it waits, as far as that is proved.

Waiting is told from the rules, not from names: where facts go round like a clock
(`gdl.circuit.phases`), a role that has one possible move in a phase waits there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gdl.adapters.propositions import Propositions
from gdl.circuit.aig import FALSE, TRUE, Aig
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import MAX_PHASES, find_phases
from gdl.game import Game
from gdl.language.syntax import Term, kif_text, sort_key
from gdl.machine import choosing, movers
from gdl.state import NOOP


@dataclass(frozen=True)
class MoveTable:
    """Moves by number.

    Attributes:
        roles: The roles in order.
        moves: The moves; the number of a move is its index here.
        waiting: For each role the moves that it makes only while it waits.
        is_turn_taking: Whether it is proved that no two roles have a choice at a time.
    """

    roles: tuple[Term, ...]
    moves: tuple[Term, ...]
    waiting: tuple[frozenset[Term], ...]
    is_turn_taking: bool
    numbers: dict[Term, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the moves."""
        numbers = {move: number for number, move in enumerate(self.moves)}
        object.__setattr__(self, "numbers", numbers)

    def __len__(self) -> int:
        """Return how many moves there are."""
        return len(self.moves)

    @cached_property
    def digest(self) -> str:
        """A name for the table, 16 hexadecimal digits; keep it beside a policy that was learned."""
        text = "\n".join(map(kif_text, self.moves))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def asked(self, legal: Iterable[tuple[Term, ...]]) -> tuple[int, ...]:
        """Return the roles that are asked for a move, by index.

        Those that have a choice; where nobody has one, the only role whose move is more than
        waiting. Where there is no such role the joint move is made without asking.

        Args:
            legal: The legal moves of each role, in role order.
        """
        rows = tuple(legal)
        asked = tuple(movers(rows, self.waiting))
        return asked if len(asked) == 1 or any(len(rows[r]) > 1 for r in asked) else ()


def move_table(game: Game, listed: Propositions) -> MoveTable:
    """Return the table of a game. Cost O(nodes of the circuit), some milliseconds."""
    native = game.back_end.native
    acting = None if native is None else _acting(native.circuit)
    waiting = tuple(
        frozenset({NOOP} if acting is None else {NOOP, *moves} - acting[r])
        for r, moves in enumerate(listed.moves)
    )
    named = listed.moves if acting is None else acting
    moves = sorted({move for row in named for move in row}, key=sort_key)
    return MoveTable(listed.roles, tuple(moves), waiting, acting is not None)


def _acting(circuit: GameCircuit) -> tuple[frozenset[Term], ...] | None:
    """Return for each role the moves that are no waiting; None where two may choose at once."""
    clock = find_phases(circuit)
    acting: list[set[Term]] = [set() for _ in circuit.roles]
    for held in clock.phases:
        possible = _possible(circuit, {f: f in held for f in clock.facts})
        chooser = choosing(possible)
        if len(chooser) > 1:
            return None
        for r, moves in enumerate(possible):
            if not chooser:
                acting[r] |= moves - {NOOP}
            elif r in chooser:
                acting[r] |= moves
    return tuple(map(frozenset, acting)) if any(acting) else None


def one_chooses(circuit: GameCircuit) -> bool:
    """Return whether a group of facts proves that no two roles have a choice at a time.

    Of such a group at most one fact holds (whose turn it is, say), as the compiler proved, and
    whichever it is, one role at most has several moves that are possible then. It need be no
    clock: a player may move again. Cost O(nodes) for each fact of a small group.
    """
    for members, is_exact in sorted(circuit.assumed or (), key=lambda group: not group[1]):
        cases = [*members, *([] if is_exact else [None])]
        if len(members) <= MAX_PHASES and all(
            len(choosing(_possible(circuit, {f: f == held for f in members}))) <= 1
            for held in cases
        ):
            return True
    return False


def _possible(circuit: GameCircuit, clock: Mapping[int, bool]) -> list[frozenset[Term]]:
    """Return for each role the moves that may be legal where the clock stands so."""
    aig = Aig()
    values = {node: aig.add_input() for node in circuit.aig.inputs}
    values |= {circuit.fact_inputs[f] >> 1: TRUE if on else FALSE for f, on in clock.items()}
    copier = Copier(aig, circuit.aig, values)
    return [
        frozenset(
            move for move, edge in zip(moves, copier.edges(edges), strict=True) if edge != FALSE
        )
        for moves, edges in zip(circuit.moves, circuit.legal, strict=True)
    ]
