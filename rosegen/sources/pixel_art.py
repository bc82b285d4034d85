"""Every sprite at hand, whoever drew it: files, sheets, parametric portraits, and our own set."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack, cache_dir
from rosegen.sources.dicebear import draw_portrait, render_portrait
from rosegen.sources.pictures import open_picture_bytes
from rosegen.sources.pictures.kind import kind_of
from rosegen.sources.pictures.refusal import Refusal
from rosegen.sources.pool_cache import remembered, remembered_pictures
from rosegen.sources.sprites import Sprite, differing_parts, load_sprites
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]

OWN_PACK = "rosegen-sprites"
OWN_LICENSE = "CC0-1.0"

_LARGEST_SHEET = 1 << 16  # pixels a side: sheets come in strips

# Portraits made of a DiceBear style, each with this many relatives that differ in one component.
_PORTRAITS = 120
_RELATED_COMPONENTS = ("hair", "eyes", "mouth", "clothes", "glasses", "hat", "beard")


@dataclass(frozen=True)
class Art:
    """One sprite.

    ``pixels`` is RGBA uint8 (height, width, 4), the whole canvas; sprites of one ``family`` share
    most of their drawing.
    """

    name: str
    pack: str
    license: str
    family: str
    pixels: Pixels = field(compare=False, repr=False)


@dataclass(frozen=True)
class Library:
    """The sprites of one pack, the related pairs among them, and a user's own edits if any."""

    pack: str
    art: Mapping[str, Art]
    related: Callable[[], Sequence[tuple[str, str]]]
    edited: Mapping[str, Art]


def open_library(pack: OpenPack) -> Library:
    """The library of a sprite pack, read once in each process."""
    return _library_of(str(pack.root), pack)


@lru_cache(maxsize=16)
def _library_of(root: str, pack: OpenPack) -> Library:
    contents = pack.pack.contents
    if "dicebear" in contents:
        return _portraits(pack, contents["dicebear"])
    files = _sheet(pack) if "sheet" in contents else _files(pack, pack.images())
    edits = {}
    if "edits" in contents:
        stems = {Path(rel).stem: rel for rel in pack.match(contents["edits"]["glob"])}
        edits = _files(pack, stems)
    return Library(pack.pack.name, files, lambda: _related_by_name(sorted(files)), edits)


@lru_cache(maxsize=4)
def own_library(root: Path) -> Library:
    """rosegen's own sprites, drawn from ``root``."""
    depends = {"sprites": own_sha256(root), **toolchain()}

    def draw() -> dict[str, Pixels]:
        return {sprite.name: sprite.pixels for sprite in load_sprites(root)}

    def related() -> list[tuple[str, str]]:
        key = {"mined": "relatives", **depends}
        return [(a, b) for a, b in remembered(cache_dir(), key, lambda: _relatives(root))]

    drawn = remembered_pictures(cache_dir(), {"drawn": "sprites", **depends}, draw)
    art = {
        name: Art(name, OWN_PACK, OWN_LICENSE, name.rpartition("/")[0], pixels)
        for name, pixels in drawn.items()
    }
    return Library(OWN_PACK, art, related, {})


def _relatives(root: Path) -> list[tuple[str, str]]:
    """Sprites of one kind that differ in at most two parts."""
    kinds: dict[str, list[Sprite]] = {}
    for sprite in load_sprites(root):
        kinds.setdefault(f"{sprite.category}/{sprite.kind}", []).append(sprite)
    return [
        (a.name, b.name)
        for members in kinds.values()
        for a, b in combinations(members, 2)
        if len(differing_parts(a, b)) <= 2
    ]


def _read_image(pack: OpenPack, rel: str) -> Pixels | None:
    """RGBA of one file; None when all of it is transparent."""
    name = f"asset pack {pack.pack.name}: {rel}"
    data = pack.read(rel)
    try:
        picture = open_picture_bytes(data, name, max_side=_LARGEST_SHEET)
    except RosegenError as error:
        if isinstance(error.__cause__, Refusal) and "fully transparent" in str(error.__cause__):
            return None
        raise
    if kind_of(data) == "SVG":
        raise RosegenError(f"{name}: is an SVG, which has no pixels of its own: save it as PNG")
    return picture.rgba


def _files(pack: OpenPack, names: Mapping[str, str]) -> dict[str, Art]:
    found = {}
    for name, rel in names.items():
        pixels = _read_image(pack, rel)
        if pixels is not None and _is_drawn(pixels):
            found[name] = Art(name, pack.pack.name, pack.pack.license, name, pixels)
    return found


def _is_drawn(pixels: Pixels) -> bool:
    """Whether there is more than one colour."""
    return bool((pixels != pixels[0, 0]).any())


def _sheet(pack: OpenPack) -> dict[str, Art]:
    """The tiles of a sheet, named by row and column; blank ones and skipped ones left out."""
    sheet = pack.pack.contents["sheet"]
    pixels = _read_image(pack, sheet["file"])
    if pixels is None:
        return {}
    width, height = sheet["tile"]
    margin, spacing = sheet.get("margin", 0), sheet.get("spacing", 0)
    found = {}
    for row, top in enumerate(range(margin, pixels.shape[0] - height + 1, height + spacing)):
        for col, left in enumerate(range(margin, pixels.shape[1] - width + 1, width + spacing)):
            tile = pixels[top : top + height, left : left + width]
            if _is_drawn(tile):
                name = f"r{row:02d}c{col:03d}"
                found[name] = Art(name, pack.pack.name, pack.pack.license, name, tile)
    return found


def _portraits(pack: OpenPack, path: str) -> Library:
    """Drawn portraits, and for each a few that differ from it in one component."""
    depends = {"style": path, "pack": pack.sha256, **toolchain()}

    def draw() -> dict[str, Pixels]:
        return _drawn_portraits(pack, path)

    drawn = remembered_pictures(cache_dir(), {"drawn": "portraits", **depends}, draw)
    name, license = pack.pack.name, pack.pack.license
    art = {each: Art(each, name, license, _portrait_of(each), drawn[each]) for each in drawn}
    related = [(_portrait_of(each), each) for each in drawn if each != _portrait_of(each)]
    return Library(name, art, lambda: related, {})


def _portrait_of(name: str) -> str:
    """``portrait-007`` of ``portrait-007-hair-long``."""
    return name[: len("portrait-000")]


def _drawn_portraits(pack: OpenPack, path: str) -> dict[str, Pixels]:
    """Name to pixels; a relative's name is that of its portrait and what it has instead.

    Raises:
        RosegenError: the file is no style.
    """
    try:
        return dict(_draw_portraits(json.loads(pack.read(path))))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RosegenError(
            f"asset pack {pack.pack.name}: {path} is not a DiceBear style ({error!r})"
        ) from error


def _draw_portraits(definition: Mapping[str, Any]) -> Iterator[tuple[str, Pixels]]:
    seen: set[bytes] = set()

    def is_new(pixels: Pixels) -> bool:
        before = len(seen)
        seen.add(pixels.tobytes())
        return len(seen) > before

    components = definition["components"]
    related_components = [c for c in _RELATED_COMPONENTS if c in components] or list(components)
    for number in range(1, _PORTRAITS + 1):
        draws = Draws("portrait", number)
        portrait = draw_portrait(definition, draws)
        name = f"portrait-{number:03d}"
        pixels = render_portrait(definition, portrait)
        if not is_new(pixels):
            continue
        yield name, pixels
        for component in related_components:
            current = portrait.variants[component]
            variants = sorted(definition["components"][component]["variants"])
            others: list[str | None] = [v for v in variants if v != current]
            if not others and "probability" in definition["components"][component]:
                others = [None]  # the one variant, or nothing
            if not others:
                continue
            other = draws.choice(others)
            pixels = render_portrait(definition, portrait.changed(component, other))
            if is_new(pixels):
                yield f"{name}-{component}-{other}", pixels


def _related_by_name(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs that share a word of their names: ``iron_sword`` and ``wood_sword``."""
    words = {
        name: {word for word in re.split(r"[^a-z]+", name.lower()) if len(word) > 2}
        for name in names
    }
    worded = [name for name in names if words[name]]  # of a sheet's thousands of tiles, none
    return tuple((a, b) for a, b in combinations(worded, 2) if words[a] & words[b])


def own_sha256(root: Path) -> str:
    """SHA-256 over the names and bytes of the files our own sprites are drawn from."""
    digest = hashlib.sha256()
    for path in sorted(root.glob("*.yaml")):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(text).digest())
    return digest.hexdigest()
