"""The hash by which images are compared: of decoded pixels, never of file bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def pixel_sha256(bands: Iterable[Pixels]) -> str:
    """SHA-256 over ``b"<width>x<height> RGB8\\n"`` and the row-major RGB bytes.

    Args:
        bands: uint8 arrays (height, width, 3) that make up the image from the top.
    """
    parts = list(bands)
    digest = _begun(parts)
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def pixel_sha256_of_two(one: Sequence[Pixels], other: Sequence[Pixels]) -> tuple[str, str]:
    """The hashes of two images of one size; bands at the top that are the same are read once."""
    shared = 0
    while shared < len(one) and one[shared] is other[shared]:
        shared += 1
    first = _begun(one)
    for part in one[:shared]:
        first.update(np.ascontiguousarray(part).data)
    second = first.copy()
    for digest, parts in ((first, one), (second, other)):
        for part in parts[shared:]:
            digest.update(np.ascontiguousarray(part).data)
    return first.hexdigest(), second.hexdigest()


def _begun(parts: Sequence[Pixels]) -> hashlib._Hash:
    height = sum(part.shape[0] for part in parts)
    return hashlib.sha256(b"%dx%d RGB8\n" % (parts[0].shape[1], height))
