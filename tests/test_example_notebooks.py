"""The notebooks of ``examples/notebooks/`` run from the first cell to the last.

Each shows what it tells of. They are kept without outputs: nothing in them grows old, and a change
of one can be read.
"""

from __future__ import annotations

import asyncio
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.shared import ROOT, missing

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))

SHOWN = {
    "first_game": [
        "Tic-tac-toe</strong> (tictactoe: x, o; ",
        "<svg",
        "<details",
        "IllegalMoveError: b2 is not legal for o here",
        "15120",
        "1,000,000 random games",
        "(take 3)",
        "<broken>:2:23: error[unsafe-variable]",
        "did you mean terminal where it says terminl?",
        "application/vnd.jupyter.widget-view+json",
    ],
    "comparing_variants": [
        "hex?size=3 and hex/swap?size=3: differs after 1 move (",
        "1. ",
        "race&gt; and &lt;course&gt;: equivalent",
        "race&gt; and &lt;misere&gt;: differs after 5 moves",
        "every play comes to an end",
    ],
    "hidden_information": [
        "did noop saw (dealt king)",
        "(holds first king) (holds second jack)",
        "first gets -0.055",
        "(dealt queen) {'bet': 0.0, 'pass': 1.0}",
        "application/vnd.jupyter.widget-view+json",
    ],
    "training": [
        "and 988 games more",
        "2,000,000 of 2,000,000 games",
        "5,000 of 5,000 games against itself",
        "greedy:value=",
        "data:image/png;base64,",
    ],
    "stratified_negation": [
        "2 init\n3 on\n4 free\n5 legal",
        "error[unstratified-negation]: free depends on its own negation",
        "name 'liar' is not defined",
        "['(light a)']",
    ],
}
"""What the outputs of each hold."""
EXTRAS = {
    "first_game": "play",
    "comparing_variants": "verify",
    "hidden_information": "play",
    "training": "plot",
    "stratified_negation": "notebook",
}


def test_every_notebook_is_tested() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs_and_begin_with_words(path: Path) -> None:
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    first, *cells = book["cells"]
    assert first["cell_type"] == "markdown"
    assert first["source"][0].startswith("# ")
    assert "pip install 'gdl-framework[" in "".join(first["source"])
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    for cell in code:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for extra in ("notebook-test", EXTRAS[path.stem]):
        if missing(extra):
            pytest.skip(missing(extra))
    shown = outputs_of(path, tmp_path, monkeypatch)
    for words in SHOWN[path.stem]:
        assert words in shown, words
    assert "<script" not in shown


def outputs_of(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a notebook as a reader would; return all that its cells show, as text and HTML."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other people's packages while they start a kernel
        import nbformat
        from nbclient import NotebookClient

        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("PYTHONWARNINGS", "default")
        book: Any = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        client = NotebookClient(
            book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        asyncio.run(client.async_execute())
    parts = []
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            parts += [output.get("text", ""), *output.get("traceback", ())]
            for kind, value in output.get("data", {}).items():
                parts += [kind, value if isinstance(value, str) else json.dumps(value)]
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(parts))
