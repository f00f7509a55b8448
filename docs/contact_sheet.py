"""Draw the boards of many rule files on one sheet: ``python docs/contact_sheet.py FOLDER``.

Of each ``*.kif`` of a folder, the board that its rules show and what lies beside it, a few moves
after the beginning, into ``docs/boards.png``; says how many have one, and which have none. Needs
playwright and Chromium, as tests/web/browser.py does, and pillow.
"""

import argparse
import io
import shutil
import sys
from html import escape
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from gdl.boards.inference import infer
from gdl.boards.samples import samples
from gdl.language.limits import DEFAULT_LIMITS
from gdl.ruleset import find
from gdl.view.picture import BESIDE, POINTS, Layout
from gdl.view.scene import scene
from gdl.view.svg import draw_svg

COLUMNS = 16
SIZE = 108
"""Pixels of a board."""
MOVES = 6
"""So many moves after the beginning."""
COLOURS = 48
LOOK = f"""
body {{ margin: 6px; display: grid; grid-template-columns: repeat({COLUMNS}, {SIZE}px);
  gap: 8px 6px; background: white; font: 9px sans-serif }}
figure {{ margin: 0; display: flex; flex-direction: column; justify-content: flex-end }}
figure svg {{ width: {SIZE}px; height: {SIZE}px }}
figcaption {{ text-align: center; overflow-wrap: anywhere }}
"""


def board(path: Path) -> str | None:
    """Return the board that rules show as SVG, None where they show none."""
    seen = samples(find(path).checked(DEFAULT_LIMITS), limits=DEFAULT_LIMITS)
    picture = infer(seen)
    if picture is None:
        return None
    if not any(board.kind != POINTS or has_sites(board) for board in picture.boards):
        return None  # a score alone is no board
    return draw_svg(scene(picture, seen.states[min(MOVES, len(seen.states) - 1)]), title=path.stem)


def has_sites(board: Layout) -> bool:
    """Return whether a board of points is more than what lies beside a board."""
    return any(spot.form not in BESIDE for spot in board.spots)


def main(folder: str) -> None:
    """Draw the sheet."""
    drawn = {path.stem: board(path) for path in sorted(Path(folder).glob("*.kif"))}
    figures = [
        f"<figure>{svg}<figcaption>{escape(name)}</figcaption></figure>"
        for name, svg in drawn.items()
        if svg is not None
    ]
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": COLUMNS * (SIZE + 6) + 6, "height": 1000})
        page.set_content(f"<style>{LOOK}</style>{''.join(figures)}")
        taken = page.screenshot(full_page=True)
        browser.close()
    sheet = Image.open(io.BytesIO(taken)).convert("RGB")
    few = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(Path(__file__).with_name("boards.png"), optimize=True)
    none = ", ".join(name for name, svg in drawn.items() if svg is None)
    sys.stdout.write(f"{len(figures)} of {len(drawn)} files show a board; none: {none}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="of rule files")
    main(parser.parse_args().folder)
