"""Emoji art as SVG, whoever drew it: folders of files, Iconify collections, colour fonts."""

from __future__ import annotations

import io
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import resvg_py
import uharfbuzz as hb
from blackrenderer.backends.svg import SVGSurface, writeSVGElements
from blackrenderer.font import BlackRendererFont
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack, cache_dir
from rosegen.sources.emoji_catalog import emoji_key
from rosegen.sources.fitting import crop_to_ink
from rosegen.sources.pool_cache import remembered_pixels
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]

# blackrenderer warns of a clip it widens; it does so for hundreds of Noto's glyphs, none of which
# shows it.
logging.getLogger("blackrenderer.backends.svg").setLevel(logging.ERROR)


_REMEMBERED = 200  # renderings kept by a provider, 80 kB each


class Provider(ABC):
    """The emoji of one provider, by key."""

    def __init__(self, pack: OpenPack) -> None:
        self.pack = pack
        self.name: str = pack.pack.contents["provider"]
        self._rendered: dict[tuple[str, int], Pixels | None] = {}

    @abstractmethod
    def keys(self, wanted: Collection[str]) -> list[str]:
        """Those of the ``wanted`` keys that this provider has drawn, in their order."""

    @abstractmethod
    def svg(self, key: str) -> str:
        """The picture of one emoji."""

    def asset(self, key: str) -> str:
        """The path a row names the picture by."""
        return f"{self.name}/{key}.svg"

    def render(self, key: str, size: int) -> Pixels | None:
        """RGBA cropped to its ink, from a ``size`` px wide rendering; None when empty."""
        if (key, size) not in self._rendered:
            if len(self._rendered) >= _REMEMBERED:
                self._rendered.clear()
            self._rendered[key, size] = self._render(key, size)
        return self._rendered[key, size]

    def _render(self, key: str, size: int) -> Pixels | None:
        depends = {"drawn": self.asset(key), "at": size, "pack": self.pack.sha256, **toolchain()}
        # An array of no pixels stands for a picture that is empty.
        pixels = remembered_pixels(cache_dir(), depends, lambda: self._rasterized(key, size))
        return pixels if pixels.size else None

    def _rasterized(self, key: str, size: int) -> Pixels:
        try:
            png = resvg_py.svg_to_bytes(
                svg_string=self.svg(key),
                width=size,
                height=size,
                dpi=96,
                skip_system_fonts=True,
            )
        except ValueError as error:
            raise RosegenError(
                f"asset pack {self.pack.pack.name}: cannot draw {self.asset(key)}: {error}"
            ) from error
        with Image.open(io.BytesIO(bytes(png))) as image:
            pixels = crop_to_ink(np.asarray(image.convert("RGBA")))
        return np.empty((0, 0, 4), np.uint8) if pixels is None else pixels


class FolderProvider(Provider):
    """One SVG file an emoji, named by its code points."""

    def __init__(self, pack: OpenPack) -> None:
        super().__init__(pack)
        separator = pack.pack.contents["images"].get("separator", "-")
        self._files = {emoji_key(stem, separator): rel for stem, rel in pack.images().items()}

    def keys(self, wanted: Collection[str]) -> list[str]:
        return [key for key in wanted if key in self._files]

    def svg(self, key: str) -> str:
        return self.pack.read(self._files[key]).decode("utf-8")


def _read_json(pack: OpenPack, path: str, needs: str | None = None) -> dict[str, Any]:
    """A JSON object of a pack, which has the key ``needs``."""
    try:
        data = json.loads(pack.read(path))
    except ValueError as error:
        raise RosegenError(f"asset pack {pack.pack.name}: {path} is not JSON ({error})") from error
    if not isinstance(data, dict) or (needs is not None and not isinstance(data.get(needs), dict)):
        raise RosegenError(f"asset pack {pack.pack.name}: {path} is not an Iconify collection")
    return data


class IconifyProvider(Provider):
    """An Iconify collection: bodies by name, names by code points."""

    def __init__(self, pack: OpenPack) -> None:
        super().__init__(pack)
        contents = pack.pack.contents
        self._icons: dict[str, Any] = _read_json(pack, contents["iconify"], "icons")
        chars = _read_json(pack, contents["chars"])
        self._names = {emoji_key(code_points): name for code_points, name in chars.items()}

    def keys(self, wanted: Collection[str]) -> list[str]:
        drawn = self._icons["icons"]
        return [key for key in wanted if self._names.get(key) in drawn]

    def svg(self, key: str) -> str:
        icon = self._icons["icons"][self._names[key]]
        width = icon.get("width", self._icons.get("width", 16))
        height = icon.get("height", self._icons.get("height", 16))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'viewBox="0 0 {width} {height}">{icon["body"]}</svg>'
        )


class ColrProvider(Provider):
    """A COLRv1 font: the sequence is shaped to one glyph, and the glyph written as SVG."""

    def __init__(self, pack: OpenPack) -> None:
        super().__init__(pack)
        self._path: Path = pack.path(pack.pack.contents["colr_font"])
        self._opened: BlackRendererFont | None = None

    def _font(self) -> BlackRendererFont:
        if self._opened is None:
            self._opened = BlackRendererFont(self._path)
        return self._opened

    def _glyph(self, key: str) -> str | None:
        """The one glyph that stands for the whole sequence; None when there is none."""
        font = self._font()
        buffer = hb.Buffer()
        buffer.add_str("".join(chr(int(part, 16)) for part in key.split("-")))
        buffer.guess_segment_properties()
        hb.shape(font.hbFont, buffer)
        ids = [info.codepoint for info in buffer.glyph_infos]
        if len(ids) != 1 or ids[0] == 0:
            return None
        return str(font.glyphNames[ids[0]])

    def keys(self, wanted: Collection[str]) -> list[str]:
        font = self._font()
        found = []
        for key in wanted:
            name = self._glyph(key)
            if name is not None and font.getGlyphBounds(name) is not None:
                found.append(key)
        return found

    def svg(self, key: str) -> str:
        font = self._font()
        name = self._glyph(key)
        bounds = None if name is None else font.getGlyphBounds(name)
        if bounds is None:
            raise ValueError("the font has no such glyph")
        left, bottom, right, top = (int(value) for value in bounds)
        side = max(right - left, top - bottom)
        surface = SVGSurface()
        with surface.canvas((left, bottom, left + side, bottom + side)) as canvas:
            font.drawGlyph(name, canvas, palette=font.getPalette(0))
        out = io.BytesIO()
        writeSVGElements(surface._svgElements, surface._viewBox, out)
        return out.getvalue().decode("utf-8")


def open_provider(pack: OpenPack) -> Provider:
    """The provider of an emoji pack."""
    contents = pack.pack.contents
    if "colr_font" in contents:
        return ColrProvider(pack)
    if "iconify" in contents:
        return IconifyProvider(pack)
    return FolderProvider(pack)
