"""``gdl force``: what a role can force, whatever all others do."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.cli.comparing.proving import UNKNOWN
from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED, UsageError, report
from gdl.cli.terminal.options import GameArgument, JsonOption, MovesOption, option
from gdl.cli.terminal.ticker import ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages
from gdl.language.words import counted

if TYPE_CHECKING:
    from gdl.play.force import Forced, Strategy
    from gdl.state import State

WAYS = {"proof": "by proof-number search", "layers": "by a look at all positions"}


def force(
    game: GameArgument,
    wins: Annotated[
        str | None, option("--wins", "ROLE", "Can this role force its highest goal?")
    ] = None,
    draws: Annotated[
        str | None, option("--draws", "ROLE", "Can this role force half of it, at least?")
    ] = None,
    goal: Annotated[
        int | None, option("--goal", "N", "With --wins: this goal, at least, in place of it.")
    ] = None,
    endless: Annotated[
        bool,
        option(
            "--endless",
            None,
            "Play that never ends will do: is an end with less kept off for ever?",
        ),
    ] = False,
    within: Annotated[
        int | None,
        option("--within", "N", "Find the longest play of the strategy: is it N moves or less?"),
    ] = None,
    strategy: Annotated[
        Path | None,
        option("--strategy", "FILE", "Write a move for each position that may be met, as JSON."),
    ] = None,
    moves: MovesOption = "",
    seconds: Annotated[
        float | None, option("--seconds", "S", "Processor time, at most; by default no limit.")
    ] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Find whether a role can force a goal, whatever all others do.

    To force a goal is to make play end with it, or with more. With --endless the question is
    another: can the role see to it that play never ends with less, though it may go on for ever?

    Proof-number search and a look at all positions race each other. With --strategy a file says
    how: examples/check_strategy.py replays it by the rules as written against every reply.

    Exit codes: 0 it can; 1 it cannot; 2 an error; 3 not found, in the time or at all.

    Examples:
      gdl force tictactoe --draws o
      gdl force "hex?size=4" --wins red --strategy hex4.json
      gdl force connectfour --moves "d;d;d;d;d;c" --wins red --seconds 60
    """
    if (wins is None) == (draws is None):
        raise UsageError("whose goal?", expected="--wins ROLE or --draws ROLE")
    if goal is not None and wins is None:
        raise UsageError("--goal says which goal in place of the highest", expected="--wins ROLE")
    if endless and within is not None:
        raise UsageError("--within asks for an end, and --endless for none", expected="one of them")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds: {seconds:g} is not greater than 0")
    need_packages("gdl force", ("numpy", "llvmlite", "clingo", "numba", "scipy"), "solve")
    from gdl.play.force import force as force_goal
    from gdl.play.force import highest_goal
    from gdl.play.solve import UnsolvedError

    start = reach(open_game(game, limits, "native"), moves)
    role = wins if wins is not None else draws
    assert role is not None
    if draws is not None:
        goal = -(-highest_goal(start, role) // 2)
    with ticker() as line:
        line.tick(lambda: f"looks for a strategy of {role} ...")
        try:
            forced = force_goal(start, role, goal=goal, seconds=seconds or math.inf)
            can = forced.is_held if endless else forced.is_forced
            plan = forced.strategy() if can and (strategy or within is not None) else None
        except UnsolvedError as error:
            report(error)
            raise typer.Exit(UNKNOWN) from None
    if plan is not None and strategy is not None:
        plan.save(strategy)
    if json:
        say_json(_as_json(forced, plan, within))
    else:
        say(_endless(forced) if endless else _verdict(forced), style="bold")
        _show(forced, plan, within, strategy)
    if not can:
        raise typer.Exit(FAILED)


def _verdict(answer: Forced) -> str:
    """Return whether a goal is forced; where it is only held, that."""
    if answer.is_forced:
        when = "" if answer.plies is None else f", in {counted(answer.plies, 'move')}"
        return f"{answer.role} can force {answer.goal}{when}"
    said = f"{answer.role} cannot force {answer.goal}"
    if answer.is_held:
        said += (
            ": play may go on for ever. But it can see to it that play never ends with less "
            "(--endless)"
        )
    return said


def _endless(answer: Forced) -> str:
    """Return whether a goal is held."""
    if not answer.is_held:
        return f"{answer.role} cannot keep play from ending with less than {answer.goal}"
    said = f"{answer.role} can see to it that play never ends with less than {answer.goal}"
    if answer.is_forced:
        return f"{said}, and that it ends"
    return f"{said}; it may go on for ever"


def _show(answer: Forced, plan: Strategy | None, within: int | None, file: Path | None) -> None:
    if plan is not None:
        if within is not None:
            say(_within(answer, plan, within))
        if plan.plies is None:
            say("Play may go on for ever.")
        else:
            longest = counted(plan.plies, "move")
            say(f"The longest play has {longest}: {'; '.join(_line(answer.start, plan))}")
        moves, met = counted(len(plan.moves), "move"), counted(plan.positions, "position")
        say(f"{moves} for {met} that may be met.")
    work = counted(answer.work, "position")
    say(f"{work} {WAYS[answer.way]}, {answer.seconds:.1f} s of processor time")
    if file is not None and plan is not None:
        say(f"The strategy is in {file}.")


def _within(answer: Forced, plan: Strategy, within: int) -> str:
    shortest = answer.plies if answer.plies is not None else plan.plies
    assert shortest is not None  # it is forced
    if shortest <= within:
        return f"It takes no more than {counted(within, 'move')}."
    if answer.plies is not None:
        return f"It takes more than {counted(within, 'move')}."
    return f"Whether {counted(within, 'move')} will do is not known; this strategy takes more."


def _line(start: State, plan: Strategy) -> list[str]:
    """Return the longest play in notation; of each joint move what was chosen."""
    told = []
    state = start
    for joint in plan.line:
        chosen = [
            state.notation(move)
            for role, move in zip(state.game.roles, joint, strict=True)
            if role in state.movers
        ]
        told.append("+".join(chosen) or "-")
        state = state.play(joint)
    return told


def _as_json(answer: Forced, plan: Strategy | None, within: int | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        "game": answer.start.game.id,
        "role": str(answer.role),
        "goal": answer.goal,
        "forced": answer.is_forced,
        "held": answer.is_held,
        "plies": answer.plies,
        "way": answer.way,
        "positions": answer.work,
        "seconds": round(answer.seconds, 3),
    }
    if plan is not None:
        said["strategy"] = {
            "positions": plan.positions,
            "moves": len(plan.moves),
            "plies": plan.plies,
            "line": _line(answer.start, plan),
        }
        if within is not None:
            is_short = plan.plies is not None and plan.plies <= within
            said["within"] = {"moves": within, "does": is_short or None}
    return said
