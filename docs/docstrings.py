"""Docstrings as the site shows them: an extension of griffe, which reads them (``mkdocs.yml``).

griffe knows a section of examples by the plural alone. Of one example the lines after ``>>>`` would
be set as a quotation in a quotation, and brackets in them as links.
"""

from __future__ import annotations

import re

import griffe


class Examples(griffe.Extension):
    """Let one example be examples."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring of whatever was read."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(
                r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE
            )
