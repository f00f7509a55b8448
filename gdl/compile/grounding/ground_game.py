"""Grounding a game: from rules with variables to the atoms and rules of its circuit.

In: the clauses of a description. Out: a `GroundGame`: every base proposition and move
that relaxed reachability finds, by term, and the ground rules between them.

"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from typing import Final, NamedTuple

from gdl.compile.budget import Budget, begin
from gdl.compile.grounding.aspif import GroundProgram, read_aspif
from gdl.compile.grounding.grounder import GROUND_RULES, Grounder
from gdl.compile.limits import (
    DEFAULT_COMPILE_LIMITS,
    CompileError,
    CompileLimits,
    GroundingLimitError,
)
from gdl.compile.rules.grounder_names import BOUNDS, GrounderNames
from gdl.compile.rules.logic_program import logic_program, role_order
from gdl.language.clauses import Clause
from gdl.language.terms import Signature, Term, in_order
from gdl.machine import goal_value

NEVER: Final = -1
"""Stands for an atom that no rule can derive."""
_BASE, _INPUT = BOUNDS
_FIRST: Final = 0.25
"""Share of the time left that the first clauses may take before others are tried."""
_SECOND: Final = 0.35
"""Share of the time left that these may take."""
_LOOK: Final = 100_000
"""Ground rules after which others are begun with that have fewer variables in a rule."""
_MANY: Final = 1_050_000
"""Ground rules from which on others are tried, where there are several,"""
_FEW: Final = 600_000
"""and from which on others are no better."""
_TRY: Final = 2.0
"""Seconds that grounding within bounds may take before it begins again without them."""


class GroundGame(NamedTuple):
    """A game without variables. Atoms are numbers of ``program``, or `FACT`, or `NEVER`.

    Attributes:
        roles: The roles in order.
        facts: Base propositions in canonical order.
        fact_atoms: Atom of each.
        initial: Indices of those that hold initially.
        next: Atom that says whether each holds next.
        moves: For each role its moves in canonical order.
        move_atoms: Atoms that say whether they are chosen.
        legal: Atoms that say whether they are legal.
        terminal: Atom that says whether the game is over.
        goals: For each role pairs of goal value and atom, by value.
        sees: For each role pairs of percept and atom; empty where nothing is ever seen.
        program: The rules.
        outside: What the rules may make beyond ``base`` and ``input``, by relation and term,
            and its atom; empty where these were not used.
        way: Which clauses were grounded where there were several ways to say the same.
    """

    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    fact_atoms: tuple[int, ...]
    initial: frozenset[int]
    next: tuple[int, ...]
    moves: tuple[tuple[Term, ...], ...]
    move_atoms: tuple[tuple[int, ...], ...]
    legal: tuple[tuple[int, ...], ...]
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]
    sees: tuple[tuple[tuple[Term, int], ...], ...]
    program: GroundProgram
    outside: tuple[tuple[tuple[Signature, Term], int], ...] = ()
    way: int = 0


def ground(
    clauses: Sequence[Clause],
    *,
    limits: CompileLimits = DEFAULT_COMPILE_LIMITS,
    budget: Budget | None = None,
    instead: Sequence[Callable[[], Sequence[Clause]]] = (),
    is_narrower: Callable[[], bool] = lambda: False,
) -> GroundGame:
    """Return the ground game of clauses.

    Args:
        clauses: What to ground.
        limits: Time, memory and number of rules.
        budget: What is left of the limits, by default all.
        instead: Each makes clauses that mean the same, which are tried when those before have
            taken their share of the time, or all of the memory. Where there are several, the
            first are first tried for few instances; then the clauses and the last for as many as
            the limits say, and the clauses again in the rest.
        is_narrower: Whether the first of these are to be begun with, as they have far fewer rules
            of many variables; asked only when the clauses turn out to have more than a few
            instances. When these have as many, a look is taken at the last before they go on.

    Raises:
        GroundingLimitError: There are too many instances; names the rule that has most.
        CompileError: The grounder does not take the rules, or there are no roles.
    """
    with closing(_Ways([lambda: clauses, *instead], limits, budget or begin(limits))) as ways:
        grounded: GroundGame | str = ""
        stopped = ""
        # First whatever has few instances, the second clauses too; then these and the first again.
        tries: list[tuple[int, int, float]] = []
        if len(instead) > 1:
            grounded, other = ways.first_or_narrower(is_narrower)
            stopped = grounded if isinstance(grounded, str) else ""
            tries = [(other, _FEW, _SECOND)]
        tries.append((0, limits.ground_rules, _FIRST if instead else 1.0))
        if instead:
            tries += (len(instead), limits.ground_rules, _SECOND), (0, limits.ground_rules, 1.0)
        for way, most, share in tries:
            if not isinstance(grounded, str) or (share == 1.0 and stopped == "bytes"):
                break
            grounded = ways.tried(way, most, share)
            stopped = stopped or (grounded if isinstance(grounded, str) else "")
        if isinstance(grounded, str):
            from gdl.compile.grounding.explosion import explosion

            raise explosion(clauses, grounded, limits)
        ways.budget.check("reading the ground rules")
        return grounded


class _Ways:
    """Ways to say the same, of which one is to be found that has few instances.

    After a look at one its grounder waits until it is asked for more, or all end.
    """

    def __init__(
        self,
        clauses: Sequence[Callable[[], Sequence[Clause]]],
        limits: CompileLimits,
        budget: Budget,
    ) -> None:
        self.budget = budget
        self._clauses = clauses
        self._limits = limits
        self._waiting: dict[int, _Grounding] = {}

    def tried(self, way: int, most: int, share: float) -> GroundGame | str:
        """Return what comes of one if it has no more instances, in a share of the time.

        One that waits goes on, in what it was given when it was begun.
        """
        grounding = self._waiting.pop(way, None) or _Grounding(
            self._clauses[way](), (), self._limits, self.budget.part(share)
        )
        self._waiting[way] = grounding
        found = grounding.game(min(self._limits.ground_rules, most))
        # A grounder that waits works on until what it says is no longer taken: only those wait
        # that may be asked again.
        if found != GROUND_RULES or most == _FEW or most >= self._limits.ground_rules:
            self._waiting.pop(way).close()
        return found if isinstance(found, str) else found._replace(way=way)

    def first_or_narrower(self, is_narrower: Callable[[], bool]) -> tuple[GroundGame | str, int]:
        """Return what comes of the first if it has few instances, and what else may be tried.

        After a look at it the grounder waits: where the second is narrower, that comes before.
        """
        grounded, other = self.tried(0, _LOOK, _FIRST), 1
        if grounded == GROUND_RULES and self._limits.ground_rules > _LOOK:
            if is_narrower():
                grounded, other = self._narrower(), 2
            if isinstance(grounded, str):
                grounded = self.tried(0, _MANY, _FIRST)
        return grounded, other

    def _narrower(self) -> GroundGame | str:
        """Return what comes of the second or, where others are at an end much sooner, of these."""
        grounded = self.tried(1, _LOOK, _SECOND)
        for other in range(2, len(self._clauses)):
            if grounded == GROUND_RULES:
                grounded = self.tried(other, _LOOK, _SECOND)
        return self.tried(1, _FEW, _SECOND) if grounded == GROUND_RULES else grounded

    def close(self) -> None:
        """End those that wait."""
        for grounding in self._waiting.values():
            grounding.close()


def ground_within(  # noqa: PLR0913  # the limits are one argument each
    clauses: Sequence[Clause],
    bounds: Collection[Signature],
    *,
    limits: CompileLimits = DEFAULT_COMPILE_LIMITS,
    budget: Budget | None = None,
    seconds: float = _TRY,
    narrower: Callable[[], Sequence[Clause] | None] = lambda: None,
) -> GroundGame | None:
    """Return the ground game of clauses as far as ``base`` and ``input`` reach.

    Args:
        clauses: What to ground, those of the bounds too.
        bounds: Which of the two not to leave; may be none, where this is just a try.
        limits: Time, memory and number of rules.
        budget: What is left of the limits, by default all.
        seconds: How long a try is worth.
        narrower: Makes clauses that mean the same and have far fewer rules of many variables, if
            there are such. Asked only when the clauses turn out to have more than a few instances.

    Returns:
        The game, with what the rules may make outside of the bounds; None where that takes
        more than the limits, or longer than a try is worth. Or that of the narrower clauses,
        without bounds, where these have few instances (``way`` is 1).

    Raises:
        CompileError: The grounder does not take the rules, or there are no roles.
    """
    budget = budget or begin(limits)
    share = min(1.0, seconds / max(budget.seconds_left, seconds))
    with closing(_Grounding(clauses, bounds, limits, budget.part(share))) as grounding:
        grounded = grounding.game(min(limits.ground_rules, _LOOK))
        if grounded == GROUND_RULES and limits.ground_rules > _LOOK:
            # The grounder waits while the narrower ones are tried. These need no bounds: few
            # instances are all there are, and so there is nothing beyond that had to be denied.
            others = narrower()
            if others is not None:
                with closing(_Grounding(others, (), limits, budget.part(share))) as second:
                    grounded = second.game(_LOOK)
            if not isinstance(grounded, str):
                return grounded._replace(way=1)
            grounded = grounding.game(limits.ground_rules)
    return None if isinstance(grounded, str) else grounded


class _Grounding:
    """Clauses at the grounder."""

    def __init__(
        self,
        clauses: Sequence[Clause],
        bounds: Collection[Signature],
        limits: CompileLimits,
        budget: Budget,
    ) -> None:
        self._clauses, self._limits = clauses, limits
        program = logic_program(clauses, bounds)
        self._words = program.words
        self._grounder = Grounder(
            program.text,
            seconds=budget.seconds_left,
            memory=budget.bytes_left,
            of_processor=limits.of_processor,
        )
        self.close = self._grounder.close

    def game(self, ground_rules: int) -> GroundGame | str:
        """Return the ground game, or the limit that stopped the grounder."""
        output = self._grounder.output(ground_rules)
        if output.stopped is not None:
            return output.stopped
        ground_program = read_aspif(output.text)
        _check_depth(ground_program, self._limits)
        return _game(ground_program, self._words, role_order(self._clauses))


def _check_depth(program: GroundProgram, limits: CompileLimits) -> None:
    for text in program.shown:
        if text.count("(") > limits.term_depth + 1:
            depth = deepest = 0
            for char in text:
                depth += (char == "(") - (char == ")")
                deepest = max(deepest, depth)
            if deepest > limits.term_depth + 1:
                raise GroundingLimitError(
                    f"the rules derive terms nested more than {limits.term_depth} deep",
                    help="raise the limit with CompileLimits(term_depth=...), "
                    "or let the reasoner play this game",
                )


def _game(program: GroundProgram, words: GrounderNames, named: Sequence[Term]) -> GroundGame:
    tables = _tables(program, words)
    roles = _roles([args[0] for args, _ in tables["o"]], named)
    next_atoms = {args[0]: atom for args, atom in tables["n"]}
    holding = {args[0] for args, _ in tables["i"]}
    fact_atoms = {args[0]: atom for args, atom in tables["t"]}
    facts = tuple(in_order(fact_atoms))
    chosen = {(role, move): atom for (role, move), atom in tables["d"]}
    legal = {(role, move): atom for (role, move), atom in tables["l"]}
    moves = tuple(tuple(in_order(move for who, move in chosen if who is role)) for role in roles)
    return GroundGame(
        roles=roles,
        facts=facts,
        fact_atoms=tuple(fact_atoms[fact] for fact in facts),
        initial=frozenset(index for index, fact in enumerate(facts) if fact in holding),
        next=tuple(next_atoms.get(fact, NEVER) for fact in facts),
        moves=moves,
        move_atoms=_rows(roles, moves, chosen),
        legal=_rows(roles, moves, legal),
        terminal=next((atom for _, atom in tables["e"]), NEVER),
        goals=_goals(roles, tables["g"]),
        sees=_sees(roles, tables["s"]),
        program=program,
        outside=(
            *(((_BASE, fact), atom) for (fact,), atom in tables["x"]),
            *(((_INPUT, move), atom) for (_, move), atom in tables["y"]),
        ),
    )


Row = tuple[list[Term], int]


def _tables(program: GroundProgram, words: GrounderNames) -> dict[str, list[Row]]:
    """Return for each relation its rows: decoded arguments and atom."""
    tables: dict[str, list[Row]] = {name: [] for name in "tdlngesioxy"}
    for text, atom in program.shown.items():
        name, bracket, inner = text.partition("(")
        args = words.decode_arguments(inner[:-1]) if bracket else []
        tables[name].append((args, atom))
    return tables


def _roles(told: Iterable[Term], named: Sequence[Term]) -> tuple[Term, ...]:
    there = dict.fromkeys(told)  # the grounder tells them in the order in which it finds them
    roles = [role for role in named if role in there]
    roles += [role for role in there if role not in roles]
    if not roles:
        raise CompileError("the rules name no role, so nobody can play")
    return tuple(roles)


def _rows(
    roles: Sequence[Term], moves: Sequence[Sequence[Term]], atoms: dict[tuple[Term, Term], int]
) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(atoms[role, move] for move in row) for role, row in zip(roles, moves, strict=True)
    )


def _goals(roles: Sequence[Term], rows: Sequence[Row]) -> tuple[tuple[tuple[int, int], ...], ...]:
    pairs: dict[Term, list[tuple[int, int]]] = {role: [] for role in roles}
    for (role, value), atom in rows:
        number = goal_value(value)
        if role in pairs and number is not None:
            pairs[role].append((number, atom))
    return tuple(tuple(sorted(pairs[role])) for role in roles)


def _sees(roles: Sequence[Term], rows: Sequence[Row]) -> tuple[tuple[tuple[Term, int], ...], ...]:
    if not rows:
        return ()
    pairs: dict[Term, list[tuple[Term, int]]] = {role: [] for role in roles}
    for (role, percept), atom in rows:
        if role in pairs:
            pairs[role].append((percept, atom))
    return tuple(tuple(sorted(pairs[role])) for role in roles)
