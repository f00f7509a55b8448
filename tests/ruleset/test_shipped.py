"""What holds of every shipped ruleset before a single move is played."""

import hashlib
import re
from pathlib import Path

import pytest

from gdl.language.checks.check import check, check_syntax_error
from gdl.language.keywords import KEYWORDS
from gdl.language.parse import parse
from gdl.language.syntax import Atom, Compound, Description, GdlSyntaxError, Not, Term
from gdl.ruleset import Ruleset, find
from gdl.ruleset.flatten import flatten
from gdl.ruleset.manifest_check import check_manifest
from tests.rulesets import RULESETS

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
PENTAGO = ["pentago/strict", "pentago/utwente", "pentago/classic", "pentago/phased"]


@pytest.mark.sample(12)
@every_ruleset
def test_the_check_finds_nothing(ruleset: Ruleset) -> None:
    assert check(ruleset.description) == []


@pytest.mark.sample(12)
@every_ruleset
def test_the_manifest_fits_the_rules(ruleset: Ruleset) -> None:
    assert check_manifest(ruleset) == []


@pytest.mark.sample(12)
@every_ruleset
def test_players_are_the_roles_in_order(ruleset: Ruleset) -> None:
    roles = [
        rule.head.sentence.args[0]
        for rule in ruleset.description.rules
        if isinstance(rule.head.sentence, Compound) and rule.head.sentence.name == "role"
    ]
    assert [player.role for player in ruleset.players] == roles
    assert len({player.symbol for player in ruleset.players}) == len(roles)
    assert len({player.ascii for player in ruleset.players}) == len(roles)


@pytest.mark.sample(12)
@every_ruleset
def test_every_move_and_every_mark_of_the_rules_is_in_the_manifest(ruleset: Ruleset) -> None:
    moves = {_shape(args[1]) for args in _heads(ruleset.description, "input")}
    assert moves == {_shape(form.move) for form in ruleset.notation.forms}
    fluents = {_shape(args[0]) for args in _heads(ruleset.description, "base")}
    assert ruleset.picture is not None
    assert {_shape(kind.fact) for kind in ruleset.picture.cells} <= fluents
    assert fluents == {_shape(args[0]) for args in _heads(ruleset.description, "next")}
    legal = {_shape(args[1]) for args in _heads(ruleset.description, "legal")}
    # A rule that says which moves are tried, whatever they are, names them by a variable.
    assert moves == legal or {shape for shape in legal if not shape.startswith("?")} < moves


def _heads(description: Description, name: str) -> list[tuple[Term, ...]]:
    heads = (rule.head.sentence for rule in description.rules)
    return [head.args for head in heads if isinstance(head, Compound) and head.name == name]


def _shape(term: Term) -> str:
    return f"{term.name}/{len(term.args)}" if isinstance(term, Compound) else str(term)


@pytest.mark.sample(12)
@every_ruleset
def test_flatten_gives_the_same_rules_in_one_ascii_file(ruleset: Ruleset) -> None:
    text = flatten(ruleset)
    assert parse(text, syntax="kif").rules == ruleset.description.rules
    assert text.isascii()
    assert text.startswith(f";;; {ruleset.id}\n")
    assert f"Version: {ruleset.version}" in text
    assert "\t" not in text
    assert text.endswith(")\n")


def test_flatten_of_odd_files(tmp_path: Path) -> None:
    kif, hrf = tmp_path / "odd.kif", tmp_path / "odd.hrf"
    kif.write_bytes(b"\xef\xbb\xbf(role a) ; one\x0c(role b)\r\n(init p) ; no line end")
    assert flatten(find(kif)) == (
        f";;; {kif}\n;;; Title: odd\n\n(role a) ; one\x0c(role b)\n(init p) ; no line end\n"
    )
    hrf.write_text("legal(P,noop) :- role(P) & ~true(done).")
    assert parse(flatten(find(hrf)), syntax="kif").rules == find(hrf).description.rules


@pytest.mark.sample(12)
@every_ruleset
def test_the_rules_use_no_words_beyond_the_standard(ruleset: Ruleset) -> None:
    """Other systems know the words of the specification, ``base`` and ``input``: no more.

    Those of GDL-II, ``sees`` and ``random``, stand where the game has secrets or chance.
    """
    words = set(re.findall(r"[^\s()]+", re.sub(r";.*", "", flatten(ruleset))))
    assert not words & {"and", "or", "sum", "succeeds"}
    assert ("random" in words) == any(str(player.role) == "random" for player in ruleset.players)
    assert words & KEYWORDS >= {"role", "init", "true", "next", "legal", "does", "goal", "base"}
    for rule in ruleset.description.rules:
        for literal in rule.body:
            assert not isinstance(literal, Not) or isinstance(literal.operand, Atom)


@pytest.mark.sample(12)
@every_ruleset
def test_the_digest_is_that_of_the_texts_where_all_of_them_counts(ruleset: Ruleset) -> None:
    expected = hashlib.sha256()
    for path in ruleset.paths:
        raw = path.read_bytes()
        expected.update(len(raw).to_bytes(8, "big") + raw)
    is_whole = not (ruleset.facts or ruleset.selections)
    assert (ruleset.digest() == expected.hexdigest()) == is_whole


def test_different_rules_have_different_digests() -> None:
    assert len({ruleset.digest() for ruleset in RULESETS}) == len(RULESETS)


@pytest.mark.parametrize("id_", PENTAGO)
def test_a_pentago_variant_is_the_base_and_one_short_file(id_: str) -> None:
    ruleset = find(id_)
    others = {path for other in PENTAGO if other != id_ for path in find(other).paths}
    own = [path for path in ruleset.paths if path not in others]
    assert own[-1].stem == id_.removeprefix("pentago/")
    assert len(own[-1].read_text().splitlines()) <= 25
    assert {"board.kif", "ending.kif"} < {path.name for path in ruleset.paths}


def test_the_problems_of_all_files_of_a_ruleset_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "first.kif").write_text("(role a\n(goal a 101)\n")
    (tmp_path / "second.kif").write_text("(init p))\n(legal a ?move)\n")
    both = Ruleset("both", (tmp_path / "first.kif", tmp_path / "second.kif"))
    with pytest.raises(GdlSyntaxError) as caught:
        both.description  # noqa: B018  # reading it is the point
    found = check_syntax_error(caught.value)
    assert [(each.slug, each.span and each.span.source.name[-10:]) for each in found] == [
        ("unclosed-bracket", "/first.kif"),
        ("goal-value", "/first.kif"),
        ("unexpected-bracket", "second.kif"),
        ("unsafe-variable", "second.kif"),
    ]


def test_rules_given_as_text_need_no_file() -> None:
    shipped = find("tictactoe")
    given = Ruleset("given", (), text=shipped.texts()[0].text)
    assert given.description.rules == shipped.description.rules
    assert given.digest() == shipped.digest()
    assert given != Ruleset("given", (), text="(role a)")
