"""Where a build puts its files: each appears under its name whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Protocol

SCRATCH = "journal/scratch"
"""Where files are until they are whole; it goes with the journal."""


class Store(Protocol):
    """A folder that several processes write into, here or elsewhere. Names are POSIX paths."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file that counts only once something says that it is whole."""

    def keep(self, name: str, data: bytes) -> None:
        """Write a file that is whole and lasts, or is not there at all."""

    def get(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: there is none.
        """

    def part(self, name: str, start: int, length: int) -> bytes:
        """Some bytes of a file."""

    def writer(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A stream whose bytes become the file when the block ends well."""

    def remove(self, name: str) -> None:
        """Remove a file or a folder, if it is there."""

    def names(self) -> list[str]:
        """The names of the files and folders that lie in it, sorted."""


class LocalStore:
    """A folder of this machine, or one that it shares with others."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._made: set[Path] = set()

    def _path(self, name: str) -> Path:
        path = self.root / name
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        return path

    def put(self, name: str, data: bytes) -> None:
        # Not in its place: a worker given up for dead may still write what another wrote since.
        scratch = self._path(f"{SCRATCH}/{uuid.uuid4().hex}")
        scratch.write_bytes(data)
        os.replace(scratch, self._path(name))

    def keep(self, name: str, data: bytes) -> None:
        with self.writer(name) as out:
            out.write(data)

    def get(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def part(self, name: str, start: int, length: int) -> bytes:
        with (self.root / name).open("rb") as file:
            file.seek(start)
            return file.read(length)

    @contextmanager
    def writer(self, name: str) -> Iterator[IO[bytes]]:
        path = self._path(name)
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)

    def remove(self, name: str) -> None:
        path = self.root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last, where folders can be asked for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256(data: bytes) -> str:
    """Hex digest of bytes."""
    return hashlib.sha256(data).hexdigest()
