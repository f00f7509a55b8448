"""Grammars of tree-sitter, read as it does and handed to lark, which takes no conflict either.

What both have in common: LR(1) tables, names before words of the language where only a name can
stand, trees without rules whose names begin with a line. Comments are no part of lark's trees.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import lark
from lark import Lark, Token, Tree

from tests.shared import ROOT

FOLDER: Final = ROOT / "examples" / "tree-sitter"
LANGUAGES: Final = ("kif", "hrf")
BETWEEN: Final = "__"
"""Divides a field or an alias from what it is of, in the names of lark's rules."""


@cache
def parser_of(language: str) -> Lark:
    """Return a parser for a grammar.

    Raises:
        AssertionError: The grammar has a conflict, which tree-sitter would refuse.
    """
    program = ROOT / "tests" / "lsp" / "grammar_json.mjs"
    file = FOLDER / language / "grammar.js"
    shown = subprocess.run(["node", program, file], capture_output=True, text=True, check=True)
    made = _Translation(json.loads(shown.stdout))
    conflicts: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: conflicts.append(record.getMessage())  # type: ignore[method-assign]
    level = lark.logger.level
    lark.logger.addHandler(handler)
    lark.logger.setLevel(logging.DEBUG)
    try:
        parser = Lark(made.text, start="source_file", parser="lalr", debug=True)
    finally:
        lark.logger.removeHandler(handler)
        lark.logger.setLevel(level)
    assert not [each for each in conflicts if "onflict" in each], conflicts
    return parser


class _Translation:
    """A grammar in lark's language."""

    def __init__(self, grammar: Mapping[str, Any]) -> None:
        self.rules: dict[str, str] = {}
        self.named: dict[tuple[str, str], str] = {}
        self.terminals: dict[str, str] = {}
        self.patterns = {
            name: rule["value"]
            for name, rule in grammar["rules"].items()
            if rule["type"] == "PATTERN"
        }
        self.word = self.patterns[grammar["word"]]
        for name, pattern in self.patterns.items():
            self.terminals[name.upper()] = _regexp(pattern)
        for name, rule in grammar["rules"].items():
            if name not in self.patterns:
                self.rules[name] = self._expression(rule)
        ignored = [
            _regexp(extra["value"]) if extra["type"] == "PATTERN" else extra["name"].upper()
            for extra in grammar["extras"]
        ]
        self.text = "\n".join(
            (
                *(f"{name}: {rule}" for name, rule in self.rules.items()),
                *(f"{name}: {pattern}" for name, pattern in self.terminals.items()),
                *(f"%ignore {each}" for each in ignored),
            )
        )

    def _expression(self, rule: Mapping[str, Any]) -> str:
        match rule["type"]:
            case "SEQ":
                return f"({' '.join(map(self._expression, rule['members']))})"
            case "CHOICE":
                return f"({' | '.join(map(self._expression, rule['members']))})"
            case "REPEAT" | "REPEAT1" | "OPTIONAL":
                sign = {"REPEAT": "*", "REPEAT1": "+", "OPTIONAL": "?"}[rule["type"]]
                return f"({self._expression(rule['content'])}){sign}"
            case "SYMBOL":
                name: str = rule["name"]
                return name.upper() if name in self.patterns else name
            case "FIELD":
                return self._named(f"field{BETWEEN}{rule['name']}", rule["content"])
            case "ALIAS" if rule["named"]:
                # Of a sequence each part would have the name, not the whole.
                assert rule["content"]["type"] == "SYMBOL", rule["value"]
                return self._named(f"alias{BETWEEN}{rule['value']}", rule["content"])
            case "ALIAS":
                return self._keyword(rule["value"], rule["content"]["value"])
            case "STRING":
                return json.dumps(rule["value"])
            case kind:
                raise AssertionError(kind)

    def _named(self, name: str, content: Mapping[str, Any]) -> str:
        expression = self._expression(content)
        # One name for all that is the same: two would be a conflict that tree-sitter has not.
        made = self.named.setdefault((name, expression), f"{name}{BETWEEN}{len(self.named)}")
        self.rules[made] = expression
        return made

    def _keyword(self, name: str, pattern: str) -> str:
        """Return a word that is no name where it can stand, but only as a whole."""
        more = re.fullmatch(r".*(\[[^\]]*\])\*", self.word)
        assert more is not None
        terminal = f"_{name.upper()}_WORD"
        self.terminals[f"{terminal}.2"] = _regexp(f"{pattern}(?!{more[1]})")
        return terminal


def _regexp(pattern: str) -> str:
    return f"/{pattern.replace('/', chr(92) + '/')}/"


def shown(node: Tree[Token] | Token, field: str = "") -> str:
    """Return a tree as tree-sitter prints it."""
    prefix = f"{field}: " if field else ""
    if isinstance(node, Token):
        return f"{prefix}({node.type.lower()})"
    kind, name = kind_of(node)
    if kind == "field":
        return " ".join(shown(child, name) for child in children(node))
    inner = "".join(f" {text}" for child in children(node) if (text := shown(child)))
    return f"{prefix}({name}{inner})"


def kind_of(node: Tree[Token]) -> tuple[str, str]:
    """Return ``field``, ``alias`` or ``rule``, and a name."""
    parts = str(node.data).split(BETWEEN)
    return (parts[0], parts[1]) if len(parts) > 1 else ("rule", parts[0])


def children(node: Tree[Token]) -> list[Tree[Token] | Token]:
    """Return the children that have names of their own."""
    return [each for each in node.children if isinstance(each, Tree) or each.type.lower() in LEAVES]


LEAVES: Final = {"symbol", "quoted", "string", "variable", "name", "number"}


def cases(language: str) -> Iterator[tuple[str, str, str]]:
    """Yield the title, the text and the tree of each case of a corpus, without comments."""
    for file in sorted((FOLDER / language / "test" / "corpus").glob("*.txt")):
        yield from _cases(file)


def _cases(file: Path) -> Iterator[tuple[str, str, str]]:
    parts = re.split(r"^=+\n(.*)\n=+\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        text, _, tree = body.partition("\n---\n")
        tree = re.sub(r"\s+", " ", tree.replace("(comment)", "")).strip()
        yield title, text, tree.replace(" )", ")").replace("( ", "(")
