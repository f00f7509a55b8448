"""Layers in fewer bytes come back as they were."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.shared import missing

pytest.importorskip("numba", reason=missing("solve"))

from gdl.solve import compression
from gdl.solve.key_file import KeyFile
from gdl.solve.sorting import Keys, in_order
from gdl.solve.table import row_of

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


@pytest.mark.parametrize("words", [1, 2, 3])
def test_any_rows_are_read_without_the_rest(
    words: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number or between two keys, in frames that are cut anyhow."""
    keys, rng = some_keys(words), np.random.default_rng(words)
    frames: list[Any] = []
    for start, stop in pairwise([0, 1, 700, 1_400, 1_400, 2_000, len(keys)]):
        monkeypatch.setattr(compression, "FRAME", int(rng.integers(1, 900)))
        frames += compression.shrink_keys(keys[start:stop])
    bounds = [None, *keys[rng.integers(0, len(keys), 8)].tolist(), [0] * words, [ALL] * words]
    bounds += (keys[rng.integers(0, len(keys), 4)] + np.uint64(1)).tolist()
    with KeyFile(written(tmp_path / "keys", frames), words) as file:
        assert file.rows == len(keys)
        for row in [0, 1, 699, 700, 2_000, len(keys) - 1]:
            assert file.slice(row, row + 1).tolist() == keys[row : row + 1].tolist()
        assert file.at([3, 1_399, 1_400]).tolist() == keys[[3, 1_399, 1_400]].tolist()
        for start, stop in rng.integers(0, len(keys) + 1, (30, 2)).tolist():
            assert file.slice(start, stop).tolist() == keys[start:stop].tolist()
        for low, high in product(bounds, bounds):
            first = 0 if low is None else row_of(keys, low)
            last = len(keys) if high is None else row_of(keys, high)
            assert file.between(low, high).tolist() == keys[first:last].tolist()


def test_a_file_that_another_process_writes_anew_stays_what_was_opened(tmp_path: Path) -> None:
    keys = np.arange(2_000, dtype=np.uint64)[:, None]
    path = written(tmp_path / "keys", compression.shrink_keys(keys))
    with KeyFile(path, 1) as file:
        other = written(tmp_path / "other", compression.shrink_keys(keys[1_000:]))
        other.replace(path)
        assert file.slice(5, 7).ravel().tolist() == [5, 6]
    with pytest.raises(FileNotFoundError):
        KeyFile(tmp_path / "none", 1)


def test_of_no_keys_there_are_no_rows(tmp_path: Path) -> None:
    nothing = np.zeros((0, 2), np.uint64)
    with KeyFile(written(tmp_path / "keys", compression.shrink_keys(nothing)), 2) as file:
        assert (file.rows, len(file.slice(0, 0)), len(file.between(None, None))) == (0, 0, 0)
        assert file.between([1, 1], [2, 2]).shape == (0, 2)


def test_keys_that_lie_near_each_other_take_an_eighth(tmp_path: Path) -> None:
    keys = np.cumsum(np.random.default_rng(1).integers(1, 100, 5_000), dtype=np.uint64)[:, None]
    file = written(tmp_path / "keys", compression.shrink_keys(keys))
    assert file.stat().st_size < 5_000 + 40
