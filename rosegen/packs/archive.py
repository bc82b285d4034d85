"""Unpack the data files a pack lists, and nothing else."""

from __future__ import annotations

import hashlib
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO

from rosegen.errors import RosegenError
from rosegen.packs.hashing import file_sha256
from rosegen.packs.model import PICTURE_SUFFIXES, Pack

MAX_FILES = 100_000
MAX_FILE_BYTES = 128 * 2**20
MAX_PACK_BYTES = 2**31

# Only what rosegen reads as data is unpacked. A list of what is allowed cannot forget a kind of
# program; licences often have no suffix.
_FONT_SUFFIXES = (".ttf", ".otf", ".ttc", ".otc", ".woff", ".woff2")
_DATA_SUFFIXES = (*_FONT_SUFFIXES, ".svg", ".png", ".json", ".csv", ".tsv", ".txt", ".md", ".xml")
# What people have beside those, and how to bring it.
_UNREAD = {
    **dict.fromkeys((".dfont", ".pfa", ".pfb", ".eot"), "bring the font as ttf, otf or woff2"),
    **dict.fromkeys((".avif", ".heic", ".heif", ".jp2", ".jxl"), "save the picture as PNG"),
}
_LICENSE_STEMS = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "OFL")


@dataclass(frozen=True)
class Unpacked:
    """One unpacked file: its SHA-256 in lower-case hex and its size in bytes."""

    sha256: str
    size: int


def unpack(pack: Pack, archive: Path, target: Path) -> dict[str, Unpacked]:
    """Unpack the members of a wheel or tarball that the pack's globs name.

    Members that are not data (code, libraries, programs) are left out even when a glob names them.

    Args:
        pack: the pack.
        archive: a ``.whl`` or ``.tgz`` whose hash has been checked.
        target: the folder to unpack into; made if it is missing.

    Returns:
        Member name → what was written, sorted by name.

    Raises:
        RosegenError: a named member has an unsafe path or is a link, the archive is damaged or too
            big, or a glob names nothing.
    """
    members = _zip_members if archive.suffix == ".whl" else _tar_members
    try:
        return _write_all(pack, members(pack, archive), target)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        raise RosegenError(
            f"asset pack {pack.name}: {archive.name} is not a readable archive: {error}"
        ) from error


def copy_folder(pack: Pack, target: Path) -> dict[str, Unpacked]:
    """Copy the files of a folder pack that its globs name; as ``unpack`` otherwise."""
    return _write_all(pack, _folder_members(pack), target)


def folder_digest(pack: Pack) -> str:
    """SHA-256 of a folder pack: over ``relpath NUL sha256-of-file LF`` of its files, sorted.

    Raises:
        RosegenError: the folder does not exist or cannot be read.
    """
    digest = hashlib.sha256()
    try:
        for rel, path in _folder_files(pack)[0]:
            line = f"{rel}\0{file_sha256(path)}\n"
            digest.update(line.encode("utf-8", "surrogateescape"))  # a name may be no Unicode
    except OSError as error:
        raise RosegenError(f"asset pack {pack.name}: cannot read its folder: {error}") from error
    return digest.hexdigest()


def left_out(pack: Pack) -> tuple[tuple[str, str], ...]:
    """The files of a folder pack that cannot be taken, each with the reason."""
    return tuple(_folder_files(pack)[1]) if pack.source.type == "folder" else ()


def _zip_members(pack: Pack, archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as bundle:
        for info in bundle.infolist():
            if info.is_dir() or not _wanted(pack, info.filename):
                continue
            mode = info.external_attr >> 16
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise RosegenError(f"asset pack {pack.name}: {info.filename!r} is not a plain file")
            with bundle.open(info) as content:
                yield info.filename, content


def _tar_members(pack: Pack, archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(archive, "r:*") as bundle:
        for info in bundle:
            if info.isdir() or not _wanted(pack, info.name):
                continue
            content = bundle.extractfile(info) if info.isreg() else None
            if content is None:
                raise RosegenError(f"asset pack {pack.name}: {info.name!r} is not a plain file")
            with content:
                yield info.name, content


def _folder_members(pack: Pack) -> Iterator[tuple[str, IO[bytes]]]:
    for rel, path in _folder_files(pack)[0]:
        with path.open("rb") as content:
            yield rel, content


def _folder_files(pack: Pack) -> tuple[list[tuple[str, Path]], list[tuple[str, str]]]:
    """The files of a folder pack, and those that cannot be taken with the reason, both sorted."""
    folder = pack.path.parent / pack.source.package
    if not folder.is_dir():
        raise RosegenError(f"asset pack {pack.name}: {pack.path} names a missing folder {folder}")
    taken, refused = [], []

    def unread(error: OSError) -> None:
        rel = Path(error.filename).relative_to(folder).as_posix()
        if rel == ".":
            raise RosegenError(
                f"asset pack {pack.name}: {folder} cannot be read as a folder "
                f"({error.strerror or error}): check its permissions"
            ) from error
        refused.append((rel, "is a folder that cannot be read"))

    for parent, folders, names in os.walk(folder, onerror=unread):
        for path in (Path(parent, name) for name in (*folders, *names)):
            rel = path.relative_to(folder).as_posix()
            reason = None if _is_hidden(rel) else _no_file(pack, path, rel)
            if reason is not None:
                refused.append((rel, reason))
            elif not _is_hidden(rel) and _wanted(pack, rel) and path.is_file():
                taken.append((rel, path))
        folders[:] = [name for name in folders if not _is_hidden(name)]
    return sorted(taken), sorted(refused)


def _no_file(pack: Pack, path: Path, rel: str) -> str | None:
    """Why something in a folder is left out although it looks like a file to take."""
    suffix = path.suffix.lower()
    if suffix in _UNREAD and path.is_file():
        return f"is of a kind that is not read: {_UNREAD[suffix]}"
    if not _wanted(pack, rel):
        return None
    if path.is_dir() and not path.is_symlink():
        return "is a folder" if suffix else None  # a folder may be called LICENSES
    if not path.is_symlink() and not path.is_file():
        return "is no plain file"  # a pipe would be waited for without end
    return _unfit(path)


def _unfit(path: Path) -> str | None:
    """Why a file of a folder cannot be taken."""
    if path.is_symlink():
        return "is a link"  # it could lead to a file its owner never meant to share
    if "\\" in path.name:
        return "has a backslash in its name"  # elsewhere that is a folder
    if path.stat().st_size > MAX_FILE_BYTES:
        return f"is larger than {MAX_FILE_BYTES >> 20} MiB"
    return None if os.access(path, os.R_OK) else "cannot be read"


def _is_hidden(rel: str) -> bool:
    """What systems leave in folders beside the files that people put there."""
    return any(part.startswith(".") or part == "__MACOSX" for part in rel.split("/"))


def _wanted(pack: Pack, name: str) -> bool:
    if not any(fnmatchcase(name, glob) for glob in pack.files):
        return False
    path = PurePosixPath(name)
    suffix = path.suffix.lower()
    if pack.source.type == "folder" and suffix in PICTURE_SUFFIXES:
        return True
    return suffix in _DATA_SUFFIXES or (
        not path.suffix and path.name.upper().startswith(_LICENSE_STEMS)
    )


def _write_all(
    pack: Pack, members: Iterable[tuple[str, IO[bytes]]], target: Path
) -> dict[str, Unpacked]:
    target.mkdir(parents=True, exist_ok=True)
    written: dict[str, Unpacked] = {}
    total = 0
    for name, content in members:
        path = target / _safe(pack, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        written[name] = _write(pack, name, content, path)
        total += written[name].size
        if total > MAX_PACK_BYTES or len(written) > MAX_FILES:
            raise RosegenError(
                f"asset pack {pack.name}: its files exceed {MAX_FILES} files or "
                f"{MAX_PACK_BYTES >> 20} MiB; bring fewer, or narrow the globs in {pack.path}"
            )
    for glob in pack.files:
        if not any(fnmatchcase(name, glob) for name in written):
            if pack.source.type == "folder" and not written:
                raise RosegenError(
                    f"asset pack {pack.name}: {pack.path.parent / pack.source.package} holds no "
                    f"font, picture or table that can be read: put some there"
                )
            raise RosegenError(
                f"asset pack {pack.name}: no data file of {pack.source.label} matches {glob!r}; "
                f"mend files in {pack.path}"
            )
    return dict(sorted(written.items()))


def _safe(pack: Pack, name: str) -> PurePosixPath:
    """A member's path below the target; what is harmless on one system must be so on all."""
    path = PurePosixPath(name)
    signs = "" if pack.source.type == "folder" else "\\:\0"
    if path.is_absolute() or ".." in path.parts or any(sign in name for sign in signs):
        raise RosegenError(
            f"asset pack {pack.name}: member {name!r} would be written outside the pack's folder; "
            f"do not use {pack.source.label}"
        )
    return path


def _write(pack: Pack, name: str, content: IO[bytes], path: Path) -> Unpacked:
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as file:
        while block := content.read(1 << 20):
            size += len(block)
            if size > MAX_FILE_BYTES:
                raise RosegenError(
                    f"asset pack {pack.name}: {name!r} is larger than {MAX_FILE_BYTES >> 20} MiB"
                )
            digest.update(block)
            file.write(block)
    return Unpacked(digest.hexdigest(), size)
