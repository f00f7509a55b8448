"""Record real output of the command line as a picture: ``python docs/record.py``.

Runs the commands below in a terminal of 100 columns with colour, and writes what they print
to ``docs/demo.svg``.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

WIDTH = 100
FORMAT = re.sub(r"@font-face {{.*?}}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""Without the fonts that it would fetch from elsewhere: the reader's own will do."""
COMMANDS = (
    ["show", "pentago/classic", "--moves", "c2 1 C; d3 4 A; b2 3 A; c3 2 C"],
    ["why", "pentago/classic", "legal black e3 2 C", "--moves", "c2 1 C; d3 4 A"],
    ["simulate", "pentago/classic", "-n", "10000000"],
)


def main() -> None:
    """Run the commands and draw what they print."""
    surroundings = {
        **os.environ,
        "COLUMNS": str(WIDTH),
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
    }
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        recorder = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        for words in COMMANDS:
            shown = " ".join(f'"{word}"' if " " in word else word for word in words)
            recorder.print(Text(f"$ gdl {shown}", style="bold"))
            ran = subprocess.run(
                [sys.executable, "-m", "gdl", *words],
                stdout=subprocess.PIPE,
                env=surroundings,
                encoding="utf-8",
                check=True,
            )
            recorder.print(Text.from_ansi(ran.stdout))
        recorder.save_svg(
            str(Path(__file__).with_name("demo.svg")), title="gdl", code_format=FORMAT
        )


if __name__ == "__main__":
    main()
