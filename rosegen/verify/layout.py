"""Check which files and folders a release has."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rosegen.verify.reading import UnreadableError, read_bytes
from rosegen.verify.report import Fault, fault

SPLITS = ("dev", "test")
TEXTS = ("README.md", "LICENSES.md")


def metadata_file(split: str) -> str:
    """Path of a split's rows."""
    return f"metadata_{split}.jsonl"


_IMAGES_A_FOLDER = 10_000
_IMAGE = re.compile(
    r"images/(?P<subset>[^/]+)/(?:[0-9]+/)?"
    r"(?P<image_id>(?P<prefix>[A-Za-z0-9]+)IMG_(?P<number>[0-9]{6,9}))\.png"
)


def image_file(subset: object, image_id: str) -> str:
    """Path of an image: of each ten thousand of a subset, all but the first have a folder."""
    digits = image_id[image_id.rfind("_") + 1 :]
    number = int(digits) if digits.isdecimal() else 0
    after = max(number - 1, 0) // _IMAGES_A_FOLDER
    folder = f"images/{subset}/{after:04d}" if after else f"images/{subset}"
    return f"{folder}/{image_id}.png"


def is_absent(path: Path) -> bool:
    """Whether there is nothing of that name."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # whoever reads what is in it will say why not
    return False


@dataclass(frozen=True)
class Tree:
    """The files a release must have; whoever reads them says when one is not there."""

    files: frozenset[str]
    """All but the images."""
    expects: Callable[[str, str, int], bool]
    """Whether there must be an image: of a subset, with a prefix and a number."""
    folders: frozenset[str]
    """Those that hold them."""
    whole: bool
    """Whether all images are known; if not, others are no faults."""

    def has(self, path: str) -> bool:
        """Whether a file must be there."""
        return path in self.files or self._is_image(path)

    def _is_image(self, path: str) -> bool:
        match = _IMAGE.fullmatch(path)
        if match is None or path != image_file(match["subset"], match["image_id"]):
            return False
        return self.expects(match["subset"], match["prefix"], int(match["number"]))


def tree_of(
    files: Iterable[str],
    image_folders: Iterable[str],
    expects: Callable[[str, str, int], bool],
    whole: bool,
) -> Tree:
    """The tree of a release.

    Args:
        files: every file it must have but images, as relative paths.
        image_folders: those that hold images.
        expects: whether there must be an image.
        whole: whether all images are known.
    """
    files = frozenset(files)
    holders = [*image_folders, *(path.rpartition("/")[0] for path in files if "/" in path)]
    folders = {
        "/".join(parts[:count])
        for parts in (folder.split("/") for folder in holders)
        for count in range(1, len(parts) + 1)
    }
    return Tree(files, expects, frozenset(folders), whole)


def check_layout(root: Path, tree: Tree, folder: str = "") -> Iterator[Fault]:
    """Compare the files and folders that are there with those that must be.

    Args:
        root: the release.
        tree: what must be there.
        folder: where to look, as a relative path.
    """
    try:
        with os.scandir(root / folder) as found:
            entries = sorted(found, key=lambda each: each.name)
    except OSError as error:
        yield fault("layout", folder or ".", f"cannot be listed: {error.strerror}")
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
            if not tree.has(path):
                kind = "a symbolic link" if entry.is_symlink() else "neither a file nor a folder"
                yield fault("layout", path, f"is {kind}")
        elif entry.is_dir():
            if path in tree.folders:
                yield from check_layout(root, tree, path)
            elif not tree.has(path):
                yield fault("layout", path, "is not part of a release (a folder)")
        elif not tree.has(path) and (tree.whole or not path.startswith("images/")):
            yield fault("layout", path, "is not part of a release")


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
