"""``gdl`` alone: what is there, and what to type next."""

from __future__ import annotations

from typing import Final

from gdl.cli.terminal.console import say
from gdl.cli.terminal.table import table_lines

EXAMPLES: Final = (
    ("gdl play pentago/strict", "play in the terminal, against chance"),
    ("gdl check mine.kif", "what is wrong with a rule file, and how to mend it"),
    ("gdl simulate tictactoe -n 1000", "a thousand random games, added up"),
)


def welcome() -> None:
    """Write what the program is for, three examples and the rulesets that are there."""
    from gdl.cli.rules.rulesets import say_rulesets
    from gdl.ruleset import rulesets

    say("gdl reads, checks, explains and plays games in the Game Description Language.\n")
    for line in table_lines(EXAMPLES):
        say(f"  {line}")
    say("")
    say_rulesets(rulesets())
    say("\nAny .kif or .hrf file will do in place of an id. All commands: gdl --help", style="dim")
