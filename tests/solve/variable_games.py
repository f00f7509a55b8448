"""Random games of a few variables: what solvers guess of a game, and where such guesses go wrong.

What `tests.solve.rule_games` seldom has: clocks that begin late, come round, run into a circle,
stop or are held up by a move; tokens that move alike and are told apart by the goals alone; fields
that are emptied again; a rare end with goals of another sum; two values at once.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

ROLES: Final = (
    ("a",),
    ("a", "b"),
    ("a", "b"),
    ("a", "b", "c"),
    ("a", "random"),
    ("a", "b", "random"),
    ("random", "a", "b"),
)
STATES: Final = 500
"""States of a game, about, at most."""
COMMON: Final = """
(<= (legal ?r (go ?t ?m)) (acts ?r) (may ?r ?t ?m)) (<= (able ?r) (acts ?r) (may ?r ?t ?m))
(<= (may ?r ?t ?m) (kind ?t ?g) (owns ?r ?g) (true (at ?t ?x)) (edge ?g ?m ?x ?y))
(<= (legal ?r noop) (role ?r) (not (acts ?r)))
(<= (moved ?t) (does ?r (go ?t ?m)))
(<= (next (at ?t ?y)) (does ?r (go ?t ?m)) (kind ?t ?g) (true (at ?t ?x)) (edge ?g ?m ?x ?y))
(<= (next (at ?t ?y)) (true (at ?t ?x)) (not (moved ?t)) (kind ?t ?g) (drift ?g ?x ?y))
(<= (drifts ?t) (kind ?t ?g) (true (at ?t ?x)) (drift ?g ?x ?y))
(<= (next (at ?t ?x)) (true (at ?t ?x)) (not (moved ?t)) (not (drifts ?t)))
(drift none 0 0)
"""


class Tokens(NamedTuple):
    """Tokens that move alike, over so many places."""

    kind: int
    places: int
    names: list[str]


class Writer:
    """Writes one game; every choice is by its seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.roles = self.rng.choice(ROLES)
        self.players = [role for role in self.roles if role != "random"]
        self.room = STATES
        self.tokens: list[Tokens] = []
        self.lines = [f"(role {role})" for role in self.roles]

    def is_likely(self, chance: float) -> bool:
        return self.rng.random() < chance

    def takes(self, values: int) -> bool:
        """Take a variable, if the states that it makes of one leave enough room."""
        if self.room < values:
            return False
        self.room //= values
        return True

    def text(self) -> str:
        """Return the rules."""
        turns = self.rng.choice(("turns", "turns", "place", "once", "one"))
        self._clock()
        for kind in range(self.rng.randint(1, 3)):
            self._move_tokens(kind)
        if not self.tokens:
            self.room = 2
            self._move_tokens(0)
        fields = self._fields()
        self._turns(turns)
        self.lines.append(COMMON)
        if self.is_likely(0.92):
            self.lines.append("(<= (legal ?r stay) (acts ?r) (not (able ?r)))")
        if self.is_likely(0.3):
            self.lines.append("(<= (legal ?r stay) (acts ?r))")
        self._ends(fields)
        self._goals()
        return "\n".join(self.lines)

    def _turns(self, turns: str) -> None:
        if turns == "once":
            self.lines.append("(<= (acts ?r) (role ?r))")
        elif turns == "place":
            first = self.tokens[0]
            self.lines += [
                f"(chooses {x} {self.rng.choice(self.roles)})" for x in range(first.places)
            ]
            self.lines.append(f"(<= (acts ?r) (true (at {first.names[0]} ?x)) (chooses ?x ?r))")
        elif turns == "turns" and self.takes(len(self.roles)):
            self.lines += [f"(init (turn {self.roles[0]}))", "(<= (acts ?r) (true (turn ?r)))"]
            self.lines.append("(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))")
            around = zip(self.roles, (*self.roles[1:], self.roles[0]), strict=True)
            self.lines += [f"(after {one} {other})" for one, other in around]
        else:
            self.lines.append(f"(acts {self.rng.choice(self.roles)})")

    def _clock(self) -> None:
        what = self.rng.choice(("none", "end", "end", "round", "lasso", "stop", "stall"))
        length = self.rng.randint(3, 12)
        if what == "none" or not self.takes(length):
            return
        self.lines.append(f"(init (step {self.rng.choice((0, 0, 0, 1, 2))}))")
        self.lines += [f"(succ {n} {n + 1})" for n in range(length - 1)]
        if what in {"round", "lasso"}:
            again = 0 if what == "round" else self.rng.randrange(length)
            self.lines.append(f"(succ {length - 1} {again})")
        if what in {"end", "stall"}:
            self.lines.append(f"(<= terminal (true (step {length - 1})))")
        held = ""
        if what == "stall":
            who, held = self.rng.choice(self.roles), " (not stalled)"
            self.lines += [
                f"(<= (legal {who} wait) (acts {who}))",
                f"(<= stalled (does {who} wait))",
            ]
            self.lines.append("(<= (next (step ?n)) (true (step ?n)) stalled)")
        self.lines.append(f"(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n){held})")

    def _move_tokens(self, kind: int) -> None:
        rng, places = self.rng, self.rng.randint(2, 4)
        names = [f"t{kind}{i}" for i in range(rng.choice((1, 1, 2, 3))) if self.takes(places)]
        if not names:
            return
        self.tokens.append(Tokens(kind, places, names))
        start = rng.randrange(places)
        for name in names:
            here = start if self.is_likely(0.9) else rng.randrange(places)
            self.lines += [f"(init (at {name} {here}))", f"(kind {name} {kind})"]
        for move in range(rng.randint(1, 3)):
            for x in range(places):
                targets = rng.sample(range(places), 2 if self.is_likely(0.03) else 1)
                if self.is_likely(0.75):
                    self.lines += [f"(edge {kind} m{move} {x} {y})" for y in targets]
        owners = rng.sample(self.roles, rng.randint(1, len(self.roles)))
        self.lines += [f"(owns {role} {kind})" for role in owners]
        if self.is_likely(0.3):
            self.lines.append(f"(drift {kind} {rng.randrange(places)} {rng.randrange(places)})")

    def _fields(self) -> list[str]:
        fields = [f"f{i}" for i in range(self.rng.choice((0, 0, 1, 2, 3))) if self.takes(2)]
        if fields:
            keeps = " (not emptied)" if self.is_likely(0.4) else ""
            self.lines += [f"(field {field})" for field in fields]
            self.lines += [
                "(<= (open ?k) (field ?k) (not (true (full ?k))))",
                "(<= (legal ?r (fill ?k)) (acts ?r) (open ?k))",
                "(<= (able ?r) (acts ?r) (open ?k))",
                "(<= (next (full ?k)) (does ?r (fill ?k)))",
                f"(<= (next (full ?k)) (true (full ?k)){keeps})",
                f"(<= emptied {self._somewhere()})",
            ]
        return fields

    def _somewhere(self) -> str:
        """Return that some tokens of a kind are somewhere: all at one place, or each at another."""
        tokens = self.rng.choice(self.tokens)
        some = self.rng.sample(tokens.names, self.rng.randint(1, len(tokens.names)))
        x, is_one = self.rng.randrange(tokens.places), self.is_likely(0.5)
        return " ".join(
            f"(true (at {name} {x if is_one else self.rng.randrange(tokens.places)}))"
            for name in some
        )

    def _ends(self, fields: list[str]) -> None:
        for _ in range(self.rng.randint(1, 3)):
            tokens = self.rng.choice(self.tokens)
            x = self.rng.randrange(tokens.places)
            # What any token of a kind may bring about does not tell them apart.
            anywhere = f"(kind ?t {tokens.kind}) (true (at ?t {x}))"
            where = anywhere if self.is_likely(0.3) else self._somewhere()
            if fields and self.is_likely(0.3):
                where += f" (true (full {self.rng.choice(fields)}))"
            self.lines.append(f"(<= terminal {where})")

    def _goals(self) -> None:
        """Give each player a goal by where a token is, and others at a rare end."""
        is_shared = len(self.players) == 2 and self.is_likely(0.7)
        values = self.rng.choice(((0, 50, 100), (0, 100), (10, 50, 90), (40, 50, 60), (50,)))
        total = self.rng.choice((100, 100, 100, 60, 140))

        def goals(*, shared: bool) -> dict[str, int]:
            drawn = {role: self.rng.choice(values) for role in self.players}
            if shared:
                first, other = self.players
                drawn[first] = min(max(drawn[first], total - 100), total)
                drawn[other] = total - drawn[first]
            return drawn

        tokens = self.rng.choice(self.tokens)
        self.lines.append(f"(<= rare {self._somewhere()})")
        for x in range(tokens.places):
            where = f"(true (at {tokens.names[0]} {x})) (not rare)"
            for role, goal in goals(shared=is_shared).items():
                self.lines.append(f"(<= (goal {role} {goal}) {where})")
        for role, goal in goals(shared=is_shared and self.is_likely(0.6)).items():
            self.lines.append(f"(<= (goal {role} {goal}) rare)")
