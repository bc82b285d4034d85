"""Asset packs: third-party fonts, emoji and sprites, fetched by hash and never committed."""

from __future__ import annotations

from rosegen.packs.model import Kind, OpenPack, Pack, Source, SourceType
from rosegen.packs.pack_file import load_pack, load_packs
from rosegen.packs.store import PackStatus, cache_dir, check, fetch, status

__all__ = [
    "Kind",
    "OpenPack",
    "Pack",
    "PackStatus",
    "Source",
    "SourceType",
    "cache_dir",
    "check",
    "fetch",
    "load_pack",
    "load_packs",
    "status",
]
