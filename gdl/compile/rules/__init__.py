"""Rules made fit for the grounder: clauses in, clauses out, until they are a logic program.

What stands where:

- `specialise` (what is asked when), `constant_facts` (facts that never change), `magic_sets`
  (relations on demand), `indifferent_arguments` (those that are not looked at; `argument_kinds`),
  `decision_diagrams` (wide conditions as tables), `unfold` and `rule_decomposition` (joins kept
  small), `safety`; `literals`, `fresh_names` (of new relations)
- `logic_program` (covers all reachable states), `grounder_names` (names on the way to the
  grounder and back)
"""
