"""``gdl show``: what a game is, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gdl.cli.positions.outcome import outcome
from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.console import show as show_all
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import BackendOption, GameArgument, JsonOption, MovesOption
from gdl.cli.terminal.output import write_text
from gdl.game import Game
from gdl.language.diagnostics import InvalidDescriptionError
from gdl.language.files import as_typed
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import harmless
from gdl.language.syntax import (
    Compound,
    Description,
    Signature,
    Variable,
    arguments,
    signature,
)
from gdl.language.words import counted
from gdl.state import State

_RUNS_AS: Final = {
    "native": "machine code",
    "reason": "rules as written",
    "meaning": "the definition",
}
_FLUENT_HEADS: Final = frozenset(Signature(name, 1) for name in ("init", "next", "base"))


def show(
    game: GameArgument,
    moves: MovesOption = "",
    backend: BackendOption = "auto",
    json: JsonOption = False,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", help="Write the position as SVG.", show_default=False
        ),
    ] = None,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Show what a game is: roles, size of its rules, move notation, a position.

    Examples:
      gdl show pentago/strict
      gdl show gomoku/freestyle --moves "PLACE_STONE {7,7}; PLACE_STONE {8,8}"
      gdl show mine.kif --json
      gdl show connectfour --moves "4; 4; 3" --svg board.svg
    """
    loaded = open_game(game, limits, backend)
    state = reach(loaded, moves)
    if svg is not None:
        _write_svg(state, svg)
    if json:
        say_json(_as_json(state))
    else:
        _print(state)


def _write_svg(state: State, path: Path) -> None:
    """Write the picture of a position to a file."""
    before = None if state.previous is None else state.previous.facts
    text = state.game.ruleset.draw_svg(state.facts, before=before)
    if text is None:
        raise UsageError(
            f"--svg: {state.game.id} has no picture", expected="a ruleset whose manifest has one"
        )
    write_text(f"{text}\n", str(path))


def _print(state: State) -> None:
    from gdl.cli.positions.picture import draw_state

    game = state.game
    ruleset = game.ruleset
    say(f"{game.id}: {ruleset.title}" if ruleset.title else game.id, style="bold")
    if ruleset.summary:
        say(ruleset.summary)
    say("")
    for label, value in _lines(game):
        say(f"{label + ':':<11}{value}")
    say(f"\nAfter {counted(state.ply, 'move')}:", style="bold")
    show_all(draw_state(state))
    say(_whose_turn(state))


def _lines(game: Game) -> list[tuple[str, str]]:
    """Return what there is to say about the rules, each with its label."""
    ruleset = game.ruleset
    sizes = rule_sizes(ruleset.description)
    example = ruleset.notation.example
    lines = [
        ("roles", ", ".join(game.roles)),
        (
            "rules",
            f"{sizes['rules']:,} rules, {sizes['facts']:,} facts, {sizes['relations']:,} relations",
        ),
        ("state", _state_line(sizes["fluents"], base_propositions(game))),
        ("moves", f"written like {example}" if example else "written as KIF text"),
        ("runs as", f"{_RUNS_AS[game.backend]}: {game.back_end.why}"),
        ("version", ruleset.version),
        ("source", ruleset.source),
        ("files", _files(ruleset.paths)),
    ]
    return [(label, harmless(value)) for label, value in lines if value]


def _files(paths: Sequence[Path]) -> str:
    """Return the rule files, those of one folder by their names."""
    folders = {path.parent for path in paths}
    if len(paths) > 1 and len(folders) == 1:
        return f"{', '.join(path.name for path in paths)} in {as_typed(folders.pop())}"
    return ", ".join(str(as_typed(path)) for path in paths)


def _state_line(fluents: int, base: int | None) -> str:
    declared = "none declared" if base is None else f"{base:,}"
    return f"{counted(fluents, 'kind')} of facts; base propositions: {declared}"


def base_propositions(game: Game) -> int | None:
    """Return how many base propositions the rules declare; None where none, or none for sure."""
    declared = Compound("base", (Variable("fluent"),))
    try:
        return len(game.reasoner.instances(frozenset(), declared)) or None
    except InvalidDescriptionError:
        return None  # play rests on no ``base``; what is wrong with it is for ``gdl check`` to say


def _whose_turn(state: State) -> str:
    if state.is_terminal:
        return outcome(state)
    turns = [f"{role} has {counted(len(state.legal(role)), 'legal move')}" for role in state.movers]
    return ", ".join(turns) + "." if turns else "Nobody has a choice here."


def rule_sizes(description: Description) -> dict[str, int]:
    """Return how many rules, facts, relations and kinds of fluents a description has."""
    facts = sum(not rule.body for rule in description.rules)
    relations = {signature(rule.head.sentence) for rule in description.rules}
    fluents = {
        signature(fluent)
        for rule in description.rules
        if signature(rule.head.sentence) in _FLUENT_HEADS
        and not isinstance(fluent := arguments(rule.head.sentence)[0], Variable)
    }
    return {
        "rules": len(description.rules) - facts,
        "facts": facts,
        "relations": len(relations),
        "fluents": len(fluents),
    }


def _as_json(state: State) -> dict[str, Any]:
    game = state.game
    ruleset = game.ruleset
    return {
        "game": game.id,
        "title": ruleset.title,
        "version": ruleset.version,
        "source": ruleset.source,
        "backend": {
            "name": game.backend,
            "why": game.back_end.why,
            "refusal": None if (refusal := game.back_end.refusal) is None else str(refusal),
        },
        "roles": list(game.roles),
        **rule_sizes(ruleset.description),
        "base_propositions": base_propositions(game),
        "files": [str(path) for path in ruleset.paths],
        "ply": state.ply,
        "terminal": state.is_terminal,
        "movers": list(state.movers),
        "legal": {role: len(state.legal(role)) for role in game.roles},
        "state": [str(fact) for fact in sorted(state.facts)],
    }
