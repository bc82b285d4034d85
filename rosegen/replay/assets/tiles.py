"""Tiles that can be drawn: small frozen records that any process can take and draw alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.scene import Tile
from rosegen.sources import text_tile
from rosegen.sources.base import SourceConfig, Unavailable
from rosegen.sources.emoji import EmojiContent
from rosegen.sources.emoji_providers import Provider, open_provider
from rosegen.sources.fitting import crop_to_ink, fit_pixel_art, fit_smooth, flatten
from rosegen.sources.font_file import FontFace
from rosegen.sources.pictures import open_picture
from rosegen.sources.pixel import PixelEdit
from rosegen.sources.pixel_edits import edit
from rosegen.sources.text_tile import FONT_SHARE

Pixels = npt.NDArray[np.uint8]
Color = tuple[int, int, int]

WHITE: Color = (255, 255, 255)
BLACK: Color = (0, 0, 0)
# What share of a cell's side ROSE lets a tile fill is not public: rosegen's own are taken.
EMOJI_INK = 0.84
SPRITE_INK = 0.90

USER_FONTS, USER_EMOJI, USER_SPRITES = USER_PACKS = ("user-fonts", "user-emoji", "user-sprites")
USER_LICENSE = "LicenseRef-unknown"

_LEAST_RENDERED = 128  # pixels a side that an SVG is drawn with before it is scaled down


@dataclass(frozen=True)
class TileStyle:
    """How a subset draws its tiles, as far as its release tells it.

    Attributes:
        background: RGB, behind them.
        ink: share of the cell's side that emoji and pixel art may fill; None for what rosegen
            gives each.
        color: RGB, of texts.
        em: share of the cell's side for the em of texts, where a row does not tell the size.
        resize: how pixel art is scaled, where a row does not tell it.
    """

    background: Color = WHITE
    ink: float | None = None
    color: Color = BLACK
    em: float | None = None
    resize: str | None = None


PLAIN_STYLE = TileStyle()


@dataclass(frozen=True)
class AssetTile(ABC):
    """A picture of one cell.

    Attributes:
        name: path-like, and the same on every machine: ``twemoji/1f513.svg``.
        pack: the pack it is from, or one of ``USER_PACKS`` for a file of the user's own.
        license: SPDX expression; ``LicenseRef-unknown`` for a file of the user's own.
    """

    name: str
    pack: str
    license: str

    @abstractmethod
    def draw(self, cell_size: int, background: Color = WHITE) -> Pixels:
        """The tile in a cell: uint8 (cell_size, cell_size, 3).

        Raises:
            RosegenError: its file cannot be read or shown, or it gives no picture.
        """


@dataclass(frozen=True)
class GlyphTile(AssetTile):
    """A text in a face.

    Attributes:
        face: at its place of the axes.
        text: one character, or a few.
        share: of the cell's side, for the em.
        color: RGB, of the ink.
    """

    face: FontFace
    text: str
    share: float = FONT_SHARE
    color: Color = BLACK

    def draw(self, cell_size: int, background: Color = WHITE) -> Pixels:
        ink = text_tile.draw(self.face, self.text, cell_size, self.share)
        color = np.broadcast_to(np.array(self.color, np.uint8), (*ink.shape, 3))
        return flatten(np.concatenate([color, ink[..., None]], axis=2), background)


@dataclass(frozen=True)
class EmojiFileTile(AssetTile):
    """An emoji in a file of the user's own."""

    path: Path
    ink: float = EMOJI_INK

    def draw(self, cell_size: int, background: Color = WHITE) -> Pixels:
        rgba = _cropped(self.path, max(_LEAST_RENDERED, 2 * cell_size))
        if rgba is None:
            raise RosegenError(f"{self.path}: too faint to see: bring a picture that shows")
        return fit_smooth(rgba, cell_size, self.ink, background)


class SpriteEdit(NamedTuple):
    """An edit that a build makes of a sprite; what is drawn follows from all four."""

    pack: str
    sprite: str
    operation: str
    take: int


@dataclass(frozen=True)
class SpriteFileTile(AssetTile):
    """Pixel art in a file of the user's own.

    Attributes:
        path: the file.
        resize: ``integer`` or ``stretch``.
        ink: share of the side it may fill.
        edit: that is made of it; None for the sprite itself.
    """

    path: Path
    resize: str
    ink: float = SPRITE_INK
    edit: SpriteEdit | None = None

    def draw(self, cell_size: int, background: Color = WHITE) -> Pixels:
        rgba = open_picture(self.path, svg_side=2 * cell_size).rgba
        if self.edit is not None:
            edited = edit(rgba, self.edit.operation, Draws("edit", *self.edit))
            if edited is None:
                raise RosegenError(f"{self.path}: gives no edit of kind {self.edit.operation}")
            rgba = edited
        return fit_pixel_art(rgba, cell_size, self.ink, background, self.resize)


@dataclass(frozen=True)
class PackEmojiTile(AssetTile):
    """An emoji of a pack, drawn as a build draws it. ``key`` is its code points."""

    opened: OpenPack
    key: str
    ink: float = EMOJI_INK

    def draw(self, cell_size: int, background: Color = WHITE) -> Pixels:
        config = SourceConfig("emoji", {}, {}, Path(), background, self.ink)
        return EmojiContent(config).draw_emoji(provider_of(self.opened), self.key, cell_size)


@dataclass(frozen=True)
class PackSpriteTile(AssetTile):
    """Pixel art of a pack or of rosegen's own set, drawn as a build draws it.

    Attributes:
        opened: the pack; None for rosegen's own set.
        art: the tile as a source knows it.
        resize: ``integer`` or ``stretch``.
        ink: share of the side it may fill.
    """

    opened: OpenPack | None
    art: Tile
    resize: str
    ink: float = SPRITE_INK

    def draw(self, cell_size: int, background: Color = WHITE) -> Pixels:
        packs = {} if self.opened is None else {self.opened.pack.name: self.opened}
        options = {"resize": self.resize, "own_sprites": self.opened is None}
        config = SourceConfig("sprite", options, packs, Path(), background, self.ink)
        try:
            return PixelEdit(config).draw(self.art, cell_size)
        except Unavailable as error:
            raise RosegenError(f"{self.name}: the sprite gives no such edit ({error})") from error


AnyTile = TypeVar("AnyTile", bound=AssetTile)


def dressed(tile: AnyTile, style: TileStyle) -> AnyTile:
    """A tile with the ink and the colour of a style, as far as its kind has them."""
    told: dict[str, Any] = {"ink": style.ink, "color": style.color}
    own = {field.name for field in fields(tile)}
    return replace(tile, **{key: of for key, of in told.items() if key in own and of is not None})


@lru_cache(maxsize=32)
def provider_of(opened: OpenPack) -> Provider:
    """The provider of an emoji pack, opened once in each process.

    Raises:
        RosegenError: a file of the pack is not what it should be.
    """
    return open_provider(opened)


@lru_cache(maxsize=1024)
def _cropped(path: Path, side: int) -> Pixels | None:
    """A picture cropped to its ink, its longer side at most ``side`` if it can be drawn so.

    An SVG takes a process of its own to draw, so that it should not be drawn twice.
    """
    ink = crop_to_ink(open_picture(path, svg_side=side).rgba)
    return None if ink is None else ink.copy()
