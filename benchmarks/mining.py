"""Mining confusable characters through a shortlist, against the SSIM of all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from benchmarks.material import GLYPH, evenly, source
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.sources.chinese_glyph import ChineseGlyph, known_characters, open_face
from rosegen.sources.glyph_mining import Confusable, gb2312_hanzi, mine, render_glyph
from rosegen.sources.similarity import ssim

ROUNDS = 3

_SIZE, _CANVAS = 48, 52  # as glyph_mining
_BATCH = 16  # fits a processor's cache, which larger ones do not
_LEAST_SSIM = 0.65  # below it rose-v0.1 calls no two characters confusable
_RECALL_AT = (_LEAST_SSIM, 0.72, 0.8)  # 0.72: admitted by rose-v0.1 at the cell size


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """Characters spread over GB 2312, then characters that share radicals."""
    face = cast(ChineseGlyph, source(GLYPH)).faces()[0]
    font = open_face(face, _SIZE)
    known = known_characters(face, gb2312_hanzi())
    count = 40 if tiny else 600
    choices = {
        "spread over GB 2312": evenly(known, count),
        # Its second level is ordered by radical: neighbours look alike.
        "in a row by radical": known[-count:],
    }
    for how, chars in choices.items():
        shortlist = len(chars)  # rose-v0.1: 6,000 for some 6,700 characters

        def every(chars: Sequence[str] = chars) -> list[Confusable]:
            return _all_pairs(np.stack([render_glyph(font, c, _CANVAS) for c in chars]), chars)

        def shortlisted(chars: Sequence[str] = chars, most: int = shortlist) -> list[Confusable]:
            return mine(font, chars, most, _LEAST_SSIM)

        yield compare(
            f"confusable pairs among {count} characters {how}, {face.name}",
            [Way("SSIM of all pairs", every), Way(f"mine, shortlist {shortlist}", shortlisted)],
            rounds,
            _recall,
            lambda found: f"{len(found)} pairs",
        )


def _all_pairs(glyphs: np.ndarray, chars: Sequence[str]) -> list[Confusable]:
    """Every pair's SSIM by our own function, in the batches it is fastest with."""
    first, second = np.triu_indices(len(chars), 1)
    found = []
    for start in range(0, len(first), _BATCH):
        i, j = first[start : start + _BATCH], second[start : start + _BATCH]
        scores = ssim(glyphs[i], glyphs[j]).round(6)
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
