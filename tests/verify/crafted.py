"""Small pairs made by hand to fool proofs, each with what would fool which step.

Of each it is known whether its games differ, and after how many moves; they are small enough that
all their states can be looked at (`parts_after`), which knows no circuit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from gdl.language.parse import parse
from gdl.meaning.machine import Meaning, State

ONE: Final = "(role r) (legal r a) (legal r b)"
TWO: Final = "(role r) (role s) (legal r a) (legal r b) (legal s a) (legal s b)"
KEY: Final = "abbabaabbaab"
"""A lock: what has to be done, move by move; of 4096 plays as long one does."""
LAST: Final = f"(true (k {len(KEY) - 1})) (does r {KEY[-1]})"
OPENED: Final = f"(true (k {len(KEY)}))"


class Crafted(NamedTuple):
    """A pair: why it fools, both games, and after how many moves they differ, None for never."""

    why: str
    one: str
    other: str
    depth: int | None


def lock(key: Sequence[str] = KEY, fact: str = "k", role: str = "r") -> str:
    """Return rules of a lock: a right move goes on, a wrong one leads back to the beginning."""
    rules = [f"(init ({fact} 0))"]
    for at, move in enumerate(key):
        here, does = f"(true ({fact} {at}))", f"(does {role} {move})"
        rules.append(f"(<= (next ({fact} {at + 1})) {here} {does})")
        rules.append(f"(<= (next ({fact} 0)) {here} (not {does}))")
    return " ".join(rules)


def clock(hours: int, fact: str = "c", when: str = "") -> str:
    """Return rules of a clock that goes on by itself, or when something is so."""
    rules = [f"(init ({fact} 0))"]
    for hour in range(hours):
        rules.append(f"(<= (next ({fact} {(hour + 1) % hours})) (true ({fact} {hour})) {when})")
        if when:
            rules.append(f"(<= (next ({fact} {hour})) (true ({fact} {hour})) (not {when}))")
    return " ".join(rules)


def bits(width: int) -> str:
    """Return rules of a binary counter that wraps around."""
    rules = []
    for place in range(width):
        rules.append(f"(init (bit {place} 0))")
        carry = " ".join(f"(true (bit {low} 1))" for low in range(place))
        for value in (0, 1):
            here = f"(true (bit {place} {value}))"
            rules.append(f"(<= (next (bit {place} {1 - value})) {here} {carry})")
            rules += (
                f"(<= (next (bit {place} {value})) {here} (true (bit {low} 0)))"
                for low in range(place)
            )
    return " ".join(rules)


def _ring(cells: int, first: int, second: int, ends: str) -> str:
    """Two tokens on a ring that a move takes into opposite directions."""
    steps = []
    for at in range(cells):
        for token, move, by in (("p", "a", 1), ("p", "b", -1), ("q", "b", 1), ("q", "a", -1)):
            to = (at + by) % cells
            steps.append(f"(<= (next ({token} {to})) (true ({token} {at})) (does r {move}))")
    return f"{ONE} (goal r 50) (init (p {first})) (init (q {second})) {' '.join(steps)} {ends}"


def _twins(pays: str, unless: str = "") -> str:
    """Two facts that are equal, but perhaps after one move."""
    return f"""{ONE} {lock()} (<= terminal {OPENED}) (<= (next p) (does r b))
        (<= (next q) (does r b) {unless})
        (<= g1 (true {pays}) (true u)) (<= g2 g1 (not (true w))) (init u)
        (<= (next u) (true u)) (<= (next w) (true w))
        (<= (goal r 100) g2) (<= (goal r 0) (not g2))"""


def _alarm(pays: str) -> str:
    return f"""{ONE} {lock()} (<= terminal {OPENED}) (<= (next alarm) {LAST})
        (<= (goal r 100) {pays}) (<= (goal r 0) (not {pays}))"""


def _day(pays: str) -> str:
    key = KEY[:-1]  # an odd number of moves, and nothing in it but wrong ones makes it another
    last = f"(true (k {len(key) - 1})) (does r {key[-1]})"
    return f"""{ONE} {lock(key)} (<= terminal (true (k {len(key)}))) (init day)
        (<= (next day) (not (true day))) (<= (next day) {last}) (<= (next night) (true day))
        (<= (goal r 100) {pays}) (<= (goal r 0) (not {pays}))"""


def _open_goal(pays: str) -> str:
    return f"""{ONE} {lock()} (<= terminal (true stop)) (init on) (<= (next on) (true on))
        (<= (next stop) {OPENED} (does r b)) (<= (next p) {LAST})
        (<= (goal r 50) (not {pays})) (<= (goal r 60) {pays})"""


def _skips(hours: int, also: str) -> str:
    """Turns alternate but where a clock strikes."""
    strikes = f"(true (c {hours - 1}))"
    return f"""(role r) (role s) (init (turn r)) (goal r 50) (goal s 50) (d 1) (d 2) {clock(hours)}
        (init even) (<= (next even) (true even) (not {strikes}))
        (<= (next even) (not (true even)) {strikes})
        (<= (legal ?r (go ?x)) (true (turn ?r)) (d ?x)) (other r s) (other s r)
        (<= (legal ?r noop) (true (turn ?q)) (other ?r ?q)) (<= stay {strikes} {also})
        (<= (next (turn ?r)) (true (turn ?r)) stay)
        (<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q) (not stay))"""


def _thirds(first: int, pays: int) -> str:
    return f"""{ONE} {lock(KEY[:9])} {clock(3, "x").replace("(init (x 0))", f"(init (x {first}))")}
        (<= terminal (true (k 9))) (<= (goal r 10) (true (x {pays})))
        (<= (goal r 20) (not (true (x {pays}))))"""


def _two_locks(goals: str) -> str:
    keys = lock("abbabba") + lock("abbabba", "m", "s")
    return f"""{TWO} {keys} (<= terminal (true (k 7))) (<= terminal (true (m 7))) {goals}
        (<= (goal r 100) (true (k 7)) (not (true (m 7))))
        (<= (goal s 100) (true (m 7)) (not (true (k 7))))
        (<= (goal r 0) (not (true (k 7)))) (<= (goal s 0) (not (true (m 7))))"""


def _tie(mine: int, theirs: int) -> str:
    both = "(true (k 7)) (true (m 7))"
    return _two_locks(f"(<= (goal r {mine}) {both}) (<= (goal s {theirs}) {both})")


def _born(where: str) -> str:
    """A token that goes round where r says a, and one more that comes at some hour."""
    steps = clock(5, "t", "(does r a)")
    more = f"(<= (next (t 2)) {where} (does r b) (does s a))"
    two = "(<= two (true (t ?x)) (true (t ?y)) (distinct ?x ?y)) (<= terminal two)"
    return f"{TWO} (goal r 50) (goal s 50) {clock(11)} {steps} {more} {two}"


def _stuck(rest: str) -> str:
    """Nobody can move where the lock opens; behind that all may be otherwise."""
    key = KEY[:9]
    free = "(not (true (k 9)))"
    return f"""(role r) (<= (legal r a) {free}) (<= (legal r b) {free}) {lock(key)}
        (<= (next (k 10)) (true (k 9))) (<= terminal (true (k 10))) {rest}"""


def _ends(body: str, rest: str = "") -> str:
    return f"{ONE} (goal r 50) {clock(6)} {lock(KEY[:8])} (<= terminal {body}) {rest}"


def _cut(when: str) -> str:
    """A fact that one pair of moves takes away, at some hour of thirteen."""
    return f"""{TWO} (goal r 50) (goal s 50) (init f) {clock(13)} (<= (next f) (true f) (not cut))
        (<= cut (does r a) (does s b) {when}) (<= terminal (not (true f)) (true (c 5)))"""


def _shifted(first: str, ends: str) -> str:
    """Two shift registers that take in the same."""
    steps = "".join(
        f"(<= (next (d{n} 0)) (does r a))"
        + "".join(f"(<= (next (d{n} {at + 1})) (true (d{n} {at})))" for at in range(6))
        for n in (1, 2)
    )
    return f"{ONE} (goal r 50) {first} {steps} (<= terminal {ends})"


def _gray(width: int, ends: str) -> str:
    """A counter in Gray's code, of which one bit a move is another."""
    rules = [
        f"(init (g {place} 0)) (<= (flip {place + 1}) (true (odd 1)) (true (g {place} 1)) "
        + " ".join(f"(true (g {low} 0))" for low in range(place))
        + ")"
        for place in range(width)
    ]
    return f"""{ONE} (goal r 50) {" ".join(rules)} (init (odd 0)) (<= (flip 0) (true (odd 0)))
        (<= (next (odd 1)) (true (odd 0))) (<= (next (odd 0)) (true (odd 1)))
        (<= (next (g ?i 1)) (true (g ?i 0)) (flip ?i))
        (<= (next (g ?i 0)) (true (g ?i 1)) (flip ?i))
        (<= (next (g ?i ?v)) (true (g ?i ?v)) (not (flip ?i))) (<= terminal {ends})"""


def _alike(told: str, pays: str) -> str:
    """Whether two did the same in the last move, of which one has a move that the other lacks."""
    return f"""{TWO} (legal s c) {lock(KEY[:7])} {told} (<= terminal (true (k 7)))
        (<= (goal ?p 100) (role ?p) {pays}) (<= (goal ?p 0) (role ?p) (not {pays}))"""


def _ways(*rules: str) -> str:
    """A circle of ways, each of which may be cut; paths as they are told."""
    arcs = "(arc 1 2) (arc 2 3) (arc 3 4) (arc 4 1)"
    return f"""{ONE} {arcs} {lock(KEY[:8])} (<= (next (cut ?x)) (true (cut ?x)))
        (<= (next (cut ?x)) (true (k ?x)) (arc ?x ?y) (does r b))
        (<= (way ?x ?y) (arc ?x ?y) (not (true (cut ?x)))) (<= (path ?x ?y) (way ?x ?y))
        {" ".join(rules)} (<= terminal (not (path 1 1))) (<= terminal (true (k 8)))
        (<= (goal r 100) (path 1 3)) (<= (goal r 0) (not (path 1 3)))"""


def _chance(roles: str) -> str:
    return f"""{roles} (legal r a) (legal r b) (legal random h) (legal random t) {clock(5)}
        (init (n 0)) (<= (next (n ?i)) (true (n ?i)) (does random t)) (up 0 1) (up 1 2) (up 2 3)
        (<= (next (n ?j)) (true (n ?i)) (up ?i ?j) (does random h)) (<= terminal (true (c 4)))
        (<= (goal r 100) (true (n 3))) (<= (goal r 0) (not (true (n 3))))"""


_WHEELS: Final = f"{ONE} (goal r 50) {clock(7, 'x')} {clock(11, 'y')}"
_HOURS: Final = f"{ONE} (goal r 50) {clock(8, 'x')} {clock(12, 'y')}"
_MET: Final = (
    "(<= (next odd) (does r a) (does s b)) (<= (next odd) (does r b) (does s a)) (init odd)"
)
_BINARY: Final = f"{ONE} (goal r 50) {bits(6)}"
_UNREACHED: Final = f"""{ONE} (goal r 50) (init x0)
    (<= (next x1) (true x0)) (<= (next x2) (true x1)) (<= (next x0) (true x2))
    (<= (next y1) (true y0)) (<= (next y2) (true y1)) (<= (next y0) (true y2))
    (<= (next y0) (true x0) (true x1))"""
_NOT_LAST: Final = f"(not (true (k {len(KEY) - 1})))"
_ANY: Final = "(<= (other ?x) (true (k ?x)) (distinct ?x 8)) (<= any (other ?x))"

PAIRS: Final = {
    "twins part at the end": Crafted(
        "two facts, and gates over them, are equal wherever play goes on, and not in the state "
        "that ends it: there an equality proved by induction says nothing",
        _twins("p", _NOT_LAST),
        _twins("q", _NOT_LAST),
        12,
    ),
    "twins part, unseen": Crafted(
        "as before, but neither goal looks at the fact that parts",
        _twins("p", _NOT_LAST),
        _twins("p"),
        None,
    ),
    "fixed until the end": Crafted(
        "a fact is false wherever play goes on, and true in the state that ends it",
        _alarm("(true alarm)"),
        _alarm("(true never)"),
        12,
    ),
    "fixed until the end, told by the lock": Crafted(
        "as before, and the other game tells it by another fact that is false until then",
        _alarm("(true alarm)"),
        _alarm(OPENED),
        None,
    ),
    "opposites that both hold at the end": Crafted(
        "a fact is the opposite of another one wherever play goes on, and both end it",
        _day("(true night)"),
        _day("(not (true day))"),
        11,
    ),
    "goals part while play goes on": Crafted(
        "nothing that pays differs, which is proved first; what rests on that is asked about goals "
        "of open states, behind a lock",
        _open_goal("(true p)"),
        _open_goal("(true never)"),
        12,
    ),
    "goals while play goes on, told otherwise": Crafted(
        "as before, where both say the same by other facts",
        _open_goal("(true p)"),
        _open_goal(OPENED),
        None,
    ),
    "turns part after the second wrap": Crafted(
        "whose turn it is hangs on how often a clock has wrapped: once round nothing differs",
        _skips(7, ""),
        _skips(7, "(true even)"),
        14,
    ),
    "first states differ, late": Crafted(
        "the first states differ in a fact that nothing asks about before the lock opens",
        _thirds(0, 0),
        _thirds(1, 0),
        9,
    ),
    "first states differ, never seen": Crafted(
        "the first states differ, and so does what is asked about at the end",
        _thirds(1, 1),
        _thirds(2, 2),
        None,
    ),
    "binary and Gray": Crafted(
        "two counters that share no bit but the highest: few equalities, many states",
        f"{_BINARY} (<= terminal (true (bit 5 1)) (true (bit 0 1)))",
        _gray(6, "(true (g 5 1)) (true (odd 1))"),
        None,
    ),
    "binary and Gray, a bit lower": Crafted(
        "likewise, where one ends half a round too early",
        f"{_BINARY} (<= terminal (true (bit 5 1)) (true (bit 0 1)))",
        _gray(6, "(true (g 4 1)) (true (odd 1))"),
        17,
    ),
    "who gains of a tie": Crafted(
        "the roles are alike but for one end, so that exchanging them is a matching that play "
        "bears out for long",
        _tie(60, 40),
        _tie(40, 60),
        7,
    ),
    "roles in another order": Crafted(
        "as before, but only the list of roles is in another order",
        _tie(60, 40),
        _tie(60, 40).replace("(role r) (role s)", "(role s) (role r)"),
        None,
    ),
    "a token is born at the wrap": Crafted(
        "the number of tokens is the same at each ply of nearly every play, and grows by one pair "
        "of moves at one hour",
        _born("(true (c 10)) (true (t 0))"),
        _born("(true (c 11))"),
        11,
    ),
    "a token is born where one is": Crafted(
        "likewise, but onto the place of the token that is there: a sum of gains counts two",
        _born("(true (c 10)) (true (t 2))"),
        _born("(true (c 11))"),
        None,
    ),
    "goals part behind where nobody can move": Crafted(
        "the rules go on where somebody is stuck, and play does not",
        _stuck("(goal r 10)"),
        _stuck("(<= (goal r 10) (not (true (k 10)))) (<= (goal r 20) (true (k 10)))"),
        None,
    ),
    "a move where nobody can move": Crafted(
        "the only move of a state in which the other game is stuck",
        _stuck("(goal r 10)"),
        _stuck("(goal r 10) (<= (legal r c) (true (k 9)))"),
        9,
    ),
    "a fact that no rule asks about": Crafted(
        "no clause has the variable of that fact, and a solver's model has no value for it",
        _ends("(not any)", _ANY),
        _ends("(true (k 8))"),
        None,
    ),
    "08 is not 8": Crafted(
        "numbers are names: what is called 08 is distinct from 8",
        _ends("(true (k ?x)) (late ?x) (distinct ?x 08)", "(late 7) (late 8)"),
        _ends("(true (k 7))"),
        None,
    ),
    "three nots": Crafted(
        "negations of helpers, one of which has no rule",
        _ends(
            "(not i) (not (no 1))",
            "(<= f (true (k 8))) (<= g (not f)) (<= h (not g)) (<= i (not h))",
        ),
        _ends("(true (k 8))"),
        None,
    ),
    "a cut that asks for an hour": Crafted(
        "a fact is kept by all steps but one pair of moves at one hour; what it changes is seen "
        "at another hour, after the wrap",
        _cut("(true (c 12))"),
        _cut("(true (c 11))"),
        18,
    ),
    "registers that part at first": Crafted(
        "two registers are equal from the seventh state on, and not before",
        _shifted("(init (d1 0))", "(true (d1 6)) (not (true (d2 6)))"),
        _shifted("(init (d1 0))", "(true never)"),
        6,
    ),
    "registers": Crafted(
        "two registers are equal, which takes an equality a place; each alone is not inductive",
        _shifted("", "(true (d1 6)) (not (true (d2 6)))"),
        _shifted("", "(true never)"),
        None,
    ),
    "tokens of one parity": Crafted(
        "two tokens never meet, since their distance stays odd; no pair of facts says that",
        _ring(12, 0, 5, "(<= terminal (true (p ?x)) (true (q ?x)))"),
        _ring(12, 0, 5, "(<= terminal (true (p 77)))"),
        None,
    ),
    "tokens of a ring of odd length": Crafted(
        "the same on a ring where parity changes once round",
        _ring(13, 0, 5, "(<= terminal (true (p ?x)) (true (q ?x)))"),
        _ring(13, 0, 5, "(<= terminal (true (p 77)))"),
        4,
    ),
    "an unreached loop": Crafted(
        "states that lead to an end and come from themselves alone: no k is enough for an "
        "induction over k moves whose states may be the same",
        _UNREACHED + "(<= terminal (true y2))",
        _UNREACHED + "(<= terminal (true y9))",
        None,
    ),
    "two wheels and one": Crafted(
        "two wheels that show an hour together once in all their turns, and one of as many hours",
        f"{_WHEELS} (<= terminal (true (x 6)) (true (y 10)))",
        f"{ONE} (goal r 50) {clock(77, 'm')} (<= terminal (true (m 76)))",
        None,
    ),
    "two wheels, an hour too early": Crafted(
        "as before, where they show it one move earlier",
        f"{_WHEELS} (<= terminal (true (x 5)) (true (y 9)))",
        f"{ONE} (goal r 50) {clock(77, 'm')} (<= terminal (true (m 76)))",
        75,
    ),
    "a move at one hour of twenty-four": Crafted(
        "two wheels whose hours never meet in most pairs, and in this one once a turn",
        f"{_HOURS} (<= (legal r c) (true (x 1)) (true (y 5)))",
        f"{_HOURS} (<= (legal r c) (true never))",
        17,
    ),
    "a move at an hour that never comes": Crafted(
        "as before, for hours of other remainders",
        f"{_HOURS} (<= (legal r c) (true (x 1)) (true (y 4)))",
        f"{_HOURS} (<= (legal r c) (true never))",
        None,
    ),
    "the same, but for a third move": Crafted(
        "of two moves each, to do the same is not to differ; one of the roles has a third",
        _alike(_MET, "(true odd)"),
        _alike("(<= (next same) (does r ?m) (does s ?m))", "(not (true same))"),
        7,
    ),
    "ways told from the other end": Crafted(
        "recursion on the left and on the right, over ways that moves cut",
        _ways("(<= (path ?x ?z) (path ?x ?y) (way ?y ?z))"),
        _ways("(<= (path ?x ?z) (way ?x ?y) (path ?y ?z))"),
        None,
    ),
    "ways told one by one": Crafted(
        "recursion, and as many steps as there can be",
        _ways("(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))"),
        _ways(
            "(<= (path ?x ?z) (way ?x ?y) (way ?y ?z))",
            "(<= (path ?x ?z) (way ?x ?y) (way ?y ?u) (way ?u ?z))",
            "(<= (path ?x ?z) (way ?x ?y) (way ?y ?u) (way ?u ?v) (way ?v ?z))",
        ),
        None,
    ),
    "chance is the first role": Crafted(
        "chance stands for chance, whatever its place among the roles",
        _chance("(role r) (role random)"),
        _chance("(role random) (role r)"),
        None,
    ),
    "facts that are called does and legal": Crafted(
        "what a fact is called is no keyword",
        f"""{ONE} (goal r 50) (init (does r a)) (<= (next (does r b)) (does r a) (true (does r a)))
        (<= (next (does r a)) (true (does r b)))
        (<= (next (legal x)) (true (does r b)) (does r b)) (<= terminal (true (legal x)))""",
        f"""{ONE} (goal r 50) (init p) (<= (next q) (does r a) (true p)) (<= (next p) (true q))
        (<= (next w) (true q) (does r b)) (<= terminal (true w))""",
        None,
    ),
    "over where nobody can move": Crafted(
        "an end that asks what is legal, and moves that go on behind the end of the other game",
        f"""(role r) {lock(KEY[:8])} (<= (legal r ?m) (m ?m) (not (true (k 8)))) (m a) (m b)
        (goal r 50) (<= terminal (not open)) (<= open (legal r ?m))""",
        f"{ONE} {lock(KEY[:8])} (goal r 50) (<= terminal (true (k 8)))",
        None,
    ),
    "distinct by their form": Crafted(
        "terms of other names or depth are distinct, those of one name by their parts",
        _ends(
            "(true (k ?x)) (distinct (f ?x) (f 3)) (distinct (f ?x) (g ?x)) (late ?x)",
            "(late 3) (late 8)",
        ),
        _ends("(true (k 8))"),
        None,
    ),
    "two goals at once": Crafted(
        "both pay as much as before where the lock opens, and one pays nothing besides",
        f"""{ONE} {lock(KEY[:8])} (<= terminal (true (k 8))) (<= (goal r 100) (true (k 8)))
        (goal r 0)""",
        f"""{ONE} {lock(KEY[:8])} (<= terminal (true (k 8))) (<= (goal r 100) (true (k 8)))
        (<= (goal r 0) (not (true (k 8))))""",
        8,
    ),
}
"""By name."""


def parts_after(one: str, other: str) -> int | None:
    """Return after how many moves two games differ, by looking at all pairs of their states.

    Goals of states where play goes on count where nothing else differs. Cost O(states), each by the
    definition.
    """
    games = Meaning(parse(one)), Meaning(parse(other))
    roles = games[0].roles
    order = [roles.index(role) for role in games[1].roles]
    level = [(games[0].initial(), games[1].initial())]
    met, depth, opened = set(level), 0, None

    def goals(game: Meaning, state: State) -> list[tuple[int, ...]]:
        return [game.goals(state, role) for role in roles]

    while level:
        later = []
        for states in level:
            over = [game.is_terminal(state) for game, state in zip(games, states, strict=True)]
            paid = [goals(game, state) for game, state in zip(games, states, strict=True)]
            if over[0] != over[1] or (over[0] and paid[0] != paid[1]):
                return depth
            if over[0]:
                continue
            if paid[0] != paid[1] and opened is None:
                opened = depth
            legal = [
                [set(game.legal(state, role)) for role in roles]
                for game, state in zip(games, states, strict=True)
            ]
            if legal[0] != legal[1]:
                return depth
            for joint in product(*legal[0]):
                after = (
                    games[0].successor(states[0], joint),
                    games[1].successor(states[1], tuple(joint[role] for role in order)),
                )
                if after not in met:
                    met.add(after)
                    later.append(after)
        level, depth = later, depth + 1
    return opened
