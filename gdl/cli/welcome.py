"""``gdl`` alone: what is there, and what to type next."""

from __future__ import annotations

from typing import Final

from gdl.cli.console import say, show

EXAMPLES: Final = (
    ("gdl play pentago/strict", "play in the terminal, against chance"),
    ("gdl check mine.kif", "what is wrong with a rule file, and how to mend it"),
    ("gdl simulate tictactoe -n 1000", "a thousand random games, added up"),
)


def welcome() -> None:
    """Write what the program is for, three examples and the rulesets that are there."""
    from rich.table import Table

    from gdl.cli.rulesets import table_of
    from gdl.ruleset import rulesets

    say("gdl reads, checks, explains and plays games in the Game Description Language.\n")
    examples = Table.grid(padding=(0, 3, 0, 0))
    for command, meaning in EXAMPLES:
        examples.add_row(f"  {command}", meaning)
    show(examples)
    say("")
    show(table_of(rulesets()))
    say("\nAny .kif or .hrf file will do in place of an id. All commands: gdl --help", style="dim")
