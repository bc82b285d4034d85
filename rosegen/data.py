"""Where our own data files lie: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "_bundled"


def _folder(name: str) -> Path:
    bundled = _BUNDLED / name
    return bundled if bundled.is_dir() else _PACKAGE.parent / name


def assets_dir() -> Path:
    """Asset packs, our own sprites and curated lists."""
    return _folder("assets")


def schemas_dir() -> Path:
    """The JSON Schemas."""
    return _folder("schemas")


def pipelines_dir() -> Path:
    """The pipelines that ship with rosegen."""
    return _folder("pipelines")


@cache
def item_schema() -> dict[str, Any]:
    """The JSON Schema of a row, without columns that only some sources know. Not to be changed."""
    path = schemas_dir() / "item.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema
