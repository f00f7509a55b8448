"""Pairs of games with percepts in other words, of which it is known whether they differ.

A pair comes from a seed. Chance turns one of some cards, a player names one or waits, and sees
things of both: which card it was under a rule of the seed, whether he was right, a signal that
comes rarely. In the other game percepts have other names, put in another order; and so that the
texts are not the same in other words, a rule is written as two. Where games differ, one percept
comes in one situation more, of a card, a guess and a step far on.
"""

from __future__ import annotations

import random
from typing import NamedTuple

CARDS = 4
CASES = range(CARDS)
STEPS = 5


class SeenPair(NamedTuple):
    """Two texts."""

    one: str
    other: str


def seen_pair(seed: int, *, differs: bool) -> SeenPair:
    chance = random.Random(f"seen {seed}")
    shown = [chance.randrange(3) for _ in range(CARDS)]  # several cards look the same
    shown[:3] = chance.sample(range(3), 3)
    words = ["red", "green", "blue", "right", "wrong", "bell"]
    shared = chance.randrange(3)  # some words are kept
    others = words[:shared] + [f"w{n}" for n in range(len(words) - shared)]
    chance.shuffle(others)
    bell = chance.randrange(CARDS), chance.randrange(CARDS), chance.randrange(2, STEPS)
    seen = {("bell", *bell)}
    seen |= {(looks, card, guess, STEPS - 1) for card, looks in _looks(shown) for guess in CASES}
    seen |= {
        ("right" if card == guess else "wrong", card, guess, STEPS - 1)
        for card in CASES
        for guess in CASES
    }
    fresh = [(word, card, guess, STEPS - 1) for word in words for card in CASES for guess in CASES]
    extra = chance.choice([case for case in fresh if case not in seen])
    one = _rules(shown, bell, dict(zip(words, words, strict=True)), None)
    names = dict(zip(words, others, strict=True))
    return SeenPair(one, _rules(shown, bell, names, extra if differs else None, split=True))


def _looks(shown: list[int]) -> list[tuple[int, str]]:
    return [(card, ["red", "green", "blue"][look]) for card, look in enumerate(shown)]


def _rules(
    shown: list[int],
    bell: tuple[int, int, int],
    names: dict[str, str],
    extra: tuple[str, int, int, int] | None,
    *,
    split: bool = False,
) -> str:
    lines = ["(role random) (role p) (init (step 0))"]
    lines += [f"(after {n} {n + 1})" for n in range(STEPS)]
    lines += [f"(card {n})" for n in range(CARDS)]
    lines += ["(<= (legal random (turn ?c)) (card ?c))", "(<= (legal p (name ?c)) (card ?c))"]
    lines.append("(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))")
    looks = [names[word] for word in ("red", "green", "blue")]
    lines += [
        f"(<= (sees p {looks[look]}) (does random (turn {card})))"
        for card, look in enumerate(shown)
    ]
    right, wrong = names["right"], names["wrong"]
    lines.append(f"(<= (sees p {right}) (does random (turn ?c)) (does p (name ?c)))")
    miss = "(does random (turn ?c)) (does p (name ?d)) (distinct ?c ?d)"
    if split:  # the same, said of the first card and of all others
        lines.append(f"(<= (sees p {wrong}) {miss} (distinct ?c 0))")
        lines.append(f"(<= (sees p {wrong}) {miss} (distinct ?d 0))")
    else:
        lines.append(f"(<= (sees p {wrong}) {miss})")
    rung = [("bell", *bell), *([extra] if extra is not None else [])]
    lines += [
        f"(<= (sees p {names[word]}) (does random (turn {card})) (does p (name {guess}))"
        f" (true (step {step})))"
        for word, card, guess, step in rung
    ]
    lines += [f"(<= terminal (true (step {STEPS})))", "(goal p 50)", "(goal random 50)"]
    return "\n".join(lines)
