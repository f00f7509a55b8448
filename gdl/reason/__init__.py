"""Rules compiled to Python: semi-naive evaluation of what is asked, the fast way without extras.

What it must agree with is `gdl.meaning`, the definition.

What stands where:

- the state machine: `machine` is the entrance; `situation` (what holds in a state), `watch`
  (limits)
- rules made ready: `program`, `safety`, `towers`
- how a rule is evaluated: `plan`, `order` and `estimates` (in which order its conditions are met),
  `emit`, `write` and `text` (the functions that do it), `tables`
- why something holds or not: `why` is the entrance; `prove`, `refute`, `solve`, `explanation`,
  `draw`
"""
