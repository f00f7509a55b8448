"""The catalogue has a page for every family, and a row for every ruleset."""

import re
from pathlib import Path

import pytest

from tests.rulesets import RULESETS
from tests.shared import missing, some

DOCS = Path(__file__).parents[2] / "docs"


def test_every_family_has_a_page_and_every_ruleset_a_place_in_it() -> None:
    index = (DOCS / "catalogue.md").read_text(encoding="utf-8")
    for ruleset in RULESETS:
        assert ruleset.manifest is not None
        family = ruleset.manifest.parent.name
        assert f"(catalogue/{family}.md)" in index
        assert f"`{ruleset.id.split('?')[0]}`" in index
        page = (DOCS / "catalogue" / f"{family}.md").read_text(encoding="utf-8")
        assert f"`{ruleset.id.split('?')[0]}`" in page, ruleset.id


def test_every_page_is_of_a_family_that_is_shipped() -> None:
    families = {r.manifest.parent.name for r in RULESETS if r.manifest is not None}
    assert {page.stem for page in (DOCS / "catalogue").glob("*.md")} == families


VERIFIED = re.compile(r"\*\*(Verified|Proved)\*\*")
REFUTED = (
    "battleship",
    "blotto",
    "checkers/american",
    "dotsandboxes",
    "goofspiel?cards=3",
    "leducpoker",
    "liarsdice",
    "oshizumo?coins=4&size=1",
    "pig?target=5",
    "rockpaperscissors",
    "threeplayertictactoe",
    "tron",
    "twixt?size=5",
)
"""Rulesets of which something is refuted within seconds."""


def test_every_page_says_what_is_proved() -> None:
    pages = sorted((DOCS / "catalogue").glob("*.md"))
    silent = [page.stem for page in pages if not VERIFIED.search(page.read_text(encoding="utf-8"))]
    assert silent == []


@pytest.mark.slow
@pytest.mark.skipif(bool(missing("verify")), reason=missing("verify"))
@pytest.mark.parametrize("name", some(REFUTED, 5))
def test_what_is_refuted_is_said_on_the_page(name: str) -> None:
    """A property that is refuted is named, with its reason; of one that is open a clock decides."""
    from gdl.verify.verification import verify

    family = re.split(r"[/?]", name)[0]
    page = (DOCS / "catalogue" / f"{family}.md").read_text(encoding="utf-8")
    verified = VERIFIED.search(page)
    assert verified is not None
    named = re.findall(r"`([a-z][a-z -]+)`", page[verified.start() :])
    refuted = [each.name for each in verify(name, seconds=15).verdicts if each.status == "refuted"]
    assert [each for each in refuted if not any(map(each.startswith, named))] == []
