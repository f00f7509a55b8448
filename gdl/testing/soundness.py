"""What must hold of any game, whatever it is about: a check for authors, in one call.

In: a game. Out: nothing, or an error that says what is wrong and after which moves: roles without a
move, goals that are missing, moves whose text means another move, back ends that disagree, a
picture that cannot be drawn; and the tests of positions that lie beside the rules.

Source: GDL specification 2008, section 6 (well-formed games); suites that ship with an interface,
as in PettingZoo and hypothesis.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from gdl.game import Game, GameLike, load
from gdl.language.checks.check import check as check_description
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.keywords import RANDOM
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import require_whole
from gdl.plies import format_ply
from gdl.state import State

HIGHEST = 100
"""The greatest goal there is."""


class UnsoundGameError(GdlError, AssertionError):
    """A game that does not keep what every game must; an `AssertionError` too, for tests."""


def check(
    game: GameLike,
    *,
    games: int = 10,
    seed: int = 0,
    max_plies: int = 1_000,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Hold a game to what every game must keep, in random plays, and to its own tests.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        games: Random plays.
        seed: Makes them repeatable.
        max_plies: A play that is longer does not end.
        limits: What the rules may take.

    Raises:
        UnsoundGameError: Says what is wrong, and after which moves.
        GdlError: The game cannot be loaded.

    Example:
        >>> import gdl.testing
        >>> gdl.testing.check("tictactoe", games=2)
    """
    require_whole("games", games, 0)
    require_whole("max_plies", max_plies, 1)
    loaded = load(load(game, limits=limits).ruleset, backend="reason", limits=limits)
    problems = check_description(loaded.ruleset.description, limits=limits)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise UnsoundGameError(diagnostics=errors)
    other = load(loaded.ruleset, limits=limits)
    chance = random.Random(seed)  # noqa: S311  # for play, not for secrets
    for _ in range(games):
        _play(loaded, other, chance, max_plies)
    failed = list(_failed(loaded, limits))
    if failed:
        raise UnsoundGameError(diagnostics=failed)


def _play(game: Game, other: Game, chance: random.Random, max_plies: int) -> None:
    """Play at random, and look at every position."""
    state, twin = game.initial(), other.initial()
    for _ in range(max_plies + 1):
        for said in (*_wrong(state), *_unlike(state, twin)):
            raise UnsoundGameError(f"{game.id}, {_after(state)}: {said}")
        if state.is_terminal:
            return
        joint = tuple(chance.choice(state.legal(role)) for role in game.roles)
        state, twin = state.play(joint), twin.play(joint)
    raise UnsoundGameError(
        f"{game.id}: a random play is not over after {max_plies:,} moves",
        help="gdl verify says whether every play ends; max_plies allows longer ones",
    )


def _after(state: State) -> str:
    plies = [format_ply(ply) for ply in state.history[1:]]
    return f"after {'; '.join(plies)}" if plies else "before the first move"


def _wrong(state: State) -> Iterator[str]:
    """Yield what is wrong with a position."""
    game = state.game
    for role in game.roles:
        if state.is_terminal:
            goals = state.machine.goals(state.inner, game.role(role))
            if role != RANDOM and len(goals) != 1:
                yield f"the game is over, and {role} has {len(goals) or 'no'} goals"
            if any(not 0 <= goal <= HIGHEST for goal in goals):
                yield f"a goal of {role} is not from 0 to {HIGHEST}: {', '.join(map(str, goals))}"
            continue
        legal = state.legal(role)
        if not legal:
            yield f"{role} has no legal move, and the game goes on"
        for move in legal:
            text = state.notation(move)
            if game.move(text) != move:
                yield f"{text}, as the notation writes {move}, is read as {game.move(text)}"
            short = state.notation(move, short=True)
            if state.move(short, role) != move:
                yield f"{short}, in short for {move}, is read as {state.move(short, role)}"
    line = str(state.position)
    if game.position(line).facts != state.facts:
        yield f"the position is read back as another: {line}"
    str(state)  # draws it, or raises


def _unlike(state: State, twin: State) -> Iterator[str]:
    """Yield in what another back end does not agree."""
    name = twin.game.backend
    if state.facts != twin.facts:
        yield f"{name} has other facts than the rules as written"
    if state.is_terminal != twin.is_terminal:
        yield f"{name} does not agree on whether the game is over"
    for role in state.game.roles:
        if state.is_terminal:
            term = state.game.role(role)
            if set(state.machine.goals(state.inner, term)) != set(
                twin.machine.goals(twin.inner, term)
            ):
                yield f"{name} gives {role} other goals"
        elif set(state.legal(role)) != set(twin.legal(role)):
            yield f"{name} gives {role} other legal moves"


def _failed(game: Game, limits: Limits) -> Iterator[Diagnostic]:
    """Yield what fails of the tests of positions beside the rules."""
    from gdl.testing.discover import beside
    from gdl.testing.games import Games
    from gdl.testing.run import run_suite
    from gdl.testing.suite import Position

    games = Games(limits, counts=False)
    for suite in beside(game.ruleset, limits):
        for outcome in run_suite(suite, games, wanted=lambda case: isinstance(case.body, Position)):
            yield from outcome.problems
