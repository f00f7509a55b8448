"""Rulesets: rules together with the notation of their moves and the picture of their board.

In: an id, a manifest or a rule file (`find`). Out: a `Ruleset`, a value that knows its
rule files, players, notation and picture. Nothing here knows what the rules mean.

What stands where:

- the value: `ruleset`, `presentation`, `parameters`; what its rules are made of: `reading`,
  `variant`, `fact_patterns`, `flatten`
- how moves are written: `notation`, and with a look at the position `short_notation`
- finding it: `search`; the manifest: `manifest`, `manifest_sections`, `manifest_parameters`,
  `manifest_presentation`, `manifest_notation`, `manifest_short_notation`, `manifest_picture`,
  `manifest_board`, `manifest_site`
- what a manifest is written in: `toml_table`, `values`, `arithmetic`
- what can be wrong: `errors`, `manifest_check`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.ruleset.errors import ManifestError, NotationError, UnknownRulesetError
    from gdl.ruleset.manifest import read_manifest
    from gdl.ruleset.notation import Notation
    from gdl.ruleset.parameters import Allowed, Parameter
    from gdl.ruleset.presentation import Player, Presentation
    from gdl.ruleset.ruleset import Ruleset
    from gdl.ruleset.search import Catalogue, catalogue, find, rulesets, search_folders, user_folder
    from gdl.view.mark import Mark
    from gdl.view.move_location import MoveLocation
    from gdl.view.picture import Picture
    from gdl.view.scene import Board, Scene
    from gdl.view.text import draw_text

__all__ = [
    "Allowed",
    "Board",
    "Catalogue",
    "ManifestError",
    "Mark",
    "MoveLocation",
    "Notation",
    "NotationError",
    "Parameter",
    "ParameterError",
    "Picture",
    "Player",
    "Presentation",
    "Ruleset",
    "Scene",
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
    "gdl.ruleset.errors": (
        "ManifestError", "NotationError", "ParameterError", "UnknownRulesetError",
    ),
    "gdl.ruleset.parameters": ("Allowed", "Parameter"),
    "gdl.ruleset.presentation": ("Presentation", "Player"),
    "gdl.ruleset.manifest": ("read_manifest",),
    "gdl.ruleset.notation": ("Notation",),
    "gdl.ruleset.ruleset": ("Ruleset",),
    "gdl.ruleset.search": (
        "Catalogue", "catalogue", "find", "rulesets", "search_folders", "user_folder",
    ),
    "gdl.view.mark": ("Mark",),
    "gdl.view.picture": ("Picture",),
    "gdl.view.scene": ("Board", "Scene"),
    "gdl.view.text": ("draw_text",),
    "gdl.view.move_location": ("MoveLocation",),
}  # fmt: skip
__getattr__, __dir__ = deferred(__name__, _HOMES)
