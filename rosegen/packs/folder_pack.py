"""A folder of fonts or pictures that a pipeline names in place, as a pack."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rosegen.packs.model import Kind, Pack, Source

_CONTENTS: Mapping[Kind, Mapping[str, Any]] = {
    "fonts": {},
    "images": {},
    "sprites": {"images": {"glob": "*"}},
    "emoji": {"images": {"glob": "*", "separator": "-", "drop_fe0f": True}},
}


def folder_pack(pipeline: Path, entry: Mapping[str, Any], kind: Kind) -> Pack:
    """The pack of a folder.

    Args:
        pipeline: the pipeline file, which the folder's path starts from.
        entry: ``folder``, ``license``, ``attribution``, and maybe ``name`` and ``homepage``.
        kind: what the folder holds.
    """
    folder = entry["folder"]
    name = entry.get("name") or _slug((pipeline.parent / folder).resolve().name)
    contents = dict(_CONTENTS[kind])
    if kind == "emoji":
        contents["provider"] = name
    return Pack(
        name=name,
        kind=kind,
        source=Source("folder", folder, "", None),
        license=entry["license"],
        attribution=entry["attribution"],
        homepage=entry.get("homepage", ""),
        files=("*",),
        contents=contents,
        default=False,
        path=pipeline,
    )


def _slug(name: str) -> str:
    """Small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "folder"
