"""Random games full of what rules are cut by: kinds, idle arguments, terms within others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

TERMS: Final = ("1", "2", "3", "4", "(f 1)", "(f 2)", "(f 5)", "(g 1 (f 1))")
VARIABLES: Final = ("?u", "?v", "?w", "?x", "?y", "?z")
KINDS: Final = (("k0", 1), ("k1", 1), ("k2", 1))
FACTS: Final = (*KINDS, ("e", 2), ("p", 2))
FLUENTS: Final = (("at", 1), ("mark", 2))
PATTERNS: Final = ("(f {})", "(g 1 {})", "(g {} (f 1))")


def random_rules(seed: int, widest: int = 4) -> str:
    """Return a game of two roles; safe, stratified, of finitely many terms.

    Args:
        seed: Of all that is drawn.
        widest: Arguments that a relation has at most.
    """
    return _Writer(seed, widest).game()


class _Writer:
    def __init__(self, seed: int, widest: int) -> None:
        self.rng = Random(seed)
        self.widest = widest
        self.lower: list[tuple[str, int]] = []  # each relation asks those before it, or itself
        self.lines: list[str] = []

    def game(self) -> str:
        self.lines = ["(role a)", "(role b)", "(legal a stay)", "(legal b stay)"]
        self.relations()
        for role in "ab":
            for _ in range(self.rng.randint(1, 2)):
                self.rule(("go", self.rng.randint(1, 2)), f"(legal {role} {{}})")
        for fluent in (*FLUENTS, FLUENTS[0]):
            for _ in range(self.rng.randint(1, 2)):
                self.rule(fluent, "(next {})", has_moves=True)
        self.lines.append(f"(<= terminal {' '.join(self.body(()))})")
        self.lines.append("(<= (goal a 100) terminal) (<= (goal a 0) (not terminal)) (goal b 50)")
        return "\n".join(self.lines)

    def relations(self) -> None:
        rng = self.rng
        for name, arity in FACTS:
            for _ in range(rng.randint(2, 6)):
                self.fact(name, arity)
        for name, arity in FLUENTS:
            self.lines.append(f"(init ({name}{self.ground(arity)}))")
        for number in range(rng.randint(2, 6)):
            head = f"r{number}", rng.randint(1, self.widest)
            for _ in range(rng.randint(1, 3)):
                self.rule(head, asks=(*self.lower, head) if rng.random() < 0.2 else self.lower)
            if rng.random() < 0.2:
                self.fact(*head)
            self.lower.append(head)

    def fact(self, name: str, arity: int) -> None:
        self.lines.append(f"({name}{self.ground(arity)})")

    def ground(self, arity: int) -> str:
        return "".join(f" {self.rng.choice(TERMS)}" for _ in range(arity))

    def rule(
        self,
        head: tuple[str, int],
        around: str = "{}",
        *,
        asks: Sequence[tuple[str, int]] | None = None,
        has_moves: bool = False,
    ) -> None:
        name, arity = head
        args = [
            self.rng.choice(TERMS) if self.rng.random() < 0.15 else self.rng.choice(VARIABLES)
            for _ in range(arity)
        ]
        body = self.body([arg for arg in args if arg in VARIABLES], asks, has_moves=has_moves)
        said = around.format(f"({name} {' '.join(args)})")
        self.lines.append(f"(<= {said} {' '.join(body)})")

    def body(
        self,
        wanted: Sequence[str],
        asks: Sequence[tuple[str, int]] | None = None,
        *,
        has_moves: bool = False,
    ) -> list[str]:
        """Return literals that bind the wanted variables and deny nothing of others."""
        rng = self.rng
        asks = self.lower if asks is None else asks
        bound: set[str] = set()
        found = [
            self.asked(asks, VARIABLES[:4], bound, has_moves=has_moves)
            for _ in range(rng.randint(1, 3))
        ]
        for var in wanted:
            if var not in bound:
                kind, _ = rng.choice(KINDS)
                found.append(f"({kind} {var})")
                bound.add(var)
        known = sorted(bound)
        for _ in range(rng.randint(0, 2)):
            if rng.random() < 0.2 and len(known) > 1:
                found.append(f"(distinct {known[0]} {known[-1]})")
            else:
                below = [relation for relation in asks if relation in self.lower]
                literal = self.asked(below, known, set(), has_moves=has_moves)
                found.append(f"(not {literal})")
        return found

    def asked(
        self,
        asks: Sequence[tuple[str, int]],
        variables: Sequence[str],
        bound: set[str],
        *,
        has_moves: bool,
    ) -> str:
        """Return a sentence; what it binds is added."""
        rng = self.rng

        def argument() -> str:
            if not variables or rng.random() < 0.15:
                return rng.choice(TERMS)
            var = rng.choice(variables)
            bound.add(var)
            return rng.choice(PATTERNS).format(var) if rng.random() < 0.15 else var

        if has_moves and rng.random() < 0.4:
            return f"(does {rng.choice('ab')} (go {argument()}))"
        if asks and rng.random() < 0.5:
            name, arity = rng.choice(asks)
        elif rng.random() < 0.5:
            name, arity = rng.choice(FLUENTS)
            return f"(true ({name} {' '.join(argument() for _ in range(arity))}))"
        else:
            name, arity = rng.choice(FACTS)
        return f"({name} {' '.join(argument() for _ in range(arity))})"
