"""Find pixel art among the folders of a user by its file name, and tell an edit from its original.

An original and its edit have one name and lie in two folders, or lie beside each other as
``bell.png`` and ``bell.edit.png``. Which is which is told by words in the names of the folders
that set them apart, the innermost first: ``original``, ``before``, ``base`` ... and ``edit``,
``edited``, ``after`` ... . Where the folders of only one of two files tell, the other is the
other kind. Anything else is refused, for a wrong guess would go unseen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from rosegen.errors import RosegenError
from rosegen.replay.assets.user_files import UserFile, alike_once, named

_ORIGINAL = frozenset(
    ("original", "originals", "orig", "before", "base", "source", "sources", "src", "raw", "old")
)
_EDITED = frozenset(
    ("edit", "edits", "edited", "after", "variant", "variants", "modified", "changed", "new")
)
_BESIDE = ("edit", "edited")  # bell.edit.png, bell-edited.png, bell_edit.png


@dataclass(frozen=True)
class SpriteShelf:
    """The pixel art at hand."""

    files: tuple[UserFile, ...]

    def find(self, name: str) -> UserFile | None:
        """The one picture of a file name; None when there is none. Copies of a file are one.

        Of an original and its edit, the original is meant.

        Raises:
            RosegenError: several different files have the name.
        """
        files = alike_once(self.all_of(name), path_of=lambda file: file.path)
        if len(files) > 1:
            kinds = _kinds(files)
            files = [file for file, kind in zip(files, kinds) if kind == "original"] or files
        if len(files) > 1:
            raise RosegenError(f"several files: {named(file.path for file in files)}")
        return files[0] if files else None

    def find_pair(self, name: str) -> tuple[UserFile | None, UserFile | None]:
        """The original and the edit of a file name; None for either that is not there.

        Raises:
            RosegenError: it cannot be told which file is which.
        """
        files = self.all_of(name)
        if len(files) <= 1:
            return self._beside(files, name)
        told = dict(zip(files, _kinds(files)))
        originals = _one_kind(told, "original")
        edited = _one_kind(told, "edited")
        silent = _one_kind(told, None)
        if not originals and len(edited) == len(silent) == 1:
            originals, silent = silent, []
        if not edited and len(originals) == len(silent) == 1:
            edited, silent = silent, []
        if len(originals) == len(edited) == 1 and not silent:
            return originals[0], edited[0]
        raise RosegenError(
            "which is the original and which the edit is not told by the folders' names of "
            f"{named(file.path for file in files)}: call them originals and edits"
        )

    def all_of(self, name: str) -> list[UserFile]:
        """Every file of a name; in another case only when none has it as it is spelled."""
        files = self._by_name.get(name.casefold(), [])
        return [file for file in files if file.below[-1] == name] or files

    def of_stem(self, stem: str) -> Sequence[UserFile]:
        """Every file whose name, without its ending, is this one."""
        return self._by_stem.get(stem, ())

    def _beside(
        self, files: Sequence[UserFile], name: str
    ) -> tuple[UserFile | None, UserFile | None]:
        """The edit that lies beside its original and says so by its own name."""
        plain = PurePosixPath(name)
        edits = [
            file
            for mark in ".-_"
            for word in _BESIDE
            for file in self._by_name.get(f"{plain.stem}{mark}{word}{plain.suffix}".casefold(), [])
            if not files or file.path.parent == files[0].path.parent
        ]
        edits = alike_once(edits, path_of=lambda file: file.path)
        if len(edits) > 1:
            raise RosegenError(f"several edits: {named(file.path for file in edits)}")
        edit = edits[0] if edits else None
        if files and edit is None and _kind(files[0].folders) == "edited":
            return None, files[0]
        return (files[0] if files else None), edit

    @cached_property
    def _by_name(self) -> Mapping[str, list[UserFile]]:
        found: dict[str, list[UserFile]] = {}
        for file in self.files:
            found.setdefault(file.below[-1].casefold(), []).append(file)
        return found

    @cached_property
    def _by_stem(self) -> Mapping[str, list[UserFile]]:
        found: dict[str, list[UserFile]] = {}
        for file in self.files:
            found.setdefault(PurePosixPath(file.below[-1]).stem, []).append(file)
        return found


def _one_kind(told: Mapping[UserFile, str | None], kind: str | None) -> list[UserFile]:
    files = [file for file, own in told.items() if own == kind]
    return alike_once(files, path_of=lambda file: file.path)


def _kinds(files: Sequence[UserFile]) -> list[str | None]:
    """What the folders that set files apart say of each."""
    shared = 0
    for level in zip(*(file.folders for file in files)):
        if len(set(level)) > 1:
            break
        shared += 1
    return [_kind(file.folders[shared:]) for file in files]


def _kind(folders: Sequence[str]) -> str | None:
    """``original`` or ``edited``, as the innermost folder says that says one of them."""
    for folder in reversed(folders):
        apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", folder)
        words = set(re.findall(r"[a-z]+", apart.lower()))
        original, edited = bool(words & _ORIGINAL), bool(words & _EDITED)
        if original is not edited:
            return "original" if original else "edited"
    return None
