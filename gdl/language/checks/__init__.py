"""The single checks that `gdl.language.check` runs, one idea a module."""
