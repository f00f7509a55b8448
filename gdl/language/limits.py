"""Limits for rule files that nobody has vouched for.

Every stage that could be made to run away (reading, checking, deriving) takes a
`Limits` and raises `LimitError` naming the limit that was met and how to raise it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a rule file may ask for. All can be set; the defaults suit real games.

    The largest of 366 published games has 70,000 bytes. Reading a text as large as the
    default allows takes at most half a gigabyte of memory.

    Attributes:
        bytes: Size of one source text, in bytes.
        symbol_length: Longest symbol, in characters.
        depth: Deepest nesting of brackets or terms.
        rule_length: Longest rule, in characters.
        rules: Number of rules in a description, after ``or`` is split up.
        facts: Number of facts derived for one state, and of facts that never change.
        term_depth: Deepest term that a rule may derive.
        seconds: Time for reading and checking one text, and for deriving one state, in seconds.
    """

    bytes: int = 4_000_000
    symbol_length: int = 1_000
    depth: int = 200
    rule_length: int = 1_000_000
    rules: int = 200_000
    facts: int = 5_000_000
    term_depth: int = 100
    seconds: float = 60.0


DEFAULT_LIMITS = Limits()
