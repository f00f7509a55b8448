"""What the text in the editor changes of the saved game: `gdl diff` between the two, as a page.

In: a rule file as it is saved and as it is in the editor. Out: a `Page`, whose texts show both
boards before the first move and after each of the play that tells the two apart. A file that the
manifest in its folder names is compared as a part of each ruleset that uses it.

    python -m gdl.lsp.unsaved

reads an `Edited` as a line of JSON from its standard input, and writes lines of JSON: ``stage`` as
it goes on, and in the end a ``page``, or in words why there is none (``refused``). A process of its
own can be ended at any moment, and leaves the interpreter to whoever types meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gdl.language.diagnostics import GdlError
from gdl.language.source import harmless
from gdl.ruleset import Ruleset

if TYPE_CHECKING:
    from gdl.verify.answer import Difference

SECONDS: Final = 60.0
"""What the comparison may take, where nobody says otherwise."""
SIDES: Final = ("saved", "edited")
"""What both versions are called, also as folders in the places of rules."""
STYLE: Final = (
    ":root{color-scheme:light dark}body{font-family:sans-serif;margin:1.5em}"
    "summary{cursor:pointer;padding:.2em 0}svg{max-width:100%;height:auto}"
)


@dataclass(frozen=True, slots=True)
class Edited:
    """A rule file, twice.

    Attributes:
        path: Where it lies.
        saved: Its text on the disk.
        edited: Its text in the editor.
        seconds: What the comparison may take, wall clock.
    """

    path: str
    saved: str
    edited: str
    seconds: float = SECONDS


@dataclass(frozen=True, slots=True)
class Page:
    """The answer.

    Attributes:
        headline: In a line, or one for each ruleset that the file is a part of.
        markdown: All of it as text, a heading for each step.
        html: All of it as a document without a script, in which a click opens a step.
    """

    headline: str
    markdown: str
    html: str


def compare(edited: Edited, on_stage: Callable[[str, str], None] | None = None) -> Page:
    """Compare both versions; works below the present folder, where it leaves two files.

    Args:
        edited: What is compared.
        on_stage: Told how far things are.

    Raises:
        GdlError: One of both cannot be read, or has no meaning, or they cannot be compared.
    """
    from gdl.verify.diff import diff

    end = time.monotonic() + edited.seconds
    pairs = list(_pairs(edited))
    differences: list[tuple[str, Difference]] = []
    for number, (name, saved, now) in enumerate(pairs):
        seconds = max(1.0, (end - time.monotonic()) / (len(pairs) - number))
        differences.append((name, diff(saved, now, seconds=seconds, on_stage=on_stage)))
    return page_of(Path(edited.path).name, differences)


def _pairs(edited: Edited) -> Iterator[tuple[str, Ruleset, Ruleset]]:
    """Yield the name of each ruleset that the file is a part of, and both its versions."""
    from gdl.lsp.manifests import rulesets_with

    here = Path(edited.path)
    files = [Path(side) / here.name for side in SIDES]
    for file, text in zip(files, (edited.saved, edited.edited), strict=True):
        file.parent.mkdir()
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
    alone = [Ruleset(here.name, (here,))]
    for ruleset in rulesets_with(edited.path) or alone:
        saved, now = (
            replace(ruleset, id=side, paths=tuple(file if p == here else p for p in ruleset.paths))
            for side, file in zip(SIDES, files, strict=True)
        )
        yield ruleset.id, saved, now


def page_of(file: str, differences: Sequence[tuple[str, Difference]]) -> Page:
    """Return the answers for all rulesets that a file is a part of, for people."""
    title = f"What the edits of {file} change"
    texts, parts, heads = [f"# {title}"], [f"<h1>{escape(harmless(title))}</h1>"], []
    for name, difference in differences:
        heads.append(f"{name}: {difference.headline}")
        texts += [f"## {name}", difference.headline]
        texts += [difference.sentence] if difference.sentence else []
        for number, step in enumerate(difference.steps):
            texts += [f"### {number}. {step.title}", _fenced(_boards(step.states))]
        texts += ["### report", _fenced(str(difference))]
        parts += [f"<h2>{escape(harmless(name))}</h2>", difference._repr_html_()]
    page = "".join(parts)
    head = f'<meta charset="utf-8"><title>{escape(harmless(title))}</title><style>{STYLE}</style>'
    html = f"<!doctype html><html><head>{head}</head><body>{page}</body></html>\n"
    return Page("\n".join(heads), "\n\n".join(texts) + "\n", html)


def _boards(states: Sequence[object]) -> str:
    """Return both boards side by side."""
    from itertools import zip_longest

    from gdl.verify.report import columns

    drawn = [[side, *str(state).splitlines()] for side, state in zip(SIDES, states, strict=True)]
    return "\n".join(columns([list(row) for row in zip_longest(*drawn, fillvalue="")]))


def _fenced(text: str) -> str:
    """Return a text as it stands; the fence is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{harmless(text)}\n{fence}"


def main() -> None:
    """Answer the question on the standard input."""
    asked = Edited(**json.loads(sys.stdin.buffer.readline()))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is written there would break the lines

    def say(**fields: object) -> None:
        answers.write(f"{json.dumps(fields)}\n")
        answers.flush()

    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)  # so that places of rules are named shortly
        try:
            say(page=asdict(compare(asked, lambda stage, text: say(stage=f"{stage}: {text}"))))
        except GdlError as error:
            say(refused=str(error))
        finally:
            os.chdir(before)


if __name__ == "__main__":
    main()
