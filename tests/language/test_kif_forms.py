"""The forms of a KIF text are those of its grammar, ``kif.lark`` beside this file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Transformer

from gdl.language.parse import kif
from gdl.language.parse.forms import Form, Node, extent
from tests.shared import GAMES

GRAMMAR = Path(__file__).with_name("kif.lark")
RULES = sorted(Path(__file__).parents[2].glob("rulesets/*/*.kif"))
WRITTEN = """
(role |a \\| b|) (ROLE x) ; (not a form
(<= (Legal ?|p q| "text ; no comment") (not (true(a ?x))) (OR (f ||) g))
name ?variable () (()) (and) \t(distinct ?x\r\n ?y)
"""


@cache
def grammar() -> Lark:
    class Forms(Transformer[Any, Any]):
        @staticmethod
        def start(children: Any) -> Any:  # noqa: ANN401
            return children

        @staticmethod
        def list(children: list[Any]) -> Form:
            start, stop = children[0].start_pos, children[-1].end_pos
            return kif._form(children[1:-1], start, stop)  # what is compared

    return Lark(GRAMMAR.read_text(), parser="lalr", lexer="basic", transformer=Forms())


def shape(nodes: Sequence[Node]) -> list[object]:
    return [
        (*extent(node), node.word, shape(node.items))
        if isinstance(node, Form)
        else (*extent(node), node.type, node.value)
        for node in nodes
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WRITTEN, id="written"),
        *(pytest.param(path.read_text(), id=path.name) for path in (*RULES, *GAMES)),
    ],
)
@pytest.mark.sample(40)
def test_forms_are_those_of_the_grammar(text: str) -> None:
    expected = grammar().parse(text)
    assert shape(kif.nodes_of(text)) == shape(expected)  # type: ignore[arg-type]
