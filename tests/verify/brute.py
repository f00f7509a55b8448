"""What a game does, seen by playing it on the reasoner alone: what `verify` is held against.

Nothing here knows circuits or solvers. A small game is looked at whole, of another only
random plays are seen; both end in a `Seen`.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from gdl.language.clauses import clauses
from gdl.language.dependencies import DOES, dependency_graph
from gdl.language.limits import DEFAULT_LIMITS
from gdl.language.matching import match
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Description,
    Rule,
    Variable,
    arguments,
    signature,
)
from gdl.language.walk import conditions, leaves
from gdl.reason.machine import Reasoner, State
from gdl.verify.properties.firing import name_of
from gdl.verify.properties.verdict import Verdict, Verification


@dataclass
class Seen:
    """What was seen.

    Attributes:
        first: For each property, the fewest moves after which a state decided it: one that
            violates it, or that shows that something is possible.
        sums: What goals of finished games added up to.
        legal: Moves that were legal while play went on.
        held: Facts that held somewhere; ``missed``: facts that did not hold somewhere.
        named_moves: Moves that rules name; those with variables only where one was legal.
        named_facts: Likewise facts, where one held.
        fired: Rules whose body held; ``rules``: all that have one.
        longest: Moves of the longest play.
        loops: Whether a play came back to a state.
        is_all: Whether this is all there is to see.
    """

    first: dict[str, int] = field(default_factory=dict)
    sums: set[int] = field(default_factory=set)
    legal: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    named_moves: set[str] = field(default_factory=set)
    named_facts: set[str] = field(default_factory=set)
    fired: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    states: int = 0
    longest: int = 0
    loops: bool = False
    is_all: bool = False

    def note(self, name: str, depth: int) -> None:
        """Note that a property was decided after so many moves."""
        self.first[name] = min(depth, self.first.get(name, depth))


class Watcher:
    """Looks at states of one game."""

    def __init__(self, description: Description) -> None:
        self.rules = [rule for rule in description.rules if rule.body]
        watching = tuple(
            Rule(Atom(Compound("fires", (Constant(str(index)),))), rule.body, rule.place)
            for index, rule in enumerate(self.rules)
        )
        moving = dependency_graph(clauses(description)).dependents({DOES})
        self.of_moves = {
            name_of(rule)
            for rule in self.rules
            if any(
                isinstance(leaf, Atom) and signature(leaf.sentence) in moving
                for leaf, _ in conditions(rule)
            )
        }
        self.machine = Reasoner(description + Description(watching), limits=DEFAULT_LIMITS)
        self.start = self.machine.initial()
        self.seen = Seen(rules=set(map(name_of, self.rules)))
        self.named = list(_named(description, set(map(str, self.machine.roles))))
        for name, pattern in self.named:
            if pattern.is_ground:
                self._of(pattern).add(name)

    def _of(self, named: Compound) -> set[str]:
        return self.seen.named_moves if named.name == "move" else self.seen.named_facts

    def _meet(self, kind: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Note the names with variables that what is so has in rules."""
        for row, (name, pattern) in product(rows, self.named):
            if not pattern.is_ground and match(pattern, Compound(kind, row), {}) is not None:
                self._of(pattern).add(name)

    def look(self, state: State, depth: int) -> list[tuple[Any, ...]]:
        """Note what a state shows; return the legal moves of each role, none at the end."""
        machine, seen = self.machine, self.seen
        seen.states += 1
        facts = {str(fact) for fact in state}
        seen.held |= facts
        self._meet("fact", ((fact,) for fact in state))
        seen.missed |= {str(fact) for fact in self.start} - facts
        self.look_at_marks(state, depth)
        players = [role for role in machine.roles if str(role) != "random"]
        goals = [machine.goals(state, role) for role in players]
        if any(not 0 <= value <= 100 for row in goals for value in row):
            seen.note("goals in range", depth)
        self.fire(state, ())
        if machine.is_terminal(state):
            if any(len(row) != 1 for row in goals):
                seen.note("goals unique", depth)
            seen.sums |= {sum(values) for values in product(*(row or (0,) for row in goals))}
            for role, row in zip(players, goals, strict=True):
                if 100 in row:
                    seen.note(f"winnable by {role}", depth)
            return []
        options = [machine.legal(state, role) for role in machine.roles]
        for role, moves in zip(machine.roles, options, strict=True):
            seen.legal |= {f"{role}: {move}" for move in moves}
            self._meet("move", ((role, move) for move in moves))
        if not all(options):
            seen.note("playable", depth)
        choosing = [
            len(moves) > 1
            for moves, role in zip(options, machine.roles, strict=True)
            if role in players
        ]
        if sum(choosing) > 1:
            seen.note("turn-taking", depth)
        return options

    def look_at_marks(self, state: State, depth: int) -> None:
        places: set[tuple[Any, ...]] = set()
        for fact in state:
            if isinstance(fact, Compound) and len(fact.args) > 2:
                place = (fact.name, *fact.args[:-1])
                if place in places:
                    self.seen.note(f"one {fact.name} a place", depth)
                places.add(place)

    def fire(self, state: State, joint: tuple[Any, ...]) -> None:
        """Note which rules fire; that somebody did not move fires none where nobody moves."""
        query = Compound("fires", (Variable("i"),))
        for found in self.machine.instances(state, query, joint):
            assert isinstance(found, Compound)
            name = name_of(self.rules[int(str(found.args[0]))])
            if joint or name not in self.of_moves:
                self.seen.fired.add(name)


def _named(description: Description, roles: set[str]) -> Iterator[tuple[str, Compound]]:
    """Yield moves and facts that rules name, as a verdict calls them and as a pattern."""
    for rule in description.rules:
        for leaf in leaves(rule):
            if not isinstance(leaf, Atom):
                continue
            args = arguments(leaf.sentence)
            if leaf.sentence.name in {"legal", "does", "input"}:
                is_role = isinstance(args[0], Variable) or str(args[0]) in roles
                role = args[0] if is_role else f"{args[0]} (no role)"
                yield f"{role}: {args[1]}", Compound("move", args)
            elif leaf.sentence.name in {"init", "next", "true", "base"}:
                yield f"{args[0]} never holds", Compound("fact", args)


def look_at_all(description: Description, *, most: int = 3_000, seconds: float = 60) -> Seen:
    """Return what all states show; not all of them where there are more than ``most``."""
    watcher = Watcher(description)
    end = time.monotonic() + seconds
    depth = {watcher.start: 0}
    after: dict[State, set[State]] = {}
    queue = deque([watcher.start])
    while queue and len(depth) <= most and time.monotonic() < end:
        state = queue.popleft()
        options = watcher.look(state, depth[state])
        after[state] = set()
        for joint in product(*options) if options else ():
            watcher.fire(state, joint)
            new = watcher.machine.successor(state, joint)
            after[state].add(new)
            if new not in depth:
                depth[new] = depth[state] + 1
                queue.append(new)
    seen = watcher.seen
    seen.is_all = not queue
    if seen.is_all:
        seen.longest, seen.loops = longest_play(watcher.start, after)
    return seen


def longest_play(start: State, after: dict[State, set[State]]) -> tuple[int, bool]:
    """Return the moves of the longest play, or that some play never ends."""
    length: dict[Any, int] = {}
    path: set[Any] = {start}
    stack: list[tuple[Any, Iterator[Any]]] = [(start, iter(after[start]))]
    while stack:
        state, following = stack[-1]
        for new in following:
            if new in path:
                return 0, True
            if new not in length:
                path.add(new)
                stack.append((new, iter(after[new])))
                break
        else:
            stack.pop()
            path.discard(state)
            length[state] = max((1 + length[new] for new in after[state]), default=0)
    return length[start], False


def look_at_plays(description: Description, *, seconds: float, seed: int = 0) -> Seen:
    """Return what random plays show."""
    watcher, chance = Watcher(description), random.Random(seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state, depth, before = watcher.start, 0, {watcher.start}
        while time.monotonic() < end:
            options = watcher.look(state, depth)
            if not options or not all(options):
                break
            joint = tuple(chance.choice(moves) for moves in options)
            watcher.fire(state, joint)
            state = watcher.machine.successor(state, joint)
            depth += 1
            watcher.seen.longest = max(watcher.seen.longest, depth)
            watcher.seen.loops |= state in before
            before.add(state)
    return watcher.seen


def contradictions(found: Verification, seen: Seen) -> list[str]:
    """Return what verdicts say that what was seen shows to be wrong."""
    wrong = [text for verdict in found.verdicts for text in _against(verdict, seen)]
    wrong += [
        f"{verdict.name}: open, although the game is small"
        for verdict in found.verdicts
        if seen.is_all and verdict.status == "open"
    ]
    return wrong


def _against(verdict: Verdict, seen: Seen) -> Iterator[str]:
    special: dict[str, Callable[[Verdict, Seen], Iterator[str]]] = {
        "terminating": _terminating,
        "constant sum": _constant_sum,
        "moves reachable": _moves,
        "facts change": _facts,
        "rules fire": _rules,
    }
    yield from special.get(verdict.name, _plain)(verdict, seen)


def _plain(verdict: Verdict, seen: Seen) -> Iterator[str]:
    is_possible = verdict.name.startswith("winnable")
    first = seen.first.get(verdict.name)
    never, some = ("refuted", "proved") if is_possible else ("proved", "refuted")
    if verdict.status == never and first is not None:
        yield f"{verdict.name}: {verdict.status}, but after {first} moves it is otherwise"
    if verdict.status == some:
        if verdict.is_shortest and first is not None and first < verdict.depth:
            yield f"{verdict.name}: shortest {verdict.depth}, but seen after {first}"
        if seen.is_all and first != verdict.depth:
            yield f"{verdict.name}: after {verdict.depth} moves, but in truth after {first}"


def _terminating(verdict: Verdict, seen: Seen) -> Iterator[str]:
    if verdict.status == "proved" and (seen.loops or seen.longest > verdict.depth):
        yield f"terminating: {verdict.text}, but loops {seen.loops} or {seen.longest} moves"
    if seen.is_all and (verdict.status == "refuted") != seen.loops:
        yield f"terminating: {verdict.status}, but loops: {seen.loops}"
    if seen.is_all and verdict.status == "proved" and verdict.depth != seen.longest:
        yield f"terminating: {verdict.depth}, but the longest play has {seen.longest}"


def _constant_sum(verdict: Verdict, seen: Seen) -> Iterator[str]:
    if verdict.status == "proved" and len(seen.sums) > 1:
        yield f"constant sum: proved, but {sorted(seen.sums)} were seen"
    if seen.is_all and verdict.status == "refuted" and len(seen.sums) < 2:
        yield "constant sum: refuted, but it is constant"


def _dead(verdict: Verdict, alive: set[str], seen: Seen, known: set[str]) -> Iterator[str]:
    if verdict.status == "open":
        return
    yield from (f"{verdict.name}: {each} is possible" for each in alive & set(verdict.culprits))
    if seen.is_all:
        missing = known - alive - set(verdict.culprits)
        yield from (f"{verdict.name}: {each} is not possible" for each in sorted(missing))


def _moves(verdict: Verdict, seen: Seen) -> Iterator[str]:
    ground = {name for name in seen.named_moves if "?" not in name}
    yield from _dead(verdict, seen.legal | (seen.named_moves - ground), seen, ground)


def _facts(verdict: Verdict, seen: Seen) -> Iterator[str]:
    alive = {f"{fact} never holds" for fact in seen.held}
    alive |= {f"{fact} always holds" for fact in seen.missed}
    ground = {name for name in seen.named_facts if "?" not in name}
    yield from _dead(verdict, alive | (seen.named_facts - ground), seen, ground)


def _rules(verdict: Verdict, seen: Seen) -> Iterator[str]:
    yield from _dead(verdict, seen.fired, seen, seen.rules)
