"""The cache of unpacked packs: fetched once, shared by every build, usable without a network.

Layout: ``<cache>/packs/<name>-<first 16 hex digits of the sha256>/`` holds ``files/`` (the members
under their own names) and ``index.json`` (size and SHA-256 of each). An entry is made beside its
place under a lock and renamed into it, so it is either whole or absent.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock
from platformdirs import user_cache_dir

from rosegen.errors import RosegenError
from rosegen.packs.archive import Unpacked, copy_folder, folder_digest, left_out, unpack
from rosegen.packs.clients import Unavailable, download
from rosegen.packs.hashing import file_sha256, wrong_hash
from rosegen.packs.model import OpenPack, Pack


@dataclass(frozen=True)
class PackStatus:
    """A pack as ``rosegen assets list`` shows it; ``size`` is in bytes, None when not cached."""

    name: str
    kind: str
    license: str
    package: str
    version: str
    default: bool
    cached: bool
    size: int | None


def cache_dir() -> Path:
    """Where packs are kept: ``$ROSEGEN_CACHE``, else the user's cache folder for rosegen.

    Raises:
        RosegenError: ``ROSEGEN_CACHE`` names the home of a user who is not known.
    """
    chosen = os.environ.get("ROSEGEN_CACHE")
    try:
        return Path(chosen).expanduser() if chosen else Path(user_cache_dir("rosegen"))
    except RuntimeError as error:
        raise RosegenError(f"ROSEGEN_CACHE={chosen}: {error}: give another folder") from error


def fetch(pack: Pack, *, cache: Path | None = None, offline: bool = False) -> OpenPack:
    """Open a pack, downloading it first if the cache does not hold it whole.

    Args:
        pack: the pack.
        cache: the cache; None for ``cache_dir()``.
        offline: never download.

    Raises:
        RosegenError: the pack is neither cached nor to be had, its hash is wrong, its archive is
            not as the pack file says, or the cache cannot be written.
    """
    cache = cache_dir() if cache is None else cache
    sha256 = _sha256(pack)
    entry = _entry(pack, sha256, cache)
    try:
        index = _whole(pack, entry)
        if index is None and offline and pack.source.type != "folder":
            raise Unavailable("downloads are switched off")
        if index is None:
            index = _make(pack, sha256, entry)
    except Unavailable as error:
        raise RosegenError(
            f"asset pack {pack.name} is missing or damaged in the cache, and {error}; where there "
            f"is a network, run `rosegen assets fetch {pack.name}` and copy {entry.name} from its "
            f"cache to {entry.parent}, or point ROSEGEN_CACHE at a cache that holds it"
        ) from error
    except (OSError, NotImplementedError) as error:
        # filelock raises the second where a file system knows no locks.
        raise RosegenError(
            f"asset pack {pack.name}: cannot fill the cache {cache} ({error}); free some space, or "
            "set ROSEGEN_CACHE to a folder you can write to"
        ) from error
    return OpenPack(pack, entry / "files", sha256, tuple(index), left_out(pack))


def check(pack: Pack, cache: Path | None = None) -> list[str]:
    """Read every cached file of a pack again and compare it with its recorded hash.

    Returns:
        One line for each problem; empty when all is well.
    """
    cache = cache_dir() if cache is None else cache
    try:
        entry = _entry(pack, _sha256(pack), cache)
    except RosegenError as error:
        return [str(error)]
    index = _read_index(pack, entry)
    if index is None:
        return [f"{pack.name}: not in the cache {cache}; run `rosegen assets fetch {pack.name}`"]
    advice = f"delete {entry} and run `rosegen assets fetch {pack.name}`"
    problems = []
    for rel, expected in index.items():
        path = entry / "files" / rel
        try:
            got = file_sha256(path)
        except OSError as error:
            problems.append(f"{pack.name}: {path} cannot be read ({error.strerror}); {advice}")
            continue
        if got != expected.sha256:
            problems.append(
                f"{pack.name}: {path} has changed (sha256 {got}, not {expected.sha256}); {advice}"
            )
    return problems


def status(packs: Iterable[Pack], cache: Path | None = None) -> list[PackStatus]:
    """How each pack stands in the cache, in the order given."""
    cache = cache_dir() if cache is None else cache
    return [_status(pack, cache) for pack in packs]


def _status(pack: Pack, cache: Path) -> PackStatus:
    try:
        index = _whole(pack, _entry(pack, _sha256(pack), cache))
    except RosegenError:
        index = None  # a folder pack whose folder cannot be read
    return PackStatus(
        name=pack.name,
        kind=pack.kind,
        license=pack.license,
        package=pack.source.package,
        version=pack.source.version,
        default=pack.default,
        cached=index is not None,
        size=None if index is None else sum(file.size for file in index.values()),
    )


def _sha256(pack: Pack) -> str:
    """What the pack file pins; for a folder that is not pinned, what lies in it now."""
    return pack.source.sha256 or folder_digest(pack)


def _entry(pack: Pack, sha256: str, cache: Path) -> Path:
    return cache / "packs" / f"{pack.name}-{sha256[:16]}"


def _whole(pack: Pack, entry: Path) -> dict[str, Unpacked] | None:
    """The entry's index, or None unless every file is there with its size."""
    index = _read_index(pack, entry)
    if index is None:
        return None
    try:
        sizes = all(
            (entry / "files" / rel).stat().st_size == file.size for rel, file in index.items()
        )
    except OSError:
        return None
    return index if sizes else None


def _read_index(pack: Pack, entry: Path) -> dict[str, Unpacked] | None:
    """The entry's index, or None when there is none that fits the pack file as it is now."""
    try:
        index = json.loads((entry / "index.json").read_text(encoding="utf-8"))
        if index["globs"] != list(pack.files):
            return None
        return {rel: Unpacked(**file) for rel, file in index["files"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _make(pack: Pack, sha256: str, entry: Path) -> dict[str, Unpacked]:
    entry.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{entry}.lock"):
        index = _whole(pack, entry)  # somebody else may have made it while we waited
        if index is not None:
            return index
        part = entry.with_name(f".{entry.name}.part")
        shutil.rmtree(part, ignore_errors=True)  # left by a process that was killed
        try:
            index = _fill(pack, sha256, part)
            if entry.exists():
                entry.rename(part / "damaged")
            (part / "entry").rename(entry)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return index


def _fill(pack: Pack, sha256: str, part: Path) -> dict[str, Unpacked]:
    files = part / "entry" / "files"
    files.mkdir(parents=True)
    if pack.source.type == "folder":
        got = folder_digest(pack)
        if got != sha256:
            raise wrong_hash(pack, got)
        index = copy_folder(pack, files)
    else:
        downloads = part / "download"
        downloads.mkdir()
        index = unpack(pack, download(pack, downloads), files)
    _check_contents(pack, index)
    _write_index(pack, sha256, index, part / "entry" / "index.json")
    return index


def _write_index(pack: Pack, sha256: str, index: Mapping[str, Unpacked], path: Path) -> None:
    document = {
        "source": pack.source.label,
        "sha256": sha256,
        "globs": list(pack.files),
        "files": {rel: {"sha256": file.sha256, "size": file.size} for rel, file in index.items()},
    }
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def _check_contents(pack: Pack, index: Mapping[str, Unpacked]) -> None:
    """A slip in a pack file should show when the pack is fetched, not deep in a build."""
    for member in _named_members(pack.contents):
        if member not in index:
            raise RosegenError(
                f"asset pack {pack.name}: {pack.path} reads {member!r}, which its files do not name"
            )


def _named_members(contents: Mapping[str, Any]) -> list[str]:
    named = [face["file"] for face in contents.get("faces", [])]
    if "sheet" in contents:
        named.append(contents["sheet"]["file"])
    members = ("colr_font", "iconify", "chars", "dicebear", "emoji_data", "emoji_names_zh")
    return named + [contents[key] for key in members if key in contents]
