"""``gdl rulesets``: what can be named by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.cli.console import clean, paint, say, say_json, show
from gdl.cli.options import JsonOption

if TYPE_CHECKING:
    from rich.table import Table

    from gdl.ruleset import Ruleset


def rulesets(json: JsonOption = False) -> None:
    """List the rulesets that are known by id: those that come with gdl, and your own.

    Your own lie in the folders that the environment variable GDL_RULESETS names, or in your
    user folder, which this command shows.

    Examples:
      gdl rulesets
      gdl rulesets --json
    """
    from gdl.ruleset import catalogue, user_folder

    found = catalogue()
    if json:
        say_json([_as_json(ruleset) for ruleset in found.rulesets])
    else:
        show(table_of(found.rulesets))
        say(f"\nYour own rulesets: {user_folder()}", style="dim")
    for error in found.broken:
        say(paint(str(error)), stderr=True)


def _as_json(ruleset: Ruleset) -> dict[str, object]:
    return {
        "id": ruleset.id,
        "title": ruleset.title,
        "version": ruleset.version,
        "source": ruleset.source,
        "summary": ruleset.summary,
        "roles": [str(player.role) for player in ruleset.players],
        "files": [str(path) for path in ruleset.paths],
        "manifest": str(ruleset.manifest),
    }


def table_of(found: tuple[Ruleset, ...]) -> Table:
    """Return a table of rulesets, a line each."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("ruleset", style="cyan", no_wrap=True)
    table.add_column("version", no_wrap=True)
    table.add_column("title", overflow="fold")
    for ruleset in found:
        table.add_row(*map(clean, (ruleset.id, ruleset.version, ruleset.title)))
    return table
