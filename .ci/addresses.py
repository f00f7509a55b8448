"""Write into the package where it is published from: python .ci/addresses.py ADDRESS TAG.

In: the address of a repository, and the tag of a release. Out, in place, for a build of that
release alone: links of README.md that lead into the repository, and pictures, which a package
index shows from absolute addresses only; and ``[project.urls]``. Nothing in git names an address,
so a copy of the repository never speaks of another one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
LINK: Final = re.compile(r"(!?)(\[[^\]]*\])\(([^)\s]+)\)")
URLS: Final = """
[project.urls]
Source = "{address}"
Documentation = "{address}/blob/{tag}/docs/index.md"
Issues = "{address}/issues"
Changelog = "{address}/blob/{tag}/CHANGELOG.md"

[project.optional-dependencies]
"""


def absolute(text: str, address: str, tag: str) -> str:
    """Return a page with the addresses of what its links and pictures lead to."""

    def link(found: re.Match[str]) -> str:
        mark, words, aim = found.groups()
        if re.match(r"[a-z]+:|#", aim):
            return found[0]
        return f"{mark}{words}({address}/{'raw' if mark else 'blob'}/{tag}/{aim})"

    return LINK.sub(link, text)


def with_urls(text: str, address: str, tag: str) -> str:
    """Return the text of ``pyproject.toml`` with the addresses of the project."""
    return text.replace(
        "\n[project.optional-dependencies]\n", URLS.format(address=address, tag=tag)
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case [address, tag]:
            for name, change in {"README.md": absolute, "pyproject.toml": with_urls}.items():
                path = ROOT / name
                path.write_text(change(path.read_text("utf-8"), address, tag), encoding="utf-8")
        case _:
            raise SystemExit(__doc__)
