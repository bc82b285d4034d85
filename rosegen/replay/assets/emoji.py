"""Find an emoji among the folders of a user, by the path a record names it by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from rosegen.errors import RosegenError
from rosegen.replay.assets.user_files import UserFile, alike_once, named
from rosegen.sources.emoji_catalog import emoji_key


@dataclass(frozen=True)
class WantedEmoji:
    """An emoji as a record names it: ``twemoji_svg``, ``1f9eb``, ``.svg``."""

    provider: str
    stem: str
    suffix: str = ""

    @property
    def label(self) -> str:
        """``twemoji_svg/1f9eb``."""
        return f"{self.provider}/{self.stem}"

    @property
    def key(self) -> str:
        """Its code points, spelled one way."""
        return key_of(self.stem)


@dataclass(frozen=True)
class EmojiShelf:
    """The emoji files at hand: a file belongs to each provider whose folder it lies in."""

    files: tuple[UserFile, ...]

    def has_provider(self, provider: str) -> bool:
        """Whether any file lies in a folder of that name, whatever its case."""
        return provider.casefold() in self._providers

    def find(self, wanted: WantedEmoji) -> UserFile | None:
        """The file of an emoji; None when there is none.

        It is named by the emoji's code points: with or without U+FE0F, in either case, with any
        ending of a picture. Of several, the one that lies nearest to its provider's folder is
        meant, then the one spelled and ending as recorded. Copies of a file are one.

        Raises:
            RosegenError: several files answer alike.
        """
        answering = self._by_key.get((wanted.provider.casefold(), wanted.key), [])
        if not answering:
            return None
        ranks = {file: _rank(file, wanted) for file in answering}
        best = min(ranks.values())
        meant = [file for file in answering if ranks[file] == best]
        originals = alike_once(meant, path_of=lambda file: file.path)
        if len(originals) > 1:
            raise RosegenError(f"several files: {named(file.path for file in originals)}")
        return originals[0]

    @cached_property
    def _providers(self) -> frozenset[str]:
        return frozenset(folder.casefold() for file in self.files for folder in file.folders)

    @cached_property
    def _by_key(self) -> Mapping[tuple[str, str], list[UserFile]]:
        found: dict[tuple[str, str], list[UserFile]] = {}
        for file in self.files:
            key = key_of(PurePosixPath(file.below[-1]).stem)
            for folder in {folder.casefold() for folder in file.folders}:
                found.setdefault((folder, key), []).append(file)
        return found


def key_of(stem: str) -> str:
    """The code points that a file's stem names: in lower case, joined by "-", without U+FE0F."""
    return emoji_key(stem.replace("_", "-"))


def _rank(file: UserFile, wanted: WantedEmoji) -> tuple[int, bool, bool, bool]:
    folders = [folder.casefold() for folder in file.folders]
    distance = folders[::-1].index(wanted.provider.casefold())
    name = PurePosixPath(file.below[-1])
    return (
        distance,
        name.suffix.lower() != wanted.suffix.lower(),
        name.stem.casefold() != wanted.stem.casefold(),
        name.stem != wanted.stem,
    )
