"""States as short keys, and all that a solver asks of them, hundreds at a time.

Of some groups of facts at most, or exactly, one holds: what is on a square, who is to move. A
`Packing` writes each group as the number of its member, so that a state becomes a key of a few
words. In go a `GameCircuit` and a packing; out comes `PackedCode`: ``read`` turns bit planes of
keys into facts, ``observe`` says what is legal, and ``follow`` computes the keys of the states
after a joint move, facts untouched, so that the next move can be tried at once.

Nothing is taken for granted of a group: ``follow`` also says of each lane whether the state after
the move breaks one (`PackedMemory.unfit`). Who looks at that for every state that is reached has
proved the packing for all of them.

Source: Edelkamp, Helmert, "Exhibiting Implications in Planning Problems to Minimize State
Encoding Length", ECP 1999.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import FALSE, Aig, Lit, negate
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import at_least_two, conj_all, disj_all
from gdl.native.code import llvm as engine
from gdl.native.code.emit import emit_graph
from gdl.native.code.ir import Target
from gdl.native.code.schedule import Root, schedule
from gdl.native.code.target import declarations
from gdl.native.kernel.graphs import lay_out_kernel, observation
from gdl.native.kernel.kernel import WORD
from gdl.native.kernel.layout import KernelLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Field:
    """One group of facts in a key.

    Attributes:
        members: The facts, by index. Where none holds the number is 0 and theirs are from 1 on;
            in an exact group theirs are from 0 on.
        is_exact: Whether one of them always holds; else at most one does.
        start: Its lowest bit in the key.
    """

    members: tuple[int, ...]
    is_exact: bool
    start: int = 0

    @property
    def width(self) -> int:
        """Its bits."""
        return (len(self.members) - self.is_exact).bit_length()

    def number(self, member: int) -> int:
        """Return what stands for a member, by its place in ``members``."""
        return member + (not self.is_exact)


@dataclass(frozen=True, slots=True)
class Packing:
    """How a state is written as a key.

    Attributes:
        fields: The groups; together they hold every fact that is stored, each once.
    """

    fields: tuple[Field, ...]

    @property
    def words(self) -> int:
        """Words of a key, at least one."""
        top = max((field.start + field.width for field in self.fields), default=1)
        return max(1, -(-top // WORD))

    @property
    def bits(self) -> int:
        """Bits that mean anything."""
        return sum(field.width for field in self.fields)

    def fits(self, held: AbstractSet[int]) -> bool:
        """Return whether every group holds in a state."""
        counts = (sum(fact in held for fact in field.members) for field in self.fields)
        return all(field.is_exact <= n <= 1 for field, n in zip(self.fields, counts, strict=True))

    def key(self, held: AbstractSet[int]) -> tuple[int, ...]:
        """Return the key of a state.

        Raises:
            ValueError: A group does not hold in it.
        """
        if not self.fits(held):
            raise ValueError(held)
        total = 0
        for field in self.fields:
            here = [place for place, fact in enumerate(field.members) if fact in held]
            if here:
                total |= field.number(here[0]) << field.start
        return tuple(total >> WORD * i & (1 << WORD) - 1 for i in range(self.words))

    def facts(self, key: Sequence[int]) -> frozenset[int]:
        """Return the facts of a key, by index."""
        total = sum(int(word) << WORD * i for i, word in enumerate(key))
        held = set()
        for field in self.fields:
            number = total >> field.start & (1 << field.width) - 1
            place = number - (not field.is_exact)
            if place >= 0:
                held.add(field.members[place])
        return frozenset(held)


def place_fields(fields: Iterable[Field]) -> Packing:
    """Return a packing in which no field lies across two words."""
    placed: list[Field] = []
    at = 0
    for field in fields:
        if at // WORD != (at + max(field.width, 1) - 1) // WORD:
            at = -(-at // WORD) * WORD
        placed.append(replace(field, start=at))
        at += field.width
    return Packing(tuple(placed))


@dataclass(frozen=True, slots=True)
class PackedCode:
    """Object code of one game and one packing, for one width of vectors.

    Attributes:
        code: The object code.
        width: Lanes of one vector.
        layout: Where facts, moves and what is seen of a state lie.
        packing: How states are written.
        before: First slot of the key planes that are read.
        after: Likewise of those of the state that follows.
        unfit: Slot of the lanes in which that state breaks a group.
        moves: How many each role has.
        goals: Goal values of each role, rising.
    """

    code: bytes
    width: int
    layout: KernelLayout
    packing: Packing
    before: int
    after: int
    unfit: int
    moves: tuple[int, ...]
    goals: tuple[tuple[int, ...], ...]


def compile_packed(circuit: GameCircuit, packing: Packing, *, target: Target) -> PackedCode:
    """Return the code. Cost as that of a kernel."""
    from gdl._gc_pause import collector_paused

    with collector_paused():
        layout, free = lay_out_kernel(circuit)
        planes = packing.words * WORD
        before, after, unfit = free, free + planes, free + 2 * planes
        free = unfit + 1
        texts = [declarations(target)]
        slots = free
        for name, (aig, inputs, roots) in (
            ("read", _reading(layout, packing, before)),
            ("observe", observation(circuit, layout)),
            ("follow", _following(circuit, layout, packing, after, unfit)),
        ):
            planned = schedule(aig, inputs, [roots], free)
            texts.append(emit_graph(target, planned, name))
            slots = max(slots, planned.slots)
        code = engine.assemble("\n".join(texts))
    return PackedCode(
        code,
        target.width,
        layout._replace(slots=slots),
        packing,
        before,
        after,
        unfit,
        tuple(map(len, circuit.moves)),
        tuple(tuple(value for value, _ in pairs) for pairs in circuit.goals),
    )


def _reading(
    layout: KernelLayout, packing: Packing, before: int
) -> tuple[Aig, dict[int, int], list[Root]]:
    """Return facts from key planes."""
    aig = Aig()
    slots: dict[int, int] = {}
    roots: list[Root] = []
    for field in packing.fields:
        bits = [aig.add_input() for _ in range(field.width)]
        for slot, edge in enumerate(bits, before + field.start):
            slots[edge >> 1] = slot
        for place, fact in enumerate(field.members):
            number = field.number(place)
            held = conj_all(aig, [edge ^ (not number >> bit & 1) for bit, edge in enumerate(bits)])
            roots.append(Root(held, layout.facts + fact))
    return aig, slots, roots


def _following(
    circuit: GameCircuit, layout: KernelLayout, packing: Packing, after: int, unfit: int
) -> tuple[Aig, dict[int, int], list[Root]]:
    """Return key planes of the state after the moves, and whether it breaks a group."""
    aig = Aig()
    values: dict[int, Lit] = {}
    slots: dict[int, int] = {}

    def read(edge: Lit, slot: int) -> None:
        values[edge >> 1] = aig.add_input()
        slots[values[edge >> 1] >> 1] = slot

    for fact, edge in enumerate(circuit.fact_inputs):
        read(edge, layout.facts + fact)
    for role, edges in enumerate(circuit.move_inputs):
        for i, edge in enumerate(edges):
            read(edge, layout.moves[role] + i)
    copier = Copier(aig, circuit.aig, values)
    roots: list[Root] = []
    broken: list[Lit] = []
    for field in packing.fields:
        held = [copier.edge(circuit.next[fact]) for fact in field.members]
        for bit in range(field.width):
            ones = [e for place, e in enumerate(held) if field.number(place) >> bit & 1]
            roots.append(Root(disj_all(aig, ones), after + field.start + bit))
        broken.append(at_least_two(aig, held) if len(held) > 1 else FALSE)
        if field.is_exact:
            broken.append(negate(disj_all(aig, held)))
    roots.append(Root(disj_all(aig, broken), unfit))
    return aig, slots, roots


class PackedMemory:
    """Code that is ready to run, and one vector of states as arrays; W words in a vector.

    Attributes:
        compiled: The code.
        at: Address of the memory, which the functions take.
        before: Planes of the keys to read, ``uint64[bits, W]``.
        after: Planes of the keys that follow, likewise.
        unfit: Lanes in which what follows breaks a group, ``uint64[W]``.
        moves: The move chosen of each role, ``uint64[moves, W]``; roles one after the other.
        legal: Likewise, whether it is legal.
        first: First row of each role in these two, and the end.
        terminal: Whether the game is over, ``uint64[W]``.
        goals: Goal values of each role, ``uint64[values, W]``.
        first_goal: First row of each role in it, and the end.
    """

    def __init__(self, compiled: PackedCode) -> None:
        """Load the code and take memory."""
        import numpy as np

        from gdl.native.code.memory import aligned

        self.compiled = compiled
        self._code = engine.Code(compiled.code)
        layout, words = compiled.layout, compiled.width // WORD
        self._slots = aligned(layout.slots * words * 8).view(np.uint64).reshape(-1, words)
        self.at: Final = self._slots.ctypes.data
        planes = compiled.packing.words * WORD
        self.before: Final = self._rows(compiled.before, planes)
        self.after: Final = self._rows(compiled.after, planes)
        self.unfit: Final = self._slots[compiled.unfit]
        self.first: Final = np.cumsum([0, *compiled.moves]).astype(np.int64)
        self.moves: Final = self._rows(layout.moves[0], int(self.first[-1]))
        self.legal: Final = self._rows(layout.legal[0], int(self.first[-1]))
        self.terminal: Final = self._slots[layout.terminal]
        self.first_goal: Final = np.cumsum([0, *map(len, compiled.goals)]).astype(np.int64)
        self.goals: Final = self._rows(layout.goals, int(self.first_goal[-1]))

    def _rows(self, slot: int, count: int) -> Words:
        return self._slots[slot : slot + count]

    @cached_property
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of ``read``, ``observe`` and ``follow``."""
        read, observe, follow = map(self._code.address, ("read", "observe", "follow"))
        return read, observe, follow
