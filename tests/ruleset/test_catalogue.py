"""The catalogue has a page for every family, and a row for every ruleset."""

from pathlib import Path

from gdl.ruleset import rulesets

DOCS = Path(__file__).parents[2] / "docs"


def test_every_family_has_a_page_and_every_ruleset_a_place_in_it() -> None:
    index = (DOCS / "catalogue.md").read_text(encoding="utf-8")
    for ruleset in rulesets():
        assert ruleset.manifest is not None
        family = ruleset.manifest.parent.name
        assert f"(catalogue/{family}.md)" in index
        assert f"`{ruleset.id.split('?')[0]}`" in index
        page = (DOCS / "catalogue" / f"{family}.md").read_text(encoding="utf-8")
        assert f"`{ruleset.id.split('?')[0]}`" in page, ruleset.id


def test_every_page_is_of_a_family_that_is_shipped() -> None:
    families = {r.manifest.parent.name for r in rulesets() if r.manifest is not None}
    assert {page.stem for page in (DOCS / "catalogue").glob("*.md")} == families
