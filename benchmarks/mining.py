"""Mining confusable characters through a shortlist, against the SSIM of all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from benchmarks.material import GLYPH, evenly, source
from benchmarks.measure import Table, Way, compare
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.sources.character_sets import gb2312_hanzi
from rosegen.sources.font_file import FontFace
from rosegen.sources.glyph import Glyph
from rosegen.sources.glyph_mining import SIDE, Confusable, Mining, ink_ssim, mine
from rosegen.sources.text_tile import FONT_SHARE, draw

ROUNDS = 3

_BATCH = 16  # fits a processor's cache, which larger ones do not
_LEAST_SSIM = 0.5  # 0.65: below it rose-v0.1 calls no two characters confusable
_RECALL_AT = (_LEAST_SSIM, 0.65, 0.8)


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """Characters spread over GB 2312, then characters that share radicals."""
    face = next(iter(cast(Glyph, source(GLYPH)).faces.values()))
    hanzi = gb2312_hanzi()
    count = 40 if tiny else 600
    choices = {
        "spread over GB 2312": evenly(hanzi, count),
        # Its second level is ordered by radical: neighbours look alike.
        "in a row by radical": hanzi[-count:],
    }
    pool = LocalPool(1)
    for how, chars in choices.items():
        shortlist = len(chars)  # rose-v0.1: 6,000 for some 6,700 characters
        mining = Mining(face.font, tuple(chars), (), FONT_SHARE, shortlist, _LEAST_SSIM)

        def every(chars: Sequence[str] = chars) -> list[Confusable]:
            return _all_pairs(face.font, chars)

        def shortlisted(mining: Mining = mining) -> list[Confusable]:
            return list(mine(mining, pool).pairs)

        yield compare(
            f"confusable pairs among {count} characters {how}, {face.name}",
            [Way("SSIM of all pairs", every), Way(f"mine, shortlist {shortlist}", shortlisted)],
            rounds,
            _recall,
            lambda found: f"{len(found)} pairs",
        )


def _all_pairs(face: FontFace, chars: Sequence[str]) -> list[Confusable]:
    """Every pair's SSIM by our own function, in the batches it is fastest with."""
    glyphs: npt.NDArray[np.uint8] = np.stack([draw(face, char, SIDE) for char in chars])
    first, second = np.triu_indices(len(chars), 1)
    found = []
    for start in range(0, len(first), _BATCH):
        i, j = first[start : start + _BATCH], second[start : start + _BATCH]
        scores = ink_ssim(glyphs[i], glyphs[j])
        for k in np.flatnonzero(scores >= _LEAST_SSIM):
            a, b = sorted((chars[i[k]], chars[j[k]]))
            found.append(Confusable(a, b, float(scores[k])))
    return sorted(found, key=lambda pair: (-pair.ssim, pair.a, pair.b))


def _recall(results: Sequence[list[Confusable]]) -> list[str]:
    every, mined = results
    if not set(mined) <= set(every):
        raise RosegenError("mining: a mined pair is not among all pairs, or has another SSIM")
    notes = []
    for least in _RECALL_AT:
        wanted = {pair for pair in every if pair.ssim >= least}
        notes.append(f"{len(wanted & set(mined))} of {len(wanted)} at SSIM {least:g} and above")
    return ["found: " + ", ".join(notes)]
