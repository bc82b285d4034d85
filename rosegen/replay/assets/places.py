"""Where to look for the assets of replay, indexed where and when something is first looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from rosegen.packs import OpenPack
from rosegen.replay.assets.emoji import EmojiShelf
from rosegen.replay.assets.fonts import FontShelf, open_fonts
from rosegen.replay.assets.sprites import SpriteShelf
from rosegen.replay.assets.user_files import pictures_below


@dataclass(frozen=True, eq=False)
class Places:
    """Where to look. Files are taken not to change while a ``Places`` is in use.

    Attributes:
        fonts: font files, and folders that hold some at any depth.
        emoji: folders that hold folders of providers, or are such a folder.
        sprites: folders that hold pixel art at any depth.
        packs: open packs by the name that records call them by.
    """

    fonts: tuple[Path, ...] = ()
    emoji: tuple[Path, ...] = ()
    sprites: tuple[Path, ...] = ()
    packs: Mapping[str, OpenPack] = field(default_factory=dict)

    @cached_property
    def font_shelf(self) -> FontShelf:
        """The user's faces."""
        return open_fonts(self.fonts)

    @cached_property
    def emoji_shelf(self) -> EmojiShelf:
        """The user's emoji."""
        return EmojiShelf(pictures_below(self.emoji))

    @cached_property
    def sprite_shelf(self) -> SpriteShelf:
        """The user's pixel art."""
        return SpriteShelf(pictures_below(self.sprites))

    def packs_of_kind(self, kind: str) -> list[OpenPack]:
        """The packs of one kind, the default ones first, then by name."""
        found = [opened for opened in self.packs.values() if opened.pack.kind == kind]
        return sorted(found, key=lambda opened: (not opened.pack.default, opened.pack.name))
