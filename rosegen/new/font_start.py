"""What a pipeline of letters begins with: the characters that its fonts are made for."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

from fontTools import unicodedata as properties

from rosegen.sources.font_choice import SUFFIXES
from rosegen.sources.font_file import characters, list_faces

_FEWEST = 20  # characters of a script that a font is made for
_NO_SCRIPT = ("Zyyy", "Zinh", "Zzzz")  # common, inherited, unknown
_VISIBLE = ("L", "N", "P", "S", "Co")  # general categories


def characters_of_fonts(folder: Path) -> str | None:
    """A spec of the characters that the fonts of a folder are made for; None without a font.

    The script of which they have most characters; Latin, which fonts of every script have too, only
    where there is no other. For Han it is the 6,763 hanzi of GB/T 2312, as comparing all takes
    hours. Where there are but symbols, the block of which there are most.

    Raises:
        RosegenError: a font is broken.
    """
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    faces = [face for path in files if path.is_file() for face in list_faces(path)]
    points = {point for face in faces for point in characters(face).mapped}
    texts = [chr(p) for p in points if unicodedata.category(chr(p)).startswith(_VISIBLE)]
    if not texts:
        return None
    scripts = Counter(map(properties.script, texts))
    found = [
        code for code, count in scripts.most_common() if code not in _NO_SCRIPT and count >= _FEWEST
    ]
    if not found:
        ((block, _),) = Counter(map(properties.block, texts)).most_common(1)
        return f"block:{block}"
    code = next((code for code in found if code != "Latn"), "Latn")
    return "gb2312" if code == "Hani" else f"script:{properties.script_name(code)}"
