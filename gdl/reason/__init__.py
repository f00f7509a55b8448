"""The meaning of rules: plain, stratified, semi-naive evaluation, the definition for all else.

What stands where:

- the state machine: `machine` is the entrance; `situation` (what holds in a state), `watch`
  (limits)
- rules made ready: `program`, `safety`, `unsafe`, `towers`
- how a rule is evaluated: `plan`, `order` and `estimates` (in which order its conditions are met),
  `emit`, `write` and `text` (the functions that do it), `tables`
- why something holds or not: `why` is the entrance; `prove`, `refute`, `solve`, `matching`,
  `explanation`, `draw`
"""
