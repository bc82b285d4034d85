"""The 64-bit perceptual hash, against the imagehash package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import imagehash
import numpy as np
from PIL import Image

from benchmarks.material import GLYPH, PIXEL, Pixels, tile_pairs
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.sources.similarity import phash_bits

ROUNDS = 9


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for glyphs and one for pixel art."""
    for name, cell in ((GLYPH, 53), (PIXEL, 138)):
        tiles = [tile for pair in tile_pairs(name, cell, 4 if tiny else 100) for tile in pair]

        def theirs(each: Sequence[Pixels] = tiles) -> list[np.ndarray]:
            return [imagehash.phash(Image.fromarray(tile)).hash for tile in each]

        def ours(each: Sequence[Pixels] = tiles) -> list[np.ndarray]:
            return [phash_bits(tile) for tile in each]

        yield compare(
            f"perceptual hash of {len(tiles)} tiles of {name}, {cell} px",
            [Way("imagehash", theirs), Way("ours", ours)],
            rounds,
            _check,
        )


def _check(results: Sequence[list[np.ndarray]]) -> list[str]:
    bits = sum(int((a != b).sum()) for a, b in zip(*results))
    total = 64 * len(results[0])
    # Coefficients that are zero but for rounding may fall on either side of the median.
    if bits > total / 50:
        raise RosegenError(f"phash: {bits} of {total} bits differ")
    return [f"{bits} of {total} bits differ"]
