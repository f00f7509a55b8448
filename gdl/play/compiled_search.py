"""The search of one move in a compiled game: the tree grows, and a proof takes part of the time.

In: a `CompiledGame`, a state, a role. Out: `Thoughts`. The proof is for the highest goal that the
role can force; the tree goes on from move to move.

Source: ours; see `gdl.play.tree` and `gdl.play.proof_search`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gdl.language.syntax import Term
from gdl.play.anytime import NotSequentialError
from gdl.play.player import Candidate, Thoughts
from gdl.play.proof_search import ProofSearch, next_pace
from gdl.play.tree import DONE, FULL, HALTED, NONE, PLAYOUTS, SOLVED
from gdl.play.workspace import CompiledGame

NARROW: Final = 130
"""Moves of the root up to which the proof gets its whole share."""
WIDE_SHARE: Final = 0.3
"""Part of that share where there are more."""
COUNTED: Final = 64
"""Simulations of a slice where they are counted and no clock runs."""
REHEARSED: Final = 3 * COUNTED
"""Simulations of a rehearsal: proof and tree have a turn each."""
LINE: Final = 24
"""Plies of a principal line that are shown."""
SMOOTH: Final = 8
"""Playouts by which the value of a move that was never tried is drawn to the mean."""


class CompiledSearch:
    """The search of one move (`gdl.play.anytime.Search`)."""

    def __init__(
        self, game: CompiledGame, state: bytes, role: int, *, simulations: int | None
    ) -> None:
        """Prepare; nothing is looked at yet."""
        self.game = game
        self.role = role
        self.root = NONE
        self.proof: ProofSearch | None = None
        self.simulations = 0
        self._state = state
        self._left = simulations
        self._begun = time.monotonic()
        self._before = 0
        self._pace = 1
        self._spent = [0.0, 0.0]
        self._share = game.settings.proof
        self._is_tree_done = False
        self._is_sum = len(game.roles) == 1 or game.knobs.is_constant
        game.resume()

    def _begin(self) -> ProofSearch | None:
        """Find or make the root; None where the search was halted meanwhile.

        Raises:
            NotSequentialError: Several roles have a choice here, or the role has none.
        """
        game, tree = self.game, self.game.tree
        root = game.root(self._state)
        if game.is_halted:
            return None
        if root < 0 or int(tree.mover[root]) != self.role:
            raise NotSequentialError
        self.proof = ProofSearch(game, self._state, self.role, simulations=self._left)
        self._before = int(tree.used[PLAYOUTS])
        count = int(tree.branches[root])
        if count > NARROW:
            self._share *= WIDE_SHARE
        self._is_tree_done = count == 0
        self.root = root
        return self.proof

    def halt(self) -> None:
        """End the slice that is under way."""
        self.game.halt()

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find.

        Raises:
            NotSequentialError: Several roles have a choice here or somewhere below.
        """
        proof = self.proof or self._begin()
        if proof is None:
            return False
        if self._left is not None and self._left <= 0:
            return False
        is_due = self._spent[1] <= self._share * sum(self._spent)
        if self._share and not proof.is_finished and (self._is_tree_done or is_due):
            self._prove(proof)
        elif not self._is_tree_done:
            self._grow()
        else:
            return False
        is_known = proof.is_finished or (self._is_sum and self._is_solved())
        is_decided = self._is_tree_done and is_known
        return proof.move is None and not is_decided

    def _is_solved(self) -> bool:
        tree = self.game.tree
        return bool(tree.low[self.root, self.role] >= tree.high[self.root, self.role])

    def _prove(self, proof: ProofSearch) -> None:
        begun, before = time.monotonic(), proof.states
        proof.go_on()
        self._note(1, time.monotonic() - begun, proof.states - before)

    def _grow(self) -> None:
        game = self.game
        number = self._pace if self._left is None else min(COUNTED, self._left)
        begun = time.monotonic()
        visits = int(game.tree.visits[self.root])
        code = game.grow(self.root, number)
        made = int(game.tree.visits[self.root]) - visits
        self.simulations += made
        spent = time.monotonic() - begun
        self._note(0, spent, made)
        self._pace = next_pace(self._pace, spent)
        if code in (SOLVED, FULL) or (made == 0 and code == DONE):
            self._is_tree_done = True
        elif code not in (DONE, HALTED):
            raise NotSequentialError

    def _note(self, which: int, seconds: float, number: int) -> None:
        self._spent[which] += float(number) if self._left is not None else seconds
        if self._left is not None:
            self._left -= max(1, number)

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far."""
        tree, root, proof = self.game.tree, self.root, self.proof
        if root == NONE or proof is None or not tree.branches[root]:
            return None
        first, count, mover = int(tree.first[root]), int(tree.branches[root]), self.role
        edges = slice(first, first + count)
        tries = tree.tries[edges]
        mean = float(tree.mean[root, mover])
        prior = (tree.luck[edges] + SMOOTH * mean) / (tree.seen[edges] + SMOOTH)
        value = (tree.won[edges] + prior) / (tries + 1)
        least, most = tree.least[edges], tree.most[edges]
        exact = least >= most
        value = np.clip(np.where(exact, least, value), least, most)
        wide = self.game.game.wide
        rank = _rank(tries, value, exact, (wide.worst[mover], wide.best[mover]))
        quick = np.array([self._distance(edge) for edge in range(first, first + count)])
        late = np.where(exact & (least <= wide.worst[mover]), -quick, quick * exact)
        order = np.lexsort((late, -rank))
        moves = self.game.native.kernel.compiled.moves[mover]
        sure = exact & (least >= wide.best[mover])
        found = [
            Candidate(
                moves[int(tree.move[first + i])],
                int(tries[i]),
                float(value[i]),
                bool(exact[i]),
            )
            for i in order.tolist()
        ]
        if proof.move is not None and not (self._is_sum and sure.any()):
            found = _to_front(found, proof.move, float(proof.value))
        return Thoughts(
            self.roles[mover],
            tuple(found),
            line=self._line(found[0].move),
            simulations=self.simulations + proof.states,
            seconds=time.monotonic() - self._begun,
            playouts=int(tree.used[PLAYOUTS]) - self._before,
            note=self._note_text(proof),
        )

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles in order."""
        return self.game.roles

    def _note_text(self, proof: ProofSearch) -> str:
        tree, root = self.game.tree, self.root
        worth = float(tree.low[root, self.role])
        if self._is_sum and self._is_solved():
            return f"proven: worth {worth:g}, {int(tree.distance[root])} plies to the end"
        if proof.move is not None:
            return f"proven: {proof.value} can be forced"
        if self._is_solved():
            return f"proven: worth {worth:g} if all play for their own goal"
        if proof.impossible is not None:
            return f"proven: {proof.impossible} cannot be forced"
        return ""

    def _distance(self, edge: int) -> int:
        child = int(self.game.tree.child[edge])
        return int(self.game.tree.distance[child]) if child != NONE else 0

    def _line(self, move: Term) -> tuple[tuple[Term, ...], ...]:
        """Return the joint moves that follow when all take what looks best."""
        tree, machine = self.game.tree, self.game.native.machine
        line: list[tuple[Term, ...]] = []
        node, state = self.root, self._state
        wanted: Term | None = move
        while len(line) < LINE and tree.branches[node] and not machine.is_terminal(state):
            first, count = int(tree.first[node]), int(tree.branches[node])
            mover = int(tree.mover[node])
            moves = self.game.native.kernel.compiled.moves[mover]
            if wanted is None:
                edges = slice(first, first + count)
                least = tree.least[edges]
                exact = least >= tree.most[edges]
                tries = tree.tries[edges]
                value = np.where(exact, least, tree.won[edges] / np.maximum(tries, 1))
                wide = self.game.game.wide
                rank = _rank(tries, value, exact, (wide.worst[mover], wide.best[mover]))
                edge = first + int(np.argmax(rank))
                if not tries[edge - first] and not exact[edge - first]:
                    break
            else:
                names = [moves[int(tree.move[e])] for e in range(first, first + count)]
                edge = first + names.index(wanted)
                wanted = None
            chosen = moves[int(tree.move[edge])]
            joint = tuple(
                chosen if r == mover else machine.legal(state, role)[0]
                for r, role in enumerate(self.roles)
            )
            line.append(joint)
            state = machine.successor(state, joint)
            node = int(tree.child[edge])
            if node == NONE:
                break
        return tuple(line)


def rehearse(game: CompiledGame) -> None:
    """Search and think once, so that nothing is loaded or made while a clock runs."""
    machine = game.native.machine
    state = machine.initial()
    if not game.is_sequential or machine.is_terminal(state):
        return
    mover = int(game.tree.mover[game.root(state)])
    search = CompiledSearch(game, state, mover, simulations=REHEARSED)
    with suppress(NotSequentialError):
        while search.go_on():
            search.thoughts()
    game.clear()


def _rank(tries: Any, value: Any, exact: Any, bounds: tuple[float, float]) -> Any:  # noqa: ANN401
    """Return how good moves are: open ones by visits; proven ones before or behind all of them."""
    most = max(1, int(tries.max()))
    leader = int(np.argmax(np.where(exact, -1, tries)))
    hope = bounds[0] if exact[leader] else value[leader]
    proven = np.where(value >= bounds[1], 4.0, np.where(value <= bounds[0], -2.0, -1.0))
    proven = np.where((value >= hope) & (proven == -1.0), 2.0, proven) + value / 1000.0
    return np.where(exact, proven, tries / most)


def _to_front(found: list[Candidate], move: Term, goal: float) -> list[Candidate]:
    chosen = next((each for each in found if each.move == move), Candidate(move, 0, goal))
    rest = [candidate for candidate in found if candidate is not chosen]
    return [replace(chosen, value=goal, proven=True), *rest]
