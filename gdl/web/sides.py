"""Which of two players sits at the near side of a board: whose men stand at its lower edge.

In: a game with its picture. Out: a role, or None where the rules give nobody a side, as in
tic-tac-toe. No manifest says so: it is read from the opening.
"""

from __future__ import annotations

from typing import Any, Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Compound, Term
from gdl.match.ending import players
from gdl.state import State
from gdl.view.frame import frame
from gdl.view.picture import BESIDE
from gdl.view.plan import plan

MOST_PLIES: Final = 6
"""Moves after which everybody has been to move, also where dice are thrown or cards are dealt."""
DUEL: Final = 2
"""Players that can sit opposite each other."""


def told_board(game: Game) -> dict[str, Any]:
    """Return the board of a game as answers tell it: what it is drawn from, and who sits below."""
    picture = game.ruleset.picture
    return {"frame": None if picture is None else frame(picture).to_json(), "near": near(game)}


def near(game: Game) -> str | None:
    """Return the player whose men begin below those of the other one, None if nobody's do.

    A man is one's own if a fact that puts it somewhere names the role, or if the first moves of
    the role, and of no other, begin where it stands. Men of both may stand at one height, as
    stores of kalah do, if others do not. Cost: a few positions of the game.
    """
    duel, picture = players(game.roles), game.ruleset.picture
    if picture is None or len(duel) != DUEL:
        return None
    try:
        own = _homes(game, duel)
    except GdlError:
        return None  # a game that is stuck, or grows too large, shows so where it is played
    heights = {
        role: [plan(picture).sites[site].at[1] for site in sites] for role, sites in own.items()
    }
    if not all(heights.values()):
        return None
    for role, other in (duel, duel[::-1]):
        lowest, highest = max(heights[role]), min(heights[other])
        if max(heights[other]) <= min(heights[role]) and highest < lowest:
            return role
    return None


def _homes(game: Game, duel: tuple[str, ...]) -> dict[str, set[int]]:
    """Return the sites at which men of each player, and no men of the other, stand at first."""
    state = game.initial()
    own: dict[str, set[int]] = {role: set() for role in duel}
    if RANDOM not in game.roles and not _sites(state, state.facts):
        return own  # an empty board: what is put on it says nothing, and legal moves are many
    standing: set[int] | None = None  # what is there before anybody has put something down
    waiting = set(duel)
    for _ in range(MOST_PLIES):
        if state.is_terminal or not waiting:
            break
        movers = waiting.intersection(state.movers)
        if movers and standing is None:
            standing = _sites(state, state.facts)
            for role in duel:
                own[role] |= _named(state, game.role(role))
        for role in movers:
            own[role] |= _begun(state, role) & (standing or set())
        waiting -= movers
        first = {role: state.legal(role)[:1] for role in state.movers}
        if not all(first.values()):
            break  # the rules leave somebody without a move
        state = state.play({role: moves[0] for role, moves in first.items()})
    one, other = duel
    return {one: own[one] - own[other], other: own[other] - own[one]}


def _named(state: State, role: Term) -> set[int]:
    """Return the sites at which something stands by a fact that names a role."""
    return _sites(state, frozenset(fact for fact in state.facts if _names(fact, role)))


def _names(fact: Term, role: Term) -> bool:
    return isinstance(fact, Compound) and role in fact.args


def _begun(state: State, role: str) -> set[int]:
    """Return the sites at which moves of a role begin."""
    places = (state.game.ruleset.location(move, role) for move in state.legal(role))
    return {site for place in places if place and place.steps for site in place.steps[0]}


def _sites(state: State, facts: frozenset[Term]) -> set[int]:
    """Return the sites at which facts put something, but for what lies beside a board."""
    scene = state.game.ruleset.scene(facts)
    if scene is None:
        return set()
    return {site for site in scene.pieces if scene.plan.sites[site].form not in BESIDE}
