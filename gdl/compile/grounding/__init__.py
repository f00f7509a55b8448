"""Grounding: a logic program in, atoms and rules without variables out.

What stands where:

- `ground_game` is the entrance; `grounder` (a process of its own runs it), `aspif` (what it prints)
- `explosion`: which rule had too many instances
"""
