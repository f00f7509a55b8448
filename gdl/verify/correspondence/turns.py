"""A game in plies seen as a game in turns: place and rotate are one move.

In: a circuit in which a turn is two plies of the same role while the others wait. Out: a
circuit whose moves are ``(then FIRST SECOND)``, with the same states at the beginning of
each turn. When the first ply ends the game, the second is left out, whatever was named:
so all moves that begin with it do the same. Of two games in plies both have to end there.

Which moves begin and end turns is read off random plays; that it is always so is not
taken on trust but becomes a question of the product (`Turns.broken`). A play that shows others is
looked at, too, when it is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.cone import conjuncts
from gdl.circuit.copy import copy_cone
from gdl.circuit.evaluate import evaluate, evaluate_edges
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all, disj_all
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Compound, Constant, Term, sort_key
from gdl.machine import JointMove
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts
from gdl.verify.systems.matching import CorrespondenceError
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system

THEN: Final = "then"
WAITING: Final = Constant("noop")
EXPECTED: Final = "two plies of the same role in a row, the others with noop, throughout"
BROKEN: Final = Constant("turn-structure-broken")
"""The fact that says that a second ply was not as expected."""


class TurnError(CorrespondenceError):
    """A game whose plies do not make turns of two.

    Attributes:
        side: Which of two games that are compared.
        play: Its plies up to where that shows, None for none in particular.
    """

    side = 0
    play: tuple[JointMove, ...] | None = None


@dataclass(frozen=True, slots=True)
class Turns:
    """A game in turns.

    Attributes:
        circuit: The game whose moves are whole turns.
        plies: The game as it was.
        broken: Whether the turns are not what they were taken for; an edge of ``circuit``.
        cut: Whether the first ply of the turn that is made ends play; an edge of ``circuit``.
        ends: For each role whether a first ply, where it is legal, ends play; edges of ``circuit``.
    """

    circuit: GameCircuit
    plies: GameCircuit
    broken: Lit
    cut: Lit
    ends: tuple[Mapping[Term, Lit], ...]

    def alike(self) -> tuple[Mapping[int, tuple[Lit, Sequence[int]]], ...]:
        """Return for each turn of each role when it is the same as others, and these.

        Behind a first ply that ends play what a turn names does not count.
        """
        rows = []
        for ends, moves in zip(self.ends, self.circuit.moves, strict=True):
            begun: dict[Term, list[int]] = {}
            for number, move in enumerate(moves):
                first, *rest = plies_of(move)
                if rest:
                    begun.setdefault(first, []).append(number)
            rows.append({n: (ends[first], own) for first, own in begun.items() for n in own})
        return tuple(rows)


@dataclass(frozen=True, slots=True)
class _TurnMoves:
    """For each role the moves that begin a turn and those that end one."""

    first: tuple[tuple[int, ...], ...]
    second: tuple[tuple[int, ...], ...]
    wait: tuple[int, ...]


def plies_of(move: Term) -> tuple[Term, ...]:
    """Return the plies of a turn; a move that is none stands for itself."""
    if isinstance(move, Compound) and move.name == THEN and len(move.args) == 2:  # noqa: PLR2004
        return move.args
    return (move,)


def in_turns(
    circuit: GameCircuit, budget: Budget, met: Iterable[Sequence[JointMove]] = ()
) -> Turns:
    """Return a game in turns of two plies. Cost O(moves that begin a turn * nodes).

    Args:
        circuit: The game.
        budget: For random plays.
        met: Other plays, in plies, whose moves turns are made of, too.

    Raises:
        TurnError: Random plays show that no role has two plies in a row, each time; or roles
            see something of a ply, which a whole turn does not tell; or there is chance, of
            which two draws are not one among as many.
    """
    if Constant(RANDOM) in circuit.roles:
        raise TurnError("two draws of chance are not read as one turn")
    if any(circuit.sees):
        raise TurnError("what roles see of each ply is not read in whole turns")
    return _Builder(circuit, _halves(circuit, budget, met)).build()


def is_broken_after(turns: Turns, play: Sequence[JointMove]) -> bool:
    """Return whether after some turns the plies are not what they were taken for."""
    circuit = turns.circuit
    facts = frozenset(circuit.facts[fact] for fact in circuit.initial)
    for joint in play:
        facts = evaluate(circuit, facts, joint).next
    held = {
        edge >> 1: int(fact in facts)
        for fact, edge in zip(circuit.facts, circuit.fact_inputs, strict=True)
    }
    return bool(evaluate_edges(circuit.aig, [turns.broken], {0: 0, **held}, 1)[0])


def _halves(circuit: GameCircuit, budget: Budget, met: Iterable[Sequence[JointMove]]) -> _TurnMoves:
    import numpy as np

    waits = [_index(moves, WAITING) for moves in circuit.moves]
    system = game_system(circuit)
    sampled = sample(system, budget, lanes=256)
    looker = of_facts(system, system.flat_legal)
    halves: list[list[set[int]]] = [[set() for _ in circuit.roles] for _ in (0, 1)]
    before: list[int] = []
    for ply, states in enumerate(sampled.going):
        if not states.shape[1]:
            break
        legal = looker.run(states).any(axis=1)
        active: list[int] = []
        for role, part in enumerate(system.by_role(legal)):
            own = set(np.flatnonzero(part).tolist())
            if own - {waits[role]}:
                active.append(role)
                halves[ply % 2][role] |= own
        if len(active) != 1 or (ply % 2 and active != before):
            raise _no_turns(circuit, ply)
        before = active
    for play in met:
        _look_along(circuit, play, halves)
    if not any(halves[1]):
        raise _no_turns(circuit, 1)
    for role, moves in enumerate(circuit.moves):
        if halves[0][role] and not halves[1][role]:  # its first plies end play: any would do
            others = set(range(len(moves))) - halves[0][role] - {waits[role]}
            halves[1][role] = others or halves[0][role]
    first, second = (tuple(tuple(sorted(own)) for own in half) for half in halves)
    return _TurnMoves(first, second, tuple(waits))


def _look_along(
    circuit: GameCircuit, play: Sequence[JointMove], halves: Sequence[Sequence[set[int]]]
) -> None:
    """Add what may be done in the states of a play, and in the middle of any turn from there.

    To wait begins no turn: who may do so may leave it out.
    """
    facts = frozenset(circuit.facts[fact] for fact in circuit.initial)
    for ply in range(len(play) + 1):
        legal = evaluate(circuit, facts).legal
        for role, moves in enumerate(legal if ply % 2 == 0 else ()):
            for first in set(moves) - {WAITING}:
                halves[0][role].add(circuit.moves[role].index(first))
                alone = tuple(first if r == role else WAITING for r in range(len(legal)))
                if any(move not in own for move, own in zip(alone, circuit.moves, strict=True)):
                    continue
                middle = evaluate(circuit, evaluate(circuit, facts, alone).next)
                then = () if middle.terminal else middle.legal[role]
                if set(then) - {WAITING}:
                    halves[1][role].update(map(circuit.moves[role].index, then))
        if ply < len(play):
            facts = evaluate(circuit, facts, play[ply]).next


def _no_turns(circuit: GameCircuit, ply: int) -> TurnError:
    names = " and ".join(map(str, circuit.roles))
    return TurnError(f"ply {ply + 1} is not half of a turn of one of {names}", expected=EXPECTED)


def _index(moves: tuple[Term, ...], move: Term) -> int:
    return moves.index(move) if move in moves else -1


class _Builder:
    """Puts two steps of a circuit after one another."""

    def __init__(self, plies: GameCircuit, halves: _TurnMoves) -> None:
        self.plies, self.halves = plies, halves
        self.aig = Aig()
        self.facts = tuple(self.aig.add_input() for _ in plies.facts)
        self.broke = self.aig.add_input()
        self.turns = tuple(
            tuple(
                sorted(
                    (
                        (a, b)
                        for a in halves.first[role]
                        for b in halves.second[role]
                        if (a, b) != (halves.wait[role], halves.wait[role])
                    ),
                    key=lambda pair: sort_key(self._name(role, pair)),  # used at once
                )
            )
            for role in range(len(plies.roles))
        )
        self.inputs = tuple(tuple(self.aig.add_input() for _ in row) for row in self.turns)
        self._is_stuck = FALSE
        self._ends: list[dict[Term, Lit]] = [{} for _ in plies.roles]
        # Who cannot wait for a ply has no turn of waiting either, which could stand for something.
        self.waits = tuple(self.aig.add_input() if wait >= 0 else None for wait in halves.wait)

    def _name(self, role: int, turn: tuple[int, int]) -> Term:
        moves = self.plies.moves[role]
        return Compound(THEN, (moves[turn[0]], moves[turn[1]]))

    def build(self) -> Turns:
        """Return the circuit: the plies' circuit twice in a row, the second time on its own next.

        What was read off random plays is used as if it were always so: each role makes only its
        first moves now and only its second moves then. That a state shows anything else is the
        edge ``broken``, now or, remembered in the fact `BROKEN`, in the middle of the last turn.
        Up to the first broken state the turns are the plies two by two.
        """
        plies, aig = self.plies, self.aig
        # From a state at the beginning of a turn: what is legal there, and which turns are. A turn
        # is legal if its first ply is, and its second one in the middle, which only it leads to.
        follows, ended, legal_then = self._two_plies()
        outputs = [*plies.outputs()]
        now = iter(copy_cone(plies.aig, aig, self._table(self.facts, None), outputs))
        legal_now = tuple(tuple(next(now) for _ in row) for row in plies.legal)
        for _ in plies.next:
            next(now)
        terminal = next(now)
        goals = tuple(tuple((v, next(now)) for v, _ in row) for row in plies.goals)
        legal = tuple(self._legal(role, legal_now) for role in range(len(plies.roles)))
        # The question that stands for what was only guessed. It is asked where play goes on, as
        # nobody makes a ply from where it ends. The middle has no state of its own: what is wrong
        # there is remembered in a fact, and asked at the beginning of the next turn.
        unexpected = self._unexpected(legal_now, self.halves.first, movers=None)
        unexpected = disj_all(aig, [unexpected, self._is_stuck, self._may_all_wait(legal_now)])
        broken_now = aig.conj(negate(terminal), unexpected)
        movers = [disj_all(aig, row) for row in self.inputs]
        unexpected = self._unexpected(legal_then, self.halves.second, movers)
        broken_then = aig.conj(negate(ended), unexpected)
        circuit = GameCircuit(
            roles=plies.roles,
            facts=(*plies.facts, BROKEN),
            initial=plies.initial,
            moves=tuple(
                (*(self._name(role, turn) for turn in row), *([] if wait is None else [WAITING]))
                for role, (row, wait) in enumerate(zip(self.turns, self.waits, strict=True))
            ),
            aig=aig,
            fact_inputs=(*self.facts, self.broke),
            move_inputs=tuple(
                row if wait is None else (*row, wait)
                for row, wait in zip(self.inputs, self.waits, strict=True)
            ),
            legal=legal,
            next=(*follows, broken_then),
            terminal=terminal,
            goals=goals,
        )
        return Turns(circuit, plies, aig.disj(self.broke, broken_now), ended, tuple(self._ends))

    def _two_plies(self) -> tuple[list[Lit], Lit, tuple[tuple[Lit, ...], ...]]:
        """Return the facts after a turn, whether its first ply ends play, what is legal then."""
        plies, aig = self.plies, self.aig
        middle = copy_cone(plies.aig, aig, self._table(self.facts, 0), [*plies.next])
        ended, *flat = copy_cone(
            plies.aig,
            aig,
            self._table(middle, None),
            [plies.terminal, *(e for row in plies.legal for e in row)],
        )
        last = copy_cone(plies.aig, aig, self._table(middle, 1), [*plies.next])
        # A turn whose first ply ends the game ends there: the state of the middle stays.
        follows = [
            aig.disj(aig.conj(ended, after_first), aig.conj(negate(ended), after_second))
            for after_first, after_second in zip(middle, last, strict=True)
        ]
        legal = iter(flat)
        return follows, ended, tuple(tuple(next(legal) for _ in row) for row in plies.legal)

    def _table(self, facts: tuple[Lit, ...] | list[Lit], half: int | None) -> dict[int, Lit]:
        """Return what stands for each input of the plies; no moves where ``half`` is None."""
        plies = self.plies
        table = {e >> 1: fact for e, fact in zip(plies.fact_inputs, facts, strict=True)}
        for role, row in enumerate(plies.move_inputs):
            users: dict[int, list[Lit]] = {}
            if half is not None:
                for turn, edge in zip(self.turns[role], self.inputs[role], strict=True):
                    users.setdefault(turn[half], []).append(edge)
                if (wait := self.waits[role]) is not None:
                    users.setdefault(self.halves.wait[role], []).append(wait)
            for move, edge in enumerate(row):
                table[edge >> 1] = disj_all(self.aig, users.get(move, []))
        return table

    def _unexpected(
        self,
        legal: tuple[tuple[Lit, ...], ...],
        expected: tuple[tuple[int, ...], ...],
        movers: Sequence[Lit] | None,
    ) -> Lit:
        """Return whether a role may do what no turn does, or another than the one whose turn it is.

        To wait where it could do something is a ply of its own: a turn has it only where it was
        seen among these.

        Args:
            legal: When each move of each role is legal.
            expected: Moves of each role that are part of a turn.
            movers: Whether each role has begun the turn; None at its beginning, where any one may.
        """
        aig = self.aig
        unexpected: list[Lit] = []
        active: list[Lit] = []
        for role, row in enumerate(legal):
            wait = self.halves.wait[role]
            expected_moves = {*expected[role], wait}
            unexpected += (edge for move, edge in enumerate(row) if move not in expected_moves)
            active.append(disj_all(aig, (e for m, e in enumerate(row) if m != wait)))
            if wait >= 0 and wait not in expected[role]:
                unexpected.append(aig.conj(row[wait], active[-1]))
        for role, acts in enumerate(active):
            if movers is None:
                unexpected += (aig.conj(acts, too) for too in active[:role])
            else:  # who only waits through the turn of another has no ply in the middle of it
                unexpected.append(aig.conj(acts, negate(movers[role])))
        return disj_all(aig, unexpected)

    def _may_all_wait(self, legal: tuple[tuple[Lit, ...], ...]) -> Lit:
        """Return whether nobody need begin a turn: waiting is a whole turn here, not half of one.

        Who could wait for a ply might have to go on with the second one, which a turn of waiting
        leaves out.
        """
        waits = zip(legal, self.halves.wait, strict=True)
        return conj_all(self.aig, (row[wait] if wait >= 0 else FALSE for row, wait in waits))

    def _legal(self, role: int, legal_now: tuple[tuple[Lit, ...], ...]) -> tuple[Lit, ...]:
        """Return when each turn of a role is legal, the others waiting."""
        after: dict[int, tuple[Lit, list[Lit], list[Lit]]] = {}
        legal = []
        for first, second in self.turns[role]:
            begins = legal_now[role][first]
            if first not in after:
                ended, ends, others = after[first] = self._after(role, first, begins)
                self._ends[role][self.plies.moves[role][first]] = ended
                # A first ply after which nobody can go on is legal, but begins no turn.
                goes_on = disj_all(self.aig, (ends[second] for second in self.halves.second[role]))
                stuck = negate(conj_all(self.aig, [goes_on, *others]))
                stuck = conj_all(self.aig, [begins, negate(ended), stuck])
                self._is_stuck = self.aig.disj(self._is_stuck, stuck)
            ended, ends, _ = after[first]
            legal.append(self.aig.conj(begins, self.aig.disj(ended, ends[second])))
        wait = self.halves.wait[role]
        return (*legal, legal_now[role][wait]) if wait >= 0 else tuple(legal)

    def _after(self, role: int, first: int, begins: Lit) -> tuple[Lit, list[Lit], list[Lit]]:
        """Return, after a first ply, if the game is over, what the role may do, who may wait."""
        plies, aig = self.plies, self.aig
        table = {e >> 1: fact for e, fact in zip(plies.fact_inputs, self.facts, strict=True)}
        # What follows is only looked at where the first ply is legal: what that implies is known,
        # which folds most of the copy away.
        assumed = set(conjuncts(aig, begins))
        table = {node: _given(edge, assumed) for node, edge in table.items()}
        for other, row in enumerate(plies.move_inputs):
            chosen = first if other == role else self.halves.wait[other]
            table |= {edge >> 1: int(move == chosen) for move, edge in enumerate(row)}
        middle = copy_cone(plies.aig, aig, table, [*plies.next])
        table = {e >> 1: fact for e, fact in zip(plies.fact_inputs, middle, strict=True)}
        table |= {edge >> 1: FALSE for row in plies.move_inputs for edge in row}
        waits = [
            row[wait] if wait >= 0 else FALSE
            for other, (row, wait) in enumerate(zip(plies.legal, self.halves.wait, strict=True))
            if other != role
        ]
        ended, *rest = copy_cone(
            plies.aig, aig, table, [plies.terminal, *plies.legal[role], *waits]
        )
        return ended, rest[: len(plies.legal[role])], rest[len(plies.legal[role]) :]


def _given(edge: Lit, assumed: set[Lit]) -> Lit:
    """Return an edge, or its value where it is known."""
    if edge in assumed:
        return TRUE
    return FALSE if negate(edge) in assumed else edge
