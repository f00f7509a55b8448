"""The tests; a package, so that one of the same name that is installed does not hide it."""
