"""Check which files and folders a release has."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from rosegen.verify.reading import UnreadableError, read_bytes
from rosegen.verify.report import Fault, fault

SPLITS = ("dev", "test")
TEXTS = ("README.md", "LICENSES.md")


def metadata_file(split: str) -> str:
    """Path of a split's rows."""
    return f"metadata_{split}.jsonl"


_IMAGES_A_FOLDER = 10_000


def image_file(subset: object, image_id: str) -> str:
    """Path of an image: of each ten thousand of a subset, all but the first have a folder."""
    digits = image_id[image_id.rfind("_") + 1 :]
    number = int(digits) if digits.isdecimal() else 0
    after = max(number - 1, 0) // _IMAGES_A_FOLDER
    folder = f"images/{subset}/{after:04d}" if after else f"images/{subset}"
    return f"{folder}/{image_id}.png"


def _entries(root: Path, folder: str, known: Collection[str]) -> tuple[set[str], list[str]]:
    """Files below a folder, and what is neither a file nor a folder that is known."""
    files: set[str] = set()
    odd: list[str] = []
    try:
        with os.scandir(root / folder) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_symlink():
                    odd.append(f"{path}\0is a symbolic link")
                elif entry.is_file():
                    files.add(path)
                elif entry.is_dir() and path in known:
                    below, more = _entries(root, path, known)
                    files |= below
                    odd += more
                elif entry.is_dir():
                    odd.append(f"{path}\0is not part of a release (a folder)")
                else:
                    odd.append(f"{path}\0is neither a file nor a folder")
    except OSError as error:
        odd.append(f"{folder or '.'}\0cannot be listed: {error.strerror}")
    return files, odd


def check_layout(
    root: Path, files: Collection[str], checked: Collection[str], whole: bool
) -> list[Fault]:
    """Compare the tree with the files a release must have.

    Args:
        root: the release.
        files: every file it must have, as relative paths.
        checked: those whose absence is reported by whoever reads them.
        whole: whether ``files`` is complete; if not, images beyond them are no faults.
    """
    folders = {
        "/".join(parts[:count])
        for parts in (path.split("/")[:-1] for path in files)
        for count in range(1, len(parts) + 1)
    }
    found, odd = _entries(root, "", folders)
    faults = []
    for text in odd:
        path, _, detail = text.partition("\0")
        if path not in files or path not in checked:
            faults.append(fault("layout", path, detail))
    wanted = set(files)
    faults += [
        fault("layout", path, "is not part of a release")
        for path in sorted(found - wanted)
        if whole or not path.startswith("images/")
    ]
    faults += [
        fault("layout", path, "is missing") for path in sorted(wanted - found - set(checked))
    ]
    return faults


def check_texts(root: Path) -> list[Fault]:
    """The files for people are there and are plain UTF-8."""
    faults = []
    for name in TEXTS:
        try:
            data = read_bytes(root, name)
            data.decode("utf-8")
        except UnreadableError as error:
            faults.append(fault("layout", name, str(error)))
        except UnicodeDecodeError as error:
            faults.append(fault("layout", name, f"is not UTF-8 at byte {error.start + 1}"))
        else:
            if data.startswith(b"\xef\xbb\xbf"):
                faults.append(fault("layout", name, "starts with a byte order mark"))
            if b"\r\n" in data:
                faults.append(fault("layout", name, "has lines that end with CR LF instead of LF"))
    return faults
