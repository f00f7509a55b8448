"""The rules of a game as a logic program that covers all reachable states at once.

In: clauses. Out: the program text for the grounder, and which names it uses.

What never changes is computed as it stands. A base proposition may hold or not when it
holds initially or some rule for ``next`` can derive it; a move may be chosen or not when
it can be legal. Both are free choices, so the grounder follows the cycle from ``next`` to
``true`` until nothing new is found, and takes no negation on states for decided: the
result covers every reachable state, and some more.

Source: Schiffel, Thielscher, "Automated Theorem Proving for General Game Playing", 2009
(the translation to answer set programs); ours, the free choice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from gdl.compile.rules.grounder_names import RELATIONS, GrounderNames
from gdl.language.clauses import Clause
from gdl.language.dependencies import dependency_graph
from gdl.language.graphs import reachable
from gdl.language.syntax import Atom, Distinct, Literal, Not, Signature, Term, Variable, signature

# A choice keeps the grounder from deciding anything by what one state does: `t(F)` is possible, not
# true. So `not t(F)` is left in the rules, and whatever some state makes possible is found.
FREE: Final = {
    Signature("base", 1): "{t(F)} :- n(F).\n",
    Signature("input", 2): "{d(R,M)} :- l(R,M), o(R).\n",
}
"""What may be true and be done where nothing bounds it."""
WITHIN: Final = {
    Signature("base", 1): "{t(F)} :- n(F), b(F).\nx(F) :- n(F), not b(F).\n#show x/1.\n",
    Signature("input", 2): (
        "{d(R,M)} :- l(R,M), o(R), m(R,M).\ny(R,M) :- l(R,M), o(R), not m(R,M).\n#show y/2.\n"
    ),
}
"""The same within a bound; and what is outside of it."""
GLUE: Final = """\
{t(F)} :- i(F).
#show.
#show t/1. #show d/2. #show l/2. #show n/1. #show g/2. #show e/0. #show s/2. #show i/1.
#show o/1.
#defined t/1. #defined d/2. #defined l/2. #defined n/1. #defined i/1. #defined o/1.
"""


class LogicProgram(NamedTuple):
    """A program for the grounder.

    Attributes:
        text: All of it.
        words: The names in it.
    """

    text: str
    words: GrounderNames


def needed_clauses(clauses: Iterable[Clause], bounds: Iterable[Signature] = ()) -> list[Clause]:
    """Return the clauses on which anything seen from outside depends, or a bound, in order."""
    clauses = list(clauses)
    needed = reachable(dependency_graph(clauses).successors, [*RELATIONS, *bounds])
    return [clause for clause in clauses if signature(clause.head) in needed]


def logic_program(clauses: Sequence[Clause], bounds: Collection[Signature] = ()) -> LogicProgram:
    """Return the program for the grounder. Cost O(literals).

    Args:
        clauses: The rules.
        bounds: Which of ``base`` and ``input`` are not to be left; what the rules can make
            beyond them is then shown as ``x`` and ``y``, and leads no further.
    """
    words = GrounderNames()
    glue = GLUE + "".join((WITHIN if bound in bounds else FREE)[bound] for bound in FREE)
    lines = [clause_text(clause, words) for clause in clauses]
    return LogicProgram(glue + "\n".join(lines) + "\n", words)


def clause_text(clause: Clause, words: GrounderNames, *extra: str) -> str:
    """Return one clause in the grounder's notation, with further literals at its end."""
    variables: dict[Variable, str] = {}
    body = [_literal_text(literal, words, variables) for literal in clause.body]
    head = words.sentence(clause.head, variables)
    if not body and not extra:
        return f"{head}."
    return f"{head} :- {', '.join([*body, *extra])}."


def _literal_text(literal: Literal, words: GrounderNames, variables: dict[Variable, str]) -> str:
    match literal:
        case Atom(sentence):
            return words.sentence(sentence, variables)
        case Not(Atom(sentence)):
            return "not " + words.sentence(sentence, variables)
        case Distinct(left, right):
            return f"{words.term(left, variables)} != {words.term(right, variables)}"
        case Not():
            raise AssertionError("clausal form has no other negation")


def role_order(clauses: Iterable[Clause]) -> list[Term]:
    """Return the roles that clauses name outright, in order."""
    role = Signature("role", 1)
    roles = (
        clause.head.args[0]  # type: ignore[union-attr]  # role/1 has an argument
        for clause in clauses
        if not clause.body and signature(clause.head) == role and clause.head.is_ground
    )
    return list(dict.fromkeys(roles))
