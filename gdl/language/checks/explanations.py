"""What each slug means, at length: the rule, the reason, a wrong and a right sample.

In: a slug. Out: its explanation. The texts stand in ``explanations.toml``; they are read
on the first question, about 3 ms.

Source: each explanation names its own.
"""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.spelling import Suggester
from gdl.language.words import cut

WIDTH: Final = 88
"""Columns of the text that `Explanation.text` returns."""


class UnknownSlugError(GdlError):
    """No diagnostic has that slug."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """All there is to say about one kind of problem.

    Attributes:
        slug: Name of the kind of problem.
        title: One line.
        rule: What the language says.
        why: What goes wrong otherwise.
        wrong: A sample that gets the diagnostic; empty where it takes unusual limits.
        right: The same, mended.
        source: Where the rule comes from.
        of: What the samples are: ``rules``, a ``manifest``, ``tests`` of a game, or a file of
            ``properties``.
    """

    slug: str
    title: str
    rule: str
    why: str
    wrong: str
    right: str
    source: str
    of: str = "rules"

    @property
    def text(self) -> str:
        """The explanation as it is shown to people, several paragraphs."""
        parts = [f"{self.slug}: {self.title}", _wrapped(self.rule), _wrapped(self.why)]
        if self.wrong:
            parts.append("Wrong:\n" + _sample(self.wrong))
            parts.append("Right:\n" + _sample(self.right))
        parts.append(_wrapped(f"Source: {self.source}"))
        return "\n\n".join(parts)


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return all explanations by slug, in the order of the file."""
    text = files("gdl.language.checks").joinpath("explanations.toml").read_text("utf-8")
    return {slug: Explanation(slug, **table) for slug, table in tomllib.loads(text).items()}


def explain(slug: str) -> Explanation:
    """Return the explanation of a slug.

    Raises:
        UnknownSlugError: There is none; names the nearest slug.

    Example:
        >>> explain("unsafe-variable").title
        'A variable of the head without a value'
    """
    explanation = explanations().get(slug)
    if explanation is None:
        meant = Suggester(explanations()).closest(slug)
        advice = f"did you mean {meant}?" if meant else "diagnostics show their slug in brackets"
        raise UnknownSlugError(f"no problem is called {cut(slug)}; {advice}")
    return explanation


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _sample(text: str) -> str:
    lines = (
        line if len(line) <= WIDTH else f"{line[: WIDTH - 7]} ..." for line in text.splitlines()
    )
    return "\n".join(f"  {line}" for line in lines)
