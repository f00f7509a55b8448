"""What is put in for states of which rules say nothing: a role without a move, or without a goal.

In: a description in prefix notation. Out: `Change`s. Unlike those of `changes`, which make one rule
another, these ask whether *any* rule of a relation holds. A rule may not ask that of the relation
that it defines itself (GDL specification: recursion never goes through ``not``). So the rules
there are get another name for the relation, and it is all that these say, or else the default.

Source: defaults as in Reiter, "A Logic for Default Reasoning", Artificial Intelligence 1980, in the
form that published rule files give them ("players can noop when they have no legal moves").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.language.dependencies import DOES
from gdl.language.parse import detect_syntax
from gdl.language.syntax import Atom, Constant, Description, Rule, arguments, kif_text, signature
from gdl.language.walk import conditions
from gdl.verify.questions.changes import Change, Edit, Kind, span_of_rule

MOVE_RELATION = ("canmove", "hasmove", "haslegalmove")
PLAIN_MOVE = ("legal2", "plainlegal")
GOAL_RELATION = ("hasgoal", "isworth")
PLAIN_GOAL = ("goal2", "plaingoal")


def stuck_is_over(description: Description) -> Iterator[Change]:
    """Yield the change that ends the game where somebody cannot move.

    Written with a relation of its own, since a rule may not speak of `no` move in any other way.
    """
    rules = [
        at
        for at, rule in enumerate(description.rules)
        if rule.place is not None and rule.head.sentence == Constant("terminal")
    ]
    if not rules or not _is_prefix(description, rules):
        return
    span = span_of_rule(description.rules[rules[-1]])
    name = _new_name(description, MOVE_RELATION)
    text = (
        f"\n(<= terminal\n    (role ?player)\n    (not ({name} ?player)))"
        f"\n(<= ({name} ?player)\n    (legal ?player ?move))"
    )
    edit = Edit(span.stop, span.stop, text)
    yield Change(rules[-1], Kind.ADDED, edit, "over where a role has no move")


def pass_by_default(description: Description) -> Iterator[Change]:
    """Yield changes after which a role that cannot move passes, by a move that the rules have.

    Moves that no rule asks about come first: they change nothing by themselves.
    """
    asked = {
        arguments(condition.leaf.sentence)[1]
        for rule in description.rules
        for condition in conditions(rule)
        if isinstance(condition.leaf, Atom) and signature(condition.leaf.sentence) == DOES
    }
    passes = {
        move
        for rule in description.rules
        if rule.head.sentence.name == "legal"
        for move in arguments(rule.head.sentence)[1:]
        if isinstance(move, Constant)
    }
    moves = sorted((move in asked, kif_text(move)) for move in passes)
    for _, move in moves:
        words = f"{move} is legal where a role has no other move"
        yield from _by_default(description, "legal", move, words)


def goal_by_default(description: Description) -> Iterator[Change]:
    """Yield changes after which a role without a goal has one that the rules know, least first."""
    values = {
        value.name
        for rule in description.rules
        if rule.head.sentence.name == "goal"
        for value in arguments(rule.head.sentence)[1:]
        if isinstance(value, Constant) and value.name.isdecimal()
    }
    for value in sorted(values, key=int):
        words = f"the goal is {value} where a role has no other"
        yield from _by_default(description, "goal", value, words)


def _by_default(
    description: Description, relation: str, default: str, words: str
) -> Iterator[Change]:
    """Yield the change that makes a relation of a role say something where it says nothing.

    There is no change where a body asks for the relation: the default would count there too, and
    where its own rules rest on that body, it would be asked of itself through ``not``.
    """
    rules = [at for at, rule in enumerate(description.rules) if rule.head.sentence.name == relation]
    if not rules or not _is_prefix(description, rules) or _asks_itself(description, relation):
        return
    is_move = relation == "legal"
    plain = _new_name(description, PLAIN_MOVE if is_move else PLAIN_GOAL)
    has = _new_name(description, MOVE_RELATION if is_move else GOAL_RELATION)
    edits = [(at, _renamed(description.rules[at], relation, plain)) for at in rules]
    last, renaming = edits[-1]
    span = span_of_rule(description.rules[last])
    what = "?move" if is_move else "?value"
    text = (
        f"\n(<= ({relation} ?player {what})\n    ({plain} ?player {what}))"
        f"\n(<= ({has} ?player)\n    ({plain} ?player {what}))"
        f"\n(<= ({relation} ?player {default})\n    (role ?player)\n    (not ({has} ?player)))"
    )
    yield Change(
        last,
        Kind.ADDED,
        Edit(span.stop, span.stop, text),
        words,
        also=((last, renaming), *edits[:-1]),
    )


def _renamed(rule: Rule, relation: str, name: str) -> Edit:
    """Return the edit that gives the head of a rule another relation."""
    assert rule.head.place is not None, "only rules of a text are changed"
    span = rule.head.place.span
    start = span.start + span.text.lower().index(relation)
    return Edit(start, start + len(relation), name)


def _asks_itself(description: Description, relation: str) -> bool:
    return any(
        isinstance(condition.leaf, Atom) and condition.leaf.sentence.name == relation
        for rule in description.rules
        for condition in conditions(rule)
    )


def _is_prefix(description: Description, rules: Sequence[int]) -> bool:
    """Return whether rules are written in prefix notation, each with a place."""
    return all(
        (rule := description.rules[at]).place is not None
        and rule.head.place is not None
        and detect_syntax(span_of_rule(rule).source) == "kif"
        for at in rules
    )


def _new_name(description: Description, wanted: Sequence[str]) -> str:
    """Return a relation that no rule speaks of."""
    names = {rule.head.sentence.name for rule in description.rules}
    names |= {
        condition.leaf.sentence.name
        for rule in description.rules
        for condition in conditions(rule)
        if isinstance(condition.leaf, Atom)
    }
    names = {name.lower() for name in names}
    tried = (*wanted, *(f"{wanted[0]}{i}" for i in range(len(names) + 10)))
    return next(name for name in tried if name not in names)
