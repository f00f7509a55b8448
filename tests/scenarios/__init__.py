"""Scenarios as data, for every program that plays a shipped ruleset."""

from typing import Final

from tests.scenarios import gomoku, pentago
from tests.scenarios.model import ERRORS, Scenario

SCENARIOS: Final[tuple[Scenario, ...]] = (*pentago.SCENARIOS, *gomoku.SCENARIOS)

__all__ = ["ERRORS", "SCENARIOS", "Scenario"]
