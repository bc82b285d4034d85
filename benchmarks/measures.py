"""All measures of a pair, against the same put together from scikit-image, imagehash and SciPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import imagehash
import numpy as np
from PIL import Image
from scipy.ndimage import uniform_filter
from skimage.color import rgb2lab
from skimage.metrics import structural_similarity

from benchmarks.material import GLYPH, PIXEL, Pixels, tile_pairs
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.sources.similarity import CHANGED_STEP, Measures, measure

ROUNDS = 9

# How far the two may lie apart: their luma and their Lab constants are rounded elsewhere.
_NEAR = Measures(0.002, 2, 1e-6, 0.1, 0.05, 1e-6)


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for glyphs and one for pixel art."""
    for name, cell in ((GLYPH, 53), (PIXEL, 138)):
        pairs = tile_pairs(name, cell, 3 if tiny else 60)
        yield compare(
            f"all measures of {len(pairs)} pairs of {name}, {cell} px",
            [
                Way("libraries", lambda p=pairs: [_by_libraries(a, b) for a, b in p]),
                Way("measure", lambda p=pairs: [measure(a, b) for a, b in p]),
            ],
            rounds,
            _check,
        )


def _by_libraries(a: Pixels, b: Pixels) -> Measures:
    one, other = Image.fromarray(a), Image.fromarray(b)
    grey = [np.asarray(image.convert("L")) for image in (one, other)]
    difference = rgb2lab(a) - rgb2lab(b)
    window = max(2, round(min(a.shape[:2]) / 10))
    means = uniform_filter(difference, size=(window, window, 1))
    start = window // 2
    height, width = (side - window + 1 for side in a.shape[:2])
    inner = means[start : start + height, start : start + width]
    step = np.abs(a.astype(int) - b.astype(int)).max(axis=-1)
    ink = [
        np.count_nonzero((255 - tile.astype(int)).max(axis=-1) > CHANGED_STEP) for tile in (a, b)
    ]
    return Measures(
        ssim=structural_similarity(*grey, data_range=255),
        phash_distance=imagehash.phash(one) - imagehash.phash(other),
        changed_pixel_share=np.count_nonzero(step > CHANGED_STEP) / step.size,
        max_local_color_difference=np.linalg.norm(inner, axis=-1).max(),
        mean_color_difference=np.linalg.norm(difference.mean(axis=(0, 1))),
        ink_difference=abs(ink[0] - ink[1]) / max(*ink, 1),
    )


def _check(results: Sequence[list[Measures]]) -> list[str]:
    furthest = {
        name: max(
            abs(float(a.as_dict()[name]) - float(b.as_dict()[name])) for a, b in zip(*results)
        )
        for name in _NEAR.as_dict()
    }
    for name, most in _NEAR.as_dict().items():
        if furthest[name] > most:
            raise RosegenError(f"measures: {name} differs by {furthest[name]:.3g}")
    return ["largest differences: " + ", ".join(f"{k} {v:.2g}" for k, v in furthest.items())]
