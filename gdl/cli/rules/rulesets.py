"""``gdl rulesets``: what can be named by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.cli.terminal.console import paint, say, say_json
from gdl.cli.terminal.options import JsonOption
from gdl.cli.terminal.table import say_table

if TYPE_CHECKING:
    from gdl.ruleset import Ruleset


def rulesets(json: JsonOption = False) -> None:
    """List the rulesets that are known by id: those that come with gdl, and your own.

    Your own lie in the folders that the environment variable GDL_RULESETS names, or in your
    user folder, which this command shows. A ruleset with parameters is named with them where
    they are not as usual: gdl play "hex?size=7".

    Examples:
      gdl rulesets
      gdl rulesets --json
    """
    from gdl.ruleset import catalogue, user_folder

    listed = catalogue()
    if json:
        say_json([_as_json(ruleset) for ruleset in listed.rulesets])
    else:
        say_rulesets(listed.rulesets)
        say(f"\nYour own rulesets: {user_folder()}", style="dim")
    for error in listed.broken:
        say(paint(str(error)), stderr=True)


def _as_json(ruleset: Ruleset) -> dict[str, object]:
    return {
        "id": ruleset.id,
        "title": ruleset.title,
        "version": ruleset.version,
        "source": ruleset.source,
        "summary": ruleset.summary,
        "roles": [str(player.role) for player in ruleset.players],
        "parameters": [parameter.to_json() for parameter in ruleset.parameters],
        "files": [str(path) for path in ruleset.paths],
        "manifest": str(ruleset.manifest),
    }


def say_rulesets(listed: tuple[Ruleset, ...]) -> None:
    """Write a table of rulesets, a line each."""
    rows = [(ruleset.id, ruleset.version, ruleset.title, _settings(ruleset)) for ruleset in listed]
    if any(settings for *_, settings in rows):
        say_table(("ruleset", "version", "title", "parameters"), rows)
    else:
        say_table(("ruleset", "version", "title"), [row[:3] for row in rows])


def _settings(ruleset: Ruleset) -> str:
    """Return the parameters of a ruleset, each with its usual value and what it may be."""
    return ", ".join(f"{parameter} ({parameter.allowed.short})" for parameter in ruleset.parameters)
