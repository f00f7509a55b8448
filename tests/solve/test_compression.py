"""Layers in fewer bytes come back as they were."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.shared import missing

pytest.importorskip("numba", reason=missing("solve"))

from gdl.solve import compression
from gdl.solve.sorting import Keys, in_order

ALL = (1 << 64) - 1


def written(file: Path, frames: Iterable[Any]) -> Path:
    with file.open("wb") as out:
        for frame in frames:
            frame.tofile(out)
    return file


def some_keys(words: int) -> Keys:
    """Return keys near each other, far from each other, and such that differences borrow."""
    rng = np.random.default_rng(words)
    keys = rng.integers(0, ALL, (3_000, words), np.uint64, endpoint=True)
    keys[:1_000, 1:] = 0
    keys[:500, 0] >>= np.uint64(45)
    keys[0], keys[1] = 0, ALL
    keys[1_000:1_500, :-1] = rng.choice(np.array([0, 1, ALL], np.uint64), (500, words - 1))
    return in_order(keys)


@pytest.mark.parametrize("words", [1, 2, 3, 4])
@pytest.mark.parametrize("rows", [0, 1, 2, 700, 2_900])
def test_keys_come_back(
    words: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "FRAME", 700)
    keys = some_keys(words)[:rows]
    file = written(tmp_path / "keys", compression.shrink_keys(keys))
    assert compression.rows_in(file) == len(keys)
    frames = list(compression.grow_keys(file, words))
    assert len(frames) == -(-len(keys) // 700)
    assert np.array_equal(np.concatenate([keys[:0], *frames]), keys)


@pytest.mark.parametrize("kind", [np.uint8, np.int16])
def test_values_come_back(kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "FRAME", 700)
    numbers: NDArray[Any] = np.random.default_rng(1).integers(-1, 40, 2_000).astype(kind)
    file = written(tmp_path / "numbers", compression.shrink(numbers))
    assert compression.rows_in(file) == 2_000
    assert np.array_equal(np.concatenate(list(compression.grow(file, np.dtype(kind)))), numbers)


def test_keys_that_lie_near_each_other_take_an_eighth(tmp_path: Path) -> None:
    keys = np.cumsum(np.random.default_rng(1).integers(1, 100, 5_000), dtype=np.uint64)[:, None]
    file = written(tmp_path / "keys", compression.shrink_keys(keys))
    assert file.stat().st_size < 5_000 + 40
