"""One ply of every lane as logic: count moves, choose, step, see who is done.

In goes a `GameCircuit`; out comes a `Program`: one graph a phase, and one for the
scores of finished games. Four things make the graphs small:

- clock facts are constants in each phase (`gdl.circuit.phases`);
- a lane that plays is not in a terminal state, so whatever ``terminal`` is a
  disjunction of is false before the move, and stays false where the move does not touch it;
- moves of the one role that has a choice come from one counter tree;
- goals are not looked at here: what they need is kept (`latches`) when a lane ends.

A lane may sit a ply out (see `gdl.native.lanes.random_rank`); then it must keep its state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.arithmetic import Number
from gdl.circuit.cone import cone, frontier, implied
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import disj_all, exactly_one, factored_conj, select, two_level_conj
from gdl.circuit.phases import PhaseCycle
from gdl.native.lanes.choose import Choice, count, descend


class Chooser(NamedTuple):
    """A rank that a role needs to choose in a phase.

    Attributes:
        last: Highest rank, a number.
        mask: Bits that a rank may have.
        rank: Inputs: the rank drawn.
    """

    last: Number
    mask: Number
    rank: Number


class Phase(NamedTuple):
    """One ply.

    Attributes:
        aig: The graph.
        facts: Input of each fact that is stored, None for clock facts and derived ones.
        choosers: Roles that choose.
        able: Whether every role has a legal move.
        go: Input: the lane moves; it was drawn a rank and does not sit out.
        next: For each stored fact the edge after the move.
        terminal: Whether the game is over after the move.
        latches: What the goals need of the state after the move.
    """

    aig: Aig
    facts: tuple[Lit | None, ...]
    choosers: tuple[Chooser, ...]
    able: Lit
    go: Lit
    next: tuple[Lit | None, ...]
    terminal: Lit
    latches: tuple[Lit, ...]


class Scores(NamedTuple):
    """The goals of finished games.

    Attributes:
        aig: The graph.
        latches: Inputs: what was kept.
        planes: Numbers that give for each role the index of its goal, 0 for no single value,
            one after the other, the first role first.
        widths: Bits of each role.
        values: Goal values of each role; index 1 means the first.
    """

    aig: Aig
    latches: tuple[Lit, ...]
    planes: tuple[Lit, ...]
    widths: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]


class Program(NamedTuple):
    """Everything that lanes need to know of a game.

    Attributes:
        stored: Facts that have a place in memory.
        initial: Those of them that hold at the start.
        phases: One ply each, in cycle.
        scores: The goals.
    """

    stored: tuple[int, ...]
    initial: frozenset[int]
    phases: tuple[Phase, ...]
    scores: Scores


def build_program(circuit: GameCircuit, clock: PhaseCycle) -> Program:
    """Return the program of a game. Cost O(phases * gates)."""
    stored = tuple(f for f in needed_facts(circuit) if f not in clock.facts)
    cut = _goal_cut(circuit)
    phases = tuple(_phase(circuit, stored, clock, number, cut) for number in range(clock.period))
    return Program(stored, circuit.initial & frozenset(stored), phases, _scores(circuit, cut))


def needed_facts(circuit: GameCircuit) -> tuple[int, ...]:
    """Return the facts that legal, terminal or a goal depend on, through others too."""
    aig = circuit.aig
    fact_of = {edge >> 1: f for f, edge in enumerate(circuit.fact_inputs)}
    # Backwards from all that is seen of a game, from ply to ply (the cone of influence): a fact
    # that is not met can change no playout, however long.
    seen: set[int] = set()
    stack = [circuit.terminal >> 1]
    stack += [edge >> 1 for edges in circuit.legal for edge in edges]
    stack += [edge >> 1 for pairs in circuit.goals for _, edge in pairs]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if aig.is_and(node):
            stack += (aig.left[node] >> 1, aig.right[node] >> 1)
        elif node in fact_of:
            stack.append(circuit.next[fact_of[node]] >> 1)
    return tuple(sorted(fact_of[node] for node in seen if node in fact_of))


def _phase(
    circuit: GameCircuit, stored: Sequence[int], clock: PhaseCycle, number: int, cut: Sequence[int]
) -> Phase:
    aig = Aig()
    held = clock.phases[number]
    facts: list[Lit | None] = [None] * len(circuit.facts)
    for fact in stored:
        facts[fact] = aig.add_input()
    now = _fact_values(circuit, facts, clock, held)
    ended = Copier(aig, circuit.aig, now).edge(circuit.terminal)
    # A lane that plays is in no terminal state, so whatever follows from `not terminal` may be
    # written as a constant. Where all of a phase is terminal nobody plays, and nothing follows.
    implied_true = {} if ended == TRUE else dict.fromkeys(implied(aig, negate(ended)), TRUE)
    now = {node: implied_true.get(edge, edge) for node, edge in now.items()}
    before = Copier(aig, circuit.aig, now, implied_true)
    choosers, chosen, able, go = _choices(aig, circuit, before)
    is_product = len(choosers) > 1
    following = _following(
        aig,
        circuit,
        stored,
        facts,
        now=now,
        implied_true=implied_true,
        chosen=chosen,
        go=go,
        is_product=is_product,
    )
    then = _fact_values(circuit, following, clock, clock.phases[(number + 1) % clock.period])
    # An edge of this graph speaks of the state before the move, whoever reads it. So what is known
    # of it holds in the copy after the move too: a line of squares that the move does not touch
    # was not full before, and is not now.
    then = {node: implied_true.get(edge, edge) for node, edge in then.items()}
    after = Copier(aig, circuit.aig, then, implied_true)
    return Phase(
        aig,
        tuple(facts),
        choosers,
        able,
        go,
        tuple(following),
        after.edge(circuit.terminal),
        after.edges([2 * node for node in cut]),
    )


def _fact_values(
    circuit: GameCircuit, facts: Sequence[Lit | None], clock: PhaseCycle, held: frozenset[int]
) -> dict[int, Lit]:
    values = {circuit.fact_inputs[f] >> 1: TRUE if f in held else FALSE for f in clock.facts}
    for f, edge in enumerate(facts):
        if edge is not None:
            values[circuit.fact_inputs[f] >> 1] = edge
    return values


def _choices(
    aig: Aig, circuit: GameCircuit, before: Copier
) -> tuple[tuple[Chooser, ...], list[list[Lit]], Lit, Lit]:
    """Build the choice of each role: choosers, chosen edges by role, able, go."""
    counted: list[tuple[list[int], Choice | None]] = []
    able = TRUE
    for legal in circuit.legal:
        edges = before.edges(legal)
        possible = [i for i, edge in enumerate(edges) if edge != FALSE]
        # Who has one move, and always, needs neither a counter nor a rank.
        certain = len(possible) == 1 and edges[possible[0]] == TRUE
        choice = None if certain or not possible else count(aig, [edges[i] for i in possible])
        able = aig.conj(able, choice.some if choice is not None else TRUE if possible else FALSE)
        counted.append((possible, choice))
    go = aig.add_input()
    choosers: list[Chooser] = []
    chosen: list[list[Lit]] = []
    for (possible, choice), legal in zip(counted, circuit.legal, strict=True):
        moves = [FALSE] * len(legal)
        if choice is None:
            picked: list[Lit] = [TRUE] * len(possible)
        else:
            ranks = [tuple(aig.add_input() for _ in bound.last) for bound in choice.bounds]
            choosers += [
                Chooser(bound.last, bound.mask, rank)
                for bound, rank in zip(choice.bounds, ranks, strict=True)
            ]
            picked = descend(aig, choice, ranks, go)
        for i, edge in zip(possible, picked, strict=True):
            moves[i] = edge
        chosen.append(moves)
    return tuple(choosers), chosen, able, go


def _following(  # noqa: PLR0913  # the parts of one ply
    aig: Aig,
    circuit: GameCircuit,
    stored: Sequence[int],
    facts: Sequence[Lit | None],
    *,
    now: dict[int, Lit],
    implied_true: dict[Lit, Lit],
    chosen: Sequence[Sequence[Lit]],
    go: Lit,
    is_product: bool,
) -> list[Lit | None]:
    """Build the facts after the move; a lane that does not go keeps its own."""
    # `descend` chooses nothing where a lane does not go. What such a lane sees is therefore the
    # circuit with no move but the certain ones: `resting`.
    moves: dict[int, Lit] = {}
    resting: dict[int, Lit] = {}
    for edges, picked in zip(circuit.move_inputs, chosen, strict=True):
        for edge, choice in zip(edges, picked, strict=True):
            moves[edge >> 1] = choice
            resting[edge >> 1] = TRUE if choice == TRUE else FALSE
    conj = factored_conj if is_product else two_level_conj
    moved = Copier(aig, circuit.aig, now | moves, implied_true, conj=conj)
    unmoved = Copier(aig, circuit.aig, now | resting, implied_true)
    following: list[Lit | None] = [None] * len(facts)
    for fact, new in zip(stored, moved.edges([circuit.next[f] for f in stored]), strict=True):
        old = facts[fact]
        assert old is not None
        # From the cheapest to the dearest: nothing ever changes the fact; it stays by itself where
        # no move is made; else whether the lane goes has to select.
        same = implied_true.get(old, old)
        if new == same:
            following[fact] = old
        elif unmoved.edge(circuit.next[fact]) == same:
            following[fact] = new
        else:
            following[fact] = select(aig, go, new, old)
    return following


def _goal_cut(circuit: GameCircuit) -> tuple[int, ...]:
    """Return nodes over facts from which all goals follow: as few as two simple cuts give."""
    aig = circuit.aig
    roots = [edge for pairs in circuit.goals for _, edge in pairs]
    # What terminal is made of (who has a line) is there after each ply at no price.
    ready = set(cone(aig, (circuit.terminal,)))
    cuts = [frontier(aig, roots), frontier(aig, roots, ready)]
    return min(cuts, key=len)


def _scores(circuit: GameCircuit, cut: Sequence[int]) -> Scores:
    aig = Aig()
    latches = tuple(aig.add_input() for _ in cut)
    copier = Copier(aig, circuit.aig, dict(zip(cut, latches, strict=True)))
    planes: list[Lit] = []
    widths: list[int] = []
    for pairs in circuit.goals:
        edges = copier.edges([edge for _, edge in pairs])
        width = len(pairs).bit_length()
        # Index 0 stands for no goal and for several: only a single one is a value.
        single = exactly_one(aig, edges)
        planes += [
            aig.conj(single, disj_all(aig, [e for i, e in enumerate(edges, 1) if i >> bit & 1]))
            for bit in range(width)
        ]
        widths.append(width)
    values = tuple(tuple(value for value, _ in pairs) for pairs in circuit.goals)
    return Scores(aig, latches, tuple(planes), tuple(widths), values)
