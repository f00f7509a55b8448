"""A reason in the words of the game, and where on the board it stands.

In: a state and an explanation. Out: a sentence for people who have never seen a rule, or None
where there is none that is sure; and the sites of the picture whose facts a proof rests on.
"""

from __future__ import annotations

import re

from gdl.language.dependencies import LEGAL, TRUE
from gdl.language.syntax import Compound, Term
from gdl.match.moves import occupant
from gdl.reason.explanation import Explanation, Proof
from gdl.state import State
from gdl.view.mark import STONE, Mark
from gdl.view.plan import plan
from gdl.view.scene import Piece, place, told


def reason(state: State, explanation: Explanation) -> str | None:
    """Return why a move is not legal, as a player would say it; None where that is not sure.

    It is sure of one thing: that a single piece is in the way, as the move would be legal without
    it (`gdl.match.moves.occupant`).
    """
    query = None if isinstance(explanation, Proof) else explanation.query
    picture = state.game.ruleset.picture
    if picture is None or not isinstance(query, Compound) or query.name != LEGAL.name:
        return None
    role, move = query.args
    taken = occupant(state, str(role), move)
    placed = {} if taken is None else place(picture, [taken])[0]
    for site, pieces in placed.items():
        return f"{called(plan(picture).sites[site].title)} has {_pieces(state, pieces)}."
    return None


def sites_of(state: State, explanation: Explanation) -> list[int]:
    """Return the sites whose facts a proof rests on; none for a refutation. Linear in the proof."""
    picture = state.game.ruleset.picture
    if picture is None or not isinstance(explanation, Proof):
        return []
    facts: set[Term] = set()
    seen: set[int] = set()
    waiting = [explanation]
    while waiting:
        proof = waiting.pop()
        if id(proof) in seen:
            continue
        seen.add(id(proof))
        if isinstance(proof.fact, Compound) and proof.fact.name == TRUE.name:
            facts.add(proof.fact.args[0])
        waiting.extend(premise for premise in proof.premises if isinstance(premise, Proof))
    return sorted(place(picture, facts)[0])


def called(title: str) -> str:
    """Return the name of a site as one writes it: ``C1`` for ``c 1``."""
    cell = re.fullmatch(r"([a-z]) ?(\d+)", title)
    return f"{cell[1].upper()}{cell[2]}" if cell else title[:1].upper() + title[1:]


def _pieces(state: State, pieces: tuple[Piece, ...]) -> str:
    """Return what stands somewhere: whose it is, where a piece is called as its player is."""
    mark = pieces[-1].mark
    owners = {player.title for player in state.game.ruleset.players}
    if len(pieces) == 1 and isinstance(mark, Mark) and mark.title in owners:
        noun = "mark" if mark.symbol.isalpha() else "stone" if mark.look == STONE else "piece"
        return f"{mark.title}'s {noun}"
    return told(pieces)
