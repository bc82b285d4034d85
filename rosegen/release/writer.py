"""Write a release so that nothing half-written ever stands under its final name."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError

SUMMARY = "export_summary.json"


@contextmanager
def staged(out: Path, replace: bool) -> Iterator[Path]:
    """A folder beside ``out`` that takes its name when the block ends well, and goes otherwise.

    Args:
        out: the final name.
        replace: whether a release that stands there gives way.

    Raises:
        RosegenError: ``out`` is in the way, or the disk will not take it.
    """
    _refuse_in_the_way(out, replace)
    stage: Path | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.part-", dir=out.parent))
        stage.chmod(0o755)
        yield stage
        _refuse_in_the_way(out, replace)
        _put(stage, out)
    except OSError as error:
        raise disk_error(out, error) from error
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)


def _refuse_in_the_way(out: Path, replace: bool) -> None:
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir() or out.is_symlink():
        raise RosegenError(f"{out}: is in the way (not a folder): move it or name another --out")
    if not any(out.iterdir()):
        return
    if not (out / SUMMARY).is_file():
        raise RosegenError(f"{out}: holds other files, not a release: name another --out")
    if not replace:
        raise RosegenError(f"{out}: another release stands there: give --force to replace it")


def _put(stage: Path, out: Path) -> None:
    """Give the stage its final name; what stood there goes only after that."""
    old: Path | None = None
    if out.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{out.name}.old-", dir=out.parent))
        os.rename(out, old / out.name)
    try:
        os.rename(stage, out)
    except OSError:
        if old is not None:
            os.rename(old / out.name, out)
        raise
    finally:
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)


def disk_error(out: Path, error: OSError) -> RosegenError:
    """What to say when the disk refuses."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RosegenError(f"{out}: the disk is full: free some space and build again")
    where = error.filename or out
    return RosegenError(f"{where}: cannot be written: {error.strerror or error}")


def write_text(path: Path, text: str) -> None:
    """UTF-8 without BOM, LF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """One indented JSON document."""
    write_text(path, json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    write_text(path, "".join(lines))
