"""Any sequence of legal and illegal moves: both sides accept the same, and refusals change nothing.

Hypothesis draws who tries which move: legal ones, moves on occupied squares, moves out of turn,
rotations where a placement is due, moves after the end, texts that are no moves.
"""

from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engine import GAMES
from gdl.conform import Divergence, Lockstep, Pair
from tests.conformance.games import late_play, lockstep
from tests.shared import examples

NONSENSE = ("", "A1", "A7 Q00 CW", "a0 1 CW", "(place 1 4 1)", "(rotate 1)", "PLACE_STONE {15,0}")
SETTINGS = settings(
    max_examples=examples(40),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)


class BothSides(RuleBasedStateMachine):
    """A game on both sides; subclasses name the ruleset and where games begin."""

    steps: ClassVar[Lockstep[Any, Any]]
    starts: ClassVar[tuple[Pair[Any], ...]]
    texts: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        super().__init__()
        self.pair = self.starts[0]

    @property
    def is_over(self) -> bool:
        return self.steps.reference.is_terminal(self.pair.position)

    @precondition(lambda self: not self.pair.moves)
    @rule(number=st.integers(0, 9))
    def begin_late(self, number: int) -> None:
        """Most edges lie near the end."""
        self.pair = self.starts[number % len(self.starts)]

    @precondition(lambda self: not self.is_over)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        move = data.draw(st.sampled_from(self.steps.reference.legal_moves(self.pair.position)))
        following = self.steps.step(self.pair, move)
        assert not isinstance(following, Divergence), str(following)
        self.pair = following

    @rule(data=st.data(), seat=st.integers(0, 1))
    def attempt(self, data: st.DataObject, seat: int) -> None:
        text = data.draw(st.sampled_from(self.texts))
        facts, drawn = self.pair.state.facts, self.steps.reference.draw(self.pair.position)
        answer = self.steps.attempt(self.pair, self.steps.game.roles[seat], text)
        assert not isinstance(answer, Divergence), str(answer)
        assert self.pair.state.facts == facts
        assert self.steps.reference.draw(self.pair.position) == drawn
        if answer is not None:
            self.pair = answer

    @precondition(lambda self: not self.is_over)
    @rule(data=st.data())
    def attempt_what_is_taken(self, data: st.DataObject) -> None:
        """Try a move of an earlier position, which seldom is legal any more."""
        state = self.pair.state
        history = [before for before in state.history if before.last_move is not None]
        if not history:
            return
        earlier = data.draw(st.sampled_from(history))
        joint_move = dict(zip(state.game.roles, earlier.last_move or (), strict=True))
        role = data.draw(st.sampled_from(state.game.roles))
        for move in joint_move.values():
            text = state.notation(move)
            if text != "noop":
                answer = self.steps.attempt(self.pair, role, text)
                assert not isinstance(answer, Divergence), str(answer)

    @invariant()
    def both_sides_agree(self) -> None:
        difference = self.steps.compare(self.pair)
        assert difference is None, str(difference)


def all_texts(steps: Lockstep[Any, Any]) -> tuple[str, ...]:
    """Return every text that is a move in some position, and some that are in none."""
    forms = steps.game.ruleset.notation.forms
    moves = [move for form in forms for move in form.moves() if str(move) != "noop"]
    return (*map(steps.game.ruleset.notation.format, moves), *NONSENSE)


def late_starts(ruleset: str, steps: Lockstep[Any, Any]) -> tuple[Pair[Any], ...]:
    if ruleset == "gomoku/freestyle":
        return (steps.start(),)
    plays = (late_play(ruleset, seed, 35 - seed) for seed in range(4))
    return (steps.start(), *map(steps.reach, plays))


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", GAMES)
def test_both_sides_answer_any_move_alike(ruleset: str) -> None:
    steps = lockstep(ruleset)

    class OneRuleset(BothSides):
        pass

    OneRuleset.steps = steps
    OneRuleset.starts = late_starts(ruleset, steps)
    OneRuleset.texts = all_texts(steps)
    run_state_machine_as_test(OneRuleset, settings=SETTINGS)
