"""A ruleset as one standard KIF file, which every other GGP system reads.

In: a ruleset. Out: a text with a header of comments, then the rules of all its files in
order, comments kept. Rule files in HRF are rendered as KIF.

Source: the language is that of the GDL specification 2008.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.source import Source
from gdl.ruleset.ruleset import Ruleset

_LINE_END: Final = re.compile(r"\r\n?")


def flatten(ruleset: Ruleset) -> str:
    """Return the rules of a ruleset as one KIF text; parsing it gives the same rules.

    Raises:
        OSError: A rule file cannot be read.
        GdlSyntaxError: A rule file cannot be parsed.
    """
    described = (
        ("", ruleset.id),
        ("Title: ", ruleset.title),
        ("Version: ", ruleset.version),
        ("Source: ", ruleset.source),
    )
    header = [f";;; {label}{_one_line(text)}" for label, text in described if text]
    parts = [_as_kif(source, ruleset) for source in ruleset.texts()]
    return "\n\n".join(["\n".join(header), *parts]) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _as_kif(source: Source, ruleset: Ruleset) -> str:
    from gdl.language.parse import detect_syntax, parse

    if detect_syntax(source) == "kif":
        return _LINE_END.sub("\n", source.text).strip("\n")
    from gdl.language.render import render

    return render(parse(source, limits=ruleset.limits), syntax="kif").strip("\n")
