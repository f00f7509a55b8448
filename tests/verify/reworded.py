"""Small games of tables, each told twice as rules.

Chance tells how: a variable as one fact a value, in bits, in two coordinates, with a value that is
no fact, as a row that fills up, or two of them in one fact; what stays by a rule of its own, or by
what it becomes; under views, negated views, recursion, ``distinct``; with rules that nothing ever
fires, among roles that follow from a rule. Whether the two differ, and after how many moves, is
said by the definition, from all states of both.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Final, TypeAlias

from gdl.meaning.machine import Meaning
from tests.verify.odd import compared
from tests.verify.planted import Pair
from tests.verify.tabled import Formula, Table, changed, drawn, holds

Bodies: TypeAlias = list[tuple[str, ...]]
"""The bodies under which something is so: literals each."""

LONGEST: Final = 15_000
"""Characters of a text; longer ones are not taken."""


@dataclass(frozen=True)
class _Code:
    """How some variables are told: facts, each with the values at which it holds."""

    variables: tuple[int, ...]
    facts: Mapping[str, frozenset[tuple[int, ...]]]
    said: Callable[[tuple[int, ...]], tuple[str, ...]]


class Telling:
    """Tells a game as rules."""

    def __init__(self, table: Table, chance: random.Random) -> None:
        """Choose how each variable is told."""
        self.table, self.chance = table, chance
        self.lines: list[str] = []
        self.known: dict[Formula, str] = {}
        self.numbers = count()
        self.codes: list[_Code] = []
        left = list(range(len(table.sizes)))
        chance.shuffle(left)
        if len(left) > 1 and chance.random() < 0.3:
            self.codes.append(self._coded((left.pop(), left.pop())))
        self.codes += [self._coded((variable,)) for variable in left]
        self.of = {v: code for code in self.codes for v in code.variables}

    def text(self) -> str:
        """Return the rules."""
        table, chance = self.table, self.chance
        lines = self.lines
        for code in self.codes:
            first = tuple(table.first[v] for v in code.variables)
            lines += [f"(init {fact})" for fact, values in code.facts.items() if first in values]
            self._become(code)
        for (role, move), when in table.legal.items():
            self._rule(f"(legal {role} {move})", when)
        self._rule("terminal", table.ends)
        for (role, value), when in table.goals.items():
            self._rule(f"(goal {role} {value})", when)
        for (role, percept), when in table.sees.items():
            self._rule(f"(sees {role} {percept})", when)
        self._dead()
        chance.shuffle(lines)
        if chance.random() < 0.2:  # roles follow from a rule
            roles = [f"(player {role})" for role in table.roles]
            return "\n".join(["(<= (role ?p) (player ?p))", *roles, *lines])
        return "\n".join([*(f"(role {role})" for role in table.roles), *lines])

    # ................................................................. variables

    def _coded(self, variables: tuple[int, ...]) -> _Code:
        chance, sizes = self.chance, [self.table.sizes[v] for v in variables]
        name = chance.choice("fgh") + "".join(map(str, variables))
        values = list(product(*map(range, sizes)))
        ways = ["one", "one", "missing", "bits", "row"]
        if len(values) in (4, 6) or len(variables) > 1:
            ways.append("two")
        way = chance.choice(ways)
        order = values if chance.random() < 0.5 else chance.sample(values, len(values))
        place = {value: number for number, value in enumerate(order)}
        facts: dict[str, frozenset[tuple[int, ...]]] = {}
        if way in ("one", "missing"):
            called = {value: f"({name} {' '.join(map(str, value))})" for value in values}
            lacking = chance.choice(values) if way == "missing" else None
            facts = {called[v]: frozenset([v]) for v in values if v != lacking}
            none = tuple(f"(not (true {fact}))" for fact in facts)
            if lacking is not None and chance.random() < 0.5:
                letters = " ".join(f"?x{n}" for n in range(len(variables)))
                self.lines.append(f"(<= some-{name} (true ({name} {letters})))")
                none = (f"(not some-{name})",)
            return _Code(
                variables, facts, lambda v: none if v == lacking else (f"(true {called[v]})",)
            )
        if way == "bits":
            mask = chance.randrange(len(values))
            bits = range(max(1, (len(values) - 1).bit_length()))
            facts = {
                f"({name} b{bit})": frozenset(v for v in values if ((place[v] ^ mask) >> bit) & 1)
                for bit in bits
            }
        elif way == "row":
            facts = {
                f"({name} {n})": frozenset(v for v in values if place[v] >= n)
                for n in range(1, len(values))
            }
        else:
            wide = 2 if len(values) % 2 == 0 else 3
            facts = {
                f"({name} x {n})": frozenset(v for v in values if place[v] % wide == n)
                for n in range(wide)
            }
            facts |= {
                f"({name} y {n})": frozenset(v for v in values if place[v] // wide == n)
                for n in range(-(-len(values) // wide))
            }
            return _Code(
                variables,
                facts,
                lambda v: tuple(f"(true {fact})" for fact, at in facts.items() if v in at),
            )
        if way == "row" and chance.random() < 0.6:
            return _Code(variables, facts, lambda v: _edge_of_row(facts, v))
        return _Code(
            variables,
            facts,
            lambda v: tuple(
                f"(true {f})" if v in at else f"(not (true {f}))" for f, at in facts.items()
            ),
        )

    def _values(self, code: _Code, variable: int, value: int) -> list[tuple[int, ...]]:
        own = code.variables.index(variable)
        sizes = [self.table.sizes[v] for v in code.variables]
        return [row for row in product(*map(range, sizes)) if row[own] == value]

    def _become(self, code: _Code) -> None:
        """Say what becomes of facts."""
        chance = self.chance
        touched = {
            v: self._view(("or", *(when for when, _, _ in self.table.steps[v])))
            for v in code.variables
        }
        is_kept = chance.random() < 0.5
        new: dict[tuple[int, int], str] = {}
        for variable in code.variables:
            for value in range(self.table.sizes[variable]):
                rows = self._becoming(variable, value)
                name = f"(new {variable} {value})"
                self.lines += [_ruled(name, body) for when in rows for body in self.bodies(when)]
                new[variable, value] = name
                if not any(self.bodies(when) for when in rows):
                    self.lines.append(f"(<= {name} (distinct z z))")
        for fact, values in code.facts.items():
            for row in sorted(values):
                body = tuple(new[v, n] for v, n in zip(code.variables, row, strict=True))
                self.lines.append(_ruled(f"(next {fact})", body))
            if is_kept:  # says nothing more, but that it stays where nothing touches it
                still = tuple(f"(not {touched[v]})" for v in code.variables)
                self.lines.append(_ruled(f"(next {fact})", (f"(true {fact})", *still)))

    def _becoming(self, variable: int, value: int) -> Iterator[Formula]:
        earlier: list[Formula] = []
        for when, is_added, number in self.table.steps[variable]:
            so: Formula = ("and", when, *earlier)
            if is_added:
                old = (value - number) % self.table.sizes[variable]
                yield ("and", so, ("is", variable, old))
            elif number == value:
                yield so
            earlier.append(("not", when))
        yield ("and", ("is", variable, value), *earlier)

    # .................................................................. formulas

    def _rule(self, head: str, when: Formula) -> None:
        bodies = self.bodies(when)
        if len(bodies) > 1 and all(bodies) and self.chance.random() < 0.3:
            ways = " ".join(f"(and {' '.join(body)})" for body in bodies)
            self.lines.append(f"(<= {head} (or {ways}))")
            return
        self.lines += [_ruled(head, self.chance.sample(body, len(body))) for body in bodies]

    def bodies(self, formula: Formula, *, so: bool = True) -> Bodies:
        """Return bodies under which a formula holds, or under which it does not."""
        kind, *parts = formula
        if kind == "not":
            return self.bodies(parts[0], so=not so)
        if kind == "is":
            return self._is(parts[0], parts[1], so=so)
        if kind == "did":
            return self._did(parts[0], parts[1], so=so)
        if kind in ("and", "or") and len(parts) > 1 and self.chance.random() < 0.5:
            view = self._view(formula)
            return [(view if so else f"(not {view})",)]
        if kind in ("least", "odd"):
            if self.chance.random() < 0.5:
                view = self._recursive(kind, parts)
                return [(view if so else f"(not {view})",)]
            size = self.table.sizes[parts[0]]
            found = [n for n in range(size) if holds((kind, 0, *parts[1:]), (n,)) == so]
            return [body for n in found for body in self._is(parts[0], n)]
        if (kind == "and") == so:
            whole: Bodies = [()]
            for part in parts:
                whole = [(*one, *two) for one in whole for two in self.bodies(part, so=so)]
            if len(whole) <= 6:
                return whole
            view = self._view(formula)
            return [(view if so else f"(not {view})",)]
        return [body for part in parts for body in self.bodies(part, so=so)]

    def _is(self, variable: int, value: int, *, so: bool = True) -> Bodies:
        code = self.of[variable]
        bodies = [code.said(row) for row in self._values(code, variable, value)]
        if so:
            return bodies
        if len(bodies) == 1 and self.chance.random() < 0.5:
            return [(_denied(literal),) for literal in bodies[0]]
        if self.chance.random() < 0.3:
            size = self.table.sizes[variable]
            others = (n for n in range(size) if n != value)
            return [body for n in others for body in self._is(variable, n)]
        return [(f"(not {self._view(('is', variable, value))})",)]

    def _did(self, role: str, move: str, *, so: bool) -> Bodies:
        if so:
            return [(f"(does {role} {move})",)]
        others = [m for own, m in self.table.legal if own == role and m != move]
        kind = self.chance.random()
        if kind < 0.3:
            return [(f"(does {role} {other})",) for other in others]
        if kind < 0.6:
            name = f"?m{next(self.numbers)}"
            return [(f"(does {role} {name})", f"(distinct {name} {move})")]
        return [(f"(not (does {role} {move}))",)]

    def _view(self, formula: Formula) -> str:
        """Return the name of a view that holds where a formula does."""
        if formula not in self.known:
            name = f"v{next(self.numbers)}"
            self.known[formula] = name
            kind, *parts = formula
            if kind == "is":
                bodies = self._is(parts[0], parts[1])
            elif kind in ("and", "or"):
                bodies = [()] if kind == "and" else []
                for part in parts:
                    found = self.bodies(part)
                    bodies = (
                        [(*b, *f) for b in bodies for f in found]
                        if kind == "and"
                        else bodies + found
                    )
            else:
                bodies = self.bodies(formula)
            self.lines += [_ruled(name, body) for body in bodies]
            if not bodies:
                self.lines.append(f"(<= {name} (distinct z z))")
        return self.known[formula]

    def _recursive(self, kind: str, parts: Sequence[int]) -> str:
        """Return a literal that follows from itself, one value further."""
        variable = parts[0]
        key: Formula = ("by recursion", kind, variable)
        name = self.known.get(key)
        size = self.table.sizes[variable]
        if name is None:
            name = self.known[key] = f"u{next(self.numbers)}"
            lines, now = self.lines, f"now-{name}"
            for n in range(size):
                lines += [_ruled(f"({now} {n})", body) for body in self._is(variable, n)]
            if kind == "least":  # what is reached is all below
                lines += [f"(after-{name} {n} {n + 1})" for n in range(size - 1)]
                lines.append(f"(<= ({name} ?n) ({now} ?n))")
                lines.append(f"(<= ({name} ?n) ({name} ?m) (after-{name} ?n ?m))")
            else:  # odd is whose one below is not: a relation that rests on what it is not
                lines += [
                    f"(<= (is-{name} {n + 1}) (not (is-{name} {n})))" for n in range(size - 1)
                ]
                lines.append(f"(<= ({name}) ({now} ?n) (is-{name} ?n))")
        return f"({name} {parts[1]})" if kind == "least" else f"({name})"

    # ................................................................ dead rules

    def _dead(self) -> None:
        chance, lines = self.chance, self.lines
        code = chance.choice(self.codes)
        fact = chance.choice(list(code.facts))
        values = chance.sample(
            list(product(*(range(self.table.sizes[v]) for v in code.variables))), 2
        )
        never = " ".join((*code.said(values[0]), *code.said(values[1])))
        role, move = chance.choice(list(self.table.legal))
        half = f"(<= (next half) (true half) (does {role} {move}))"
        rules = [
            f"(<= (next {fact}) {never})",
            f"(<= terminal {never})",
            f"(<= (legal {role} {move}) {never})",
            f"(<= (goal {role} 37) {never})",
            f"(<= (legal {role} ghostly) {never})",
            f"(<= (sees {role} ghostly) {never})",
            "(<= terminal (distinct q q))",
            f"(<= (legal {role} {move}) (true ghost)) (<= (next ghost) (true ghost))",
            f"(<= (legal {role} {move}) (true half)) {half}",
            f"(<= (next mist) {never} (does {role} {move})) (<= terminal (true mist))",
        ]
        lines += chance.sample(rules, chance.choice((0, 0, 1, 2, 3)))


def _ruled(head: str, body: Sequence[str]) -> str:
    return f"(<= {head} {' '.join(body)})" if body else head


def _denied(literal: str) -> str:
    return literal.removeprefix("(not ")[:-1] if literal.startswith("(not ") else f"(not {literal})"


def _edge_of_row(
    facts: Mapping[str, frozenset[tuple[int, ...]]], value: tuple[int, ...]
) -> tuple[str, ...]:
    """Return the last fact of a row that holds, and that the one after it does not."""
    inside = [fact for fact, values in facts.items() if value in values]
    outside = [fact for fact, values in facts.items() if value not in values]
    said = (f"(true {inside[-1]})",) if inside else ()
    return (*said, *((f"(not (true {outside[0]}))",) if outside else ()))


# ---------------------------------------------------------------------------- pairs


def reworded(seed: int, *, kind: str = "") -> Pair:
    """Return a game told twice, and after how many moves the two differ, as the definition says.

    Args:
        seed: Which.
        kind: One of `KINDS`; none for a game and itself. Of one that ends in ``, never`` the
            difference lies in a state that play does not reach, so that there is none.
    """
    for attempt in count():
        chance = random.Random(f"{seed} {kind} {attempt}")
        table = other = drawn(chance)
        if kind:
            what = kind.removesuffix(", never")
            found = changed(table, what, chance, is_reached=what == kind)
            if found is None:
                continue
            other = found
        texts = Telling(table, chance).text(), Telling(other, chance).text()
        if max(map(len, texts)) > LONGEST:
            continue
        depth, _ = compared(*texts, Meaning)
        is_same = not kind or kind != what
        assert not is_same or depth is None, (seed, kind)  # else they were told wrongly
        if is_same or depth:
            return Pair(f"reworded: {kind or 'nothing'}", *texts, depth)
    raise AssertionError("attempts do not end")
