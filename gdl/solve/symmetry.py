"""Symmetries of a game, found in what its moves and facts do, and proved over one step.

In: a circuit and a packing of its states. Out: renamings of facts under which the game is the same.
Candidates come from colour refinement of what each output of the circuit depends on (`meanings`),
and need not be right. Each is put to a SAT solver: under a renaming of the moves, roles staying who
they are, the first state must be the same, and in every state that play may reach the end, the
goals, what is legal and what follows. Nothing else is used.

Why one step is enough: of states is assumed what the compiler proved of all that play reaches, and
that the groups of the packing hold. Renamings take groups to groups, so these hold in the image of
a state as in the state itself. Solving keeps one state of each orbit, and the solver checks of all
that follows from it, before it is renamed, that groups hold. By induction over the length of play
every state that play reaches is an image of one that was kept, reached by as many moves, and worth
the same at the same distance.

Source: Schiffel, "Symmetry Detection in General Game Playing", AAAI 2010; Emerson, Sistla,
"Symmetry and Model Checking", 1996; Aloul, Sakallah, Markov, "Efficient Symmetry Breaking for
Boolean Satisfiability", 2006.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import FALSE, Aig, Lit, negate
from gdl.circuit.cone import support
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all, disj_all, xor
from gdl.native.kernel.packed import Packing
from gdl.solve.colour_refinement import Colouring, Colours
from gdl.solve.group import Place, Renaming, keeps_fields, tractable

if TYPE_CHECKING:
    from gdl.verify.solvers.budget import Budget

SECONDS: Final = 25.0
"""Processor time for looking for symmetries and for their proofs."""
MEGABYTES: Final = 1 << 16
MAX_SIZE: Final = 5
"""Facts and moves in a smallest set, at most."""
MOST_SETS: Final = (500, 2000)
"""Smallest sets of one output and size; where there are more all are left out. The second number
counts where some were, and no symmetry was found without them (turns of Pentago)."""
MANY: Final = -1
"""In place of a size: there are more sets than are listed."""
TRIES: Final = 6
"""Candidates that are put to the proof for each pair of facts."""
MOST_PICKS: Final = 24
"""Picks on the way to these."""
MOST_GENERATORS: Final = 16


@dataclass(frozen=True, slots=True)
class Symmetries:
    """Symmetries of a game.

    Attributes:
        generators: Renamings of members of the packing that were proved.
        moves: With each of them, for each role the image of each move.
        note: Why there are none or fewer than there may be, empty where nothing is to be said.
    """

    generators: tuple[Renaming, ...]
    moves: tuple[tuple[tuple[int, ...], ...], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be a symmetry.

    Attributes:
        facts: The image of each stored fact, by index.
        moves: For each role the image of each move.
    """

    facts: dict[int, int]
    moves: tuple[tuple[int, ...], ...]


def find_symmetries(
    circuit: GameCircuit,
    packing: Packing,
    counted: Sequence[bool] = (),
) -> Symmetries:
    """Return proved symmetries of a game.

    Args:
        circuit: The game.
        packing: How its states are written.
        counted: For each field whether it tells how far play is; such fields are kept apart.
    """
    if missing := [name for name in ("pysat", "scipy") if find_spec(name) is None]:
        needed = " and ".join(missing)
        how = "pip install 'gdl-framework[verify]'"
        return Symmetries((), note=f"no symmetry was looked for: a proof needs {needed} ({how})")
    from gdl.verify.solvers.budget import Budget, OutOfBudgetError

    budget, note = Budget(SECONDS, MEGABYTES, clock=time.thread_time), ""
    for most in MOST_SETS:
        search = _Search(circuit, packing, counted, budget, most)
        try:
            search.run()
        except OutOfBudgetError as spent:
            note = f"the search for symmetries ended early: {spent}"
        if search.proved or not search.has_more or note:
            break
    kept = tractable(search.proved, len(search.stored))
    if len(kept) < len(search.proved):
        note = f"{len(search.proved) - len(kept)} of {len(search.proved)} symmetries are not used:"
        note += " together they are too many"
    return Symmetries(tuple(kept), tuple(search.moves_of[symmetry] for symmetry in kept), note)


def places_of(packing: Packing) -> list[Place]:
    """Return the fields of a packing as a group takes them."""
    return [Place(f.start, f.is_exact, len(f.members)) for f in packing.fields]


class _Search:
    """Looks for generators: a base of facts, and for each what else may stand in its place.

    Things are the members of the packing, then the moves of each role.
    """

    def __init__(
        self,
        circuit: GameCircuit,
        packing: Packing,
        counted: Sequence[bool],
        budget: Budget,
        most: int,
    ) -> None:
        self.circuit, self.packing, self.budget = circuit, packing, budget
        self.most, self.has_more = most, False
        fields = zip(packing.fields, counted or [False] * len(packing.fields), strict=True)
        self.counted = [is_counted for field, is_counted in fields for _ in field.members]
        self.stored = [fact for field in packing.fields for fact in field.members]
        self.places = places_of(packing)
        sizes = map(len, circuit.moves[:-1])
        self.moves = list(accumulate(sizes, initial=len(self.stored)))
        self.proved: list[Renaming] = []
        self.moves_of: dict[Renaming, tuple[tuple[int, ...], ...]] = {}

    def run(self) -> None:
        """Fill ``proved``.

        Raises:
            OutOfBudgetError: Time ran out first; what is proved by then is proved.
        """
        kinds: list[Hashable] = [
            ("fact", fact in self.circuit.initial, is_counted)
            for fact, is_counted in zip(self.stored, self.counted, strict=True)
        ]
        kinds += (("move", role) for role, row in enumerate(self.circuit.moves) for _ in row)
        self.colouring = Colouring(kinds, self._relations())
        self._stabiliser(self.colouring.first)

    def _relations(self) -> list[tuple[Hashable, list[list[int]]]]:
        """Return what the outputs of the circuit depend on, and which facts make a group."""
        circuit, moves = self.circuit, self.moves
        number = {fact: i for i, fact in enumerate(self.stored)}
        thing_of: dict[int, list[int]] = {}
        for fact, thing in number.items():
            thing_of.setdefault(circuit.fact_inputs[fact] >> 1, []).append(thing)
        for first, row in zip(moves, circuit.move_inputs, strict=True):
            for thing, edge in enumerate(row, first):
                thing_of.setdefault(edge >> 1, []).append(thing)
        relations: list[tuple[Hashable, list[list[int]]]] = []
        for label, owner, edge in self._outputs(number):
            for size, nodes in meanings(circuit.aig, edge, self.budget, self.most):
                self.has_more |= size == MANY
                held = [thing for node in nodes for thing in thing_of.get(node, ())]
                relations.append(((label, size), [owner, held]))
        first = 0
        for place in self.places:
            members = list(range(first, first + place.size))
            relations.append((("field", place.is_exact), [members]))
            first += place.size
        return relations

    def _outputs(self, number: dict[int, int]) -> Iterator[tuple[Hashable, list[int], Lit]]:
        circuit = self.circuit
        for fact, thing in number.items():
            yield "next", [thing], circuit.next[fact]
        for first, row in zip(self.moves, circuit.legal, strict=True):
            for move, edge in enumerate(row):
                yield "legal", [first + move], edge
        yield "terminal", [], circuit.terminal
        for role, pairs in enumerate(circuit.goals):
            for value, edge in pairs:
                yield ("goal", role, value), [], edge

    def _stabiliser(self, colours: Colours) -> list[Renaming]:
        """Find generators of what keeps colours, those that keep the next pick as well first.

        Kept (Schreier and Sims): what is found below a pick leaves it where it is, so with one
        renaming for each other thing of its orbit all that keep the colours are generated.
        """
        self.budget.check()
        (colours,) = self.colouring.stable(colours)
        cells = self.colouring.cells(colours, range(len(self.stored)))
        if not cells:
            return []
        pick, *others = cells[0]
        picked = self.colouring.pick(colours, pick)
        generators = self._stabiliser(picked)
        failed: set[int] = set()
        for other in others:
            if len(self.proved) >= MOST_GENERATORS or other in _orbit(pick, generators):
                continue
            if failed & _orbit(other, generators):  # else one to ``other`` would lead there as well
                continue
            renaming = self._proved_between(picked, self.colouring.pick(colours, other))
            if renaming is None:
                failed.add(other)
            else:
                generators.append(renaming)
                self.proved.append(renaming)
        return generators

    def _proved_between(self, left: Colours, right: Colours) -> Renaming | None:
        """Return a symmetry that takes colours to colours, None where none was found."""
        maps = self.colouring.maps(left, right, MOST_PICKS, self.budget.check)
        for tried, images in enumerate(maps, 1):
            renaming = tuple(images[: len(self.stored)].tolist())
            candidate = Candidate(
                {fact: self.stored[i] for fact, i in zip(self.stored, renaming, strict=True)},
                tuple(
                    tuple((images[first : first + len(row)] - first).tolist())
                    for first, row in zip(self.moves, self.circuit.moves, strict=True)
                ),
            )
            if (
                keeps_fields(renaming, self.places)
                and all(self.counted[i] == self.counted[j] for i, j in enumerate(renaming))
                and is_symmetry(self.circuit, self.packing, candidate, self.budget)
            ):
                self.moves_of[renaming] = candidate.moves
                return renaming
            if tried == TRIES:
                break
        return None


def _orbit(thing: int, generators: Sequence[Renaming]) -> set[int]:
    """Return what generators may take a thing to."""
    orbit, stack = {thing}, [thing]
    while stack:
        member = stack.pop()
        fresh = {generator[member] for generator in generators} - orbit
        orbit |= fresh
        stack += fresh
    return orbit


def meanings(
    aig: Aig, edge: Lit, budget: Budget, most: int = MOST_SETS[0]
) -> Iterator[tuple[int, list[int]]]:
    """Yield what tells outputs apart, however their gates were made, as input nodes.

    First all that the edge depends on, as size 0; then the smallest sets of inputs that make it
    true when no other holds, by rising size up to `MAX_SIZE`. Where there are more than ``most`` of
    one size it ends with none, as size `MANY`.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    from gdl.verify.solvers.cardinality import reached
    from gdl.verify.solvers.sat import Solver

    nodes = sorted(support(aig, [edge]))
    yield 0, nodes
    if not nodes:
        return
    solver = Solver(aig, budget)
    try:
        solver.add([solver.lit(edge)])
        literals = [solver.lit(2 * node) for node in nodes]
        row = reached(solver, literals, MAX_SIZE + 1)
        # No set that contains one that was found is found again: each has no part that will do.
        for size in range(1, min(MAX_SIZE, len(nodes)) + 1):
            implicants: list[list[int]] = []
            assumed = [-row[size]] if size < len(row) else []
            while len(implicants) <= most and solver.solve(assumed):
                held = [i for i, literal in enumerate(literals) if solver.value(literal)]
                if not held:  # true of nothing: there are no smallest sets
                    return
                implicants.append([nodes[i] for i in held])
                solver.add([-literals[i] for i in held])
            if len(implicants) > most:
                yield MANY, []
                return
            for held in implicants:
                yield size, held
    finally:
        solver.close()


def is_symmetry(
    circuit: GameCircuit, packing: Packing, candidate: Candidate, budget: Budget
) -> bool:
    """Return whether a renaming was proved to leave a game as it is.

    Args:
        circuit: The game.
        packing: Of its states; the renaming takes its groups to groups.
        candidate: The renaming.
        budget: Of time.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    from gdl.verify.solvers.sat import Solver, at_most_one

    stored = {fact for field in packing.fields for fact in field.members}
    first = circuit.initial & stored
    if {candidate.facts[fact] for fact in first} != first:
        return False
    step = _two_steps(circuit, candidate)
    if step is None:
        return False
    # What may hold in a state: the groups of the packing, and what the compiler proved of all
    # states that play reaches; a role makes one move.
    solver = Solver(step.aig, budget)
    try:
        groups = [(field.members, field.is_exact) for field in packing.fields]
        for members, is_exact in (*groups, *(circuit.assumed or ())):
            if stored.issuperset(members):
                held = [solver.lit(step.facts[fact]) for fact in members]
                at_most_one(solver, held)
                if is_exact:
                    solver.add(held)
        if any(solver.solve([solver.lit(edge)]) for edge in step.differ if edge != FALSE):
            return False
        for row in step.moves:
            chosen = [solver.lit(edge) for edge in row]
            at_most_one(solver, chosen)
            solver.add(chosen)
        solver.add([solver.lit(step.is_play)])
        return not any(solver.solve([solver.lit(edge)]) for edge in step.follow if edge != FALSE)
    finally:
        solver.close()


@dataclass(frozen=True, slots=True)
class _TwoSteps:
    """A state and its image, a joint move and its image, and where the game tells them apart.

    Attributes:
        aig: The graph.
        facts: Edge of each stored fact of the state.
        moves: Edge of each move of each role.
        is_play: The game goes on, and the joint move is legal.
        differ: The end, goals or legal moves differ; facts only.
        follow: A fact differs that follows.
    """

    aig: Aig
    facts: dict[int, Lit]
    moves: list[list[Lit]]
    is_play: Lit
    differ: list[Lit]
    follow: list[Lit]


def _two_steps(circuit: GameCircuit, candidate: Candidate) -> _TwoSteps | None:
    """Return both steps; None where one input would have to become several, or is a gate."""
    aig = Aig()
    edge_of: dict[int, Lit] = {}

    def fresh(node: int) -> Lit:
        if node not in edge_of:
            edge_of[node] = aig.add_input()
        return edge_of[node]

    inputs = circuit.fact_inputs
    pairs = [(inputs[fact], inputs[image]) for fact, image in candidate.facts.items()]
    for row, image_row in zip(circuit.move_inputs, candidate.moves, strict=True):
        pairs += [(edge, row[image]) for edge, image in zip(row, image_row, strict=True)]
    # What the image of a state holds where the state holds an input's fact.
    images: dict[int, Lit] = {}
    for edge, image in pairs:
        if images.setdefault(image >> 1, fresh(edge >> 1)) != fresh(edge >> 1):
            return None
    facts = {fact: fresh(inputs[fact] >> 1) for fact in candidate.facts}
    moves = [[fresh(edge >> 1) for edge in row] for row in circuit.move_inputs]
    left, right = Copier(aig, circuit.aig, edge_of), Copier(aig, circuit.aig, images)
    over = left.edge(circuit.terminal)
    differ = [xor(aig, over, right.edge(circuit.terminal))]
    for _, edge in chain.from_iterable(circuit.goals):
        differ.append(aig.conj(over, xor(aig, left.edge(edge), right.edge(edge))))
    allowed: list[Lit] = []
    for role, legal in enumerate(circuit.legal):
        mine = [left.edge(edge) for edge in legal]
        for move, image in enumerate(candidate.moves[role]):
            is_other = xor(aig, mine[move], right.edge(legal[image]))
            differ.append(aig.conj(negate(over), is_other))
        chosen = (aig.conj(a, b) for a, b in zip(mine, moves[role], strict=True))
        allowed.append(disj_all(aig, chosen))
    follow = [
        xor(aig, left.edge(circuit.next[fact]), right.edge(circuit.next[image]))
        for fact, image in candidate.facts.items()
    ]
    return _TwoSteps(aig, facts, moves, conj_all(aig, [negate(over), *allowed]), differ, follow)
