"""Parts that need not be told apart in a phase: they move alike, and belong to the same places.

In: `Parts`, the moves of a phase and those of the next. Out: `Likes`, of which a state says only
which values some part has, and not which part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gdl.play.puzzles.subgroups.parts import Ints, Parts


class Likes(NamedTuple):
    """Parts that move alike in a phase and are not told apart there.

    Attributes:
        members: Each part, and how its values are called.
        after: The value after each move, ``int32[values, moves]``.
        target: Values that parts are to have at the end of the phase.
    """

    members: list[tuple[int, dict[int, int]]]
    after: Ints
    target: frozenset[int]


def find_likes(parts: Parts, moves: Sequence[int], left: Sequence[int]) -> list[Likes]:
    """Return the parts of a phase that are not where they belong, by which are alike.

    Args:
        parts: All of them.
        moves: Moves of the phase.
        left: Moves of the next.
    """
    # A part whose orbit does not shrink is at the end of the phase wherever it is: it is left out.
    classes: list[Likes] = []
    for part, goal in enumerate(parts.goal):
        table = parts.after[part]
        after, fewer = table[:, list(moves)], table[:, list(left)]
        values, target = orbit(after, goal), frozenset(orbit(fewer, goal))
        if len(values) == len(target):
            continue
        for likes in classes:
            names = _names(likes, after, target)
            if names is not None:
                likes.members.append((part, names))
                break
        else:
            names = {value: i for i, value in enumerate(values)}
            small = np.array([[names[v] for v in after[old].tolist()] for old in values])
            called = frozenset(names[value] for value in target)
            classes.append(Likes([(part, names)], small.astype(np.int32), called))
    return classes


def orbit(after: Ints, value: int) -> list[int]:
    """Return the values that moves lead to from one."""
    found = [value]
    for one in found:
        found += [then for then in dict.fromkeys(after[one].tolist()) if then not in found]
    return found


def _names(likes: Likes, after: Ints, target: frozenset[int]) -> dict[int, int] | None:
    """Return how values of a part are called that moves as others do, None where it does not."""
    if len(likes.members) >= len(target) or len(target) != len(likes.target):
        return None
    # Names must be an isomorphism: a move made and then named is named and then moved. One named
    # value settles all others, along the moves; so it is enough to try every value of the target as
    # the one that is called like the goal of the class, and to see whether what follows fits.
    goal = min(likes.target)
    for image in target:
        names, found = {image: goal}, [image]
        for value in found:
            for then, name in zip(
                after[value].tolist(), likes.after[names[value]].tolist(), strict=True
            ):
                if then not in names:
                    names[then] = name
                    found.append(then)
        is_like = len(set(names.values())) == len(names) == len(likes.after) and all(
            (likes.after[names[v]] == [names[then] for then in after[v].tolist()]).all()
            for v in found
        )
        if is_like and {names[value] for value in target} == likes.target:
            return names
    return None
