"""The columns of ROSE's rows that say what its tiles are: which subset has which, in its order.

Measured on the public bridge records of ROSE v0.1, where every rule here fits all 2,224 rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_EMOJI = ("background_emoji", "target_emoji")
_PATHS = ("background_path", "target_path")

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "ROSE-ChineseGlyph": (
        "background_char",
        "target_char",
        "source_group",
        "source_pair",
        "pair_direction",
        "undirected_pair_key",
        "font_name",
        "similarity_level",
        "pair_key",
    ),
    "ROSE-EmojiStyle": (
        *_EMOJI,
        "emoji_char",
        "unicode_key",
        "majority_style",
        "target_style",
        "h2_label",
        "h3_title",
        "emoji_name_zh",
        *_PATHS,
    ),
    "ROSE-EmojiContent": (
        *_EMOJI,
        "background_unicode",
        "target_unicode",
        "h2_label",
        "h3_title",
        "background_name_zh",
        "target_name_zh",
        "background_name_en",
        "target_name_en",
        "similarity",
        "pair_key",
        *_PATHS,
    ),
    "ROSE-PixelEdit": ("pair_key", "asset_resize_mode"),
    "ROSE-PixelContent": ("pair_key", "asset_resize_mode"),
}
PRIMITIVES: Mapping[str, str] = {
    "ROSE-ChineseGlyph": "CHINESE_GLYPH",
    "ROSE-EmojiStyle": "EMOJI_STYLE",
    "ROSE-EmojiContent": "EMOJI_CONTENT",
    "ROSE-PixelEdit": "PIXEL_EDIT",
    "ROSE-PixelContent": "PIXEL_CONTENT",
}


def derived_columns(primitive_type: str | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from others, of those whose sources are there.

    Args:
        primitive_type: such as ``CHINESE_GLYPH``.
        columns: at least the columns that follow from nothing else.
    """
    if primitive_type == "CHINESE_GLYPH":
        pair = _texts(columns, "background_char", "target_char")
        if pair is None:
            return {}
        key = "__".join(sorted(pair))
        return {
            "pair_direction": f"{pair[0]}_majority_{pair[1]}_target",
            "undirected_pair_key": key,
            "pair_key": key,
        }
    if primitive_type == "EMOJI_STYLE" and isinstance(columns.get("background_emoji"), str):
        return dict.fromkeys(("target_emoji", "emoji_char"), columns["background_emoji"])
    if primitive_type == "EMOJI_CONTENT":
        pair = _texts(columns, "background_unicode", "target_unicode")
        return {} if pair is None else {"pair_key": "__".join(sorted(pair))}
    return {}


def _texts(columns: Mapping[str, Any], a: str, b: str) -> tuple[str, str] | None:
    first, second = columns.get(a), columns.get(b)
    return (first, second) if isinstance(first, str) and isinstance(second, str) else None
