"""Ground rules to gates, and the gates made few.

What stands where:

- ground rules to gates: `completion`, `recursion`, `game_network`, `network`, `base_and_input`
  (whether ``base`` and ``input`` can be trusted)
- making them few: `simplify` is the entrance; `implications` (what inputs say of each other),
  `mutex_groups` (facts of which one holds), `cut_proofs`, `rewrite`
- `two_input_trees`: wide gates as gates of two inputs
"""
