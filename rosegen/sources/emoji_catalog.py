"""What Unicode says of each emoji: its names, its group and subgroup, its skin-tone twins."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack

_VARIATION_SELECTOR = "fe0f"
_SKIN_TONES = frozenset({"1f3fb", "1f3fc", "1f3fd", "1f3fe", "1f3ff"})


@dataclass(frozen=True)
class Emoji:
    """One emoji. ``key`` is its code points in hex joined by "-", U+FE0F left out."""

    key: str
    char: str
    name_en: str
    name_zh: str | None
    group: str
    subgroup: str

    @property
    def has_skin_tone(self) -> bool:
        """Whether it is a skin-tone variant of another emoji."""
        return not _SKIN_TONES.isdisjoint(self.key.split("-"))


def emoji_key(code_points: str, separator: str = "-") -> str:
    """The key of code points in hex: lower case, no leading zeros, U+FE0F left out."""
    parts = (part.lower().lstrip("0") for part in code_points.split(separator))
    return "-".join(part for part in parts if part != _VARIATION_SELECTOR)


def read_catalog(packs: Iterable[OpenPack]) -> dict[str, Emoji]:
    """Every emoji the character-data packs know, by key, in Unicode's own order.

    Raises:
        RosegenError: when no pack has emoji data, or its file is not of the known form.
    """
    packs = list(packs)
    names_zh: dict[str, str] = {}
    for pack in packs:
        if "emoji_names_zh" in pack.pack.contents:
            path = pack.pack.contents["emoji_names_zh"]
            try:
                for char, name in json.loads(pack.read(path)).items():
                    key = "-".join(f"{ord(c):x}" for c in char if c != "\ufe0f")
                    names_zh.setdefault(key, name.strip(":").replace("_", " "))
            except (ValueError, AttributeError) as error:
                raise RosegenError(
                    f"asset pack {pack.pack.name}: {path} is not emoji names ({error})"
                ) from error
    for pack in packs:
        if "emoji_data" not in pack.pack.contents:
            continue
        path = pack.pack.contents["emoji_data"]
        try:
            return _parse(json.loads(pack.read(path)), names_zh)
        except (ValueError, KeyError, TypeError) as error:
            raise RosegenError(
                f"asset pack {pack.pack.name}: {path} is not emoji data ({error})"
            ) from error
    raise RosegenError("no asset pack with emoji names and groups: add pack emoji-data")


def _parse(entries: list[dict[str, object]], names_zh: dict[str, str]) -> dict[str, Emoji]:
    catalog: dict[str, Emoji] = {}
    for entry in sorted(entries, key=lambda e: int(str(e["sort_order"]))):
        variations = entry.get("skin_variations") or {}
        if not isinstance(variations, dict):
            raise TypeError("skin_variations is not a table")
        for unified in [entry["unified"], *(v["unified"] for v in variations.values())]:
            code_points = str(unified)
            key = emoji_key(code_points)
            catalog[key] = Emoji(
                key=key,
                char="".join(chr(int(part, 16)) for part in code_points.split("-")),
                name_en=str(entry["name"]).lower(),
                name_zh=names_zh.get(key),
                group=str(entry["category"]),
                subgroup=str(entry["subcategory"]),
            )
    return catalog
