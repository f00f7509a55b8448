"""Tests of positions: what is legal there, who has what, what holds, how many plays begin there.

In: a case and the game. Out: a `Diagnostic` for each thing that is not as the case says, placed at
the words of the file that say so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from shlex import quote

from gdl.game import Game
from gdl.language.diagnostics import Diagnostic, GdlError, Note, Severity
from gdl.language.terms import Compound, Constant, Term
from gdl.language.walk import leaf_terms, leaves, subterms
from gdl.plies import format_ply, read_ply
from gdl.reason.explanation import Proof
from gdl.ruleset import find
from gdl.ruleset.errors import did_you_mean
from gdl.state import State
from gdl.testing.games import Games
from gdl.testing.suite import Case, Position

LISTED = 8
"""Moves that a message lists."""


def check_position(case: Case, game: Game, games: Games) -> list[Diagnostic]:
    """Return what is not as a case says."""
    test = case.body
    assert isinstance(test, Position)
    try:
        state = game.position(test.facts) if test.facts else game.initial()
    except GdlError as error:
        return [_problem(case, ("position",), "bad-position", error)]
    fired = games.fired(game)
    for number, ply in enumerate(test.play, start=1):
        try:
            after = state.play(read_ply(game, ply))
        except GdlError as error:
            problem = _problem(case, ("play",), "bad-play", error, text=ply)
            return [_headed(problem, f"move {number} of the play cannot be made")]
        assert after.last_move is not None
        if fired is not None:
            fired.note(state, after.last_move)
        state = after
    if fired is not None:
        fired.note(state)
    check = _Check(case, test, state, games)
    return [problem for part in check.parts() for problem in part()]


@lru_cache(16)
def _name(game: Game) -> str:
    """Return by what name a command finds the rules of a game: their id, or manifest and id."""
    ruleset = game.ruleset
    with suppress(GdlError):
        if ruleset.manifest is None or find(ruleset.id).manifest == ruleset.manifest:
            return quote(ruleset.id)
    return quote(f"{os.path.relpath(str(ruleset.manifest))}#{ruleset.id}")


def _problem(
    case: Case, key: tuple[str, ...], slug: str, error: GdlError, *, text: str = ""
) -> Diagnostic:
    """Return an error as a problem at a place of the file."""
    first = error.diagnostics[0] if error.diagnostics else None
    return Diagnostic(
        slug,
        Severity.ERROR,
        error.message or (first.message if first else error.headline),
        case.place(*key, text=text),
        expected=error.expected or (first.expected if first else None),
        help=error.help or (first.help if first else None),
    )


def _headed(problem: Diagnostic, head: str) -> Diagnostic:
    return replace(problem, message=f"{head}: {problem.message}")


class _Check:
    """One position, and what is said of it."""

    def __init__(self, case: Case, test: Position, state: State, games: Games) -> None:
        self.case, self.test, self.state, self.games = case, test, state, games
        self.game = state.game

    def parts(self) -> tuple[Callable[[], Iterator[Diagnostic]], ...]:
        """Return the checks, in the order in which the documentation names them."""
        moves = (self._legal, self._can, self._cannot, self._count)
        return (*moves, self._over, self._goals, self._holds, self._fails, self._perft)

    def _failed(  # the words of a diagnostic
        self,
        message: str,
        *key: str | int,
        text: str = "",
        expected: str | None = None,
        help: str | None = None,  # noqa: A002  # the word of a diagnostic
        notes: Collection[str] = (),
    ) -> Diagnostic:
        place = self.case.place(*key, text=text)
        said = tuple(map(Note, notes))
        return Diagnostic("test-failed", Severity.ERROR, message, place, expected, help, said)

    def _moves(
        self, key: str, role: str, texts: Collection[str]
    ) -> tuple[str, list[tuple[str, Term]], tuple[Term, ...], list[Diagnostic]]:
        """Return the role, the moves that texts mean, the legal ones, and what is no move."""
        where = (key, role) if role else (key,)
        try:
            legal = self.state.legal(role or None)
        except GdlError as error:
            return role, [], (), [_problem(self.case, where, "unknown-role", error, text=role)]
        moves, problems = [], []
        for text in texts:
            try:
                move = self.state.move(text, legal.role)
                self._check_names(move)
            except GdlError as error:
                problems.append(_problem(self.case, where, "not-a-move", error, text=text))
            else:
                moves.append((text, move))
        return str(legal.role), moves, tuple(legal), problems

    def _check_names(self, term: Term) -> None:
        """Refuse a term with a name that the rules never use: what is said of it says nothing.

        Raises:
            GdlError: Names it, and the nearest.
        """
        words = _names(self.game)
        for subterm, _ in subterms(term, None):
            name = subterm.name if isinstance(subterm, Constant | Compound) else ""
            if name and name not in words and not name.lstrip("-").isdigit():
                hint = did_you_mean(name, words)
                raise GdlError(f"the rules of {self.game.id} know no {name}", help=hint)

    def _why(self, sentence: str) -> str:
        """Return the command that explains a sentence here."""
        plies = [format_ply(ply) for ply in self.state.history[1:]]
        if self.test.facts:
            return ""
        moves = f' --moves "{"; ".join(plies)}"' if plies else ""
        return f'gdl why {_name(self.game)} "{sentence}"{moves}'

    def _written(self, moves: Collection[Term]) -> str:
        texts = [self.state.notation(move) for move in moves]
        more = f" and {len(texts) - LISTED} more" if len(texts) > LISTED else ""
        return ", ".join(texts[:LISTED]) + more

    def _legal(self) -> Iterator[Diagnostic]:
        for role, texts in self.test.legal.items():
            name, moves, legal, problems = self._moves("legal", role, texts)
            yield from problems
            if problems:
                continue
            wanted = [move for _, move in moves]
            notes = []
            if missing := [move for move in wanted if move not in legal]:
                notes.append(f"not legal: {self._written(missing)}")
            if more := [move for move in legal if move not in wanted]:
                notes.append(f"legal too: {self._written(more)}")
            if notes:
                at = next((t for t, move in moves if move not in legal), "")
                said = f"these are not the legal moves of {name}"
                key = ("legal", role) if role else ("legal",)
                yield self._failed(said, *key, text=at, notes=notes)

    def _can(self) -> Iterator[Diagnostic]:
        yield from self._among("can", self.test.can, is_legal=True)

    def _cannot(self) -> Iterator[Diagnostic]:
        yield from self._among("cannot", self.test.cannot, is_legal=False)

    def _among(
        self, key: str, wanted: dict[str, tuple[str, ...]], *, is_legal: bool
    ) -> Iterator[Diagnostic]:
        for role, texts in wanted.items():
            name, moves, legal, problems = self._moves(key, role, texts)
            yield from problems
            for text, move in moves:
                if (move in legal) is not is_legal:
                    said = f"{text} is {'not ' if is_legal else ''}legal for {name}"
                    where = (key, role) if role else (key,)
                    why = self._why(f"legal {name} {self.state.notation(move)}")
                    yield self._failed(said, *where, text=text, help=why or None)

    def _count(self) -> Iterator[Diagnostic]:
        for role, number in self.test.count.items():
            name, _, legal, problems = self._moves("count", role, ())
            yield from problems
            if not problems and len(legal) != number:
                said = f"{name} has {len(legal)} legal moves, not {number}"
                key = ("count", role) if role else ("count",)
                there = [self._written(legal)] if legal else []
                yield self._failed(said, *key, text=str(number), notes=there)

    def _over(self) -> Iterator[Diagnostic]:
        if self.test.over is not None and self.test.over is not self.state.is_terminal:
            said = "the game goes on" if self.test.over else "the game is over"
            yield self._failed(said, "over", help=self._why("terminal") or None)

    def _goals(self) -> Iterator[Diagnostic]:
        for role, goal in self.test.goals.items():
            try:
                reached = self.state.goal(role)
            except GdlError as error:
                yield _problem(self.case, ("goals",), "test-failed", error, text=role)
                continue
            if reached != goal:
                said = f"the goal of {role} is {reached}, not {goal}"
                why = self._why(f"goal {role} {goal}")
                yield self._failed(said, "goals", text=role, help=why or None)

    def _holds(self) -> Iterator[Diagnostic]:
        yield from self._derived("holds", self.test.holds, is_wanted=True)

    def _fails(self) -> Iterator[Diagnostic]:
        yield from self._derived("fails", self.test.fails, is_wanted=False)

    def _derived(
        self, key: str, texts: tuple[str, ...], *, is_wanted: bool
    ) -> Iterator[Diagnostic]:
        for text in texts:
            try:
                reason = self.state.why(text)
                asked = reason.fact if isinstance(reason, Proof) else reason.query
                self._check_names(asked)
            except GdlError as error:
                yield _problem(self.case, (key,), "no-sentence", error, text=text)
                continue
            if isinstance(reason, Proof) is not is_wanted:
                said = f"{text} {'does not hold' if is_wanted else 'holds'}"
                first = str(reason).splitlines()[:LISTED]
                yield self._failed(said, key, text=text, notes=["\n    ".join(first)])

    def _perft(self) -> Iterator[Diagnostic]:
        if not self.test.perft:
            return
        fast = self.games.fast(self.game)
        counts = fast.perft(len(self.test.perft), state=fast.state(self.state.facts))
        for wanted, count in zip(self.test.perft, counts, strict=True):
            if wanted != count.nodes:
                said = f"{count.nodes:,} plays of {count.depth} moves begin here, not {wanted:,}"
                why = f"gdl perft {self.game.id} {count.depth} --divide"
                yield self._failed(said, "perft", text=str(wanted), help=why)


@lru_cache(16)
def _names(game: Game) -> frozenset[str]:
    """Return every name of a constant, function or relation in the rules."""
    names: set[str] = set()
    for rule in game.ruleset.description.rules:
        for leaf in leaves(rule):
            sentence = getattr(leaf, "sentence", None)
            if sentence is not None:
                names.add(sentence.name)
            for outer in leaf_terms(leaf):
                for term, _ in subterms(*outer):
                    if isinstance(term, Constant | Compound):
                        names.add(term.name)
    return frozenset(names)
