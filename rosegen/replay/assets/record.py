"""What a recovered scene says its tiles are, in ROSE's own columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from rosegen.replay.assets.emoji import WantedEmoji
from rosegen.replay.assets.tiles import PLAIN_STYLE, TileStyle
from rosegen.replay.columns import PRIMITIVES
from rosegen.replay.records import whole
from rosegen.replay.recovered import RecoveredScene, posix
from rosegen.sources.pictures import SUFFIXES
from rosegen.sources.text_tile import FONT_SHARE

Role = Literal["background", "target"]  # as columns call the majority and the exception
ROLES: tuple[Role, Role] = ("background", "target")

GLYPH, HANZI, STYLE, CONTENT, EDIT, RELATIVES = (
    "GLYPH",
    "CHINESE_GLYPH",
    "EMOJI_STYLE",
    "EMOJI_CONTENT",
    "PIXEL_EDIT",
    "PIXEL_CONTENT",
)
KINDS = frozenset((GLYPH, HANZI, STYLE, CONTENT, EDIT, RELATIVES))
_STYLE_COLUMN: dict[Role, str] = {"background": "majority_style", "target": "target_style"}


@dataclass(frozen=True)
class Record:
    """A scene's columns as text; empty where one is not there.

    Attributes:
        scene: as recovered.
        style: how its release draws tiles.
    """

    scene: RecoveredScene
    style: TileStyle = PLAIN_STYLE

    def text(self, column: str) -> str:
        """A column that is text, else nothing."""
        value = self.scene.columns.get(column)
        return value if isinstance(value, str) else ""

    @property
    def kind(self) -> str:
        """The primitive type, told by the subset where no row says it."""
        return self.scene.primitive_type or PRIMITIVES.get(self.scene.subset, "")

    @property
    def pair_key(self) -> str:
        """What names the pair; never empty, so that draws may start from it."""
        said = self.text("pair_key") or self.text("unicode_key")
        emoji = self.text("background_unicode"), self.text("target_unicode")
        glyphs = self.text("background_char"), self.text("target_char")
        pairs = ("__".join(pair) for pair in (emoji, glyphs) if all(pair))
        return said or next(pairs, self.scene.scene_id)

    @property
    def em_share(self) -> float:
        """What share of the cell's side the em has.

        It is by the font size, where the row tells it; else as the release tells it.
        """
        size, side = whole(self.scene.columns.get("font_size")), self.scene.grid.cell_size
        if size is None or not 1 <= size <= side:
            return self.style.em or FONT_SHARE
        # The em is rounded down to pixels: half a pixel more leaves no doubt which.
        return (size + 0.5) / side

    def emoji(self, role: Role) -> WantedEmoji | None:
        """The emoji of a role; None when the record names none."""
        path = PurePosixPath(posix(self.text(f"{role}_path")))
        style = self.text(_STYLE_COLUMN[role])
        stem = path.stem or self.text("unicode_key") or self.text(f"{role}_unicode")
        provider = path.parent.name or style
        if not stem or not provider:
            return None
        return WantedEmoji(provider, stem, path.suffix)

    @property
    def sprite(self) -> str:
        """The file name of the original and its edit."""
        return PurePosixPath(posix(self.text("pair_key"))).name

    @property
    def sprites(self) -> tuple[str, str] | None:
        """The two file names in ``a.png__b.png``; None when it cannot be told where they part."""
        key = self.text("pair_key")
        parts = [
            (key[: match.start()], key[match.start() + 2 :])
            for match in re.finditer("(?=__)", key)
            if 0 < match.start() < len(key) - 2
        ]
        found = [pair for pair in parts if all(map(_is_picture, pair))] or parts
        if len(found) != 1:
            return None
        one, other = (PurePosixPath(posix(part)).name for part in found[0])
        return one, other


def _is_picture(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in SUFFIXES
