"""Scalar: one game at a time, for search, driven by what changes.

What stands where:

- `game` is the entrance; `events.ll` is the machine code, `abi` declares what it shares with
  Python
- the tables it reads: `events`, `effects` (of each move), `gate_blocks` (counted gates),
  `two_level` (factored sums written out)
"""
