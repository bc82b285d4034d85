"""What this machine has, and what is missing before a build can run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rosegen.engine.local import available_cores
from rosegen.errors import RosegenError
from rosegen.packs import cache_dir, load_packs, status
from rosegen.toolchain import toolchain


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str


def examine() -> list[Finding]:
    """Everything a build depends on, each as one finding."""
    return [
        Finding("python", sys.version_info >= (3, 10), f"{sys.version.split()[0]} (3.10 or newer)"),
        Finding("cores", True, str(available_cores())),
        *(Finding(name, value != "absent", value) for name, value in toolchain().items()),
        _cache(),
        _pip(),
        Finding("npm", True, shutil.which("npm") or "absent (only optional packs need it)"),
        *_packs(),
    ]


def _cache() -> Finding:
    folder = cache_dir()
    nearest: Path = folder
    while not nearest.exists():
        nearest = nearest.parent
    writable = os.access(nearest, os.W_OK)
    free = shutil.disk_usage(nearest).free / 1e9
    state = f"{free:.1f} GB free" if writable else "not writable: set ROSEGEN_CACHE"
    return Finding("cache", writable, f"{folder} ({state})")


def _pip() -> Finding:
    result = subprocess.run(
        [sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        return Finding("pip", True, " ".join(result.stdout.split()[:2]))
    return Finding("pip", False, "absent: python -m ensurepip")


def _packs() -> list[Finding]:
    try:
        rows = status([pack for pack in load_packs().values() if pack.default])
    except RosegenError as error:
        return [Finding("packs", False, str(error))]
    missing = [row.name for row in rows if not row.cached]
    if missing:
        return [Finding("packs", False, f"not cached: {', '.join(missing)}: rosegen assets fetch")]
    return [Finding("packs", True, f"{len(rows)} cached")]
