"""Glyph: two texts of any script that are easily confused, in one font face."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosegen.errors import RosegenError
from rosegen.render.cue import read_color
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Pool, Refusal, Source, Unavailable
from rosegen.sources.fitting import flatten
from rosegen.sources.font_choice import PackFace, choose_faces
from rosegen.sources.font_file import fault_of
from rosegen.sources.glyph_mining import Confusable, Mined, Mining, mine
from rosegen.sources.glyph_options import LEAST_SSIM, OPTIONS, SHORTLIST, Wanted, read_options
from rosegen.sources.pool_cache import remembered
from rosegen.sources.text_tile import FONT_SHARE, draw, pictures
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]

_ART = 256  # px: the cell that the art of a tile is taken from
_TOLD = 3  # faces that an error names, and reasons that it gives of each


class Glyph(Source):
    """Confusable characters and short texts, mined per face."""

    kind = "glyph"
    primitive_type = "GLYPH"
    pack_kinds = ("fonts",)
    options = OPTIONS
    settings: ClassVar[Mapping[str, Any]] = {
        "grid": {"cell_size": [42, 64]},
        "admission": {
            "ssim": [0.72, 0.97],
            "phash_distance": [0, 32],
            "changed_pixel_share": [0.01, 0.20],
            "max_local_color_difference": [25, 100],
            "ink_difference": [0, 0.22],
        },
        "similarity_levels": {"high": 0.87, "medium": 0.79},
    }
    _refused: Sequence[Refusal] = ()

    def open(self) -> None:
        if self._color == self.config.background:
            raise RosegenError(
                "source glyph: color is that of the background, so that nothing would be seen"
            )
        _ = self.wanted, self.faces

    @cached_property
    def wanted(self) -> Wanted:
        """What is to be drawn.

        Raises:
            RosegenError: the options name nothing, or something that there is not.
        """
        return read_options(self.config.options)

    @cached_property
    def faces(self) -> Mapping[str, PackFace]:
        """The faces in use by name, in order.

        Raises:
            RosegenError: a face is not there or is more than one, or a font file is broken.
        """
        packs = self.packs_of_kind("fonts")
        try:
            chosen = choose_faces(packs, self.config.options.get("faces"))
        except RosegenError as error:
            raise RosegenError(f"source glyph: {error}") from error
        return {face.name: face for face in chosen}

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        found: list[Candidate] = []
        refused: list[Refusal] = []
        usable = 0
        told = []
        for face in self.faces.values():
            mined = self._mined(face, pool)
            usable = max(usable, mined.usable)
            absent = [
                Refusal(f"{face.name}/{spec}", "the face has none of them")
                for spec in self.wanted.absent_from(face)
            ]
            of_texts = [replace(no, tile=f"{face.name}/{no.tile}") for no in mined.refused]
            fault = None if mined.usable else fault_of(face.font)
            if fault is not None:
                refused.append(Refusal(face.name, "broken face", f"{face.place}: {fault}"))
            refused += absent + of_texts
            told.append(_told(face, absent + of_texts, fault))
            found += _candidates(face, mined.pairs)
        self._refused = tuple(refused)
        if not found:
            raise RosegenError(f"source glyph: {self._why_nothing(usable, told)}")
        return found

    def refused(self) -> Sequence[Refusal]:
        return self._refused

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        face = self.faces[tile.recipe["face"]].font
        (found,) = pictures(face, [tile.recipe["text"]], cell_size, self._em, one_cluster=False)
        if isinstance(found, str):
            raise Unavailable(found.partition(":")[0].replace(" ", "_").replace("-", "_"))
        color = np.broadcast_to(np.array(self._color, np.uint8), (*found.shape, 3))
        return flatten(np.concatenate([color, found[..., None]], axis=2), self.config.background)

    def art(self, tile: Tile) -> bytes:
        face = self.faces[tile.recipe["face"]].font
        return draw(face, tile.recipe["text"], _ART, self._em).tobytes()

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        a, b = pair.a.recipe["text"], pair.b.recipe["text"]
        majority, exception = (b, a) if flipped else (a, b)
        return {
            "font_size": int(cell_size * self._em),
            "background_char": majority,
            "target_char": exception,
            "source_group": [a, b],
            "source_pair": [a, b],
            "pair_direction": f"{majority}_majority_{exception}_target",
            "undirected_pair_key": pair.key,
            "font_name": pair.group,
        }

    @property
    def _em(self) -> float:
        return float(self.config.options.get("em", FONT_SHARE))

    @property
    def _color(self) -> tuple[int, int, int]:
        return read_color(self.config.options.get("color", "#000000"))

    def _mined(self, face: PackFace, pool: Pool) -> Mined:
        mining = Mining(
            face.font,
            self.wanted.texts_in(face),
            self.wanted.pairs,
            self._em,
            int(self.config.options.get("shortlist", SHORTLIST)),
            float(self.config.options.get("least_ssim", LEAST_SSIM)),
        )
        key = _key(face, mining)
        return _from_json(remembered(self.config.cache, key, lambda: _as_json(mine(mining, pool))))

    def _why_nothing(self, usable: int, told: Sequence[str]) -> str:
        refused = "; ".join(told[:_TOLD])
        if len(told) > _TOLD:
            refused += f"; and {len(told) - _TOLD} more faces"
        if usable > 1:
            least = self.config.options.get("least_ssim", LEAST_SSIM)
            return (
                f"no two of {usable} texts are as alike as least_ssim {least:g} (refused: "
                f"{refused}): add texts or lower it"
            )
        return (
            f"no face has two of the texts to draw (refused: {refused}): choose other characters, "
            f"or a font that has them"
        )


def _told(face: PackFace, refused: Sequence[Refusal], fault: str | None) -> str:
    """What was refused in a face, in few words."""
    reasons = Counter(no.reason for no in refused).most_common(_TOLD)
    counts = ", ".join(f"{reason} {count}" for reason, count in reasons) or "none"
    return f"{face.place} ({face.name}): {fault or counts}"


def _candidates(face: PackFace, pairs: Sequence[Confusable]) -> Iterator[Candidate]:
    texts = dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b))
    tiles = {text: _tile(face, text) for text in texts}  # of which each is in several pairs
    for pair in pairs:
        key = f"{pair.a}__{pair.b}"
        yield Candidate(key, face.name, tiles[pair.a], tiles[pair.b], (pair.a, pair.b))


def _tile(face: PackFace, text: str) -> Tile:
    recipe = {"face": face.name, "text": text}
    return Tile(f"{face.name}/{spelled(text)}", face.pack, face.license, recipe)


def spelled(text: str) -> str:
    """A text as the names of tiles spell it: a path in a release has no backslash."""
    return text.replace("\\", "U+005C")


def _key(face: PackFace, mining: Mining) -> dict[str, Any]:
    """Everything that mining a face depends on."""
    versions = toolchain()
    texts = json.dumps([mining.texts, sorted(mining.pairs)]).encode()
    return {
        "mined": "texts of a face",
        "sha256": face.sha256,
        "file": face.file,
        "index": face.index or 0,
        "location": [list(place) for place in face.font.location],
        "texts": hashlib.sha256(texts).hexdigest(),
        "em": mining.em,
        "shortlist": mining.shortlist,
        "least_ssim": mining.least_ssim,
        "rosegen": versions["rosegen"],
        "uharfbuzz": versions["uharfbuzz"],
    }


def _as_json(mined: Mined) -> dict[str, Any]:
    return {
        "pairs": [[pair.a, pair.b, pair.ssim] for pair in mined.pairs],
        "refused": [[no.tile, no.reason, no.detail] for no in mined.refused],
        "usable": mined.usable,
    }


def _from_json(value: Mapping[str, Any]) -> Mined:
    return Mined(
        tuple(Confusable(a, b, float(score)) for a, b, score in value["pairs"]),
        tuple(Refusal(*no) for no in value["refused"]),
        int(value["usable"]),
    )
