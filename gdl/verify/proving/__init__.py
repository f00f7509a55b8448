"""A system from random plays to a proof: the stages of every question.

What stands where:

- `prove` is the entrance: all stages in a row; `portfolio`: engines that take turns at a question
- `equalities`: signals that are equal; `pdr`: clauses that keep play away from what is bad;
  `inductive_check` asks once more what either says; `k_induction`: after several states that are
  not bad; `berkeley_abc`: another program, whose answer is checked here
- `search` (bounded, then induction) on `unroll` (plays of a fixed length), `breadth_first` (all
  states); `free_path`: some moves in a row from any state
- `evidence`: what a proof rests on, for those who check it; `validity_core`: the least
  that an induction needs
- what is known of reachable states: `invariants`, `frames` (in so many plies), `successors`
  (after a move), `balances` (counts that never change, guessed by `balance_guesses`)
"""
