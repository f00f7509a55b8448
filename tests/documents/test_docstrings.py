"""The examples of docstrings print what they say (as ``pytest --doctest-modules gdl`` asks)."""

from __future__ import annotations

import doctest
import re
from importlib import import_module

import pytest

from tests.shared import ROOT, missing

NEEDED = {
    "gdl.adapters.jax": "jax",
    "gdl.adapters.openspiel": "openspiel",
    "gdl.adapters": "adapters",
    "gdl.verify": "verify",
    "gdl.play": "play",
    "gdl.compile": "native",
}
"""The extra that the examples of a module, or of those below it, need."""
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "gdl").rglob("*.py")
    if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
)


SLOW = {"gdl.play.solve", "gdl.verify.diff"}
"""Modules whose examples search or prove for a second or more."""


@pytest.mark.later
@pytest.mark.parametrize(
    "module",
    [
        pytest.param(module, marks=[pytest.mark.slow] if module in SLOW else [])
        for module in MODULES
    ],
)
def test_examples_print_what_they_say(module: str) -> None:
    for name, extra in NEEDED.items():
        if module.startswith(name) and missing(extra):
            pytest.skip(missing(extra))
    ran = doctest.testmod(import_module(module))
    assert ran.attempted
    assert not ran.failed
