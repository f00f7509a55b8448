"""Colours: which can be told from which.

Source: contrast as in the Web Content Accessibility Guidelines 2.1, section 1.4.3.
"""

from __future__ import annotations


def contrast(left: str, right: str) -> float:
    """Return the contrast of two colours ``#rrggbb``, 1 to 21."""
    dark, light = sorted((_luminance(left), _luminance(right)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)  # noqa: PLR2004  # the formula of the guidelines
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
