"""``gdl test``: does a game do what is written down that it must do?"""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gdl.cli.terminal.console import paint, say
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import argument, option
from gdl.cli.terminal.output import check_output
from gdl.cli.terminal.ticker import ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.terms import kif_text
from gdl.language.words import counted
from gdl.ruleset.errors import did_you_mean, one_of

if TYPE_CHECKING:
    from gdl.testing.games import Games
    from gdl.testing.outcome import Outcome
    from gdl.testing.suite import Case, Suite

SIGNS: Final = {"passed": ".", "failed": "F", "skipped": "s"}
COLOURS: Final = {"passed": "green", "failed": "bold red", "skipped": "yellow"}
WIDTH: Final = 80
"""Columns of a heading."""
MOST_NAMED: Final = 6
"""Moves that no test came to are named if there are so few."""


def test(
    what: Annotated[
        list[str] | None,
        argument("WHAT...", "Files of tests, folders, or games; by default this folder."),
    ] = None,
    keyword: Annotated[
        str | None, option("--keyword -k", "TEXT", "Only tests whose name has this text.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each test.")] = False,
    exit_first: Annotated[
        bool, typer.Option("--exit-first", "-x", help="Stop after the first that fails.")
    ] = False,
    coverage: Annotated[
        bool,
        typer.Option("--coverage/--no-coverage", help="Say what no test exercised: rules, moves."),
    ] = True,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Write tests for rules that fired in none.")
    ] = False,
    time: Annotated[
        float, typer.Option("--time", "-t", metavar="S", min=0.1, help="Seconds for --suggest.")
    ] = 60.0,
    junit: Annotated[
        Path | None, option("--junit", "FILE", "Write the results as JUnit XML, too.")
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Say what failed as annotations of GitHub.")
    ] = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Run the tests of games: files that end in .test.toml, beside the rules.

    A test says what must hold in a position: legal moves, goals, whether the game is over,
    numbers of plays; or what must be proved, or be equivalent. docs/testing.md has it all.

    Examples:
      gdl test
      gdl test tictactoe -v
      gdl test rulesets/ --junit results.xml
      gdl test mine.kif --suggest >> mine.test.toml

    Exit codes: 0 all pass; 1 a test fails; 2 there is no test, or a file cannot be used.
    """
    from gdl.testing.discover import suites
    from gdl.testing.games import Games

    begin = clock.perf_counter()
    if suggest:
        _suggest(what or [], time, limits)
        return
    read = suites(what or [], limits)
    wanted = _cases(read, keyword)
    names = [case.name for suite in read for case in suite.cases]
    if keyword and names and not wanted:
        raise UsageError(
            f"there is no test with {keyword!r} in its name",
            expected=one_of(names),
            help=did_you_mean(keyword, names),
        )
    if not wanted:  # a run without a test proves nothing: no success
        raise UsageError(
            "there is no test",
            expected="files that end in .test.toml, folders of them, or games",
            help="gdl test --suggest GAME writes some",
        )
    if junit is not None:
        check_output(str(junit))
    games = Games(limits, counts=coverage)
    outcomes = _run(read, wanted, games, is_verbose=verbose, is_first=exit_first)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    _say_failures(failed, is_github=github)
    if junit is not None:
        from gdl.cli.terminal.output import write_text
        from gdl.testing.reports import junit as as_junit

        write_text(as_junit(outcomes), str(junit))
    if coverage:
        _say_coverage(games)
    _say_summary(outcomes, failed, clock.perf_counter() - begin)
    if failed:
        raise typer.Exit(FAILED)


def _cases(suites: Sequence[Suite], keyword: str | None) -> set[int]:
    """Return the cases that are wanted, by identity."""
    return {
        id(case)
        for suite in suites
        for case in suite.cases
        if keyword is None or keyword.casefold() in case.name.casefold()
    }


def _run(
    suites: Sequence[Suite], wanted: set[int], games: Games, *, is_verbose: bool, is_first: bool
) -> list[Outcome]:
    from gdl.testing.run import run_suite

    outcomes: list[Outcome] = []
    for suite in suites:
        if not any(id(case) in wanted for case in suite.cases):
            continue
        signs: list[str] = []
        with ticker() as line:

            def is_wanted(case: Case) -> bool:
                if id(case) in wanted:
                    line.tick(lambda: f"{suite.path}: {case.name}")  # noqa: B023  # of this round
                return id(case) in wanted

            for outcome in run_suite(suite, games, wanted=is_wanted):
                outcomes.append(outcome)
                signs.append(SIGNS[outcome.status])
                if is_verbose:
                    line.hide()
                    _say_one(outcome)
                if is_first and outcome.status == "failed":
                    break
        if not is_verbose:
            say(f"{suite.path} {''.join(signs)}")
        if is_first and outcomes and outcomes[-1].status == "failed":
            break
    return outcomes


def _say_one(outcome: Outcome) -> None:
    why = f" ({outcome.case.skip})" if outcome.case.skip else ""
    say(f"{outcome.name} {outcome.status.upper()}{why}", style=COLOURS[outcome.status])


def _heading(text: str, sign: str, style: str = "") -> None:
    say(f" {text} ".center(WIDTH, sign), style=style)


def _say_failures(failed: Sequence[Outcome], *, is_github: bool) -> None:
    if failed:
        say("")
        _heading("FAILURES", "=")
    for outcome in failed:
        _heading(outcome.case.name, "_", "bold red")
        for problem in outcome.problems:
            say(paint(str(problem)))
        if is_github:
            from gdl.testing.reports import github

            for line in github(outcome):
                say(line)


def _say_coverage(games: Games) -> None:
    from gdl.testing.firing import by_file, moves_by_family, place_of

    if not games.firing:
        return
    say("")
    _heading("coverage of rules and moves", "-")
    for file in by_file(games.firing.values()):
        fired = file.total - len(file.left)
        share = f"{100 * fired // file.total}%, {fired:,} of {counted(file.total, 'rule')} fired"
        say(f"{Path(file.path).name or 'text'}: {share}", style="yellow" if file.left else "green")
        for rule in file.left:
            say(f"  the rule at {place_of(rule)} fired in no test: {rule.text}")
    for moves in moves_by_family(games.firing.values()):
        legal = f"{len(moves.legal):,}"
        if moves.listed:
            among = len(moves.listed) - len(moves.never)
            legal = f"{100 * among // len(moves.listed)}%, {among:,} of {len(moves.listed):,}"
        style = "yellow" if moves.unmade else "green"
        say(
            f"moves of {moves.family}: {legal} legal in a test, {len(moves.played):,} made",
            style=style,
        )
        if len(moves.never) <= MOST_NAMED:
            for move in sorted(map(kif_text, moves.never)):
                say(f"  the move {move} was legal in no test")
        for kind in moves.unmade:
            move = f"a move ({kind.name} ...)" if kind.arity else f"the move {kind.name}"
            say(f"  no test makes {move}")


def _say_summary(outcomes: Sequence[Outcome], failed: Sequence[Outcome], seconds: float) -> None:
    say("")
    if failed:
        _heading("short test summary", "=")
        for outcome in failed:
            say(f"FAILED {outcome.name} - {outcome.problems[0].message}")
    counts = [(word, sum(outcome.status == word for outcome in outcomes)) for word in SIGNS]
    told = ", ".join(f"{count} {word}" for word, count in counts if count)
    _heading(f"{told} in {seconds:.2f} s", "=", "bold red" if failed else "green")


def _suggest(words: Sequence[str], seconds: float, limits: Limits) -> None:
    """Write tests for what the tests of games leave out."""
    from gdl.game import load
    from gdl.testing.discover import beside
    from gdl.testing.firing import Firing, place_of
    from gdl.testing.games import Games
    from gdl.testing.run import run_suite
    from gdl.testing.suggest import suggest, test_text
    from gdl.verify.diff import require_packages

    if not words:
        raise UsageError("--suggest needs a game", expected="gdl test --suggest GAME...")
    require_packages()
    for word in words:
        game = load(word, backend="reason", limits=limits)
        games = Games(limits)
        for suite in beside(game.ruleset, limits):
            for _ in run_suite(suite, games, wanted=lambda case: not hasattr(case.body, "never")):
                pass
        firing = games.firing.get(game.id) or Firing(game)
        name = word if not Path(word).is_file() else Path(word).name
        say(f"# Tests of {game.id}, written by gdl test --suggest: they say what its rules do")
        say("# today. Read each, and keep what the game must do.")
        if not firing.left:
            say(f"# Every rule of {game.id} fires in a test already.")
        say("")
        dead: set[int] = set()
        with ticker() as line:
            line.tick(lambda word=word: f"looking for plays of {word}")  # type: ignore[misc]  # mypy 1.x cannot type a lambda's default
            for suggestion in suggest(firing, seconds):
                line.hide()
                say(test_text(suggestion, name))
                if suggestion.state is None:
                    dead.add(suggestion.rule.number)
        for rule in [rule for rule in firing.left if rule.number not in dead]:
            say(f"# {place_of(rule)}: no play was found, or there is none: {rule.text}")
