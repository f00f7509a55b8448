"""Every problem is explained, and the samples of the explanations are what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gdl as gdl_package
from gdl.language.checks.check import check
from gdl.language.checks.explanations import Explanation, UnknownSlugError, explain, explanations
from gdl.language.diagnostics import Diagnostic, LimitError
from gdl.language.parse import parse
from gdl.language.parse.problems import SYNTAX_ERRORS
from gdl.language.syntax import GdlSyntaxError
from tests.cli.running import gdl

SAMPLES = Path(__file__).parents[1] / "errors"

WITHOUT_SAMPLE = {
    "ambiguous-move",
    "limit-bytes",
    "limit-depth",
    "limit-grounding",
    "limit-problems",
    "limit-rule-length",
    "limit-seconds",
    "limit-symbol-length",
    "not-a-move",
    "not-one-term",
    "not-text",
    "too-many-errors",
    "unexpected-token",
    "unfinished-rule",
    "unusable",
}
"""These take other limits, very long texts, a single term, an editor,
a typed move, or the other notation."""


def problems(text: str) -> set[str]:
    found: list[Diagnostic]
    try:
        found = check(parse(text, syntax="kif"))
    except (GdlSyntaxError, LimitError) as error:
        found = list(error.diagnostics)
    return {problem.slug for problem in found}


@pytest.mark.parametrize("explanation", explanations().values(), ids=lambda found: found.slug)
def test_the_wrong_sample_gets_the_problem_and_the_right_one_does_not(
    explanation: Explanation,
) -> None:
    if not explanation.wrong:
        assert explanation.slug in WITHOUT_SAMPLE
        return
    if explanation.of != "rules":
        return
    assert explanation.slug in problems(explanation.wrong)
    assert explanation.slug not in problems(explanation.right)


OTHERS = [each for each in explanations().values() if each.of != "rules"]


@pytest.mark.slow
@pytest.mark.parametrize("explanation", OTHERS, ids=lambda found: found.slug)
def test_samples_of_other_files_are_what_they_say(
    explanation: Explanation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nim.kif").write_text(
        "(role white)\n(legal white (take a 1))\nterminal\n(goal white 50)\n"
    )
    words = {
        "manifest": [["check", "manifest.toml"]],
        "tests": [["check", "nim.test.toml"], ["test", "nim.test.toml", "--no-coverage"]],
        "properties": [["verify", "tictactoe", "--properties", "nim.txt"]],
    }[explanation.of]
    for sample, is_wrong in ((explanation.wrong, True), (explanation.right, False)):
        for command in words:
            Path(command[-1] if len(command) != 3 else command[1]).write_text(sample)
        done = [gdl(*command) for command in words]
        assert any(f"[{explanation.slug}]" in each.out + each.err for each in done) == is_wrong
        assert is_wrong or not any(each.code for each in done if explanation.of == "tests")


@pytest.mark.parametrize("explanation", explanations().values(), ids=lambda found: found.slug)
def test_every_part_of_an_explanation_is_written(explanation: Explanation) -> None:
    assert explanation.title
    assert explanation.rule.endswith(".")
    assert explanation.why.endswith(".")
    assert explanation.source
    assert max(map(len, explanation.text.splitlines())) <= 90


def test_every_problem_has_a_sample_among_the_errors() -> None:
    shown = "".join(path.read_text("utf-8") for path in SAMPLES.glob("*.txt"))
    rules = [slug for slug, each in explanations().items() if each.of == "rules"]
    without = [slug for slug in rules if f"[{slug}]" not in shown]
    assert set(without) <= WITHOUT_SAMPLE


def test_every_syntax_error_is_explained() -> None:
    assert set(SYNTAX_ERRORS) <= set(explanations())


def test_every_problem_of_the_samples_is_explained() -> None:
    lines = "\n".join(path.read_text("utf-8") for path in SAMPLES.glob("*.txt")).splitlines()
    heads = [line for line in lines if line[:1].strip() and "[" in line]
    assert {line.split("[", 1)[1].split("]", 1)[0] for line in heads} <= set(explanations())


@pytest.mark.later
def test_every_slug_of_the_code_is_explained() -> None:
    """A diagnostic of a name that is written in the code has a page of its own."""
    house = Path(gdl_package.__file__).parent
    made = re.compile(r'(?:Diagnostic|problem|_problem)\(\s*"([a-z][a-z-]+)"|slug="([a-z-]+)"')
    texts = (path.read_text("utf-8") for path in house.rglob("*.py"))
    found = {a or b for text in texts for a, b in made.findall(text)}
    assert len(found) > 50
    assert found <= set(explanations())


def test_an_unknown_slug_names_the_nearest() -> None:
    with pytest.raises(UnknownSlugError, match="did you mean unsafe-variable"):
        explain("unsafe-varible")


def test_the_text_of_an_explanation() -> None:
    assert explain("goal-value").text == (
        "goal-value: A goal value outside 0 to 100\n"
        "\n"
        "Goal values are whole numbers from 0 to 100.\n"
        "\n"
        "Results are compared and added up over matches, which needs one scale.\n"
        "\n"
        "Wrong:\n"
        "  (goal white 101)\n"
        "\n"
        "Right:\n"
        "  (goal white 100)\n"
        "\n"
        "Source: Love, Hinrichs, Haley, Schkufza, Genesereth, GDL specification, 2008, section 4\n"
        "(goal)"
    )
