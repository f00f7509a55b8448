"""Sentinels: what stands for no value and for no end, in tables and loops that write them."""

from __future__ import annotations

from typing import Final

UNDECIDED: Final = 255
"""Stands for the value of a state that has none yet, or never gets one."""
ENDLESS: Final = -1
"""Stands for the distance of a state from which play that keeps the value never ends."""
