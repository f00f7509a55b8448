"""How long an editor waits after a keystroke: ``python -m tests.lsp.latency FILE...``.

Each file is opened in a real server; then letters are typed, one at a time, at places that a seed
picks, each followed by a wait for the problems of that text. Out: lines, p50 and p99 in ms. Without
files, texts of 100, 1,000 and 5,000 lines are made of copies of a ruleset under other names.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tempfile
import time
from pathlib import Path

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


async def waits(text: str, keystrokes: int = KEYSTROKES) -> list[float]:
    """Return the seconds from each keystroke to the problems of that text, sorted."""
    chance = random.Random(0)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        async with editor(Path(folder) / "a.kif", text) as typed:
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


def share(found: list[float], part: float) -> float:
    """Return the wait that so large a part of all does not exceed."""
    return found[min(len(found) - 1, int(part * len(found)))]


def main(words: list[str]) -> None:
    """Write a line a text."""
    texts = [(word, Path(word).read_text("utf-8", "replace")) for word in words]
    for name, text in texts or [(f"{lines} lines", text_of(lines)) for lines in SIZES]:
        found = asyncio.run(waits(text))
        told = f"p50 {1000 * share(found, 0.5):.0f} ms, p99 {1000 * share(found, 0.99):.0f} ms"
        sys.stdout.write(
            f"{name}: {text.count(chr(10)):,} lines, {len(text):,} characters: {told}\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
