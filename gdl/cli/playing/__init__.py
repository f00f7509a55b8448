"""Commands that play.

What stands where:

- at the terminal: `play`, `replay`; a `session` asks people by `prompt` and `commands` and programs
  by `opponents`; `steps` goes through a log
- `tournament`, `evaluate`; over the network `serve`, `ggp_match`, `ggp_player`
"""
