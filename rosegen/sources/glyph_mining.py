"""Find the texts of a face that are easily confused, by looking at them.

Every text is drawn in the very face that will be used, as it stands in a cell. Blurred thumbnails
are compared by cosine to make a shortlist (the product of small integers in float32 is exact, so
no BLAS makes another one), and SSIM at full size decides: only that of windows with ink in them,
or the white around a small letter would make it like any other. Texts that look the same are
refused: nobody could tell them apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rosegen.sources.base import Pool, Refusal
from rosegen.sources.font_file import FontFace
from rosegen.sources.similarity import ssim
from rosegen.sources.text_tile import identical, named, pictures

Pixels = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.intp]
Pair = tuple[str, str]
Item = TypeVar("Item")

SIDE = 64  # of the cell that texts are compared in, in pixels

_DRAWN = 128  # texts that a worker draws at a time
_COMPARED = 256  # pairs that a worker compares at a time
_HELD = 32 * _COMPARED  # pairs whose pictures are copied at a time, for the memory
_CACHED = 16  # pairs whose sums fit the processor's cache
_WINDOW = 7  # px, of SSIM
_PRODUCTS = 1 << 20  # thumbnails times thumbnails at a time
_NEARLY = 1e-6  # more than float32 rounds a cosine

# White space, and what Python calls printable although it is not to be seen: fillers and variation
# selectors (Unicode's Default_Ignorable_Code_Point).
_UNSEEN = re.compile(
    "[\\s\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


@dataclass(frozen=True)
class Mining:
    """What is mined, and how.

    Attributes:
        face: the face, at its location.
        texts: what is compared with each other, in any order.
        pairs: what is taken however alike it is.
        em: share of the cell's side for the em.
        shortlist: how many pairs of highest cosine are looked at closely.
        least_ssim: pairs of a lower ``ink_ssim`` are dropped.
    """

    face: FontFace
    texts: tuple[str, ...]
    pairs: tuple[Pair, ...]
    em: float
    shortlist: int
    least_ssim: float


@dataclass(frozen=True)
class Confusable:
    """Two texts, by code point, and their ``ink_ssim`` in a cell of ``SIDE`` px."""

    a: str
    b: str
    ssim: float


@dataclass(frozen=True)
class Mined:
    """What came of it.

    Attributes:
        pairs: by falling SSIM, then by code point.
        refused: texts that cannot be used, then pairs (``A__Α``) that look the same.
        usable: how many texts can be used.
    """

    pairs: tuple[Confusable, ...]
    refused: tuple[Refusal, ...]
    usable: int


def mine(mining: Mining, pool: Pool) -> Mined:
    """The most alike pairs of a face, and the pairs that were asked for.

    The result does not depend on the pool, nor on the order of texts and pairs.

    Raises:
        RosegenError: the font cannot be read.
    """
    asked = {(min(pair), max(pair)) for pair in mining.pairs}
    texts = sorted({*mining.texts}.union(*asked))
    seen = dict(zip(texts, _drawn(mining, texts, pool)))
    inks = {text: ink for text, ink in seen.items() if not isinstance(ink, str)}
    compared, same = _without_twins({text: inks[text] for text in mining.texts if text in inks})
    same -= asked  # they are looked at below

    listed = {pair for pair in asked if {*pair} <= inks.keys()}
    if len(compared) > 1:
        shortlist = nearest(np.stack([inks[text] for text in compared]), mining.shortlist)
        listed |= {(compared[i], compared[j]) for i, j in zip(*shortlist)}
    pairs = []
    for pair, score, is_same in _looked_at(mining, sorted(listed), asked, inks, pool):
        if is_same:
            same.add(pair)
        elif score >= mining.least_ssim or pair in asked:
            pairs.append(Confusable(*pair, score))
    pairs.sort(key=lambda pair: (-pair.ssim, pair.a, pair.b))

    refused = [_refusal(text, why) for text, why in seen.items() if isinstance(why, str)]
    refused += [Refusal("__".join(map(shown_name, pair)), "identical") for pair in sorted(same)]
    return Mined(tuple(pairs), tuple(refused), len(inks))


def _refusal(text: str, why: str) -> Refusal:
    reason, _, detail = why.partition(": ")
    return Refusal(shown_name(text), reason, "" if detail == named(text) else detail)


def _drawn(mining: Mining, texts: Sequence[str], pool: Pool) -> list[Pixels | str]:
    batches = [_Batch(mining.face, tuple(part), mining.em) for part in _parts(texts, _DRAWN)]
    return [picture for part in pool.map(_draw, batches) for picture in part]


def _without_twins(inks: Mapping[str, Pixels]) -> tuple[list[str], set[Pair]]:
    """The first text of each picture, and it with each later text of that picture.

    A face may have one picture for thousands of characters; their pairs would be millions.
    """
    first_of: dict[bytes, str] = {}
    for text in sorted(inks):
        first_of.setdefault(inks[text].tobytes(), text)
    firsts = {text: first_of[ink.tobytes()] for text, ink in inks.items()}
    return sorted(first_of.values()), {(first, t) for t, first in firsts.items() if first != t}


def _looked_at(
    mining: Mining,
    pairs: Sequence[Pair],
    asked: set[Pair],
    inks: Mapping[str, Pixels],
    pool: Pool,
) -> Iterator[tuple[Pair, float, bool]]:
    """Each pair with its ``ink_ssim``, and whether it is worth having but looks the same."""
    for held in _parts(pairs, _HELD):
        tasks = [
            _Look(
                mining.face,
                tuple(part),
                np.stack([inks[a] for a, _ in part]),
                np.stack([inks[b] for _, b in part]),
                tuple(pair in asked for pair in part),
                mining.least_ssim,
            )
            for part in _parts(held, _COMPARED)
        ]
        results = chain.from_iterable(pool.map(_look_closely, tasks))
        yield from ((pair, *result) for pair, result in zip(held, results))


@dataclass(frozen=True)
class _Batch:
    """Texts that one worker draws."""

    face: FontFace
    texts: tuple[str, ...]
    em: float


def _draw(batch: _Batch) -> list[Pixels | str]:
    return pictures(batch.face, batch.texts, SIDE, batch.em, one_cluster=False)


@dataclass(frozen=True)
class _Look:
    """Pairs that one worker compares, with their pictures."""

    face: FontFace
    pairs: tuple[Pair, ...]
    first: Pixels
    second: Pixels
    asked: tuple[bool, ...]
    least_ssim: float


def _look_closely(look: _Look) -> list[tuple[float, bool]]:
    scores = ink_ssim(look.first, look.second)
    return [
        (float(score), bool((asked or score >= look.least_ssim) and identical(look.face, *pair)))
        for pair, score, asked in zip(look.pairs, scores, look.asked)
    ]


def ink_ssim(a: Pixels, b: Pixels) -> npt.NDArray[np.float64]:
    """SSIM of n pairs of ink, uint8 (n, side, side), over the windows that hold ink of either.

    Two blank windows are exactly alike, so that it follows from the mean over all windows.

    Returns:
        (n,), rounded to 6 places; 1 for a pair without ink.
    """
    parts = [slice(start, start + _CACHED) for start in range(0, len(a), _CACHED)]
    return np.concatenate([_ink_ssim(a[part], b[part]) for part in parts])


def _ink_ssim(a: Pixels, b: Pixels) -> npt.NDArray[np.float64]:
    inked = np.maximum(a, b) > 0
    for axis in (1, 2):
        places = inked.shape[axis] - _WINDOW + 1
        inked = np.any([inked.take(range(k, k + places), axis) for k in range(_WINDOW)], axis=0)
    windows = inked[0].size
    held = np.maximum(inked.sum(axis=(1, 2)), 1)
    return np.asarray((1 - (1 - ssim(a, b)) * windows / held).round(6), np.float64)


def nearest(inks: Pixels, count: int) -> tuple[Indices, Indices]:
    """Indices (i < j) of the ``count`` pairs of highest cosine; of equals the first are taken.

    Args:
        inks: uint8 (n, side, side), the side even, up to 64.
        count: at least 1; all pairs come back when there are not so many.

    Returns:
        The two indices of each pair, in no order that matters.
    """
    n = len(inks)
    rows = inks[:, 0::2].astype(np.uint32) + inks[:, 1::2]
    # 7-bit means of 2 x 2 pixels: 1024 products of at most 127 * 127 stay below 2**24, exact in
    # float32.
    thumbs = ((rows[..., 0::2] + rows[..., 1::2]) // 8).reshape(n, -1)
    values = thumbs[:, thumbs.any(axis=0)].astype(np.float32)
    norms = np.sqrt(np.maximum((thumbs * thumbs).sum(axis=1), 1).astype(np.float64))
    inverse = (1 / norms).astype(np.float32)
    first: Indices = np.zeros(0, np.intp)
    second: Indices = np.zeros(0, np.intp)
    cosines: npt.NDArray[np.float64] = np.zeros(0)
    least = -1.0
    step = max(1, _PRODUCTS // n)
    for start in range(0, n - 1, step):
        products = values[start : start + step] @ values[start:].T
        # What may be among the nearest is found quickly, then measured in float64.
        nearly = products * inverse[start : start + step, None] * inverse[None, start:]
        i, j = np.nonzero(nearly >= least - _NEARLY)
        i, j = i[j > i], j[j > i]
        cosine = products[i, j].astype(np.float64) / (norms[i + start] * norms[j + start])
        first, second = np.concatenate([first, i + start]), np.concatenate([second, j + start])
        cosines = np.concatenate([cosines, cosine])
        if len(cosines) > count:
            # Pairs stand in the order of their indices, and a stable sort keeps that of equals.
            kept = np.sort(np.argsort(-cosines, kind="stable")[:count])
            first, second, cosines = first[kept], second[kept], cosines[kept]
            least = float(cosines.min())
    return first, second


def shown_name(text: str) -> str:
    """A text as it can be read in a list: by its code points where it would not be seen."""
    alone = unicodedata.category(text[0]).startswith("M") if text else False
    seen = text.isprintable() and not alone and not _UNSEEN.search(text)
    return text if seen else named(text)


def _parts(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
