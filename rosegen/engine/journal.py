"""What makes a killed build go on: a folder that is filled unit by unit.

A unit's files come first, then its rows in one file, then its entry, which names all of them with
their hashes. So a unit is whole exactly if its entry is there and what it names is as it says;
anything else is made again. The folder takes its final name when every unit is whole.
"""

from __future__ import annotations

import json
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import filelock

from rosegen.engine.store import LocalStore, Store, sha256, sync_folder
from rosegen.errors import RosegenError
from rosegen.files import put_in_place, refuse_in_the_way

JOURNAL = "journal"
BEGUN = "build.json"
_LOCK = "lock"


@dataclass(frozen=True)
class Entry:
    """A unit that is whole.

    Attributes:
        unit: its number.
        sections: name of a file of the release to where the unit's share of it lies: start and
            length in bytes.
        facts: what the unit's maker tells of it, as JSON.
    """

    unit: int
    sections: Mapping[str, tuple[int, int]]
    facts: Mapping[str, Any]


def _rows(unit: int) -> str:
    return f"{JOURNAL}/{unit:06d}.rows"


def _entry(unit: int) -> str:
    return f"{JOURNAL}/{unit:06d}.json"


class Files:
    """The files of one unit, as they are written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.written: list[tuple[str, int, str]] = []

    def write(self, name: str, data: bytes) -> None:
        """Write one."""
        self._store.put(name, data)
        self.written.append((name, len(data), sha256(data)))


def record(
    store: Store,
    unit: int,
    files: Files,
    sections: Mapping[str, bytes],
    facts: Mapping[str, Any],
) -> Entry:
    """Say that a unit is whole, once its files are written.

    Args:
        store: of the build.
        unit: its number.
        files: of the unit.
        sections: name of a file of the release to the unit's share of it.
        facts: what is to be known of the unit, as JSON.
    """
    places, start = {}, 0
    for name, data in sections.items():
        places[name] = (start, len(data))
        start += len(data)
    rows = b"".join(sections.values())
    store.put(_rows(unit), rows)
    entry = {
        "unit": unit,
        "rows": [len(rows), sha256(rows)],
        "files": files.written,
        "sections": places,
        "facts": facts,
    }
    store.keep(_entry(unit), json.dumps(entry, ensure_ascii=False).encode())
    return Entry(unit, places, facts)


def whole_entry(store: Store, unit: int) -> Entry | None:
    """A unit's entry if it and all it names are there as it says."""
    try:
        entry = json.loads(store.get(_entry(unit)))
        files = [(_rows(unit), *entry["rows"]), *entry["files"]]
        for name, size, digest in files:
            data = store.get(name)
            if len(data) != size or sha256(data) != digest:
                return None
        places = {name: (start, length) for name, (start, length) in entry["sections"].items()}
        return Entry(unit, places, entry["facts"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def copy_section(store: Store, entries: Sequence[Entry], name: str, out: IO[bytes]) -> None:
    """Append every unit's share of a file of the release."""
    for entry in entries:
        start, length = entry.sections.get(name, (0, 0))
        if length:
            out.write(store.part(_rows(entry.unit), start, length))


class Journal(ABC):
    """The place of a build that is not finished, held by one process at a time.

    Args:
        out: what it is called in the end.
        store: its files.
        seal: the file that is written last: with it, all is there.
        fingerprint: name to value of everything the build's outcome depends on.
        afresh: whether a release of that name, and what another build left, may give way.

    As a context it raises ``RosegenError`` when another process builds there, or when what stands
    there was begun by another build. What is whole stays when the block ends in an error.
    """

    def __init__(
        self,
        out: Path | str,
        store: Store,
        seal: str,
        fingerprint: Mapping[str, Any],
        afresh: bool,
    ) -> None:
        self.out = out
        self.store = store
        self._seal = seal
        self._fingerprint = dict(fingerprint)
        self._afresh = afresh

    def __enter__(self) -> Journal:
        self._take()
        try:
            begun = self._begun()
            if begun is not None and begun != self._fingerprint and not self._afresh:
                raise RosegenError(
                    f"{self.out}: an unfinished build stands there that differs in "
                    f"{_differing(begun, self._fingerprint)}: go on with that one, or give "
                    f"--force to discard it"
                )
            if begun != self._fingerprint:
                self._discard()
                self.store.keep(BEGUN, _document(self._fingerprint))
        except BaseException:
            self._release()
            raise
        return self

    def _begun(self) -> dict[str, Any] | None:
        """The fingerprint of the build that stands there."""
        try:
            found = json.loads(self.store.get(BEGUN))
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    @property
    def is_sealed(self) -> bool:
        """Whether all is there already."""
        return self._seal in self.store.names()

    @abstractmethod
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @abstractmethod
    def _take(self) -> None:
        """Hold the place.

        Raises:
            RosegenError: another process holds it, or something else is in the way.
        """

    @abstractmethod
    def _release(self) -> None:
        """Let others have it."""

    @abstractmethod
    def _discard(self) -> None:
        """Remove what an earlier build left."""

    @abstractmethod
    def finish(self, replace: bool) -> None:
        """Make the release of what is there.

        Args:
            replace: whether a release that stands there gives way.
        """


class FolderJournal(Journal):
    """A folder beside ``out``, which takes its name in the end."""

    def __init__(
        self, out: Path, seal: str, fingerprint: Mapping[str, Any], afresh: bool = False
    ) -> None:
        self.stage = out.parent / f".{out.name}.part"
        super().__init__(out, LocalStore(self.stage), seal, fingerprint, afresh)
        self._name = out
        self._made: list[Path] = []  # folders above the stage that were not there before
        self._lock = filelock.FileLock(self.stage / _LOCK)

    def _take(self) -> None:
        refuse_in_the_way(self._name, self._seal, self._afresh)
        parents = (self._name.parent, *self._name.parent.parents)
        self._made = [folder for folder in parents if not folder.exists()]
        self._name.parent.mkdir(parents=True, exist_ok=True)
        self.stage.mkdir(exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            raise RosegenError(
                f"{self.out}: another process builds it at this moment: wait for it, or name "
                f"another --out"
            ) from None

    def _release(self) -> None:
        self._lock.release()

    def _discard(self) -> None:
        for name in self.store.names():
            if name != _LOCK:
                self.store.remove(name)

    def finish(self, replace: bool) -> None:
        refuse_in_the_way(self._name, self._seal, replace)
        self.store.remove(JOURNAL)
        if hasattr(os, "sync"):
            os.sync()  # the files themselves must last before their folder's name does
        self.store.remove(BEGUN)
        self._release()
        self.store.remove(_LOCK)
        put_in_place(self.stage, self._name, self._seal, replace)
        sync_folder(self._name.parent)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._lock.is_locked:
            return  # it has its name
        if not any(self.stage.glob(f"{JOURNAL}/*.json")):
            shutil.rmtree(self.stage, ignore_errors=True)
        self._release()
        for folder in self._made:
            with suppress(OSError):  # something is kept in it
                folder.rmdir()


def _document(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, sort_keys=True).encode()


def digest_of(fingerprint: Mapping[str, Any]) -> str:
    """One hash of a fingerprint."""
    return sha256(_document(fingerprint))


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """In what two fingerprints differ, and both."""
    names = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
    return (
        f"{', '.join(names)} (its fingerprint is {digest_of(one)[:12]}, this one's "
        f"{digest_of(other)[:12]})"
    )
