"""Pairs of games composed of parts that rules are seldom made of, each part told in two ways.

Views that deny views, ``distinct`` before what binds it and under ``not``, ``or`` around variables,
a role that waits all the time and one that waits once it has left, goals that the last move
decides, two counters of which one wraps within the other, ``does`` under ``not``, recursion over
what moves change, a fact of every other ply, percepts of chance; in some pairs a register of so
many bits that games part after twenty thousand states.

The second game of a pair has other facts, called by the names that mean something else in the
first one, and each part in its other words. Where something is planted, it is otherwise behind
one setting of all parts. Whether they differ, and after how many moves, the reasoner says, which
looks at all states of both.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, count, product
from typing import Final, TypeAlias

from tests.verify.odd import compared
from tests.verify.planted import Pair

Told: TypeAlias = tuple[str, str]
"""Text of the first game, and of the second."""

KINDS: Final = ("goal", "legal", "ends", "becomes", "sees")
"""What is planted."""
FEWEST: Final = 12
MOST: Final = 800
"""States of both games together, at most."""
REGISTER: Final = 14
"""Bits of a register; each of its contents is a state."""
MOST_OF_REGISTER: Final = 150_000
SHALLOW: Final = 3
"""Moves; most pairs that differ sooner are not taken."""
MORE: Final = "(more x)"
"""A move that is legal at times; the others are always."""
NAME: Final = re.compile(r"\b([FNV])_(\w+)")
"""In what is written here: a fact, one of its constants, a view."""
POOL: Final = ("a", "b", "c", "r", "s", "0", "1", "2", "x", "go", "wait", "heads", "tails", "path")
"""Names of the second game, most of which are moves, roles and percepts too."""


def composed(seed: int, *, differs: bool, is_large: bool = False) -> Pair:
    """Return a pair of games, which differ after a move or more, or never."""
    for attempt in count():
        chance = random.Random(f"composed {seed} {attempt}")
        kind = chance.choice(KINDS)
        game = _Game(chance, is_large=is_large)
        pair = game.pair(kind if differs else "")
        most = MOST_OF_REGISTER if is_large else MOST
        depth, states = compared(*pair, most=most)
        if states > most or states < FEWEST:
            continue
        assert differs or depth is None, f"the second telling is another game: {seed} {attempt}"
        if differs and depth is not None and depth < SHALLOW and chance.random() < 0.7:
            continue
        if depth or not differs:
            called = f"composed{', large' if is_large else ''}: {kind if differs else 'nothing'}"
            return Pair(called, *pair, depth)
    raise AssertionError("attempts do not end")


@dataclass
class _Game:
    """A game in two tellings, as far as it has been composed.

    Attributes:
        chance: Decides everything.
        is_large: Whether there is a register.
        rules: Of each telling.
        signs: What can be asked of a state, in both tellings; each is an atom.
    """

    chance: random.Random
    is_large: bool
    rules: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    signs: list[Told] = field(default_factory=list)

    def pair(self, planted: str) -> Told:
        """Return both texts, the second with something planted."""
        chance = self.chance
        self.moves = ["a", "b", "c"][: chance.choice((2, 2, 3))]
        second = chance.choice(("", "waits", "leaves", "random"))
        if self.is_large:
            second, self.moves = chance.choice(("", "waits")), ["a", "b"]
        self._roles(second)
        parts = [self._wrapping, self._last, self._odd, self._joined, self._meeting]
        for part in (
            [self._register] if self.is_large else chance.sample(parts, chance.choice((2, 3)))
        ):
            part()
        self._strata()
        self._strata()
        self._ends_and_goals()
        if planted:
            self._plant(planted)
        names = _names(chance, self.rules[1])
        other = [NAME.sub(lambda found: names[found[0]], rule) for rule in self.rules[1]]
        roles = [rule for rule in other if rule.startswith("(role")]
        rest = [rule for rule in other if not rule.startswith("(role")]
        chance.shuffle(rest)
        one = [NAME.sub(r"\2", rule) for rule in self.rules[0]]
        return "\n".join(one), "\n".join(roles + rest)

    def _tell(self, one: str, other: str) -> None:
        for telling, rules in zip(self.rules, (one, other), strict=True):
            telling += [rule for rule in rules.split("\n") if rule.strip()]

    # ..................................................................... roles

    def _roles(self, second: str) -> None:
        self._tell("(role r)", "(role r)")
        free, *others = self.moves
        self._tell(f"(legal r {free})", f"(<= (legal r {free}) (role r))")
        for move in others:
            both = f"(legal r {move})"
            self._tell(both, both)
        if second == "waits":
            self._tell(
                "(role s)\n(legal s wait)",
                "(role s)\n(<= (legal ?w wait) (role ?w) (distinct ?w r))",
            )
        if second == "leaves":
            self._tell(
                "(role s)\n(<= (legal s go) (not (true F_gone)))\n"
                "(<= (legal s wait) (true F_gone))\n(<= (legal s stay) (not (true F_gone)))\n"
                "(<= (next F_gone) (does s go))\n(<= (next F_gone) (true F_gone))",
                "(role s)\n(init F_here)\n(<= (legal s ?m) V_present (V_of ?m))\n"
                "(V_of go)\n(V_of stay)\n"
                "(<= V_present (true F_here))\n(<= (legal s wait) (not V_present))\n"
                "(<= (next F_here) (true F_here) (not (does s go)))",
            )
            self._tell("(<= V_left (true F_gone))", "(<= V_left (not (true F_here)))")
            self.signs.append(("V_left", "V_left"))
        if second == "random":
            self._tell(
                "(role random)\n(legal random heads)\n(legal random tails)\n"
                "(<= (next (F_coin ?c)) (does random ?c))\n"
                "(<= (sees r ?c) (true (F_coin ?c)) (does r a))",
                "(role random)\n(<= (legal random ?c) (V_side ?c))\n"
                "(V_side heads)\n(V_side tails)\n"
                "(init F_fresh)\n(<= (next F_up) (not (does random tails)))\n"
                "(<= (sees r heads) (true F_up) (not V_other))\n"
                "(<= (sees r tails) (not V_other) (not (or (true F_up) (true F_fresh))))\n"
                "(<= V_other (does r ?m) (distinct ?m a))",
            )
            self._tell("(<= V_heads (true (F_coin heads)))", "(<= V_heads (true F_up))")
            self.signs.append(("V_heads", "V_heads"))

    def _done(self, move: str) -> Told:
        """Return that r makes a move: said outright, or that he makes none of the others."""
        others = [m for m in (*self.moves, MORE) if m != move]
        return f"(does r {move})", " ".join(f"(not (does r {m}))" for m in others)

    # ..................................................................... parts

    def _wrapping(self) -> None:
        """Two counters, the second of which goes on as r moves; or a fact for each two values."""
        slow, fast = self.chance.choice(((2, 3), (3, 4), (3, 5), (4, 5), (2, 7)))
        push, other_push = self._done(self.chance.choice(self.moves))
        one = ["(init (F_fast N_0))", "(init (F_slow N_0))"]
        one += [
            f"(V_after{wheel} N_{i} N_{(i + 1) % n})"
            for wheel, n in (("f", fast), ("s", slow))
            for i in range(n)
        ]
        one += [
            "(<= (next (F_fast ?j)) (true (F_fast ?i)) (V_afterf ?i ?j))",
            f"(<= (next (F_slow ?j)) (true (F_slow ?i)) (V_afters ?i ?j) {push})",
            f"(<= (next (F_slow ?i)) (true (F_slow ?i)) (not {push}))",
        ]
        other = ["(init (F_wheel N_0 N_0))"]
        for i, j in product(range(fast), range(slow)):
            here, to = f"(true (F_wheel N_{i} N_{j}))", f"N_{(i + 1) % fast}"
            other.append(f"(<= (next (F_wheel {to} N_{(j + 1) % slow})) {here} {other_push})")
            other.append(f"(<= (next (F_wheel {to} N_{j})) {here} (not V_pushed))")
        other.append(f"(<= V_pushed {other_push} (does r ?any))")
        i, j = self.chance.randrange(fast), self.chance.randrange(slow)
        one.append(f"(<= V_hour (true (F_fast N_{i})) (true (F_slow N_{j})))")
        other.append(f"(<= V_hour (true (F_wheel N_{i} N_{j})))")
        i = self.chance.randrange(fast)
        one.append(f"(<= V_tick (true (F_fast N_{i})))")
        other.append(f"(<= V_tick (true (F_wheel N_{i} ?any)))")
        self._tell("\n".join(one), "\n".join(other))
        self.signs += [("V_hour", "V_hour"), ("V_tick", "V_tick")]

    def _last(self) -> None:
        """What r did last: a fact with the move, or one for all moves but the last of them."""
        known = self.moves
        other = ["(<= (next F_begun) (does r ?m))"]
        other += [f"(<= (next F_was{m}) {self._done(m)[1]})" for m in known]
        other += [f"(<= V_l{m} (true F_was{m}))" for m in known]
        none = " ".join(f"(not (true F_was{m}))" for m in known)
        other.append(f"(<= V_lmore (true F_begun) {none})")
        one = ["(<= (next (F_last ?m)) (does r ?m))"]
        one += [f"(<= V_l{m} (true (F_last {m})))" for m in known]
        one.append(f"(<= V_lmore (true (F_last {MORE})))")
        self._tell("\n".join(one), "\n".join(other))
        self.signs += [(f"V_l{m}",) * 2 for m in (*known, "more")]

    def _odd(self) -> None:
        self._tell(
            "(<= (next F_odd) (not (true F_odd)))\n(<= V_odd (true F_odd))",
            "(init (F_ply N_0))\n(<= (next (F_ply N_1)) (true (F_ply N_0)))\n"
            "(<= (next (F_ply N_0)) (true (F_ply ?n)) (distinct N_0 ?n))\n"
            "(<= V_odd (not V_even))\n(<= V_even (true (F_ply N_0)))",
        )
        self.signs.append(("V_odd", "V_odd"))

    def _joined(self) -> None:
        """Bridges that moves put up and take away, and whether there is a way: or all ways."""
        nodes, chance = range(chance_nodes := self.chance.choice((4, 5))), self.chance
        ways = [(i, j) for i, j in product(nodes, nodes) if i != j]
        arcs = chance.sample(ways, chance.randint(1, chance_nodes))
        bridges = chance.sample([way for way in ways if way not in arcs], 3)
        one = [f"(V_arc N_{i} N_{j})" for i, j in arcs]
        one += [
            f"(<= (V_link N_{i} N_{j}) (true (F_bridge N_{n})))" for n, (i, j) in enumerate(bridges)
        ]
        one += [
            "(<= (V_link ?x ?y) (V_arc ?x ?y))",
            "(<= (V_path ?x ?y) (V_link ?x ?y))",
            "(<= (V_path ?x ?z) (V_path ?x ?y) (V_path ?y ?z))",
            f"(<= V_joined (V_path N_0 N_{nodes[-1]}))",
            "(<= V_circle (V_path ?x ?x))",
        ]
        other: list[str] = []
        for sign, is_so in (("joined", (0, nodes[-1])), ("circle", None)):
            least: list[set[int]] = []
            for up in chain.from_iterable(combinations(range(3), k) for k in range(4)):
                paths = _closed([*arcs, *(bridges[n] for n in up)])
                found = is_so in paths if is_so else any(i == j for i, j in paths)
                if found and not any(known <= set(up) for known in least):
                    least.append(set(up))
                    body = " ".join(f"(not (true (F_gap N_{n})))" for n in up)
                    other.append(f"(<= V_{sign} {body})" if up else f"V_{sign}")
        for n in range(3):
            first, move = chance.random() < 0.5, chance.choice(self.moves)
            done, other_done = self._done(move)
            is_up, gap = f"(true (F_bridge N_{n}))", f"(true (F_gap N_{n}))"
            if first:
                one.append(f"(init (F_bridge N_{n}))")
            else:
                other.append(f"(init (F_gap N_{n}))")
            how = chance.choice(("toggle", "up", "turns"))
            if how == "toggle":
                one += [
                    (
                        f"(<= (next (F_bridge N_{n})) "
                        f"(or (and {is_up} (not {done})) (and {done} (not {is_up}))))"
                    )
                ]
                other += [
                    f"(<= (next (F_gap N_{n})) (not {gap}) {other_done})",
                    f"(<= (next (F_gap N_{n})) {gap} {done.replace('does', 'V_other')})",
                ]
            elif how == "up":
                one += [f"(<= (next (F_bridge N_{n})) (or {is_up} {done}))"]
                other += [f"(<= (next (F_gap N_{n})) {gap} (not {done}))"]
            else:
                one += [f"(<= (next (F_bridge N_{n})) (not {is_up}))"]
                other += [f"(<= (next (F_gap N_{n})) (not {gap}))"]
        other.append("(<= (V_other ?p ?m) (does ?p ?n) (legal ?p ?m) (distinct ?m ?n))")
        self._tell("\n".join(one), "\n".join(other))
        self.signs += [(f"V_{sign}",) * 2 for sign in ("joined", "circle")]

    def _meeting(self) -> None:
        """Two tokens that moves take along, and whether they meet: by what is not distinct."""
        size, chance = self.chance.choice((3, 4, 5)), self.chance
        starts = chance.sample(range(size), 2)
        steps = {token: chance.choice(self.moves) for token in "pq"}
        one: list[str] = [f"(V_round N_{i} N_{(i + 1) % size})" for i in range(size)]
        other: list[str] = []
        for token, start in zip("pq", starts, strict=True):
            done, other_done = self._done(steps[token])
            one += [
                f"(init (F_at {token} N_{start}))",
                f"(<= (next (F_at {token} ?j)) {done} (true (F_at {token} ?i)) (V_round ?i ?j))",
                f"(<= (next (F_at {token} ?i)) (not {done}) (true (F_at {token} ?i)))",
            ]
            other.append(f"(init F_{token}{start})")
            for i in range(size):
                here = f"(true F_{token}{i})"
                other.append(f"(<= (next F_{token}{(i + 1) % size}) {here} {other_done})")
                other.append(
                    f"(<= (next F_{token}{i}) {here} (does r ?m) (distinct ?m {steps[token]}))"
                )
        one += [
            "(<= V_apart (distinct (V_f ?x) (V_f ?y)) (true (F_at p ?x)) (true (F_at q ?y)))",
            "(<= V_meet (true (F_at p ?x)) (not V_apart))",
            "(<= V_next (true (F_at p ?x)) (true (F_at ?t ?y)) (distinct ?t p) (V_round ?x ?y))",
            "(<= V_none (true (F_at ?t ?x)) (distinct ?t ?t))",
        ]
        other.append(
            "(<= V_meet (or "
            + " ".join(f"(and (true F_p{i}) (true F_q{i}))" for i in range(size))
            + "))"
        )
        other += [f"(<= V_next (true F_p{i}) (true F_q{(i + 1) % size}))" for i in range(size)]
        self._tell("\n".join(one), "\n".join(other))
        self.signs += [(f"V_{sign}",) * 2 for sign in ("meet", "next")]

    def _register(self) -> None:
        """What r did, ply by ply; in the other game what he did not, pushed from place to place."""
        one = ["(init (F_t N_0))"]
        one += [f"(V_hours N_{i} N_{i + 1})" for i in range(REGISTER)]
        one += [
            "(<= (next (F_t ?j)) (true (F_t ?i)) (V_hours ?i ?j))",
            "(<= (next (F_bit ?i)) (true (F_t ?i)) (does r a))",
            "(<= (next (F_bit ?i)) (true (F_bit ?i)))",
            f"(<= V_done (true (F_t N_{REGISTER})))",
        ]
        other = ["(init (F_d N_0))"]
        for i in range(REGISTER):
            other.append(f"(<= (next (F_d N_{i + 1})) (true (F_d N_{i})))")
            if i:
                other.append(f"(<= (next (F_no N_{i})) (true (F_no N_{i - 1})))")
        other.append("(<= (next (F_no N_0)) (does r ?m) (distinct ?m a))")
        other.append(f"(<= V_done (true (F_d N_{REGISTER})))")
        self._tell("\n".join(one), "\n".join(other))
        key = [self.chance.random() < 0.5 for _ in range(REGISTER)]
        # After so many plies the newest lies at 0 there, and at the last place here.
        for n, places in enumerate((range(REGISTER - 1), range(3), range(2, 7))):
            mine = " ".join(_so(f"(true (F_bit N_{i}))", key[i]) for i in places)
            its = " ".join(_so(f"(true (F_no N_{REGISTER - 1 - i}))", not key[i]) for i in places)
            self._tell(f"(<= V_key{n} V_done {mine})", f"(<= V_key{n} V_done {its})")
            self.signs.append((f"V_key{n}",) * 2)

    # ....................................................................... what it comes to

    def _strata(self) -> None:
        """Views each of which denies the one before, and the same by what is not so at once."""
        chance, number = self.chance, len(self.signs)
        length = min(chance.randint(2, 4), len(self.signs))
        used = chance.sample(self.signs, length)
        one, so = [f"(<= V_s{number}x0 {used[0][0]})"], f"{used[0][1]}"
        for n, (mine, its) in enumerate(used[1:], start=1):
            before = f"V_s{number}x{n - 1}"
            if chance.random() < 0.6:
                one.append(f"(<= V_s{number}x{n} {mine} (not {before}))")
                so = f"(and {its} {_denied(so)})"
            else:
                one.append(f"(<= V_s{number}x{n} (or {mine} (not {before})))")
                so = f"(or {_denied(so)} {its})"
        self._tell("\n".join(one), f"(<= V_s{number} {so})")
        self.signs.append((f"V_s{number}x{length - 1}", f"V_s{number}"))

    def _ends_and_goals(self) -> None:
        chance = self.chance
        if not self.is_large and chance.random() < 0.7:
            self._tell("(<= V_go (not (true F_late)))", "(<= V_go (true F_early))\n(init F_early)")
            mine, its = chance.choice(self.signs)
            done, other_done = self._done(chance.choice(self.moves))
            self._tell(
                f"(<= (next F_late) (or (true F_late) (and {mine} {done})))",
                f"(<= V_over {its} {other_done} (does r ?m))\n"
                "(<= (next F_early) (true F_early) (not V_over))",
            )
            self.signs.append(("V_go", "V_go"))
        else:
            self._tell("V_go", "V_go")
        ends = (
            [("V_done",) * 2]
            if self.is_large
            else chance.sample(self.signs, min(2, len(self.signs)))
        )
        self._tell(
            f"(<= terminal {' '.join(mine for mine, _ in ends)})",
            f"(<= V_open (or {' '.join(f'(not {its})' for _, its in ends)}))\n"
            "(<= terminal (not V_open))"
            if len(ends) > 1
            else f"(<= terminal {ends[0][1]})",
        )
        (mine, its), (also, its_also) = chance.choice(self.signs), chance.choice(self.signs)
        values = chance.sample((0, 25, 50, 75, 100), 3)
        self._tell(
            f"(<= (goal r {values[0]}) terminal {mine})\n"
            f"(<= (goal r {values[1]}) terminal (not {mine}) {also})\n"
            f"(<= (goal r {values[2]}) terminal (not (or {mine} {also})))",
            f"(<= (goal r ?v) terminal (V_pays ?v))\n(<= (V_pays {values[0]}) {its})\n"
            f"(<= (V_pays {values[1]}) {its_also} (not (V_pays {values[0]})))\n"
            f"(<= (V_pays {values[2]}) (not {its}) (not {its_also}))",
        )
        mine, its = chance.choice(self.signs)
        self._tell(
            f"(<= (legal r {MORE}) {mine})",
            f"(<= (legal r (more ?x)) (V_extra ?x) {its})\n(V_extra x)",
        )

    def _plant(self, kind: str) -> None:
        """Put into the second game what is otherwise where some things are so at once."""
        chance = self.chance
        where = chance.sample(self.signs, min(chance.choice((2, 3)), len(self.signs)))
        when = " ".join(_so(its, chance.random() < 0.6) for _, its in where)
        if self.is_large:
            when = "V_key0"
        moved = f"{when} (does r {chance.choice(self.moves)})"
        planted = {
            "goal": f"(<= (goal r 99) terminal {when})",
            "legal": f"(<= (legal r (more y)) {when})",
            "ends": f"(<= terminal {when})",
            "sees": f"(<= (sees r it) {moved})",
        }
        if kind == "becomes":  # something that is asked about is so once more
            facts = sorted(
                set(re.findall(r"\(next ([^?()]+|\([^?()]+\))\)", "\n".join(self.rules[1])))
            )
            planted[kind] = (
                f"(<= (next {chance.choice(facts)}) {moved})" if facts else planted["goal"]
            )
        if self.is_large and kind in ("legal", "sees", "becomes"):
            planted[kind] = planted["goal"]
        self.rules[1].append(planted[kind])


def _so(atom: str, is_so: bool) -> str:  # noqa: FBT001  # what a literal says
    return atom if is_so else f"(not {atom})"


def _denied(formula: str) -> str:
    """Return a formula's opposite, by De Morgan, down to atoms."""
    if formula.startswith("(not "):
        return formula[5:-1]
    if not formula.startswith(("(and ", "(or ")):
        return f"(not {formula})"
    word, parts = formula[1:].split(" ", 1)[0], _parts(formula)
    return f"({'or' if word == 'and' else 'and'} {' '.join(map(_denied, parts))})"


def _parts(formula: str) -> list[str]:
    """Return the operands of a formula."""
    parts, depth, start = [], 0, formula.index(" ") + 1
    for at in range(start, len(formula) - 1):
        depth += (formula[at] == "(") - (formula[at] == ")")
        if formula[at] == " " and not depth:
            parts.append(formula[start:at])
            start = at + 1
    return [*parts, formula[start:-1]]


def _closed(ways: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return all paths."""
    paths = set(ways)
    while more := {(i, k) for i, j in paths for h, k in paths if h == j} - paths:
        paths |= more
    return paths


def _names(chance: random.Random, rules: Sequence[str]) -> dict[str, str]:
    """Return what facts, their constants and views are called: what other things are, elsewhere."""
    found = sorted({match[0] for match in NAME.finditer("\n".join(rules))})
    names: dict[str, str] = {}
    for kind in "FNV":
        own = [name for name in found if name.startswith(kind)]
        pool = [*POOL, *(name[2:] for name in own), *(f"w{n}" for n in range(len(own)))]
        pool = list(dict.fromkeys(pool))
        if (
            kind == "V"
        ):  # a relation of a name that is a fact too is allowed, one of two arities not
            pool = [f"v-{name}" for name in pool]
        names |= zip(own, chance.sample(pool, len(own)), strict=True)
    return names
