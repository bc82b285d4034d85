"""SSIM of luma of many pairs of tiles, against scikit-image pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skimage.metrics import structural_similarity

from benchmarks.material import GLYPH, PIXEL, Pixels, tile_pairs
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.sources.similarity import luma, ssim_of_tiles

ROUNDS = 9


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for glyphs and one for pixel art."""
    for name, cell, count in ((GLYPH, 53, 512), (PIXEL, 138, 128)):
        pairs = tile_pairs(name, cell, 8 if tiny else count)
        yield compare(
            f"SSIM of {len(pairs)} pairs of {name}, {cell} px",
            [
                Way("scikit-image, pair by pair", lambda p=pairs: _by_skimage(p)),
                Way("ssim_of_tiles, as it is called", lambda p=pairs: ssim_of_tiles(p)),
                Way("ssim_of_tiles, batches of 16", lambda p=pairs: ssim_of_tiles(p, 16)),
                Way("ssim_of_tiles, pair by pair", lambda p=pairs: ssim_of_tiles(p, 1)),
            ],
            rounds,
            _check,
        )


def _by_skimage(pairs: Sequence[tuple[Pixels, Pixels]]) -> list[float]:
    return [
        round(float(structural_similarity(luma(a), luma(b), data_range=255)), 6) for a, b in pairs
    ]


def _check(results: Sequence[list[float]]) -> list[str]:
    furthest = max(abs(a - b) for other in results[1:] for a, b in zip(results[0], other))
    if furthest > 1.5e-6:
        raise RosegenError(f"ssim: the ways differ by {furthest:.2g}")
    return [f"largest difference {furthest:.1e}"]
