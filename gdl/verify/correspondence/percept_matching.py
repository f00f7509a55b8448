"""What roles see: which percepts of two games stand for each other.

In: two games whose moves are matched. Out: for each role names under which it sees the same, or
nearly the same. Names that both games have are kept where play bears them out, and what rules or a
map say goes first. Else play tells: percepts that are the same in other words are seen after the
same moves of every play. So those that were seen alike make a class, and any two of one class may
stand for each other, until a play tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Lit
from gdl.language.syntax import Term
from gdl.verify.correspondence.compared_game import ComparedGame, side_by_side
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import chosen, of_facts, of_moves, states_along
from gdl.verify.systems.matching import Matching, Percepts
from gdl.verify.systems.product import Product
from gdl.verify.systems.sampling import can_move, choose, sample
from gdl.verify.systems.system import Play

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

LANES: Final = 256
"""Random plays that tell what is seen."""
TRIES: Final = 4
"""Random joint moves in each of their states."""
CELLS: Final = 20_000_000
"""Percepts times moves after which random play is enough."""
TELLING: Final = 0.1
"""Of the time left, what random play may take."""

Names = tuple[Mapping[Term, Term], ...]


def in_words(
    sides: tuple[ComparedGame, ComparedGame], matching: Matching, words: Mapping[Term, Term]
) -> Matching | None:
    """Return the matching with percepts as words say; None where both games have others left.

    Args:
        sides: The games.
        matching: What stands for what but percepts.
        words: Percepts of the first game with their names in the second.
    """
    names: list[Mapping[Term, Term]] = []
    left, right = (side.circuit for side in sides)
    for role, theirs in enumerate(matching.roles):
        rows = (
            game.sees[own] if game.sees else () for game, own in ((left, role), (right, theirs))
        )
        mine, its = ([percept for percept, _ in row] for row in rows)
        named = {percept: words.get(percept, percept) for percept in mine}
        if set(named.values()) - set(its) and set(its) - set(named.values()):
            return None
        names.append(named)
    return replace(matching, percepts=Percepts(tuple(names)))


def told_by_play(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    budget: Budget,
    plays: Sequence[Play] = (),
    *,
    seed: int = 0,
) -> tuple[Matching, bool]:
    """Return the matching with percepts that are seen alike, and whether all plays bear it out.

    Args:
        sides: The games.
        matching: What stands for what but percepts.
        budget: Ends random play.
        plays: Plays that must be looked at too.
        seed: Of random play.

    Returns:
        The matching. Where no names do, those of the fewest disagreements stand for each other, so
        that the games differ in what is seen, and then it is said that plays do not bear it out.
    """
    left, right = sides
    unseen = replace(matching, percepts=None)
    both = side_by_side(left, right, unseen)
    rows = [row for seen in both.sees for side in seen for row in side.values()]
    shown = _shown(both, rows, budget, plays, seed)
    columns = dict(zip(rows, shown, strict=True))
    names, is_borne_out = [], True
    for seen in both.sees:
        named, is_same = _paired(*({p: columns[e] for p, e in side.items()} for side in seen))
        names.append(named)
        is_borne_out &= is_same
    return replace(matching, percepts=Percepts(tuple(names), is_guess=True)), is_borne_out


def _shown(
    both: Product, edges: Sequence[Lit], budget: Budget, plays: Sequence[Play], seed: int
) -> Bits:
    """Return when each edge holds: ``bool[edges, moves]``, of random joint moves and of plays."""
    import numpy as np

    system = both.system
    random = np.random.default_rng(seed)
    looker = of_moves(system, edges)
    legality = of_facts(system, system.flat_legal)
    parts = [np.zeros((len(edges), 0), np.bool_)]
    share, cells = budget.share(TELLING * budget.left), 0
    for states in sample(system, share, seed=seed, lanes=LANES).going:
        if cells > CELLS:
            break
        cells += TRIES * len(edges) * states.shape[1]
        legal = legality.run(states)
        can = can_move(legal, system)
        for _ in range(TRIES if can.any() else 0):
            choices = choose(legal[:, can], system, random)
            parts.append(looker.run(np.concatenate([states[:, can], choices])))
    for play in plays:
        for state, joint in zip(states_along(system, play).T, play, strict=False):  # not the last
            parts.append(looker.run(np.concatenate([state, chosen(system, joint)])[:, None]))
    return np.concatenate(parts, axis=1)


def _paired(mine: Mapping[Term, Bits], its: Mapping[Term, Bits]) -> tuple[dict[Term, Term], bool]:
    """Return which percepts stand for each other, and whether all of them were seen alike.

    Names that both have are kept where those are seen alike.
    """
    classes: dict[bytes, tuple[list[Term], list[Term]]] = {}
    for side, seen in enumerate((mine, its)):
        for percept, column in sorted(seen.items()):
            classes.setdefault(column.tobytes(), ([], []))[side].append(percept)
    named: dict[Term, Term] = {}
    left: tuple[list[Term], list[Term]] = [], []
    for own, theirs in classes.values():
        same = [percept for percept in own if percept in theirs]
        named.update(zip(same, same, strict=True))
        rest = [p for p in own if p not in same], [p for p in theirs if p not in same]
        named.update(zip(*rest, strict=False))
        left[0].extend(rest[0][len(rest[1]) :])
        left[1].extend(rest[1][len(rest[0]) :])
    # What nobody ever saw may have no partner: it is asked for by name then, and the proof tells.
    is_same = not any(mine[p].any() for p in left[0]) and not any(its[p].any() for p in left[1])
    by_distance = sorted(
        (int((mine[a] ^ its[b]).sum()), a != b, a, b) for a in left[0] for b in left[1]
    )
    taken = set[Term]()
    for _, _, a, b in by_distance:
        if a not in named and b not in taken:
            named[a] = b
            taken.add(b)
    return named, is_same
