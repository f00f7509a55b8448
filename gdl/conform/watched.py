"""Which rules fire, said by machine code: the quick way of `gdl.conform.coverage`.

In: a game that runs as machine code, and bodies of its rules. Out: for a state, and for the moves
made there, the numbers of the bodies that hold. It is the game once more with outputs beside it:
a goal for each body that looks at the state alone, a percept for one that looks at moves.

Where nobody moves is a third case. A body that looks at moves is then asked of a copy of the rules
in which ``does`` is never true: what cannot follow is left out, and what is denied is granted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from gdl._cache import digest
from gdl._code_key import code_key
from gdl.backend import check_affordable
from gdl.game import Game
from gdl.language.clauses import Clause, asked, sentence_of
from gdl.language.dependencies import DOES, PLAY, dependency_graph
from gdl.language.syntax import (
    Atom,
    Description,
    Distinct,
    Literal,
    Not,
    Rule,
    Signature,
    arguments,
    sentence,
    signature,
)
from gdl.machine import JointMove
from gdl.verify.properties.monitors import Monitored, with_monitors

if TYPE_CHECKING:
    from gdl.native.kernel.batch import Batch

ASIDE: Final = "{} with nobody moving"
"""What a relation is called in the copy; no name of a user has a space."""


class Watched:
    """The rules of a game in machine code that says which of them fire."""

    def __init__(self, game: Game, watched: Sequence[Clause], seconds: float) -> None:
        """Compile, or read what was compiled.

        Args:
            game: It runs as machine code.
            watched: The clauses whose bodies are watched; a body's number is its place here.
            seconds: What compiling may take.

        Raises:
            CompileError: It cannot be had, or not in that time.
        """
        from gdl.compile import CompileError, CompileLimits, build
        from gdl.native.game import NativeGame

        rules = game.ruleset.checked(game.limits)
        roles = game.machine.roles
        moving = dependency_graph(rules.played).dependents({DOES})
        still = {
            n: body for n, c in enumerate(watched) if (body := _still(c.body, moving)) != c.body
        }
        monitored, quiet = _monitored(
            rules.description, rules.played, watched, still, moving, roles
        )

        def make() -> Any:  # noqa: ANN401  # a circuit, which is not loaded here
            deadline = time.monotonic() + seconds
            limits = CompileLimits(seconds=seconds, explain=False)
            circuit = build(monitored.description, limits=limits, roles=roles)
            check_affordable(circuit, deadline - time.monotonic(), seconds)
            return circuit

        # States of the game's machine are looked at as they are: facts and moves must be the same.
        name = digest([game.ruleset.digest(), "watched", code_key(), repr(game.limits)])
        native = NativeGame(name, make)
        native.prepare()
        self._native, self._machine = native, native.machine
        here, plain = self._machine.compiled, game.back_end.native
        if plain is None or (plain.machine.compiled.facts, plain.machine.moves) != (
            here.facts,
            here.moves,
        ):
            raise CompileError("the rules that are watched have other facts or moves")
        self._role = roles[0]
        count = len(watched)
        values = monitored.values
        self._of_state = {values[n]: n for n in range(count) if not monitored.of_moves[n]}
        self._of_quiet = self._of_state | dict(zip(values[count:], quiet, strict=True))
        numbers = {str(values[n]): n for n in range(count) if monitored.of_moves[n]}
        self._of_moves = {
            percept: numbers[str(percept)] for percept in here.sees[0] if str(percept) in numbers
        }

    def batch(self, size: int) -> Batch:
        """Return games of the rules that are watched, with the moves of the game's machine.

        They begin anew where they end. Which bodies hold say their goal values, see `rows`.
        """
        return self._native.batch(size, auto_reset=True, is_soon=True)

    @property
    def rows(self) -> dict[int, int]:
        """For each body that looks at the state alone its place among the goal values."""
        values = [value for row in self._machine.compiled.goals for value in row]
        return {self._of_state[v]: at for at, v in enumerate(values) if v in self._of_state}

    def fired(self, inner: bytes, joint: JointMove) -> frozenset[int]:
        """Return the numbers of the bodies that hold in a state of the game's machine.

        Args:
            inner: The state; it may be terminal.
            joint: A legal joint move, or nothing where nobody moves.
        """
        goals = self._machine.goals(inner, self._role)
        if not joint:
            return frozenset(self._of_quiet[v] for v in goals if v in self._of_quiet)
        fired = {self._of_state[value] for value in goals if value in self._of_state}
        for percept in self._machine.percepts(inner, joint, self._role):
            number = self._of_moves.get(percept)
            if number is not None:
                fired.add(number)
        return frozenset(fired)


def _monitored(  # noqa: PLR0913, PLR0917  # the rules, what is asked of them, and who plays
    description: Description,
    played: Sequence[Clause],
    watched: Sequence[Clause],
    still: dict[int, tuple[Literal, ...] | None],
    moving: frozenset[Signature],
    roles: Sequence[Any],
) -> tuple[Monitored, list[int]]:
    """Return the rules that watch, and which bodies are watched once more with nobody moving."""
    quiet = [n for n, body in still.items() if body is not None]
    bodies = [clause.body for clause in watched]
    bodies += [body for n in quiet if (body := still[n]) is not None]
    whole = description + Description(tuple(_copies(played, moving)))
    return with_monitors(whole, roles[0], bodies), quiet


def _copies(played: Sequence[Clause], moving: frozenset[Signature]) -> Iterator[Rule]:
    """Yield the rules of relations that depend on moves, as they are where nobody moves.

    What play alone asks for, such as ``next``, is left out: no body does.
    """
    asked_for = {signature(sentence) for clause in played for sentence, _ in asked(clause)}
    for clause in played:
        sort = signature(clause.head)
        if sort in moving and (sort in asked_for or sort not in PLAY):
            body = _still(clause.body, moving)
            if body is not None:
                head = sentence(ASIDE.format(sort.name), arguments(clause.head))
                yield Rule(Atom(head), body)


def _still(body: Sequence[Literal], moving: frozenset[Signature]) -> tuple[Literal, ...] | None:
    """Return a body as it is where nobody moves; None where it cannot hold then."""
    left: list[Literal] = []
    for literal in body:
        if isinstance(literal, Distinct):
            left.append(literal)
            continue
        said = sentence_of(literal)
        sort = signature(said)
        if sort == DOES:
            if isinstance(literal, Not):
                continue
            return None
        if sort in moving:
            atom = Atom(sentence(ASIDE.format(sort.name), arguments(said)))
            left.append(Not(atom) if isinstance(literal, Not) else atom)
        else:
            left.append(literal)
    return tuple(left)
