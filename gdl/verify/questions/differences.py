"""All essentially different first differences of two games, one after the other.

In: two games. Out: `Differences`: a `Difference` for each thing in which they can differ (whether
it is over, what a role may do, what it is paid, what it sees), and whether there are others. Each
is the shortest play that shows something new, on moves that both games allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gdl.game import GameLike, ruleset_of
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.verify.answer import Difference
from gdl.verify.diff import Comparison, require_packages
from gdl.verify.proving.prove import OnStage
from gdl.verify.solvers.budget import DEFAULT_MEGABYTES, DEFAULT_SECONDS, Budget, check_budget


@dataclass(frozen=True, slots=True)
class Differences:
    """What two games differ in.

    Attributes:
        met: One difference after the other; in each something differs that did not before.
        complete: Whether it is proved that nothing else differs.
        method: What that rests on, or why it is not known.
    """

    met: tuple[Difference, ...]
    complete: bool
    method: str


SHARE: Final = 0.5
"""Of the time left, what one difference may take."""


def differences(  # noqa: PLR0913  # one parameter for each thing a user may want
    a: GameLike,
    b: GameLike,
    *,
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    on_stage: OnStage | None = None,
    **options: Any,  # noqa: ANN401  # of `Comparison.run`
) -> Differences:
    """Return all that two games differ in. A spent budget, or Ctrl-C, gives what is known by then.

    Each has half of the time that is left.

    Args:
        a: A ruleset id, a rule file, a ruleset or a game.
        b: Another.
        seconds: Wall-clock time for everything.
        megabytes: Memory that the process may take for this.
        seed: Of the random plays.
        limits: What reading the rules may take.
        on_stage: Told how far things are.
        options: ``table``, ``turns`` and ``max_depth`` as `gdl.diff` takes them.

    Raises:
        ArgumentError: An argument of a type or value that it cannot have.
        CorrespondenceError: Roles or moves cannot be brought together; says which.
        UnknownRulesetError: There is no such ruleset or file.
        CompileError: Rules cannot be made into a circuit.
        GdlError: The packages of the extra ``verify`` are missing.
    """
    check_budget(seconds, megabytes, seed, on_stage)
    require_packages()
    rulesets = ruleset_of(a, limits=limits), ruleset_of(b, limits=limits)
    budget = Budget(seconds, megabytes)
    past: set[str] = set()
    differences_found: list[Difference] = []
    while True:
        share = budget.share(SHARE * budget.left)
        comparison = Comparison(rulesets, share, "terminal", seed, on_stage, past=past)
        answer = None
        if not past and options.get("table") is None:
            answer = comparison.by_text(limits)
        if answer is None:
            answer = comparison.run(limits, **options)
        if answer.play is None:
            return Differences(tuple(differences_found), answer.equivalent is True, answer.method)
        differences_found.append(answer)
        past.update(comparison.shown)
