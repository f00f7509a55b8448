"""Deep networks learned from games of their own trees (AlphaZero), by JAX.

`gdl.play.deep` plays by them, without JAX.

What stands where:

- `layout`: what a network of a game sees and tells, how large it is, and symmetries of the rules
- `positions`: rows of positions that are learned from, and the window of the last ones
- `self_play`: many games side by side, a move in each at a time
- `learner`: weights and steps, in JAX; `training`: the loop, checkpoints, refusals
"""
