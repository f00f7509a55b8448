"""The kernel: states side by side, what is legal in each, what follows, what it is worth.

What stands where:

- `kernel` is the entrance; `graphs` (its two), `layout` (its memory), `assembly`
- `packed` (states as short keys, for solvers)
- what stands on it: `state_machine` (one state at a time, through `one_lane`), `children` (what
  follows from several moves of one state), `batch` (arrays), `sample` (random legal moves), `perft`
"""
