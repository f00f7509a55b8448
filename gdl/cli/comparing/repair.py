"""``gdl repair``: the smallest changes of rules after which what was refuted is proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.cli.comparing.proving import (
    UNKNOWN,
    MemoryOption,
    NeverOption,
    TimeOption,
    play_as_json,
    stage_line,
)
from gdl.cli.comparing.verify import never_properties
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import GameArgument, JsonOption, SeedOption, complete_id, option
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted

if TYPE_CHECKING:
    from gdl.verify.questions.repair import Repair, Repairs

DOUBTS = 5
"""Changes that were neither proved nor refuted that are shown, at most."""
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def repair(
    game: GameArgument,
    wanted: Annotated[
        str | None,
        option(
            "--property",
            "NAME",
            "What has to hold, as gdl verify calls it. By default the first that is refuted of "
            "playable, terminating, goals unique, goals in range.",
        ),
    ] = None,
    never: NeverOption = None,
    reference: Annotated[
        str | None,
        option(
            "--reference",
            "GAME",
            "The game that it has to be the same as, as gdl diff says it.",
            autocompletion=complete_id,
        ),
    ] = None,
    edits: Annotated[int, typer.Option("--edits", metavar="N", help="Changes at most.", min=1)] = 2,
    most: Annotated[
        int, typer.Option("--found", metavar="N", help="Stop after so many repairs.", min=1)
    ] = 1,
    keep: Annotated[
        float,
        typer.Option(
            "--keep",
            metavar="SHARE",
            help="Least share of random plays that stay as they are, but for the fault.",
            min=0.0,
            max=1.0,
        ),
    ] = 0.5,
    output: Annotated[
        Path | None,
        option("--output -o", "FILE", "Write the first repair as a patch: patch -p0 < FILE."),
    ] = None,
    time: TimeOption = 120.0,
    memory: MemoryOption = 4096,
    seed: SeedOption = 0,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Find the smallest changes of the rules after which what is refuted of them is proved.

    A change leaves a literal out, puts one in or negates it, says another relation, constant or
    variable, leaves a rule out, repeats one for another goal, or ends play where a role is stuck.
    What gdl verify had proved before has to be proved still. Nothing is shown that was not proved.

    Exit codes: 0 mended, or nothing to mend; 1 no such change mends it; 2 an error;
    3 the time was too short.

    Examples:
      gdl repair mine.kif
      gdl repair mine.kif --property "goals unique" --found 3
      gdl repair mine.kif --never "(and (line x) (line o))"
      gdl repair mine.kif --reference tictactoe -o mend.patch
    """
    from gdl.verify.questions.repair import repair as mend

    if reference is not None and (wanted is not None or never):
        raise UsageError(
            "--reference says all that has to hold",
            expected="--reference alone, or --property and --never",
        )
    with stage_line() as on_stage:
        repairs = mend(
            game,
            wanted=wanted,
            reference=reference,
            probes=never_properties(never or ()),
            edits=edits,
            most=most,
            keep=keep,
            seconds=time,
            megabytes=memory,
            seed=seed,
            limits=limits,
            on_stage=on_stage,
        )
    if output is not None and repairs.repairs:
        output.write_text(f"{repairs.repairs[0].patch}\n", encoding="utf-8")
    if json:
        say_json(_as_json(repairs))
    else:
        _print(repairs)
    if repairs.is_needed and not repairs.repairs:
        raise typer.Exit(UNKNOWN if repairs.stopped else FAILED)
    if not repairs.is_needed and repairs.is_open:
        raise typer.Exit(UNKNOWN)


def _print(repairs: Repairs) -> None:
    say(f"{repairs.name}: {repairs.headline}")
    if not repairs.is_needed:
        return
    say(f"  required: {repairs.claim}; as it is: {repairs.fault}")
    say(
        f"  {counted(repairs.tried, 'change')} tried on "
        f"{counted(repairs.witnesses, 'play')} with the fault, {repairs.judged} put to the proof"
    )
    for doubt in repairs.doubts[:DOUBTS]:
        say(f"  perhaps, not proved: {doubt}", style="yellow")
    for proposal in repairs.repairs:
        _print_repair(proposal)


def _print_repair(repair: Repair) -> None:
    say("")
    for line in repair.changes:
        say(line, style="bold")
    for line in repair.patch.splitlines():
        say(line, style=STYLES.get(line[:1], ""))
    same = f"{repair.kept:.0%} of the random plays stay the same, but for the fault"
    say(f"proved: {repair.proof}; {same}")


def _as_json(repairs: Repairs) -> dict[str, object]:
    return {
        "game": repairs.name,
        "claim": repairs.claim,
        "needed": repairs.is_needed,
        "fault": repairs.fault,
        "play": play_as_json(repairs.play),
        "repairs": [
            {
                "changes": list(proposal.changes),
                "patch": proposal.patch,
                "proof": proposal.proof,
                "kept": proposal.kept,
            }
            for proposal in repairs.repairs
        ],
        "tried": repairs.tried,
        "judged": repairs.judged,
        "complete": repairs.complete,
        "stopped": repairs.stopped,
        "doubts": list(repairs.doubts),
    }
