"""The command line: words and pictures for people. Nothing below knows of it.

`main` lists the commands, `welcome` is ``gdl`` alone, `demo` shows everything once, `cache` what
is kept on disk. The other commands stand with those that do the like: ``rules/``, ``playing/``,
``positions/``, ``comparing/``, ``measuring/``, ``new/``; what they share is in ``terminal/``.
"""
