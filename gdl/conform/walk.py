"""One play of joint moves compared position by position, and the rules that fire along it counted.

In: a comparison and a play of our rules, found elsewhere. Out: the first difference on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdl.conform.comparison import Comparison
from gdl.conform.coverage import Coverage
from gdl.conform.piece import Piece, note
from gdl.conform.sources.rules import RulesSource
from gdl.conform.styles import Memory
from gdl.conform.twin import Parting
from gdl.machine import JointMove


def walked(  # noqa: PLR0913, PLR0917  # what is walked, and who is told
    comparison: Comparison,
    coverage: Coverage,
    play: Sequence[JointMove],
    piece: Piece,
    style: str,
    on_position: Callable[[Piece], None],
) -> Parting | None:
    """Compare along a play of joint moves; return the first difference.

    Where a position of ours is not one of the play, since others wait or a pass is left out on the
    way, the play goes on from the next one that is. It is left where its move is not one of both
    sides, as behind a difference that is overlooked.

    Args:
        comparison: What is compared; our side is rules whose moves are not taken together.
        coverage: Counts the rules that fire.
        play: Joint moves of our rules, from the start.
        piece: Its counts go on.
        style: How the play was found, for these counts.
        on_position: Told of the counts so far; may raise to stop.
    """
    rules = comparison.ours
    assert isinstance(rules, RulesSource)
    machine = rules.game.machine
    states = [machine.initial()]
    for joint in play:
        states.append(machine.successor(states[-1], joint))
    memory, at = Memory(coverage), 0
    twin = comparison.start()
    while not isinstance(twin, Parting):
        piece.positions += 1
        piece.styles[style] += 1
        on_position(piece)
        partners = comparison.compare(twin)
        if isinstance(partners, Parting):
            return partners
        note(memory, twin)
        # The comparison may have made plies of its own: go on where the play has this position.
        while at < len(play) and states[at] != twin.ours.inner:
            at += 1
        if not partners or at == len(play):
            piece.games += not partners
            return None
        choice = {role: play[at][rules.place(role)] for role in partners}
        if any(move not in partners[role].moves for role, move in choice.items()):
            return None
        twin = comparison.step(twin, choice, partners)
        # Of moves that a side takes one by one the joint move is made with the last of them.
        at += not isinstance(twin, Parting) and not twin.ours.chosen
    return twin if comparison.is_new(twin) else None
