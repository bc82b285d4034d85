"""ChineseGlyph: two characters that are easily confused, in one font face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from fontTools.ttLib import TTCollection, TTFont
from PIL import ImageFont

from rosegen.errors import RosegenError
from rosegen.scene import Tile
from rosegen.sources.base import SHARE, STRINGS, WHOLE, Candidate, Pool, Source
from rosegen.sources.glyph_mining import Confusable, gb2312_hanzi, mine, render_glyph
from rosegen.sources.pool_cache import remembered
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]

FONT_SHARE = 0.72  # ROSE's font size is int(cell_size * 0.72)
_MINED_AT = 48


@dataclass(frozen=True)
class Face:
    """One face of a font file, at one place of its design axes."""

    name: str
    family: str
    path: str
    index: int
    axes: tuple[float, ...]
    pack: str
    license: str
    sha256: str


@dataclass(frozen=True)
class MiningTask:
    """What one worker mines."""

    face: Face
    shortlist: int
    least_ssim: float


@lru_cache(maxsize=64)
def open_face(face: Face, size: int) -> ImageFont.FreeTypeFont:
    """The face at a size in pixels, without text shaping (one character is one glyph)."""
    font = ImageFont.truetype(
        face.path, size, index=face.index, layout_engine=ImageFont.Layout.BASIC
    )
    if face.axes:
        font.set_variation_by_axes(list(face.axes))
    return font


def known_characters(face: Face, chars: Sequence[str]) -> list[str]:
    """Those characters that the face maps to a glyph of its own."""
    if face.path.lower().endswith((".ttc", ".otc")):
        table = TTCollection(face.path, lazy=True).fonts[face.index]
    else:
        table = TTFont(face.path, lazy=True)
    cmap = table.getBestCmap() or {}
    return [char for char in chars if cmap.get(ord(char), ".notdef") != ".notdef"]


def mine_face(task: MiningTask) -> list[Confusable]:
    """Mine one face; runs in a worker."""
    chars = known_characters(task.face, gb2312_hanzi())
    return mine(open_face(task.face, _MINED_AT), chars, task.shortlist, task.least_ssim)


class ChineseGlyph(Source):
    """Confusable hanzi mined per face.

    Options:
        faces: names of the faces to use (default: every face of the packs).
        shortlist: pairs of a face looked at closely, by falling cosine of thumbnails.
        least_ssim: pairs below this SSIM at 48 px are not confusable.
    """

    name = "chinese_glyph"
    primitive_type = "CHINESE_GLYPH"
    pack_kinds = frozenset({"fonts"})
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "faces": STRINGS,
        "shortlist": WHOLE,
        "least_ssim": SHARE,
    }

    def faces(self) -> list[Face]:
        """The faces in use, in the order of the packs.

        Raises:
            RosegenError: when the pipeline names a face no pack has, or two packs have one name.
        """
        found: dict[str, Face] = {}
        for pack in self.packs_of_kind("fonts"):
            for entry in pack.pack.contents["faces"]:
                face = Face(
                    name=entry["name"],
                    family=entry["family"],
                    path=str(pack.path(entry["file"])),
                    index=entry.get("index", 0),
                    axes=tuple(entry.get("axes", {}).values()),
                    pack=pack.pack.name,
                    license=pack.pack.license,
                    sha256=pack.sha256,
                )
                if face.name in found:
                    raise RosegenError(
                        f"font face {face.name} is in packs {found[face.name].pack} and "
                        f"{face.pack}: rename one"
                    )
                found[face.name] = face
        wanted = self.config.options.get("faces", list(found))
        for name in wanted:
            if name not in found:
                raise RosegenError(
                    f"source chinese_glyph: no pack has a face {name!r} (they have "
                    f"{', '.join(found)})"
                )
        return [found[name] for name in wanted]

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        shortlist = int(self.config.options.get("shortlist", 6000))
        least_ssim = float(self.config.options.get("least_ssim", 0.65))
        tasks = [MiningTask(face, shortlist, least_ssim) for face in self.faces()]
        keys = [self._mining_key(task) for task in tasks]

        def mine_all() -> Any:
            mined = pool.map(mine_face, tasks)
            return [[[pair.a, pair.b, pair.ssim] for pair in face] for face in mined]

        mined = remembered(self.config.cache, {"mined": "glyphs", "faces": keys}, mine_all)
        return [
            Candidate(f"{a}__{b}", task.face.name, _tile(task.face, a), _tile(task.face, b), (a, b))
            for task, pairs in zip(tasks, mined)
            for a, b, _ in pairs
        ]

    @staticmethod
    def _mining_key(task: MiningTask) -> dict[str, Any]:
        versions = toolchain()
        return {
            "face": task.face.name,
            "index": task.face.index,
            "axes": list(task.face.axes),
            "sha256": task.face.sha256,
            "shortlist": task.shortlist,
            "least_ssim": task.least_ssim,
            "rosegen": versions["rosegen"],
            "freetype": versions["freetype"],
        }

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        face = self._by_name[tile.recipe["face"]]
        font = open_face(face, int(cell_size * FONT_SHARE))
        ink = render_glyph(font, tile.recipe["char"], cell_size).astype(np.uint32)
        back = np.array(self.config.background, np.uint32)
        return ((back * (255 - ink[..., None]) + 127) // 255).astype(np.uint8)

    def art(self, tile: Tile) -> bytes:
        font = open_face(self._by_name[tile.recipe["face"]], _MINED_AT)
        return render_glyph(font, tile.recipe["char"], _MINED_AT).tobytes()

    @cached_property
    def _by_name(self) -> dict[str, Face]:
        return {face.name: face for face in self.faces()}

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        a, b = pair.a.recipe["char"], pair.b.recipe["char"]
        majority, exception = (b, a) if flipped else (a, b)
        return {
            "font_size": int(cell_size * FONT_SHARE),
            "background_char": majority,
            "target_char": exception,
            "source_group": [a, b],
            "source_pair": [a, b],
            "pair_direction": f"{majority}_majority_{exception}_target",
            "undirected_pair_key": pair.key,
            "font_name": pair.group,
        }


def _tile(face: Face, char: str) -> Tile:
    return Tile(f"{face.name}/{char}", face.pack, face.license, {"face": face.name, "char": char})
