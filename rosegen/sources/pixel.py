"""PixelEdit and PixelContent: one sprite and an edit of it, two related sprites of one pack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosegen.data import assets_dir
from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.scene import Tile
from rosegen.sources.base import (
    FLAG,
    STRINGS,
    WHOLE,
    Candidate,
    OwnArt,
    Pool,
    Source,
    SourceConfig,
    Unavailable,
)
from rosegen.sources.fitting import fit_pixel_art
from rosegen.sources.pixel_art import (
    OWN_LICENSE,
    OWN_PACK,
    Art,
    Library,
    open_library,
    own_library,
    own_sha256,
)
from rosegen.sources.pixel_edits import OPERATIONS, edit

Pixels = npt.NDArray[np.uint8]

RESIZE_MODES = ("integer", "stretch")
_SETTINGS: Mapping[str, Any] = {"ink": 0.9, "grid": {"cell_size": [120, 150]}}


class PixelSource(Source):
    """Pixel art: a sprite and an edit of it, or two related sprites."""

    kind = "sprite"
    pack_kinds = ("sprites",)
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "compare": {
            "enum": ["edits", "relatives"],
            "description": "A sprite and an edit of it (when absent), or two related sprites.",
        },
        "resize": {
            "enum": list(RESIZE_MODES),
            "description": "integer: crisp, centred (when absent); stretch: fills the box.",
        },
        "own_sprites": {**FLAG, "description": "Whether rosegen's own are used; yes if absent."},
    }

    @classmethod
    def own_art(cls, options: Mapping[str, Any]) -> Sequence[OwnArt]:
        if not options.get("own_sprites", True):
            return ()
        sha256 = own_sha256(assets_dir() / "sprites")
        by = "rosegen's own sprites, by the rosegen authors"
        return (OwnArt(OWN_PACK, OWN_LICENSE, by, "assets/sprites", sha256),)

    def __init__(self, config: SourceConfig) -> None:
        super().__init__(config)
        self.resize = str(config.options.get("resize", "integer"))

    @classmethod
    def variants(cls) -> tuple[type[Source], ...]:
        return PixelEdit, PixelContent

    @classmethod
    def variant(cls, options: Mapping[str, Any]) -> type[Source]:
        return PixelContent if options.get("compare") == "relatives" else PixelEdit

    def open(self) -> None:
        _ = self.libraries

    @cached_property
    def libraries(self) -> dict[str, Library]:
        """Pack name to library; our own sprites come first."""
        found = {}
        if self.config.options.get("own_sprites", True):
            found[OWN_PACK] = own_library(assets_dir() / "sprites")
        for pack in self.config.packs.values():
            found[pack.pack.name] = open_library(pack)
        if not found:
            raise RosegenError("source sprite: own_sprites is off and no pack is named")
        return found

    def pixels(self, tile: Tile) -> Pixels:
        """The sprite of a tile, RGBA at its own size."""
        library = self.libraries[tile.pack]
        recipe = tile.recipe
        if recipe.get("edited"):
            return library.edited[recipe["sprite"]].pixels
        pixels = library.art[recipe["sprite"]].pixels
        if "operation" in recipe:
            edited = edit(pixels, recipe["operation"], _edit_draws(tile.pack, recipe))
            if edited is None:
                raise Unavailable(f"no_{recipe['operation']}")
            return edited
        return pixels

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        config = self.config
        pixels = self.pixels(tile)
        return fit_pixel_art(pixels, cell_size, config.ink, config.background, self.resize)

    def art(self, tile: Tile) -> bytes:
        pixels = self.pixels(tile)
        return repr(pixels.shape).encode() + pixels.tobytes()

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        return {"asset_resize_mode": self.resize}


def _tile(art: Art, **recipe: Any) -> Tile:
    name = f"{art.pack}/{art.name}"
    if recipe:
        name += "~" + "-".join(str(value) for value in recipe.values())
    return Tile(name, art.pack, art.license, {"sprite": art.name, **recipe})


def _edit_draws(pack: str, recipe: Mapping[str, Any]) -> Draws:
    return Draws("edit", pack, recipe["sprite"], recipe["operation"], recipe["take"])


class PixelEdit(PixelSource):
    """A sprite and a localized edit of it; a user's own edits where a pack has them."""

    primitive_type = "PIXEL_EDIT"
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **PixelSource.options,
        "operations": {
            **STRINGS,
            "items": {"enum": list(OPERATIONS)},
            "description": f"Which edits are made, of {', '.join(OPERATIONS)}; all if absent.",
        },
        "takes": {**WHOLE, "description": "How many edits of each kind a sprite gets; 2."},
    }

    settings: ClassVar[Mapping[str, Any]] = {
        **_SETTINGS,
        "admission": {
            "ssim": [0.90, 0.998],
            "phash_distance": [0, 16],
            "changed_pixel_share": [0.004, 0.06],
            "max_local_color_difference": [18, 110],
        },
    }

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        operations = self.config.options.get("operations", list(OPERATIONS))
        takes = int(self.config.options.get("takes", 2))
        found = []
        for library in self.libraries.values():
            if library.edited:
                found += self._own_edits(library)
                continue
            found += [
                self._edit(art, plain, operation, take)
                for art in library.art.values()
                for plain in [_tile(art)]
                for operation in operations
                for take in range(takes)
            ]
        return found

    @staticmethod
    def _own_edits(library: Library) -> list[Candidate]:
        return [
            Candidate(
                f"{library.pack}/{name}",
                library.pack,
                _tile(library.art[name]),
                _tile(edited, edited=True),
                (name,),
            )
            for name, edited in library.edited.items()
            if name in library.art
        ]

    @staticmethod
    def _edit(art: Art, plain: Tile, operation: str, take: int) -> Candidate:
        """An edit as yet unmade: whether the sprite gives it shows when it is drawn."""
        tile = _tile(art, operation=operation, take=take)
        return Candidate(tile.name, art.pack, plain, tile, (art.name, art.family, operation))


class PixelContent(PixelSource):
    """Two related sprites of one pack.

    Related are sprites of our own set of one kind that differ in at most two parts, portraits
    that differ in one component, and files that share a word of their names.
    """

    primitive_type = "PIXEL_CONTENT"

    settings: ClassVar[Mapping[str, Any]] = {
        **_SETTINGS,
        "admission": {
            "ssim": [0.70, 0.992],
            "phash_distance": [0, 24],
            "changed_pixel_share": [0.012, 0.15],
            "max_local_color_difference": [20, 100],
        },
    }

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        found = []
        for library in self.libraries.values():
            tiles = {name: _tile(art) for name, art in library.art.items()}
            for a, b in library.related():
                key = f"{library.pack}/{a}__{b}"
                if library.art[a].pixels.shape == library.art[b].pixels.shape:
                    kinds = (a, b, library.art[a].family)
                    found.append(Candidate(key, library.pack, tiles[a], tiles[b], kinds))
        return found
