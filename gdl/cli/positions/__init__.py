"""Commands about one position, and how it is shown.

What stands where:

- `legal`, `why`, `prospects`
- `position` (from the words of the command line), `picture`, `moves`, `outcome`, `explanation`
"""
