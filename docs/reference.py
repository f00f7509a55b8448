"""Pages of the site that are made from the code: commands, diagnostics, Python, examples.

MkDocs calls the functions whose names begin with ``on_`` (``hooks`` in ``mkdocs.yml``). In: the
code as it is. Out: pages in Markdown, and their places in the menu. ``make site`` builds the site,
and a warning is an error there.
"""

from __future__ import annotations

import ast
import importlib
import re
import shutil
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import typer
import typer.main
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url
from typer.cli import get_docs_for_click

import gdl
from gdl.cli.main import COMMANDS, build
from gdl.language.checks.explanations import explanations

ROOT: Final = Path(__file__).parent.parent
PLAYGROUND: Final = ROOT / "build" / "playground"
"""Where ``make playground`` puts it; if it is there, the site takes it in."""
_GAME: Final = re.compile(r"^```lisp\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_OF_PLAY: Final = re.compile(r"\((role|init|true|does|next|legal|goal)\b|\bterminal\b")
AROUND: Final = """
; a game of one move around it, so that it can be asked: below, for instance, (apart a c)
(role reader) (init unread) (<= (legal reader read) (true unread))
(<= (next seen) (does reader read)) (<= terminal (true seen)) (goal reader 100)
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages that are made here, and those of the catalogue, into the menu."""
    nav = config.nav
    assert isinstance(nav, list)
    names = sorted(path.name for path in (ROOT / "docs" / "catalogue").glob("*.md"))
    nav.append({"Games": [f"catalogue/{name}" for name in names]})
    nav.append({"Python": [f"reference/{package}.md" for package in _packages()]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here, and the boards of the catalogue."""
    for name, content in (*_pages(), *_boards()):
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Show the boards of a family at the end of its page; let games be edited and run."""
    folder, _, name = page.file.src_uri.partition("/")
    if folder != "catalogue":
        return with_links(markdown, page.url) if PLAYGROUND.is_dir() else markdown
    shown = [
        f"**`{ruleset}`**\n\n![Its first position](boards/{_board(ruleset)}){{ width=360 }}"
        for ruleset in _family(name.removesuffix(".md"))
        if _svg(ruleset) is not None
    ]
    return "\n\n".join([markdown, *(["## Boards", *shown] if shown else [])])


def on_post_build(config: MkDocsConfig) -> None:
    """Take the playground in, where it was built."""
    if PLAYGROUND.is_dir():
        shutil.copytree(PLAYGROUND, Path(config.site_dir) / "playground", dirs_exist_ok=True)


def with_links(markdown: str, url: str) -> str:
    """Return a page with a link below each block of rules that stands by itself.

    It opens the playground with these rules. Where they say nothing of play they are given a game
    of one move, to be asked in. A piece of a game, which does not say when it ends, has no link.
    """
    page = get_relative_url("playground/index.html", url)

    def linked(block: re.Match[str]) -> str:
        rules, words = block[1], "Edit and run it in the browser"
        if not _OF_PLAY.search(rules):
            rules, words = (
                f"{rules}{AROUND}",
                "Edit it, and ask why something holds, in the browser",
            )
        elif "terminal" not in rules:
            return block[0]
        link = f"{page}#{urlencode({'rules': rules})}"
        return f'{block[0]}\n<a href="{escape(link)}">{words}</a>\n'

    return _GAME.sub(linked, markdown)


def _family(name: str) -> list[str]:
    return [each.id for each in gdl.rulesets() if each.id.split("/")[0] == name]


def _board(ruleset: str) -> str:
    return f"{ruleset.replace('/', '-')}.svg"


@cache
def _svg(ruleset: str) -> str | None:
    """Return the picture of the first position."""
    game = gdl.load(ruleset, backend="reason")
    return game.ruleset.draw_svg(game.initial().facts)


def _boards() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "docs" / "catalogue").glob("*.md")):
        for ruleset in _family(path.stem):
            drawn = _svg(ruleset)
            if drawn is not None:
                yield f"catalogue/boards/{_board(ruleset)}", drawn


def _pages() -> Iterator[tuple[str, str]]:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    yield "changelog.md", changes.replace("](docs/", "](")
    yield "examples.md", _examples()
    yield "reference/index.md", _contents()
    yield "reference/commands.md", _commands()
    yield "reference/diagnostics.md", _diagnostics()
    yield "internals.md", _internals()
    yield "design.md", _design()
    for package, names in _packages().items():
        yield f"reference/{package}.md", _package(package, names)


def _contents() -> str:
    """Return a page that says what of the reference is where."""
    about = (
        "[Every command](commands.md), [every diagnostic](diagnostics.md), and every public name "
        "of Python, module by module:"
    )
    rows = [f"| [`{name}`]({name}.md) | {_said(name)} |" for name in _packages()]
    table = "\n".join(["| module | what it is |", "|---|---|", *rows])
    return f"# Reference\n\n{about}\n\n{table}"


def _examples() -> str:
    parts = ["# Examples: whole programs"]
    for path in sorted((ROOT / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts.append(f"## {path.stem.replace('_', ' ')}\n\n```python\n{text}```")
    return "\n\n".join(parts)


def _internals() -> str:
    """Return a page about the house: the way of the data, and what each room says of itself."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    house = contributing.partition("\n## The house in one page\n")[2].partition("\n## ")[0]
    about = "The rooms from the top down: each knows only rooms that stand below it here."
    parts = ["# Internals: the house", house.replace("](docs/", "](").strip(), about]
    for line in _layers():
        for room in line:
            path = _files_of(room)[0]
            if path.name == "__init__.py":  # a module by itself is plumbing, or the door
                parts += [f"## `gdl.{room}` {{ #{room} }}", _docstring(path)]
    return "\n\n".join(parts)


def _design() -> str:
    """Return a page with each step that follows a paper or a standard, room by room."""
    about = (
        "Each module that follows a paper, a standard or another program says so. Here they all "
        "are, in the order of [the rooms](internals.md)."
    )
    parts = ["# Design notes: what each step is made after", about]
    for room in (room for line in _layers() for room in line):
        rows = []
        for path in _files_of(room):
            head, _, source = _docstring(path).partition("\nSource: ")
            if source:
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                said = (head.split("\n\n")[0], source.split("\n\n")[0])
                cells = (" ".join(text.split()).replace("|", "\\|") for text in said)
                rows.append(f"| `{name.removesuffix('.__init__')}` | {' | '.join(cells)} |")
        if rows:
            parts += [
                f"## {room.lstrip('_')}",
                "\n".join(["| module | what it does | after |", "|---|---|---|", *rows]),
            ]
    return "\n\n".join(parts)


def _layers() -> list[list[str]]:
    """Return the rooms of `gdl` from the top down, as the import contracts name them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return [re.findall(r"\w+", line) for line in contract["layers"]]


def _files_of(room: str) -> list[Path]:
    """Return the modules of a room, that with the map of it first; or the one that it is."""
    folder = ROOT / "gdl" / room
    if not folder.is_dir():
        return [folder.with_suffix(".py")]
    return sorted(folder.rglob("*.py"), key=lambda path: (path != folder / "__init__.py", path))


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def _commands() -> str:
    """Return a page about all commands; their examples are set as they are typed."""
    program: Any = typer.main.get_command(build())
    context = typer.Context(program, info_name="gdl")
    parts = ["# Commands", "What `gdl COMMAND --help` says, on one page."]
    for heading, commands in COMMANDS.items():
        parts.append(f"## {heading}")
        for command in commands:
            name = command.__name__.replace("_", "-")
            inner = program.commands[name]
            text = get_docs_for_click(
                obj=inner,
                ctx=typer.Context(inner, info_name=name, parent=context),
                name=f"gdl {name}",
            )
            parts.append(re.sub(r"^#+ ", "### ", _fenced(text), count=1))
    return "\n\n".join(parts)


def _fenced(text: str) -> str:
    """Return help with the lines that are indented by two, which are typed, as blocks."""
    return re.sub(
        r"^Examples:\n((?:  .*\n|\n(?=  ))+)",
        lambda found: f"Examples:\n\n```console\n{textwrap.dedent(found[1])}```\n",
        text,
        flags=re.MULTILINE,
    )


def _diagnostics() -> str:
    about = (
        "What [`gdl check`](../checking.md) and `gdl test` may say of rules, manifests and tests "
        "of games; `gdl check --explain NAME` says the same."
    )
    parts = ["# Diagnostics", about]
    for slug, each in explanations().items():
        parts += [f"## {slug}", f"**{each.title}.** {each.rule}", each.why]
        if each.wrong:
            language = {"rules": "lisp", "properties": "text"}.get(each.of, "toml")
            parts.append(f"Wrong:\n\n```{language}\n{each.wrong.strip()}\n```")
            parts.append(f"Right:\n\n```{language}\n{each.right.strip()}\n```")
        parts.append(f"*Source: {each.source}*")
    return "\n\n".join(parts)


@cache
def _packages() -> dict[str, list[str]]:
    """Return the packages and modules that say which names are public, each with these."""
    found = {"gdl": list(gdl.__all__)}
    for path in sorted((ROOT / "gdl").rglob("*.py")):
        names = _public(path)
        if names:
            place = path.relative_to(ROOT).with_suffix("")
            found[".".join(place.parts).removesuffix(".__init__")] = names
    return found


def _public(path: Path) -> list[str]:
    """Return the names in the `__all__` of a module, without running it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _package(package: str, names: list[str]) -> str:
    """Return a page about the public names of a package, each where it is defined."""
    parts = [f"# {package}", _said(package)]
    values = {name: _value(package, name) for name in names}
    for name in sorted(names, key=lambda each: _is_error(values[each])):
        place = _place(package, name, values[name])
        if _page_of(place) == package:
            parts.append(f"::: {place}")
        else:  # a place has one page, to which links lead
            parts.append(f"### [`{name}`][{place}]")
    return "\n\n".join(parts)


def _said(package: str) -> str:
    """Return the first sentence of what a package or a module says of itself."""
    path = ROOT.joinpath(*package.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return _docstring(path).partition("\n")[0]


def _place(package: str, name: str, value: object) -> str:
    """Return where a public name is defined, as far as that is known."""
    home = getattr(value, "__module__", package)
    if callable(value) and home.startswith("gdl"):
        return f"{home}.{getattr(value, '__qualname__', name)}"
    return f"{package}.{name}"


@cache
def _pages_of_places() -> dict[str, str]:
    """Return on which page each place is described: that of `gdl`, or else of its own package."""
    pages: dict[str, str] = {}
    for package, names in _packages().items():
        for name in names:
            place = _place(package, name, _value(package, name))
            if place not in pages or (pages[place] != "gdl" and place.startswith(f"{package}.")):
                pages[place] = package
    return pages


def _page_of(place: str) -> str:
    return _pages_of_places()[place]


def _value(package: str, name: str) -> object:
    """Return a public value; None where it needs a package that is not here, and is only read."""
    try:
        return getattr(importlib.import_module(package), name)
    except (gdl.GdlError, ImportError):
        return None


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)
