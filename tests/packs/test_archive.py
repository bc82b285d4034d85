"""Hostile and broken archives: nothing is written outside the pack's folder."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.packs import Pack, archive

MakePack = Callable[..., Pack]

UNSAFE = ["../x.png", "a/../../x.png", "/x.png", "..\\x.png", "C:/x.png", "C:x.png"]


def _zip(path: Path, name: str, mode: int = 0) -> Path:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    with zipfile.ZipFile(path / "art.whl", "w") as bundle:
        bundle.writestr(info, b"content")
    return path / "art.whl"


def _tar(path: Path, name: str, kind: bytes = tarfile.REGTYPE) -> Path:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = "/etc/passwd"
    info.size = 7 if kind == tarfile.REGTYPE else 0
    with tarfile.open(path / "art.tgz", "w:gz") as bundle:
        bundle.addfile(info, io.BytesIO(b"content"))
    return path / "art.tgz"


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("build", [_zip, _tar])
def test_members_that_lead_out_of_the_folder(
    name: str, build: Callable[[Path, str], Path], make_pack: MakePack, tmp_path: Path
) -> None:
    target = tmp_path / "deep" / "target"
    with pytest.raises(RosegenError, match="outside the pack's folder"):
        archive.unpack(make_pack("0" * 64, files=("*.png",)), build(tmp_path, name), target)
    assert list(target.iterdir()) == []
    assert not list(tmp_path.rglob("x.png"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_tarball_with_a_link(kind: bytes, make_pack: MakePack, tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match="'x.png' is not a plain file"):
        archive.unpack(make_pack(None, files=("*",)), _tar(tmp_path, "x.png", kind), tmp_path / "t")


def test_a_wheel_with_a_link(make_pack: MakePack, tmp_path: Path) -> None:
    wheel = _zip(tmp_path, "x.png", stat.S_IFLNK | 0o777)
    with pytest.raises(RosegenError, match="'x.png' is not a plain file"):
        archive.unpack(make_pack(None, files=("*",)), wheel, tmp_path / "t")


def test_no_file_comes_out_executable(make_pack: MakePack, tmp_path: Path) -> None:
    wheel = _zip(tmp_path, "x.png", stat.S_IFREG | 0o755)
    archive.unpack(make_pack(None, files=("*",)), wheel, tmp_path / "t")
    assert not (tmp_path / "t" / "x.png").stat().st_mode & 0o111


@pytest.mark.parametrize("name", ["art.whl", "art.tgz"])
def test_a_damaged_archive(name: str, make_pack: MakePack, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x1f\x8b not an archive")
    with pytest.raises(RosegenError, match="not a readable archive"):
        archive.unpack(make_pack(None, files=("*",)), tmp_path / name, tmp_path / "t")


@pytest.mark.parametrize("bound", ["MAX_FILE_BYTES", "MAX_PACK_BYTES", "MAX_FILES"])
def test_sizes_are_bounded(
    bound: str, make_pack: MakePack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, bound, 0)
    with pytest.raises(RosegenError, match="larger than|exceed"):
        archive.unpack(make_pack(None, files=("*",)), _zip(tmp_path, "x.png"), tmp_path / "t")
