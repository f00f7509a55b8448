"""``gdl check --explain``: what a kind of problem means."""

from __future__ import annotations

from gdl.cli.terminal.console import say
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import located
from gdl.cli.terminal.table import table_lines


def explain_slug(slug: str) -> None:
    """Write the explanation of a slug, or for ``all`` one line on each.

    Raises:
        UsageError: There is no such slug; names the nearest.
    """
    from gdl.language.checks.explanations import UnknownSlugError, explain, explanations

    if slug != "all":
        try:
            say(located(explain(slug).text))
        except UnknownSlugError as error:
            raise UsageError(error.message, help="gdl check --explain all lists them") from None
        return
    for line in table_lines(
        [(explanation.slug, explanation.title) for explanation in explanations().values()]
    ):
        say(line)
