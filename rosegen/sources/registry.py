"""The visual sources by name."""

from __future__ import annotations

from rosegen.errors import RosegenError
from rosegen.sources.base import Source, SourceConfig
from rosegen.sources.chinese_glyph import ChineseGlyph
from rosegen.sources.emoji import EmojiContent, EmojiStyle
from rosegen.sources.pixel import PixelContent, PixelEdit

SOURCES: dict[str, type[Source]] = {
    source.name: source
    for source in (ChineseGlyph, EmojiStyle, EmojiContent, PixelEdit, PixelContent)
}


def source_class(name: str) -> type[Source]:
    """The source of a name.

    Raises:
        RosegenError: when there is none.
    """
    if name not in SOURCES:
        raise RosegenError(f"unknown source {name!r}: known are {', '.join(SOURCES)}")
    return SOURCES[name]


def open_source(config: SourceConfig) -> Source:
    """The source a subset's ``source`` section describes.

    Raises:
        RosegenError: when the source is unknown.
    """
    kind = source_class(config.name)
    return kind(config)
