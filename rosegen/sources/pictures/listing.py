"""List the picture files of a folder, and the names among them that some systems mix up."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from rosegen.errors import RosegenError
from rosegen.packs import PICTURE_SUFFIXES
from rosegen.sources.pictures.refusal import shown

SUFFIXES = PICTURE_SUFFIXES


def list_pictures(folder: Path) -> list[Path]:
    """The picture files below a folder, by their endings, whatever they turn out to hold.

    Hidden files and folders (whose names start with a dot) are left out, and links to folders are
    not followed. A link to a file is listed even when it is broken: ``open_picture`` says so.

    Returns:
        Paths that start with ``folder``, sorted by the bytes of what follows, in POSIX form.

    Raises:
        RosegenError: the folder, or one below it, cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise RosegenError(
            f"{shown(error.filename or folder)}: cannot be read as a folder "
            f"({error.strerror or error}): check its name and its permissions"
        ) from error

    found = []
    try:
        for parent, folders, names in os.walk(folder, onerror=refuse):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [
                Path(parent, name)
                for name in names
                if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES
            ]
    except ValueError as error:  # a NUL in the name
        raise RosegenError(f"{shown(folder)}: is no name of a folder ({error})") from error
    return sorted(found, key=lambda path: os.fsencode(path.relative_to(folder).as_posix()))


def twins(pictures: Iterable[Path]) -> list[tuple[Path, Path]]:
    """Pairs whose paths differ only by case or by how Unicode spells a letter.

    Some systems take such names for one file, so that a folder that holds both cannot be copied
    there whole.

    Returns:
        The first of each kind with each later one, in the order of ``pictures``.
    """
    first: dict[str, Path] = {}
    pairs = []
    for path in pictures:
        # Decomposed before the case is folded, as Unicode 3.13 (D145) asks for.
        folded = unicodedata.normalize("NFD", path.as_posix()).casefold()
        other = first.setdefault(unicodedata.normalize("NFC", folded), path)
        if other is not path:
            pairs.append((other, path))
    return pairs
