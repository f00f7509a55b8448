"""Fresh names: for the relations that are made here, apart from all names of the rules.

No name of a description has a blank in it but between bars, so a fresh name begins with a word and
a blank; where a name between bars does, too, with more blanks.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.language.syntax import Signature


def apart(relations: Iterable[Signature], *prefixes: str) -> str:
    """Return blanks behind which a fresh name begins as no relation does.

    Args:
        relations: All that the rules speak of, whether rules are about them or not.
        prefixes: What stands before the blanks.
    """
    names = {relation.name for relation in relations}
    blanks = ""
    while any(name.startswith(tuple(prefix + blanks for prefix in prefixes)) for name in names):
        blanks += " "
    return blanks
