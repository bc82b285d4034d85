"""What all tests share: the asset packs of the machine, and a small real release."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosegen.build import Build, build
from rosegen.errors import RosegenError
from rosegen.packs import fetch, load_packs

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def packs_cached() -> None:
    """Skip where the default asset packs are not in the cache."""
    for pack in load_packs().values():
        if pack.default:
            try:
                fetch(pack, offline=True)
            except RosegenError as error:
                pytest.skip(f"needs the asset packs in the cache (rosegen assets fetch): {error}")


@pytest.fixture(scope="session")
def demo(packs_cached: None, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The demo release, built once for the whole run. Tests must not change it."""
    out = tmp_path_factory.mktemp("demo") / "ROSE-demo"
    return build("demo", out, workers=2, offline=True)
