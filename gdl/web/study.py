"""Questions outside of a match: what is wrong with rules, how positions stand, why.

In: JSON objects. Out: JSON objects. All of it runs in a process apart from the server
(`gdl.web.worker`), because rules and questions may come from anybody.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gdl.boards.inferred import with_board
from gdl.language.diagnostics import GdlError, Severity
from gdl.language.limits import Limits
from gdl.language.syntax import Compound, Term
from gdl.match.actions import read_entry
from gdl.match.ending import players
from gdl.match.log import header_json, read_header
from gdl.match.match import Header, Match, follow, start
from gdl.match.pin import unpin
from gdl.match.refusal import LogError
from gdl.match.view import view
from gdl.ruleset import Ruleset
from gdl.view.move_location import site_at
from gdl.view.plan import plan
from gdl.web.problems import ProblemError, diagnostic_json, problem_of
from gdl.web.sides import told_board
from gdl.web.storable import MOST_VALUES, require_few
from gdl.web.words import called, reason, sites_of


def check(text: str, limits: Limits) -> dict[str, Any]:
    """Return all diagnostics of a rule text, and its roles when it can be played."""
    diagnosed = _diagnosed(text, limits)
    return {**diagnosed, **told_roles(() if diagnosed["errors"] else _roles(text, limits))}


def told_roles(roles: Sequence[str]) -> dict[str, list[str]]:
    """Return roles as answers tell them: all in order, and those that somebody plays."""
    return {"roles": list(roles), "seats": list(players(roles))}


def _roles(text: str, limits: Limits) -> tuple[str, ...]:
    """Return the roles of a rule text; none if it is too large to be played."""
    from gdl.game import load

    try:
        ruleset = Ruleset("rules", (), text=text, limits=limits)
        return load(ruleset, backend="reason", limits=limits).roles
    except GdlError:
        return ()


def _diagnosed(text: str, limits: Limits) -> dict[str, Any]:
    from gdl.language.checks.check import check_reading
    from gdl.language.parse import parse

    diagnostics = check_reading(lambda: parse(text, limits=limits, name="rules"), limits=limits)
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    return {"diagnostics": [diagnostic_json(problem) for problem in diagnostics], "errors": errors}


def prepare(text: str, title: str, like: Any, limits: Limits) -> dict[str, Any]:  # noqa: ANN401  # JSON
    """Return the header of a match of a rule text, once it is known that it can be played.

    Args:
        text: The rules.
        title: What they are called.
        like: A pinned ruleset whose players, notation and picture they have; None for none.
        limits: What the rules may take.
    """
    diagnosed = _diagnosed(text, limits)
    if diagnosed["errors"]:
        first = next(
            diagnostic
            for diagnostic in diagnosed["diagnostics"]
            if diagnostic["severity"] == "error"
        )
        raise ProblemError(
            422, "invalid-rules", first["text"], diagnostics=diagnosed["diagnostics"]
        )
    base = Ruleset(id=title, paths=()) if like is None else unpin(like)
    ruleset = replace(
        base, id=title, text=text, title=title, limits=limits, game_id="", ruleset_version=""
    )
    header = Header.of("", with_board(ruleset, limits) if like is None else ruleset)
    match = start(header, limits=limits)
    require_tellable(json.dumps(view(match)))
    return {"header": header_json(header), **_begun(match)}


def require_tellable(told: str | bytes) -> None:
    """Refuse what is told of a state where the server would long be reading it, and writing it.

    Raises:
        ProblemError: It has too many values, as of 20,000 facts.
    """
    try:
        require_few(told, MOST_VALUES, "what is told of a state of these rules")
    except ProblemError as many:
        raise ProblemError(422, "rules-too-large", many.message) from many


def imported(header: Any, entries: list[Any], limits: Limits) -> dict[str, Any]:  # noqa: ANN401  # JSON
    """Return how a log that follows from its header has begun, once it is known to be shown.

    What a log says of players, notation and boards comes from anybody; that all of it fits
    together shows when a position is told.

    Raises:
        LogError: The log does not follow, or what it tells of its boards does not fit together.
    """
    match = replayed(header, entries, limits)
    try:
        require_tellable(json.dumps(view(match)))
        _told(match)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise LogError(
            f"the ruleset of the match cannot be shown: {type(error).__name__} {error}",
            expected="players, a notation and a picture as gdl.match.pin.pin writes them",
        ) from error
    return _begun(match)


def _begun(match: Match) -> dict[str, Any]:
    """Return what the server has to know of a match that it is about to make."""
    due = match.timeout_due()
    return {
        "roles": list(match.game.roles),
        "finished": match.outcome is not None,
        "due": None if due is None else due[0],
        "toMove": list(match.to_move),
    }


def position(  # noqa: PLR0913, PLR0917  # the fields of one request
    header: Any,  # noqa: ANN401  # JSON
    entries: list[Any],
    moves: list[Any],
    audience: str | None,
    about: bool,  # noqa: FBT001  # a field of the request
    limits: Limits,
) -> dict[str, Any]:
    """Return the state after a log and further moves that only this answer knows.

    Each move is a text, of the one role that is to move, or an object of texts by role. Where
    one is refused the answer says so under ``refused``, with the state before it. With ``about``
    it tells the ruleset as well.
    """
    match = replayed(header, entries, limits)
    if match.hidden and moves:
        raise ProblemError(403, "hidden", "this game hides its state from its roles")
    refused = None
    begun = match.seq
    for number, move in enumerate(moves):
        try:
            match = _after(match, move)
        except (GdlError, ProblemError) as error:
            problem = problem_of(error)
            refused = {"move": number, **problem.to_json()["error"]}
            break
    told = told_position(match, audience, begun=begun, refused=refused)
    return {**told, "ruleset": _told(match)} if about else told


def told_position(
    match: Match, audience: str | None, *, begun: int, refused: dict[str, Any] | None
) -> dict[str, Any]:
    """Return a position as `position` tells it: the moves since the log had so many entries."""
    branch = match.entries[begun:]
    return {
        "state": view(match, audience),
        "terms": [{entry.role: entry.term} for entry in branch],
        "texts": [{entry.role: entry.move} for entry in branch],
        "refused": refused,
    }


def _told(match: Match) -> dict[str, Any]:
    """Return the ruleset of a match as ``GET /api/rulesets/ID`` tells shipped ones."""
    return {
        **match.header.ruleset,
        **told_board(match.game),
        **told_roles(match.game.roles),
    }


def replayed(header: Any, entries: list[Any], limits: Limits) -> Match:  # noqa: ANN401  # JSON
    """Return a match after the entries of its log."""
    match = start(read_header(header), limits=limits)
    for entry in entries:
        match = follow(match, read_entry(entry))
    return match


def after_moves(match: Match, moves: list[Any]) -> Match:
    """Return a match after moves that are in no log.

    Raises:
        RefusedError: One is not legal.
        ProblemError: It does not say whose move it is.
    """
    for move in moves:
        match = _after(match, move)
    return match


def _after(match: Match, move: object) -> Match:
    """Return a match after a joint move that is in no log."""
    from gdl.match.actions import Action, Kind
    from gdl.match.match import submit

    if isinstance(move, str):
        if len(match.to_move) != 1:
            names = match.movers or "nobody"
            raise ProblemError(422, "ambiguous", f"{names} can move here; name the role")
        move = {match.to_move[0]: move}
    assert isinstance(move, Mapping)
    for role, text in move.items():
        action = Action(f"study.{match.seq}", match.seq, role, Kind.MOVE, text)
        match = submit(match, action, at=match.last_at).match
    return match


def why(  # noqa: PLR0913, PLR0917  # the fields of one request
    header: Any,  # noqa: ANN401  # JSON
    entries: list[Any],
    moves: list[Any],
    query: str | None,
    cell: list[int] | None,
    sites: list[int],
    limits: Limits,
) -> dict[str, Any]:
    """Return the explanation of a query in the state after a log and further moves.

    In place of a query, sites of the picture that are touched one after the other, or a cell (row
    and column, counted from 0), ask why the role that is to move can make no such move.
    """
    match = replayed(header, entries, limits)
    if match.hidden:
        raise ProblemError(403, "hidden", "this game hides its state from its roles")
    match = after_moves(match, moves)
    picture = match.game.ruleset.picture
    if cell is not None and picture is not None and len(cell) == 2:  # noqa: PLR2004  # row, column
        site = site_at(picture, *cell)
        sites = [] if site is None else [site]
    move = None
    if cell is not None or sites:
        query, move = _query_at(match, sites)
    if query is None:
        expected = "query, cell or site"
        raise ProblemError(422, "malformed-request", "there is no query", expected=expected)
    explanation = match.state.why(query)
    return {
        "query": query,
        "text": str(explanation),
        "short": reason(match.state, explanation),
        "sites": sites_of(match.state, explanation),
        "move": move,
    }


def _query_at(match: Match, sites: list[int]) -> tuple[str, str | None]:
    """Return the question whether the role to move can move by touching sites, and that move."""
    if not match.to_move:
        return "terminal", None
    state, role = match.state, match.to_move[0]
    moves = state.game.ruleset.moves_on(*sites, role=role) if sites else ()
    if not moves:
        raise ProblemError(422, "no-such-cell", _no_move_there(match, sites))
    kinds = {_kind(move) for move in state.legal(role)}
    likely = [move for move in moves if _kind(move) in kinds]
    move = (likely or moves)[0]
    return f"legal {role} {move}", state.notation(move)


def _no_move_there(match: Match, sites: list[int]) -> str:
    """Return in the words of the game that the role to move can begin nothing at a site."""
    picture = match.game.ruleset.picture
    if picture is None or not sites or sites[0] >= len(plan(picture).sites):
        return "no move is made there"
    begun = called(plan(picture).sites[sites[0]].title)
    return f"{match.title_of(match.to_move[0])} has no move that begins at {begun}."


def _kind(move: Term) -> tuple[str, int]:
    """Return the name of a move and how many arguments it has."""
    return (move.name, len(move.args)) if isinstance(move, Compound) else (str(move), 0)
