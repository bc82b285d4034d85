"""What a pipeline may ask of the glyph source, and what it means in a face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosegen.errors import RosegenError
from rosegen.sources.base import SHARE, WHOLE
from rosegen.sources.character_sets import EXAMPLES, CharacterSet, of_face, read_spec
from rosegen.sources.font_choice import PackFace
from rosegen.sources.font_file import characters
from rosegen.sources.glyph_mining import SIDE
from rosegen.sources.text_tile import FONT_SHARE

SHORTLIST = 6000
LEAST_SSIM = 0.5

_TEXT: Mapping[str, Any] = {"type": "string", "minLength": 1}
_SPECS: Mapping[str, Any] = {"type": "array", "items": _TEXT, "minItems": 1}
_FACE: Mapping[str, Any] = {
    "type": ["string", "object"],
    "minLength": 1,
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {**_TEXT, "description": "As for a face that is only named."},
        "axes": {
            "description": "Axis tag to value, such as wght: 700; others stay as they are.",
            "type": "object",
            "additionalProperties": {"type": "number"},
        },
    },
}

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "characters": {
        **_SPECS,
        "description": (
            f"Characters to compare with each other, each entry one of {EXAMPLES}, "
            '"category:Lu", "gb2312" (its 6,763 hanzi). Of a range, script, block or category '
            "a face gives what it has; what is named one by one and is not in a face is "
            "refused there."
        ),
    },
    "texts": {
        **_SPECS,
        "description": (
            "Short texts to compare with them and with each other, each a tile of its own: a "
            'letter with marks, a conjunct, a joined sequence, "rn".'
        ),
    },
    "pairs": {
        "description": (
            'Pairs to use however alike they are, such as ["O", "0"] or ["rn", "m"]; what '
            "characters and texts give is mined beside them."
        ),
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "array",
            "items": _TEXT,
            "minItems": 2,
            "maxItems": 2,
            "uniqueItems": True,
        },
    },
    "exclude": {
        **_SPECS,
        "description": "Characters to leave out of `characters`, written in the same way.",
    },
    "faces": {
        "type": "array",
        "minItems": 1,
        "items": _FACE,
        "description": (
            "Faces to use, in this order; every face of the packs when absent. A name is what "
            "a pack calls the face, its PostScript or full name, its family if it has one "
            "face, or its file (a.ttf, a.ttc#1). With `axes`, at that place of a variable font."
        ),
    },
    "em": {
        "type": "number",
        "minimum": 0.1,
        "maximum": 1,
        "description": (
            f"Share of the cell's side for the em, {FONT_SHARE} when absent. Letters of most "
            "scripts fill half to two thirds of the em."
        ),
    },
    "color": {
        "type": "string",
        "pattern": "^#[0-9a-fA-F]{6}$(?!\\n)",
        "examples": ["#00a040"],
        "description": 'Colour of the ink, "#000000" when absent.',
    },
    "shortlist": {
        **WHOLE,
        "description": (
            "How many pairs of a face are looked at closely, by falling likeness of their "
            f"thumbnails; {SHORTLIST} when absent. All pairs, when there are not so many."
        ),
    },
    "least_ssim": {
        **SHARE,
        "description": (
            f"Mined pairs below this SSIM are not confusable; {LEAST_SSIM} when absent. It is "
            f"taken in a cell of {SIDE} px over the windows that hold ink, so that it means "
            "the same for dense and for sparse scripts."
        ),
    },
}


@dataclass(frozen=True)
class Wanted:
    """What the options ask to be drawn."""

    characters: tuple[CharacterSet, ...]
    excluded: tuple[CharacterSet, ...]
    texts: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    def texts_in(self, face: PackFace) -> tuple[str, ...]:
        """What is to be compared in a face, by code point."""
        mapped = characters(face.font).mapped
        points = {point for chosen in self.characters for point in of_face(chosen, mapped)}
        kept = {p for p in points if not any(out.holds(p) for out in self.excluded)}
        return tuple(sorted({*map(chr, kept), *self.texts}))

    def absent_from(self, face: PackFace) -> list[str]:
        """The specs of sets that the face has nothing of."""
        mapped = characters(face.font).mapped
        return [chosen.spec for chosen in self.characters if not of_face(chosen, mapped)]


def read_options(options: Mapping[str, Any]) -> Wanted:
    """What the options name.

    Raises:
        RosegenError: they name nothing, or something that there is not.
    """
    if not any(options.get(name) for name in ("characters", "texts", "pairs")):
        raise RosegenError(
            "source glyph: nothing to draw: give it characters, texts or pairs, for example "
            'characters: ["script:Greek"]'
        )
    try:
        return Wanted(
            tuple(map(read_spec, options.get("characters", ()))),
            tuple(map(read_spec, options.get("exclude", ()))),
            tuple(options.get("texts", ())),
            tuple((a, b) for a, b in options.get("pairs", ())),
        )
    except RosegenError as error:
        raise RosegenError(f"source glyph: {error}") from error
