"""What a play comes to, as one sentence: where two games part, or what is wrong with one.

In: a difference that was replayed on the rules as written. Out: a sentence. It names the rule that
gives in one game what the other does not have, and the rule that comes closest there with the
literal that fails. Likewise a state that refutes a property: what is wrong in it.
"""

from __future__ import annotations

from gdl.language.clauses import Clause
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import kif_text
from gdl.language.words import counted
from gdl.reason.explanation import Attempt, EqualTerms, Missing, Proof, Refutation
from gdl.state import State
from gdl.verify.replay import Replay


def plain_sentence(seen: Replay) -> str:
    """Return the first difference of a play as one sentence."""
    turns = [side.name for side in seen.sides if side.turns is not None]
    number = len(seen.moves)
    noun = "whole turn" if turns else "move"
    after = f"after {counted(number, noun)}" if number else "at the beginning"
    finding = next(
        (candidate for candidate in seen.findings if any(candidate.query)), seen.findings[0]
    )
    reasons = [
        f"{side.name} {reason}"
        for side, state, query in zip(
            seen.sides, finding.asked or seen.states, finding.query, strict=True
        )
        if query and (reason := _reason(state, query))
    ]
    read = f" ({' and '.join(turns)} read in whole turns)" if turns else ""
    return ": ".join([f"{after} {finding.text}{read}", *(["; ".join(reasons)] if reasons else [])])


def fault_sentence(state: State, name: str) -> str:
    """Return what is wrong in a state that refutes a property; empty where the state says it."""
    machine, roles = state.machine, state.game.roles
    if name == "playable":
        stuck = [role for role in roles if not state.legal(role)]
        return f"{' and '.join(stuck)} cannot move" if stuck else ""
    if name == "turn-taking":
        free = [role for role in roles if len(state.legal(role)) > 1]
        return f"{' and '.join(free)} have a choice"
    if name not in {"goals unique", "goals in range", "constant sum"}:
        return ""
    goals = {role: machine.goals(state.inner, state.game.role(role)) for role in roles}
    if name != "goals unique":
        return ", ".join(f"{role} {value}" for role in roles for value in sorted(goals[role]))
    return "; ".join(
        f"{role} has the goals {' and '.join(map(str, sorted(values)))}"
        if values
        else f"{role} has no goal"
        for role, values in goals.items()
        if len(values) != 1
    )


def _reason(state: State, query: str) -> str:
    """Return why something holds, or what comes closest to it; empty where nobody can say."""
    try:
        told = state.why(query)
    except GdlError:
        return ""
    if isinstance(told, Proof):
        where = None if told.clause is None else _place(told.clause)
        return "" if where is None else f"says so at {where}"
    return _missing(told)


def _missing(told: Refutation) -> str:
    """Return the literal at which the closest rule fails, followed down to where it begins."""
    attempt: Attempt | None = None
    while told.attempts:
        attempt = told.attempts[0]
        if not isinstance(attempt.failure, Missing):
            break
        told = attempt.failure.because
    if attempt is None:
        return f"has no rule for {kif_text(told.query)}"
    where = _place(attempt.clause)
    at = "" if where is None else f" at {where}"
    match attempt.failure:
        case Missing(sentence):
            return f"asks for {kif_text(sentence)}{at}, which does not hold"
        case EqualTerms(term):
            return f"asks for another than {kif_text(term)}{at}"
        case unwanted:
            return f"asks that {kif_text(unwanted.sentence)} does not hold{at}, and it does"


def _place(clause: Clause) -> str | None:
    """Return file and line of the rule that a clause came from."""
    place = clause.rule.place
    return None if place is None else f"{place.span.source.name}:{place.span.line}"
