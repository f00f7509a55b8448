"""Each kind of problem has a sample here, and its whole text is compared.

`NAME.kif` (or `.hrf`) is read and checked; `NAME.txt` holds what is shown for it. Set
`GDL_UPDATE=1` to write the texts anew, and read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gdl.language.checks.check import check, check_syntax_error
from gdl.language.checks.explanations import explanations
from gdl.language.diagnostics import Diagnostic, LimitError, draw_diagnostics
from gdl.language.files import read_source
from gdl.language.parse import parse
from gdl.language.source import Source
from gdl.language.syntax import GdlSyntaxError

HERE = Path(__file__).parent
SAMPLES = sorted(path for path in HERE.iterdir() if path.suffix in {".kif", ".hrf"})
TEXTS = sorted(HERE.glob("*.txt"))


def problems(path: Path) -> list[Diagnostic]:
    source = Source(path.name, read_source(path).text)
    try:
        return check(parse(source))
    except GdlSyntaxError as error:
        return check_syntax_error(error)
    except LimitError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_whole_text_of_a_sample_is_as_written(path: Path) -> None:
    shown = draw_diagnostics(problems(path)) + "\n"
    expected = path.with_suffix(".txt")
    if os.environ.get("GDL_UPDATE"):
        expected.write_text(shown, encoding="utf-8")
    assert shown == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_shows_the_problem_it_is_named_after(path: Path) -> None:
    slugs = {problem.slug for problem in problems(path)}
    named = {slug for slug in explanations() if path.stem == slug}
    assert named <= slugs


def test_every_sample_has_its_text_and_every_text_its_sample() -> None:
    assert [path.stem for path in SAMPLES] == [path.stem for path in TEXTS]
