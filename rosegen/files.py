"""Write files, and say what to do when the disk refuses."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError


@contextmanager
def placed(out: Path, stale: Iterable[str] = (), seals: Iterable[str] = ()) -> Iterator[Path]:
    """A folder whose files take their names in ``out`` when the block ends well, and go otherwise.

    Files of the same name give way, as do ``stale`` ones (patterns) that were not written anew, and
    the folders that held nothing else; everything else in ``out`` is left alone.

    Args:
        out: the folder.
        stale: patterns of what an earlier run may have written.
        seals: patterns one of which ``out`` must have when it holds files already; none: any folder
            will do.

    Raises:
        RosegenError: ``out`` is no folder, or one of other files, or the disk will not take it.
    """
    stage: Path | None = None
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        standing = out if not missing else missing[-1].parent
        if not standing.is_dir():
            inside = "" if standing == out else f": {standing}"
            raise RosegenError(
                f"{out}{inside}: is in the way (not a folder): move it or name another --out"
            )
        refuse_other_files(out, seals)
        into = out.parent if missing else out
        into.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.part-", dir=into))
        yield stage
        if missing:
            stage.chmod(0o777 & ~_umask())
            os.rename(stage, out)
        else:
            _move(stage, out, stale)
    except OSError as error:
        raise disk_error(out, error) from error
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
        for folder in missing:
            with suppress(OSError):  # it holds what was asked for
                folder.rmdir()


def refuse_other_files(out: Path, seals: Iterable[str]) -> None:
    """Refuse a folder that holds files, none of them by a pattern of ``seals``; see ``placed``.

    Raises:
        RosegenError: it is such a folder.
    """
    seals = tuple(seals)
    if not seals or not out.is_dir() or any(any(out.glob(seal)) for seal in seals):
        return
    if any(not path.is_dir() for path in out.iterdir()):
        raise RosegenError(f"{out}: holds other files, no earlier results: name another --out")


def _move(stage: Path, out: Path, stale: Iterable[str]) -> None:
    """Move files to where others may stand."""
    written = {path.relative_to(stage) for path in stage.rglob("*") if path.is_file()}
    for name in sorted(written):
        if (out / name).is_dir():  # all or nothing: look before the first one is placed
            raise RosegenError(f"{out / name}: is a folder, in the way of a file: move it")
    for name in sorted(written):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(stage / name, out / name)
    for pattern in stale:
        for path in out.glob(pattern):
            if path.relative_to(out) not in written and path.is_file():
                path.unlink()
                _remove_emptied(path.parent, out)


def _remove_emptied(folder: Path, out: Path) -> None:
    """Remove a folder below ``out`` that holds nothing any more, and those that held only it."""
    with suppress(OSError):  # it holds something
        while folder != out:
            folder.rmdir()
            folder = folder.parent


def _umask() -> int:
    """What a new folder may not have; there is no way to ask without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def refuse_in_the_way(out: Path, seal: str, replace: bool) -> None:
    """Refuse a final name that something else has.

    Args:
        out: the name.
        seal: a file that every release has.
        replace: whether a release may give way.

    Raises:
        RosegenError: it is taken.
    """
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir() or out.is_symlink():
        raise RosegenError(f"{out}: is in the way (not a folder): move it or name another --out")
    if not any(out.iterdir()):
        return
    if not (out / seal).is_file():
        raise RosegenError(f"{out}: holds other files, not a release: name another --out")
    if not replace:
        raise RosegenError(f"{out}: another release stands there: give --force to replace it")


def put_in_place(stage: Path, out: Path, seal: str, replace: bool) -> None:
    """Give a stage its final name; what stood there goes only once the new release stands.

    Args:
        stage: a folder beside ``out``.
        out: the name.
        seal: a file that every release has.
        replace: whether a release that stands there gives way.

    Raises:
        RosegenError: something is in the way.
    """
    refuse_in_the_way(out, seal, replace)
    if not out.exists():
        os.rename(stage, out)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{out.name}.old-", dir=out.parent)) / out.name
    os.rename(out, aside)
    try:
        os.rename(stage, out)
    except BaseException:  # Ctrl-C too: the old release must come back
        try:
            os.rename(aside, out)
        except OSError as error:
            raise RosegenError(
                f"{out}: cannot be replaced ({error.strerror}): the old release is now {aside}"
            ) from error
        aside.parent.rmdir()
        raise
    shutil.rmtree(aside.parent, ignore_errors=True)


def disk_error(out: Path | str, error: OSError) -> RosegenError:
    """What to say when the disk refuses."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RosegenError(f"{out}: the disk is full: free some space and run it again")
    where = error.filename or out
    return RosegenError(f"{where}: cannot be written: {error.strerror or error}")


def write_text(path: Path, text: str) -> None:
    """UTF-8 without BOM, LF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def json_document(data: Mapping[str, Any]) -> bytes:
    """One indented JSON document, UTF-8 without BOM."""
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode()


def json_line(row: Mapping[str, Any]) -> bytes:
    """One line of JSON, UTF-8 without BOM.

    Raises:
        ValueError: a number that JSON has not.
    """
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """One indented JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json_document(data))


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line."""
    data = b"".join(map(json_line, rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
