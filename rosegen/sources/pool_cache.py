"""Keep what a source has mined from its packs, so that the next build need not mine again."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def remembered(cache: Path, key: dict[str, Any], make: Callable[[], Any]) -> Any:
    """``make()``, or what it returned the last time it was asked with this key.

    Args:
        cache: rosegen's cache folder.
        key: everything the result depends on, as JSON.
        make: returns JSON.

    A cache that cannot be written is no error: the result is only not kept.
    """
    path = _path(cache, key, "json")
    try:
        stored = json.loads(path.read_bytes())
        if stored["key"] == key:
            return stored["value"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # absent or damaged: make it again
    value = make()
    _keep(path, json.dumps({"key": key, "value": value}, ensure_ascii=False).encode())
    return value


def remembered_pixels(cache: Path, key: dict[str, Any], make: Callable[[], Pixels]) -> Pixels:
    """The same for an array of pixels."""
    path = _path(cache, key, "npy")
    try:
        found = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
        if found.dtype == np.uint8:
            return np.asarray(found)
    except (OSError, ValueError, EOFError):
        pass
    made = make()
    out = io.BytesIO()
    np.save(out, made, allow_pickle=False)
    _keep(path, out.getvalue())
    return made


def _path(cache: Path, key: dict[str, Any], suffix: str) -> Path:
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return cache / "mined" / f"{name}.{suffix}"


def _keep(path: Path, data: bytes) -> None:
    """Put a file in the cache whole or not at all."""
    part: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            part = Path(file.name)
            file.write(data)
        os.replace(part, path)
    except OSError:
        if part is not None:
            part.unlink(missing_ok=True)
