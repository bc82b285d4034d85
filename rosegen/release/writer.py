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

from rosegen.files import disk_error, put_in_place, refuse_in_the_way
from rosegen.release.finishing import SUMMARY


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
        refuse_in_the_way(out, SUMMARY, replace)
        out.parent.mkdir(parents=True, exist_ok=True)
        _sweep(out)
        stage = Path(tempfile.mkdtemp(prefix=f"{_stage_prefix(out)}{os.getpid()}-", dir=out.parent))
        stage.chmod(0o755)
        yield stage
        put_in_place(stage, out, SUMMARY, replace)
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
