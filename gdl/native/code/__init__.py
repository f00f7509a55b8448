"""Gates to machine code, whatever they compute: what kernel, lanes and scalar share.

What stands where:

- which operations: `cover` and `formulas` (of three inputs), `schedule` (where values live)
- assembly text: `ir`, `emit`, `gate_list` (very large circuits as data)
- to memory: `llvm`, `elf_loader` (object code run without LLVM), `target` (the processor),
  `memory`
- `gather`: bits of one row to bytes by a table; `seed_sequence`: random state from a seed
"""
