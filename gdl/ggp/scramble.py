"""Made-up words for the words of a game, so that players learn nothing from names.

In: rules, a seed. Out: a `Scrambler`, which renames rules and moves and takes moves back.
Keywords, numbers that a goal can pay, and ``random``, the name of nature in GDL-II, stay as they
are.

Source: the scrambling of ggp-base; the words are ours.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gdl.ggp.s_expressions import on_one_line
from gdl.language.keywords import KEYWORDS, RANDOM
from gdl.language.parse import parse_term
from gdl.language.syntax import Constant, Term, Variable, fold_term, sentence
from gdl.machine import goal_value

_SYLLABLES: Final = tuple(
    consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in ("a", "e", "i", "o", "u")
)


@dataclass(frozen=True, slots=True)
class Scrambler:
    """Exchanges words.

    Attributes:
        rules: The rules with made-up words, on one line.
        words: The made-up name of each name; variables have theirs in the rules alone.
    """

    rules: str
    words: dict[str, str]

    def scramble(self, term: Term) -> Term:
        """Return a term with made-up names."""
        return _renamed(term, lambda name: self.words.get(name, name))

    def unscramble(self, term: Term) -> Term:
        """Return a term with the true names; capitals of made-up ones do not count."""
        back = {made_up: name for name, made_up in self.words.items()}
        return _renamed(term, lambda name: back.get(name, back.get(name.lower(), name)))


def unscrambled(rules: str) -> Scrambler:
    """Return the scrambler that leaves all names as they are."""
    return Scrambler(on_one_line(rules), {})


def scrambler(rules: str, *, seed: int | str) -> Scrambler:
    """Return a scrambler for rules.

    Args:
        rules: KIF text.
        seed: Decides the made-up words.
    """
    rng = random.Random(f"scramble {seed}")  # noqa: S311  # chance for play, not for secrets
    taken = {RANDOM, "nil", *KEYWORDS}
    words: dict[str, str] = {}
    variables: dict[str, str] = {}

    def made_up(names: dict[str, str], name: str) -> str:
        if name not in names:
            while (word := _word(rng, len(taken))) in taken:
                pass
            taken.add(word)
            names[name] = word
        return names[name]

    def exchange(text: str) -> str:
        # By what a word stands for, not by how it is written: `|x|` is the same name as `x`.
        term = parse_term(text)
        if isinstance(term, Variable):
            return f"?{made_up(variables, term.name)}"
        assert isinstance(term, Constant)
        if term.name.lower() in {RANDOM, *KEYWORDS} or goal_value(term) is not None:
            return text
        return made_up(words, term.name)

    return Scrambler(on_one_line(rules, exchange), words)


def _word(rng: random.Random, count: int) -> str:
    most = 3 if count < len(_SYLLABLES) ** 2 else 5
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(2, most)))


def _renamed(term: Term, rename: Callable[[str], str]) -> Term:
    return fold_term(
        term,
        lambda leaf: Constant(rename(leaf.name)) if isinstance(leaf, Constant) else leaf,
        lambda name, args: sentence(rename(name), args),
    )
