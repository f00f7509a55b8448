"""Text to rules and back: everything that can be said of a rule file without playing it.

What stands where:

- the values: `source` (texts and places), `terms`, `syntax` (formulas, rules, descriptions),
  `keywords`, `limits`
- text to syntax: `parse` is the entrance; `parse_kif`, `parse_kif_scan`, `parse_hrf`,
  `parse_hrf_scan`, `parse_scan`, `parse_forms`, `parse_problems`, `parse_budget`
- syntax to text: `render` and `format` are the entrances; `render_notation`, `render_kif`,
  `render_hrf`, `render_layout`, `render_comments`
- what is wrong: `check` is the entrance; `diagnostics`, `arguments` (of
  public functions), `explanations`, `words`
- what follows from the text alone: `checked` is the entrance; `clauses` (clausal form),
  `dependencies` and `layers` (strata), `orders` (when a condition can be asked), `refusals`
- what all of them ask: `graphs`, `unify`, `matching`, `walk`
"""
