"""Builds that are written where no folder can be: object stores and whatever else fsspec knows.

Such a place has no names to change and no locks. Files are whole as soon as they are there, they
have their final names at once, and the seal, written last, says that all of them are. A lease that
is renewed every few seconds says that a process is at work.
"""

from __future__ import annotations

import json
import os
import platform
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import TracebackType
from typing import IO, Any

import fsspec

from rosegen.engine.journal import BEGUN, JOURNAL, Journal
from rosegen.errors import RosegenError

LEASE = "build.lease"
_RENEWED = 10.0  # seconds
_EXPIRES = 45.0
_BLOCK = 16 << 20  # bytes of a stream that are sent at a time


@lru_cache(maxsize=8)
def _filesystem(url: str, process: int) -> tuple[Any, str]:
    """The file system of a URL and the path in it; never one from before a fork."""
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(url)
        return found
    except (ImportError, ValueError) as error:
        raise RosegenError(
            f"{url}: {error}: give a folder, or a URL that fsspec knows (S3: pip install "
            f"'rosegen[s3]')"
        ) from error


@contextmanager
def _told(url: str) -> Iterator[None]:
    """What the other side refuses, in one line: its libraries raise whatever they like."""
    try:
        yield
    except (OSError, RosegenError):
        raise
    except Exception as error:
        raise RosegenError(
            f"{url}: {' '.join(str(error).split()) or type(error).__name__}: see to its address, "
            f"keys and network, and run it again"
        ) from error


class RemoteStore:
    """The files under a URL that fsspec knows."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    @property
    def _fs(self) -> Any:
        return _filesystem(self.url, os.getpid())[0]

    def _path(self, name: str) -> str:
        return f"{_filesystem(self.url, os.getpid())[1]}/{name}"

    def put(self, name: str, data: bytes) -> None:
        path = self._path(name)
        with _told(self.url):
            if self._fs.protocol in ("file", ("file", "local")):
                self._fs.makedirs(self._fs._parent(path), exist_ok=True)
            self._fs.pipe_file(path, data)

    keep = put  # a file is there whole or not at all

    def get(self, name: str) -> bytes:
        with _told(self.url):
            data: bytes = self._fs.cat_file(self._path(name))
        return data

    def part(self, name: str, start: int, length: int) -> bytes:
        with _told(self.url):
            data: bytes = self._fs.cat_file(self._path(name), start=start, end=start + length)
        return data

    @contextmanager
    def writer(self, name: str) -> Iterator[IO[bytes]]:
        with _told(self.url):
            out = self._fs.open(self._path(name), "wb", block_size=_BLOCK)
        try:
            yield out
        except BaseException:
            out.discard()  # what was sent is not made a file
            raise
        with _told(self.url):
            out.close()

    def remove(self, name: str) -> None:
        path = self._path(name)
        with _told(self.url):
            self._fs.invalidate_cache()
            if self._fs.exists(path):
                self._fs.rm(path, recursive=True)

    def names(self) -> list[str]:
        """What lies directly under the URL."""
        with _told(self.url):
            self._fs.invalidate_cache()
            try:
                listed = self._fs.ls(self._path("").rstrip("/"), detail=False)
            except FileNotFoundError:
                return []
        return sorted(str(path).rstrip("/").rpartition("/")[2] for path in listed)


class RemoteJournal(Journal):
    """The build of a release under a URL."""

    def __init__(
        self, url: str, seal: str, fingerprint: Mapping[str, Any], afresh: bool = False
    ) -> None:
        self._remote = RemoteStore(url)
        super().__init__(url, self._remote, seal, fingerprint, afresh)
        self._over = threading.Event()
        self._renewing = threading.Thread(target=self._renew, daemon=True)
        self._is_finished = False

    def _take(self) -> None:
        names = self._remote.names()
        self._refuse_in_the_way(names)
        lease = self._lease()
        while lease is not None and time.time() - lease < _EXPIRES:
            time.sleep(1)
            before, lease = lease, self._lease()
            if lease is not None and lease != before:
                raise RosegenError(
                    f"{self.out}: another process builds it at this moment: wait for it, or name "
                    f"another --out"
                )
        self._write_lease()
        self._renewing.start()

    def _refuse_in_the_way(self, names: list[str]) -> None:
        ours = {BEGUN, self._seal} & set(names)
        if set(names) - {LEASE} and not ours:
            raise RosegenError(f"{self.out}: holds other files, not a release: name another --out")
        if self._seal in names and BEGUN not in names and not self._afresh:
            raise RosegenError(
                f"{self.out}: another release stands there: give --force to replace it"
            )

    def _lease(self) -> float | None:
        """When a process last said that it is at work, in seconds since 1970."""
        try:
            return float(json.loads(self._remote.get(LEASE))["time"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _write_lease(self) -> None:
        lease = {"host": platform.node(), "process": os.getpid(), "time": time.time()}
        self._remote.put(LEASE, json.dumps(lease).encode())

    def _renew(self) -> None:
        while not self._over.wait(_RENEWED):
            self._write_lease()

    def _release(self) -> None:
        self._over.set()
        if self._renewing.is_alive():
            self._renewing.join()
        self._remote.remove(LEASE)

    def _discard(self) -> None:
        for name in self._remote.names():
            if name != LEASE:
                self._remote.remove(name)

    def finish(self, replace: bool) -> None:
        self._remote.remove(JOURNAL)
        self._remote.remove(BEGUN)
        self._is_finished = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._is_finished and JOURNAL not in self._remote.names():
            self._discard()
        self._release()
