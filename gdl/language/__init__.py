"""Text to rules and back: everything that can be said of a rule file without playing it.

Text becomes rules in ``parse/``, rules become text in ``render/``, and what is wrong with them is
said in ``checks/``. What stands where, besides these:

- the values: `source` (texts and places), `files` (where texts come from), `terms`, `syntax`
  (formulas, rules, descriptions), `keywords`, `limits`
- what is wrong: `diagnostics`, `preconditions` (of public functions), `packages` (that are
  missing), `words` of messages, `spelling` (names that were perhaps meant)
- what follows from the text alone: `checked` is the entrance; `clauses` (clausal form),
  `dependencies` and `strata`, `condition_order` (when a condition can be asked), `refusals`
- for notebooks: `html`
- what all of them ask: `graphs`, `unify`, `matching`, `walk`
- terms with holes, as manifests write them: `template`
"""
