"""Keep what a source has mined from its packs, so that the next build need not mine again."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def remembered(cache: Path, key: dict[str, Any], make: Callable[[], Any]) -> Any:
    """``make()``, or what it returned the last time it was asked with this key.

    Args:
        cache: rosegen's cache folder.
        key: everything the result depends on, as JSON.
        make: returns JSON.

    A cache that cannot be written is no error: the result is only not kept.
    """
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    path = cache / "mined" / f"{name}.json"
    try:
        stored = json.loads(path.read_bytes())
        if stored["key"] == key:
            return stored["value"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # absent or damaged: make it again
    value = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, suffix=".part", delete=False
        ) as part:
            json.dump({"key": key, "value": value}, part, ensure_ascii=False)
        os.replace(part.name, path)
    except OSError:
        pass
    return value
