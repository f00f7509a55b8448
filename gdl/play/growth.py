"""The search of one move in a compiled game: the tree grows, and a proof takes part of the time.

In: a `CompiledGame`, a state, a role. Out: `Thoughts`. The proof is for the highest goal that the
role can force; the tree goes on from move to move.

Source: ours; see `gdl.play.tree` and `gdl.play.exact`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gdl.language.syntax import Term
from gdl.play.compiled import CompiledGame
from gdl.play.exact import ProofSearch, next_pace
from gdl.play.player import Candidate, Thoughts
from gdl.play.search import NotSequentialError
from gdl.play.tree import DONE, FULL, NONE, SOLVED, search

NARROW: Final = 130
"""Moves of the root up to which the proof gets its whole share."""
WIDE_SHARE: Final = 0.3
"""Part of that share where there are more."""
COUNTED: Final = 64
"""Simulations of a slice where they are counted and no clock runs."""
LINE: Final = 24
"""Plies of a principal line that are shown."""
SMOOTH: Final = 8
"""Playouts by which the value of a move that was never tried is drawn to the mean."""


class CompiledSearch:
    """The search of one move (`gdl.play.search.Search`)."""

    def __init__(
        self, game: CompiledGame, state: bytes, role: int, *, simulations: int | None
    ) -> None:
        """Find or make the root.

        Raises:
            NotSequentialError: Several roles have a choice here, or the role has none.
        """
        self.game = game
        self.role = role
        self._state = state
        self._left = simulations
        self._begun = time.monotonic()
        self.proof = ProofSearch(game, state, role, simulations=simulations)
        tree = game.tree
        self.root = game.root(state)
        if self.root < 0 or int(tree.mover[self.root]) != role:
            raise NotSequentialError
        self._before = int(tree.used[2])
        self.simulations = 0
        self._pace = 1
        self._spent = [0.0, 0.0]
        count = int(tree.branches[self.root])
        share = game.settings.proof
        self._share = share if count <= NARROW else share * WIDE_SHARE
        self._is_tree_done = count == 0

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find.

        Raises:
            NotSequentialError: Several roles have a choice somewhere below.
        """
        if self._left is not None and self._left <= 0:
            return False
        is_due = self._spent[1] <= self._share * sum(self._spent)
        if self._share and not self.proof.is_finished and (self._is_tree_done or is_due):
            self._prove()
        elif not self._is_tree_done:
            self._grow()
        else:
            return False
        return self.proof.move is None and not self._is_decided()

    def _is_decided(self) -> bool:
        return self._is_tree_done and (self.proof.is_finished or self._is_solved())

    def _is_solved(self) -> bool:
        tree = self.game.tree
        return bool(tree.low[self.root, self.role] >= tree.high[self.root, self.role])

    def _prove(self) -> None:
        begun, before = time.monotonic(), self.proof.states
        self.proof.go_on()
        self._note(1, time.monotonic() - begun, self.proof.states - before)

    def _grow(self) -> None:
        game = self.game
        number = self._pace if self._left is None else min(COUNTED, self._left)
        begun = time.monotonic()
        visits = int(game.tree.visits[self.root])
        code = search(game.tree, game.game.wide, game.knobs, self.root, number)
        made = int(game.tree.visits[self.root]) - visits
        self.simulations += made
        spent = time.monotonic() - begun
        self._note(0, spent, made)
        self._pace = next_pace(self._pace, spent)
        if code in (SOLVED, FULL) or made == 0:
            self._is_tree_done = True
        elif code != DONE:
            raise NotSequentialError

    def _note(self, which: int, seconds: float, number: int) -> None:
        self._spent[which] += float(number) if self._left is not None else seconds
        if self._left is not None:
            self._left -= max(1, number)

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far."""
        tree, root = self.game.tree, self.root
        first, count = int(tree.first[root]), int(tree.branches[root])
        mover = int(tree.mover[root])
        if mover != self.role or not count:
            return None
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
        if self.proof.move is not None and not sure.any():
            found = _to_front(found, self.proof.move, float(self.proof.value))
        return Thoughts(
            self.roles[mover],
            tuple(found),
            line=self._line(found[0].move),
            simulations=self.simulations + self.proof.states,
            seconds=time.monotonic() - self._begun,
            playouts=int(tree.used[2]) - self._before,
            note=self._note_text(),
        )

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles in order."""
        return self.game.roles

    def _note_text(self) -> str:
        tree, root = self.game.tree, self.root
        if self._is_solved():
            worth = float(tree.low[root, self.role])
            return f"proven: worth {worth:g}, {int(tree.distance[root])} plies to the end"
        if self.proof.move is not None:
            return f"proven: {self.proof.value} can be forced"
        if self.proof.impossible is not None:
            return f"proven: {self.proof.impossible} cannot be forced"
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
