"""The files of folders that a user names, and which of several that answer alike is meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from rosegen.errors import RosegenError
from rosegen.packs.hashing import file_sha256
from rosegen.sources.pictures import list_pictures

T = TypeVar("T")


@dataclass(frozen=True)
class UserFile:
    """A file below a folder that a user names.

    Attributes:
        path: where it is.
        below: the folder's own name, the folders between, and the file's name.
    """

    path: Path
    below: tuple[str, ...]

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders it lies in, from the one the user names."""
        return self.below[:-1]

    @property
    def relative(self) -> str:
        """Its path below the folder that the user names."""
        return "/".join(self.below[1:])

    @property
    def label(self) -> str:
        """Its path from the folder on: the same wherever the folder lies."""
        return "/".join(self.below)


def pictures_below(places: Iterable[Path]) -> tuple[UserFile, ...]:
    """The picture files below folders, in the order of the folders.

    Raises:
        RosegenError: a place is no folder, or cannot be read.
    """
    found: dict[Path, UserFile] = {}
    for place in places:
        if not place.is_dir():
            raise RosegenError(f"{place}: no such folder")
        top = place.resolve().name
        for path in list_pictures(place):
            parts = PurePosixPath(path.relative_to(place).as_posix()).parts
            found.setdefault(path.resolve(), UserFile(path, (top, *parts)))
    return tuple(found.values())


def alike_once(files: Sequence[T], path_of: Callable[[T], Path]) -> list[T]:
    """The first of each content: copies of a file are one.

    Raises:
        RosegenError: a file cannot be read.
    """
    if len(files) < 2:
        return list(files)
    first: dict[str, T] = {}
    for file in files:
        try:
            first.setdefault(file_sha256(path_of(file)), file)
        except OSError as error:
            raise RosegenError(
                f"{path_of(file)}: cannot be read ({error.strerror or error})"
            ) from error
    return list(first.values())


def files_below(place: Path, suffixes: frozenset[str]) -> list[Path]:
    """A file itself, or the files below a folder that have one of the suffixes, sorted.

    Hidden files and folders are left out; links to folders are not followed.

    Raises:
        RosegenError: there is no such place, or it cannot be read.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise RosegenError(f"{place}: no such file or folder")

    def refuse(error: OSError) -> None:
        raise RosegenError(
            f"{error.filename}: cannot be read ({error.strerror or error}): check its permissions"
        ) from error

    found = []
    for parent, folders, names in os.walk(place, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(parent, name)
            for name in names
            if not name.startswith(".") and Path(name).suffix.lower() in suffixes
        ]
    return sorted(found)


def named(files: Iterable[Path], most: int = 4) -> str:
    """Some files in one line."""
    names = [str(file) for file in files]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
