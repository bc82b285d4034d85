"""Where a release is written: a folder, or a URL that fsspec knows."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rosegen.engine.journal import FolderJournal, Journal
from rosegen.engine.store import LocalStore, Store


def place_of(out: Path | str) -> Path | str:
    """A path, or a URL as text: ``s3://bucket/name``."""
    return out if isinstance(out, str) and re.match(r"[a-z][a-z0-9+.-]+://", out) else Path(out)


def store_at(out: Path | str) -> Store:
    """The files of a place."""
    if isinstance(out, Path):
        return LocalStore(out)
    store: Store = importlib.import_module("rosegen.engine.remote").RemoteStore(out)
    return store


def open_journal(
    out: Path | str, seal: str, fingerprint: Mapping[str, Any], afresh: bool = False
) -> Journal:
    """The journal of a build that is written to a place; see ``Journal``."""
    if isinstance(out, Path):
        return FolderJournal(out, seal, fingerprint, afresh)
    remote = importlib.import_module("rosegen.engine.remote")
    journal: Journal = remote.RemoteJournal(out, seal, fingerprint, afresh)
    return journal
