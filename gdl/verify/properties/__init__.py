"""What a game must have, and how each property is decided.

What stands where:

- `examination` is the entrance: one game, all that is asked of it, in order
- what is asked: `well_formed`, `custom` (a user's own) with `monitors`, `cover_points` and `firing`
  (what has to be possible) with `coverage`
- how: `decide` makes a `verdict`, `witness` (a play is replayed by the definition);
  `second_opinion` asks another program beside it
- does every play end: `termination` by `ranking`, `monotone_facts`, `loops`, `habits`
"""
