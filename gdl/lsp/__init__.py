"""The language server: what an editor asks while somebody writes rules, answered by the house.

Texts come in as edits, answers go out as values of the Language Server Protocol 3.17. Nothing here
knows more of rules than the rooms below: problems are those of ``gdl check``, layout is that of
``gdl fmt``. What stands where:

- `positions` (offsets and places of the protocol), `documents` (open texts and their rules)
- `names` (every name in the rules and where it stands), `domains` (what a variable may be)
- `manifests` (the rulesets that a text is a part of), `parts` (the other files of these, and what
  follows from them together)
- `problems` (diagnostics and quick fixes), `navigation` (definition, references), `rename`
- `completion` (in rules), `toml_completion` (in manifests and tests), `hover`, `outline` (symbols,
  folding, colours), `hints` (of domains, and lenses)
- `unsaved` (what the edits change of the saved game, as a page), `comparing` (asks for it)
- `server` puts them together
"""
