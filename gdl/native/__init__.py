"""Circuits to machine code through LLVM: one game at a time, or hundreds in one word."""
