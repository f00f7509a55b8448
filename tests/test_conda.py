"""The conda recipe asks for what pyproject.toml asks for, in the names that conda has for it."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import gdl

ROOT = Path(__file__).parents[1]
CONDA_NAMES = {"prometheus-client": "prometheus_client"}
"""Packages that conda calls otherwise."""
EXTRAS = ("native", "verify", "play", "solve", "lsp", "serve")
"""What whoever uses the command line may want beside it."""
yaml = pytest.importorskip("yaml")

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]


def recipe() -> dict[str, Any]:
    """Return the recipe with what its context says put in."""
    text = (ROOT / ".conda" / "recipe.yaml").read_text("utf-8")
    context = yaml.safe_load(text)["context"]
    default = re.search(r'default="([^"]+)"', context["version"])
    assert default is not None
    known = {**context, "version": default[1], "PYTHON": "python"}
    put = re.sub(r"\$\{\{ (\w+) \}\}", lambda match: str(known[match[1]]), text)
    filled = yaml.safe_load(put)
    assert isinstance(filled, dict)
    return filled


def conda(requirements: Iterable[str]) -> set[str]:
    """Return requirements as conda writes them, for all systems; our own extras are none."""
    found = set()
    for requirement in requirements:
        if not requirement.startswith(PROJECT["name"]):
            name, least = re.split(r"(?=>=)", requirement.partition(";")[0], maxsplit=1)
            found.add(f"{CONDA_NAMES.get(name, name)} {least}")
    return found


def test_it_is_the_same_package() -> None:
    made = recipe()
    assert made["schema_version"] == 1
    assert made["package"]["name"] == PROJECT["name"]
    assert made["package"]["version"] == PYPROJECT["tool"]["hatch"]["version"]["fallback-version"]
    assert (
        made["build"]["script"]["env"]["SETUPTOOLS_SCM_PRETEND_VERSION"]
        == (made["package"]["version"])
    )
    about = made["about"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"]
    assert [about["license_file"]] == PROJECT["license-files"]
    assert (ROOT / ".conda" / made["source"]["path"]).resolve() == ROOT
    scripts = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert made["build"]["python"]["entry_points"] == scripts


def test_it_asks_for_the_same_packages() -> None:
    needs = recipe()["requirements"]
    python = PROJECT["requires-python"].removeprefix(">=")
    assert set(needs["run"]) == conda(PROJECT["dependencies"]) | {f"python >={python}"}
    assert set(needs["host"]) == conda(PYPROJECT["build-system"]["requires"]) | {
        *(f"python {python}.*", "pip")
    }
    optional = conda(each for name in EXTRAS for each in PROJECT["optional-dependencies"][name])
    assert set(needs["run_constraints"]) == optional


def test_what_it_tries_works() -> None:
    imports, commands = recipe()["tests"]
    for name in imports["python"]["imports"]:
        __import__(name)
    for line in commands["script"]:
        program, *words = shlex.split(line)
        assert program == "gdl"
        assert gdl(*words).code == 0
