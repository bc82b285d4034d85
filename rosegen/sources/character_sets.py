"""Which characters a pipeline means: a run of them, a range, a script, a block, a category.

``абв`` names characters one by one, and so does ``U+0905``; a range and the others are sets, of
which a face gives what it has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

# Scripts, blocks and what is assigned are read from fontTools, whose tables are the same on every
# Python; general categories are those of the Python at hand.
from fontTools import unicodedata as properties

from rosegen.errors import RosegenError

_RANGE = re.compile(r"U\+([0-9A-F]{4,6})(?:-U\+([0-9A-F]{4,6}))?", re.IGNORECASE)
_PROPERTY = re.compile(r"([A-Za-z]{2,}):(.+)", re.DOTALL)
_LAST = 0x10FFFF

EXAMPLES = '"абв", "U+0905-U+0939", "script:Devanagari", "block:Mathematical Operators"'


@dataclass(frozen=True)
class CharacterSet:
    """One spec of a pipeline.

    Attributes:
        spec: as it is written.
        named: the code points it names one by one; None for a set.
        holds: whether a code point is among those it means.
    """

    spec: str
    named: frozenset[int] | None
    holds: Callable[[int], bool]


def read_spec(spec: str) -> CharacterSet:
    """What a spec means.

    Args:
        spec: a run of characters (white space between them does not count), ``U+0905``,
            ``U+0905-U+0939``, ``script:`` and a name or an ISO 15924 code, ``block:`` and a name,
            ``category:`` and a general category (``Lu``, or ``L`` for all letters), or ``gb2312``,
            the 6,763 hanzi of GB/T 2312-1980.

    Raises:
        RosegenError: it names nothing that there is; near names are told.
    """
    spaced = spec.strip()
    if spaced.casefold() == "gb2312":
        hanzi = frozenset(map(ord, gb2312_hanzi()))
        return CharacterSet(spec, None, hanzi.__contains__)
    if spaced.casefold().startswith("u+"):
        return _by_code_point(spec, spaced)
    prefixed = _PROPERTY.fullmatch(spaced)
    if prefixed is not None:
        return _by_property(spec, prefixed[1].casefold(), prefixed[2].strip())
    named = frozenset(ord(char) for char in spec if not char.isspace())
    if not named:
        raise RosegenError(f"characters {spec!r} names none: write {EXAMPLES}")
    return CharacterSet(spec, named, named.__contains__)


def of_face(chosen: CharacterSet, mapped: Iterable[int]) -> frozenset[int]:
    """The code points that a spec gives in a face.

    All that it names one by one, whether the face has them or not; of a set, what the face has,
    without what is unassigned, a control or a format character.
    """
    if chosen.named is not None:
        return chosen.named
    return frozenset(point for point in mapped if chosen.holds(point) and _is_character(point))


def gb2312_hanzi() -> tuple[str, ...]:
    """The 6,763 hanzi of GB/T 2312-1980 (rows 16 to 87), in its order."""
    found = []
    for high in range(0xB0, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                found.append(bytes([high, low]).decode("gb2312"))
            except UnicodeDecodeError:
                continue  # five places at the end of row 55 are empty
    return tuple(found)


def _is_character(point: int) -> bool:
    category = unicodedata.category(chr(point))
    if category in ("Cc", "Cf", "Cs"):
        return False
    # Whoever draws in the private area means it; all else without a script is unassigned.
    return category == "Co" or properties.script(chr(point)) != "Zzzz"


def _by_code_point(spec: str, spaced: str) -> CharacterSet:
    matched = _RANGE.fullmatch(spaced)
    first, last = (int(end or matched[1], 16) for end in matched.groups()) if matched else (1, 0)
    if matched is None or not first <= last <= _LAST:
        raise RosegenError(
            f"characters {spec!r}: write U+0905, or a range from the lower to the higher code "
            f"point such as U+0905-U+0939"
        )
    if matched[2] is None:
        named = frozenset({first})
        return CharacterSet(spec, named, named.__contains__)
    return CharacterSet(spec, None, range(first, last + 1).__contains__)


def _by_property(spec: str, kind: str, name: str) -> CharacterSet:
    if kind == "script":
        code = _SCRIPTS.get(_folded(name))
        if code is None:
            raise _unknown(spec, "script", name, properties.Scripts.NAMES.values())
        return CharacterSet(spec, None, lambda point: properties.script(chr(point)) == code)
    if kind == "block":
        block = _BLOCKS.get(_folded(name))
        if block is None:
            raise _unknown(spec, "block", name, _BLOCKS.values())
        return CharacterSet(spec, None, lambda point: properties.block(chr(point)) == block)
    if kind == "category":
        if name.startswith("C") and name != "Co":
            raise RosegenError(f"characters {spec!r}: none of them can be seen")
        if name not in _CATEGORIES:
            raise _unknown(spec, "category", name, _CATEGORIES)
        return CharacterSet(
            spec, None, lambda point: unicodedata.category(chr(point)).startswith(name)
        )
    raise RosegenError(
        f"characters {spec!r}: there is no {kind!r} to choose by (known: script, block, category); "
        f"for those very characters, write them as U+003A and so on"
    )


def _unknown(spec: str, kind: str, name: str, known: Iterable[str]) -> RosegenError:
    by_folded = {_folded(one): one.replace("_", " ") for one in known}
    near = get_close_matches(_folded(name), by_folded, n=4, cutoff=0.5)
    if not near:
        near = [one for one in by_folded if one.startswith(_folded(name)[:1])][:4]
    told = ", ".join(by_folded[one] for one in near)
    hint = f" (near: {told})" if told else ""
    return RosegenError(f"characters {spec!r}: Unicode has no {kind} {name!r}{hint}")


def _folded(name: str) -> str:
    """Case, spaces, hyphens and underscores do not tell names apart: UAX #44, rule LM3."""
    return re.sub(r"[\s_-]+", "", name).casefold()


_SCRIPTS: Mapping[str, str] = {
    _folded(name): code for code, long in properties.Scripts.NAMES.items() for name in (code, long)
}
_BLOCKS: Mapping[str, str] = {
    _folded(block): block for block in properties.Blocks.VALUES if block != "No_Block"
}
_CATEGORIES = (
    *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
    *("P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So"),
    *("Z", "Zs", "Zl", "Zp", "Co"),
)
