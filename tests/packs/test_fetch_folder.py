"""Packs that are a local folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.packs import Pack, check, fetch, status
from rosegen.packs.archive import folder_digest
from tests.packs.conftest import entries

MakePack = Callable[..., Pack]


@pytest.fixture
def art(tmp_path: Path) -> Path:
    folder = tmp_path / "my art" / "birds"
    folder.mkdir(parents=True)
    (folder / "owl.png").write_bytes(b"an owl")
    (folder / "owl.py").write_bytes(b"code")
    (folder.parent / "LICENSE").write_bytes(b"free")
    return folder.parent


@pytest.fixture
def folder_pack(make_pack: MakePack, art: Path) -> Callable[..., Pack]:
    def make(sha256: str | None = None) -> Pack:
        return make_pack(sha256, type="folder", package="my art", version="", files=("*",))

    return make


def test_the_same_rules_hold(folder_pack: MakePack, cache: Path) -> None:
    opened = fetch(folder_pack(), cache=cache)
    assert opened.files == ("LICENSE", "birds/owl.png")
    assert opened.read("birds/owl.png") == b"an owl"
    assert check(opened.pack, cache) == []


def test_a_changed_folder_is_another_pack(folder_pack: MakePack, art: Path, cache: Path) -> None:
    before = fetch(folder_pack(), cache=cache)
    (art / "birds" / "owl.png").write_bytes(b"a hen!")
    after = fetch(folder_pack(), cache=cache, offline=True)
    assert before.sha256 != after.sha256
    assert before.read("birds/owl.png") == b"an owl"
    assert after.read("birds/owl.png") == b"a hen!"


def test_a_pinned_folder(folder_pack: MakePack, art: Path, cache: Path) -> None:
    pinned = folder_pack(folder_digest(folder_pack()))
    fetch(pinned, cache=cache)
    (art / "birds" / "owl.png").write_bytes(b"a hen!")
    assert fetch(pinned, cache=cache).read("birds/owl.png") == b"an owl"
    with pytest.raises(RosegenError, match=f"expected {'0' * 64}, got"):
        fetch(folder_pack("0" * 64), cache=cache)


def test_links_are_left_out_and_told(folder_pack: MakePack, art: Path, cache: Path) -> None:
    secret = art.parent / "secret.txt"
    secret.write_text("not yours")
    (art / "link.txt").symlink_to(secret)
    opened = fetch(folder_pack(), cache=cache)
    assert opened.files == ("LICENSE", "birds/owl.png")
    assert opened.left_out == (("link.txt", "is a link"),)


def test_what_systems_leave_in_folders_is_passed_over(
    folder_pack: MakePack, art: Path, cache: Path
) -> None:
    for rel in (".hidden.png", ".git/a.png", "__MACOSX/birds/._owl.png"):
        path = art / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"no picture")
    assert fetch(folder_pack(), cache=cache).files == ("LICENSE", "birds/owl.png")


def test_a_missing_folder(make_pack: MakePack, cache: Path) -> None:
    pack = make_pack(None, type="folder", package="nowhere", version="")
    with pytest.raises(RosegenError, match=r"tiny.yaml names a missing folder .*nowhere"):
        fetch(pack, cache=cache)
    assert "missing folder" in check(pack, cache)[0]
    assert not status([pack], cache)[0].cached


def test_a_full_disk(folder_pack: MakePack, art: Path, cache: Path) -> None:
    resource = pytest.importorskip("resource")
    (art / "big.png").write_bytes(bytes(1 << 20))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        with pytest.raises(RosegenError, match="cannot fill the cache .* free some space"):
            fetch(folder_pack(), cache=cache)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert entries(cache) == []
