"""Tiny packages made on the spot, and a pip that sees nothing else."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rosegen.packs import Pack, Source

DIST_INFO = "tiny_art-1.0.dist-info"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all pip can find packages in."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    return folder


@pytest.fixture
def wheel(index: Path) -> Callable[..., str]:
    """``wheel(members, tag)`` adds ``tiny-art`` 1.0 to the index and returns its SHA-256."""

    def build(members: Mapping[str, bytes], tag: str = "py3-none-any") -> str:
        path = index / f"tiny_art-1.0-{tag}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
            archive.writestr(
                f"{DIST_INFO}/METADATA", "Metadata-Version: 2.1\nName: tiny-art\nVersion: 1.0\n"
            )
            archive.writestr(
                f"{DIST_INFO}/WHEEL",
                f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n",
            )
            archive.writestr(f"{DIST_INFO}/RECORD", "")
        return hashlib.sha256(path.read_bytes()).hexdigest()

    return build


@pytest.fixture
def make_pack(tmp_path: Path) -> Callable[..., Pack]:
    """``make_pack(sha256, files=…, …)`` is a pack of sprites that comes from ``tiny-art`` 1.0."""

    def make(sha256: str | None, files: tuple[str, ...] = ("art/*.png",), **source: Any) -> Pack:
        return Pack(
            name="tiny",
            kind="sprites",
            source=Source(
                type=source.get("type", "pypi"),
                package=source.get("package", "tiny-art"),
                version=source.get("version", "1.0"),
                sha256=sha256,
            ),
            license="CC0-1.0",
            attribution="us",
            homepage="https://example.org",
            files=files,
            contents={"images": {"glob": "*.png"}, "skip": ["debug*"]},
            default=True,
            path=tmp_path / "tiny.yaml",
        )

    return make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def entries(cache: Path) -> list[str]:
    """What lies in the cache, apart from locks."""
    return sorted(path.name for path in (cache / "packs").iterdir() if path.suffix != ".lock")
