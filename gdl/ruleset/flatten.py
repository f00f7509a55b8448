"""A ruleset as one standard KIF file, which every other GGP system reads.

In: a ruleset. Out: a text with a header of comments, then facts that its manifest writes out,
then the rules of all its files in order, comments kept. Rule files in HRF are rendered as KIF.
Where a variant replaces or leaves out rules these are missing, and with them the comment of a
paragraph that held nothing else.

Source: the language is that of the GDL specification 2008.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gdl.language.syntax import Rule
from gdl.ruleset.ruleset import Ruleset
from gdl.ruleset.variant import Part

_LINE_END: Final = re.compile(r"\r\n?")
_PARAGRAPH: Final = re.compile(r"(?:[^\S\n]*\S[^\n]*(?:\n|$))+")
"""Lines that are not blank."""
_BLANK: Final = re.compile(r"[^\S\n]*(?:\n|$)")


def flatten(ruleset: Ruleset) -> str:
    """Return the rules of a ruleset as one KIF text; parsing it gives the same rules.

    Raises:
        FileError: A rule file cannot be read.
        GdlSyntaxError: A rule file cannot be parsed.
        ManifestError: The manifest replaces or leaves out what is not there.
    """
    described = (
        ("", ruleset.id),
        ("Title: ", ruleset.title),
        ("Version: ", ruleset.version),
        ("Source: ", ruleset.source),
    )
    header = [f";;; {label}{_one_line(text)}" for label, text in described if text]
    rules = _varied(ruleset) if ruleset.selections else _whole(ruleset)
    return "\n\n".join(["\n".join(header), *_facts(ruleset), *filter(None, rules)]) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _facts(ruleset: Ruleset) -> Iterable[str]:
    """Yield the facts that the manifest writes out, if it does."""
    if ruleset.facts:
        from gdl.ruleset.fact_patterns import facts_text

        yield facts_text(ruleset.facts)


def _whole(ruleset: Ruleset) -> Iterable[str]:
    """Yield each file; KIF is not parsed."""
    from gdl.language.parse import detect_syntax, parse
    from gdl.language.render import render

    for source in ruleset.texts():
        if detect_syntax(source) == "kif":
            yield _normal(source.text)
        else:
            yield render(parse(source, limits=ruleset.limits), syntax="kif").strip("\n")


def _varied(ruleset: Ruleset) -> Iterable[str]:
    """Yield each file without the rules that do not count."""
    from gdl.language.parse import detect_syntax
    from gdl.language.render import render

    for part in ruleset.parts()[1 if ruleset.facts else 0 :]:
        sources = part.rules.sources
        if all(detect_syntax(source) == "kif" for source in sources):
            for source in sources:
                yield _normal(_without(source.text, part))
        else:
            yield render(part.rules, syntax="kif").strip("\n")


def _without(text: str, part: Part) -> str:
    """Return a text without the rules that do not count.

    A paragraph (lines without a blank one between) in which no rule is left goes as a whole.
    """
    kept = [_lines(text, rule) for rule in part.rules.rules]
    cuts = [_lines(text, rule) for rule in part.dropped]
    for paragraph in _PARAGRAPH.finditer(text):
        inside = range(*paragraph.span())
        if any(_meet(inside, cut) for cut in cuts) and not any(_meet(inside, r) for r in kept):
            cuts.append(inside)
    pieces, position = [], 0
    for cut in sorted(cuts, key=lambda cut: cut.start):
        pieces.append(text[position : cut.start])
        position = max(position, cut.stop)
    return re.sub(r"\n{3,}", "\n\n", "".join(pieces) + text[position:])


def _lines(text: str, rule: Rule) -> range:
    """Return where a rule stands, with the blanks and the end of the lines that it has alone."""
    assert rule.place is not None, "a rule that was read from a text has a place"
    start, stop = rule.place.span.start, rule.place.span.stop
    line = text.rfind("\n", 0, start) + 1
    after = _BLANK.match(text, stop)
    if text[line:start].strip() or after is None:
        return range(start, stop)
    return range(line, after.end())


def _meet(left: range, right: range) -> bool:
    return left.start < right.stop and right.start < left.stop


def _normal(text: str) -> str:
    return _LINE_END.sub("\n", text).strip("\n")
