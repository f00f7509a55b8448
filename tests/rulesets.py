"""All shipped rulesets, read once for all modules of tests: their manifests take half a second."""

from __future__ import annotations

from gdl.ruleset import rulesets

RULESETS = rulesets()
