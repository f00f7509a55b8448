"""How long an editor waits after a keystroke: ``python -m tests.lsp.latency FILE...``.

Each file is opened in a real server, a part of a ruleset where it lies; then letters are typed, one
at a time, at places that a seed picks, each followed by a wait for the problems of that text. Out:
lines, p50 and p99 in ms, by the clock in the client (with what both ends take for messages), and of
processor time for the problems of the same keystrokes. Without files, texts of 100, 1,000 and 5,000
lines are made of copies of a ruleset under other names; ``--processor`` leaves the client away.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types

from gdl._gc_pause import collector_paused
from gdl.lsp.documents import Document
from gdl.lsp.parts import Parts
from gdl.lsp.problems import problems
from tests.lsp.client import editor
from tests.shared import ROOT

KEYSTROKES = 200
SIZES = (100, 1_000, 5_000)
BASE = ROOT / "rulesets" / "breakthrough" / "breakthrough.kif"


def text_of(lines: int) -> str:
    """Return a game of so many lines: a ruleset, and copies of its relations under other names."""
    rules = BASE.read_text("utf-8")
    own = sorted(set(re.findall(r"^\(<= \((\w+)", rules, re.MULTILINE)) - {"next", "legal", "goal"})
    text, number = rules, 0
    while text.count("\n") < lines:
        number += 1
        copy = rules
        for name in own:
            copy = re.sub(rf"(?<=\(){name}(?=[ )])", f"{name}{number}", copy)
        text += copy
    return "".join(text.splitlines(keepends=True)[:lines])


async def waits(text: str, name: str = "", keystrokes: int = KEYSTROKES) -> list[float]:
    """Return the seconds from each keystroke to the problems of that text, sorted."""
    chance = random.Random(0)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        async with editor(path_of(name, Path(folder)), text) as typed:
            await typed.problems()
            for _ in range(keystrokes):
                where = chance.randrange(len(typed.text))
                begin = time.perf_counter()
                typed.replace(where, where, chance.choice("abc ()?"))
                await typed.problems()
                found.append(time.perf_counter() - begin)
                typed.replace(where, where + 1, "")
                await typed.problems()
    return sorted(found)


def path_of(name: str, folder: Path) -> Path:
    """Return where a text is said to lie: nothing is written there."""
    return Path(name).absolute() if Path(name).is_file() else folder / "a.kif"


def work(text: str, name: str = "", keystrokes: int = KEYSTROKES) -> list[float]:
    """Return the seconds of processor time that the problems of each such text take, sorted."""
    uri = path_of(name, Path("/nowhere")).as_uri()
    item = types.TextDocumentItem(uri, "kif", 1, text)
    document, chance, seconds = Document(item, "utf-16"), random.Random(0), []
    problems(Parts(document.reading))
    for version in range(2, 2 * keystrokes + 2, 2):
        where = chance.randrange(len(text))
        for number, stop, put in ((0, where, chance.choice("abc ()?")), (1, where + 1, "")):
            place = document.reading.lines.range(where, stop)
            change = types.TextDocumentContentChangePartial(range=place, text=put)
            begin = time.process_time()
            document.change(version + number, [change])
            with collector_paused():
                problems(Parts(document.reading))
            seconds.append(time.process_time() - begin)
    return sorted(seconds)


def share(found: list[float], part: float) -> float:
    """Return the wait that so large a part of all does not exceed."""
    return found[min(len(found) - 1, int(part * len(found)))]


def quantiles(found: list[float]) -> str:
    """Return the middle and the last hundredth in words."""
    return f"p50 {1000 * share(found, 0.5):.0f} ms, p99 {1000 * share(found, 0.99):.0f} ms"


def main(words: list[str]) -> None:
    """Write a line a text."""
    paths = [word for word in words if word != "--processor"]
    texts = [(path, Path(path).read_text("utf-8", "replace")) for path in paths]
    for name, text in texts or [(f"{lines} lines", text_of(lines)) for lines in SIZES]:
        told = f"processor {quantiles(work(text, name))}"
        if "--processor" not in words:
            told += f", clock {quantiles(asyncio.run(waits(text, name)))}"
        sys.stdout.write(
            f"{name}: {text.count(chr(10)):,} lines, {len(text):,} characters: {told}\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
