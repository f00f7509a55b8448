"""A thin writer of LLVM assembly for functions over vectors of lanes.

In go calls such as ``f.load(slot)``; out comes text. Only what the generator needs.

Source: LLVM language reference.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from gdl.native.code.cover import ARITY, COLUMNS, ONES
from gdl.native.code.formulas import Formula, formulas

Value: TypeAlias = str
"""Name or literal of an IR value."""

PAIR: Final = 2
WORD: Final = 64
"""Bits of one element of a vector."""


class Target(NamedTuple):
    """What code is made for.

    Attributes:
        width: Lanes of one vector, a multiple of 64.
        ternary: Whether there is a three-input instruction of this width.
        attributes: Attributes of every function.
    """

    width: int
    ternary: bool
    attributes: str = "nounwind"

    @property
    def elements(self) -> int:
        """Words of one vector."""
        return self.width // WORD

    @property
    def vector(self) -> str:
        """Type of a vector."""
        return f"<{self.elements} x i64>"

    @property
    def bytes(self) -> int:
        """Size of a vector."""
        return self.width // 8

    def splat(self, value: int) -> Value:
        """Return a constant vector of one word."""
        if value == 0:
            return "zeroinitializer"
        return "<" + ", ".join([f"i64 {value}"] * self.elements) + ">"

    @property
    def ones(self) -> Value:
        """All lanes."""
        return self.splat(-1)


class Function:
    """The body of one function whose first argument ``%m`` is the memory of the lanes."""

    def __init__(  # the parts of a head
        self,
        target: Target,
        name: str,
        arguments: str = "",
        result: str = "void",
        *,
        exported: bool = False,
    ) -> None:
        """Begin a function; `arguments` are those after the memory."""
        self.target = target
        self.name = name
        linkage = "" if exported else "internal "
        taken = f"ptr noalias %m, {arguments}" if arguments else "ptr noalias %m"
        self._head = f"define {linkage}{result} @{name}({taken}) {target.attributes} {{"
        self._lines: list[str] = ["entry:"]
        self._count = 0

    def text(self) -> str:
        """Return the function as assembly."""
        return "\n".join([self._head, *self._lines, "}", ""])

    def line(self, text: str) -> None:
        """Add one line as it is."""
        self._lines.append(text)

    def let(self, text: str) -> Value:
        """Add an instruction and return the name of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"{name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Begin a block."""
        self._lines.append(f"{name}:")

    def address(self, slot: int | Value) -> Value:
        """Return the address of a slot."""
        return self.let(f"getelementptr inbounds {self.target.vector}, ptr %m, i64 {slot}")

    def load(self, slot: int | Value) -> Value:
        """Read a slot."""
        address = self.address(slot)
        return self.let(f"load {self.target.vector}, ptr {address}, align {self.target.bytes}")

    def store(self, value: Value, slot: int | Value) -> None:
        """Write a slot."""
        address = self.address(slot)
        self.line(f"store {self.target.vector} {value}, ptr {address}, align {self.target.bytes}")

    def counter(self, counters: int, index: int) -> Value:
        """Return the address of one of the counters, words that begin at a byte offset."""
        return self.let(f"getelementptr inbounds i8, ptr %m, i64 {counters + WORD // 8 * index}")

    def conj(self, a: Value, b: Value) -> Value:
        """Return ``a & b``."""
        return self.let(f"and {self.target.vector} {a}, {b}")

    def disj(self, a: Value, b: Value) -> Value:
        """Return ``a | b``."""
        return self.let(f"or {self.target.vector} {a}, {b}")

    def xor(self, a: Value, b: Value) -> Value:
        """Return ``a ^ b``."""
        return self.let(f"xor {self.target.vector} {a}, {b}")

    def inverse(self, a: Value) -> Value:
        """Return ``~a``."""
        return self.xor(a, self.target.ones)

    def without(self, a: Value, b: Value) -> Value:
        """Return ``a & ~b``."""
        return self.conj(a, self.inverse(b))

    def blend(self, mask: Value, a: Value, b: Value) -> Value:
        """Return ``a`` where the mask is set, else ``b``."""
        return self.table(0b11001010, (b, a, mask))

    def count(self, a: Value) -> Value:
        """Return the number of set lanes of each word."""
        vector = self.target.vector
        return self.let(f"call {vector} @llvm.ctpop.v{self.target.elements}i64({vector} {a})")

    def sum(self, a: Value) -> Value:
        """Return the sum of the words."""
        vector = self.target.vector
        return self.let(
            f"call i64 @llvm.vector.reduce.add.v{self.target.elements}i64({vector} {a})"
        )

    def any(self, a: Value) -> Value:
        """Return whether any lane is set, as ``i1``."""
        n = self.target.elements
        lanes = self.let(f"icmp ne {self.target.vector} {a}, zeroinitializer")
        bits = self.let(f"bitcast <{n} x i1> {lanes} to i{n}")
        return self.let(f"icmp ne i{n} {bits}, 0")

    def table(self, table: int, operands: tuple[Value, ...]) -> Value:
        """Return the function of up to three values that a truth table says."""
        plain = _simple(table, len(operands))
        if plain is not None:
            return self.let(f"{plain} {self.target.vector} {operands[0]}, {operands[1]}")
        if not self.target.ternary or len(operands) < ARITY:
            return self._spell(formulas()[table], operands)
        bits = self.target.width
        vector = self.target.vector
        a, b, c = reversed(operands)
        return self.let(
            f"call {vector} @llvm.x86.avx512.pternlog.q.{bits}"
            f"({vector} {a}, {vector} {b}, {vector} {c}, i32 {table})"
        )

    def _spell(self, formula: Formula, operands: tuple[Value, ...]) -> Value:
        args = [self._spell(arg, operands) for arg in formula.args]
        match formula.operator:
            case "operand":
                return operands[formula.operand]
            case "zero":
                return "zeroinitializer"
            case "not":
                return self.inverse(args[0])
            case "andn":
                return self.without(args[0], args[1])
            case operator:
                return self.let(f"{operator} {self.target.vector} {args[0]}, {args[1]}")


def _simple(table: int, arity: int) -> str | None:
    """Return the instruction that a truth table of two operands is, None for the others."""
    a, b = COLUMNS[:2]
    names = {a & b: "and", a | b: "or", a ^ b: "xor"}
    return names.get(table & ONES) if arity == PAIR else None
