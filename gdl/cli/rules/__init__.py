"""Commands about rule files.

What stands where:

- `check` and `explain`, `test`, `fmt`, `convert`, `flatten`
- `lsp` (all this in an editor)
- `show` (a game on one page), `rulesets` (what can be named)
"""
