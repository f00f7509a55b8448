"""``gdl perft``: exact counts of move sequences."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.options import BackendOption, GameArgument, JsonOption, MovesOption
from gdl.cli.terminal.ticker import Ticker, ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import harmless
from gdl.perft import PerftCount, joint_moves, perft_levels
from gdl.plies import format_ply
from gdl.state import State


def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(min=0, max=1000, help="Number of joint moves.")],
    divide: Annotated[
        bool, typer.Option("--divide", help="Count under each first move, to find a wrong rule.")
    ] = False,
    moves: MovesOption = "",
    backend: BackendOption = "auto",
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Count the move sequences of each length: the standard test of a move generator.

    A terminal position has no children; sequences that meet in one position count apart.
    Goals are summed over the sequences that end the game, in role order.

    Examples:
      gdl perft tictactoe 9
      gdl perft pentago/strict 2 --divide
      gdl perft tictactoe 4 --moves "(mark 2 2)" --json
    """
    loaded = open_game(game, limits, backend)
    state = reach(loaded, moves)
    if divide:
        _divide(state, depth, as_json=json)
    else:
        _levels(state, depth, as_json=json)


def _levels(state: State, depth: int, *, as_json: bool) -> None:
    roles = state.game.roles
    if not as_json:
        say(
            _row("depth", "nodes", "terminal", [f"goals {role}" for role in roles], "nodes/s"),
            style="bold",
        )
    counts, begin = [], time.perf_counter()
    with ticker() as line:
        tick = _tick(line)
        for count in perft_levels(state.game.machine, state.inner, depth, on_level=tick):
            counts.append(count)
            line.hide()
            if not as_json:
                seconds = max(time.perf_counter() - begin, 1e-9)
                nodes = sum(level.nodes for level in counts)
                sums = count.goal_sums() or (0,) * len(roles)
                say(
                    _row(
                        str(count.depth),
                        f"{count.nodes:,}",
                        f"{count.terminal:,}",
                        [f"{total:,}" for total in sums],
                        f"{nodes / seconds:,.0f}",
                    )
                )
    if as_json:
        say_json({"game": state.game.id, "roles": list(roles), "depths": _depths(counts)})


def _depths(counts: list[PerftCount]) -> list[dict[str, Any]]:
    return [
        {
            "depth": count.depth,
            "nodes": count.nodes,
            "terminal": count.terminal,
            "goals": [
                {"goals": list(goals), "count": number}
                for goals, number in sorted(count.goals.items(), key=str)
            ],
        }
        for count in counts
    ]


def _row(depth: str, nodes: str, terminal: str, goals: list[str], speed: str) -> str:
    wide = [nodes.rjust(16), terminal.rjust(14), *(goal.rjust(14) for goal in goals)]
    return harmless(f"{depth:>5} {' '.join(wide)} {speed:>12}")


def _divide(state: State, depth: int, *, as_json: bool) -> None:
    machine = state.game.machine
    nodes: dict[str, int] = {}
    if depth > 0 and not state.is_terminal:
        with ticker() as line:
            for joint_move in joint_moves(machine, state.inner):
                child = state.play(joint_move)
                levels = list(perft_levels(machine, child.inner, depth - 1, on_level=_tick(line)))
                nodes[format_ply(child)] = levels[-1].nodes if levels else 1
                line.hide()
                if not as_json:
                    say(f"{format_ply(child)}: {nodes[format_ply(child)]:,}")
    total = sum(nodes.values())
    if as_json:
        say_json({"game": state.game.id, "depth": depth, "divide": nodes, "nodes": total})
    else:
        say(f"\nNodes of depth {depth}: {total:,}", style="bold")


def _tick(line: Ticker) -> Callable[[int, int], None]:
    def tick(depth: int, expanded: int) -> None:
        line.tick(lambda: f"depth {depth}: {expanded:,} states expanded")

    return tick
