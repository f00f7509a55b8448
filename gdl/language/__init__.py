"""Text to rules and back: everything that can be said of a rule file without playing it."""
