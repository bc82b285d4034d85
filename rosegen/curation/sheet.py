"""The sheet on which a person decides: one HTML file that needs nothing else.

Names and notes in a list are anyone's: they are in the page as data alone, from which its script
makes text. The page lets no other script or style run, and forbids itself the network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from rosegen.curation.cards import Card, draw
from rosegen.pair_list import COLUMNS, ListedPair
from rosegen.sources.base import Pixels

_MEDIA = "image/webp"


@dataclass(frozen=True)
class Pictures:
    """A card's tiles as lossless WebP files: ``a`` and ``b``, and both again, enlarged."""

    tiles: tuple[bytes, ...]
    has_changed: bool  # whether the art is not what the list measured


def picture(card: Card) -> Pictures | None:
    """Draw a card's tiles (for a pool's workers); None when there is nothing to draw."""
    drawn = draw(card, _enlarged(card))
    if drawn is None:
        return None
    return Pictures(tuple(map(_webp, (*drawn.cells, *drawn.enlarged))), drawn.has_changed)


def _enlarged(card: Card) -> int:
    """Side in pixels of an enlarged tile."""
    return min(max(2 * card.cell_size, 144), max(176, card.cell_size))


def _webp(pixels: Pixels) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "WEBP", lossless=True, quality=60)
    return file.getvalue()


def make_sheet(
    title: str,
    file: str,
    pairs: Sequence[ListedPair],
    cards: Iterable[tuple[Card, Pictures | None]],
) -> str:
    """The page.

    Args:
        title: what stands above it.
        file: name of the file that it saves, ``.csv``.
        pairs: the whole list; what is saved holds all of it.
        cards: those of its pairs that are shown, with their pictures.
    """
    columns, rows = _table(pairs)
    tiles: dict[bytes, int] = {}
    shown = []
    for card, pictures in cards:
        found = None
        if pictures is not None:
            found = [tiles.setdefault(tile, len(tiles)) for tile in pictures.tiles]
        shown.append(_card(card, found, pictures is not None and pictures.has_changed))
    content = json.dumps([columns, rows])
    data = {
        "storage": f"rosegen-pairs-{hashlib.sha256(content.encode()).hexdigest()[:32]}",
        "file": file,
        "media": _MEDIA,
        "columns": columns,
        "rows": rows,
        "cards": shown,
        "tiles": [base64.b64encode(tile).decode() for tile in tiles],
    }
    return _render(title, data)


def _table(pairs: Sequence[ListedPair]) -> tuple[list[str], list[list[str]]]:
    """The list as texts, with the columns it has."""
    names = dict.fromkeys(name for pair in pairs for name in pair.columns)
    names |= dict.fromkeys(("key", "verdict", "note"))
    columns = [name for name in COLUMNS if name in names]
    columns += [name for name in names if name not in COLUMNS]
    rows = (pair.row for pair in pairs)
    return columns, [[_text(row.get(name)) for name in columns] for row in rows]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _card(card: Card, tiles: list[int] | None, has_changed: bool) -> dict[str, Any]:
    excerpt = card.excerpt(4, 320, 220)
    return {
        "row": card.number - 1,
        "subset": card.subset.name,
        "cell": card.cell_size,
        "rows": excerpt.rows,
        "cols": excerpt.cols,
        "hole": excerpt.hole,
        "large": _enlarged(card),
        "tiles": tiles,
        "changed": has_changed,
    }


def _render(title: str, data: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    here = Path(__file__).parent
    style, script = (
        (here / name).read_text(encoding="utf-8") for name in ("sheet.css", "sheet.js")
    )
    environment = Environment(
        loader=FileSystemLoader(here), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["ours"] = Markup
    return environment.get_template("sheet.html.j2").render(
        title=title,
        style=style,
        style_hash=_allowed(style),
        script=script,
        script_hash=_allowed(script),
        data=_inert(json.dumps(data)),
    )


def _inert(text: str) -> str:
    """JSON, ASCII alone, in which nothing can end the element that holds it."""
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _allowed(text: str) -> str:
    """How a page's policy names the one script or style that may run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
