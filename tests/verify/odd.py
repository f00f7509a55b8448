"""Small games in odd rules, and what differs between two of them, by looking at all states.

Facts, views, moves, ends and goals follow from whatever was drawn: literals under ``or`` and
``and``, negated views, ``distinct``, counters that wrap, states in which nobody can move, ends that
never come, goals that are missing, doubled, below 0 or above 100, facts of the first state alone,
rules that no state fires, percepts. The second game of a pair has a rule changed, dropped or added,
or none. Often that changes nothing, which is what has to be proved.

Whether they differ, and after how many moves, the reasoner says, which knows no circuit.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count, product
from typing import Any, Final, TypeAlias

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Description
from gdl.machine import Move, Role, StateMachine
from gdl.reason.machine import Reasoner, State
from gdl.ruleset import Ruleset
from tests.verify.planted import Pair

MOST: Final = 2_000
"""States of both games together, at most; a pair with more is not taken."""
FEWEST: Final = 5
VALUES: Final = (-2, -1, 0, 30, 100, 101)
LITERAL: Final = re.compile(r"\(true (?:\w+|\([^()?]*\))\)")
DENIED: Final = re.compile(rf"\(not ({LITERAL.pattern})\)")


def odd(seed: int, *, differs: bool) -> Pair:
    """Return a pair of small games in odd rules, which differ after a move or more, or never."""
    for attempt in count():
        chance = random.Random(f"{seed} {attempt}")
        rules = _Drawn(chance).rules()
        texts = "\n".join(rules), "\n".join(_changed(rules, chance))
        try:
            depth, states = compared(*texts)
        except GdlError:  # a head whose variables nothing binds, roles that are gone
            continue
        if FEWEST <= states <= MOST and (depth or 0 if differs else depth is None):
            return Pair("odd rules", *texts, depth)
    raise AssertionError("attempts do not end")


class _Drawn:
    """A game that is drawn, rule by rule."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.roles = ["r", "s"][: chance.choice((1, 1, 2))]
        self.facts = [f"f{n}" for n in range(chance.randint(2, 4))]
        self.facts += [f"(cell {n} {m})" for n in range(chance.choice((0, 0, 2))) for m in "xo"]
        self.wrap = chance.choice((0, 0, 2, 3, 5))
        self.known = [*self.facts, *(f"(count {n})" for n in range(self.wrap))]
        named = ["a", "b", "noop", "(m 0)", "(m 1)"]
        self.moves = {role: chance.sample(named, chance.randint(1, 3)) for role in self.roles}
        self.views = [f"v{n}" for n in range(chance.randint(0, 3))]
        self.of_moves = [f"w{n}" for n in range(chance.randint(0, 2))]

    def rules(self) -> list[str]:
        chance, now, then = self.chance, self.views, [*self.views, *self.of_moves]
        rules = [f"(role {role})" for role in self.roles]
        rules += [f"(init {fact})" for fact in self.facts if chance.random() < 1 / 3]
        rules += self._counter()
        for number, view in enumerate(now):
            rules += self._some(view, now[:number], (1, 2))
        for number, view in enumerate(self.of_moves):
            rules += self._some(view, [*now, *self.of_moves[:number]], (1, 2), after=True)
        for fact in self.facts:
            rules += self._some(f"(next {fact})", then, (0, 1, 1, 1, 2), after=True)
            if chance.random() < 1 / 2:
                rules.append(f"(<= (next {fact}) (true {fact}) {self._literal(then, after=True)})")
        for role, moves in self.moves.items():
            for move in moves:
                free = chance.random() < 1 / 2
                rules += (
                    [f"(legal {role} {move})"]
                    if free
                    else self._some(f"(legal {role} {move})", now)
                )
            for value in chance.sample(VALUES, chance.randint(0, 3)):
                rules += self._some(f"(goal {role} {value})", now)
        rules += self._some("terminal", now, (0, 1, 1, 2))
        if chance.random() < 1 / 6:
            rules += self._some(f"(sees {chance.choice(self.roles)} it)", then, after=True)
        return rules

    def _counter(self) -> list[str]:
        """Return the rules of a counter that wraps, always or where something is so."""
        if not self.wrap:
            return []
        moved = f"(does r {self.chance.choice(self.moves['r'])})"
        driven = self.chance.choice(("", moved, f"(true {self.facts[0]})"))
        rules = ["(init (count 0))"] + [
            f"(<= (next (count {(n + 1) % self.wrap})) (true (count {n})) {driven})"
            for n in range(self.wrap)
        ]
        return (
            [*rules, f"(<= (next (count ?n)) (true (count ?n)) (not {driven}))"]
            if driven
            else rules
        )

    def _some(
        self, head: str, views: list[str], numbers: tuple[int, ...] = (1,), *, after: bool = False
    ) -> list[str]:
        """Return rules for a head, each of one to three literals."""
        bodies = (
            " ".join(self._literal(views, after=after) for _ in range(self.chance.randint(1, 3)))
            for _ in range(self.chance.choice(numbers))
        )
        return [f"(<= {head} {body})" for body in bodies]

    def _literal(self, views: list[str], *, after: bool, inside: int = 0) -> str:
        """Return a literal, of moves too where they are made; or several in a bracket."""
        chance, kind = self.chance, self.chance.random()
        if kind < 0.15 and inside < 2:  # brackets in brackets
            some = [self._literal(views, after=after, inside=inside + 1) for _ in range(3)]
            return (
                f"(or {some[0]} {some[1]})"
                if kind < 0.1
                else f"(or (and {some[0]} {some[1]}) {some[2]})"
            )
        if kind < 0.2:
            return f"(distinct {chance.choice('ab')} {chance.choice('ab')})"
        if kind < 0.25 and "(cell 0 x)" in self.facts and not inside:
            return "(true (cell ?x x)) (true (cell ?y ?m)) (distinct ?x ?y)"
        said = f"(true {chance.choice(self.known)})"
        if kind < 0.45 and after:
            role = chance.choice(self.roles)
            said = f"(does {role} {chance.choice(self.moves[role])})"
        elif kind < 0.6 and views:
            said = chance.choice(views)
        return f"(not {said})" if chance.random() < 0.45 else said


def _changed(rules: list[str], chance: random.Random) -> list[str]:
    """Return the rules with none, one or two of them otherwise, in another order."""
    rules = list(rules)
    for _ in range(chance.choice((0, 1, 1, 2))):
        number, kind = chance.randrange(len(rules)), chance.random()
        rule = rules[number]
        if kind < 1 / 3 and not rule.startswith("(role"):
            del rules[number]
        elif kind < 2 / 3 and DENIED.search(rule):
            rules[number] = DENIED.sub(r"\1", rule, count=1)
        elif rule.startswith("(<="):
            fact = chance.choice(LITERAL.findall(" ".join(rules)) or ["(true f0)"])
            more = fact if chance.random() < 1 / 2 else f"(not {fact})"
            rules[number] = f"{rule[:-1]} {more})"
    if chance.random() < 1 / 5:
        rules.append("(<= (next ghost) (true ghost)) (<= (legal r ghostly) (true ghost))")
    if chance.random() < 1 / 5:
        rules.append("(<= (next f0) (true f0) (true f1) (not (true f0)))")
    chance.shuffle(rules)
    return rules


def compared(
    one: str,
    other: str,
    machine: Callable[[Description], StateMachine[Any]] = Reasoner,
    *,
    most: int = MOST,
) -> tuple[int | None, int]:
    """Return after how many moves two games differ, None for never; and how many states they have.

    Where only goals of states in which play goes on differ, they differ after no move, as of such
    pairs an answer may say less.
    """
    games = [machine(Ruleset("odd", (), text=text).description) for text in (one, other)]
    roles = sorted(games[0].roles)
    if roles != sorted(games[1].roles):
        return 0, 0
    start: tuple[State, State, bool] = games[0].initial(), games[1].initial(), False
    depths, queue, is_open = {start: 0}, deque([start]), False
    while queue and len(depths) <= most:
        node = queue.popleft()
        looks = [_look(game, state, roles) for game, state in zip(games, node[:2], strict=True)]
        (is_over, options, goals), (is_other_over, other_options, other_goals) = looks
        is_same = is_over == is_other_over and options == other_options
        if node[2] or not is_same or (is_over and goals != other_goals):
            return depths[node], len(depths)
        is_open |= goals != other_goals
        for joint in () if is_over else product(*map(sorted, options)):
            after, seen = [], []
            for game, state in zip(games, node[:2], strict=True):
                moves = tuple(joint[roles.index(role)] for role in game.roles)
                after.append(game.successor(state, moves))
                seen.append([game.percepts(state, moves, role) for role in roles])
            new = after[0], after[1], seen[0] != seen[1]
            if new not in depths:
                depths[new] = depths[node] + 1
                queue.append(new)
    return 0 if is_open else None, len(depths)


_Look: TypeAlias = tuple[bool, list[frozenset[Move]], list[tuple[int, ...]]]


def _look(game: StateMachine[Any], state: State, roles: Sequence[Role]) -> _Look:
    """Return whether play is over, what is legal where it goes on, and the goals of all roles."""
    is_over = game.is_terminal(state)
    legal = [] if is_over else [frozenset(game.legal(state, role)) for role in roles]
    return is_over, legal, [game.goals(state, role) for role in roles]
