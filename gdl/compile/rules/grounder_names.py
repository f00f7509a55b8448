"""Names that the grounder reads, one for each name of the rules, and the way back.

In: terms and sentences of rules. Out: text in the grounder's own notation, and terms
again from its answer. Every name becomes a letter and a number, so that no spelling
(capitals, signs, digits, quotes) can mean anything to the grounder.
"""

from __future__ import annotations

from typing import Final

from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import (
    Compound,
    Constant,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)

RELATIONS: Final = {
    Signature("true", 1): "t",
    Signature("does", 2): "d",
    Signature("legal", 2): "l",
    Signature("next", 1): "n",
    Signature("goal", 2): "g",
    Signature("terminal", 0): "e",
    Signature("sees", 2): "s",
    Signature("init", 1): "i",
    Signature("role", 1): "o",
}
"""Names of the relations that are looked at from outside; these never have digits."""

BOUNDS: Final = {Signature("base", 1): "b", Signature("input", 2): "m"}
"""Names of the relations that say what can ever be true and be done."""

assert all(KEYWORD_ARITIES[name] == arity for name, arity in (*RELATIONS, *BOUNDS))


class GrounderNames:
    """What each name of the rules is called for the grounder, both ways. It only grows.

    Example:
        >>> words = GrounderNames()
        >>> words.term(Compound("cell", (Constant("1"), Variable("x"))), {})
        'f0(c0,V0)'
        >>> str(words.decode("f0(c0,c0)"))
        '(cell 1 1)'
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._constants: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._relations: dict[Signature, str] = {**RELATIONS, **BOUNDS}
        self._names: dict[str, str] = {}
        self._decoded: dict[str, Term] = {}

    def term(self, term: Term, variables: dict[Variable, str]) -> str:
        """Return a term as text; ``variables`` is the table of one clause and grows."""
        match term:
            case Constant(name):
                return self._constant(name)
            case Variable():
                return variables.setdefault(term, f"V{len(variables)}")
            case Compound(name, args):
                inner = ",".join([self.term(arg, variables) for arg in args])
                return f"{self._function(name)}({inner})"

    def sentence(self, sentence: Sentence, variables: dict[Variable, str]) -> str:
        """Return a sentence as text."""
        name = self.relation(signature(sentence))
        args = arguments(sentence)
        if not args:
            return name
        return f"{name}({','.join([self.term(arg, variables) for arg in args])})"

    def relation(self, relation: Signature) -> str:
        """Return the grounder's name of a relation."""
        return self._relations.setdefault(relation, f"r{len(self._relations)}")

    def decode(self, text: str) -> Term:
        """Return the ground term that a text stands for. Cost O(len(text)), less when seen."""
        term = self._decoded.get(text)
        if term is None:
            term = self._decoded[text] = self._parse(text)
        return term

    def decode_arguments(self, text: str) -> list[Term]:
        """Return the terms of a text that lists several, separated by commas."""
        return [self.decode(part) for part in split_arguments(text)]

    def _parse(self, text: str) -> Term:
        name, bracket, inner = text.partition("(")
        if not bracket:
            return Constant(self._names[name])
        return Compound(self._names[name], tuple(self.decode_arguments(inner[:-1])))

    def _constant(self, name: str) -> str:
        word = self._constants.get(name)
        if word is None:
            word = self._constants[name] = f"c{len(self._constants)}"
            self._names[word] = name
        return word

    def _function(self, name: str) -> str:
        word = self._functions.get(name)
        if word is None:
            word = self._functions[name] = f"f{len(self._functions)}"
            self._names[word] = name
        return word


def split_arguments(text: str) -> list[str]:
    """Return the parts of a list of terms, cut at the commas outside all brackets.

    Example:
        >>> split_arguments("c1,f0(c2,c3)")
        ['c1', 'f0(c2,c3)']
    """
    brackets = text.count("(")
    if not brackets:
        return text.split(",")
    if brackets == 1 and text.endswith(")"):  # most: a role and a move, names and one compound
        before, _, inner = text.partition("(")
        *texts, name = before.split(",")
        return [*texts, f"{name}({inner}"]
    texts = []
    depth = start = 0
    for position, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "," and depth == 0:
            texts.append(text[start:position])
            start = position + 1
    texts.append(text[start:])
    return texts
