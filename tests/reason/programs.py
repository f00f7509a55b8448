"""Random games for differential tests: small, safe, stratified, with recursion and negation.

Relations come in groups. A rule of a group uses relations of its own group and of those before,
and negates only those before; so every game is stratified, and relations within a group recur
through each other freely.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    sentence,
)

FUNCTION: Final = "box"
CONSTANTS: Final = tuple(map(Constant, "abc"))
VARIABLES: Final = tuple(map(Variable, "xyz"))
ROLES: Final = (Constant("red"), Constant("blue"))

Shape = tuple[str, int]
"""A name and a number of arguments."""


class Group(NamedTuple):
    """Relations that may recur through each other, and forms of heads of their rules."""

    heads: tuple[Shape, ...]
    facts: bool = False


GROUPS: Final = (
    Group((("edge", 2), ("node", 1)), facts=True),
    Group((("reach", 2), ("mark", 1), ("flag", 0))),
    Group((("pair", 2), ("free", 1), ("none", 0))),
    Group((("legal go", 1), ("legal put", 2), ("legal noop", 0), ("goal", 1), ("terminal", 0))),
    Group((("moved", 1), ("stuck", 2))),
    Group((("next at", 1), ("next on", 2), ("next over", 0), ("sees", 1))),
)
FIRST_WITH_MOVES: Final = 4
OUTSIDE: Final[tuple[Shape, ...]] = (("true at", 1), ("true on", 2), ("true over", 0))
MOVES: Final[tuple[Shape, ...]] = (("does go", 1), ("does put", 2), ("does noop", 0))

QUERIES: Final = (
    *(("edge", 2), ("node", 1), ("reach", 2), ("mark", 1), ("flag", 0), ("boxed", 1)),
    *(("pair", 2), ("free", 1), ("none", 0), ("legal", 2), ("goal", 2), ("terminal", 0)),
    *(("moved", 1), ("stuck", 2), ("next", 1), ("sees", 2), ("true", 1), ("does", 2)),
)
"""Every relation of these games, as the rules name it."""


def atom(shape: Shape, args: tuple[Term, ...], role: Term) -> Sentence:
    """Return a sentence; ``does go`` and its like are about a role and a term."""
    match shape[0].split():
        case ["goal" | "sees" as relation]:
            return Compound(relation, (role, *args))
        case ["true" | "next" as relation, name]:
            return Compound(relation, (sentence(name, args),))
        case ["legal" | "does" as relation, name]:
            return Compound(relation, (role, sentence(name, args)))
        case [name]:
            return sentence(name, args)
    raise AssertionError(shape)


def terms(known: tuple[Term, ...]) -> SearchStrategy[Term]:
    return st.sampled_from(known)


@st.composite
def atoms(draw: DrawFn, shapes: tuple[Shape, ...], known: tuple[Term, ...]) -> Sentence:
    shape = draw(st.sampled_from(shapes))
    args = tuple(draw(terms(known)) for _ in range(shape[1]))
    return atom(shape, args, draw(st.sampled_from((*ROLES, *known))))


@st.composite
def tests(draw: DrawFn, shapes: tuple[Shape, ...], known: tuple[Term, ...]) -> Formula:
    """Draw a condition that binds nothing: it uses bound variables and constants only."""
    kind = draw(st.sampled_from(("not", "distinct", "or", "atom", "true")))
    match kind:
        case "distinct":
            return Distinct(draw(terms(known)), draw(terms(known)))
        case "not":
            return Not(Atom(draw(atoms(shapes, known))))
        case "or":
            return Or(
                (Atom(draw(atoms(shapes, known))), Distinct(draw(terms(known)), CONSTANTS[0]))
            )
        case "atom":
            return Atom(draw(atoms(shapes, known)))
        case _:
            return Not(Atom(Compound("true", (draw(terms(known)),))))


@st.composite
def rules(draw: DrawFn, number: int) -> Rule:
    """Draw a rule of a group."""
    before = tuple(shape for group in GROUPS[:number] for shape in group.heads)
    before = tuple(shape for shape in before if " " not in shape[0] and shape[0] != "goal")
    outside = OUTSIDE + (MOVES if number >= FIRST_WITH_MOVES else ())
    own = tuple(shape for shape in GROUPS[number].heads if " " not in shape[0])
    if number >= len(GROUPS) - 1 or number == FIRST_WITH_MOVES - 1:
        own = ()  # nothing of the language may be asked in a body there
    positive = (*before, *outside, *own, ("boxed", 1))
    open_terms: tuple[Term, ...] = (
        *VARIABLES,
        *VARIABLES,
        *CONSTANTS[:2],
        Compound(FUNCTION, (VARIABLES[0],)),
    )
    body: list[Formula] = [
        Atom(draw(atoms(positive, open_terms))) for _ in range(draw(st.integers(0, 2)))
    ]
    known: tuple[Term, ...] = (*CONSTANTS, *sorted(_variables(body)))
    lower = (*before, *outside, ("boxed", 1))
    body += [draw(tests(lower, known)) for _ in range(draw(st.integers(0, 1)))]
    head = draw(atoms(GROUPS[number].heads, known))
    return Rule(Atom(head), tuple(draw(st.permutations(body))))


def _variables(body: list[Formula]) -> set[Variable]:
    found: set[Variable] = set()
    for formula in body:
        assert isinstance(formula, Atom)
        work: list[Term] = [formula.sentence]
        while work:
            term = work.pop()
            if isinstance(term, Variable):
                found.add(term)
            elif isinstance(term, Compound):
                work.extend(term.args)
    return found


@st.composite
def games(draw: DrawFn) -> Description:
    """Draw a game."""
    found: list[Rule] = []
    for number, group in enumerate(GROUPS):
        for _ in range(draw(st.integers(2, 5))):
            if group.facts:
                found.append(Rule(Atom(draw(atoms(group.heads, CONSTANTS)))))
            else:
                found.append(draw(rules(number)))
    boxed = Compound("boxed", (Compound(FUNCTION, (VARIABLES[0],)),))
    found.append(Rule(Atom(boxed), (Atom(Compound("node", (VARIABLES[0],))),)))
    roles = [Rule(Atom(Compound("role", (role,)))) for role in ROLES]  # first, to fix their order
    return Description((*roles, *draw(st.permutations(found))))


def fluents() -> SearchStrategy[frozenset[Term]]:
    """Draw a state."""
    shapes = (("at", 1), ("on", 2), ("over", 0))
    constant = st.sampled_from(CONSTANTS)
    fluent = st.sampled_from(shapes).flatmap(
        lambda shape: st.tuples(*[constant] * shape[1]).map(lambda args: sentence(shape[0], args))
    )
    return st.frozensets(fluent, min_size=2, max_size=8)


def joint_moves() -> SearchStrategy[tuple[Term, ...]]:
    """Draw a move of each role, whether legal or not."""
    shapes = (("go", 1), ("put", 2), ("noop", 0))
    constant = st.sampled_from(CONSTANTS)
    move = st.sampled_from(shapes).flatmap(
        lambda shape: st.tuples(*[constant] * shape[1]).map(lambda args: sentence(shape[0], args))
    )
    return st.tuples(*[move] * len(ROLES))
