"""Keep what a source has mined from its packs, so that the next build need not mine again."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import tempfile
import zlib
from collections.abc import Callable, Mapping
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
    path = _path(cache, key, "npy.z")
    try:
        data = zlib.decompress(path.read_bytes())
        found = np.load(io.BytesIO(data), allow_pickle=False)
        if found.dtype == np.uint8:
            return np.asarray(found)
    except (OSError, ValueError, EOFError, zlib.error):
        pass
    made = make()
    out = io.BytesIO()
    np.save(out, made, allow_pickle=False)
    _keep(path, zlib.compress(out.getvalue(), 1))
    return made


def remembered_pictures(
    cache: Path, key: dict[str, Any], make: Callable[[], Mapping[str, Pixels]]
) -> dict[str, Pixels]:
    """The same for named pictures, RGBA of whatever sizes; they are read-only."""

    def joined() -> Pixels:
        made = make()
        index = json.dumps([[name, *pixels.shape] for name, pixels in made.items()]).encode()
        parts = [len(index).to_bytes(8, "big"), index]
        parts += [np.ascontiguousarray(pixels).tobytes() for pixels in made.values()]
        return np.frombuffer(b"".join(parts), np.uint8)

    data = remembered_pixels(cache, key, joined)
    start = 8 + int.from_bytes(data[:8].tobytes(), "big")
    found = {}
    for name, *shape in json.loads(data[8:start].tobytes()):
        end = start + math.prod(shape)
        found[name] = data[start:end].reshape(shape)
        found[name].setflags(write=False)
        start = end
    return found


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
