"""A framework for the Game Description Language: read, check, understand and run rule files."""
