"""Pairs of games that differ behind a lock, and pairs that say the same in other words.

What the moves of a play chose is kept, and one outcome of very many is the key: with it, and
with nothing else, something is different in the second game. So random play of a large pair
never meets the difference, and the length of the shortest play to it is known, since it is
where the lock was planted.

The facts are such as proofs like to reason of: tokens that go round and keep their number,
coins of which each move takes one, cells that two colours fill in turn. Where the key fits
they do what they never do else: one is lost, or won, or changes sides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Pair:
    """Two games.

    Attributes:
        kind: What was planted, in a few words.
        one: Rules of the first.
        other: Rules of the second.
        depth: Moves of the shortest play to a difference, None where there is none.
    """

    kind: str
    one: str
    other: str
    depth: int | None


def planted(seed: int, size: int) -> Pair:
    """Return a pair that differs after about ``size`` moves, and not before."""
    chance = random.Random(seed)
    return _ordered(chance, chance.choice(FAMILIES)(chance, size, chance.choice(KINDS)))


def equal(seed: int, size: int) -> Pair:
    """Return a pair in which no play shows a difference."""
    chance = random.Random(seed)
    return _ordered(chance, chance.choice(FAMILIES)(chance, size, ""))


def violating(seed: int, size: int) -> tuple[str, int]:
    """Return a game in which a goal is out of range behind a lock, and after how many moves."""
    chance = random.Random(seed)
    pair = chance.choice([_tokens, _coins])(chance, size, "goal")
    assert pair.depth is not None
    return f"{pair.one}\n(<= (goal r 101) done (true over))", pair.depth


def _ordered(chance: random.Random, pair: Pair) -> Pair:
    if chance.random() < 1 / 2:
        return pair
    return Pair(pair.kind, pair.other, pair.one, pair.depth)


KINDS = ("number", "number", "side", "goal", "ends", "legal")
"""What differs: how many there are, which there are, what is paid, the end, what may be done."""


LATE = (0, 0, 0, 1, 2)
"""Moves from where something is lost to the end of the game."""


def _clock(chance: random.Random, last: int) -> tuple[list[str], Callable[[int], str]]:
    """Return the rules of a clock, up or down, which ends the game; and what says its time."""
    name, down = chance.choice(["t", "step", "clock"]), chance.random() < 1 / 3
    hours = range(last, -1, -1) if down else range(last + 1)
    rules = [
        *(f"(after {a} {b})" for a, b in pairwise(hours)),
        f"(init ({name} {hours[0]}))",
        f"(<= (next ({name} ?b)) (true ({name} ?a)) (after ?a ?b))",
        f"(<= done (true ({name} {hours[-1]})))",
        "(<= terminal done)",
    ]
    return rules, lambda time: f"(true ({name} {hours[time]}))"


def _joined(*parts: str | Iterable[str]) -> str:
    return "\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts)


# ---------------------------------------------------------------------------- tokens


def _tokens(chance: random.Random, size: int, kind: str) -> Pair:
    """One or two of three places hold a token; a pick leaves the tokens or sends them round."""
    late = chance.choice(LATE)
    key = [chance.randrange(2) for _ in range(size)]  # all picks but the first two
    count = chance.choice([1, 2])
    is_bare = kind not in ("number", "side") and chance.random() < 1 / 3  # the second has none
    is_coarse = is_bare or chance.random() < 1 / 2  # how many there are is paid, not which
    rotated = chance.choice([("z", "x", "y"), ("y", "z", "x")])
    held = _held(count, key, rotated) if chance.random() < 2 / 3 else []

    def text(gamble: str, *, is_second: bool) -> str:
        clock, at = _clock(chance, size + 1 + late)
        upside_down = is_second and chance.random() < 1 / 2  # it stores the other picks
        name = chance.choice("bcd")
        fits = [_bit(f"({name} {i})", (bit == 1) != upside_down) for i, bit in enumerate(key)]
        has_tokens = not (is_second and is_bare)
        return _joined(
            "(role r)",
            clock,
            [f"(<= (now {i}) {at(i)})\n(<= open (now {i}))" for i in range(size)],
            "(<= (legal r (pick 0)) open) (<= (legal r (pick 1)) open)",
            "(<= (legal r pass) (not open))",
            f"(<= (hit ?i) (now ?i) (does r (pick {0 if upside_down else 1})))",
            f"(<= (next ({name} ?i)) (hit ?i)) (<= (next ({name} ?i)) (true ({name} ?i)))",
            f"(<= fit {at(size)} {' '.join(fits[2:])} {' '.join(held if has_tokens else [])})",
            f"(<= pq {' '.join(_bit(f'({name} {i})', not upside_down) for i in (0, 1))})",
            "" if kind == "legal" and is_second else "(<= (legal r gamble) fit)",
            "(<= terminal fit)" if kind == "ends" and is_second else "",
            "(<= (next over) (does r gamble)) (<= (next over) (true over))",
            _round(count, rotated) if has_tokens else "",
            gamble if has_tokens else "",
            "(<= odd (true over))" if kind == "goal" and is_second else "",
            _paid(is_coarse=is_coarse)
            if has_tokens
            else f"(<= (goal r {20 * count}) done (not odd))",
            "(<= (goal r 99) done odd)",
        )

    if is_bare:
        held = []
    one = other = _gamble(chance, count)
    if kind == "side":
        is_coarse = False
        one, other = (_moved(places) for places in ("xyz", "zxy"))
    elif kind == "number":
        one, other = _numbers(chance, count)
    elif is_coarse:
        other = _gamble(chance, count)
    depth = size if kind in ("ends", "legal") else size + 1 + late
    texts = text(one, is_second=False), text(other, is_second=True)
    return Pair(f"tokens: {kind or 'nothing'}", *texts, depth if kind else None)


def _bit(fact: str, holds: bool) -> str:  # noqa: FBT001  # what a literal says
    return f"(true {fact})" if holds else f"(not (true {fact}))"


def _held(count: int, key: Iterable[int], rotated: Sequence[str]) -> list[str]:
    """Return where the tokens are when all picks are those of the key."""
    held = {place: index < count for index, place in enumerate("xyz")}
    for pick in key:
        if pick:
            held = {to: held[source] for to, source in zip("xyz", rotated, strict=True)}
    return [_bit(place, is_held) for place, is_held in held.items()]


def _round(count: int, rotated: Sequence[str]) -> list[str]:
    moves = [("(pick 0)", "xyz"), ("(pick 1)", rotated), ("pass", "xyz")]
    return [f"(init {place})" for place in "xyz"[:count]] + [
        f"(<= (next {to}) (does r {move}) (true {source}))"
        for move, sources in moves
        for to, source in zip("xyz", sources, strict=True)
    ]


def _gamble(chance: random.Random, count: int) -> str:
    """Return a gamble after which so many places hold a token, whatever was before."""
    places = chance.sample("xyz", 3)
    if count in (1, 2) and chance.random() < 2 / 3:
        return _after([(places[0], "pq"), (places[1], "(not pq)"), (places[2], "")][: 1 + count])
    return _after([(place, "") for place in places[:count]])


def _numbers(chance: random.Random, count: int) -> tuple[str, str]:
    """Return a gamble after which there is a token more or less, and one that keeps them.

    Often the first hides behind the second: seen with the other's eyes, wherever its own are
    not sure, the number stays.
    """
    if chance.random() < 1 / 3:
        return _gamble(chance, chance.choice([count - 1, count + 1])), _gamble(chance, count)
    first, second, third = chance.sample("xyz", 3)
    split = [(first, "pq"), (second, "(not pq)")]
    if count == 1:
        return _after([*split, (third, "")]), _after([(third, "")])
    return _after(split), _after([(first, ""), (second, "")])


def _moved(sources: Iterable[str]) -> str:
    return _after((to, f"(true {source})") for to, source in zip("xyz", sources, strict=True))


def _after(rows: Iterable[tuple[str, str]]) -> str:
    """Return which places hold a token after a gamble, each under a condition."""
    return "\n".join(f"(<= (next {to}) (does r gamble) {holds})" for to, holds in rows)


def _paid(*, is_coarse: bool) -> list[str]:
    """Return goals that tell the number of tokens, or the places too."""
    found = []
    for number in range(8):
        held = [bool(number >> bit & 1) for bit in range(3)]
        value = 20 * sum(held) + (0 if is_coarse else number)
        literals = " ".join(_bit(place, each) for place, each in zip("xyz", held, strict=True))
        found.append(f"(<= (goal r {value}) done (not odd) {literals})")
    return found


# ----------------------------------------------------------------------------- coins


def _coins(chance: random.Random, size: int, kind: str) -> Pair:
    """Each move takes one of twice as many coins; those that are left are the key."""
    late = chance.choice(LATE)
    coins = range(2 * size)
    left = sorted(chance.sample(coins, size))
    paid, other_coin = chance.sample(left, 2)
    gone = chance.choice([coin for coin in coins if coin not in left])

    def text(*, is_second: bool) -> str:
        clock, at = _clock(chance, size + 1 + late)
        is_gone = is_second and chance.random() < 1 / 2  # it stores what was taken
        has = "(not (true (c {})))" if is_gone else "(true (c {}))"
        lacks = "(true (c {}))" if is_gone else "(not (true (c {})))"
        falls: list[int] = []
        rises: list[int] = []
        if kind == "number" and is_second:
            falls, rises = chance.choice([([paid], []), ([], [gone])])
        elif kind == "side":  # a coin more and a coin less in both games, but not the same ones
            falls, rises = [paid if is_second else other_coin], [gone]
        fits = " ".join((has if coin in left else lacks).format(coin) for coin in coins)
        stays, comes = ("rises", "falls") if is_gone else ("falls", "rises")
        return _joined(
            "(role r)",
            clock,
            [f"(<= open {at(i)})" for i in range(size)],
            [f"(coin {coin})" for coin in coins],
            f"(<= (legal r (take ?c)) open (coin ?c) {has.format('?c')})",
            "(<= (legal r pass) (not open))",
            f"(<= fit {at(size)} {fits})",
            "" if kind == "legal" and is_second else "(<= (legal r gamble) fit)",
            "(<= terminal fit)" if kind == "ends" and is_second else "",
            "(<= (next over) (does r gamble)) (<= (next over) (true over))",
            [f"(<= (falls {coin}) (does r gamble))" for coin in falls],
            [f"(<= (rises {coin}) (does r gamble))" for coin in rises],
            "(<= (falls ?c) (does r (take ?c)))",
            [] if is_gone else [f"(init (c {coin}))" for coin in coins],
            f"(<= (next (c ?c)) (true (c ?c)) (not ({stays} ?c)))",
            f"(<= (next (c ?c)) ({comes} ?c))",
            "(<= odd done (true over))" if kind == "goal" and is_second else "",
            f"(<= (goal r 60) done {has.format(paid)} {lacks.format(gone)} (not odd))",
            f"(<= (goal r 30) done {lacks.format(paid)} (not odd))",
            f"(<= (goal r 40) done {has.format(paid)} {has.format(gone)} (not odd))",
            "(<= (goal r 70) done odd)",
        )

    depth = size if kind in ("ends", "legal") else size + 1 + late
    one, other = text(is_second=False), text(is_second=True)
    return Pair(f"coins: {kind or 'nothing'}", one, other, depth if kind else None)


# ----------------------------------------------------------------------------- cells


def _cells(chance: random.Random, size: int, kind: str) -> Pair:
    """Two colours fill a row in turn; all cells but the last one to be filled are the key."""
    cells = list(range(size))
    chance.shuffle(cells)
    others = cells[1:]
    black, white = others[: size // 2], others[size // 2 :]
    if size % 2:  # black moves first, and last
        black, white = others[: (size - 1) // 2], others[(size - 1) // 2 :]
    flips = {"number": black[:1], "side": black[1:2]}

    def text(*, is_second: bool) -> str:
        clock, at = _clock(chance, size)
        is_bare = is_second and chance.random() < 1 / 2  # white is what is filled and not black
        dark = "(true (cell {} black))"
        light = "(true (cell {} white))"
        if is_bare:
            light = "(true (full {0})) (not (true (cell {0} black)))"
        flipped = flips.get(kind, []) if is_second else flips["number"] if kind == "side" else []
        return _joined(
            "(role black) (role white)",
            clock,
            [f"(<= (turn {'white' if i % 2 else 'black'}) {at(i)})" for i in range(size)],
            [f"(place {cell})" for cell in cells],
            "(<= (legal ?r (mark ?c)) (turn ?r) (place ?c) (not (full-now ?c)))",
            "(<= (legal ?r noop) (role ?r) (not (turn ?r)))",
            f"(<= fit {at(size - 1)} {' '.join(dark.format(c) for c in black)}"
            f" {' '.join(light.format(c) for c in white)})",
            "(<= (legal ?r skip) (turn ?r) fit)" if kind == "legal" and is_second else "",
            "(<= terminal fit)" if kind == "ends" and is_second else "",
            [f"(<= (flip {cell}) fit)" for cell in flipped],
            "(<= (next (cell ?c black)) (does black (mark ?c)))",
            "(<= (next (cell ?c black)) (true (cell ?c black)) (not (flip ?c)))",
            "(<= (next (full ?c)) (does ?r (mark ?c))) (<= (next (full ?c)) (true (full ?c)))"
            if is_bare
            else "(<= (next (cell ?c white)) (does white (mark ?c)))"
            "(<= (next (cell ?c white)) (flip ?c))"
            "(<= (next (cell ?c white)) (true (cell ?c white)))",
            "(<= (full-now ?c) (true (full ?c)))"
            if is_bare
            else "(<= (full-now ?c) (true (cell ?c ?m)))",
            "(<= (next odd) fit)" if kind == "goal" and is_second else "",
            f"(<= (goal black 100) done {dark.format(black[0])} (not (true odd)))",
            f"(<= (goal black 0) done (not {dark.format(black[0])}))",
            "(<= (goal black 50) done (true odd))",
            f"(<= (goal white 100) done (not {dark.format(black[0])}))",
            f"(<= (goal white 0) done {dark.format(black[0])})",
        )

    depth = size - 1 if kind in ("ends", "legal") else size
    one, other = text(is_second=False), text(is_second=True)
    return Pair(f"cells: {kind or 'nothing'}", one, other, depth if kind else None)


# ----------------------------------------------------------------------------- rings


ENDLESS_KINDS = ("legal", "ends", "goal")


def _rings(chance: random.Random, size: int, kind: str) -> Pair:
    """Counters that wrap around and lamps that are switched, for as long as one likes.

    One setting of all of them is the key, after which something is otherwise. In a second game
    that differs it never is, or the key has one lamp more. Nothing ends play but a move that may
    be made at any time, so that a proof has to hold of plays of any length, among far more states
    than can be looked at. The second game counts in binary, or keeps the lamps upside down.
    """
    lengths = [chance.choice([4, 8]), chance.choice([4, 8])]
    key = [chance.randrange(1, length) for length in lengths]
    lamps = range(max(2, size))
    lit = chance.sample(lamps, max(1, min(len(lamps), size - sum(key))))
    dark = [lamp for lamp in lamps if lamp not in lit]
    has_rival = chance.random() < 1 / 2
    late = chance.choice(LATE)
    effect = kind or chance.choice(ENDLESS_KINDS)
    is_missing = not dark or chance.random() < 1 / 2

    def text(*, is_second: bool) -> str:
        is_other = is_second and kind != ""
        wanted = [*lit, dark[0]] if is_other and not is_missing else lit
        found = "" if is_other and is_missing else effect
        is_binary = is_second and chance.random() < 2 / 3
        is_dark = is_second and chance.random() < 1 / 2
        count = _in_binary if is_binary else _in_unary
        shown = [count(f"ring{n}", length) for n, length in enumerate(lengths)]
        fits = [at(value) for (_, at), value in zip(shown, key, strict=True)]
        lamp = [_bit(f"(lamp {n})", (n in wanted) != is_dark) for n in lamps]
        return _joined(
            "(role r)",
            "(role s) (legal s hold) (legal s push) (<= (next pushed) (does s push))"
            if has_rival
            else "",
            *(rules for rules, _ in shown),
            [f"(lamp {n})" for n in lamps],
            [f"(init (lamp {n}))" for n in lamps] if is_dark else "",
            "(<= (legal r (switch ?n)) (lamp ?n))",
            "(legal r (turn ring0)) (legal r (turn ring1)) (legal r stop)",
            "(<= (next (lamp ?n)) (true (lamp ?n)) (not (does r (switch ?n))))",
            "(<= (next (lamp ?n)) (does r (switch ?n)) (not (true (lamp ?n))))",
            "(<= (next over) (does r stop)) (<= terminal (true over))",
            f"(<= fit {' '.join(fits)} {' '.join(lamp)} {'(true pushed)' if has_rival else ''})",
            # What follows the key shows after so many moves more; until then it looks the same.
            "(<= (next (since 0)) fit)",
            [f"(<= (next (since {n + 1})) (true (since {n})))" for n in range(late)],
            f"(<= odd {f'(true (since {late - 1}))' if late else 'fit'})",
            "(<= (legal r jump) odd)" if found == "legal" else "",
            "(<= terminal odd)" if found == "ends" else "",
            "(<= (next bent) odd)" if found == "goal" else "",
            "(<= (goal ?r 50) (role ?r) (true over) (not (true bent)))",
            "(<= (goal ?r 30) (role ?r) (true over) (true bent))",
        )

    # Each turn of a ring takes a move, and each lamp; the rival pushes meanwhile.
    depth = sum(key) + len(lit) + late + (kind == "goal")
    one, other = text(is_second=False), text(is_second=True)
    return Pair(f"rings: {kind or 'nothing'}", one, other, depth if kind else None)


def _in_unary(name: str, length: int) -> tuple[str, Callable[[int], str]]:
    """Return the rules of a counter that wraps, a fact a value; and what says its value."""
    rules = _joined(
        f"(init ({name} 0))",
        [
            f"(<= (next ({name} {(n + 1) % length})) (true ({name} {n})) (does r (turn {name})))"
            for n in range(length)
        ],
        f"(<= (next ({name} ?n)) (true ({name} ?n)) (not (does r (turn {name}))))",
    )
    return rules, lambda value: f"(true ({name} {value}))"


def _in_binary(name: str, length: int) -> tuple[str, Callable[[int], str]]:
    """Return likewise of a counter in bits; its length is a power of two."""
    rows = []
    for bit in range(length.bit_length() - 1):
        below = [f"(true ({name} bit{lower}))" for lower in range(bit)]
        turned = f"(does r (turn {name})) {' '.join(below)}"
        kept = [f"(not (true ({name} bit{lower})))" for lower in range(bit)]
        mine = f"({name} bit{bit})"
        rows.append(f"(<= (next {mine}) (not (true {mine})) {turned})")
        rows.append(f"(<= (next {mine}) (true {mine}) (not (does r (turn {name}))))")
        rows += [f"(<= (next {mine}) (true {mine}) {low})" for low in kept]
    bits = range(length.bit_length() - 1)
    return _joined(rows), lambda value: " ".join(
        _bit(f"({name} bit{bit})", bool(value >> bit & 1)) for bit in bits
    )


FAMILIES = (_tokens, _coins, _cells)


def endless(seed: int, size: int, *, is_planted: bool) -> Pair:
    """Return a pair whose plays may be of any length; they differ, or they do not."""
    chance = random.Random(seed)
    kind = chance.choice(ENDLESS_KINDS) if is_planted else ""
    return _ordered(chance, _rings(chance, size, kind))
