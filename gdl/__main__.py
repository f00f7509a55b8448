"""``python -m gdl``: the command line, where the script ``gdl`` is not on the path."""

import sys

from gdl.cli.main import main

sys.exit(main())
