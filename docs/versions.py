"""Put a version of the site beside those of before: python docs/versions.py SITE FOLDER VERSION.

In: a built site, and a folder that any web server gives out. It then holds the site as
``VERSION/``, the list that the selector of the theme reads (``versions.json``, newest first), and
a page that leads to the newest release. The folder is all that is kept from one release to the
next; a version that is there already is made anew.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Final

VERSION: Final = re.compile(r"[0-9]+(\.[0-9]+)*((\.dev|a|b|rc)[0-9]+)?")
DEVELOPMENT: Final = "dev"
"""What is built between two releases: shown last, and never the one that a reader is led to."""
PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>gdl</title>
<meta http-equiv="refresh" content="0; url={newest}/">
<a href="{newest}/">The documentation of gdl {newest}</a>
</html>
"""


def add(site: Path, folder: Path, version: str) -> None:
    """Put a version beside those that are there.

    Raises:
        ValueError: The version is none, or the site is no built one.
    """
    if version != DEVELOPMENT and not VERSION.fullmatch(version):
        raise ValueError(f"{version} is no version; expected: such as 0.2.0, or {DEVELOPMENT}")
    if not (site / "index.html").is_file():
        raise ValueError(f"{site} is no built site; help: make site")
    shutil.rmtree(folder / version, ignore_errors=True)
    shutil.copytree(site, folder / version)
    there = [path.parent.name for path in folder.glob("*/index.html")]
    versions = sorted(filter(_is_version, there), key=_age, reverse=True)
    listed = [{"version": name, "title": name, "aliases": []} for name in versions]
    listed[0]["aliases"] = ["latest"]
    (folder / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(PAGE.format(newest=versions[0]), encoding="utf-8")


def _is_version(name: str) -> bool:
    return name == DEVELOPMENT or VERSION.fullmatch(name) is not None


def _age(name: str) -> tuple[list[int], bool, str]:
    """Return what sorts versions from the oldest on: what comes before a release is older."""
    if name == DEVELOPMENT:
        return [], False, ""
    numbers = re.match(r"[0-9.]*[0-9]", name)
    assert numbers is not None  # see `VERSION`
    behind = name[numbers.end() :]
    return [int(number) for number in numbers[0].split(".")], not behind, behind


if __name__ == "__main__":
    match sys.argv[1:]:
        case [site, folder, version]:
            try:
                add(Path(site), Path(folder), version)
            except ValueError as error:
                raise SystemExit(f"error: {error}") from None
        case _:
            raise SystemExit(__doc__)
