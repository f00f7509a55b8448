"""Commands about rule files.

What stands where:

- `check` with `explain` and `sarif` (its log for services of code review)
- `test`, `fmt`, `convert`, `flatten`
- `lsp` (all this in an editor)
- `show` (a game on one page), `rulesets` (what can be named)
"""
