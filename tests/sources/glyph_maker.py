"""What the tests of the glyph source share: packs of made fonts, a source over them, a pool."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from rosegen.packs import OpenPack
from rosegen.sources.base import SourceConfig
from rosegen.sources.font_file import FontFace, at_location, list_faces
from rosegen.sources.glyph import Glyph
from tests.core_maker import cached_pack, open_pack
from tests.sources.font_maker import box, made

WHITE = (255, 255, 255)


class LastFirst:
    """A pool that does its tasks from the last to the first, as a busy machine might."""

    def map(self, function: Callable[[Any], Any], tasks: Iterable[Any], chunk: int = 1) -> Any:
        return reversed([function(task) for task in reversed(list(tasks))])


class AtOnce:
    """A pool of nobody else: the tasks are done as their results are asked for."""

    def map(self, function: Callable[[Any], Any], tasks: Iterable[Any], chunk: int = 1) -> Any:
        return map(function, tasks)


class Nobody:
    """A pool that must not be asked."""

    def map(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], chunk: int = 1
    ) -> Iterator[Any]:
        raise AssertionError("nothing was to be mined")


def font_bytes(font: TTFont) -> bytes:
    """A font as its file would be."""
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def bars(**heights: int) -> TTFont:
    """A font of upright bars: character to height in units of 1/1000 em."""
    glyphs = {name: [box(100, 0, 400, height)] for name, height in heights.items()}
    return made(glyphs, {ord(name): name for name in glyphs})


def font_pack(
    root: Path, files: Mapping[str, TTFont | bytes], faces: list[dict[str, Any]] | None = None
) -> OpenPack:
    """A pack of font files; without ``faces`` it lists none, as a folder in place does."""
    contents = {} if faces is None else {"faces": faces}
    data = {
        name: content if isinstance(content, bytes) else font_bytes(content)
        for name, content in files.items()
    }
    return open_pack(root, "fonts", contents, data)


def glyph_source(pack: OpenPack, cache: Path, **options: Any) -> Glyph:
    """The source over one pack, on white."""
    return Glyph(SourceConfig("glyph", options, {pack.pack.name: pack}, cache, WHITE, 0.84))


def pack_face(pack_name: str, number: int = 0) -> FontFace:
    """A face of a shipped pack; the test is skipped where the cache does not have it."""
    pack = cached_pack(pack_name)
    entry = pack.pack.contents["faces"][number]
    face = list_faces(pack.path(entry["file"]))[entry.get("index", 0)]
    return at_location(face, entry.get("axes", {}))
