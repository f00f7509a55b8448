"""The grammars of tree-sitter: without a conflict, and with the trees that rules have."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TypeAlias

import pytest
from lark import Token, Tree

from gdl.language.keywords import fold_keyword
from gdl.language.parse import parse
from gdl.language.parse.scan import unescape
from gdl.language.render import render
from gdl.language.syntax import (
    And,
    Atom,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Term,
    Variable,
    arguments,
)
from tests.lsp.tree_sitter import FOLDER, LANGUAGES, cases, children, kind_of, parser_of, shown
from tests.shared import GAMES, ROOT, needs_games, some

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
Shape: TypeAlias = "str | tuple[Shape, ...]"
SHIPPED = sorted((ROOT / "rulesets").rglob("*.kif"))
LARGEST = 100_000


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_corpus_has_the_trees_that_it_shows(language: str) -> None:
    for title, text, tree in cases(language):
        assert shown(parser_of(language).parse(text)) == tree, title


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("file", some(SHIPPED, 6), ids=lambda file: file.stem)
def test_rules_have_the_trees_that_they_have_here(language: str, file: Path) -> None:
    same(file.read_text(encoding="utf-8"), language)


@needs_node
@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_published_rules_have_the_trees_that_they_have_here(language: str) -> None:
    files = [file for file in GAMES if file.stat().st_size < LARGEST]
    for file in some(files, 30):
        same(file.read_text(encoding="utf-8", errors="replace"), language)


@pytest.mark.skipif(shutil.which("tree-sitter") is None, reason="tree-sitter is not installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_its_own_tests(language: str, tmp_path: Path) -> None:
    shutil.copytree(FOLDER / language, tmp_path / language)
    for command in ("generate", "test"):
        subprocess.run(["tree-sitter", command], cwd=tmp_path / language, check=True)


def same(text: str, language: str) -> None:
    """Compare what a grammar makes of rules with what is made of them here."""
    description = parse(text, syntax="kif")
    if language == "hrf":
        text = render(description, syntax="hrf")
        description = parse(text, syntax="hrf")
    tree = parser_of(language).parse(text)
    assert [shape_of(child) for child in children(tree)] == rules_of(description, language)


def shape_of(node: Tree[Token] | Token) -> Shape:
    """Return what is read in a tree, as nested lists of KIF."""
    if isinstance(node, Token):
        return leaf(node)
    kind, name = kind_of(node)
    inner = tuple(map(shape_of, children(node)))
    if kind == "field" or name == "bracketed":
        return inner[0]
    if name == "rule":
        (head, *body) = inner
        if len(body) == 1 and isinstance(body[0], tuple) and body[0][0] == "and":
            body = list(body[0][1:])
        return ("<=", head, *body)
    if name == "prefix":
        sign = next(each for each in node.iter_subtrees() if kind_of(each) == ("field", "sign"))
        return (str(sign.children[0]), *inner[1:])
    words = {"negation": "not", "disjunction": "or", "conjunction": "and", "distinct": "distinct"}
    return (words[name], *inner) if name in words else inner


def leaf(token: Token) -> str:
    text = str(token)
    match token.type:
        case "SYMBOL" | "NAME":
            return fold_keyword(text)
        case "QUOTED":
            return unescape(text[1:-1])
        case "VARIABLE" if text[1:2] in {"|", "'"}:
            return f"?{unescape(text[2:-1])}"
        case "VARIABLE" if not text.startswith("?"):
            return f"?{text[0].lower()}{text[1:]}"
        case _:
            return text


def rules_of(description: Description, language: str) -> list[Shape]:
    """Return rules as nested lists of KIF; in HRF a fact is a rule, too."""
    found: list[Shape] = []
    for rule in description.rules:
        head, body = shape(rule.head), tuple(map(shape, rule.body))
        is_rule = bool(body) or rule.has_arrow or language == "hrf"
        found.append(("<=", head, *body) if is_rule else head)
    return found


def shape(part: Formula | Term) -> Shape:
    match part:
        case Constant(name):
            return name
        case Variable(name):
            return f"?{name}"
        case Atom(sentence):
            return shape(sentence)
        case Not(operand):
            return "not", shape(operand)
        case Distinct(left, right):
            return "distinct", shape(left), shape(right)
        case And(operands):
            return ("and", *map(shape, operands))
        case Or(operands):
            return ("or", *map(shape, operands))
        case _:
            return (part.name, *map(shape, arguments(part)))
