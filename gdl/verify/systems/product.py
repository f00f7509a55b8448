"""Two games side by side: one play, both states.

In: two circuits and a `Matching`. Out: the `System` in which a choice is a pair of moves
that stand for each other, with a `Bad` for each way in which the games can disagree.

Compared are, in every state: whether it is terminal; in states where play goes on the
legal moves of each role; in terminal states the goals of each role; and what each role
saw of the last joint move. Goals of states where play goes on are asked about apart
(`open_bads`): nobody is paid there, and files differ in what they write.

Source: Brand, "Verification of Large Synthesized Designs", ICCAD 1993 (the miter).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl.circuit.aig import FALSE, Aig, Lit, negate
from gdl.circuit.copy import copy_cone
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all, disj_all, xor
from gdl.language.syntax import Constant, Term
from gdl.verify.systems.matching import Matching
from gdl.verify.systems.system import Bad, Label, System

Alike: TypeAlias = Mapping[int, tuple[Lit, Sequence[int]]]
"""Of moves of a role, by their numbers: when it is the same as which others."""

SAW: Label = Label(2, Constant("saw-another-thing"))
"""Whether some role saw different things of the last joint move."""
APART: Label = Label(2, Constant("ended-apart"))
"""Whether the first ply of the last turn ended play in one of two games in plies alone."""
SAW_BAD = "sees"
"""Name of the bad that says that a role saw different things."""
BROKEN = "turns broken"
"""Name of the bad that says that plies did not make turns as they were expected to."""


@dataclass(frozen=True, slots=True)
class Product:
    """Two games as one system.

    Attributes:
        games: The two circuits.
        matching: What stands for what; the choices of a role are its pairs, in order.
        system: The system; its bads are the disagreements.
        open_bads: Disagreements about goals where play goes on.
        sees: For each role of the first game what it sees of a move, in the first and in the
            second game, whatever is compared of it.
    """

    games: tuple[GameCircuit, GameCircuit]
    matching: Matching
    system: System
    open_bads: tuple[Bad, ...]
    sees: tuple[tuple[Mapping[Term, Lit], Mapping[Term, Lit]], ...]


class _GameCopy:
    """One game copied into the common graph."""

    def __init__(  # noqa: PLR0913, PLR0917  # what product has in hand
        self,
        circuit: GameCircuit,
        aig: Aig,
        table: dict[int, Lit],
        broken: Lit,
        cut: Lit,
        alike: Sequence[Alike],
    ) -> None:
        self.circuit = circuit
        flat = [
            *circuit.outputs(),
            broken,
            cut,
            *(edge for row in alike for edge, _ in row.values()),
        ]
        copies = iter(copy_cone(circuit.aig, aig, table, flat))
        self.legal = tuple(tuple(next(copies) for _ in row) for row in circuit.legal)
        self.next = tuple(next(copies) for _ in circuit.next)
        self.terminal = next(copies)
        self.goals = tuple({v: next(copies) for v, _ in row} for row in circuit.goals)
        sees = tuple({p: next(copies) for p, _ in row} for row in circuit.sees)
        self.broken, self.cut = next(copies), next(copies)
        self.sees: tuple[dict[Term, Lit], ...] = sees or tuple({} for _ in circuit.roles)
        self.alike: Sequence[Alike] = [
            {move: (next(copies), own) for move, (_, own) in row.items()} for row in alike
        ] or [{} for _ in circuit.roles]


def product(  # noqa: PLR0913  # what is said of two games that are read in whole turns
    left: GameCircuit,
    right: GameCircuit,
    matching: Matching,
    *,
    broken: tuple[Lit, Lit] = (FALSE, FALSE),
    cut: tuple[Lit, Lit] | None = None,
    alike: tuple[Sequence[Alike], Sequence[Alike]] = ((), ()),
) -> Product:
    """Return two games side by side. Cost O(nodes of both).

    Args:
        left: The first game.
        right: The second game.
        matching: What stands for what.
        broken: For each game an edge of its graph that says that it was not read rightly;
            see `Turns`.
        cut: Where both games are read in whole turns, for each an edge that says that the first ply
            of a turn ends play: the games differ where it does so in one of them.
        alike: For each game and role when a move is the same as others: one that stands for any of
            them is enough, then.
    """
    aig = Aig()
    facts = [[aig.add_input() for _ in game.facts] for game in (left, right)]
    saw = aig.add_input()
    apart = FALSE if cut is None else aig.add_input()
    marks = () if cut is None else (apart,)
    cuts = (FALSE, FALSE) if cut is None else cut
    choices = tuple(tuple(aig.add_input() for _ in row) for row in matching.pairs)
    sides = tuple(
        _GameCopy(
            game,
            aig,
            _inputs(game, aig, facts[side], choices, matching, side),
            broken[side],
            cuts[side],
            alike[side],
        )
        for side, game in enumerate((left, right))
    )
    first, second = sides
    follows = (*first.next, *second.next, _saw_differently(aig, first, second, matching))
    # A pair may be chosen where both games allow their half. A move that one game allows and the
    # other does not is no choice, but a bad state (`_legal_differs`): up to the first bad state
    # every play of either game is a play of the product, and none is lost.
    legal = tuple(
        tuple(aig.conj(first.legal[role][a], second.legal[matching.roles[role]][b]) for a, b in row)
        for role, row in enumerate(matching.pairs)
    )
    system = System(
        aig=aig,
        facts=(
            *(Label(0, f) for f in left.facts),
            *(Label(1, f) for f in right.facts),
            *(SAW, APART)[: 1 + len(marks)],
        ),
        fact_inputs=(*facts[0], *facts[1], saw, *marks),
        initial=(
            *(index in left.initial for index in range(len(left.facts))),
            *(index in right.initial for index in range(len(right.facts))),
            *(False, False)[: 1 + len(marks)],
        ),
        choice_inputs=choices,
        legal=legal,
        next=(*follows, *(xor(aig, first.cut, second.cut) for _ in marks)),
        stop=aig.disj(first.terminal, second.terminal),
        bads=tuple(_bads(aig, first, second, matching, saw, apart)),
        choices=tuple(_called(left, right, matching)),
    )
    seen = tuple(
        (first.sees[role], second.sees[theirs]) for role, theirs in enumerate(matching.roles)
    )
    open_bads = tuple(_open_bads(aig, first, second, matching))
    return Product((left, right), matching, system, open_bads, seen)


def _called(left: GameCircuit, right: GameCircuit, matching: Matching) -> Iterator[str]:
    """Yield what the pairs of all roles are called: the moves of both games."""
    for role, row in enumerate(matching.pairs):
        for pair in row:
            mine, theirs = left.moves[role][pair[0]], right.moves[matching.roles[role]][pair[1]]
            yield f"(does {left.roles[role]} {mine} & {theirs})"


def _inputs(  # noqa: PLR0913, PLR0917  # what product has in hand
    game: GameCircuit,
    aig: Aig,
    facts: list[Lit],
    choices: tuple[tuple[Lit, ...], ...],
    matching: Matching,
    side: int,
) -> dict[int, Lit]:
    """Return what stands for each input of a game: a move is any of its pairs.

    Exactly one pair of a role is chosen, so exactly one move of each game is made; a move
    without a pair is never made, which is safe since it is a bad state where it is legal.
    """
    table = {edge >> 1: fact for edge, fact in zip(game.fact_inputs, facts, strict=True)}
    for role, row in enumerate(matching.pairs):
        own = matching.roles[role] if side else role
        users: dict[int, list[Lit]] = {}
        for pair, edge in zip(row, choices[role], strict=True):
            users.setdefault(pair[side], []).append(edge)
        for move, edge in enumerate(game.move_inputs[own]):
            table[edge >> 1] = disj_all(aig, users.get(move, []))
    return table


def _saw_differently(aig: Aig, first: _GameCopy, second: _GameCopy, matching: Matching) -> Lit:
    if matching.percepts is None:
        return FALSE
    differing: list[Lit] = []
    for role, theirs in enumerate(matching.roles):
        called, left = matching.percepts.of(role), dict(second.sees[theirs])
        mine = [(edge, called(percept)) for percept, edge in first.sees[role].items()]
        differing += (xor(aig, edge, left.pop(name, FALSE)) for edge, name in mine)
        differing += left.values()
    return disj_all(aig, differing)


def _bads(  # noqa: PLR0913, PLR0917  # what product has in hand
    aig: Aig, left: _GameCopy, right: _GameCopy, matching: Matching, saw: Lit, apart: Lit
) -> list[Bad]:
    bads = [
        Bad(BROKEN, aig.disj(left.broken, right.broken)),
        Bad("terminal", aig.disj(apart, xor(aig, left.terminal, right.terminal))),
        Bad(SAW_BAD, saw),
    ]
    going_on = aig.conj(negate(left.terminal), negate(right.terminal))
    over = aig.conj(left.terminal, right.terminal)
    for role, name in enumerate(left.circuit.roles):
        legal = _legal_differs(aig, left, right, matching, role)
        bads.append(Bad(f"legal {name}", aig.conj(going_on, legal)))
        goal = _goal_differs(aig, left, right, matching, role)
        bads.append(Bad(f"goal {name}", aig.conj(over, goal)))
    return bads


def _open_bads(aig: Aig, left: _GameCopy, right: _GameCopy, matching: Matching) -> list[Bad]:
    going_on = aig.conj(negate(left.terminal), negate(right.terminal))
    return [
        Bad(
            f"open goal {name}", aig.conj(going_on, _goal_differs(aig, left, right, matching, role))
        )
        for role, name in enumerate(left.circuit.roles)
    ]


def _goal_differs(
    aig: Aig, left: _GameCopy, right: _GameCopy, matching: Matching, role: int
) -> Lit:
    mine, theirs = left.goals[role], right.goals[matching.roles[role]]
    return disj_all(
        aig,
        [
            xor(aig, mine.get(value, FALSE), theirs.get(value, FALSE))
            for value in sorted({*mine, *theirs})
        ],
    )


def _legal_differs(
    aig: Aig, left: _GameCopy, right: _GameCopy, matching: Matching, role: int
) -> Lit:
    """Return whether a move is legal while none that stands for it is, or beside its rival."""
    mine, theirs = left.legal[role], right.legal[matching.roles[role]]
    alike = left.alike[role], right.alike[matching.roles[role]]
    partners: tuple[dict[int, list[Lit]], dict[int, list[Lit]]] = {}, {}
    for a, b in matching.pairs[role]:
        partners[0].setdefault(a, []).append(theirs[b])
        partners[1].setdefault(b, []).append(mine[a])
    differing = []
    for side, row in enumerate((mine, theirs)):
        those: dict[int, Lit] = {}
        for move, edge in enumerate(row):
            answers = disj_all(aig, partners[side].get(move, []))
            if move in alike[side]:
                same, others = alike[side][move]
                if others[0] not in those:
                    edges = (p for number in others for p in partners[side].get(number, []))
                    those[others[0]] = disj_all(aig, edges)
                answers = aig.disj(answers, aig.conj(same, those[others[0]]))
            differing.append(conj_all(aig, [edge, negate(answers)]))
    rows = mine, theirs
    differing += (aig.conj(rows[side][a], rows[side][b]) for side, a, b in matching.rivals(role))
    return disj_all(aig, differing)
