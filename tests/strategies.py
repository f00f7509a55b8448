"""Hypothesis strategies for syntax trees, shared by all tests.

`descriptions()` gives any tree at all, with names that are hard to write; it need not be a
valid game. Restrict the names where that is not wanted.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

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
    Rule,
    Sentence,
    Term,
    Variable,
)

PLAIN_NAMES = ("a", "b", "cell", "white", "noop", "legal", "true", "control", "x1", "1", "100")
ODD_NAMES = (
    *("+", "++", "<", "1-2", "map+", "index++", "move-distinguished", "-1", "007", "1a", "a.b"),
    *("not", "or", "and", "distinct", "<=", "NOT", "TRUE", "Random", "White", "_", "_1", "__"),
    *("", " ", "a b", "(", ")", ";", "%", "|", "'", '"', "?", "?x", "\\", "\\n", "a\nb", "\r"),
    *('"two words"', '"', "a\\|b", "é", "ß", "漢字", "\u2028", "\x00", "\ufeff", "a\u0301"),
)

plain_names: SearchStrategy[str] = st.sampled_from(PLAIN_NAMES)
names: SearchStrategy[str] = st.one_of(plain_names, st.sampled_from(ODD_NAMES), st.text(max_size=4))


def terms(name: SearchStrategy[str] = names) -> SearchStrategy[Term]:
    """Terms, seldom more than three levels deep."""
    leaves: SearchStrategy[Term] = st.builds(Constant, name) | st.builds(Variable, name)
    return st.recursive(leaves, lambda inner: compounds(name, inner), max_leaves=5)


def compounds(name: SearchStrategy[str], args: SearchStrategy[Term]) -> SearchStrategy[Compound]:
    """Names with one to three arguments."""
    return st.builds(Compound, name, st.lists(args, min_size=1, max_size=3).map(tuple))


def sentences(name: SearchStrategy[str] = names) -> SearchStrategy[Sentence]:
    """Propositions, and relations of terms."""
    return st.builds(Constant, name) | compounds(name, terms(name))


def formulas(name: SearchStrategy[str] = names) -> SearchStrategy[Formula]:
    """Formulas, those without operands among them."""
    leaves: SearchStrategy[Formula] = st.builds(Atom, sentences(name)) | st.builds(
        Distinct, terms(name), terms(name)
    )

    def wider(inner: SearchStrategy[Formula]) -> SearchStrategy[Formula]:
        several = st.lists(inner, max_size=3).map(tuple)
        return st.builds(Not, inner) | st.builds(Or, several) | st.builds(And, several)

    return st.recursive(leaves, wider, max_leaves=5)


def rules(name: SearchStrategy[str] = names) -> SearchStrategy[Rule]:
    """Facts and rules; a rule with an arrow may have an empty body."""
    heads = st.builds(Atom, sentences(name))
    bodies = st.lists(formulas(name), min_size=1, max_size=3).map(tuple)
    return (
        st.builds(Rule, heads)
        | st.builds(Rule, heads, st.just(()), has_arrow=st.just(value=True))
        | st.builds(Rule, heads, bodies, has_arrow=st.just(value=True))
    )


def descriptions(name: SearchStrategy[str] = names) -> SearchStrategy[Description]:
    """Descriptions of up to four rules, without sources or places."""
    return st.builds(Description, st.lists(rules(name), max_size=4).map(tuple))
