"""What all commands share.

What stands where:

- what they are told: `options`, `targets` (files and rulesets)
- what they say: `console`, `output`, `table`, `progress`, `ticker`
- how they end: `guard` turns failures into words, `interrupts` keeps Ctrl-C
"""
