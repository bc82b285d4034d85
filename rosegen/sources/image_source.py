"""What the two sources of anyone's pictures share: options, tiles, and a look at every picture."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Pool, Refusal, Source, SourceConfig
from rosegen.sources.image_files import (
    FITS,
    RESIZE_MODES,
    THUMBNAIL,
    Look,
    LookTask,
    Seen,
    look_at,
    open_visible,
    picture_names,
    room_for,
)
from rosegen.sources.pictures.refusal import shown
from rosegen.sources.pool_cache import remembered, remembered_pixels
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]

_BATCH = 16  # pictures a worker looks at in one go


@dataclass(frozen=True)
class Survey:
    """The pictures of a pack that are fit to be tiles.

    Attributes:
        tiles: those pictures, in the order that was asked for.
        seen: what was seen of each.
        lumas: of their thumbnails: uint8 (n, THUMBNAIL, THUMBNAIL).
    """

    tiles: Sequence[Tile]
    seen: Sequence[Seen]
    lumas: Pixels


class ImageSource(Source):
    """Pictures of packs of the kind ``images``.

    Attributes:
        default_fit: what ``fit`` is when a pipeline does not say.
        most_bytes: size of the pictures kept in memory.
    """

    pack_kinds = ("images",)
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "fit": {
            "enum": list(FITS),
            "description": (
                "canvas: the whole canvas, so that two pictures keep their registration (for "
                "image_pairs when absent); ink: cropped to what is visible (for image_pool)."
            ),
        },
        "resize": {
            "enum": list(RESIZE_MODES),
            "description": "smooth (when absent); for pixel art integer (crisp) or stretch.",
        },
    }
    default_fit: ClassVar[str]
    most_bytes = 64 << 20

    def __init__(self, config: SourceConfig) -> None:
        super().__init__(config)
        self.look = Look(
            str(config.options.get("fit", self.default_fit)),
            str(config.options.get("resize", "smooth")),
            config.ink,
            config.background,
        )
        self._recent: OrderedDict[tuple[str, int], Pixels] = OrderedDict()
        self._refused: dict[str, Refusal] = {}

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        return self.look.fitted(self._flat(tile, cell_size), cell_size)

    def art(self, tile: Tile) -> bytes:
        flat = self._flat(tile, THUMBNAIL)
        return repr(flat.shape).encode() + flat.tobytes()

    def _flat(self, tile: Tile, cell_size: int) -> Pixels:
        """A picture over the background, as for ``Opened``; those used last are kept."""
        key = (tile.name, room_for(cell_size))
        if key not in self._recent:
            path = self.config.packs[tile.pack].path(tile.recipe["file"])
            flat = open_visible(path, self.look, key[1]).flat
            if flat is None:
                raise RosegenError(f"{shown(tile.name)}: is blank on this background: leave it out")
            self._recent[key] = np.ascontiguousarray(flat)
            while len(self._recent) > 1 and self.bytes_kept() > self.most_bytes:
                self._recent.popitem(last=False)
        self._recent.move_to_end(key)
        return self._recent[key]

    def bytes_kept(self) -> int:
        """Size of the pictures in memory; only a single one may be larger than ``most_bytes``."""
        return sum(flat.nbytes for flat in self._recent.values())

    def refused(self) -> Sequence[Refusal]:
        return list(self._refused.values())

    def refuse(self, tile: Tile, reason: str, detail: str = "") -> None:
        """Leave a picture out; the first reason counts."""
        self._refused.setdefault(tile.name, Refusal(self.called(tile), reason, detail))

    def called(self, tile: Tile) -> str:
        """A picture as a person knows it: its file, after its pack where there are several."""
        several = len(self.packs_of_kind("images")) > 1
        return shown(tile.name if several else tile.recipe["file"])

    def refuse_nothing(self) -> None:
        """Begin again."""
        self._refused.clear()

    def nothing_left(self, what: str) -> RosegenError:
        """That there is nothing to make scenes of, and the first reason why."""
        message = f"source {self.kind}: {what}"
        if self._refused:
            first = next(iter(self._refused.values()))
            message += f"; {len(self._refused)} refused, the first: {first.tile} ({first.reason}"
            message += f": {first.detail})" if first.detail else ")"
        return RosegenError(message)

    def tiles(self, pack: OpenPack) -> list[Tile]:
        """A tile of each picture file of a pack whose name a release can write.

        Raises:
            RosegenError: the pack has no picture file.
        """
        found = []
        for name in picture_names(pack):
            tile = Tile(
                f"{pack.pack.name}/{name}", pack.pack.name, pack.pack.license, {"file": name}
            )
            try:
                name.encode()
            except UnicodeEncodeError:
                self.refuse(tile, "its name is not Unicode")
            else:
                found.append(tile)
        return found

    def survey(self, pack: OpenPack, tiles: Sequence[Tile], pool: Pool) -> Survey:
        """Look at pictures of a pack; those that are unfit to be tiles are refused."""
        drawn: list[tuple[list[Seen], Pixels]] = []

        def look() -> list[tuple[list[Seen], Pixels]]:
            if not drawn:
                paths = [pack.root / tile.recipe["file"] for tile in tiles]
                tasks = [
                    LookTask(tuple(paths[k : k + _BATCH]), self.look)
                    for k in range(0, len(paths), _BATCH)
                ]
                drawn.extend(pool.map(look_at, tasks))
            return drawn

        def records() -> list[dict[str, Any]]:
            return [asdict(each) for seen, _ in look() for each in seen]

        def thumbnails() -> Pixels:
            return np.concatenate([lumas for _, lumas in look()])

        if not tiles:
            return Survey((), (), np.zeros((0, THUMBNAIL, THUMBNAIL), np.uint8))
        depends, cache = self.depends(pack, tiles), self.config.cache
        seen = [Seen.of(each) for each in remembered(cache, {"mined": "seen", **depends}, records)]
        lumas = remembered_pixels(cache, {"mined": "lumas", **depends}, thumbnails)
        for tile, each in zip(tiles, seen):
            if each.reason:
                self.refuse(tile, each.reason, each.detail)
        fit = [index for index, each in enumerate(seen) if not each.reason]
        return Survey([tiles[k] for k in fit], [seen[k] for k in fit], lumas[fit])

    def depends(self, pack: OpenPack, tiles: Sequence[Tile]) -> dict[str, Any]:
        """Everything that a look at these pictures depends on."""
        versions = toolchain()
        names = [tile.recipe["file"] for tile in tiles]
        return {
            "pictures": pack.sha256,
            "names": hashlib.sha256("\0".join(names).encode()).hexdigest(),
            **asdict(self.look),
            "background": list(self.look.background),
            **{tool: versions[tool] for tool in ("rosegen", "pillow", "numpy", "resvg_py")},
        }


def pair_of(a: Tile, b: Tile, group: str, key: str | None = None) -> Candidate:
    """The candidate of two pictures.

    Its key is that of the two whichever comes first, unless one is given. No name of a file holds
    two slashes, so no two pairs share a key.
    """
    key = key or "//".join(sorted((a.name, b.name)))
    return Candidate(key, group, a, b, (a.name, b.name))


def group_of(tile: Tile) -> str:
    """The outermost folder that a picture is in, or its pack when it is in none."""
    top, slash, _ = tile.recipe["file"].partition("/")
    return str(top) if slash else tile.pack
