"""Values as HTML for notebooks: texts, tables, trees that fold. Whatever is shown is escaped.

In: text that may come from rules nobody has vouched for. Out: HTML without a script, without a
name that others could style, and without anything that is loaded from elsewhere.

Source: HTML Living Standard, sections 4.4.3 (pre), 4.9 (tables), 4.11.1 (details).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from gdl.language.source import harmless

PLAIN: Final = "white-space:pre;line-height:1.3;margin:0"
"""Style of a text whose columns matter, such as a caret below a word."""
RIGHT: Final = "text-align:right"
LEFT: Final = "text-align:left"


def text_html(text: str) -> str:
    """Return a text as it stands, line by line.

    Example:
        >>> text_html("a < b")
        '<pre style="white-space:pre;line-height:1.3;margin:0">a &lt; b</pre>'
    """
    return f'<pre style="{PLAIN}">{escape(harmless(text))}</pre>'


def table_html(heads: Sequence[str], rows: Iterable[Sequence[str]], *, style: str = RIGHT) -> str:
    """Return a table whose cells are set to the right, or as a style says."""

    def row(cells: Sequence[str], tag: str) -> str:
        inner = "".join(f'<{tag} style="{style}">{escape(harmless(c))}</{tag}>' for c in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def listed_html(head: str, words: Iterable[tuple[str, str]]) -> str:
    """Return words one behind the other below a head, each with what the pointer shows of it."""
    inner = " ".join(
        f'<code title="{escape(harmless(more))}">{escape(harmless(word))}</code>'
        for word, more in words
    )
    return f"<div><p><strong>{escape(harmless(head))}</strong></p><p>{inner}</p></div>"


def beside_html(pictures: Iterable[tuple[str, str]]) -> str:
    """Return pictures side by side, in as many rows as it takes.

    Args:
        pictures: For each what is said below it, and its HTML, which is not escaped again.
    """
    figures = "".join(
        f'<figure style="margin:0">{html}<figcaption>{escape(harmless(said))}</figcaption></figure>'
        for said, html in pictures
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:end">{figures}</div>'


def steps_html(steps: Sequence[tuple[str, str]], name: str) -> str:
    """Return steps of which one is open, the last one at first: a click opens another.

    Args:
        steps: For each what it is called, and its HTML, which is not escaped again.
        name: What these have in common and no others of the page; without browsers that know it
            several may be open at once.
    """
    last = len(steps) - 1
    return "".join(
        f'<details name="{escape(name)}"{" open" if number == last else ""}>'
        f"<summary>{escape(harmless(said))}</summary>{html}</details>"
        for number, (said, html) in enumerate(steps)
    )


def tree_html(lines: Sequence[str]) -> str:
    """Return lines as a tree that folds: those further in belong to the one before them.

    Args:
        lines: Each with two blanks for each level before it, as explanations are drawn.
    """
    depths = [(len(line) - len(line.lstrip(" "))) // 2 for line in lines]
    parts: list[str] = []
    open_depths: list[int] = []
    for number, (line, depth) in enumerate(zip(lines, depths, strict=True)):
        while open_depths and depth <= open_depths[-1]:
            parts.append("</div></details>")
            open_depths.pop()
        said = f"<code>{escape(harmless(line.strip()))}</code>"
        if number + 1 < len(lines) and depths[number + 1] > depth:
            parts.append(f"<details open><summary>{said}</summary>")
            parts.append('<div style="margin-left:1.5em">')
            open_depths.append(depth)
        else:
            parts.append(f"<div>{said}</div>")
    parts += ["</div></details>"] * len(open_depths)
    return "".join(parts)
