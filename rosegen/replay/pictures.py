"""The pictures of the release that the records were published in, as its manifest has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosegen.row_files import read_rows

_NAME = "manifest.jsonl"
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Picture:
    """Hashes of the decoded pixels of an image and its two tiles; None for a tile's not told."""

    pixel_sha256: str
    majority_sha256: str | None
    exception_sha256: str | None


def read_pictures(release: Path) -> dict[str, Picture]:
    """Image id to picture, of each that the manifest of a release tells a hash of.

    Lines that are no row are passed over, and there may be no manifest: what it does not tell
    cannot be compared, and no more than that.

    Raises:
        RosegenError: the manifest cannot be read.
    """
    path, found = release / _NAME, dict[str, Picture]()
    if not path.is_file():
        return found
    for _, row in read_rows(path, unread=lambda where, line, reason: None):
        image_id, pixels = row.get("image_id"), _hash(row, "pixel_sha256")
        if isinstance(image_id, str) and pixels is not None:
            tiles = _hash(row, "background_sha256"), _hash(row, "target_sha256")
            found.setdefault(image_id, Picture(pixels, *tiles))
    return found


def _hash(row: Mapping[str, Any], column: str) -> str | None:
    said = row.get(column)
    return said if isinstance(said, str) and _SHA256.fullmatch(said) else None
