"""S-expressions to rules, with exact errors. Both notations pass through here.

In: the forms that a scan or a grammar found; an infix ``p & q`` is the form ``(and p q)``. Out:
rules whose nodes know their places. What the grammar cannot see is found here: a rule
without a head, a ``not`` with two arguments, a variable in place of a sentence. One
broken form hides no errors in others. Nothing recurses.

Source: GDL specification 2008, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from gdl.language.parse.budget import Budget
from gdl.language.parse.problems import Problems
from gdl.language.parse.scan import Extent, Scan
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Place,
    Rule,
    Term,
    Variable,
)

SENTENCE: Final = "a sentence: a name, or a name and its arguments"
_WORD_TYPES: Final = frozenset({"SYMBOL", "NAME"})  # tokens that may be a connective
_BROKEN: Final = Constant("broken")  # stands in for what has been reported as an error


class Form:
    """A list of an S-expression.

    Attributes:
        items: What stands in it; the first is the token of its name or connective.
        start: Offset of its first character in the text that the grammar read.
        stop: Offset after its last character.
        word: The connective that it begins with, in lower case; a period for a fact with its
            final period; None for everything else.
        is_bracketed: Whether an infix form stands in brackets of its own.
    """

    __slots__ = ("is_bracketed", "items", "start", "stop", "word")

    def __init__(self, items: Sequence[Node], start: int, stop: int, word: str | None) -> None:
        """Put a form together."""
        self.items = items
        self.start = start
        self.stop = stop
        self.word = word
        self.is_bracketed = False


class Token(Protocol):
    """A name, as a scan or a grammar finds it: its kind, its text, and where it stands."""

    @property
    def type(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> str: ...  # noqa: D102
    @property
    def start_pos(self) -> int | None: ...  # noqa: D102
    @property
    def end_pos(self) -> int | None: ...  # noqa: D102


Node: TypeAlias = "Form | Token"


def extent(node: Node) -> tuple[int, int]:
    """Return where a node begins and ends in the text that the grammar read."""
    if isinstance(node, Form):
        return node.start, node.stop
    assert node.start_pos is not None
    assert node.end_pos is not None
    return node.start_pos, node.end_pos


def post_order(root: Node, children: Callable[[Form], Iterable[Node]]) -> list[Node]:
    """Return a node and all below it, children before parents, from left to right."""
    order: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        order.append(node)
        if isinstance(node, Form):
            stack.extend(children(node))
    order.reverse()
    return order


class FormReader:
    """Turns the forms of one source into rules.

    Attributes:
        offset: Where in the source the text begins that the grammar read.
    """

    def __init__(
        self,
        problems: Problems,
        leaves: Mapping[str, Callable[[str], Constant | Variable]],
        examples: Mapping[str, str],
    ) -> None:
        """Make a reader.

        Args:
            problems: Takes the errors.
            leaves: Gives the term of a token by the token's type.
            examples: Shows how each connective is used.
        """
        self.offset = 0
        self._problems = problems
        self._leaves = leaves
        self._examples = examples

    def description(
        self, scan: Scan, parts: Iterable[tuple[Extent, Iterable[Node]]], budget: Budget
    ) -> Description:
        """Return the rules of a source, given its forms part after part.

        Raises:
            GdlSyntaxError: With all syntax errors.
            LimitError: It takes too long.
        """
        rules: list[Rule] = []
        for extent_, nodes in parts:
            budget.check_clock(extent_.start)
            self.offset = extent_.start
            read = [rule for rule in map(self.rule, nodes) if rule is not None]
            if extent_.start not in scan.doubtful:
                rules += read
            if self._problems.is_full:
                break
        description = Description(tuple(rules), (self._problems.source,), scan.comments)
        self._problems.raise_if_any(description)
        return description

    def rule(self, node: Node) -> Rule | None:
        """Return the rule that a form at top level is; None when it has errors."""
        before = len(self._problems)
        if isinstance(node, Form) and node.word == "<=":
            rule = self._rule(node)
        else:
            fact = self._asserted(_without_period(node))
            start, stop = extent(node)
            rule = Rule(fact, (), self._at(start, stop, (fact.place,) if fact.place else ()))
        return rule if len(self._problems) == before else None

    def _rule(self, form: Form) -> Rule:
        if len(form.items) == 1:
            self._error(
                "missing-head", form, "this rule has no head", expected=self._examples["<="]
            )
            return Rule(Atom(_BROKEN))
        head = self._asserted(form.items[1])
        body = tuple([self.formula(item) for item in form.items[2:]])
        return Rule(head, body, self._place(form, (head, *body)), has_arrow=True)

    def _asserted(self, node: Node) -> Atom:
        """Return the atom that a head or fact is."""
        if not isinstance(node, Form) or node.word is None:
            return self._atom(node)
        if node.word == "<=":
            self._nested(node)
        else:
            message = f"{node.word} stands outside of the body of a rule"
            self._error("connective-outside-body", node, message, expected=SENTENCE)
        return Atom(_BROKEN)

    def formula(self, root: Node) -> Formula:
        """Return the formula that a node is."""
        if not isinstance(root, Form) or root.word is None:
            return self._atom(root)
        built: list[Formula] = []
        for node in post_order(root, _operands):
            count = len(node.items) - 1 if isinstance(node, Form) and _operands(node) else 0
            first = len(built) - count
            built[first:] = [self._one_formula(node, tuple(built[first:]))]
        return built[0]

    def _one_formula(self, node: Node, operands: tuple[Formula, ...]) -> Formula:
        """Return the formula of a node whose operands are built already."""
        if not isinstance(node, Form):
            return self._atom(node)
        match node.word:
            case "not":
                return self._not(node, operands)
            case "or":
                return Or(operands, self._place(node, operands))
            case "and":
                return And(operands, self._place(node, operands))
            case "distinct":
                return self._distinct(node)
            case "<=":
                self._nested(node)
                return Atom(_BROKEN)
            case _:
                return self._atom(node)

    def _not(self, form: Form, operands: tuple[Formula, ...]) -> Formula:
        if len(operands) == 1:
            return Not(operands[0], self._place(form, operands))
        number = "none" if not operands else str(len(operands))
        self._error(
            "not-arity",
            form,
            f"not takes one argument, here it has {number}",
            expected=self._examples["not"],
            help="give each its own not" if operands else None,
        )
        return Atom(_BROKEN)

    def _distinct(self, form: Form) -> Formula:
        sides = form.items[1:]
        if len(sides) == 2:  # noqa: PLR2004  # left and right
            (left, left_place), (right, right_place) = self.term(sides[0]), self.term(sides[1])
            start, stop = extent(form)
            return Distinct(left, right, self._at(start, stop, (left_place, right_place)))
        self._error(
            "distinct-arity",
            form,
            f"distinct takes two arguments, here it has {len(sides) or 'none'}",
            expected=self._examples["distinct"],
            help="compare each pair in a distinct of its own" if len(sides) > 2 else None,  # noqa: PLR2004  # as above
        )
        return Atom(_BROKEN)

    def _nested(self, form: Form) -> None:
        self._error(
            "nested-rule",
            form.items[0],
            "a rule stands inside another",
            help="is a closing bracket missing before it?",
        )

    def _atom(self, node: Node) -> Atom:
        if not isinstance(node, Form):
            return self._bare_atom(node)
        term, place = self.term(node)
        assert not isinstance(term, Variable)
        return Atom(term, place)

    def _bare_atom(self, token: Token) -> Atom:
        term, place = self._leaf(token)
        if isinstance(term, Variable):
            help_ = f"to ask whether it is true in the state, write (true ?{term.name})"
            message = "a variable stands where a sentence is expected"
            self._error("variable-as-sentence", token, message, expected=SENTENCE, help=help_)
            return Atom(_BROKEN)
        if token.type in _WORD_TYPES and (word := token.value.lower()) in self._examples:
            message = f"{word} stands alone, without brackets and arguments"
            self._error("bare-connective", token, message, expected=self._examples[word])
        return Atom(term, place)

    def term(self, root: Node) -> tuple[Term, Place]:
        """Return the term that a node is, and where it and its parts stood."""
        if not isinstance(root, Form):
            return self._leaf(root)
        built: list[tuple[Term, Place]] = []
        for node in post_order(root, _arguments):
            if isinstance(node, Form):
                first = len(built) - max(0, len(node.items) - 1)
                built[first:] = [self._compound(node, built[first:])]
            else:
                built.append(self._leaf(node))
        return built[0]

    def _compound(self, form: Form, args: list[tuple[Term, Place]]) -> tuple[Term, Place]:
        place = self._at(form.start, form.stop, tuple([place for _, place in args]))
        if not form.items:
            help_ = "delete the brackets, or write what belongs between them"
            self._error("empty-list", form, "nothing stands between these brackets", help=help_)
            return _BROKEN, place
        first = form.items[0]
        if isinstance(first, Form):
            help_ = "are these brackets one pair too many?"
            message = "a list begins with a list"
            expected = "a name after the opening bracket"
            self._error("list-as-name", first, message, expected=expected, help=help_)
            return _BROKEN, place
        name, _ = self._leaf(first)
        if isinstance(name, Variable):
            message = "a variable cannot name a relation or function"
            expected = "a name after the opening bracket"
            self._error("variable-as-name", first, message, expected=expected)
            return _BROKEN, place
        return (Compound(name.name, tuple([term for term, _ in args])) if args else name), place

    def _leaf(self, token: Token) -> tuple[Constant | Variable, Place]:
        start, stop = extent(token)
        return self._leaves[token.type](token.value), self._at(start, stop)

    def _place(self, form: Form, parts: tuple[Formula, ...]) -> Place:
        places = tuple([part.place for part in parts if part.place is not None])
        return self._at(form.start, form.stop, places)

    def _at(self, start: int, stop: int, parts: tuple[Place, ...] = ()) -> Place:
        return Place(self._problems.span(start + self.offset, stop + self.offset), parts)

    def _error(
        self,
        slug: str,
        node: Node,
        message: str,
        *,
        expected: str | None = None,
        help: str | None = None,  # noqa: A002  # the field's own name
    ) -> None:
        start, stop = extent(node)
        start, stop = start + self.offset, stop + self.offset
        self._problems.add(slug, start, stop, message, expected=expected, help=help)


def all_of(children: list[Node]) -> list[Node]:
    """Return what a grammar found at top level: a callback for lark."""
    return children


def _without_period(node: Node) -> Node:
    return node.items[1] if isinstance(node, Form) and node.word == "." else node


def _operands(form: Form) -> Sequence[Node]:
    return form.items[1:] if form.word in {"not", "or", "and"} else ()


def _arguments(form: Form) -> Sequence[Node]:
    return form.items[1:]
