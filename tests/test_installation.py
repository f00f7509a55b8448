"""The plain installation: it declares all packages that it takes, wherever it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

WITHOUT_OTHERS = """
import sys

sys.modules.update(dict.fromkeys({others}))  # None: there is no such module
from gdl.cli.main import main
sys.exit(main({words}))
"""


def plain() -> set[NormalizedName]:
    """Return the names of the distributions that a plain installation brings."""
    found, asked = set[NormalizedName](), [canonicalize_name("gdl-framework")]
    while asked:
        name = asked.pop()
        found.add(name)
        for text in requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                asked += {canonicalize_name(needed.name)} - found
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["check", "pentago/strict"], ["show", "tictactoe"], ["perft", "tictactoe", "2"], ["cache"]],
    ids=lambda words: words[0],
)
def test_it_does_with_what_it_declares(words: list[str], tmp_path: Path) -> None:
    known = plain()
    others = {
        module
        for module, homes in packages_distributions().items()
        if not known & set(map(canonicalize_name, homes))
    }
    # Then a package says where caches are, as it does on other systems than Linux.
    elsewhere = {"XDG_CACHE_HOME": str(tmp_path)}
    named = {key: value for key, value in os.environ.items() if key != "GDL_CACHE"}
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_OTHERS.format(others=others, words=words)],
        env=named | elsewhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
