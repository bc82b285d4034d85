"""ImagePairs: pairs of pictures that someone brings, told by their names or by a list."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, ClassVar

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.sources.base import Candidate, Pool
from rosegen.sources.image_files import Seen
from rosegen.sources.image_source import ImageSource, group_of, pair_of
from rosegen.sources.pair_file import read_pairs
from rosegen.sources.pictures.refusal import shown

# What follows .edit tells the edits of one original apart: a number, or - or _ and anything.
_EDIT = re.compile(r"(.+)\.edit(?:\d+|[-_].+)?", re.IGNORECASE | re.DOTALL)


class ImagePairs(ImageSource):
    """A picture and an edit of it, or any two pictures that a list names."""

    kind = "image_pairs"
    primitive_type = "IMAGE_PAIR"
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **ImageSource.options,
        "pairs": {
            "type": "string",
            "minLength": 1,
            "description": (
                "CSV, TSV or JSON Lines file of pairs beside the pipeline: columns a and b (files "
                "of the folder), maybe key, group and license. When absent, names tell: a.png "
                "with a.edit.png, a.edit2.png, a.edit-hat.png."
            ),
        },
    }
    option_files = ("pairs",)
    settings: ClassVar[Mapping[str, Any]] = {
        "ink": 0.9,
        "grid": {"cell_size": [64, 96]},
        # Someone chose these pairs: what is refused cannot be seen, or is seen at a glance.
        "admission": {
            "ssim": [0.5, 0.999],
            "phash_distance": [0, 32],
            "changed_pixel_share": [0.004, 0.4],
            "max_local_color_difference": [15, 130],
        },
    }
    default_fit = "canvas"

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        self.refuse_nothing()
        packs = self.packs_of_kind("images")
        offers = self._listed(packs) if "pairs" in self.config.options else self._named(packs)
        offered = {tile.name: tile for each in offers for tile in (each.a, each.b)}
        seen: dict[str, Seen] = {}
        for pack in packs:
            tiles = [tile for tile in offered.values() if tile.pack == pack.pack.name]
            survey = self.survey(pack, sorted(tiles, key=lambda tile: tile.name), pool)
            seen.update((tile.name, each) for tile, each in zip(survey.tiles, survey.seen))
        found = [offer for offer in offers if self._is_pair(offer, seen)]
        paired = {tile.name for each in found for tile in (each.a, each.b)}
        for name, tile in offered.items():
            if name not in paired:
                self.refuse(tile, "no partner", "its partner is refused")
        if not found:
            raise self.nothing_left(
                "no pair of pictures is left (name edits of cat.png cat.edit.png, or list pairs)"
            )
        return found

    def _named(self, packs: Iterable[OpenPack]) -> list[Candidate]:
        found = []
        for pack in packs:
            tiles = {tile.recipe["file"]: tile for tile in self.tiles(pack)}
            pairs, alone = pairs_by_name(list(tiles))
            for name, detail in alone.items():
                self.refuse(tiles[name], "no partner", detail)
            found += [pair_of(tiles[a], tiles[b], group_of(tiles[a])) for a, b in pairs]
        return found

    def _listed(self, packs: Sequence[OpenPack]) -> list[Candidate]:
        tiles = {tile.name: tile for pack in packs for tile in self.tiles(pack)}
        called: dict[str, list[str]] = {}
        for name, tile in tiles.items():
            called.setdefault(tile.recipe["file"], []).append(name)
            if len(packs) > 1:
                called.setdefault(name, []).append(name)
        # What two packs have under one name is found by the name of its pack before it.
        path = self.config.folder / self.config.options["pairs"]
        listed = read_pairs(path, {name: of[0] for name, of in called.items() if len(of) == 1})
        for pair in listed:
            if pair.license is not None:
                for name in (pair.a, pair.b):
                    tiles[name] = replace(tiles[name], license=pair.license)
        lines: dict[str, int] = {}
        found = []
        for pair in listed:
            a, b = tiles[pair.a], tiles[pair.b]
            offer = pair_of(a, b, pair.group or group_of(a), pair.key)
            if lines.setdefault(offer.key, pair.line) != pair.line:
                raise RosegenError(
                    f"{shown(path)}:{pair.line}: key {shown(offer.key)!r} is that of line "
                    f"{lines[offer.key]}: give each pair its own"
                )
            found.append(offer)
        return found

    def _is_pair(self, offer: Candidate, seen: Mapping[str, Seen]) -> bool:
        """Whether two pictures can be told apart by what is in them; if not, the second goes."""
        if offer.a.name not in seen or offer.b.name not in seen:
            return False
        a, b = seen[offer.a.name], seen[offer.b.name]
        other = self.called(offer.a)
        if self.look.fit == "canvas" and not have_one_size(a, b):
            sizes = "{} x {}, and {} is {} x {}".format(*b.size, other, *a.size)
            self.refuse(offer.b, "sizes differ", sizes)
            return False
        if a.sha256 == b.sha256:
            self.refuse(offer.b, "identical", f"to {other}")
            return False
        return True


def pairs_by_name(names: Sequence[str]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Originals with their edits, told by their names.

    The original of an edit stands in its folder and has the same ending; without such a one, the
    only one of any ending. Where none is spelled like it, case and Unicode normalisation are
    passed over.

    Args:
        names: relative POSIX paths.

    Returns:
        (original, edit), in the order of the edits; and each other name, with more of why it has no
        partner where there is more to say.
    """
    stems: dict[str, list[str]] = {}
    folded: dict[str, list[str]] = {}
    for name in names:
        stem = str(PurePosixPath(name).with_suffix(""))
        stems.setdefault(stem, []).append(name)
        folded.setdefault(_folded(stem), []).append(name)
    pairs = []
    alone = {}
    for name in names:
        path = PurePosixPath(name)
        edit = _EDIT.fullmatch(path.stem)
        if edit is None:
            continue
        stem = str(path.with_name(edit[1]))
        found = stems.get(stem) or folded.get(_folded(stem), [])
        same = [other for other in found if _ending(other) == _ending(name)]
        if len(same or found) == 1:
            pairs.append(((same or found)[0], name))
        elif found:
            alone[name] = f"several originals: {', '.join(map(shown, same or found))}"
    paired = {name for pair in pairs for name in pair}
    return pairs, {name: alone.get(name, "") for name in names if name not in paired}


def _folded(stem: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", stem).casefold())


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def have_one_size(a: Seen, b: Seen) -> bool:
    """Whether two canvases lie over each other; an SVG, which has no pixels, need only be alike."""
    if a.is_drawing is b.is_drawing:
        return a.size == b.size
    drawing, pixels = (a, b) if a.is_drawing else (b, a)
    scale = max(drawing.size) / max(pixels.size)
    # What is drawn has whole pixels, too.
    return all(abs(x - y * scale) <= 1 for x, y in zip(drawing.size, pixels.size))
