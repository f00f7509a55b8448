"""Which definitions, invariants and rules the proof of a property needs.

In: a game and a property. Out: a `ProofCore`. The property is proved by induction; what it needs
of the next state, of legality and of the end is made as little as the time allows, and proved anew
with everything else left free (`gdl.verify.proving.validity_core`). Rules that none of that rests
on are not needed: whatever their conditions are, the property holds, as long as they make no other
facts and moves than now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.game import GameLike, ruleset_of
from gdl.language.clauses import clauses
from gdl.language.dependencies import DOES, INIT, LEGAL, NEXT, ROLE, TRUE, dependency_graph
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse
from gdl.language.preconditions import require
from gdl.language.syntax import (
    Atom,
    Description,
    Rule,
    Signature,
    Variable,
    arguments,
    kif_text,
    signature,
)
from gdl.language.walk import conditions
from gdl.verify.diff import require_packages
from gdl.verify.properties.custom import CustomProperty, require_probes
from gdl.verify.properties.verdict import Verdict
from gdl.verify.proving.evidence import Induction
from gdl.verify.proving.prove import ALL_STATES, OnStage
from gdl.verify.proving.validity_core import Core, Part, find_core
from gdl.verify.questions.changes import span_of_rule
from gdl.verify.questions.reasons import examined
from gdl.verify.questions.requirements import TERMINAL, PropertyRequired
from gdl.verify.solvers.budget import (
    DEFAULT_MEGABYTES,
    DEFAULT_SECONDS,
    Budget,
    OutOfBudgetError,
    check_budget,
)

PROVING: Final = 0.6
"""Of the time, what the proof may take."""
ENDS: Final = "some play ends"
OF_ENDS: Final = frozenset({"goals unique", "constant sum"})
"""Properties that speak of ended games alone, as that goals are in range does not."""
FIXED: Final = frozenset({"role", "init", "base", "input"})
"""Relations of which nothing is left out: who plays, and how play begins."""


@dataclass(frozen=True, slots=True)
class ProofCore:
    """What a proof is made of.

    Attributes:
        verdict: What is known of the property.
        core: What its induction needs; None where there is no induction, or no time.
        why: Why there is no core; empty where there is one.
        definitions: The definitions it needs, in words.
        not_needed: ``file:line: head`` of each rule with conditions that none of them rests on.
        vacuous: Why it says less than it seems to; empty where that is not known. A formula of
            which a part never holds by itself, or a claim about ends where no play ends.
    """

    verdict: Verdict
    core: Core | None = None
    why: str = ""
    definitions: tuple[str, ...] = ()
    not_needed: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()

    @property
    def is_of_every_state(self) -> bool:
        """Whether it holds of every state there could be, whatever is played."""
        return self.core is not None and not self.core.parts


def proof_core(  # noqa: PLR0913  # one parameter for each thing a user may want
    game: GameLike,
    wanted: str,
    *,
    probes: Sequence[CustomProperty] = (),
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    on_stage: OnStage | None = None,
) -> ProofCore:
    """Return the definitions, invariants and rules that the proof of a property needs.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        wanted: The property, as `gdl.verify` calls it.
        probes: The user's own properties.
        seconds: Wall-clock time for everything.
        megabytes: Memory that the process may take for this.
        seed: Of the random plays.
        limits: What reading the rules may take.
        on_stage: Told how far things are.

    Raises:
        ArgumentError: An argument of a type or value that it cannot have.
        UnknownRulesetError: There is no such ruleset or file.
        GdlSyntaxError: The rules, or a formula, cannot be read.
        CompileError: The rules cannot be made into a circuit.
        GdlError: There is no such property; the packages of the extra ``verify`` are missing.
    """
    check_budget(seconds, megabytes, seed, on_stage)
    require("wanted", wanted, str, "the name of a property")
    probes = require_probes(probes)
    ruleset = ruleset_of(game, limits=limits)
    require_packages()
    budget = Budget(seconds, megabytes)
    # What is asked of ends is true of no play at all where none ends, and then says nothing.
    ends = [CustomProperty(ENDS, "terminal", is_possible=True)] if wanted in OF_ENDS else []
    proved_again, weaker = examined(
        ruleset,
        wanted,
        probes,
        budget.share(PROVING * seconds),
        seed=seed,
        limits=limits,
        on_stage=on_stage,
        beside=ends,
        without={ALL_STATES},  # an induction is wanted, of which something can be left out
        is_plain=True,  # what the compiler leaves out rests on rules that would not be named
    )
    verdict = proved_again[wanted]
    if verdict.status == "open" or verdict.play is not None:
        return ProofCore(verdict, why="nothing is proved of all plays")
    vacuous = tuple(f"{formula} never holds either" for formula in weaker)
    if ENDS in proved_again and proved_again[ENDS].status == "refuted":
        vacuous = ("no play ends",)
    proof = verdict.evidence
    if not isinstance(proof, Induction):
        return ProofCore(verdict, why="the proof is no induction over one move", vacuous=vacuous)
    moves = [_move(name) for name in proof.system.choices]
    if on_stage is not None:
        on_stage("core", "leaving out what the proof does not need")
    try:
        core = find_core(proof, moves, budget)
    except OutOfBudgetError as spent:
        return ProofCore(verdict, why=str(spent), vacuous=vacuous)
    required = PropertyRequired(ruleset, verdict, frozenset(), probes, seed, limits)
    return ProofCore(
        verdict,
        core,
        definitions=tuple(map(_in_words, sorted(_definitions(core.parts)))),
        not_needed=tuple(_not_needed(ruleset.description, core.parts, required.asks)),
        vacuous=vacuous,
    )


def _move(choice: str) -> str:
    """Return the role and the name of a move, of what a choice is called: ``(does x (mark 1))``."""
    asked = parse(f"(<= seen {choice})", syntax="kif").rules[0].body[0]
    assert isinstance(asked, Atom), "a choice of one game is one move"
    role, move = arguments(asked.sentence)
    return f"{kif_text(role)}: {move.name}"


def _definitions(parts: Iterable[Part]) -> set[tuple[str, str]]:
    return {(kind, name) for kind, name in parts if isinstance(name, str)}


def _in_words(part: tuple[str, str]) -> str:
    kind, name = part
    if kind == "next":
        return f"what ({name} ...) is next"
    return "when play is over" if kind == "terminal" else f"when {name} is legal"


def _not_needed(
    description: Description, parts: Iterable[Part], asked: Iterable[Signature]
) -> list[str]:
    """Return the rules with conditions that neither a needed definition nor what is asked uses."""
    needed = _definitions(parts)
    names = {
        kind: {name.rpartition(": ")[2] for of, name in needed if of == kind}
        for kind in ("next", "legal", "terminal")
    }
    # Who plays, and how play begins, is given as it is: so is what that rests on.
    roots = {relation for relation in asked if relation != NEXT} | {ROLE, INIT}
    if names["terminal"]:
        roots.add(TERMINAL)

    def is_used(rule: Rule) -> bool:
        head = rule.head.sentence
        relation = signature(head)
        if relation in used or relation in roots:
            return True
        if relation not in (NEXT, LEGAL):
            return False
        what = arguments(head)[-1]
        of = names["next" if relation == NEXT else "legal"]
        return bool(of) if isinstance(what, Variable) else what.name in of

    # What is true of a state and what was done in it are given: they need no rules.
    successors = dependency_graph(clauses(description)).successors
    used: set[Signature] = set()
    while True:
        bodies = {
            signature(condition.leaf.sentence)
            for rule in description.rules
            if is_used(rule)
            for condition in conditions(rule)
            if isinstance(condition.leaf, Atom)
        } - {TRUE, DOES}
        bodies |= {successor for relation in bodies for successor in successors.get(relation, ())}
        bodies -= {TRUE, DOES}
        if bodies <= used:
            break
        used |= bodies
    return [
        f"{span.source.name}:{span.source.position(span.start)[0]}: {kif_text(rule.head.sentence)}"
        for rule in description.rules
        if rule.body
        and rule.place is not None
        and rule.head.sentence.name not in FIXED
        and not is_used(rule)
        for span in [span_of_rule(rule)]
    ]
