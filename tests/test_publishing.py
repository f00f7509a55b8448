"""What others install, and what their repositories run: it fits the commands that are there."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from gdl.cli.terminal.options import PAGE, located
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


ADDRESS = "https://example.org/somebody/gdl"


def addresses() -> ModuleType:
    spec = importlib.util.spec_from_file_location("addresses", ROOT / ".ci" / "addresses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_package_says_what_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {"name", "description", "readme", "keywords", "requires-python"} <= project.keys()
    assert project["license"] == "MIT"
    assert all((ROOT / name).is_file() for name in project["license-files"])
    assert all(author["name"] for author in project["authors"])
    groups = {classifier.split(" :: ")[0] for classifier in project["classifiers"]}
    assert {"Development Status", "Intended Audience", "Topic", "Typing"} <= groups
    # No address is known before a release is built, and none is made up.
    assert "urls" not in project


def test_a_release_knows_where_it_comes_from() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    before = tomllib.loads(text)
    after = tomllib.loads(addresses().with_urls(text, ADDRESS, "v1.0.0"))
    urls = after["project"].pop("urls")
    assert after == before
    assert urls.keys() == {"Source", "Documentation", "Issues", "Changelog"}
    for url in urls.values():
        assert url.startswith(ADDRESS)
        inside = url.removeprefix(f"{ADDRESS}/blob/v1.0.0/")
        assert inside in {ADDRESS, f"{ADDRESS}/issues"} or (ROOT / inside).is_file()


def test_the_readme_of_a_release_shows_everywhere() -> None:
    from markdown_it import MarkdownIt

    text = (ROOT / "README.md").read_text("utf-8")
    shown = (
        MarkdownIt("commonmark")
        .enable("table")
        .render(addresses().absolute(text, ADDRESS, "v1.0.0"))
    )
    aims = re.findall(r'(?:href|src)="([^"]+)"', shown)
    assert any(aim.startswith(f"{ADDRESS}/raw/v1.0.0/") for aim in aims)
    for aim in aims:
        assert aim.startswith(("https:", "#")), aim
        inside = re.sub(rf"{ADDRESS}/(raw|blob)/v1\.0\.0/|#.*", "", aim)
        assert not aim.startswith(ADDRESS) or (ROOT / inside).exists(), aim


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
        ".ci/addresses.py",
        "python -m build",
        "twine check --strict",
        "attest-build-provenance",
        "upload-artifact",
    ]
    places = [next(i for i, step in enumerate(steps) if part in step) for part in order]
    assert places == sorted(places)
    assert jobs["publish"]["needs"] == "build"


def test_the_pages_that_help_names_are_installed(tmp_path: Path) -> None:
    named = {
        page
        for path in (
            *(ROOT / "gdl" / "cli").rglob("*.py"),
            ROOT / "gdl" / "ruleset" / "search.py",
            ROOT / "gdl" / "language" / "checks" / "explanations.toml",
        )
        for page in PAGE.findall(path.read_text("utf-8"))
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert named == {"editors.md", "rulesets.md", "serve.md", "testing.md", "verification.md"}
    for page in named:
        assert (ROOT / "docs" / page).exists()
        assert wheel["force-include"][f"docs/{page}"] == f"gdl/_docs/{page}"
    (tmp_path / "testing.md").touch()
    assert located("docs/testing.md has it all.", tmp_path) == f"{tmp_path}/testing.md has it all."
    assert located("docs/serve.md says it.", tmp_path) == "docs/serve.md says it."
