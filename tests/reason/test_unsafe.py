"""The reasoner against the definition on rules that are neither safe nor stratified by relation.

Half of these games are refused. Of the others every answer is compared, and nothing but a
`GdlError` may come of any.
"""

from __future__ import annotations

from random import Random

import pytest

from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Sentence, Variable
from gdl.meaning.machine import Meaning
from gdl.reason.machine import Reasoner

LIMITS = Limits(facts=3_000, term_depth=6, seconds=5)
ARITIES = {"p": 1, "q": 2, "e": 2, "s": 1, "t": 0}
QUERIES = ("(p ?x)", "(q ?x ?y)", "(e ?x ?y)", "(s ?x)", "t", "(q ?x ?x)", "(q a ?y)", "(p (f ?x))")
GAMES = 60


def term(chance: Random, *, depth: int = 0) -> str:
    form = chance.random()
    if form < 0.55:
        return chance.choice(("?x", "?y", "?z"))
    if form < 0.65 and not depth:
        return f"(f {term(chance, depth=1)})"
    return chance.choice("abc")


def atom(chance: Random) -> str:
    name, arity = chance.choice([*ARITIES.items(), ("true", 1)])
    return f"({name} {' '.join(term(chance) for _ in range(arity))})" if arity else name


def rules(chance: Random) -> str:
    """Return rules in which anything may be asked anywhere, by seed."""
    written = ["(role white)", "(init a)", "(init (f b))", "(s a)", "(e a b)", "(e b c)"]
    for _ in range(chance.randint(3, 8)):
        body = []
        for _ in range(chance.randint(1, 3)):
            form = chance.random()
            if form < 0.2:
                body.append(f"(not {atom(chance)})")
            elif form < 0.3:
                body.append(f"(distinct {term(chance)} {term(chance)})")
            else:
                body.append(atom(chance))
        written.append(f"(<= {atom(chance)} {' '.join(body)})")
    return "\n".join(written)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_both_answer_alike_where_both_answer(seed: int) -> None:
    compared = 0
    for number in range(GAMES):
        text = rules(Random(f"{seed} {number}"))
        try:
            machines = [kind(parse(text), limits=LIMITS) for kind in (Meaning, Reasoner)]
        except GdlError:
            continue
        answers = [[answer(machine, query) for machine in machines] for query in QUERIES]
        for one, other in answers:
            if one is not None and other is not None:
                compared += 1
                assert one == other, text
    assert compared > GAMES


def answer(machine: Meaning | Reasoner, query: str) -> set[Sentence] | None:
    """Return what follows at first, None where that is refused."""
    asked = parse_term(query)
    assert not isinstance(asked, Variable)
    try:
        return set(machine.instances(machine.initial(), asked))
    except GdlError:
        return None
