"""Rulesets: rules together with the notation of their moves and the picture of their board.

In: an id, a manifest or a rule file (`find`). Out: a `Ruleset`, a value that knows its
rule files, players, notation and picture. Nothing here knows what the rules mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.ruleset.board import Board, Mark, Picture, draw_text
    from gdl.ruleset.errors import ManifestError, NotationError, UnknownRulesetError
    from gdl.ruleset.manifest import read_manifest
    from gdl.ruleset.move_location import MoveLocation
    from gdl.ruleset.notation import Notation
    from gdl.ruleset.presentation import Player, Presentation
    from gdl.ruleset.ruleset import Ruleset
    from gdl.ruleset.search import Catalogue, catalogue, find, rulesets, search_folders, user_folder

__all__ = [
    "Board",
    "Catalogue",
    "ManifestError",
    "Mark",
    "MoveLocation",
    "Notation",
    "NotationError",
    "Picture",
    "Player",
    "Presentation",
    "Ruleset",
    "UnknownRulesetError",
    "catalogue",
    "draw_text",
    "find",
    "read_manifest",
    "rulesets",
    "search_folders",
    "user_folder",
]

_HOMES: Final = {
    "gdl.ruleset.board": ("Board", "Mark", "Picture", "draw_text"),
    "gdl.ruleset.errors": ("ManifestError", "NotationError", "UnknownRulesetError"),
    "gdl.ruleset.presentation": ("Presentation", "Player"),
    "gdl.ruleset.manifest": ("read_manifest",),
    "gdl.ruleset.notation": ("Notation",),
    "gdl.ruleset.ruleset": ("Ruleset",),
    "gdl.ruleset.search": (
        "Catalogue", "catalogue", "find", "rulesets", "search_folders", "user_folder",
    ),
    "gdl.ruleset.move_location": ("MoveLocation",),
}  # fmt: skip
__getattr__, __dir__ = deferred(__name__, _HOMES)
