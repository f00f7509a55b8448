"""What others install, and what their repositories run: it fits the commands that are there."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import gdl

ROOT = Path(__file__).parents[1]
yaml = pytest.importorskip("yaml")


def read(name: str) -> object:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def options(command: str) -> set[str]:
    """The options of a command line, as words."""
    return {word for word in shlex.split(command) if word.startswith("--")}


def test_the_package_says_for_which_pythons_and_systems_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["authors"]
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    for version in ("3.11", "3.12", "3.13", "3.14"):
        assert f"Programming Language :: Python :: {version}" in project["classifiers"]
        assert f'"{version}"' in workflow
    assert "Operating System :: OS Independent" in project["classifiers"]


def test_hooks_call_commands_that_are_there() -> None:
    hooks = read(".pre-commit-hooks.yaml")
    assert isinstance(hooks, list)
    for hook in hooks:
        program, command, *_ = shlex.split(hook["entry"])
        assert program == "gdl"
        assert options(hook["entry"]) <= set(gdl(command, "--help", columns=300).out.split())


def test_the_action_passes_options_that_are_there() -> None:
    action = read("action.yml")
    assert isinstance(action, dict)
    script = "\n".join(step.get("run", "") for step in action["runs"]["steps"])
    there = set(
        (gdl("check", "--help", columns=300).out + gdl("test", "--help", columns=300).out).split()
    )
    for option in ("--github", "--strict", "--sarif"):
        assert option in script
        assert option in there
    wanted = {f"inputs.{name}" for name in action["inputs"]}
    text = (ROOT / "action.yml").read_text("utf-8")
    assert all(name in text for name in wanted)


def test_a_release_is_checked_and_signed_before_it_is_published() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    steps = [step.get("run", step.get("uses", "")) for step in jobs["build"]["steps"]]
    order = [
        "python -m build",
        "twine check --strict",
        "attest-build-provenance",
        "upload-artifact",
    ]
    places = [next(i for i, step in enumerate(steps) if part in step) for part in order]
    assert places == sorted(places)
    assert jobs["publish"]["needs"] == "build"
