"""Folders that somebody has tampered with are refused in words, whatever was put into them.

Beside what `test_mutants` changes inside a file: files of one right certificate in another, of
another length, a map with two facts exchanged, headers, line ends, numbers beyond all bounds, links
and what is no file, places outside of the folder. All is signed anew, so no digest gives it away.
"""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gdl.certify import CertificateError, check_folder, read_index
from gdl.certify.aiger_file import aiger_bytes, read_aiger
from gdl.certify.check import MODEL, digest_of
from gdl.certify.formulas import Formula
from gdl.certify.plies import unequal
from gdl.cli.main import main
from gdl.ruleset import Ruleset
from gdl.verify.provenance import Provenance
from gdl.verify.verification import verify
from tests.certify.forged import Claims, claims_of, copied, signed
from tests.certify.test_certificates import is_denied
from tests.certify.test_mutants import right as right  # noqa: PLC0414  # a fixture
from tests.certify.test_provenance import OWN, RULES
from tests.shared import examples

HUGE = [1 << 64, 10**30, 10**4000, 1e300, -(10**30)]
Tamper = Callable[[Path, random.Random], bool]
"""Tampers with a folder; says whether there was something to change."""


def _places(folder: Path, chance: random.Random, pattern: str) -> list[Path]:
    """Return files of claims, in any order."""
    paths = sorted(folder.glob(f"*/{pattern}"))
    chance.shuffle(paths)
    return paths


def swapped_files(folder: Path, chance: random.Random) -> bool:
    """Exchange a file of one claim with one of the same name of another."""
    one = _places(folder, chance, "*")[0]
    for other in _places(folder, chance, one.name):
        if (mine := one.read_bytes()) != (its := other.read_bytes()):
            one.write_bytes(its)
            other.write_bytes(mine)
            signed(folder)
            return True
    return False


def stale_formula(folder: Path, chance: random.Random) -> bool:
    """Put a formula and its proof, which fit each other, where others of that claim were."""
    one = _places(folder, chance, "*.cnf")[0]
    for other in _places(folder, chance, "*.cnf"):
        if one.read_bytes() != other.read_bytes():
            for suffix in (".cnf", ".lrat"):
                one.with_suffix(suffix).write_bytes(other.with_suffix(suffix).read_bytes())
            signed(folder)
            return True
    return False


def other_header(folder: Path, chance: random.Random) -> bool:
    path = _places(folder, chance, "*.aig")[0]
    head, rest = path.read_bytes().split(b"\n", 1)
    words = head.split()
    number = chance.randrange(1, len(words))
    value = int(words[number])
    how = chance.randrange(7)
    if how == 0:
        words[number] = str(value + chance.choice([1, -1, 7])).encode()
    elif how == 1:
        words[number] = str(chance.choice([n for n in HUGE if isinstance(n, int)])).encode()
    elif how == 2:
        words[0] = chance.choice([b"aag", b"AIG", b"aig1"])
    elif how == 3:
        words = words[:number]
    elif how == 4:
        words[number] = b"9" * 5000
    elif how == 5:
        words += [b"0"] * (7 - len(words)) + [b"1"]
    else:
        words[number] = chance.choice([b"+1", b"1_0", b"0x1", b"1.0", "¹".encode(), b"-0"])
    path.write_bytes(b" ".join(words) + b"\n" + rest)
    signed(folder)
    return True


def carriage_returns(folder: Path, chance: random.Random) -> bool:
    """Write lines as other systems do, or with what Python takes for the end of a line."""
    path = _places(folder, chance, chance.choice(["*.cnf", "*.lrat", "*.txt", "*.cex", "*.aig"]))[0]
    data = path.read_bytes()
    path.write_bytes(
        data.replace(b"\n", chance.choice([b"\r\n", b"\r", b"\x0b\n", b"\x1c", b"\x0c"]))
    )
    signed(folder)
    return True


def huge_numbers(folder: Path, chance: random.Random) -> bool:
    """Let a number of the index, of a proof or of what is said of plies be beyond all bounds."""
    how = chance.randrange(3)
    if how == 0:
        claims = claims_of(folder)
        fields = [
            (n, key) for n, c in enumerate(claims) for key in ("length", "k", "back") if key in c
        ]
        number, key = chance.choice(fields)

        def edit(rows: Claims) -> None:
            rows[number][key] = chance.choice(HUGE)

        signed(folder, edit)
        return True
    path = _places(folder, chance, "*.lrat" if how == 1 else "plies.json")[0]
    text = path.read_text(encoding="ascii")
    digits = [at for at in range(len(text)) if text[at].isdigit() and not text[at - 1].isdigit()]
    at = chance.choice(digits[-4:] if how == 1 else digits)
    number_end = next(n for n in range(at, len(text) + 1) if not text[n : n + 1].isdigit())
    more = chance.choice(["9" * 20, "9" * 5000])
    path.write_text(text[:at] + more + text[number_end:], encoding="ascii")
    signed(folder)
    return True


def shorter_index(folder: Path, chance: random.Random) -> bool:
    """Name fewer lengths, or a length less than what lies there, or files that are left out."""
    rows = [n for n, c in enumerate(claims_of(folder)) if c.get("files")]
    number, how = chance.choice(rows), chance.randrange(3)
    claim = claims_of(folder)[number]
    if how == 0 and "length" not in claim and "k" not in claim:
        return False

    def edit(claims: Claims) -> None:
        row = claims[number]
        if how == 0:
            key = "length" if "length" in row else "k"
            row[key] -= 1
        elif how == 1:
            del row["files"][chance.choice(sorted(row["files"]))]
        else:
            row["bads"] = [*row["bads"], *row["bads"]] or ["something"]

    signed(folder, edit)
    return True


def outside(folder: Path, chance: random.Random) -> bool:
    """Let a claim lie elsewhere: above, at an absolute place, behind a link."""
    beside = folder.parent / "elsewhere"
    number = chance.choice([n for n, c in enumerate(claims_of(folder)) if c.get("files")])
    place = folder / claims_of(folder)[number]["folder"]
    if not beside.exists():
        beside.mkdir()
    target = beside / f"{len(list(beside.iterdir()))}"
    place.rename(target)
    named: list[str] = [f"../elsewhere/{target.name}", str(target), f"./../elsewhere/{target.name}"]
    named += ["..", f"00/../../elsewhere/{target.name}", f"..\\elsewhere\\{target.name}"]
    if chance.random() < 0.4:
        place.symlink_to(target)
        named = [place.name]

    def edit(claims: Claims) -> None:
        claims[number]["folder"] = chance.choice(named)

    index = json.loads((folder / "certificates.json").read_text(encoding="utf-8"))
    edit(index["claims"])
    _sign(folder, index)
    return True


def no_plain_file(folder: Path, chance: random.Random) -> bool:
    """Let a file be a link to one like it, a link to itself, a folder, or what never ends."""
    path = _places(folder, chance, "*")[0]
    data, how = path.read_bytes(), chance.randrange(5)
    path.unlink()
    if how == 0:
        (folder.parent / "like it").write_bytes(data)
        path.symlink_to(folder.parent / "like it")
    elif how == 1:
        path.symlink_to(path.name)
    elif how == 2:
        path.mkdir()
    elif how == 3:
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    return True


def same_name_twice(folder: Path, chance: random.Random) -> bool:
    """Say something twice: a symbol of a circuit, a key of the index or of one claim."""
    how = chance.randrange(3)
    if how == 0:
        path = _places(folder, chance, "model.aig")[0]
        path.write_bytes(path.read_bytes().replace(b"\nl0 ", b"\nl0 another\nl0 ", 1))
        signed(folder)
        return True
    path = folder / "certificates.json"
    text = path.read_text(encoding="utf-8")
    again = (
        '"claims": [], ' if how == 1 else f'"{chance.choice(["name", "kind", "length"])}": "x", '
    )
    brackets = [at for at in range(len(text)) if text[at : at + 7] in ('{"forma', '{"name"')]
    at = 0 if how == 1 else chance.choice(brackets[1:])
    path.write_text(f"{text[: at + 1]}{again}{text[at + 1 :]}", encoding="utf-8")
    return how == 1 or again[1:-7] in text[at : text.find("{", at + 1)]


def _sign(folder: Path, index: dict[str, Any]) -> None:
    index.pop("digest", None)
    index["digest"] = digest_of(json.dumps(index, sort_keys=True).encode())
    (folder / "certificates.json").write_text(json.dumps(index), encoding="utf-8")


TAMPERS: list[Tamper] = [
    swapped_files,
    stale_formula,
    other_header,
    carriage_returns,
    huge_numbers,
    shorter_index,
    outside,
    no_plain_file,
    same_name_twice,
]


def tampered(source: Path, tmp_path: Path, tamper: Tamper, count: int) -> Iterator[Path]:
    """Yield folders that were tampered with."""
    chance = random.Random(tamper.__name__)
    while count:
        folder = copied(source, tmp_path)
        signed(folder)
        if tamper(folder, chance):
            count -= 1
            yield folder


@pytest.mark.later
@pytest.mark.parametrize("tamper", TAMPERS, ids=lambda tamper: str(tamper.__name__))
@pytest.mark.sample(4)
def test_what_was_tampered_with_is_refused_in_words(
    tamper: Tamper, right: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, folder in enumerate(tampered(right, tmp_path, tamper, examples(24))):
        try:
            refused = [claim for claim in check_folder(folder) if claim.holds is False]
        except CertificateError:
            continue
        assert refused, (number, tamper)
        assert all(claim.text and "\n" not in claim.text for claim in refused)
        if number % 8 == 0:
            assert main(["certify", str(folder)]) == 1
            assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.later
@pytest.mark.parametrize("key", ["length", "k"])
def test_a_length_that_no_file_has_room_for_is_refused_before_it_is_written_out(
    key: str, right: Path, tmp_path: Path
) -> None:
    """A hundred thousand copies of a system would take hours, and more memory than there is."""
    folder = copied(right, tmp_path)

    def edit(claims: Claims) -> None:
        for claim in claims:
            if key in claim and claim["kind"] in {"lengths", "no longer", "ends", "k-induction"}:
                claim[key] = 99_999

    signed(folder, edit)
    rows = claims_of(folder)
    refused = [found for found in check_folder(folder) if found.holds is False]
    assert {found.name for found in refused} == {
        row["name"] for row in rows if row.get(key) == 99_999
    }
    assert refused
    assert all(
        f.text.endswith("is not the formula that the system and claim give") for f in refused
    )


@pytest.mark.parametrize("added", [3, -3, 10**30])
def test_a_gain_of_more_than_there_is_to_count_is_none(added: int) -> None:
    formula = Formula()
    pairs = [tuple(formula.fresh(2)) for _ in range(2)]
    unequal(formula, pairs, added)
    assert len(formula.clauses) < 200
    for row in itertools.product((1, -1), repeat=4):
        fixed = [(sign * each,) for sign, each in zip(row, itertools.chain(*pairs), strict=True)]
        assert not is_denied({"": Formula([*formula.clauses, *fixed], formula.variables)})


@pytest.fixture(scope="module")
def of_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("of rules") / "lamps"
    verify(Ruleset("lamps", (), text=RULES), probes=OWN, certificates=folder)
    return folder


@pytest.mark.later
def test_a_map_with_two_names_exchanged_is_none_of_the_rules(
    of_rules: Path, tmp_path: Path
) -> None:
    """The circuit alone is right all the same; what its facts and moves are called decides."""
    chance = random.Random(0)
    game = Ruleset("lamps", (), text=RULES)
    for _ in range(examples(60)):
        folder = copied(of_rules, tmp_path)
        number = chance.choice([n for n, c in enumerate(claims_of(folder)) if c.get("files")])
        path = folder / claims_of(folder)[number]["folder"] / MODEL
        model = read_aiger(path.read_bytes())
        kind = chance.choice("il")
        one, other = chance.sample([key for key in model.names if key.startswith(kind)], 2)
        names = model.names | {one: model.names[other], other: model.names[one]}
        path.write_bytes(aiger_bytes(replace(model, names=names)))
        signed(folder)
        origin = Provenance([game], read_index(folder))
        found = list(check_folder(folder, origin=origin))
        assert found[number].holds is False, (one, other)
