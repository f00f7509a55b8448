"""From predicates to functions that answer: what is asked is planned, written, compiled, kept.

In: a predicate and how it is asked. Out: a function of a context and a key. Each predicate is
compiled once for each way in which it is asked, when it is first asked so. The text of every
function can be read: `RuleCompiler.texts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final

from gdl.language.limits import Limits
from gdl.language.refusals import too_deep
from gdl.language.syntax import Compound, Signature, Term
from gdl.reason.codegen import RuleWriter
from gdl.reason.join_order import Planner
from gdl.reason.materialize import materialized_below
from gdl.reason.meter import STRIDE, Meter
from gdl.reason.plan import EXISTS, FREE, Modes
from gdl.reason.program import Definition, Kind, Level, Predicate
from gdl.reason.tables import Context, Demand, Packed, Row, index, unique_index

MAX_TERMS: Final = 200_000
"""Terms that are kept to be built only once; beyond, all are forgotten."""


class RuleCompiler:
    """Makes the functions of a program as they are asked for.

    Attributes:
        texts: The text of every function made so far.
        planner: Orders the conditions of each rule.
        game: The context of what never changes.
    """

    def __init__(
        self, planner: Planner, game: Meter, limits: Limits, whole: AbstractSet[Predicate]
    ) -> None:
        """Begin with no function made.

        Args:
            planner: Orders the conditions of each rule.
            game: Counts what never changes.
            limits: For the tables of states and moves.
            whole: Predicates with rules that are evaluated whole, and then looked up.
        """
        self.texts: list[str] = []
        self.planner = planner
        self._whole = whole
        self.limits = limits
        self._fillers: list[Callable[[Context], Any]] = []
        self._demands: dict[tuple[Predicate, Modes], Demand] = {}
        self._indexes: dict[tuple[Predicate, Modes], int] = {}
        self._unmade: list[Demand] = []
        self._unrun: list[str] = []
        self._constants: dict[Term, str] = {}
        self._builders: dict[Signature, str] = {}
        self._names: dict[int, str] = {}
        self._functions: list[tuple[str, Definition]] = []
        self.game = Context(self.fill, game)
        self._space: dict[str, Any] = {
            "game": self.game,
            "Compound": Compound,
            "none": (),
            "STRIDE": STRIDE,
        }

    # What the back end asks for ----------------------------------------------------------

    def fill(self, slot: int, context: Context) -> Any:  # noqa: ANN401  # see `Context`
        """Return what belongs into a slot of a context."""
        return self._fillers[slot](context)

    def asker(self, predicate: Predicate, modes: Modes) -> Callable[[Context, Packed], Any]:
        """Return the function that answers: ``(context of the predicate's level, key)``.

        Raises:
            UnboundVariableError: A rule cannot bind a variable that is asked for.
        """
        ask = self._looker(predicate, modes) if self.is_table(predicate) else None
        if ask is None:
            ask = self._solver(self.demand(predicate, modes))
        self.make()
        # Predicates evaluated whole are filled from the lowest on, so that no function that fills
        # one calls down further than to the next.
        below = materialized_below(predicate, self._whole)
        if not below:
            return ask
        first = [(p.level, self._solver(self.demand(p, FREE * p.arity))) for p in below]

        def ask_from_the_ground(context: Context, key: Packed) -> Any:  # noqa: ANN401  # see `Answers`
            for level, ask_below in first:
                ask_below(self.context(context, level), ())
            return ask(context, key)

        return ask_from_the_ground

    def _looker(self, predicate: Predicate, modes: Modes) -> Callable[[Context, Packed], Any]:
        slot = self.index(predicate, modes)
        if FREE in modes:
            return lambda context, key: context[slot].get(key, ())
        return lambda context, key: key in context[slot]

    def _solver(self, demand: Demand) -> Callable[[Context, Packed], Any]:
        solve = demand.solver()
        slot = demand.slot

        def ask(context: Context, key: Packed) -> Any:  # noqa: ANN401  # see `Answers`
            answers = context[slot].get(key)
            return solve(context, key) if answers is None else answers

        return ask

    def context(self, context: Context, level: Level) -> Context:
        """Return the context of a level, given one of that level or of a higher one."""
        if level is Level.GAME:
            return self.game
        return context if level is Level.MOVES or context.below is None else context.below

    def is_table(self, predicate: Predicate) -> bool:
        """Return whether a predicate is looked up in an index, not evaluated for each question."""
        return predicate.kind is not Kind.RULES or predicate in self._whole

    def demands(self, predicate: Predicate) -> Iterator[Demand]:
        """Yield every way in which a predicate has been asked."""
        for (asked, _), demand in self._demands.items():
            if asked is predicate:
                yield demand

    def make(self) -> None:
        """Write, compile and load the functions of every demand that has none yet."""
        while self._unmade:
            demand = self._unmade.pop()
            names = [
                self._clause(demand, number, definition)
                for number, definition in enumerate(demand.predicate.definitions)
            ]
            text = "\n\n".join(self._unrun)
            self._unrun.clear()
            self.texts.append(text)
            exec(compile(text, f"<rules of {demand.predicate}>", "exec"), self._space)  # noqa: S102  # our own text, in which names of the rules do not occur
            for name, definition in self._functions:
                self._space[name].definition = definition
            self._functions.clear()
            demand.clauses = tuple(self._space[name] for name in names)

    # What writers ask for ----------------------------------------------------------------

    def demand(self, predicate: Predicate, modes: Modes) -> Demand:
        """Return the demand; its functions are made by `make`."""
        if predicate.is_recursive:
            modes = modes.replace(EXISTS, FREE)
        asked = self._demands.get((predicate, modes))
        if asked is None:
            asked = Demand(predicate, modes, self._slot(lambda _: {}))
            self._demands[predicate, modes] = asked
            self._unmade.append(asked)
            self._space[f"demand_{asked.slot}"] = asked
            self._space[f"solve_{asked.slot}"] = asked.solver()
        return asked

    def index(self, predicate: Predicate, modes: Modes) -> int:
        """Return the slot of an index over rows that come from outside."""
        if (predicate, modes) not in self._indexes:
            if predicate in self._whole:
                ask = self._solver(self.demand(predicate, FREE * predicate.arity))
                filler = _filler_from_answers(predicate, modes, ask)
            else:
                filler = _filler(predicate, modes)
            self._indexes[predicate, modes] = self._slot(filler)
        return self._indexes[predicate, modes]

    def unique(self, predicate: Predicate, modes: Modes) -> str | None:
        """Return the name of an index of facts with one value a key, None if there is none."""
        if predicate.kind is not Kind.FACTS or FREE not in modes:
            return None
        values = unique_index(predicate.rows, modes)
        if values is None:
            return None
        name = f"unique_{self.index(predicate, modes)}"
        self._space[name] = values
        return name

    def constant(self, term: Term) -> str:
        """Return the name of a ground term."""
        if term not in self._constants:
            name = f"term_{len(self._constants)}"
            self._constants[term] = name
            self._space[name] = term
        return self._constants[term]

    def builder(
        self, functor: Signature, definition: Definition, *, is_bounded: bool
    ) -> tuple[str, str]:
        """Return the names of the mapping of terms built, and of the function that adds one."""
        if functor not in self._builders:
            name = f"built_{len(self._builders)}"
            self._builders[functor] = name
            self._space[name] = {}
        name = self._builders[functor]
        add = f"{name}_{self.object('definition', definition) if is_bounded else 'any'}"
        if add not in self._space:
            self._space[add] = _term_builder(
                functor.name, self._space[name], definition if is_bounded else None, self.limits
            )
        return name, add

    def object(self, kind: str, value: object) -> str:
        """Return a name for any object."""
        if id(value) not in self._names:
            name = f"{kind}_{len(self._names)}"
            self._names[id(value)] = name
            self._space[name] = value  # which keeps it alive, so that its id stays its own
        return self._names[id(value)]

    def add_function(self, name: str, text: str, definition: Definition) -> None:
        """Take a finished function."""
        self._unrun.append(text)
        self._functions.append((name, definition))

    def _slot(self, filler: Callable[[Context], Any]) -> int:
        self._fillers.append(filler)
        return len(self._fillers) - 1

    def _clause(self, demand: Demand, number: int, definition: Definition) -> str:
        predicate = demand.predicate
        self.game.meter.check_time(definition)
        component = predicate.component if predicate.is_recursive else -1
        plan = self.planner.plan(definition, demand.modes, component)
        rule = RuleWriter(self, plan, predicate.level, component, f"rule_{demand.slot}_{number}")
        return rule.write(is_recursive=predicate.is_recursive)


def _filler(predicate: Predicate, modes: Modes) -> Callable[[Context], Any]:
    if predicate.kind is Kind.FACTS:
        return lambda _: index(predicate.rows, modes)
    functor = predicate.functor
    return lambda context: index(context.rows.get(functor, ()), modes)


def _filler_from_answers(
    predicate: Predicate, modes: Modes, ask: Callable[[Context, Packed], Any]
) -> Callable[[Context], Any]:
    def fill(context: Context) -> Any:  # noqa: ANN401  # see `index`
        answers = ask(context, ())
        match predicate.arity:
            case 0:
                return index([()] if answers else [], modes)
            case 1:
                return index([(answer,) for answer in answers], modes)
            case _:
                return index(answers, modes)

    return fill


def _term_builder(
    name: str, built: dict[Row, Term], definition: Definition | None, limits: Limits
) -> Callable[[Row], Term]:
    """Return what builds a term; one that is too deep is refused if a rule derives it."""

    def build(args: Row) -> Term:
        term = Compound(name, args)
        if term.depth > limits.term_depth:
            if definition is None:
                return term  # and is not kept, so that the rules that derive it come here
            raise too_deep(definition.clause, term, limits)
        if len(built) >= MAX_TERMS:
            built.clear()
        built[args] = term
        return term

    return build
