"""Circuits to machine code through LLVM: one game at a time, or hundreds in one word.

What stands where:

- a compiled game: `game` is the entrance; `image` (object code loaded without
  LLVM), `engine` (LLVM), `target` (the processor), `memory`, `views` (its parts by name)
- lanes, playouts of hundreds of games: `lanes`, `layout`, `step` (one
  ply as logic), `choose` and `draw` (a uniform choice), `chance`, `loop`, `tally` (counts ends),
  `lane_text`
- the kernel, states side by side: `kernel`, `kernel_layout`, `kernel_logic`, `kernel_text`,
  `one_lane`; on it `machine` (one state at a time), `batch` (arrays), `sample`, `perft`
- scalar, one game for search: `scalar`, `events` (only what changes), `record` (what `events.ll`
  reads), `effects`, `blocks`, `sums` (factored logic written out)
- gates to code, for all of them: `cover` and `formulas` (operations of three inputs),
  `schedule`, `emit`, `ir`, `gate_list` (very large circuits)
"""
