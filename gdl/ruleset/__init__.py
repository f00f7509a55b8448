"""Rulesets: rules together with the notation of their moves and the picture of their board.

In: an id, a manifest or a rule file (`find`). Out: a `Ruleset`, a value that knows its
rule files, players, notation and picture. Nothing here knows what the rules mean.
"""

from gdl.ruleset.board import Board, Mark, Picture, board, draw_text
from gdl.ruleset.errors import ManifestError, NotationError, UnknownRulesetError
from gdl.ruleset.flatten import flatten
from gdl.ruleset.manifest import read_manifest
from gdl.ruleset.notation import Notation
from gdl.ruleset.ruleset import Player, Ruleset
from gdl.ruleset.search import Catalogue, catalogue, find, rulesets, search_folders, user_folder
from gdl.ruleset.touch import Touch, touch
from gdl.ruleset.verify import verify

__all__ = [
    "Board",
    "Catalogue",
    "ManifestError",
    "Mark",
    "Notation",
    "NotationError",
    "Picture",
    "Player",
    "Ruleset",
    "Touch",
    "UnknownRulesetError",
    "board",
    "catalogue",
    "draw_text",
    "find",
    "flatten",
    "read_manifest",
    "rulesets",
    "search_folders",
    "touch",
    "user_folder",
    "verify",
]
