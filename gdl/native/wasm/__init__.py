"""Games as WebAssembly: playouts and one game by hand, wherever a page or a node runs.

`module` makes one file of a game, from the same lists of gates as machine code; `link` makes of
LLVM's object code a module that can be begun.
"""
