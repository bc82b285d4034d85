"""Write a release so that nothing half-written ever stands under its final name."""

from __future__ import annotations

import glob
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosegen.errors import RosegenError
from rosegen.files import disk_error

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
    stage: Path | None = None
    try:
        _refuse_in_the_way(out, replace)
        out.parent.mkdir(parents=True, exist_ok=True)
        _sweep(out)
        stage = Path(tempfile.mkdtemp(prefix=f"{_stage_prefix(out)}{os.getpid()}-", dir=out.parent))
        stage.chmod(0o755)
        yield stage
        _refuse_in_the_way(out, replace)
        _put(stage, out)
    except OSError as error:
        raise disk_error(out, error) from error
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)


def _stage_prefix(out: Path) -> str:
    return f".{out.name}.part-{platform.node() or 'host'}-"


def _sweep(out: Path) -> None:
    """Remove the stages of builds of this release, on this machine, that were killed outright."""
    prefix = _stage_prefix(out)
    for stage in out.parent.glob(f"{glob.escape(prefix)}*"):
        owner = stage.name[len(prefix) :].partition("-")[0]
        if owner.isdecimal() and not _is_alive(int(owner)):
            shutil.rmtree(stage, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # someone else's, or not to be told: leave it alone
    return True


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
    """Give the stage its final name; what stood there goes only once the new release stands."""
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
