"""The hash by which images are compared: of decoded pixels, never of file bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def pixel_sha256(bands: Iterable[Pixels]) -> str:
    """SHA-256 over ``b"<width>x<height> RGB8\\n"`` and the row-major RGB bytes.

    Args:
        bands: uint8 arrays (height, width, 3) that make up the image from the top.
    """
    parts = list(bands)
    height = sum(part.shape[0] for part in parts)
    digest = hashlib.sha256(b"%dx%d RGB8\n" % (parts[0].shape[1], height))
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()
