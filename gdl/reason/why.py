"""Why does something hold, or why does it not?

In: a reasoner, a state, a sentence, and if known the moves that led there. Out: a proof, or a
refutation: the closest rule and the literal that fails, and why that fails in turn. A fact of the
state is followed back to the move that made it.

Example:
    >>> from gdl.language.parse import parse, parse_term
    >>> from gdl.reason.machine import Reasoner
    >>> rules = "(role white) (init (step 1)) (<= terminal (true (step 2)))"
    >>> reasoner = Reasoner(parse(rules, name="tiny.kif"))
    >>> print(explain(reasoner, reasoner.initial(), parse_term("terminal")))
    terminal does not hold: (true (step 2)) does not
      terminal needs, by tiny.kif:1:
        no   (true (step 2))
            instead: (true (step 1))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Final, TypeAlias

from gdl.language.dependencies import DOES, TRUE
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Compound, Sentence, Term, Variable, kif_text, signature
from gdl.machine import JointMove
from gdl.reason.explanation import Explanation, Proof, Since
from gdl.reason.machine import Reasoner, State
from gdl.reason.model import Model
from gdl.reason.prove import Prover
from gdl.reason.refute import Refuter

History: TypeAlias = Sequence[tuple[State, JointMove]]
"""States passed through before, each with the joint move made there, the first one first."""


class UnknownRelationError(GdlError):
    """A question about a relation that the rules do not know."""


MOST_NAMED: Final = 8
"""Relations that are named where none looks like the one that was asked for."""


def explain(  # noqa: PLR0913  # what was asked, where, and how it is written
    reasoner: Reasoner,
    state: State,
    query: Term,
    *,
    joint_move: JointMove = (),
    history: History = (),
    notation: Callable[[Term], str] = kif_text,
) -> Explanation:
    """Return why a sentence holds in a state, or why it does not.

    Args:
        reasoner: The rules.
        state: Where.
        query: A sentence of any relation of the rules; when it has variables, the first instance
            that holds is proved.
        joint_move: The moves made there, for sentences about ``next``, ``does`` or ``sees``.
        history: How the state was reached, so that its facts can be followed back.
        notation: How moves of the history are written.

    Returns:
        A `Proof` or a `Refutation`. `str` writes it out.

    Raises:
        UnknownRelationError: The rules have no such relation; names the nearest.
        InvalidDescriptionError: The rules cannot say for which values it holds, or give the
            relation no one meaning.
        LimitError: See `Limits`.
    """
    if isinstance(query, Variable):
        raise UnknownRelationError(
            f"{query} is a variable", expected="a sentence, such as terminal"
        )
    model = reasoner.model(state, joint_move)
    _check_known(model, query)
    past = _Past(reasoner, state, history, notation)
    prover = Prover(model, past.since)
    for instance in model.instances(query):
        return prover.prove_sentence(instance)
    return Refuter(model, prover).refute_sentence(query)


def _check_known(model: Model, query: Sentence) -> None:
    asked = signature(query)
    model.program.check_asked(asked)
    relations_known = model.program.relations
    if asked in relations_known or asked in (TRUE, DOES):
        return
    arities = sorted(relation.arity for relation in relations_known if relation.name == asked.name)
    message = f"the rules have no relation {asked}"
    if arities:
        noun = "argument" if arities == [1] else "arguments"
        expected = f"{asked.name} with {' or '.join(map(str, arities))} {noun}"
        raise UnknownRelationError(message, expected=expected)
    if asked in model.program.states:
        raise UnknownRelationError(message, help=f"of a fact ask: true {kif_text(query)}")
    near = get_close_matches(asked.name, sorted({relation.name for relation in relations_known}))
    hint = f"did you mean {' or '.join(near)}?" if near else None
    relations = sorted({str(relation) for relation in relations_known})
    expected = f"{', '.join(relations[:MOST_NAMED])}{' ...' if len(relations) > MOST_NAMED else ''}"
    raise UnknownRelationError(message, expected=None if near else expected, help=hint)


class _Past:
    """When facts of a state became true."""

    def __init__(
        self,
        reasoner: Reasoner,
        state: State,
        history: History,
        notation: Callable[[Term], str],
    ) -> None:
        self._reasoner = reasoner
        self._notation = notation
        self._states = [*(before for before, _ in history), state]
        self._joint_moves = [joint_move for _, joint_move in history]

    def since(self, sentence: Sentence) -> Since | None:
        """Return when a ``true`` became so; None when there is no history."""
        if not self._joint_moves:
            return None
        assert isinstance(sentence, Compound)
        fact = sentence.args[0]
        turn = len(self._states) - 1
        while turn > 0 and fact in self._states[turn - 1]:
            turn -= 1
        makers = self._makers(fact, turn - 1) if turn else ()
        return Since(turn, makers, tuple(self._notation(move) for _, move in makers))

    def _makers(self, fact: Term, index: int) -> tuple[tuple[Term, Term], ...]:
        """Return the moves that a proof of the fact rests on."""
        joint_move = self._joint_moves[index]
        model = self._reasoner.model(self._states[index], joint_move)
        following = Compound("next", (fact,))
        if following not in model.instances(following):
            return ()  # the history is none: no such move leads there
        proof = Prover(model, lambda _: None).prove_sentence(following)
        moves_made = {fact for fact in _facts(proof) if signature(fact) == DOES}
        return tuple(pair for pair in model.done if Compound("does", pair) in moves_made)


def _facts(proof: Proof) -> set[Sentence]:
    """Return all facts of a proof."""
    facts: set[Sentence] = set()
    seen: set[int] = set()
    work = [proof]
    while work:
        inner = work.pop()
        if id(inner) not in seen:
            seen.add(id(inner))
            facts.add(inner.fact)
            work += [premise for premise in inner.premises if isinstance(premise, Proof)]
    return facts
