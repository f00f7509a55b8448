"""What beginners forget: a move for who waits, what keeps the board, an end that loses, a link.

Out: ``no-first-move``, ``lost-fluents``, ``only-wins``, ``chain-gap``.

Each speaks only where no reading of the rules helps: a role all of whose ``legal`` rules ask for
facts that no ``init`` rule can give; facts of the first state of which no rule keeps more than a
move makes; a role whose goals are all 100; facts that count, or go through the alphabet, with one
left out.

Source: GDL specification 2008, definition of playability, and its frame rules (section 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.clauses import Clause
from gdl.language.dependencies import DOES, GOAL, INIT, LEGAL, NEXT, ROLE, TRUE
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.keywords import RANDOM
from gdl.language.matching import applied, may_unify
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Rule,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
    span_of,
    variables,
)
from gdl.language.walk import part
from gdl.language.words import cut

BEST = "100"
MANY = 1_000
"""Stands for a number of facts that is not known, and may be large."""
NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
LINKS = 6
"""Facts from which on a relation is taken for a chain."""


def no_first_move(survey: Survey) -> Iterator[Diagnostic]:
    """Find roles that cannot move in the first state, whatever it is but for the init rules."""
    given = [fluent.term for fluent, _ in survey.produced(INIT)]
    moves = survey.clauses_of.get(LEGAL, ())
    if survey.roles is None or not given:
        return
    for role in map(Constant, survey.roles):
        rules = [clause for clause in moves if may_unify(arguments(clause.head)[0], role)]
        lacking = [_ungiven(clause, role, given) for clause in rules]
        if not lacking or not all(lacking):
            continue  # role-without-legal has those of no rule
        example = rules[0].rule.head
        yield Diagnostic(
            slug="no-first-move",
            severity=Severity.WARNING,
            message=f"{cut(role.name)} has no legal move in the first state: its rules all ask for "
            f"what init does not give, such as {cut(str(lacking[0]))}",
            span=span_of(part(example.place, 0) or example.place),
            expected="a legal move of each role in each state, if only one that does nothing",
            help=f"add a move for who waits, as in (<= (legal {cut(role.name)} noop) "
            f"(not {cut(str(lacking[0]))}))",
        )


def _ungiven(clause: Clause, role: Constant, given: list[Term]) -> Compound | None:
    """Return a condition of a legal rule, for a role, that no init rule can make true."""
    mover = arguments(clause.head)[0]
    binding = {mover: role} if isinstance(mover, Variable) else {}
    for literal in clause.body:
        if isinstance(literal, Atom) and signature(literal.sentence) == TRUE:
            fluent = applied(arguments(literal.sentence)[0], binding)
            if not any(may_unify(fluent, fact) for fact in given):
                return Compound("true", (fluent,))
    return None


def lost_fluents(survey: Survey) -> Iterator[Diagnostic]:
    """Find kinds of facts of which init gives more than any move can leave.

    A next rule whose head has only variables of one ``does`` gives one fact a role at most, a
    rule without variables one; where all rules of a kind are such, nothing keeps the others.
    """
    roles = len(survey.roles or ())
    left: dict[Signature, int] = {}
    for clause in survey.clauses_of.get(NEXT, ()):
        next_fluent = arguments(clause.head)[0]
        most = _most_made(clause, next_fluent, roles)
        if isinstance(next_fluent, Variable):
            return
        left[signature(next_fluent)] = left.get(signature(next_fluent), 0) + most
    given: dict[Signature, int] = {}
    for fluent, rule in survey.produced(INIT):
        if not isinstance(fluent.term, Variable):
            kind = signature(fluent.term)
            given[kind] = given.get(kind, 0) + _given(survey, rule, roles)
    for kind, place in survey.kinds(INIT).items():
        most = left.get(kind, 0)
        if roles and most < MANY and given[kind] > max(most, roles):
            yield Diagnostic(
                slug="lost-fluents",
                severity=Severity.WARNING,
                message=f"no rule keeps {cut(kind.name)}: most of what init gives of it is gone "
                "after one move",
                span=span_of(place),
                expected=f"a frame rule, which keeps each {cut(kind.name)} that no move changes",
                help=f"add (<= (next ({cut(kind.name)} ...)) (true ({cut(kind.name)} ...)) ...)",
            )


def _most_made(clause: Clause, term: Term, roles: int) -> int:
    """Return how many facts a next rule gives at most after one joint move."""
    wanted = set(variables(term))
    if not wanted:
        return 1
    asked = [x.sentence for x in clause.body if isinstance(x, Atom)]
    by_move = any(signature(s) == DOES and wanted <= _variables_of(s) for s in asked)
    return roles if by_move else MANY


def _variables_of(sentence: Sentence) -> set[Variable]:
    return {variable for argument in arguments(sentence) for variable in variables(argument)}


def _given(survey: Survey, rule: Rule, roles: int) -> int:
    """Return how many facts an init rule gives: one a role where it asks for roles."""
    if arguments(rule.head.sentence)[0].is_ground:
        return 1
    asks_role = any(read.rule is rule for read in survey.reads.get(ROLE, ()))
    return roles if asks_role else MANY


def only_wins(survey: Survey) -> Iterator[Diagnostic]:
    """Find roles that no rule ever gives less than the best goal.

    Facts that say it of a role outright are no oversight: nature and the like get their goal so.
    """
    if survey.roles is None or len(survey.roles) == 1:
        return
    goals = [(rule, arguments(rule.head.sentence)) for rule in survey.heads.get(GOAL, ())]
    for name, place in survey.roles.items():
        role = Constant(name)
        own = [(rule, args[1]) for rule, args in goals if may_unify(args[0], role)]
        is_forgotten = any(rule.body for rule, _ in own)
        is_best = all(value == Constant(BEST) for _, value in own)
        if name != RANDOM and is_forgotten and is_best:
            yield Diagnostic(
                slug="only-wins",
                severity=Severity.HINT,
                message=f"all goals of {cut(name)} are {BEST}: it never loses",
                span=span_of(place),
                expected=f"a goal of less than {BEST} for {cut(name)} where it has not won",
                help=f"add a rule for it, as in (<= (goal {cut(name)} 0) ...)",
            )


def chain_gaps(survey: Survey) -> Iterator[Diagnostic]:
    """Find relations that link each number, or letter, to its neighbour, but for one."""
    for relation, rules in survey.heads.items():
        links = {_link(rule): rule for rule in rules}
        steps = {None if link is None else link[1] - link[0] for link in links}
        if len(links) < LINKS or steps not in ({1}, {-1}):
            continue
        (step,) = steps
        assert step is not None
        froms = {link[0] for link in links if link is not None}
        if max(froms) - min(froms) != len(froms):
            continue  # none is missing, or more than one
        gap = next(place for place in range(min(froms), max(froms)) if place not in froms)
        before = links[gap - step, gap]
        near = str(arguments(before.head.sentence)[1])
        kind = "number" if near.isdecimal() else "letter"
        far = str(gap + step) if near.isdecimal() else chr(gap + step)
        yield Diagnostic(
            slug="chain-gap",
            severity=Severity.WARNING,
            message=f"{cut(relation.name)} leads from each {kind} to its neighbour, "
            f"but not from {near} to {far}",
            span=span_of(before.place),
            expected=f"a fact from each {kind} but the last",
            help=f"add ({cut(relation.name)} {near} {far})",
        )


def _link(rule: Rule) -> tuple[int, int] | None:
    """Return the two numbers, or letters by their place, of a fact; None for anything else."""
    ends = [_place(term) for term in arguments(rule.head.sentence)]
    if rule.body or len(ends) != 2:  # noqa: PLR2004  # from and to
        return None
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _place(term: Term) -> int | None:
    """Return where a constant stands among numbers, as they are usually written, or letters."""
    name = term.name if isinstance(term, Constant) else ""
    if NUMBER.fullmatch(name):
        return int(name)
    return ord(name) if len(name) == 1 and name.isalpha() else None
