"""Build the playground: python docs/playground/build.py FOLDER.

The folder then holds static files that any web server gives out: the page, Pyodide from the npm
package of that name, and gdl with what its plain installation needs, as wheels. Needs npm and pip.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import requires
from pathlib import Path
from typing import Final

from gdl.compile import build
from gdl.native.wasm.module import wasm_module
from gdl.ruleset import find

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
PAGE: Final = (
    *("index.html", "page.js", "worker.js", "session.py"),
    *("machine.js", "machine-worker.js", "games.json"),
)
PYODIDE: Final = "pyodide@^314.0.0"
RUNTIME: Final = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"),
    *("python_stdlib.zip", "pyodide-lock.json"),
)
WITHOUT: Final = {"rich", "typer"}
"""What only the command line needs."""


def main(folder: Path) -> None:
    """Write the playground into a folder that is made anew."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed, which comes with Node.js")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "packages").mkdir(parents=True)
    (folder / "pyodide").mkdir()
    for name in PAGE:
        shutil.copy(HERE / name, folder / name)
    with tempfile.TemporaryDirectory() as place:
        options = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock"]
        subprocess.run([npm, "install", "--prefix", place, *options, PYODIDE], check=True)
        for name in RUNTIME:
            shutil.copy(Path(place, "node_modules", "pyodide", name), folder / "pyodide" / name)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    packages = str(folder / "packages")
    subprocess.run([*pip, "wheel", "--no-deps", "-w", packages, str(ROOT)], check=True)
    needed = [text for text in requires("gdl-framework") or () if "extra ==" not in text]
    plain = [text for text in needed if re.split(r"\W", text)[0] not in WITHOUT]
    pure = ["--only-binary=:all:", "--platform=any", "--no-deps"]
    subprocess.run([*pip, "download", *pure, "-d", packages, *plain], check=True)
    names = sorted(path.name for path in (folder / "packages").iterdir())
    (folder / "packages.json").write_text(json.dumps(names), encoding="utf-8")
    (folder / "machines").mkdir()
    for name in json.loads((HERE / "games.json").read_text(encoding="utf-8")):
        file = folder / "machines" / f"{name_of_file(name)}.wasm"
        file.write_bytes(wasm_module(build(find(name).description)))


def name_of_file(ruleset: str) -> str:
    """Return a ruleset's id as a name that every server gives out as it stands."""
    return re.sub(r"\W", "-", ruleset)


if __name__ == "__main__":
    match sys.argv[1:]:
        case [place]:
            main(Path(place))
        case _:
            raise SystemExit(__doc__)
