"""Rules made fit for the grounder: clauses in, clauses out, until they are a logic program.

What stands where:

- `specialise` (what is asked when), `constant_facts` (facts that never change), `magic_sets`
  (relations on demand), `indifferent` (arguments that are not looked at; `argument_kinds`),
  `decision_diagrams` (wide conditions as tables), `unfold` and `rule_decomposition` (joins kept
  small), `safety`; `literals`, `made_names`
- `program` (the logic program that covers all reachable states), `names` (on the way to the
  grounder and back)
"""
