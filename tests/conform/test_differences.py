"""Several differences of one engine, and what each is called and written as."""

import subprocess
import sys
from pathlib import Path

import pytest

from gdl.conform import Audit, conform, write_report
from gdl.conform.words import headline
from tests.cli.running import gdl
from tests.conform.engines import OneLineMissing, ThreeBugs, Twice

ENGINES = "tests.conform.engines"


def told(audit: Audit) -> list[str]:
    """Return the kinds of what was found, in any order."""
    return sorted(each.parting.kind for each in audit.differences if each.parting is not None)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_search_goes_on_behind_a_difference(jobs: int) -> None:
    """Three bugs are three differences, each once, and no fourth is made up of them."""
    name = f"{ENGINES}:ThreeBugs"
    found = conform("tictactoe", name, positions=3_000, differences=9, jobs=jobs)
    assert told(found) == ["legal", "returns", "terminal"], str(found)
    assert not found.agree
    engine, right = ThreeBugs(), OneLineMissing()
    for each in found.differences:
        assert each.parting is not None
        position = each.parting.twin.theirs
        if each.parting.kind == "legal":
            assert engine.legal_moves(position) != right.legal_moves(position)
    assert str(found).count("another difference, number ") == 2


@pytest.mark.slow
def test_an_engine_with_one_bug_differs_where_the_bug_is() -> None:
    """A line that it does not know is an end that is not seen, and a full board paid wrongly."""
    found = conform("tictactoe", f"{ENGINES}:OneLineMissing", positions=3_000, differences=5)
    assert told(found) == ["returns", "terminal"], str(found)
    for each in found.differences:
        assert each.parting is not None
        assert len({each.parting.twin.theirs[place] for place in (2, 4, 6)}) == 1


@pytest.mark.slow
def test_each_difference_is_a_test_that_asks_the_engine_alone(tmp_path: Path) -> None:
    found = conform("tictactoe", f"{ENGINES}:ThreeBugs", positions=3_000, differences=3)
    paths = write_report(found, tmp_path)
    tests = [path for path in paths if path.name == "test_difference.py"]
    assert [path.parent.name for path in tests[1:]] == ["difference-2", "difference-3"]
    for path, each in zip(tests, found.differences, strict=True):
        text = path.read_text(encoding="utf-8")
        assert "gdl" not in text
        assert headline(each, is_theirs=True) in text
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 1, ran.stdout
        assert "AssertionError" in ran.stdout or "assert " in ran.stdout
        right = path.with_name("test_right.py")
        right.write_text(text.replace("ThreeBugs", "TicTacToe"), encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(right)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
def test_a_move_that_is_listed_twice_is_called_so() -> None:
    found = conform("tictactoe", f"{ENGINES}:Twice", positions=2_000)
    assert found.parting is not None
    assert (found.parting.ours, found.parting.theirs) == ("once: 4", "listed more than once: 4")
    depth = len(found.play or ())
    assert headline(found) == f"{'xo'[depth % 2]} has a move twice, 4, after {depth} moves"
    assert Twice().legal_moves(found.parting.twin.theirs).count(4) == 2


@pytest.mark.slow
def test_the_first_line_says_what_the_engine_does() -> None:
    ran = gdl("conform", "tictactoe", "--against", f"{ENGINES}:OneLineMissing")
    first = ran.out.splitlines()[0]
    name = f"tictactoe and {ENGINES}:OneLineMissing"
    assert first.startswith(f"{name} differ: play is not over, after 5 moves (")


def test_how_many_differences_is_a_question_about_other_engines() -> None:
    ran = gdl("conform", "tictactoe", "--differences", "2")
    assert ran.code == 2
    assert "--differences is for --against" in ran.err
