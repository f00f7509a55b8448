"""Transition systems to ask questions about: one game, or two side by side.

What stands where:

- `system`, `product` (two games, one play) by a `matching` of roles and moves, `transition` (a
  step as logic), `cofactor` (a step with the choice fixed), `step_counter`, `state_space`
  (and, of many states, `wide_space`)
- `nearness`: how near states are to a condition
- played at random: `sampling` on `bit_parallel` (numpy), `compiled_simulation` (machine code)
"""
