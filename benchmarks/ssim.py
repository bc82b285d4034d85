"""SSIM of many pairs of tiles at once, against scikit-image pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from skimage.metrics import structural_similarity

from benchmarks.material import GLYPH, PIXEL, tile_pairs
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.sources.similarity import luma, ssim

ROUNDS = 9
_BATCH = 256  # as ``ssim_of_tiles``


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for glyphs and one for pixel art."""
    for name, cell, count in ((GLYPH, 53, 512), (PIXEL, 138, 64)):
        pairs = tile_pairs(name, cell, 8 if tiny else count)
        first = luma(np.stack([a for a, _ in pairs]))
        second = luma(np.stack([b for _, b in pairs]))

        def skimage(x=first, y=second) -> list[float]:
            return [structural_similarity(a, b, data_range=255) for a, b in zip(x, y)]

        def single(x=first, y=second) -> list[float]:
            return [float(ssim(a[None], b[None])[0]) for a, b in zip(x, y)]

        def batched(x=first, y=second) -> list[float]:
            parts = range(0, len(x), _BATCH)
            return [v for k in parts for v in ssim(x[k : k + _BATCH], y[k : k + _BATCH]).tolist()]

        yield compare(
            f"SSIM of {len(pairs)} pairs of {name}, {cell} px",
            [
                Way("scikit-image, each pair", skimage),
                Way("ours, each pair", single),
                Way("ours, at once", batched),
            ],
            rounds,
            _check,
        )


def _check(results: Sequence[list[float]]) -> list[str]:
    furthest = max(abs(a - b) for other in results[1:] for a, b in zip(results[0], other))
    if furthest > 1e-9:
        raise RosegenError(f"ssim: the ways differ by {furthest:.2g}")
    return [f"largest difference {furthest:.1e}"]
