"""Where our own data files lie: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

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
