"""The command line: words and pictures for people. Nothing below knows of it."""
