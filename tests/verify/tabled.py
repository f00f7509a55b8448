"""Small games that are drawn as tables, and the same with a difference where few plays go.

A table has variables of a few values, and says what each move makes of them, what is legal, when
play ends, what is paid and what is seen. One that is changed is otherwise in one state, or after
one of its joint moves: what is paid there, seen, legal, whether play ends; or a counter goes
elsewhere as it wraps.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, TypeAlias

State: TypeAlias = tuple[int, ...]
Formula: TypeAlias = tuple[Any, ...]

ALWAYS: Final[Formula] = ("and",)
NEVER: Final[Formula] = ("or",)
FEWEST: Final = 6
MOST: Final = 120
KINDS: Final = ("wraps", "goal", "sees", "legal", "ends", "passes", "becomes")
"""What differs; each but a counter that wraps in one state."""
MOVES: Final = ("a", "(go)", "(m 1)", "(m 2)", "(put x 1)")


@dataclass(frozen=True)
class Table:
    """A game.

    Attributes:
        sizes: Values of each variable.
        first: The first of each.
        roles: Who plays.
        legal: When each move of each role is legal.
        steps: For each variable what becomes of it: the first formula that holds says to which
            value, or by how much more around; else it stays.
        ends: When play is over.
        goals: For each role values, each with when it is paid.
        sees: Likewise what is seen.
    """

    sizes: tuple[int, ...]
    first: State
    roles: tuple[str, ...]
    legal: Mapping[tuple[str, str], Formula]
    steps: tuple[tuple[tuple[Formula, bool, int], ...], ...]
    ends: Formula
    goals: Mapping[tuple[str, int], Formula]
    sees: Mapping[tuple[str, str], Formula]

    def options(self, state: State) -> list[list[str]]:
        """Return the legal moves of each role."""
        return [
            [m for (own, m), when in self.legal.items() if own == role and holds(when, state)]
            for role in self.roles
        ]

    def after(self, state: State, joint: Sequence[str]) -> State:
        """Return what a joint move makes of a state."""
        done = dict(zip(self.roles, joint, strict=True))
        values = []
        for variable, rows in enumerate(self.steps):
            value = state[variable]
            for when, is_added, number in rows:
                if holds(when, state, done):
                    value = (value + number) % self.sizes[variable] if is_added else number
                    break
            values.append(value)
        return tuple(values)

    def reached(self) -> dict[State, int]:
        """Return each state that play reaches, with the fewest moves to it; `MOST` of them."""
        depths, queue = {self.first: 0}, deque([self.first])
        while queue and len(depths) <= MOST:
            state = queue.popleft()
            for joint in () if holds(self.ends, state) else product(*self.options(state)):
                new = self.after(state, joint)
                if new not in depths:
                    depths[new] = depths[state] + 1
                    queue.append(new)
        return depths


def holds(formula: Formula, state: State, done: Mapping[str, str] | None = None) -> bool:
    """Return whether a formula is so in a state, after moves where they are asked about."""
    kind, *parts = formula
    if kind == "is":
        return bool(state[parts[0]] == parts[1])
    if kind == "least":
        return bool(state[parts[0]] >= parts[1])
    if kind == "odd":
        return bool(state[parts[0]] % 2 == 1)
    if kind == "did":
        return bool(done is not None and done[parts[0]] == parts[1])
    if kind == "not":
        return not holds(parts[0], state, done)
    return (all if kind == "and" else any)(holds(part, state, done) for part in parts)


# ------------------------------------------------------------------------- drawing


def drawn(chance: random.Random) -> Table:
    """Return a game that is drawn, of `FEWEST` to `MOST` states."""
    while True:
        table = _Drawing(chance).table()
        states = table.reached()
        if FEWEST <= len(states) <= MOST:
            return table
        if len(states) == 1 and chance.random() < 0.02:  # over, or stuck, before it begins
            return table


class _Drawing:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.sizes = tuple(
            chance.choice((2, 2, 3, 4, 4, 6)) for _ in range(chance.choice((2, 3, 3, 4)))
        )
        self.roles = tuple(["r", "s", "random"][: chance.choice((1, 2, 2, 2, 3))])
        self.moves = {
            role: [*chance.sample(MOVES, chance.randint(1, 2)), *(["noop"] if role != "r" else [])]
            for role in self.roles
        }

    def table(self) -> Table:
        chance = self.chance
        return Table(
            self.sizes,
            tuple(chance.choice((0, 0, chance.randrange(size))) for size in self.sizes),
            self.roles,
            {(role, move): self._legal() for role, row in self.moves.items() for move in row},
            tuple(self._steps(variable) for variable in range(len(self.sizes))),
            self._formula(2, after=False) if chance.random() < 0.9 else NEVER,
            {
                (role, v): self._formula(2, after=False)
                for role in self.roles
                for v in (0, 50, 100)[: chance.randint(1, 3)]
            },
            {
                (role, p): self._formula(1, after=True)
                for role in self.roles
                for p in ("ping", "(at 1)")
                if chance.random() < 0.3
            },
        )

    def _legal(self) -> Formula:
        return ALWAYS if self.chance.random() < 0.6 else self._formula(1, after=False)

    def _steps(self, variable: int) -> tuple[tuple[Formula, bool, int], ...]:
        chance, size = self.chance, self.sizes[variable]
        if variable == 0 and chance.random() < 0.7:  # a counter
            when = ALWAYS if chance.random() < 0.5 else self._formula(1, after=True)
            return ((when, True, 1),)
        return tuple(
            (self._formula(1, after=True), chance.random() < 0.5, chance.randrange(1, size))
            for _ in range(chance.choice((1, 2, 2, 3)))
        )

    def _formula(self, depth: int, *, after: bool) -> Formula:
        chance = self.chance
        if depth and chance.random() < 0.7:
            parts = [self._formula(depth - 1, after=after) for _ in range(chance.choice((2, 2, 3)))]
            made: Formula = (chance.choice(("and", "and", "or")), *parts)
        elif after and chance.random() < 0.5:
            role = chance.choice(self.roles)
            made = ("did", role, chance.choice(self.moves[role]))
        else:
            variable = chance.randrange(len(self.sizes))
            value, kind = chance.randrange(self.sizes[variable]), chance.random()
            made = ("is", variable, value) if kind < 0.7 else ("least", variable, value)
            made = made if kind < 0.85 else ("odd", variable)
        return ("not", made) if chance.random() < 0.25 else made


# ------------------------------------------------------------------------- planting


def _at(state: State) -> Formula:
    return ("and", *(("is", variable, value) for variable, value in enumerate(state)))


def _turned(formula: Formula, where: Formula, *, so: bool) -> Formula:
    """Return a formula that is otherwise in one place, where it holds or does not."""
    return ("and", formula, ("not", where)) if so else ("or", formula, where)


def changed(table: Table, kind: str, chance: random.Random, *, is_reached: bool) -> Table | None:
    """Return the game with something otherwise; None where it has nothing of the kind.

    Args:
        table: The game.
        kind: One of `KINDS`.
        chance: Where.
        is_reached: Whether in a state that play reaches, late as a rule, or in one that it never
            does.
    """
    depths = table.reached()
    if is_reached:
        states = sorted(depths, key=lambda state: (depths[state], state))
        states = states[len(states) // 2 :] or states
    else:
        states = [s for s in product(*map(range, table.sizes)) if s not in depths]
    is_over = kind == "goal"
    states = [s for s in states if kind in ("ends", "wraps") or holds(table.ends, s) == is_over]
    if not states:
        return None
    state = chance.choice(states)
    here = _at(state)
    if kind == "ends":
        return replace(table, ends=_turned(table.ends, here, so=holds(table.ends, state)))
    if kind == "legal":
        name = chance.choice(list(table.legal))
        legal = _turned(table.legal[name], here, so=holds(table.legal[name], state))
        return replace(table, legal={**table.legal, name: legal})
    if kind == "goal":
        value = chance.choice(list(table.goals))
        goal = _turned(table.goals[value], here, so=holds(table.goals[value], state))
        return replace(table, goals={**table.goals, value: goal})
    if kind == "wraps":
        return _wrapping(table, chance)
    options = table.options(state)
    if not all(options):
        return None
    joint = [
        "noop" if kind == "passes" and "noop" in row else chance.choice(row) for row in options
    ]
    if kind == "passes" and "noop" not in joint:
        return None
    done: Formula = ("and", here, *(("did", r, m) for r, m in zip(table.roles, joint, strict=True)))
    if kind == "sees":
        role = chance.choice(table.roles)
        percept = role, chance.choice(("ping", "(at 1)", "(at 2)"))
        old = table.sees.get(percept, NEVER)
        so = holds(old, state, dict(zip(table.roles, joint, strict=True)))
        return replace(table, sees={**table.sees, percept: _turned(old, done, so=so)})
    variable = chance.randrange(len(table.sizes))
    others = [n for n in range(table.sizes[variable]) if n != table.after(state, joint)[variable]]
    steps = list(table.steps)
    steps[variable] = ((done, False, chance.choice(others)), *steps[variable])
    return replace(table, steps=tuple(steps))


def _wrapping(table: Table, chance: random.Random) -> Table | None:
    """Return the game in which a counter goes elsewhere where it would wrap."""
    counters = [v for v, rows in enumerate(table.steps) for _, is_added, _ in rows if is_added]
    if not counters:
        return None
    variable = chance.choice(counters)
    size, rows = table.sizes[variable], list(table.steps[variable])
    number = next(n for n, row in enumerate(rows) if row[1])
    when, _, more = rows[number]
    last = size - 1
    to = chance.choice([n for n in range(size) if n != (last + more) % size])
    rows.insert(number, (("and", ("is", variable, last), when), False, to))
    steps = list(table.steps)
    steps[variable] = tuple(rows)
    return replace(table, steps=tuple(steps))
