"""The blocks of a page of the documentation: fenced ones, and ones that are indented by four."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.shared import ROOT

INDENT: Final = " " * 4
PROMPT: Final = "$ "
FENCE: Final = "```"


@dataclass(frozen=True)
class Block:
    """A piece of a page that is no prose.

    Attributes:
        page: The page, as it is called from the root of the repository.
        line: Number of its first line.
        language: What is written behind the fence, empty where it is only indented.
        text: What stands in it, without fence and indent.
    """

    page: str
    line: int
    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """A line that a reader types, and what the page says comes out; None where it says nothing."""

    words: tuple[str, ...]
    output: str | None

    def __str__(self) -> str:
        """Return the line."""
        return " ".join(self.words)


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = iter(enumerate(text.splitlines(), start=1))
    is_after_blank = True
    for number, line in lines:
        if line.startswith(FENCE):
            inside = []
            for _, each in lines:
                if each.startswith(FENCE):
                    break
                inside.append(each)
            yield Block(page, number, line.removeprefix(FENCE), "\n".join(inside) + "\n")
        elif line.startswith(INDENT) and is_after_blank:
            inside = [line]
            end = ""
            for _, end in lines:
                if end.strip() and not end.startswith(INDENT):
                    break
                inside.append(end)
            within = "\n".join(each.removeprefix(INDENT).rstrip() for each in inside)
            yield Block(page, number, "", within.strip("\n") + "\n")
        is_after_blank = not line.strip() or line.startswith("#")


def commands(block: Block) -> list[Command]:
    """Return the commands of a block: lines behind a prompt with what they print, or bare lines."""
    if not block.text.startswith(PROMPT):
        return [Command(_words(line), None) for line in block.text.splitlines() if line]
    shown = re.split(rf"^{re.escape(PROMPT)}(.*)\n", block.text, flags=re.MULTILINE)[1:]
    return [
        Command(_words(line), output) for line, output in zip(shown[::2], shown[1::2], strict=True)
    ]


def _words(line: str) -> tuple[str, ...]:
    return tuple(shlex.split(line, comments=True))
