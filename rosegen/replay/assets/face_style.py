"""What a face's name says of its style: enough to find another that looks most like it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# Words of names, in lower case. In a name of Chinese or Japanese type, Min stands for Ming.
_WORDS = {
    "kai": ("kai", "kaiti", "simkai", "wenkai", "楷"),
    "serif": (
        *("serif", "ming", "min", "mincho", "song", "songti", "sung", "simsun", "nsimsun"),
        *("fang", "fangsong", "simfang", "宋", "明", "仿"),
    ),
}
# How near the other styles are to one.
_NEARNESS = {
    "serif": ("serif", "kai", "sans"),
    "kai": ("kai", "serif", "sans"),
    "sans": ("sans", "serif", "kai"),
}
# Weight classes by name: OpenType 1.9.1, "OS/2" table, usWeightClass. Longer words first.
_WEIGHTS = (
    (r"extra ?light|ultra ?light", 200),
    (r"extra ?bold|ultra ?bold", 800),
    (r"semi ?bold|demi ?bold", 600),
    (r"thin|hairline", 100),
    (r"light|\bl\b", 300),
    (r"medium|\bm\b", 500),
    (r"bold|\bb\b", 700),
    (r"heavy|black|\bh\b", 900),
)
_AXIS = re.compile(r"\bwght=([0-9]{1,4})")
# Files of Windows are named by their letters: msjhbd, msyhl, Dengb.
_WINDOWS = re.compile(r"(?:msjh|msyh|deng)(bd?|l)?")


@dataclass(frozen=True)
class FaceStyle:
    """``shape`` is ``sans``, ``serif`` or ``kai``; ``weight`` goes from 100 to 900.

    ``fixed`` is a face for code, all of one width.
    """

    shape: str
    weight: int
    fixed: bool = False

    def distance(self, other: FaceStyle) -> tuple[int, int, bool]:
        """How far another style is from this one: by shape, then by weight, then by width."""
        nearness = _NEARNESS[self.shape].index(other.shape)
        return nearness, abs(self.weight - other.weight), self.fixed is not other.fixed


def style_of(name: str) -> FaceStyle:
    """The style a name speaks of; a plain sans where it says nothing.

    Of a name at a place of its axes, ``Name@wght=700``, the axis tells the weight.
    """
    base, at, place = name.rpartition("@")
    if at and "=" in place:
        style, told = style_of(base), _AXIS.search(place)
        return replace(style, weight=int(told[1])) if told else style
    windows = _WINDOWS.fullmatch(name.lower())
    if windows:
        return FaceStyle("sans", {"b": 700, "l": 300}.get((windows[1] or " ")[0], 400))
    # Source|Han|Sans|CN|Extra|Light, Gen|Ryu|Min|TW|Heavy, OPPO|Sans|B
    words = [
        word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\x00-\x7f]", name)
    ]
    shape = next((s for s, known in _WORDS.items() if not set(words).isdisjoint(known)), "sans")
    spelled = " ".join(words)
    weight = next((w for pattern, w in _WEIGHTS if re.search(pattern, spelled)), 400)
    return FaceStyle(shape, weight, "mono" in words)
