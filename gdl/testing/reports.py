"""Results of tests for other programs: JUnit and the annotations of GitHub.

In: outcomes. Out: text.

Source: the XML that Jenkins reads (``junit-10.xsd``); workflow commands of GitHub Actions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from gdl.language.diagnostics import Diagnostic
from gdl.language.source import harmless
from gdl.testing.outcome import Outcome

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[Outcome]) -> str:
    """Return outcomes as JUnit, a test suite a file."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    root = Element("testsuites", name="gdl test")
    for path, group in groupby(outcomes, lambda outcome: outcome.case.table.file.source.name):
        those = list(group)
        suite = SubElement(
            root,
            "testsuite",
            name=_xml(path),
            tests=str(len(those)),
            failures=str(sum(outcome.status == "failed" for outcome in those)),
            errors="0",
            skipped=str(sum(outcome.status == "skipped" for outcome in those)),
            time=f"{sum(outcome.seconds for outcome in those):.3f}",
        )
        for outcome in those:
            _case(SubElement(suite, "testcase"), outcome)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(element: object, outcome: Outcome) -> None:
    from xml.etree.ElementTree import Element, SubElement

    assert isinstance(element, Element)
    element.set("name", _xml(outcome.case.name))
    element.set("classname", _xml(outcome.case.game))
    element.set("file", _xml(outcome.case.table.file.source.name))
    element.set("line", str(outcome.case.place().line))
    element.set("time", f"{outcome.seconds:.3f}")
    if outcome.status == "skipped":
        SubElement(element, "skipped", message=_xml(outcome.case.skip))
    if outcome.status == "failed":
        failure = SubElement(element, "failure", message=_xml(outcome.problems[0].message))
        failure.text = _xml("\n".join(map(str, outcome.problems)))


def _xml(text: str) -> str:
    """Return a text without the characters that XML has no way to write."""
    return _NO_XML.sub("·", harmless(text))


def github(outcome: Outcome) -> list[str]:
    """Return what is wrong as annotations, one a line."""
    return [annotation(problem, outcome.case.name) for problem in outcome.problems]


def annotation(problem: Diagnostic, title: str, level: str = "error") -> str:
    """Return a problem as GitHub marks it in a pull request; levels are its own words."""
    return (
        f"::{level} file={_property(problem.path or '')},line={problem.line or 1},"
        f"col={problem.column or 1},title={_property(title)}::{_value(problem.message)}"
    )


def _value(text: str) -> str:
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _value(text).replace(":", "%3A").replace(",", "%2C")
