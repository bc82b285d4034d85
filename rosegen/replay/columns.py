"""The columns of ROSE's rows that say what its tiles are: which subset has which, in its order.

Measured on the public bridge records of ROSE v0.1, where every rule here fits all 2,224 rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from rosegen.replay.recovered import posix

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


_GLYPH_COLUMNS = (
    *("background_char", "target_char", "source_pair", "source_group"),
    *("pair_direction", "undirected_pair_key"),
)
_OTHER_TILES = frozenset(("EMOJI_STYLE", "EMOJI_CONTENT", "PIXEL_EDIT", "PIXEL_CONTENT"))
_ROLES = ("background", "target")


def is_of_glyphs(column: str) -> bool:
    """Whether a column is there only where the tiles are two texts."""
    return column in _GLYPH_COLUMNS


def mended(
    primitive_type: str | None, columns: Mapping[str, Any], by_rosegen: bool
) -> dict[str, Any]:
    """The columns, those of them mended that others prove to be wrong.

    Code points are those of the emoji, U+FE0F apart; a pair and a group hold both characters, and
    are nothing without them; a path of ROSE's own names the emoji's code points, and its folder the
    style.

    Args:
        primitive_type: such as ``CHINESE_GLYPH``.
        columns: what a scene's records say.
        by_rosegen: whether rosegen made them, whose paths are the packs'.
    """
    found = dict(columns)
    pair = _texts(found, "background_char", "target_char")
    if pair is None or primitive_type in _OTHER_TILES:
        found = {name: value for name, value in found.items() if name not in _GLYPH_COLUMNS}
    else:
        said, group = found.get("source_pair"), found.get("source_group")
        if not isinstance(said, list) or sorted(said) != sorted(pair):
            found["source_pair"] = sorted(pair)
        if not isinstance(group, list) or not set(pair) <= set(group):
            found["source_group"] = sorted(pair)
    for emoji, key in _KEYS:
        char = found.get("background_emoji" if primitive_type == "EMOJI_STYLE" else emoji)
        wanted = key in found or key in _KEYS_OF.get(primitive_type or "", ())
        if isinstance(char, str) and wanted:
            right = _bare(found.get(key)) == _bare(_code_points(char))
            found[key] = found[key] if right else _code_points(char)
    if not by_rosegen:
        _mend_paths(primitive_type, found)
    return found


_KEYS = (
    ("emoji_char", "unicode_key"),
    ("background_emoji", "background_unicode"),
    ("target_emoji", "target_unicode"),
)
_KEYS_OF = {
    "EMOJI_STYLE": ("unicode_key",),
    "EMOJI_CONTENT": ("background_unicode", "target_unicode"),
}


def _mend_paths(primitive_type: str | None, columns: dict[str, Any]) -> None:
    for role, style in zip(_ROLES, ("majority_style", "target_style")):
        told = columns.get(f"{role}_path")
        key = columns.get("unicode_key" if primitive_type == "EMOJI_STYLE" else f"{role}_unicode")
        if primitive_type not in _KEYS_OF or not isinstance(told, str) or not isinstance(key, str):
            continue
        path = PurePosixPath(posix(told))
        folder = columns.get(style) if primitive_type == "EMOJI_STYLE" else path.parent.as_posix()
        if isinstance(folder, str) and (path.parent.as_posix(), _bare(path.stem)) != (
            folder,
            _bare(key),
        ):
            columns[f"{role}_path"] = f"{folder}\\{key}{path.suffix}"


def _code_points(text: str) -> str:
    return "-".join(f"{ord(char):x}" for char in text)


def _bare(key: Any) -> Any:
    return key.lower().replace("-fe0f", "") if isinstance(key, str) else key


def derived_columns(primitive_type: str | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from others, of those whose sources are there.

    Args:
        primitive_type: such as ``CHINESE_GLYPH``.
        columns: at least the columns that follow from nothing else.
    """
    pair = _texts(columns, "background_char", "target_char")
    if pair is not None and primitive_type not in _OTHER_TILES:
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
