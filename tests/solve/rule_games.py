"""Random small games written as rules: tokens on graphs, marks, clocks, turns of every kind.

What `tests.solve.graph_games` has not: states of several facts, moves at once that meet on one
token (so that groups of facts break), facts that fill, clocks that count or come round, roles that
wait with more than one move, ends without a goal or with two, states without a move.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """What a game may have; the rest is drawn.

    Attributes:
        roles: Their names; ``random`` draws.
        turns: ``turns`` one after the other, ``place`` as a token says, ``once`` all at once.
        is_shared: Whether two players share a constant sum.
        has_clock: Whether a clock ends it.
        faults: How likely each fault is: no goal, two goals, no move.
    """

    roles: tuple[str, ...]
    turns: str
    is_shared: bool = True
    has_clock: bool = False
    faults: float = 0.0


def rules(kind: Kind, seed: int) -> str:
    """Return a game of a kind."""
    rng = random.Random(f"{kind}{seed}")
    places = rng.randint(2, 4)
    tokens = rng.randint(1, 2)
    slots = rng.choice((0, 0, 1, 2, 3))
    lines = [f"(role {role})" for role in kind.roles]
    lines += [f"(init (at {t} 0))" for t in range(tokens)]
    lines += [f"(place {p})" for p in range(places)] + [f"(slot {k})" for k in range(slots)]
    lines += [
        "(<= (moved ?t) (does ?r (go ?t ?q)))",
        "(<= (next (at ?t ?q)) (does ?r (go ?t ?q)))",
        "(<= (next (at ?t ?p)) (true (at ?t ?p)) (not (moved ?t)))",
        "(<= (legal ?r (go ?t ?q)) (acts ?r) (owns ?r ?t) (true (at ?t ?p)) (edge ?t ?p ?q))",
        "(<= (able ?r) (acts ?r) (owns ?r ?t) (true (at ?t ?p)) (edge ?t ?p ?q))",
        "(<= (legal ?r noop) (role ?r) (not (acts ?r)))",
    ]
    for t in range(tokens):
        owners = rng.sample(kind.roles, rng.randint(1, len(kind.roles)))
        lines += [f"(owns {role} {t})" for role in owners]
        for p in range(places):
            for q in rng.sample(range(places), rng.randint(0, min(3, places))):
                lines.append(f"(edge {t} {p} {q})")
    if rng.random() >= kind.faults:
        lines.append("(<= (legal ?r stay) (role ?r) (acts ?r) (not (able ?r)))")
    if rng.random() < 0.2:
        lines.append("(<= (legal ?r pass) (acts ?r))")
    if slots:
        lines += [
            "(<= (full ?k) (true (mark ?k ?r)))",
            "(<= (legal ?r (put ?k)) (acts ?r) (slot ?k) (not (full ?k)))",
            "(<= (next (mark ?k ?r)) (does ?r (put ?k)))",
            "(<= open (slot ?k) (not (full ?k)))",
        ]
        keeps = rng.choice(("", " (not (true (at 0 1)))"))
        lines.append(f"(<= (next (mark ?k ?r)) (true (mark ?k ?r)){keeps})")
        if rng.random() < 0.5:
            lines.append("(<= terminal (not open))")
    lines += _turns(kind, rng, places)
    lines += _ends(kind, rng, places, slots, tokens)
    return "\n".join(lines)


def _turns(kind: Kind, rng: random.Random, places: int) -> list[str]:
    lines = []
    if kind.turns == "once":
        lines.append("(<= (acts ?r) (role ?r))")
    elif kind.turns == "place":
        lines.append("(<= (acts ?r) (true (at 0 ?p)) (chooses ?p ?r))")
        lines += [f"(chooses {p} {rng.choice(kind.roles)})" for p in range(places)]
    else:
        lines += [f"(init (turn {kind.roles[0]}))", "(<= (acts ?r) (true (turn ?r)))"]
        lines.append("(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))")
        lines += [
            f"(after {a} {b})"
            for a, b in zip(kind.roles, (*kind.roles[1:], kind.roles[0]), strict=True)
        ]
    if kind.has_clock:
        length = rng.randint(3, 12)
        lines += ["(init (step 0))", f"(<= terminal (true (step {length})))"]
        lines.append("(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))")
        lines += [f"(succ {n} {n + 1})" for n in range(length)]
    return lines


def _ends(kind: Kind, rng: random.Random, places: int, slots: int, tokens: int) -> list[str]:
    lines = [
        f"(<= terminal (true (at {rng.randrange(tokens)} {rng.randrange(1, places)})))"
        for _ in range(rng.randint(1, 2))
    ]
    if tokens == 2 and rng.random() < 0.3:
        lines.append("(<= terminal (true (at 0 ?p)) (true (at 1 ?p)) (distinct ?p 0))")
    goals = rng.choice(((0, 50, 100), (0, 100), (10, 30, 80), (0, 25, 50, 75, 100), (7, 100, 20)))
    players = [role for role in kind.roles if role != "random"]
    if slots:
        lines.append(f"(<= owned (true (mark 0 {players[0]})))")
    sides = (" (not owned)", " owned") if slots else ("",)
    for number, side in enumerate(sides):
        lines.append(f"(<= (goal ?r ?v) (true (at 0 ?p)) (worth {number} ?p ?r ?v){side})")
        for p in range(places):
            first = rng.choice(goals)
            for role in players:
                if rng.random() < kind.faults / 4:
                    continue
                goal = first if role == players[0] else rng.choice(goals)
                if kind.is_shared and len(players) == 2 and role == players[1]:
                    goal = 100 - first
                lines.append(f"(worth {number} {p} {role} {goal})")
                if rng.random() < kind.faults / 8:
                    lines.append(f"(worth {number} {p} {role} {goal // 2})")
    return lines
