"""The command line: words and pictures for people. Nothing below knows of it.

What stands where:

- `main` lists the commands, `guard` turns failures into words, `interrupts` keeps Ctrl-C,
  `welcome` is ``gdl`` alone
- a module a command: `bench`, `cache`, `check`, `conform`, `convert`, `demo`, `diff`, `explain`,
  `flatten`, `fmt`, `ggp_match`, `ggp_player`, `legal`, `perft`, `play`, `replay`, `rulesets`,
  `serve`, `show`, `simulate`, `tournament`, `verify`, `why`
- what commands are told: `options`, `targets` (files and rulesets), `position`, `engines` (what
  rule files are held against)
- a game at the terminal: `session`, `dialogue`, `prompt`, `opponents`, `steps`, `moves`, `outcome`,
  `picture`, `explanation`
- how things look: `console`, `output`, `table`, `progress`, `ticker`
"""
