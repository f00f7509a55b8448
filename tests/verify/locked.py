"""Shipped games with a lock: a rule that speaks of one position, far from the first one.

In the second game of a pair something is different in a position that a random play came to, and
nowhere else. So the pair differs, by that play at the latest, and no other random play shows it.
Where the position cannot come, as the wrong side is to move in it, the pair is equal, and only a
proof that counts stones, or keeps turns and stones together, can say so.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from gdl.compile.pipeline import build
from gdl.language.clauses import clauses
from gdl.language.parse import parse
from gdl.language.render import render
from gdl.language.syntax import Atom, Description, Not, Rule
from gdl.language.terms import Compound, Constant, Term, arguments, sentence
from gdl.machine import Fact
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset, find
from tests.verify.scramble import scramble

KINDS = ("legal", "ends", "goal")

COUNTED = (
    "mnk?columns=4&rows=4&line=4",
    "mnk?columns=5&rows=3&line=3",
    "connectfour?columns=5&rows=4",
    "hex?size=3",
    "hex?size=5",
    "clobber",
    "amazons/small",
    "ultimatetictactoe",
    "gomoku/freestyle",
    "pentago/strict",
)
"""Games in which the number of stones (arrows, captured stones) tells whose turn it is."""

OTHERS = (
    "breakthrough",
    "dotsandboxes?columns=2&rows=2",
    "kalah",
    "linesofaction",
    "morris/six",
    "othello",
    "pegsolitaire",
    "slidingtiles",
    "threeplayertictactoe",
    "tron",
)
"""Games that get locks that open, only."""


@dataclass(frozen=True)
class Locked:
    """A pair of games.

    Attributes:
        name: Which game, what is different where the lock opens, and after how many moves.
        one: The game as it is shipped.
        other: The game with the lock, in the same words or in others.
        depth: Moves of a play that opens it; None if none does.
        is_exact: Whether every play that opens it has as many.
    """

    name: str
    one: Ruleset
    other: Ruleset
    depth: int | None
    is_exact: bool


def locked(seed: int, *, opens: bool) -> Locked:
    """Return a shipped game and the same with a lock that opens, or with one that never does."""
    chance = random.Random(seed)
    name = chance.choice(COUNTED + OTHERS if opens else COUNTED)
    kind = chance.choice(KINDS)
    ruleset = find(name)
    states = _play(name, chance)
    last = len(states) - 1
    depth = last if kind == "goal" else chance.randrange(min(2, last - 1), last)
    machine = _machine(name)
    facts = machine.facts(states[depth])
    if not opens:
        facts = frozenset(_with_other_mover(fact, machine.roles) for fact in facts)
    lines = [
        render(Description(tuple(_barred(name, kind))), syntax="kif"),
        f"(<= lock {' '.join(_literals(name, facts))})",
    ]
    if kind == "ends":
        lines.append("(<= terminal lock)")
    elif kind == "legal":
        choices = {role: machine.legal(states[depth], role) for role in machine.roles}
        role = max(choices, key=lambda role: len(choices[role]))
        lines.append(f"(<= (barred {role} {chance.choice(choices[role])}) lock)")
    else:
        lines += [f"(<= (goal {role} 37) lock)" for role in machine.roles]
    description = parse("\n".join(lines), syntax="kif")
    if chance.random() < 1 / 2:
        description = scramble(description, seed=seed)
    return Locked(
        f"{name}: {kind}, {'' if opens else 'never, '}ply {depth}",
        ruleset,
        Ruleset("locked", (), text=render(description, syntax="kif")),
        depth if opens else None,
        name in COUNTED,
    )


@cache
def _machine(name: str) -> Reasoner:
    return Reasoner(find(name).description)


def _play(name: str, chance: random.Random) -> list[frozenset[Fact]]:
    """Return the states of a random play that ends, the last one included."""
    machine = _machine(name)
    states = [machine.initial()]
    while not machine.is_terminal(states[-1]):
        moves = tuple(chance.choice(machine.legal(states[-1], role)) for role in machine.roles)
        states.append(machine.successor(states[-1], moves))
    return states


def _barred(name: str, kind: str) -> list[Rule]:
    """Return the rules, with a condition more on what the lock takes away."""
    rules = []
    for clause in clauses(find(name).description):
        body = clause.body
        if kind == clause.head.name == "goal":
            body = (*body, Not(Atom(Constant("lock"))))
        elif kind == clause.head.name == "legal":
            body = (*body, Not(Atom(sentence("barred", arguments(clause.head)))))
        rules.append(Rule(Atom(clause.head), body))
    return rules


def _literals(name: str, facts: Collection[Term]) -> list[str]:
    """Return what holds in one position and in no other one."""
    return [
        f"(true {fact})" if fact in facts else f"(not (true {fact}))" for fact in _all_facts(name)
    ]


@cache
def _all_facts(name: str) -> tuple[Term, ...]:
    return build(find(name).description).facts


def _with_other_mover(fact: Term, roles: tuple[Term, ...]) -> Term:
    if isinstance(fact, Compound) and fact.name == "control":
        (other,) = (role for role in roles if role != fact.args[0])
        return Compound("control", (other,))
    return fact
