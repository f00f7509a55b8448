"""What is wrong with a description: one idea a module.

What stands where:

- `check` runs all of them on what a `survey` has gathered; `explanations` says at length what each
  kind of problem means; `incremental` keeps what is said of rules that an edit did not touch
- what must be there: `required`, `roles`, `moves`, `goals`, `fluents`, `state_dependence`
- what would have no meaning: `negation`, `recursion`, `safety`, `arity`, `keywords`
- what is probably not meant: `names`, `usage`, `variables`, `style`, `possible` (what can ever
  hold), `forgotten` (a move for who waits, what keeps the board, an end that loses, a link)
"""
