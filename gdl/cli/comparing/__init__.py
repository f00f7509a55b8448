"""Commands that compare and prove.

What stands where:

- `diff`, `verify`
- `conform`: rulesets against the hand-written `engines`
"""
