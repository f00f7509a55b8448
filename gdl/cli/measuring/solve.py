"""``gdl solve``: the value of every position of a game."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import GameArgument, JsonOption, OutputOption, option
from gdl.cli.terminal.output import check_output
from gdl.cli.terminal.ticker import ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages
from gdl.language.words import counted
from gdl.ruleset.errors import did_you_mean, one_of

if TYPE_CHECKING:
    from gdl.solve.sets import SetSolution
    from gdl.solve.strong import Solution

UNITS: Final = {"K": 10, "M": 20, "G": 30, "T": 40}
SHOWN: Final = 4
"""Facts of a symmetry that are shown."""
WAYS: Final = {
    "clock": "layer by layer: facts that run by themselves say how many moves were made",
    "count": "layer by layer: every move fills one more field",
    "graph": "by retrograde analysis: play may come to a state in several ways",
}
TABLE, SETS, EITHER = ASKED = ("table", "sets", "auto")


def solve(  # one parameter for each option
    game: GameArgument,
    memory: Annotated[
        str, typer.Option("--memory", metavar="SIZE", help="Memory for positions, such as 8G.")
    ] = "8G",
    seconds: Annotated[
        float | None, option("--seconds", "S", "Processor time, at most; by default no limit.")
    ] = None,
    folder: Annotated[
        str | None,
        option("--folder", "FOLDER", "Keep layers there: work that is stopped goes on there."),
    ] = None,
    disk: Annotated[
        str, typer.Option("--disk", metavar="SIZE", help="What its files may take, such as 60G.")
    ] = "1T",
    way: Annotated[
        str,
        option(
            "--way",
            "WAY",
            "table: a row for each position; sets: decision diagrams, for games of more positions "
            "than any table holds whose parts change apart from each other; auto: sets where they "
            "hold more than 2 million positions easily.",
        ),
    ] = EITHER,
    symmetries: Annotated[
        bool,
        typer.Option(
            "--symmetries/--no-symmetries",
            help="Keep one of the positions that proved symmetries of the rules make of each "
            "other; by default so.",
        ),
    ] = True,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Processes that work in --folder.")
    ] = 1,
    ray: Annotated[
        str | None,
        option(
            "--ray", "ADDRESS", "Work on a Ray cluster: HOST:PORT, auto, or local to begin one."
        ),
    ] = None,
    shared: Annotated[
        bool,
        typer.Option(
            "--shared",
            help="Others run this command on the same --folder as well, now or later, on whatever "
            "machines: the jobs of an array. Each does its share and tells the whole.",
        ),
    ] = False,
    output: OutputOption = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Find the value of every position, and the moves to the end.

    For one role the shortest way to its best goal; for several the goals that each gets when all
    play their best. What has no such value is refused: hidden facts, ends without a goal.
    With -o the table is kept: a file that gdl play --tables and State.value() look into.
    With --folder games played layer by layer may have more positions than memory holds.

    Examples:
      gdl solve tictactoe
      gdl solve "hex?size=4" -o hex4.table
      gdl solve morris/three --json
      gdl solve connectfour --folder work --memory 8G --disk 200G
      gdl solve connectfour --folder /shared/work --shared
      gdl solve "hex?size=3" --way sets
    """
    need_packages("solving", ("numpy", "llvmlite", "clingo", "numba", "scipy"), "solve")
    from gdl.solve.limits import WorkLimits
    from gdl.solve.sets import solve_as_sets, solve_either
    from gdl.solve.strong import solve as solve_all

    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds: {seconds:g} is not greater than 0")
    wanted = WorkLimits(
        _bytes("--memory", memory),
        math.inf if seconds is None else seconds,
        _bytes("--disk", disk),
    )
    if output is not None:
        check_output(output)
    needs_table = [
        name
        for name, value in (("-o", output), ("--folder", folder), ("--ray", ray))
        if value is not None
    ]
    if way not in ASKED:
        raise UsageError(
            f"--way {way} is unknown", expected=one_of(ASKED), help=did_you_mean(way, ASKED)
        )
    if way == SETS and needs_table:
        raise UsageError(
            f"--way sets makes no table, and {needs_table[0]} is for one",
            help="leave one of them out",
        )
    loaded = open_game(game, limits, "native")
    with ticker() as line:

        def tell(phase: str, place: int, states: int) -> None:
            line.tick(lambda: _progress(phase, place, states))

        solution: Solution | SetSolution
        why = ""
        if way == SETS:
            solution = solve_as_sets(loaded, limits=wanted, progress=tell)
        elif way == EITHER and not needs_table and workers == 1 and not shared:
            solution, why = solve_either(
                loaded, limits=wanted, progress=tell, symmetries=symmetries
            )
        else:
            solution = solve_all(
                loaded,
                limits=wanted,
                folder=folder,
                progress=tell,
                symmetries=symmetries,
                workers=workers,
                ray=ray,
                shared=shared,
            )
            if output is not None:
                solution.table.save(output)
    if json:
        say_json(_as_json(solution) | {"why": why or None})
    else:
        _show(solution, output, why)


def _bytes(name: str, text: str) -> int:
    """Return what a size such as ``512M`` means.

    Raises:
        UsageError: It is none.
    """
    number, unit = text[:-1], text[-1:].upper()
    if unit not in UNITS:
        number, unit = text, ""
    try:
        size = float(number) * (1 << UNITS.get(unit, 0))
    except ValueError:
        size = 0.0
    if not 1 <= size < 1 << 60:
        raise UsageError(
            f"{name} {text} is no size", expected="a number of bytes, or such as 512M or 8G"
        )
    return int(size)


def _progress(phase: str, place: int, states: int) -> str:
    if phase == "sets":
        return f"positions that lead to {place} points: {states:,} positions are done"
    if phase == "help":
        return f"another process leads: {counted(place, 'task')} done for it"
    if phase == "expand":
        return f"move {place + 1}: {states:,} positions"
    what = "moves between" if phase == "link" else "values of"
    return f"{what} {states:,} positions: {place / max(states, 1):.0%}"


def _symmetries(solution: Solution) -> list[str]:
    """Return what is to be said of symmetries, one a line."""
    lines = [solution.note] if solution.note else []
    action = solution.table.action
    if action is None:
        return lines
    lines.append(
        f"{len(solution.table):,} of them are kept: {len(action.elements)} proved symmetries make "
        "the others; they are products of"
    )
    for moved in solution.table.head.symmetries:
        shown = ", ".join(f"{fact} -> {image}" for fact, image in moved[:SHOWN])
        lines.append(f"  {shown}" + (f" and {len(moved) - SHOWN} more" if moved[SHOWN:] else ""))
    return lines


def _as_json(solution: Solution | SetSolution) -> dict[str, Any]:
    from gdl.solve.sets import SetSolution

    value = solution.initial
    said: dict[str, Any] = {
        "game": solution.game,
        "positions": solution.positions,
        "goals": value.goals,
        "distance": value.distance,
        "endless": value.is_endless,
        "tied": value.is_tied,
        "bits": solution.bits,
        "seconds": round(solution.seconds, 3),
    }
    if isinstance(solution, SetSolution):
        return said | {"way": SETS, "nodes": solution.sets.nodes, "depth": solution.depth}
    return said | {
        "way": solution.way,
        "layers": solution.layers,
        "kept": len(solution.table),
        "symmetries": [dict(moved) for moved in solution.table.head.symmetries],
        "note": solution.note or None,
    }


def _show(solution: Solution | SetSolution, output: str | None, why: str) -> None:
    from gdl.solve.sets import SetSolution

    say(f"{solution.game}: {solution.initial}", style="bold")
    positions = f"{counted(solution.positions, 'position')} of {solution.bits} bits"
    if isinstance(solution, SetSolution):
        nodes = counted(solution.sets.nodes, "node")
        say(f"{positions}, as sets of positions: all of them are a diagram of {nodes}")
    else:
        say(f"{positions}, {WAYS[solution.way]}")
        for line in _symmetries(solution):
            say(line)
    if why:
        say(why)
    rate = solution.positions / max(solution.seconds, 1e-9)
    say(f"{solution.seconds:.1f} s of processor time, {rate:,.0f} positions a second")
    if output is not None:
        say(f"The table is in {output}.")
