"""Circuits to machine code through LLVM: one game at a time, or hundreds in one word.

`game` is the entrance: a compiled game, everything made when it is first asked for and kept on
disk. Below it ``lanes/`` (playouts of hundreds of games), ``kernel/`` (states side by side),
``scalar/`` (one game for search), ``wasm/`` (games for browsers), all by ``code/`` (gates to
machine code). `jit` has numba make machine code of functions, `jit_linking` how it links them;
what is `precompiled` was made so before, by `precompiled_linking`. `memory_views` hands the memory
of kernel and lanes to other rooms, as arrays by name; `bit_matrix` turns bits for those that loop
over both.
"""
