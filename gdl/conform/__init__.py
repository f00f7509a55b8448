"""Rules held against engines that claim to play the same.

`conform` is the auditor: any game against anybody's engine, with roles and moves matched by
themselves, a search where bugs live, and a difference made small. `Lockstep` compares a rule file
with a reference engine that speaks its notation and draws its board.

What stands where:

- `audit` is the entrance; `task` opens both sides, `pieces` shares the work, `search` and `styles`
  choose what is played, `coverage` counts the rules that fire, `aims` says how near one is that has
  not, `minimise` makes a difference small; `plays` compares along one play
- `found` is what an audit found; `words` says what a difference is, `tracker` writes it for the
  engine's own people, `evidence` the report and its files; `likeness` says which differences are
  one bug, for a search that goes on
- `quick` plays games by numbers where that gives the same, `watched` has machine code say which
  rules fire; `piece` is what they count; `witnesses` are plays of the verifier for rules that no
  game exercised, `beam` looks for such plays many positions side by side, `walk` compares along
  one; `screen` plays our side alone by the million, for plays to what is met seldom
- `allowance` is time for matching, counted by the processor
- `twin` is one position on both sides, `comparison` compares there; `conventions` are what is no
  difference, `cuts` those that end play on one side
- `network` leads a program that speaks the GGP protocol, which answers with moves and nothing else
- `source` is the protocol of an engine, `reference` what one's own engine answers
- lockstep with reference engines: `lockstep`, `runs`, `choosers`, `checks`

The folders ``sources`` and ``matching`` have the engines, and which moves stand for each other.

Source: the practice is differential testing (McKeeman, "Differential Testing for
Software", 1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.conform.audit import Audit, OnPositions, conform
    from gdl.conform.checks import Check, suite
    from gdl.conform.choosers import (
        STYLES,
        Chooser,
        choose_uniformly,
        prolong,
        seek,
        seek_goal,
    )
    from gdl.conform.comparison import Comparison
    from gdl.conform.conventions import CONVENTIONS
    from gdl.conform.evidence import write_report
    from gdl.conform.lockstep import Divergence, Lockstep, Pair
    from gdl.conform.matching.matching import UnmatchedError
    from gdl.conform.network import PlayerAudit, conform_player, write_player_report
    from gdl.conform.plays import conform_play
    from gdl.conform.reference import Engine, Reference
    from gdl.conform.runs import OnReport, Report, every_state, random_games, replay
    from gdl.conform.source import Source, SourceError
    from gdl.conform.sources import open_source
    from gdl.conform.twin import Parting

    Difference = Divergence  # its old name, see below

__all__ = [
    "CONVENTIONS",
    "DEFAULT_POSITIONS",
    "STYLES",
    "Audit",
    "Check",
    "Chooser",
    "Comparison",
    "Divergence",
    "Engine",
    "Lockstep",
    "OnPositions",
    "OnReport",
    "Pair",
    "Parting",
    "PlayerAudit",
    "Reference",
    "Report",
    "Source",
    "SourceError",
    "UnmatchedError",
    "choose_uniformly",
    "conform",
    "conform_play",
    "conform_player",
    "every_state",
    "open_source",
    "prolong",
    "random_games",
    "replay",
    "seek",
    "seek_goal",
    "suite",
    "write_player_report",
    "write_report",
]

DEFAULT_POSITIONS: Final = 20_000
"""Positions that an audit compares, more or less."""

_HOMES: Final = {
    "gdl.conform.audit": ("Audit", "OnPositions", "conform"),
    "gdl.conform.choosers": (
        "STYLES",
        "Chooser",
        "choose_uniformly",
        "prolong",
        "seek",
        "seek_goal",
    ),
    "gdl.conform.comparison": ("Comparison",),
    "gdl.conform.twin": ("Parting",),
    "gdl.conform.conventions": ("CONVENTIONS",),
    "gdl.conform.evidence": ("write_report",),
    "gdl.conform.lockstep": ("Divergence", "Lockstep", "Pair"),
    "gdl.conform.matching.matching": ("UnmatchedError",),
    "gdl.conform.network": ("PlayerAudit", "conform_player", "write_player_report"),
    "gdl.conform.plays": ("conform_play",),
    "gdl.conform.reference": ("Engine", "Reference"),
    "gdl.conform.runs": ("OnReport", "Report", "every_state", "random_games", "replay"),
    "gdl.conform.source": ("Source", "SourceError"),
    "gdl.conform.sources": ("open_source",),
    "gdl.conform.checks": ("Check", "suite"),
}
__getattr__, __dir__ = deferred(__name__, _HOMES, renamed={"Difference": "Divergence"})
