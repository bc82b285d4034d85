"""SHA-256 of files, and what to say when it is not the one a pack file pins."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rosegen.errors import RosegenError
from rosegen.packs.model import Pack


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in lower-case hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def wrong_hash(pack: Pack, got: str) -> RosegenError:
    """The error for an archive or a folder that is not the one the pack file pins."""
    return RosegenError(
        f"asset pack {pack.name}: {pack.source.label} has the wrong sha256: expected "
        f"{pack.source.sha256}, got {got}; it is not what {pack.path} pins"
    )
