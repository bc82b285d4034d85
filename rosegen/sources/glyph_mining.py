"""Find the characters of a face that are easily confused, by looking at them.

Every character is rendered in the very face that will be used. Blurred thumbnails are compared by
cosine to make a shortlist (the product of small integers in float32 is exact, so no BLAS makes
another one), and SSIM at full size decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from rosegen.sources.similarity import ssim

Pixels = npt.NDArray[np.uint8]

_EM = 48
_CANVAS = 52
_BLUR = 4
_BATCH = 512
_CACHED = 16  # pairs whose sums fit the processor's cache


@dataclass(frozen=True)
class Confusable:
    """Two characters and their SSIM at 48 px, code points ascending."""

    a: str
    b: str
    ssim: float


def gb2312_hanzi() -> tuple[str, ...]:
    """The 6,763 hanzi of GB/T 2312-1980 (rows 16 to 87), in its order."""
    found = []
    for high in range(0xB0, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                found.append(bytes([high, low]).decode("gb2312"))
            except UnicodeDecodeError:
                continue  # five places at the end of row 55 are empty
    return tuple(found)


@lru_cache(maxsize=256)
def centring(font: ImageFont.FreeTypeFont) -> tuple[float, float]:
    """The shift that puts a full square character into the middle; the same for all of a face."""
    left, top, right, bottom = font.getbbox("国", anchor="mm")
    return -(left + right) / 2, -(top + bottom) / 2


def render_glyph(font: ImageFont.FreeTypeFont, char: str, side: int) -> Pixels:
    """Ink coverage of one character in the middle of a square: uint8 (side, side), 255 is ink."""
    shift = centring(font)
    canvas = Image.new("L", (side, side), 0)
    at = (round(side / 2 + shift[0]), round(side / 2 + shift[1]))
    ImageDraw.Draw(canvas).text(at, char, fill=255, font=font, anchor="mm")
    return np.asarray(canvas)


def mine(
    font_at: ImageFont.FreeTypeFont, chars: Sequence[str], shortlist: int, least_ssim: float
) -> list[Confusable]:
    """The most alike pairs of a face.

    Args:
        font_at: the face at 48 px.
        chars: characters the face is known to have; those without ink are left out.
        shortlist: how many pairs of highest cosine are looked at closely.
        least_ssim: pairs below it are dropped.

    Returns:
        Pairs by falling SSIM, then code points.
    """
    rendered = [(char, render_glyph(font_at, char, _CANVAS)) for char in chars]
    inked = [(char, glyph) for char, glyph in rendered if glyph.any()]
    if len(inked) < 2:
        return []
    chars = [char for char, _ in inked]
    glyphs = np.stack([glyph for _, glyph in inked])
    first, second = _nearest(glyphs, shortlist)
    scores = np.concatenate(
        [
            ssim(glyphs[first[k : k + _CACHED]], glyphs[second[k : k + _CACHED]])
            for k in range(0, len(first), _CACHED)
        ]
    ).round(6)
    found = []
    for i, j, score in zip(first, second, scores):
        if score >= least_ssim:
            a, b = sorted((chars[i], chars[j]))
            found.append(Confusable(a, b, float(score)))
    return sorted(found, key=lambda pair: (-pair.ssim, pair.a, pair.b))


def _nearest(glyphs: Pixels, count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Indices (i < j) of the ``count`` pairs of highest cosine, ties at the end all included."""
    n, side, _ = glyphs.shape
    blocks = glyphs.reshape(n, side // _BLUR, _BLUR, side // _BLUR, _BLUR)
    # 6-bit means: 169 products of at most 63 * 63 stay below 2**24, exact in float32.
    thumbs = (blocks.sum(axis=(2, 4), dtype=np.int64) // (_BLUR * _BLUR * 4)).reshape(n, -1)
    values = thumbs.astype(np.float32)
    norms = np.sqrt((thumbs * thumbs).sum(axis=1).astype(np.float64))
    rows: list[npt.NDArray[np.intp]] = []
    cols: list[npt.NDArray[np.intp]] = []
    cosines: list[npt.NDArray[np.float64]] = []
    for start in range(0, n, _BATCH):
        block = slice(start, min(start + _BATCH, n))
        products = (values[block] @ values[start:].T).astype(np.float64)
        cosine = products / (norms[block, None] * norms[None, start:])
        cosine[np.tril_indices(cosine.shape[0], 0, cosine.shape[1])] = -1.0
        kept = min(count, cosine.size)
        least = np.partition(cosine, cosine.size - kept, axis=None)[cosine.size - kept]
        i, j = np.nonzero(cosine >= max(least, 0.0))
        rows.append(i + start)
        cols.append(j + start)
        cosines.append(cosine[i, j])
    score = np.concatenate(cosines)
    kept = min(count, score.size)
    chosen = score >= np.partition(score, score.size - kept)[score.size - kept]
    return np.concatenate(rows)[chosen], np.concatenate(cols)[chosen]
