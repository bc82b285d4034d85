"""Asset packs: third-party fonts, emoji and sprites, fetched by hash and never committed."""

from __future__ import annotations

from rosegen.packs.folder_pack import folder_pack
from rosegen.packs.model import PICTURE_SUFFIXES, Kind, OpenPack, Pack, Source, SourceType
from rosegen.packs.pack_file import load_pack, load_packs
from rosegen.packs.store import PackStatus, cache_dir, check, fetch, status

__all__ = [
    "PICTURE_SUFFIXES",
    "Kind",
    "OpenPack",
    "Pack",
    "PackStatus",
    "Source",
    "SourceType",
    "cache_dir",
    "check",
    "fetch",
    "folder_pack",
    "load_pack",
    "load_packs",
    "status",
]
