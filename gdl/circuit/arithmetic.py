"""Binary numbers over a graph: constants, sums and differences.

Source: Knuth, "The Art of Computer Programming" 4A, section 7.1.2 (adders).
"""

from __future__ import annotations

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.logic import majority, xor

Number = tuple[Lit, ...]
"""Edges, the lowest bit first."""


def constant(value: int) -> Number:
    """Return a constant without leading zeros."""
    return tuple(TRUE if value >> bit & 1 else FALSE for bit in range(value.bit_length()))


def add(aig: Aig, a: Number, b: Number, carry: Lit = FALSE) -> Number:
    """Return the sum of two numbers and a carry, one bit longer than the longer one."""
    width = max(len(a), len(b))
    a += (FALSE,) * (width - len(a))
    b += (FALSE,) * (width - len(b))
    bits = []
    for x, y in zip(a, b, strict=True):
        # The sum and the carry share two gates: those of "both" and "none" of the digits.
        both, none = aig.conj(x, y), aig.conj(x ^ 1, y ^ 1)
        bits.append(xor(aig, aig.conj(both ^ 1, none ^ 1), carry))
        carry = aig.conj(both ^ 1, aig.conj(carry, none ^ 1) ^ 1) ^ 1
    return (*bits, carry)


def subtract(aig: Aig, a: Number, b: Number) -> tuple[Number, Lit]:
    """Return ``a - b`` in the width of ``a``, and whether it is negative."""
    b += (FALSE,) * (len(a) - len(b))
    bits = []
    borrow = FALSE
    for x, y in zip(a, b, strict=True):
        bits.append(xor(aig, xor(aig, x, y), borrow))
        borrow = majority(aig, negate(x), y, borrow)
    return tuple(bits), borrow
