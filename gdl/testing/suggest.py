"""Tests for the rules that no test exercises, written by program.

In: the rules of a game that fired, and time. Out: for each rule that did not a shortest play after
which it fires, found by the verifier (`gdl.conform.witnesses`), as a test that says what the rules
make of it today; what it says must be read before it is kept.

Source: Ammann, Black, Majurski, "Using Model Checking to Generate Tests from Specifications", 1998.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdl.conform.coverage import CoveredRule
from gdl.conform.witnesses import plays_to
from gdl.language.diagnostics import GdlError
from gdl.machine import JointMove
from gdl.plays import quoted
from gdl.plies import format_ply
from gdl.state import State
from gdl.testing.firing import Firing, place_of

LISTED = 6
"""Legal moves of a role that are listed; more are counted."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What was found for a rule.

    Attributes:
        rule: The rule.
        state: Where a shortest play leads after which it has fired; None: it never fires.
    """

    rule: CoveredRule
    state: State | None


def suggest(firing: Firing, seconds: float, seed: int = 0) -> Iterator[Suggestion]:
    """Yield a suggestion for each rule that fired in no test, as far as the time reaches.

    A rule that the play of an earlier one exercises too needs none.

    Args:
        firing: What fired; it counts on.
        seconds: Wall-clock time.
        seed: Of the random plays of the verifier.
    """
    left = {rule.number: rule for rule in firing.left}
    numbers = sorted(left)
    asked = [firing.coverage.asked[number] for number in numbers]

    def still() -> set[int]:
        return {n for n, number in enumerate(numbers) if not firing.coverage.counts[number]}

    if not asked:
        return
    for place, play in plays_to(firing.game, asked, seconds, seed, still):
        rule = left[numbers[place]]
        yield Suggestion(rule, None if play is None else _walk(firing, play))


def _walk(firing: Firing, play: tuple[JointMove, ...]) -> State:
    state = firing.game.initial()
    for joint in play:
        after = state.play(joint)
        firing.note(state, joint)
        state = after
    firing.note(state)
    return state


def test_text(suggestion: Suggestion, game: str) -> str:
    """Return a suggestion as TOML; of a rule that never fires a comment says so.

    Args:
        suggestion: The suggestion.
        game: What the file of tests calls the game. Each test names it, so that a text may be added
            to any file.
    """
    rule, state = suggestion.rule, suggestion.state
    place = place_of(rule)
    about = f"# {place}: {rule.text}"
    if state is None:
        return f"{about}\n# never fires: that was proved. Leave the rule out, or mend it.\n"
    lines = [about, "[[test]]", f"name = {quoted(f'the rule at {place} fires')}"]
    lines.append(f"game = {quoted(game)}")
    plies = [format_ply(ply) for ply in state.history[1:]]
    if plies:
        lines.append(f"play = {quoted('; '.join(plies))}")
    lines.append(f"over = {str(state.is_terminal).lower()}")
    lines += _goals(state) if state.is_terminal else _moves(state)
    return "\n".join([*lines, ""])


def _goals(state: State) -> list[str]:
    goals = []
    for role in state.game.roles:
        try:
            goals.append(f"{_key(role)} = {state.goal(role)}")
        except GdlError:  # none, or several: no test can say that it should be so
            continue
    return [f"goals = {{ {', '.join(goals)} }}"] if goals else []


def _moves(state: State) -> list[str]:
    lines = []
    for role in state.movers or state.game.roles:
        texts = [state.notation(move) for move in state.legal(role)]
        if len(texts) <= LISTED:
            lines.append(f"legal.{_key(role)} = [{', '.join(map(quoted, texts))}]")
        else:
            lines.append(f"count.{_key(role)} = {len(texts)}")
    return lines


def _key(role: str) -> str:
    plain = role.replace("-", "").replace("_", "")
    return role if plain.isascii() and plain.isalnum() else quoted(role)
