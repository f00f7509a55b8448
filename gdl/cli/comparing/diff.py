"""``gdl diff``: where two rulesets part, or the proof that they never do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.cli.comparing.proving import (
    UNKNOWN,
    CertificatesOption,
    MemoryOption,
    OpinionOption,
    ProofsOption,
    TimeOption,
    play_as_json,
    say_uncertified,
    stage_line,
)
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED, OK, UsageError, report
from gdl.cli.terminal.options import JsonOption, SeedOption, argument, complete_id, option
from gdl.cli.terminal.table import say_table
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted

if TYPE_CHECKING:
    from gdl.verify.answer import Difference


class Goals(StrEnum):
    """Where goals are compared."""

    AUTO = "auto"
    TERMINAL = "terminal"
    EVERYWHERE = "everywhere"


def diff(
    games: Annotated[
        list[str],
        argument(
            "A B",
            "Two games: ruleset ids or rule files. With --matrix: several, or a family.",
            autocompletion=complete_id,
        ),
    ],
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Compare all pairs and show a table.")
    ] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="List all things in which two games differ, one sentence each."),
    ] = False,
    turns: Annotated[
        bool | None,
        option(
            "--turns/--plies",
            None,
            "Read a turn of two plies (place, then rotate) as one move. By default only "
            "where nothing else fits.",
        ),
    ] = None,
    goals: Annotated[
        Goals,
        typer.Option(
            "--goals",
            help="Compare goals where the game is over (terminal), in all states (everywhere), or "
            "in all states but differences that matter to the play first (auto).",
        ),
    ] = Goals.AUTO,
    names: Annotated[
        Path | None,
        option(
            "--map",
            "FILE",
            "A TOML file that says what stands for what: tables roles, moves, constants.",
        ),
    ] = None,
    save: Annotated[
        Path | None, option("--save", "FILE", "Write the play, for gdl replay and for tests.")
    ] = None,
    proofs: ProofsOption = None,
    certificates: CertificatesOption = None,
    second_opinion: OpinionOption = False,
    time: TimeOption = 120.0,
    memory: MemoryOption = 4096,
    depth: Annotated[int | None, option("--depth", "N", "Longest play.", min=0)] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Find the shortest play after which two games disagree, or prove that there is none.

    Exit codes: 0 equivalent, proved; 1 they differ; 2 an error; 3 no difference found, none
    ruled out, or the moves cannot be matched.
    Ctrl-C gives what is known by then.

    Examples:
      gdl diff pentago/strict pentago/utwente
      gdl diff pentago/phased pentago/strict --turns
      gdl diff mine.kif tictactoe --time 60 --save difference.toml
      gdl diff mine.kif tictactoe --all
      gdl diff --matrix pentago
    """
    from gdl.verify.saved import read_map, write_saved

    wanted: dict[str, Any] = {
        "turns": turns,
        "goals": goals.value,
        "seconds": time,
        "megabytes": memory,
        "max_depth": depth,
        "seed": seed,
        "limits": limits,
        "table": None if names is None else read_map(names),
        "proofs": proofs,
        "certificates": certificates,
        "second_opinion": second_opinion,
    }
    beside = {"--save": save, "--proofs": proofs, "--certificates": certificates}
    if matrix:
        _refuse_beside("--matrix", beside)
        _show_matrix(_members(games), wanted, json=json)
        return
    if len(games) != 2:  # noqa: PLR2004  # a pair
        raise UsageError(
            f"{counted(len(games), 'game')} given",
            expected="two, or --matrix and several",
            help="gdl diff pentago/strict pentago/utwente",
        )
    if every:
        _refuse_beside("--all", beside)
        if second_opinion:
            raise UsageError(
                "--second-opinion is for one comparison, --all makes many",
                help=f"gdl diff {games[0]} {games[1]} --second-opinion",
            )
        if goals is Goals.EVERYWHERE:
            raise UsageError("--all compares goals where the game is over, not --goals everywhere")
        with _unmatched():
            _show_all(games[0], games[1], wanted, json=json)
        return
    with _unmatched():
        answer = _compare(games[0], games[1], wanted)
    if save is not None and answer.plays is not None:
        save.write_text(write_saved(answer, limits=limits), encoding="utf-8")
    if json:
        say_json(_as_json(answer))
    else:
        say(str(answer))
        if certificates is not None:
            say_uncertified(certificates)
    code = exit_code(answer)
    if code != OK:
        raise typer.Exit(code)


@contextmanager
def _unmatched() -> Iterator[None]:
    """Leave as where nothing is known if nothing tells what stands for what."""
    from gdl.verify.systems.matching import CorrespondenceError

    try:
        yield
    except CorrespondenceError as error:
        report(error)
        raise typer.Exit(UNKNOWN) from None


def _show_all(left: str, right: str, wanted: dict[str, Any], *, json: bool) -> None:
    from gdl.verify.questions.differences import differences

    asked = ("table", "turns", "max_depth", "seconds", "megabytes", "seed", "limits")
    with stage_line() as on_stage:
        answer = differences(
            left, right, on_stage=on_stage, **{name: wanted[name] for name in asked}
        )
    if json:
        say_json(
            {
                "found": [_as_json(difference) for difference in answer.met],
                "complete": answer.complete,
                "method": answer.method,
            }
        )
    else:
        for number, difference in enumerate(answer.met, start=1):
            shortest = "" if difference.proved else " (perhaps after fewer)"
            say(f"{number}. {difference.sentence}{shortest}")
        rest = "nothing differs" if not answer.met else "nothing else differs"
        how = "proved by" if answer.complete else "not proved:"
        say(f"{rest} ({how} {answer.method})", style="green" if answer.complete else "yellow")
    if answer.met:
        raise typer.Exit(FAILED)
    if not answer.complete:
        raise typer.Exit(UNKNOWN)


def _refuse_beside(many: str, options: dict[str, Path | None]) -> None:
    """Refuse options that name one place for what there are many of."""
    for name, path in options.items():
        if path is not None:
            raise UsageError(
                f"{name} is for one comparison, {many} makes many",
                help=f"gdl diff A B {name} {path}",
            )


def exit_code(answer: Difference) -> int:
    """Return the exit code that says the answer."""
    if answer.equivalent:
        return OK
    return UNKNOWN if answer.equivalent is None else FAILED


def _compare(left: str, right: str, wanted: dict[str, Any]) -> Difference:
    from gdl.verify.diff import diff as compare

    with stage_line() as on_stage:
        return compare(left, right, on_stage=on_stage, **wanted)


def _members(words: list[str]) -> list[str]:
    """Return the rulesets that words mean; a family stands for all of its rulesets."""
    from gdl.ruleset.search import catalogue, members_of

    ids = catalogue().ids
    names: list[str] = []
    for word in words:
        names += members_of(word.rstrip("/"), ids) or [word]
    if len(names) < 2:  # noqa: PLR2004  # a pair at least
        raise UsageError(
            f"--matrix: {' '.join(words)} is one game",
            expected="a family such as pentago, or several games",
        )
    return list(dict.fromkeys(names))


def _show_matrix(names: list[str], wanted: dict[str, Any], *, json: bool) -> None:
    from gdl.verify.systems.matching import CorrespondenceError

    cells: dict[tuple[str, str], str] = {}
    answers: list[dict[str, object]] = []
    code = OK
    for left, right in combinations(names, 2):
        try:
            answer = _compare(left, right, wanted)
        except CorrespondenceError as error:
            cells[left, right] = cells[right, left] = "not matched"
            answers.append({"a": left, "b": right, "equivalent": None, "error": error.headline})
            code = max(code, UNKNOWN)
            continue
        cells[left, right] = cells[right, left] = _cell(answer)
        answers.append(_as_json(answer))
        code = max(code, exit_code(answer))
    if json:
        say_json(answers)
    else:
        _print_matrix(names, cells)
    if code != OK:
        raise typer.Exit(code)


def _print_matrix(names: list[str], cells: dict[tuple[str, str], str]) -> None:
    rows = [[left, *(cells.get((left, right), "") for right in names)] for left in names]
    say_table(["", *names], rows)
    say("\nMoves of the shortest play after which two part, and what differs then.")
    if "not matched" in cells.values():
        say("not matched: their moves could not be brought together; gdl diff A B says why.")
    if any(cell.startswith("<=") for cell in cells.values()):
        say("<=: perhaps a shorter play does too; more --time may tell.")


def _cell(answer: Difference) -> str:
    if answer.equivalent:
        return "equivalent"
    if answer.equivalent is None:
        return f"none up to {answer.depth}"
    return f"{'' if answer.proved else '<= '}{answer.depth}: {answer.kinds[0]}"


def _as_json(answer: Difference) -> dict[str, object]:
    return {
        "a": answer.a,
        "b": answer.b,
        "equivalent": answer.equivalent,
        "proved": answer.proved,
        "depth": answer.depth,
        "method": answer.method,
        "matching": answer.matching,
        "plays": None if answer.plays is None else list(map(play_as_json, answer.plays)),
        "sentence": answer.sentence,
        "what": list(answer.what),
        "kinds": list(answer.kinds),
        "notes": list(answer.notes),
        "stages": [
            {"name": stage.name, "seconds": round(stage.seconds, 3), "text": stage.text}
            for stage in answer.stages
        ],
    }
