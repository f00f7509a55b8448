"""Is a game well-formed, and does it have what its user claims? `verify` is the entrance.

In: a ruleset, and properties of the user's own. Out: a `Verification`: for each property
whether it is proved, refuted with a shortest play, or open up to some length.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from gdl.certify.names import NEVER, NOT, UNDECIDED
from gdl.game import GameLike, ruleset_of
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.verify.properties.custom import CustomProperty, require_probes
from gdl.verify.properties.verdict import Verdict, Verification
from gdl.verify.proving.evidence import Claim
from gdl.verify.solvers.budget import (
    DEFAULT_MEGABYTES,
    DEFAULT_SECONDS,
    Budget,
    check_budget,
    open_budget,
)


def verify(  # noqa: PLR0913  # one parameter for each thing a user may want
    game: GameLike,
    *,
    probes: Sequence[CustomProperty] = (),
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    proofs: str | os.PathLike[str] | None = None,
    certificates: str | os.PathLike[str] | None = None,
    second_opinion: bool = False,
    on_stage: Callable[[str, str], None] | None = None,
) -> Verification:
    """Prove or refute what a well-formed game must have, and the user's own properties.

    A spent budget, or Ctrl-C, leaves open what is not known by then.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        probes: The user's own properties: formulas that must never hold, or must be possible.
        seconds: Wall-clock time for everything.
        megabytes: Memory that the process may take for this.
        seed: Of the random plays.
        limits: What reading the rules may take.
        proofs: A folder for proofs of all that the solver denies, see `proof_log`.
        certificates: A folder for what `gdl certify` checks; writing it may take as long again.
        second_opinion: Ask Berkeley ABC too. What it finds counts once its invariant or play was
            checked here; where the two disagree there is no answer.
        on_stage: Told how far things are.

    Raises:
        ArgumentError: An argument of a type or value that it cannot have.
        UnknownRulesetError: There is no such ruleset or file.
        GdlSyntaxError: The rules, or a formula, cannot be read.
        InvalidDescriptionError: A formula speaks of what the rules do not know.
        CompileError: The rules cannot be made into a circuit.
        GdlError: The packages of the extra ``verify`` are missing, or `berkeley-abc`.
        UnsoundError: Another program disagrees, and one of the two is wrong.

    Example:
        >>> from gdl.verify.verification import verify
        >>> verify("tictactoe")["terminating"].text
        'the longest play has 9 moves: looking at all 5478 states'
    """
    from gdl.verify.certificates import open_folder, write_certificates
    from gdl.verify.diff import require_packages
    from gdl.verify.properties.examination import Examination
    from gdl.verify.proving.berkeley_abc import require_outside

    # Whatever may be refused is before minutes are spent: arguments, rules, packages, and folders,
    # of which only empty ones are taken, so nobody takes an old certificate for one of today.
    check_budget(seconds, megabytes, seed, on_stage)
    probes = require_probes(probes)
    ruleset = ruleset_of(game, limits=limits)
    require_packages()
    if second_opinion:
        require_outside()
    budget = open_budget(seconds, megabytes, proofs)
    folder = None if certificates is None else open_folder(certificates)
    verification = Examination(
        ruleset, probes, budget, seed, limits, on_stage, second_opinion=second_opinion
    ).run()
    if folder is not None:
        fresh = Budget(seconds, megabytes)  # the verdicts may have spent the other to its end
        asked = [
            {"name": probe.name, "formula": probe.formula, "possible": probe.is_possible}
            for probe in probes
        ]
        beside = {"properties": asked}
        said = claims(verification)
        write_certificates(folder, said, [ruleset], fresh, on_stage, beside=beside)
    return verification


def claims(verification: Verification) -> Iterator[Claim]:
    """Yield what verdicts say, each with what it rests on."""
    from gdl.verify.proving.evidence import claims_of

    for verdict in verification.verdicts:
        evidence = verdict.evidence
        if evidence is None and verdict.status == "open":
            continue  # nothing was said
        yield from claims_of(_claimed(verdict), evidence, verdict.text)


def _claimed(verdict: Verdict) -> str:
    """Return what a verdict says, as the name of a claim."""
    if verdict.status == "refuted" and verdict.play is not None:
        return f"{NOT}{verdict.name}"
    if verdict.status == "open":
        return f"{UNDECIDED}{verdict.name}"
    return f"{NEVER}{verdict.name}" if verdict.status == "refuted" else verdict.name
