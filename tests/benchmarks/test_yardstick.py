"""Lanes against phased Pentago written by hand for the same processor.

Needs a C compiler and AVX-512 to run; nothing of it is part of the product.
"""

from __future__ import annotations

import ctypes
import logging
import shutil
import subprocess
import time
from pathlib import Path
from statistics import median

import numpy as np
import pytest

import gdl.ruleset
from gdl.compile import build
from gdl.native.code import llvm as engine
from gdl.native.lanes.playouts import Lanes, compile_lanes

LOG = logging.getLogger(__name__)
SOURCE = Path(__file__).with_name("pentago_avx512.c")
CYCLES = 400_000
LEAST = 1.4
"""How many times as fast as the hand-written code the lanes must be."""


def needs(feature: str) -> bool:
    return engine.host().has(feature) and shutil.which("gcc") is not None


@pytest.mark.alone
@pytest.mark.skipif(not needs("avx512vpopcntdq"), reason="needs gcc and AVX-512 with VPOPCNTDQ")
def test_lanes_beat_the_hand_written_code(tmp_path: Path) -> None:
    library = tmp_path / "yardstick.so"
    command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(SOURCE), "-o", str(library)]
    subprocess.run(command, check=True)
    play = ctypes.CDLL(str(library)).play
    play.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p]
    lanes = Lanes(compile_lanes(build(gdl.ruleset.find("pentago/phased").description)))
    out = np.zeros(4, np.uint64)
    ratios: list[float] = []
    rates: list[float] = []
    for seed in range(5):
        before = int(out[0])
        start = time.process_time()
        play(CYCLES, seed, out.ctypes.data)
        middle = time.process_time()
        n = 4 * (int(out[0]) - before)
        counts = lanes.playouts(n, seed=seed)
        ended = time.process_time()
        rates.append(n / 4 / (middle - start))
        ratios.append((n / (ended - middle)) / rates[-1])
    total, plies, red, black = map(int, out)
    assert plies / total == pytest.approx(counts.mean_length, abs=0.03)
    assert red / total == pytest.approx(counts.wins("red") / counts.n, abs=0.003)
    assert black / total == pytest.approx(counts.wins("black") / counts.n, abs=0.003)
    text = f"hand-written {median(rates):.3g} playouts/s, lanes {median(ratios):.2f} times that"
    assert median(ratios) >= LEAST, text
    LOG.info(text)
