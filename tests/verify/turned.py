"""Games in turns of two plies, and what whole turns of two of them have in common.

Such a game is drawn as a graph of states. Behind a lock, which random play does not open, turns may
be none: somebody may wait, has to pass, is stuck or hurries, both move at once, the other one makes
the second ply, a third one follows; some first plies end play. The second game of a pair is the
same in one or two states more or less, in other states of the same kind, or in whole turns.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from gdl.language.parse import parse, parse_term
from gdl.language.terms import Compound, Constant, Term
from gdl.meaning.machine import Meaning, State
from gdl.verify.answer import Difference

ROLES: Final = ("x", "y")
THREE: Final = (*ROLES, "z")
WAIT: Final = "noop"
FIRST: Final = tuple(f"(put {n})" for n in range(1, 5))
SECOND: Final = ("(twist 1)", "(twist 2)")
GOALS: Final = (0, 50, 100)
HALF: Final = 0.5
LOCK: Final = 8
"""Turns that open a lock, of which each is one of four: random play has seen few states behind."""
ENDED: Final = "ended"

Legal = dict[str, list[str]]
"""The legal moves of each role."""


@dataclass
class Graph:
    """A game: its states, of which the first one is where play begins.

    Attributes:
        legal: Of each state the legal moves of each role.
        after: Of each state where the joint moves lead; where none is told nothing changes.
        goals: Of each state that is terminal what is paid.
        roles: Who plays.
    """

    legal: dict[str, Legal] = field(default_factory=dict)
    after: dict[str, dict[tuple[str, ...], str]] = field(default_factory=dict)
    goals: dict[str, tuple[int, ...]] = field(default_factory=dict)
    roles: tuple[str, ...] = ROLES

    def add(self, state: str, moves: Mapping[str, list[str]]) -> None:
        """Add a state in which roles that are not named wait."""
        self.legal[state] = {role: list(moves.get(role, [WAIT])) for role in self.roles}
        self.after[state] = {}

    def mover(self, state: str) -> str | None:
        """Return who alone may do something; None where all wait or it is no ply of one role."""
        movers = [role for role in self.roles if set(self.legal[state][role]) - {WAIT}]
        others = [self.legal[state][role] for role in self.roles if role not in movers]
        is_alone = len(movers) == 1 and all(moves == [WAIT] for moves in others)
        return movers[0] if is_alone else None

    def joint(self, role: str, move: str) -> tuple[str, ...]:
        """Return the joint move in which one role moves and the others wait."""
        return tuple(move if own == role else WAIT for own in self.roles)

    def text(self) -> str:
        """Return the rules."""
        lines = [
            f"(init (at {next(iter(self.legal))}))",
            *(f"(role {role})" for role in self.roles),
        ]
        for state, moves in self.legal.items():
            here = f"(true (at {state}))"
            lines += (f"(<= (legal {r} {m}) {here})" for r, row in moves.items() for m in row)
            for joint, to in self.after[state].items():
                does = " ".join(f"(does {r} {m})" for r, m in zip(self.roles, joint, strict=True))
                lines.append(f"(<= (next (at {to})) {here} {does})")
        for state, goals in self.goals.items():
            lines.append(f"(<= terminal (true (at {state})))")
            for role, value in zip(self.roles, goals, strict=True):
                lines.append(f"(<= (goal {role} {value}) (true (at {state})))")
        return "\n".join(lines)


def graph(seed: int, *, is_odd: bool, roles: tuple[str, ...] = ROLES) -> Graph:
    """Return a game in turns; if it is odd, behind its lock there may be what makes none."""
    chance = random.Random(seed)
    made = Graph(roles=roles)
    seconds = {role: [*SECOND, *([WAIT] if chance.random() < HALF else [])] for role in roles}
    ends = [f"over{number}" for number in range(4)]
    _add_lock(made, chance, seconds)
    _add_plain(made, chance, seconds, ends)
    _add_deep(made, chance, seconds, ends)
    for state in ends:
        made.add(state, {})
        made.goals[state] = tuple(chance.choice(GOALS) for _ in roles)
    if is_odd:
        spoil(made, chance)
    return made


def _add_lock(made: Graph, chance: random.Random, seconds: Legal) -> None:
    for turn in range(LOCK):
        owner = turn % len(made.roles)
        mover, key = made.roles[owner], chance.choice(FIRST)
        made.add(f"lock{turn}", {mover: [*FIRST]})
        for move in FIRST:
            half = f"half{turn}" if move == key else f"fall{owner}"
            made.after[f"lock{turn}"][made.joint(mover, move)] = half
        made.add(f"half{turn}", {mover: seconds[mover]})
        for move in seconds[mover]:
            to = f"lock{turn + 1}" if turn + 1 < LOCK else "deep0"
            made.after[f"half{turn}"][made.joint(mover, move)] = to


def _add_plain(made: Graph, chance: random.Random, seconds: Legal, ends: list[str]) -> None:
    """Add a small game of proper turns, for who was wrong about the key."""
    for number, role in enumerate(made.roles):
        made.add(f"fall{number}", {role: seconds[role]})
        following = f"plain{(number + 1) % len(made.roles)}"
        for move in seconds[role]:
            made.after[f"fall{number}"][made.joint(role, move)] = following
        made.add(f"plain{number}", {role: [*FIRST]})
        for move in FIRST:
            to = chance.choice([f"fall{number}", f"fall{number}", chance.choice(ends)])
            made.after[f"plain{number}"][made.joint(role, move)] = to


def _add_deep(made: Graph, chance: random.Random, seconds: Legal, ends: list[str]) -> None:
    """Add what is behind the lock."""
    deep = [f"deep{number}" for number in range(chance.randint(2, 5))]
    for number, state in enumerate(deep):
        mover = chance.choice(made.roles) if number else made.roles[LOCK % len(made.roles)]
        made.add(state, {mover: chance.sample(FIRST, chance.randint(1, 2))})
        for first in made.legal[state][mover]:
            half = f"{state}after{FIRST.index(first)}"
            if chance.random() < HALF / 2:
                made.after[state][made.joint(mover, first)] = chance.choice(ends)
                continue
            made.after[state][made.joint(mover, first)] = half
            own = chance.sample(seconds[mover], chance.randint(1, len(seconds[mover])))
            made.add(half, {mover: own})
            for second in own:
                made.after[half][made.joint(mover, second)] = chance.choice([*deep, *ends])


def spoil(made: Graph, chance: random.Random) -> None:
    """Change one state behind the lock: who may move there, or what follows."""
    state = chance.choice([s for s in made.legal if s.startswith("deep")])
    legal, after = made.legal[state], made.after[state]
    mover = next((role for role in made.roles if legal[role] != [WAIT]), made.roles[0])
    others = [role for role in made.roles if role != mover]
    if len(others) > 1:
        chance.shuffle(others)
    other, *rest = others
    somewhere = chance.choice([s for s in made.legal if not s.startswith(("lock", "half"))])
    move = chance.choice((*FIRST, *SECOND))
    spoiled: dict[str, Legal] = {
        "wait": {mover: [*legal[mover], WAIT]},
        "hurry": {other: [move]},
        "both": {other: [WAIT, move]},
        "theirs": {mover: [WAIT], other: legal[mover]},
        "theirs, or nobody's": {mover: [WAIT], other: [chance.choice(SECOND), WAIT]},
        "pass": {mover: [WAIT]},
        "stuck": {chance.choice(made.roles): []},
        "goes on elsewhere": {},
        "over": {},
    }
    if rest:
        spoiled["all of them"] = {other: [WAIT, move], rest[0]: [WAIT, move]}
    how = chance.choice(list(spoiled))
    legal |= spoiled[how]
    if how == "over":
        made.goals[state] = tuple(chance.choice(GOALS) for _ in made.roles)
    if how == "goes on elsewhere":
        after.clear()
    for joint in product(*legal.values()):
        after.setdefault(joint, somewhere)


def changed(made: Graph, seed: int) -> Graph:
    """Return a game with another state for one of them, and what is changed in one or two."""
    chance = random.Random(f"{seed}/changed")
    new = deepcopy(made)
    state = chance.choice([s for s in made.legal if s.startswith("deep")])
    new.legal["twin"], new.after["twin"] = deepcopy(new.legal[state]), dict(new.after[state])
    for row in new.after.values():
        for joint, to in row.items():
            row[joint] = "twin" if to == state and chance.random() < HALF else to
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        if chance.random() < HALF:
            spoil(new, chance)
        else:
            end = chance.choice(list(new.goals))
            new.goals[end] = (chance.choice(GOALS), *new.goals[end][1:])
    return new


def in_turns(made: Graph) -> Graph | None:
    """Return the same game with whole turns for its moves; None where the plies make none.

    Where a first ply ends play, all turns that begin with it are legal and end there.
    """
    start = next(iter(made.legal))
    turned, work = Graph(goals=dict(made.goals), roles=made.roles), [start]
    while work:
        state = work.pop()
        if state in turned.legal:
            continue
        turned.add(state, {})
        if state in made.goals:
            continue
        mover = made.mover(state)
        if mover is None or WAIT in made.legal[state][mover]:
            return None
        moves = turned.legal[state][mover] = []
        for first in made.legal[state][mover]:
            middle = made.after[state][made.joint(mover, first)]
            own = made.legal["fall" + str(made.roles.index(mover))][mover]
            if middle not in made.goals:
                others = [made.legal[middle][role] for role in made.roles if role != mover]
                if not made.legal[middle][mover] or any(row != [WAIT] for row in others):
                    return None
                own = made.legal[middle][mover]
            for second in own:
                moves.append(turn := f"(then {first} {second})")
                after = middle
                if middle not in made.goals:
                    after = made.after[middle].get(made.joint(mover, second), middle)
                turned.after[state][made.joint(mover, turn)] = after
                work.append(after)
    return turned


# --------------------------------------------------------- whole turns, by the definition


class NoTurnsError(Exception):
    """The plies after a state make no turn."""


NOOP: Final = Constant(WAIT)


class Whole:
    """A game by its definition, read in whole turns where it is in plies."""

    def __init__(self, text: str, *, in_plies: bool = True, seconds: Legal | None = None) -> None:
        """Take rules, and second plies that a turn may name whose first one ends play."""
        self.machine = Meaning(parse(text))
        self.in_plies, self.seconds = in_plies, seconds
        self.roles = self.machine.roles

    def turns(self, state: State) -> list[dict[Term, State | None]]:
        """Return of each role its moves, and where they lead if they alone decide it.

        Raises:
            NoTurnsError: These are no turns of two plies.
        """
        machine = self.machine
        legal = [machine.legal(state, role) for role in self.roles]
        if not self.in_plies:
            return [dict.fromkeys(moves) for moves in legal]
        if not all(legal):
            return [{} for _ in self.roles]  # somebody is stuck: nobody goes on
        mover, others = self._mover(legal)
        if NOOP in legal[mover]:
            raise NoTurnsError
        found: dict[Term, State | None] = {}
        for first in legal[mover]:
            middle = machine.successor(state, self._alone(mover, first))
            if machine.is_terminal(middle):
                for second in self._any(mover):
                    found[Compound("then", (first, second))] = middle
                continue
            then = [machine.legal(middle, role) for role in self.roles]
            if not then[mover] or any(then[role] != (NOOP,) for role in others):
                raise NoTurnsError
            for second in then[mover]:
                after = machine.successor(middle, self._alone(mover, second))
                found[Compound("then", (first, second))] = after
        return [found if role == mover else {NOOP: None} for role in range(len(self.roles))]

    def ended(self, state: State) -> set[Term]:
        """Return first plies after which play is over, where turns are read off plies."""
        if not self.in_plies:
            return set()
        rows = enumerate(self.turns(state))
        firsts = {(role, m.args[0]) for role, row in rows for m in row if isinstance(m, Compound)}
        machine = self.machine
        return {
            first
            for role, first in firsts
            if machine.is_terminal(machine.successor(state, self._alone(role, first)))
        }

    def _any(self, mover: int) -> list[Term]:
        if self.seconds is None:
            return [Constant(ENDED)]
        return [parse_term(move) for move in self.seconds[str(self.roles[mover])]]

    def plies(self, state: State) -> object:
        """Return what each role may do, and what follows each ply that it makes alone."""
        machine, roles = self.machine, range(len(self.roles))
        legal = [frozenset(machine.legal(state, role)) for role in self.roles]
        if not self.in_plies:
            return legal
        middle = {
            (role, move): machine.successor(state, self._alone(role, move))
            for role in roles
            if all(NOOP in legal[other] for other in roles if other != role)
            for move in legal[role]
        }
        return legal, {
            ply: self.ends(after) or [frozenset(machine.legal(after, r)) for r in self.roles]
            for ply, after in middle.items()
        }

    def _mover(self, legal: list[tuple[Term, ...]]) -> tuple[int, list[int]]:
        movers = [role for role, moves in enumerate(legal) if set(moves) - {NOOP}]
        others = [role for role in range(len(legal)) if role not in movers]
        if len(movers) != 1 or any(tuple(legal[role]) != (NOOP,) for role in others):
            raise NoTurnsError
        return movers[0], others

    def _alone(self, role: int, move: Term) -> tuple[Term, ...]:
        return tuple(move if own == role else NOOP for own in range(len(self.roles)))

    def play(self, state: State, joint: tuple[Term, ...]) -> State:
        """Return what follows a joint move."""
        if not self.in_plies:
            return self.machine.successor(state, joint)
        led = [
            after
            for row, move in zip(self.turns(state), joint, strict=True)
            if (after := row[move]) is not None
        ]
        assert len(led) == 1
        return led[0]

    def ends(self, state: State) -> tuple[tuple[int, ...], ...] | None:
        """Return the goals of a state in which the game is over, None where it goes on."""
        if not self.machine.is_terminal(state):
            return None
        return tuple(self.machine.goals(state, role) for role in self.roles)


@dataclass(frozen=True)
class Truth:
    """What all states of two games have to say that the same moves lead to.

    Attributes:
        parts: Numbers of moves after which the games can be told apart; past the first play that
            shows a difference in whole turns nothing is looked at.
        breaks: After how many moves one of them has no turns, None where that is never.
    """

    parts: frozenset[int]
    breaks: int | None

    def allows(self, answer: Difference) -> bool:
        """Return whether an answer says nothing that is wrong."""
        if answer.equivalent:
            return not self.parts and self.breaks is None
        if answer.equivalent is None:
            return not self.parts or answer.depth < min(self.parts)
        # What is no turn may be noticed when it is over.
        is_late = self.breaks is not None and answer.depth > self.breaks + 1
        return answer.proved and answer.depth in self.parts and not is_late


def truth(one: Whole, other: Whole) -> Truth:
    """Return what whole turns show, and plies where they are none."""
    start = one.machine.initial(), other.machine.initial()
    depth = {start: 0}
    work = deque([start])
    broken: list[int] = []
    parts: set[int] = set()
    while work:
        here = work.popleft()
        ends = one.ends(here[0]), other.ends(here[1])
        if ends[0] != ends[1]:
            parts.add(depth[here])
            break
        if ends[0] is not None:
            continue
        try:
            rows = one.turns(here[0]), other.turns(here[1])
        except NoTurnsError:
            broken.append(depth[here])
            if one.plies(here[0]) != other.plies(here[1]):
                parts.add(depth[here])
            continue
        apart = {
            move for mine, theirs in zip(*rows, strict=True) for move in mine.keys() ^ theirs.keys()
        }
        # What is named behind a first ply that ends play does not count.
        ended = one.ended(here[0]) | other.ended(here[1])
        both = {m for mine, theirs in zip(*rows, strict=True) for m in mine.keys() & theirs.keys()}
        begun = {move.args[0] for move in both if isinstance(move, Compound)} & ended
        apart = {m for m in apart if not (isinstance(m, Compound) and m.args[0] in begun)}
        if apart:
            # That a first ply ends play in one of them may also be told when it is made.
            is_cut = any(isinstance(m, Compound) and m.args[1] == Constant(ENDED) for m in apart)
            parts |= {depth[here], depth[here] + is_cut}
            break
        for joint in product(*(mine.keys() & theirs for mine, theirs in zip(*rows, strict=True))):
            after = one.play(here[0], joint), other.play(here[1], joint)
            if after not in depth:
                depth[after] = depth[here] + 1
                work.append(after)
    return Truth(frozenset(parts), min(broken, default=None))


def pair(seed: int, roles: tuple[str, ...] = ROLES) -> tuple[str, str, Truth, bool]:
    """Return the rules of two games, what is so of them, and whether one is in whole turns."""
    one = graph(seed, is_odd=seed % 4 == 3, roles=roles)  # every fourth
    other = changed(one, seed)
    whole = in_turns(other) if seed % 2 else None
    texts = one.text(), (whole or other).text()
    if whole is None:
        return (*texts, truth(Whole(texts[0]), Whole(texts[1])), False)
    seconds = {role: one.legal[f"fall{number}"][role] for number, role in enumerate(roles)}
    plies = Whole(texts[0], seconds=seconds)
    return (*texts, truth(plies, Whole(texts[1], in_plies=False)), True)
