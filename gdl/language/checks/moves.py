"""What rules ask of the moves, and what moves there can be.

Out: ``impossible-move``, ``missing-input``.

Source: from the semantics of ``does``: only legal moves are made; ``input`` as in
ggp-base: all moves that can ever be legal.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.dependencies import DOES, INPUT, LEGAL
from gdl.language.diagnostics import Diagnostic, Severity, Slip
from gdl.language.spelling import Suggester
from gdl.language.syntax import Place, Signature, Variable, signature, span_of
from gdl.language.words import cut, written


def impossible_move(survey: Survey) -> Iterator[Diagnostic]:
    """Find conditions on moves that no rule makes legal."""
    legal = _moves(survey, LEGAL)
    if not legal:
        return
    names = Suggester(move.name for move in legal)
    functions = {move.name for move in legal if move.arity}
    reported: set[Signature] = set()
    for move, _ in survey.asked(DOES):
        if isinstance(move.term, Variable):
            continue
        asked = signature(move.term)
        is_clash = asked.arity > 0 and asked.name in functions
        if asked in legal or asked in reported or is_clash:
            continue
        reported.add(asked)
        meant = names.closest(asked.name)
        yield Diagnostic(
            slug="impossible-move",
            severity=Severity.WARNING,
            message=f"no legal rule allows {written(*move)}, so nobody ever does it",
            span=span_of(move.place),
            expected="a move that some legal rule allows",
            help=f"did you mean {meant}?" if meant else "add a legal rule for it",
            slip=Slip(asked.name, meant) if meant else None,
        )


def missing_input(survey: Survey) -> Iterator[Diagnostic]:
    """Find moves that ``input`` forgets, when the game gives ``input`` at all."""
    listed, legal = _moves(survey, INPUT), _moves(survey, LEGAL)
    if not listed or legal is None:
        return
    for move, place in legal.items():
        if move not in listed:
            yield Diagnostic(
                slug="missing-input",
                severity=Severity.WARNING,
                message=f"{cut(move.name)} can be legal, but no input rule lists it",
                span=span_of(place),
                expected="input rules for all moves or for none",
                help=f"add an input rule for {cut(move.name)}",
            )


def _moves(survey: Survey, relation: Signature) -> dict[Signature, Place | None] | None:
    """Return the kinds of moves that heads name, None when a head has a variable there."""
    is_any = any(isinstance(move.term, Variable) for move, _ in survey.produced(relation))
    return None if is_any else survey.kinds(relation)
