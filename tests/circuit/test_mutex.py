"""Facts that may exclude each other, seen from their names."""

from __future__ import annotations

from gdl.circuit.mutex import Family, families
from gdl.language.parse import parse_term


def test_facts_that_differ_in_one_argument_are_a_family() -> None:
    facts = [
        parse_term(text)
        for text in ("on", "(at a)", "(cell 1 x)", "(cell 1 y)", "(cell 2 x)", "off")
    ]
    one, x = parse_term("1"), parse_term("x")
    found = families(facts)
    assert found[Family("", 0)] == [0, 5]
    assert found[Family("at", 1)] == [1]
    assert found[Family("cell", 2)] == [2, 3, 4]
    assert found[Family("cell", 2, 1, (one,))] == [2, 3]
    assert found[Family("cell", 2, 0, (x,))] == [2, 4]
    assert sum(map(len, found.values())) == len(facts) + 6
