"""How alike two tiles are: the same four measures for every subset, at the rendered cell size.

* ``ssim``: mean structural similarity of luma, 7 x 7 uniform window, sample covariance (Wang et
  al. 2004 as scikit-image computes it by default), in [-1, 1].
* ``phash_distance``: bits that differ between 64-bit perceptual hashes (DCT hash as the imagehash
  package computes it), 0 to 64.
* ``changed_pixel_share``: share of the cell's pixels in which a channel differs by more than
  ``CHANGED_STEP`` of 255, in [0, 1].
* ``max_local_color_difference``: the largest CIE 1976 colour difference between the local means of
  the two tiles, over windows of a tenth of the cell; about 2 is just noticeable side by side.

Two more tell whether an exception would give itself away rather than be found:

* ``mean_color_difference``: CIE 1976 difference of the two tiles' mean colours (a colour cast).
* ``ink_difference``: how much less of the cell one tile covers than the other, as a share of the
  larger cover, in [0, 1] (size and weight).

Window sums and the hash's transform are integers, so that no machine rounds another way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

Pixels = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.integer[Any]]  # int32 or int64
Floats = npt.NDArray[np.float64]

MEASURES = ("ssim", "phash_distance", "changed_pixel_share", "max_local_color_difference")
CHANGED_STEP = 24

_SSIM_WINDOW = 7


@dataclass(frozen=True)
class Measures:
    """The measured difference of a pair."""

    ssim: float
    phash_distance: int
    changed_pixel_share: float
    max_local_color_difference: float
    mean_color_difference: float
    ink_difference: float

    def as_dict(self) -> Mapping[str, float]:
        """Name to value, the ``MEASURES`` first."""
        return asdict(self)


def measure(a: Pixels, b: Pixels, background: tuple[int, int, int] = (255, 255, 255)) -> Measures:
    """Measure two tiles of one size.

    Args:
        a: uint8 RGB (height, width, 3), at least 7 x 7.
        b: the same shape.
        background: what is not ink.

    Raises:
        ValueError: when the shapes differ or are too small.
    """
    if a.shape != b.shape or a.ndim != 3 or min(a.shape[:2]) < _SSIM_WINDOW:
        raise ValueError(f"cannot compare tiles of shapes {a.shape} and {b.shape}")
    difference = lab_difference(a, b)
    return Measures(
        **_seen(a, b, difference),
        phash_distance=phash_distance(a, b),
        mean_color_difference=round(float(np.linalg.norm(difference.mean(axis=(0, 1)))), 3),
        ink_difference=round(ink_difference(a, b, background), 6),
    )


def measure_visibility(a: Pixels, b: Pixels) -> Mapping[str, float]:
    """Of ``measure``, what says whether two tiles can be told apart: three of the measures."""
    return _seen(a, b, lab_difference(a, b))


def _seen(a: Pixels, b: Pixels, difference: Floats) -> dict[str, float]:
    return {
        "ssim": round(float(ssim(luma(a)[None], luma(b)[None])[0]), 6),
        "changed_pixel_share": round(changed_pixel_share(a, b), 6),
        "max_local_color_difference": round(max_local_color_difference(difference), 3),
    }


def luma(pixels: Pixels) -> Pixels:
    """ITU-R BT.601 luma of uint8 RGB (..., 3), rounded to uint8."""
    wide = pixels.astype(np.uint32)
    total = wide[..., 0] * 299 + wide[..., 1] * 587 + wide[..., 2] * 114
    return ((total + 500) // 1000).astype(np.uint8)


def _window_sums(values: Ints, window: int) -> Ints:
    """Sums over every ``window`` x ``window`` square of the last two axes ("valid" positions)."""
    sums = np.zeros((*values.shape[:-2], values.shape[-2] + 1, values.shape[-1] + 1), values.dtype)
    np.cumsum(values, axis=-1, out=sums[..., 1:, 1:])
    np.cumsum(sums[..., 1:, 1:], axis=-2, out=sums[..., 1:, 1:])
    top, bottom = sums[..., :-window, :], sums[..., window:, :]
    tall: Ints = bottom - top
    wide: Ints = tall[..., window:] - tall[..., :-window]
    return wide


def ssim(a: Pixels, b: Pixels) -> Floats:
    """Mean SSIM of each of n pairs of grey images: uint8 (n, height, width) to float64 (n,)."""
    # Sums of squares over a whole image stay below 2**31 up to 181 x 181 pixels.
    whole = np.int32 if a.shape[-1] * a.shape[-2] * 255**2 < 2**31 else np.int64
    x: Ints = a.astype(whole)
    y: Ints = b.astype(whole)
    n = _SSIM_WINDOW**2

    terms = np.stack([x, y, x * x, y * y, x * y])
    sx, sy, sxx, syy, sxy = _window_sums(terms, _SSIM_WINDOW).astype(np.float64)
    mx, my = sx / n, sy / n
    scale = n * (n - 1)
    vx, vy = (n * sxx - sx * sx) / scale, (n * syy - sy * sy) / scale
    vxy = (n * sxy - sx * sy) / scale
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    score = ((2 * mx * my + c1) * (2 * vxy + c2)) / ((mx * mx + my * my + c1) * (vx + vy + c2))
    return np.asarray(score.mean(axis=(-2, -1)), np.float64)


def ssim_of_tiles(pairs: Sequence[tuple[Pixels, Pixels]], batch: int = 16) -> list[float]:
    """SSIM of luma of many pairs of RGB tiles of one size, rounded to 6 places.

    A batch's sums should fit the processor's cache: larger ones are slower.
    """
    scores: list[float] = []
    for start in range(0, len(pairs), batch):
        part = pairs[start : start + batch]
        first = luma(np.stack([a for a, _ in part]))
        second = luma(np.stack([b for _, b in part]))
        scores += [float(score) for score in ssim(first, second).round(6)]
    return scores


@lru_cache(maxsize=1)
def _dct_rows() -> Floats:
    """The first 8 rows of a 32-point DCT-II in 1/65536ths.

    They are whole numbers, and so are their products with grey values, below 2**53: sums of them
    are exact in whatever order a BLAS takes.
    """
    k, n = np.arange(8)[:, None], np.arange(32)[None, :]
    return np.asarray(np.rint(np.cos(np.pi * k * (2 * n + 1) / 64) * 65536), np.float64)


def phash_bits(pixels: Pixels) -> npt.NDArray[np.bool_]:
    """The 64 bits of the DCT perceptual hash, (8, 8)."""
    small = Image.fromarray(pixels).convert("L").resize((32, 32), Image.Resampling.LANCZOS)
    grey = np.asarray(small, np.float64)
    low = _dct_rows() @ grey @ _dct_rows().T
    return np.asarray(low > np.median(low), np.bool_)


def phash_distance(a: Pixels, b: Pixels) -> int:
    """Bits in which the perceptual hashes of two tiles differ."""
    return int(np.count_nonzero(phash_bits(a) != phash_bits(b)))


def changed_pixel_share(a: Pixels, b: Pixels) -> float:
    """Share of pixels in which a channel differs by more than ``CHANGED_STEP``."""
    return _stepped(a, b) / int(a.shape[0] * a.shape[1])


def _stepped(a: Pixels, b: Pixels) -> int:
    """How many pixels differ by more than ``CHANGED_STEP`` in a channel."""
    step = np.maximum(a, b) - np.minimum(a, b)
    largest = np.maximum(np.maximum(step[..., 0], step[..., 1]), step[..., 2])
    return int(np.count_nonzero(largest > CHANGED_STEP))


@lru_cache(maxsize=1)
def _linear() -> Floats:
    """8-bit sRGB to linear light (IEC 61966-2-1)."""
    value = np.arange(256) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


_XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
_D65 = np.array([0.95047, 1.0, 1.08883])


def lab(pixels: Pixels) -> Floats:
    """CIE 1976 L*a*b* (D65, 2 degrees) of uint8 sRGB (..., 3)."""
    red, green, blue = np.moveaxis(_linear()[pixels], -1, 0)
    # Written out rather than as a matrix product: a BLAS may sum in another order.
    xyz = [row[0] * red + row[1] * green + row[2] * blue for row in _XYZ]
    f = []
    for value, white in zip(xyz, _D65):
        t = value / white
        f.append(np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116))
    fx, fy, fz = f
    return np.stack([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)], axis=-1)


def lab_difference(a: Pixels, b: Pixels) -> Floats:
    """L*a*b* of one tile less that of the other, (height, width, 3); of most pixels it is 0."""
    difference = np.zeros(a.shape, np.float64)
    unlike = (a != b).any(axis=-1)
    difference[unlike] = lab(a[unlike]) - lab(b[unlike])
    return difference


def max_local_color_difference(difference: Floats) -> float:
    """Largest CIE 1976 difference of local means, over windows of a tenth of the cell.

    Args:
        difference: L*a*b* of one tile less that of the other, (height, width, 3).
    """
    window = max(2, round(min(difference.shape[:2]) / 10))
    # Thousandths, so that the window sums are exact.
    step = np.rint(difference * 1000).astype(np.int64)
    sums = _window_sums(np.moveaxis(step, -1, 0), window)
    means = sums / (1000 * window * window)
    return float(np.sqrt((means * means).sum(axis=0)).max())


def ink_difference(a: Pixels, b: Pixels, background: tuple[int, int, int]) -> float:
    """How much less one tile covers than the other, as a share of the larger cover."""
    back = np.array(background, np.uint8)
    one, other = _stepped(a, back), _stepped(b, back)
    return abs(one - other) / max(one, other, 1)


def similarity(a: Pixels, b: Pixels, background: tuple[int, int, int] = (255, 255, 255)) -> float:
    """Cosine of two tiles' 16 x 16 thumbnails as vectors of ink, in [0, 1].

    Ink is how far each channel is from the background, so that shared blank paper counts nothing.
    """
    first, second = (
        np.abs(
            np.asarray(Image.fromarray(tile).resize((16, 16), Image.Resampling.BOX), np.int64)
            - np.array(background, np.int64)
        )
        for tile in (a, b)
    )
    dot, one, two = (first * second).sum(), (first * first).sum(), (second * second).sum()
    if one == 0 or two == 0:
        return 1.0 if one == two else 0.0
    return round(float(dot) / float(np.sqrt(float(one) * float(two))), 6)
