"""Checks that a certificate shows what the name of its claim says, and no less.

In: the name of a claim, the kind of its certificate, and what the bads of its system are called.
Out: nothing, or an error. What the bads are is taken on trust; that a proof about some plays is not
called one about all, nor a play the proof that there is none, is not. Names are as ``gdl verify``
and ``gdl diff`` give them; of a user's own property only what its first words say is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from gdl.certify.aiger_file import CertificateError

DIFFER: Final = "the games differ"
AGREE: Final = "the games agree"
OPEN_AGREE: Final = "goals agree while play goes on"
NO_SHORTER: Final = "no shorter play: "
"""Begins the name of a claim; what follows is that of the play."""
UNDECIDED: Final = "no play decides "
"""Begins the name of a claim about a property of which nothing more is known."""
NOT: Final = "not "
NEVER: Final = "never "
UP_TO: Final = ", up to {} moves"
"""Ends the name of a claim about plays of some lengths only."""
ENDING: Final = "terminating"
"""The claim that every play ends; with a `NOT` before it, that one need not."""
DENYING: Final = (AGREE, OPEN_AGREE, NO_SHORTER, UNDECIDED, NEVER)
"""First words of claims that no play shows."""
WINNABLE: Final = "winnable by "
ASKED: Final = ("playable", "goals unique", "goals in range", "turn-taking", WINNABLE)
"""Properties, or their first words, that are the names of bads too."""
LENGTH: Final = re.compile(r", up to -?\d+ moves$")
"""Ends the name of a claim about plays of some lengths."""
NEVER_SO: Final = re.compile(
    r"terminating|playable|goals unique|goals in range|turn-taking|constant sum|one \S+ a place"
)
"""Claims of every game that something never is: a play shows that one is wrong, and nothing else.
What denies the play proves one, and not that it never holds."""
OF_EACH: Final = ("moves reachable", "facts change", "rules fire")
"""Claims that each of several things can be."""


def check_name(name: str, bads: Collection[str | None], *, is_shown: bool, is_loop: bool) -> None:
    """Check that a claim is no other than that of its files.

    Args:
        name: What the claim is called.
        bads: What the bads of its system are called.
        is_shown: Whether a play shows something, and nothing is denied.
        is_loop: Whether that is a play that comes back to a state.

    Raises:
        CertificateError: It is.
    """
    name = as_read(name)
    whole, shown = LENGTH.sub("", name), name.removeprefix(NO_SHORTER)
    if shown != name and not is_shown:  # what no shorter play shows has to be what one can show
        check_name(shown, bads, is_shown=True, is_loop=False)
        return
    asked = name
    for before in (NOT, NEVER, UNDECIDED):
        asked = asked.removeprefix(before)
    # Of several that hold the first is said, so what is wrong in itself stands before what is not
    # asked.
    objections = {
        "the claim is that something is not, and a play is shown": (
            is_shown and name.startswith((*DENYING, f"{NOT}{WINNABLE}"))
        ),
        "the claim is that nothing is otherwise, and a play shows what is": (
            is_shown and NEVER_SO.fullmatch(whole)
        ),
        "the claim is that there is a play, and none is shown": (
            not is_shown and name.startswith((WINNABLE, NOT)) and name != f"{NOT}{ENDING}"
        ),
        "the claim is that games differ, and no play is shown": not is_shown and whole == DIFFER,
        "the claim is that something never holds, and what breaks it is denied": (
            whole.startswith(NEVER) and NEVER_SO.fullmatch(whole.removeprefix(NEVER))
        ),
        "the system has no bad, so it says no more than whether play ends": (
            not bads and name != (f"{NOT}{ENDING}" if is_loop else ENDING)
        ),
        "the claim is about the end of play, and the system asks something else": (
            bads and LENGTH.sub("", asked) == ENDING
        ),
        "the games are not asked whether both are over": (
            asked.startswith((DIFFER, AGREE)) and "terminal" not in bads
        ),
        "the games are not asked about goals while play goes on": (
            asked.startswith(OPEN_AGREE)
            and not any(str(bad).startswith("open goal ") for bad in bads)
        ),
        "the system asks about another property": (
            asked.startswith(ASKED) and not any(asked.startswith(str(bad)) for bad in bads)
        ),
    }
    for why, is_wrong in objections.items():
        if is_wrong:
            raise CertificateError(why)


def as_read(name: str) -> str:
    """Return a name as people read it: without what nobody sees, its words one space apart."""
    return " ".join("".join(c for c in name if c.isprintable() or c.isspace()).split())


def check_renamed(name: str) -> None:
    """Check that a claim is one of two games whose rules are the same in other words.

    Raises:
        CertificateError: It is another.
    """
    if name != AGREE:
        raise CertificateError("rules that are the same show that games agree, and nothing else")
