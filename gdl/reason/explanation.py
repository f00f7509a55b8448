"""What an explanation is, a proof of what holds or what stands against what does not; and its text.

Proofs share what they have in common: the same fact has one proof, whoever uses it, and no proof
uses itself.

The text is lines, one a fact, those it rests on below it and further in; each in pieces that know
what they say, so that nobody has to look for it in the text. What was shown before is not shown
again, and a long text is cut; so its size is bounded.

Source: Ferrand, "Proof trees in logic programming", 1987 (proofs); Lloyd, "Declarative Error
Diagnosis", 1987 (the rule that should have fired); the choice of the closest rule is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

from gdl.language.clauses import Clause
from gdl.language.dependencies import DOES, TRUE
from gdl.language.syntax import Distinct, Not, Sentence, Signature, Term, kif_text, signature
from gdl.machine import Move, Role

MAX_LINES: Final = 120
"""Lines of a text."""
MAX_TEXT: Final = 200
"""Characters of a term in it."""
MARK: Final = 5
"""Width of what stands before a literal: whether it holds."""


@dataclass(frozen=True, slots=True)
class Since:
    """When a fact of the state became true.

    Attributes:
        turn: After how many joint moves of the history; 0: as far back as it goes.
        moves: The moves that made it, with who made them; empty when it took none.
        texts: Each of the moves in the notation of the game.
    """

    turn: int
    moves: tuple[tuple[Role, Move], ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """Why a fact holds.

    Attributes:
        fact: A sentence without variables.
        clause: The rule it follows from, or that states it; None for what is true or done.
        premises: For each literal of the clause's body, in order, why that instance holds.
        since: Of a ``true``: when it became so; None when nothing is known of the past.
        is_cut: Whether premises are left out because the proof would be too large.
        said: Of what was asked: its words in the notation of the game, where they differ.
        is_over: Of a move that was asked for: whether play is over, so that nobody makes it.
    """

    fact: Sentence
    clause: Clause | None = None
    premises: tuple[Premise, ...] = ()
    since: Since | None = None
    is_cut: bool = False
    said: str = ""
    is_over: bool = False

    def _repr_html_(self) -> str:
        """Return the text for notebooks, as a tree that folds."""
        from gdl.language.html import tree_html

        return tree_html(explanation_text(self).splitlines())

    def __str__(self) -> str:
        """Return the tree as text."""
        return explanation_text(self)


@dataclass(frozen=True, slots=True)
class Absence:
    """A negated literal that holds.

    Attributes:
        sentence: What does not hold; a variable in it stands for anything.
        literal: Where that is asked.
    """

    sentence: Sentence
    literal: Not


@dataclass(frozen=True, slots=True)
class DistinctTerms:
    """A ``distinct`` that holds."""

    left: Term
    right: Term
    literal: Distinct


Premise: TypeAlias = Proof | Absence | DistinctTerms


@dataclass(frozen=True, slots=True, eq=False)
class Refutation:
    """Why a sentence does not hold.

    Attributes:
        query: The sentence; when it has variables, no instance of it holds.
        attempts: Rules that could have given it, closest first; empty when there is none.
        instead: Facts of the state that differ from it in one place.
        left_out: Why it is not gone into; empty when it is.
        is_recursive: Whether its relation rests on itself and on the state, as being linked does;
            what always is so, such as a step of a board, is none of these.
        is_fixed: Whether its relation never changes, as steps of a board do not.
        said: Of what was asked: its words in the notation of the game, where they differ.
        is_over: Of a move that was asked for: whether play is over, which no rule of a move need
            say.
        needed: Of a move that was asked for: why what all ways to it need does not hold, if there
            is such a thing; see `gdl.reason.needed`.
    """

    query: Sentence
    attempts: tuple[Attempt, ...] = ()
    instead: tuple[Proof, ...] = ()
    left_out: str = ""
    is_recursive: bool = False
    is_fixed: bool = False
    said: str = ""
    is_over: bool = False
    needed: Refutation | None = None

    @property
    def is_of_another_kind(self) -> bool:
        """Whether there are rules for it, and none of them is meant; see `Attempt`.

        Those that ask for the same relation again end in one that does not.
        """
        ways = [way for way in self.attempts if not way.asks(signature(self.query))]
        return bool(ways) and all(way.is_of_another_kind for way in ways)

    def _repr_html_(self) -> str:
        """Return the text for notebooks, as a tree that folds."""
        from gdl.language.html import tree_html

        return tree_html(explanation_text(self).splitlines())

    def __str__(self) -> str:
        """Return the tree as text."""
        return explanation_text(self)


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """How far a rule gets.

    Attributes:
        clause: The rule.
        head: What it would give; variables that nothing has bound are left.
        met: Literals that hold together, in the order of the body.
        failure: One that does not hold with them.
        open: Number of further literals, that were not looked at.
        asked: What is missing, with variables for what the other literals leave open; None where
            an instance of that holds.
        barred: A literal that no state can meet, whatever the others say; None where there is none.
        is_example: Whether the other literals hold together in more ways, and this is the first.
        is_never: Whether those of its literals that never change cannot hold together.
        is_for_others: Whether it lacks what another rule has met in another word: that a pawn
            stands where a king does.
        is_unsuited: Whether it has a literal that is barred and lacks more than that, of what is
            there: a pawn slides nowhere.
    """

    clause: Clause
    head: Sentence
    met: tuple[Premise, ...]
    failure: Failure
    open: int = 0
    asked: Sentence | None = None
    barred: Sentence | None = None
    is_example: bool = False
    is_never: bool = False
    is_for_others: bool = False
    is_unsuited: bool = False

    def asks(self, relation: Signature) -> bool:
        """Return whether what is missing is of a relation."""
        return isinstance(self.failure, Missing) and signature(self.failure.sentence) == relation

    @property
    def is_telling(self) -> bool:
        """Whether one literal alone is missing, and nothing else would do in its place."""
        return not self.open and not self.is_example

    @property
    def is_of_another_kind(self) -> bool:
        """Whether it is not meant: what is missing never changes, or is another man's, or was told.

        So it is where that is true of every way to what is missing alone.
        """
        if self.is_never or self.is_for_others:
            return True
        if not isinstance(self.failure, Missing) or self.open:
            return False
        because = self.failure.because
        if because.is_fixed:
            return True
        if self.is_example:
            return False
        return because.is_of_another_kind if because.attempts else bool(because.left_out)

    @property
    def is_near(self) -> bool:
        """Whether it has met something, lacks one thing alone, or something is in its way."""
        return bool(self.met) or not self.open or not isinstance(self.failure, Missing)

    @property
    def is_foreign(self) -> bool:
        """Whether it is for another kind of thing than the one that is there."""
        if self.is_for_others or self.is_unsuited:
            return True
        if self.barred is not None or self.open or not isinstance(self.failure, Missing):
            return False
        because = self.failure.because
        ways = [way for way in because.attempts if not way.asks(signature(because.query))]
        return because.is_fixed or (bool(ways) and all(way.is_foreign for way in ways))

    @property
    def is_out_of_reach(self) -> bool:
        """Whether places that never fit are all that is wrong: a king goes one square, not two."""
        if self.open or self.is_for_others or not isinstance(self.failure, Missing):
            return False
        return self.is_never or any(way.is_out_of_reach for way in self.failure.because.attempts)

    @property
    def distance(self) -> int:
        """How far it is from what is meant: 0, 1 where only places do not fit, else 2."""
        if not self.is_of_another_kind:
            return 0
        return 1 if self.is_out_of_reach else 2


@dataclass(frozen=True, slots=True, eq=False)
class Missing:
    """A positive literal that does not hold, and why."""

    sentence: Sentence
    because: Refutation


@dataclass(frozen=True, slots=True, eq=False)
class Unwanted:
    """A negated literal that does not hold, because what it negates does.

    Attributes:
        sentence: What it negates.
        because: Why that holds.
        alone: The one fact of the state that this rests on, where no other stands in for it.
    """

    sentence: Sentence
    because: Proof
    alone: Proof | None = None


@dataclass(frozen=True, slots=True)
class EqualTerms:
    """A ``distinct`` that does not hold: both sides are one term."""

    term: Term


Failure: TypeAlias = Missing | Unwanted | EqualTerms
Explanation: TypeAlias = Proof | Refutation


class Part(Enum):
    """What a piece of a line says."""

    TEXT = auto()
    """A literal, or words between."""
    HOLDS = auto()
    """That a condition holds."""
    FAILS = auto()
    """That a condition does not, and the rule with it."""
    NOR = auto()
    """That another rule gives it neither."""
    BUT = auto()
    """That what must not hold does."""
    ASIDE = auto()
    """That a line is about something else: what holds instead, what was not looked at."""
    PLACE = auto()
    """Where something comes from: a rule, a turn, nowhere."""


class Piece(NamedTuple):
    """A piece of a line."""

    text: str
    part: Part = Part.TEXT


Line = tuple[Piece, ...]
"""A line without its end; the texts of the pieces, joined, are its text."""

_YES: Final = (Piece("yes", Part.HOLDS), Piece(" " * (MARK - 3)))
_NO: Final = (Piece("no", Part.FAILS), Piece(" " * (MARK - 2)))
_OPEN: Final = (Piece("?", Part.ASIDE), Piece(" " * (MARK - 1)))
_BUT: Final = (Piece("but", Part.BUT), Piece(" "))
_INSTEAD: Final = (Piece("instead", Part.ASIDE), Piece(": "))


def explanation_text(explanation: Explanation, *, max_lines: int = MAX_LINES) -> str:
    """Return an explanation as text of at most ``max_lines`` lines, and one that says so if cut."""
    lines = explanation_lines(explanation, max_lines=max_lines)
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def explanation_lines(explanation: Explanation, *, max_lines: int = MAX_LINES) -> list[Line]:
    """Return the lines that `explanation_text` joins, in pieces."""
    from gdl.reason.headline import headline  # which knows what an explanation is

    outline = _Outline(max_lines)
    if isinstance(explanation, Proof):
        asked = explanation.said or (term_text(explanation.fact) if explanation.is_over else "")
        if asked:
            but = ", but play is over" if explanation.is_over else ""
            outline.line(0, Piece(f"{asked} holds{but}"))
        outline.proof(explanation, 1 if asked else 0, ())
    else:
        is_tried = bool(explanation.attempts)
        cause = headline(explanation) if is_tried else nothing_text(explanation)
        if explanation.is_over:
            cause = (Piece(": play is over"), *((Piece(", and "),) if is_tried else ()), *cause)
        elif is_tried:
            cause = (Piece(": "), *cause)
        asked = explanation.said or term_text(explanation.query)
        outline.line(0, Piece(f"{asked} does not hold"), *cause)
        outline.refutation(explanation, 1)
    return outline.lines()


class _Outline:
    """Lines written so far, and what they have shown."""

    def __init__(self, max_lines: int) -> None:
        self._lines: list[Line] = []
        self._left_out = 0
        self._max_lines = max_lines
        self._shown: set[int] = set()

    def lines(self) -> list[Line]:
        if self._left_out:
            return [*self._lines, (Piece(f"... and {self._left_out:,} more lines"),)]
        return self._lines

    def line(self, depth: int, *pieces: Piece) -> None:
        if len(self._lines) < self._max_lines:
            indent = (Piece("  " * depth),) if depth else ()
            self._lines.append((*indent, *pieces))
        else:
            self._left_out += 1

    def proof(self, premise: Premise, depth: int, mark: Line) -> None:
        """Write what holds, and what it rests on."""
        work: list[tuple[Premise, int, Line]] = [(premise, depth, mark)]
        while work:
            inner, indent, before = work.pop()
            match inner:
                case Absence(sentence):
                    self.line(indent, *before, Piece(f"not {term_text(sentence)}"))
                case DistinctTerms(left, right):
                    self.line(
                        indent, *before, Piece(f"{term_text(left)} is not {term_text(right)}")
                    )
                case Proof(fact, _, premises):
                    is_new = id(inner) not in self._shown
                    remark = _origin(inner) if is_new or not premises else "as shown above"
                    self.line(indent, *before, Piece(term_text(fact)), *_remark(remark))
                    self._shown.add(id(inner))
                    if is_new:
                        work += [(below, indent + 1, ()) for below in reversed(premises)]

    def refutation(self, refutation: Refutation, depth: int) -> None:
        for instead in refutation.instead:
            self.proof(instead, depth, _INSTEAD)
        for number, attempt in enumerate(refutation.attempts):
            if number == 0:
                self.attempt(attempt, depth)
            else:
                nor, where = Piece("nor", Part.NOR), Piece(_place(attempt.clause), Part.PLACE)
                self.line(depth, nor, Piece(" "), where, Piece(f": {failure_text(attempt)}"))

    def attempt(self, attempt: Attempt, depth: int) -> None:
        where = Piece(_place(attempt.clause), Part.PLACE)
        self.line(depth, Piece(f"{term_text(attempt.head)} needs, by "), where, Piece(":"))
        for premise in attempt.met:
            self.proof(premise, depth + 1, _YES)
        match attempt.failure:
            case Missing(sentence, because):
                self.line(depth + 1, *_NO, Piece(term_text(sentence)), *nothing_text(because))
                self.refutation(because, depth + 3)
            case Unwanted(sentence, because):
                self.line(depth + 1, *_NO, Piece(f"not {term_text(sentence)}"))
                self.proof(because, depth + 3, _BUT)
            case EqualTerms(term):
                self.line(depth + 1, *_NO, Piece(f"{term_text(term)} is not {term_text(term)}"))
        if attempt.open:
            noun = "condition" if attempt.open == 1 else "conditions"
            self.line(depth + 1, *_OPEN, Piece(f"{attempt.open} more {noun}"))


def term_text(term: Term) -> str:
    """Return a term as text, cut where it is long."""
    text = kif_text(term)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."


def _place(clause: Clause) -> str:
    """Return file and line of a rule; the file without its folder, to keep lines short."""
    place = clause.rule.place or clause.rule.head.place
    if place is None:
        return "a rule"
    return f"{PurePath(place.span.source.name).name}:{place.span.line}"


def _origin(proof: Proof) -> str:
    if proof.clause is not None:
        return _place(proof.clause)
    if proof.is_cut:
        return "holds; not gone into"
    if proof.since is not None:
        return _since(proof.since)
    return ""


def _since(since: Since) -> str:
    if not since.turn:
        return "from the start"
    texts = since.texts or [term_text(move) for _, move in since.moves]
    makers = " and ".join(
        f"{term_text(role)} played {text}"
        for (role, _), text in zip(since.moves, texts, strict=True)
    )
    return f"since turn {since.turn}" + (f", when {makers}" if makers else "")


def _remark(text: str) -> Line:
    return (Piece("  "), Piece(f"[{text}]", Part.PLACE)) if text else ()


def nothing_text(refutation: Refutation) -> Line:
    """Return the remark on what has no rule to look into."""
    if refutation.left_out:
        return _remark(refutation.left_out)
    if refutation.attempts or refutation.instead:
        return ()
    if signature(refutation.query) in (TRUE, DOES):
        return ()
    return _remark("no rule gives it")


def failure_text(attempt: Attempt) -> str:
    """Return what stands against a rule, in words."""
    match attempt.failure:
        case Missing(sentence):
            return f"{term_text(sentence)} does not hold"
        case Unwanted(_, because, alone):
            reason = alone or because
            since = "" if reason.since is None else f" {_since(reason.since)}"
            return f"{term_text(reason.fact)} holds{since}"
        case EqualTerms(term):
            return f"{term_text(term)} is not different from itself"
