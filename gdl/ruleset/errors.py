"""What can be wrong with a ruleset that is no fault of its rules.

Source: one class per failure, each with its facts as attributes (after attrs).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl.language.diagnostics import Diagnostic, GdlError


class ManifestError(GdlError):
    """A manifest that cannot be used; carries every problem found in it."""


class ParameterError(GdlError):
    """A name of a ruleset gives parameters that the ruleset does not take.

    Attributes:
        ruleset: The id without parameters.
        parameter: The name of the parameter, empty where none can be told.
    """

    def __init__(
        self,
        ruleset: str,
        parameter: str,
        message: str,
        *,
        expected: str,
        help: str | None = None,  # noqa: A002  # see GdlError
    ) -> None:
        """Keep the facts beside the text."""
        super().__init__(message, expected=expected, help=help)
        self.ruleset = ruleset
        self.parameter = parameter


class UnknownRulesetError(GdlError):
    """No ruleset or rule file has that name.

    Attributes:
        name: What was asked for.
        known: Ids of the rulesets that were found.
    """

    def __init__(  # noqa: PLR0913  # the facts, and the words of an error
        self,
        name: str,
        ids: Sequence[str],
        message: str,
        *,
        expected: str | None = None,
        help: str | None = None,  # noqa: A002  # see GdlError
        notes: Iterable[str] = (),
    ) -> None:
        """Keep the facts beside the text."""
        super().__init__(message, expected=expected, help=help, notes=notes)
        self.name = name
        self.known = tuple(ids)


class NotationError(GdlError):
    """A text that is no move in the notation of the game.

    Attributes:
        text: What was given.
        nearest: The most similar move texts, best first; may be empty.
    """

    def __init__(self, text: str, nearest: Sequence[str], diagnostic: Diagnostic) -> None:
        """Keep the facts beside the drawn text."""
        super().__init__(diagnostics=[diagnostic])
        self.text = text
        self.nearest = tuple(nearest)


def did_you_mean(word: str, words: Iterable[str]) -> str | None:
    """Return ``did you mean X?`` for the most similar known word, None if none is similar."""
    from difflib import get_close_matches

    by_folded = {candidate.casefold(): candidate for candidate in words}
    close = get_close_matches(word.casefold(), by_folded, n=1)
    return f"did you mean {by_folded[close[0]]}?" if close else None


def one_of(words: Iterable[str], *, most: int = 8) -> str:
    """Return ``a, b or c``; of more than ``most`` words the first two and the last."""
    listed = list(words)
    if len(listed) > most:
        return f"{listed[0]}, {listed[1]}, ... or {listed[-1]}"
    if len(listed) <= 1:
        return "".join(listed) or "nothing"
    return f"{', '.join(listed[:-1])} or {listed[-1]}"
