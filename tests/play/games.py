"""Small games of every kind, positions by seed, and plain searches to compare with."""

from __future__ import annotations

from pathlib import Path
from random import Random

from gdl.game import Game, load
from gdl.state import State
from tests.cli.conftest import COIN

PENNIES = """\
(role even) (role odd)
(side heads) (side tails)
(init fresh)
(<= (legal ?r (show ?s)) (role ?r) (side ?s))
(<= (next (shown ?r ?s)) (does ?r (show ?s)))
(<= same (true (shown even ?s)) (true (shown odd ?s)))
(<= terminal (not (true fresh)))
(<= (goal even 100) same)
(<= (goal even 0) (not same))
(<= (goal odd 100) (not same))
(<= (goal odd 0) same)
"""
"""Both move at once; nothing is better than to draw one's side."""

DOMINATED = PENNIES.replace(
    "(<= same (true (shown even ?s)) (true (shown odd ?s)))",
    """\
(<= same (true (shown even heads)))
""",
)
"""Both move at once, and even wins by heads whatever odd does."""

HEAPS = (
    "(role x) (role y) (init (control x)) (init (heap a 14)) (init (heap b 14)) (init (heap c 14))"
    + "".join(
        f"(n {i})" + "".join(f"(minus {i} {j} {i - j})" for j in range(i + 1)) for i in range(15)
    )
    + """
(<= (base (heap ?h ?n)) (init (heap ?h ?m)) (n ?n))
(<= (base (control ?r)) (role ?r))
(<= (input ?r (take ?a ?b ?c)) (role ?r) (n ?a) (n ?b) (n ?c))
(<= (input ?r noop) (role ?r))
(<= (some ?a ?b ?c) (n ?a) (n ?b) (n ?c) (or (distinct ?a 0) (distinct ?b 0) (distinct ?c 0)))
(<= (has ?h ?n) (true (heap ?h ?m)) (minus ?m ?n ?left))
(<= (legal ?r (take ?a ?b ?c)) (true (control ?r)) (some ?a ?b ?c) (has a ?a) (has b ?b) (has c ?c))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (heap a ?k)) (does ?r (take ?a ?b ?c)) (true (heap a ?m)) (minus ?m ?a ?k))
(<= (next (heap b ?k)) (does ?r (take ?a ?b ?c)) (true (heap b ?m)) (minus ?m ?b ?k))
(<= (next (heap c ?k)) (does ?r (take ?a ?b ?c)) (true (heap c ?m)) (minus ?m ?c ?k))
(<= (next (control y)) (true (control x)))
(<= (next (control x)) (true (control y)))
(<= terminal (true (heap a 0)) (true (heap b 0)) (true (heap c 0)))
(<= (goal ?r 100) (true (control ?r)))
(<= (goal ?r 0) (role ?r) (not (true (control ?r))))
"""
)
"""Who takes all that is left of three heaps loses; 3,374 moves to begin with."""

COUNTER = """\
(role solver)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(init (at 0)) (init (step 0))
(<= (legal solver up) (true (at ?n)))
(<= (legal solver stay) (true (at ?n)))
(<= (next (at ?m)) (does solver up) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?n)) (does solver stay) (true (at ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 6)))
(<= (goal solver 100) (true (at 6)))
(<= (goal solver 20) (not (true (at 6))))
"""
"""One role; of 64 lines a single one is worth 100."""

IDLER = """\
(role solver)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(init (at 0)) (init (light on))
(<= (legal solver await) (not terminal))
(<= (legal solver go) (not terminal))
(<= (next (at ?m)) (does solver go) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?n)) (does solver await) (true (at ?n)))
(<= (next (light off)) (does solver await) (true (light on)))
(<= (next (light on)) (does solver await) (true (light off)))
(<= (next (light ?x)) (does solver go) (true (light ?x)))
(<= terminal (true (at 5)))
(<= (goal solver 100) (true (at 5)))
(<= (goal solver 0) (not (true (at 5))))
"""
"""One role that wins in five moves, and may wait for ever before each."""

THREE = """\
(role a) (role b) (role c)
(after a b) (after b c) (after c a)
(init (turn a)) (init (left 6))
(less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(less 6 4) (less 5 3) (less 4 2) (less 3 1) (less 2 0)
(<= (legal ?r (take ?m)) (true (turn ?r)) (true (left ?n)) (less ?n ?m))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (left ?m)) (does ?r (take ?m)))
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
(<= (next (last ?r)) (does ?r (take 0)))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (true (last ?r)))
(<= (goal ?r 30) (role ?r) (not (true (last ?r))))
"""
"""Three roles take one or two of six; who takes the last wins."""

BLIND = COIN.replace("(glimpse ?s)) (does random (toss ?s))", "air) (does random (toss ?s))")
"""The same without the glimpse: the guesser knows that a coin fell."""

DICE = """\
(role you) (role random)
(init fresh)
(face 1) (face 2) (face 3) (face 4) (face 5)
(<= (legal you safe) (true fresh))
(<= (legal you gamble) (true fresh))
(<= (legal you noop) (true rolling))
(<= (legal random noop) (true fresh))
(<= (legal random (roll ?n)) (true rolling) (face ?n))
(<= (next safe) (does you safe))
(<= (next rolling) (does you gamble))
(<= (next (rolled ?n)) (does random (roll ?n)))
(<= terminal (true safe))
(<= terminal (true (rolled ?n)))
(<= (goal you 60) (true safe))
(<= (goal you 0) (true (rolled 1)))
(<= (goal you 100) (true (rolled ?n)) (distinct ?n 1))
"""
"""Nothing is hidden, but a die is rolled: 60 for sure, or 80 on average."""

MONTY_HALL = """\
(role random) (role guest)
(door 1) (door 2) (door 3)
(init (step 1)) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
(<= (legal random (hide ?d)) (true (step 1)) (door ?d))
(<= (legal guest (choose ?d)) (true (step 2)) (door ?d))
(<= (legal random (open ?d)) (true (step 3)) (door ?d) (not (true (car ?d)))
    (not (true (chosen ?d))))
(<= (legal guest keep) (true (step 4)))
(<= (legal guest switch) (true (step 4)))
(<= acts (true (step 1)))
(<= acts (true (step 3)))
(<= (legal random noop) (not acts))
(<= (legal guest noop) acts)
(<= (next (car ?d)) (does random (hide ?d)))
(<= (next (car ?d)) (true (car ?d)))
(<= (next (chosen ?d)) (does guest (choose ?d)))
(<= (next (chosen ?d)) (true (chosen ?d)) (not (does guest switch)))
(<= (next (open ?d)) (does random (open ?d)))
(<= (next (open ?d)) (true (open ?d)))
(<= (next (chosen ?e)) (does guest switch) (door ?e) (not (true (open ?e)))
    (not (true (chosen ?e))))
(<= (sees guest (opened ?d)) (does random (open ?d)))
(<= terminal (true (step 5)))
(<= won (true (car ?d)) (true (chosen ?d)))
(<= (goal guest 100) won)
(<= (goal guest 0) (not won))
(goal random 0)
"""
"""A car behind one of three doors; the host opens one of the others that hides none."""

_STEPS = " ".join(f"(after {n} {n + 1})" for n in range(12))
WALK = f"""\
(role walker) {_STEPS}
(init (at 5))
(<= (legal walker back) (true (at ?n)) (after ?m ?n))
(<= (legal walker on) (true (at ?n)) (after ?n ?m))
(<= (next (at ?m)) (true (at ?n)) (does walker back) (after ?m ?n))
(<= (next (at ?m)) (true (at ?n)) (does walker on) (after ?n ?m))
(<= terminal (true (at 12)))
(<= (goal walker 100) (true (at 12)))
(<= (goal walker 0) (not (true (at 12))))
"""
"""A way of seven steps on which one may go to and fro for ever; every state is won."""

_NUMBERS = " ".join(f"(number {n})" for n in range(60))
SECRETS = f"""\
(role hider) (role seeker) {_NUMBERS}
(init (step 1)) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
(picks 1) (picks 2) (picks 3)
(<= (legal hider (pick ?n)) (number ?n) (true (step ?s)) (picks ?s))
(<= (legal hider noop) (true (step ?s)) (not (picks ?s)))
(<= (legal seeker noop) (not (true (step 5))))
(<= (legal seeker (guess ?n)) (number ?n) (true (step 5)))
(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
(<= (next (picked ?s ?n)) (does hider (pick ?n)) (true (step ?s)))
(<= (next (picked ?s ?n)) (true (picked ?s ?n)))
(<= (next right) (does seeker (guess ?n)) (true (picked 1 ?n)))
(<= (sees seeker (was ?s ?n)) (true (step 4)) (true (picked ?s ?n)))
(<= terminal (true (step 6)))
(<= (goal seeker 100) (true right))
(<= (goal seeker 0) (not (true right)))
(<= (goal hider 0) (true right))
(<= (goal hider 100) (not (true right)))
"""
"""Three numbers are hidden, then all are shown at once: too many states to draw the true one."""

LATER = """\
(role a) (role b)
(init early)
(side heads) (side tails)
(<= (legal a (show ?s)) (true early) (side ?s))
(<= (legal b wait) (true early))
(<= (legal ?r (show ?s)) (role ?r) (true late) (side ?s))
(<= (next late) (true early))
(<= (next (shown ?r ?s)) (true late) (does ?r (show ?s)))
(<= same (true (shown a ?s)) (true (shown b ?s)))
(<= terminal (true (shown a ?s)))
(<= (goal a 100) same)
(<= (goal a 0) (not same))
(<= (goal b 100) (not same))
(<= (goal b 0) same)
"""
"""First one role moves, then both at once."""

KINDS = {
    "later": LATER,
    "pennies": PENNIES,
    "dominated": DOMINATED,
    "counter": COUNTER,
    "three": THREE,
    "coin": COIN,
    "blind": BLIND,
    "dice": DICE,
}


def game_of(text: str, folder: Path, *, name: str = "game") -> Game:
    """Return the game of a rule text."""
    path = folder / f"{name}.kif"
    path.write_text(text, encoding="utf-8")
    return load(path)


def random_state(game: Game, plies: int, seed: int) -> State:
    """Return a state that is not over, after so many random plies."""
    chance = Random(seed)
    while True:
        state = game.initial()
        while state.ply < plies and not state.is_terminal:
            state = state.play([chance.choice(state.legal(role)) for role in game.roles])
        if not state.is_terminal:
            return state


def minimax(state: State, role: str, known: dict[object, int]) -> int:
    """Return the value of a state to a role by looking at everything; roles take turns."""
    if state.is_terminal:
        return state.goal(role)
    if state.inner not in known:
        mover = state.movers[0]
        values = [minimax(state.play(move), role, known) for move in state.legal(mover)]
        known[state.inner] = max(values) if mover == role else min(values)
    return known[state.inner]
