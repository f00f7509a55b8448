"""One of the games of a comparison: its rules, its circuit, its reasoner.

In: a ruleset. Out: a `ComparedGame`, which can be read in plies as written or in whole turns, and
which follows plays on the reasoner, the definition of what rules mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from gdl.circuit.aig import FALSE, Lit
from gdl.circuit.game import GameCircuit
from gdl.compile.limits import CompileLimits, GroundingLimitError
from gdl.compile.pipeline import build
from gdl.game import Game, load
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.turns import WAITING, Turns, in_turns, plies_of
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.matching import Matching
from gdl.verify.systems.product import Product, product


@dataclass(frozen=True)
class ComparedGame:
    """A game that is compared.

    Attributes:
        ruleset: Rules, notation and picture.
        plies: The circuit of the rules as written.
        turns: The same in whole turns, None when it is read in plies.
        met: Plays in plies whose moves whole turns are made of, beside those of random play.
        limits: What the reasoner may take.
    """

    ruleset: Ruleset
    plies: GameCircuit
    turns: Turns | None = None
    limits: Limits = DEFAULT_LIMITS
    met: tuple[tuple[JointMove, ...], ...] = ()
    _read: list[Turns] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What people call it."""
        return self.ruleset.id

    @property
    def circuit(self) -> GameCircuit:
        """The circuit whose moves are compared."""
        return self.plies if self.turns is None else self.turns.circuit

    @property
    def broken(self) -> Lit:
        """When turns are not as expected; an edge of the circuit."""
        return FALSE if self.turns is None else self.turns.broken

    def turned(self, budget: Budget) -> ComparedGame:
        """Return the same game read in whole turns; who asks again is told the same.

        Raises:
            TurnError: Its plies do not make turns of two.
        """
        if not self._read:
            self._read.append(in_turns(self.plies, budget, self.met))
        return replace(self, turns=self._read[0])

    @cached_property
    def game(self) -> Game:
        """The game, run by the reasoner."""
        return load(self.ruleset, backend="reason", limits=self.limits)

    @property
    def reasoner(self) -> Any:  # noqa: ANN401  # states of a back end are its own
        """The rules as written, evaluated."""
        return self.game.machine

    def text(self, move: Term) -> str:
        """Return a move in the game's own notation."""
        return ", ".join(self.ruleset.notation.format(ply) for ply in plies_of(move))

    def listed(self, moves: Iterable[Term]) -> str:
        """Return several moves in the game's own notation, whole turns apart from each other."""
        return (", " if self.turns is None else "; ").join(map(self.text, moves))

    def expand(self, state: Any, joint: Sequence[Term]) -> list[JointMove]:  # noqa: ANN401
        """Return the plies that a joint move stands for in a state of the reasoner."""
        parts = [plies_of(move) for move in joint]
        if self.turns is None or all(len(part) == 1 for part in parts):
            return [tuple(joint)]
        first, second = (
            tuple(part[half] if len(part) > 1 else WAITING for part in parts) for half in (0, 1)
        )
        after = self.reasoner.successor(state, first)
        return [first] if self.reasoner.is_terminal(after) else [first, second]

    def legal(self, state: Any, role: Term) -> frozenset[Term]:  # noqa: ANN401
        """Return the legal moves of a role, whole turns where the game is read so."""
        plies = self.reasoner.legal(state, role)
        if self.turns is None:
            return frozenset(plies)
        index = self.plies.roles.index(role)
        firsts: set[Term] = set()
        after: dict[Term, frozenset[Term] | None] = {}
        for move in self.circuit.moves[index]:
            first, *rest = plies_of(move)
            if first not in plies:
                continue
            if not rest:
                firsts.add(move)
                continue
            if first not in after:
                after[first] = self._then(state, index, first)
            then = after[first]
            if then is None or rest[0] in then:
                firsts.add(move)
        return frozenset(firsts)

    def alike(self, state: Any, role: Term, moves: Collection[Term]) -> frozenset[Term]:  # noqa: ANN401
        """Return all turns that are the same as one of these: their first ply ends play."""
        index = self.plies.roles.index(role)
        firsts = {plies_of(move)[0] for move in moves if self.turns is not None}
        ended = {f for f in firsts - {WAITING} if self._then(state, index, f) is None}
        return frozenset(m for m in self.circuit.moves[index] if plies_of(m)[0] in ended)

    def dead_end(self, state: Any) -> tuple[Term, Term] | None:  # noqa: ANN401
        """Return a role and a first ply of it after which somebody has no ply, None for none.

        Only for states in which nobody is `hurried`.
        """
        roles = self.plies.roles
        for index, role in enumerate(roles):
            for first in sorted(self.reasoner.legal(state, role)):
                if first == WAITING:
                    continue
                after = self.reasoner.successor(state, self._alone(index, first))
                can_go_on = all(self.reasoner.legal(after, mover) for mover in roles)
                if not self.reasoner.is_terminal(after) and not can_go_on:
                    return role, first
        return None

    def has_unknown_turn(self, state: Any) -> bool:  # noqa: ANN401
        """Return whether in a state there is a turn that none of the circuit's moves stands for.

        Only for states in which nobody is `hurried`.
        """
        for index, role in enumerate(self.plies.roles):
            turns = {plies_of(move) for move in self.circuit.moves[index]}
            firsts = {plies[0] for plies in turns}
            for first in self.reasoner.legal(state, role):
                if first == WAITING:
                    continue
                then = self._then(state, index, first)
                if first not in firsts or any((first, ply) not in turns for ply in then or ()):
                    return True
        return False

    def hurried(self, state: Any) -> Term | None:  # noqa: ANN401
        """Return a role that may not wait while another makes a ply, None for none."""
        legal = [frozenset(self.reasoner.legal(state, role)) for role in self.plies.roles]
        for index, role in enumerate(self.plies.roles):
            others = frozenset().union(*legal[:index], *legal[index + 1 :])
            if WAITING not in legal[index] and others - {WAITING}:
                return role
        return None

    def _alone(self, role: int, first: Term) -> JointMove:
        """Return the joint move in which one role makes a ply and the others wait."""
        return tuple(first if index == role else WAITING for index in range(len(self.plies.roles)))

    def _then(self, state: Any, role: int, first: Term) -> frozenset[Term] | None:  # noqa: ANN401
        """Return what a role may do after a first ply, None when the game is over."""
        roles = self.plies.roles
        after = self.reasoner.successor(state, self._alone(role, first))
        if self.reasoner.is_terminal(after):
            return None
        return frozenset(self.reasoner.legal(after, roles[role]))


def side_by_side(left: ComparedGame, right: ComparedGame, matching: Matching) -> Product:
    """Return two games side by side, as they are read. Cost O(nodes of both)."""
    broken, cut = (left.broken, right.broken), None
    if left.turns is not None and right.turns is not None:
        cut = left.turns.cut, right.turns.cut
    alike = [() if side.turns is None else side.turns.alike() for side in (left, right)]
    return product(
        left.circuit, right.circuit, matching, broken=broken, cut=cut, alike=(alike[0], alike[1])
    )


def prepare_game(
    ruleset: Ruleset, *, limits: Limits = DEFAULT_LIMITS, budget: Budget | None = None
) -> ComparedGame:
    """Return a game ready to be compared.

    Args:
        ruleset: The game.
        limits: What the reasoner may take.
        budget: What the circuit may take; None for the usual limits.

    Raises:
        OutOfBudgetError: The circuit would take more than the budget leaves.
        CompileError: The rules cannot be made into a circuit.
        GdlSyntaxError: The rules cannot be read.
    """
    if budget is None:
        return ComparedGame(ruleset, build(ruleset.checked(limits)), limits=limits)
    budget.check()
    memory = max(1 << 20, budget.bytes_left)
    bounds = CompileLimits(seconds=budget.left, bytes=memory, clock=budget.clock, explain=False)
    try:
        return ComparedGame(ruleset, build(ruleset.checked(limits), limits=bounds), limits=limits)
    except GroundingLimitError as error:
        budget.check()  # says so where it was the time of the whole question that ended
        raise OutOfBudgetError(error.headline) from error
