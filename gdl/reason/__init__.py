"""Rules compiled to Python: semi-naive evaluation of what is asked, the fast way without extras.

What it must agree with is `gdl.meaning`, the definition.

What stands where:

- the state machine: `machine` is the entrance; `model` (all that holds in a state), `meter` (what
  evaluation costs, against the limits)
- rules made ready: `program`, `safety`, `materialize` (what is evaluated whole, not on demand)
- how a rule is evaluated: `plan`, `join_order` and `estimates` (in which order its conditions are
  met), `compiler`, `codegen` and `function_text` (the functions that do it), `tables`
- what a fact of a state may be: `possible_facts`
- why something holds or not: `why` is the entrance; `prove`, `refute`, `needed` (what every way to
  a move needs), `backtracking`, `explanation`, `headline` (its first line)
"""
