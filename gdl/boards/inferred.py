"""Rulesets with a board that was inferred, for whoever shows them.

In: a ruleset without a manifest. Out: the same with a picture that is found when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from gdl.ruleset import Ruleset
    from gdl.ruleset.presentation import Presentation
    from gdl.view.picture import Picture


@dataclass(frozen=True, slots=True)
class Inferred:
    """What people see of rules without a manifest: called when it is first asked for."""

    ruleset: Ruleset = field(compare=False, repr=False)
    limits: Limits = field(compare=False, repr=False)

    def __call__(self) -> Presentation:
        """Return it; without a picture where the rules cannot be played."""
        from gdl.boards.inference import infer
        from gdl.boards.samples import samples
        from gdl.ruleset.presentation import Presentation

        try:
            seen = samples(self.ruleset.checked(self.limits), limits=self.limits)
        except GdlError:
            return Presentation()
        return Presentation(picture=infer(seen))


def written_picture(ruleset: Ruleset) -> Picture | None:
    """Return the picture that somebody has written, for what must be the same everywhere.

    An inferred one may differ where a game is so slow that play was cut short.
    """
    is_inferred = isinstance(ruleset.presentation_source, Inferred)
    return None if is_inferred else ruleset.picture


def with_board(ruleset: Ruleset, limits: Limits = DEFAULT_LIMITS) -> Ruleset:
    """Return a ruleset with an inferred board, if nobody has said what it looks like."""
    if ruleset.presentation_source is not None or ruleset.manifest is not None:
        return ruleset
    return ruleset.shown_by(Inferred(ruleset, limits))
