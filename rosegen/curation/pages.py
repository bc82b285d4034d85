"""Pages of pairs as pictures, for those who look at them without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from rosegen.curation.cards import Card, Excerpt, draw
from rosegen.pair_list import ACCEPT, REFUSE

_PAGE = (1750, 2250)  # pixels that a page is at most
_MOST = 30  # pairs on a page
_PAPER, _TEXT, _SOFT = (238, 238, 238), (30, 30, 30), (95, 95, 95)
_MARKS = {ACCEPT: (27, 107, 53), REFUSE: (163, 32, 32)}
_GAP, _LINE = 12, 15


@dataclass(frozen=True)
class Page:
    """Some cards and the picture they go on."""

    path: Path
    cards: tuple[Card, ...]


def make_pages(folder: Path, cards: Sequence[Card]) -> list[Page]:
    """Deal cards out over pages ``pairs-001.png`` onwards, as many on each as its size allows.

    Each subset begins a page.
    """
    parts: list[list[Card]] = []
    for card in cards:
        last = parts[-1] if parts else []
        goes_on = last and len(last) < _MOST and last[0].subset.name == card.subset.name
        if goes_on and _fits([*last, card]):
            last.append(card)
        else:
            parts.append([card])
    digits = max(3, len(str(len(parts))))
    return [
        Page(folder / f"pairs-{number:0{digits}}.png", tuple(part))
        for number, part in enumerate(parts, start=1)
    ]


def draw_page(page: Page) -> None:
    """Write a page (for a pool's workers)."""
    width, height, columns = _layout(page.cards)
    rows = -(-len(page.cards) // columns)
    sheet = Image.new("RGB", (columns * width + _GAP, rows * height + _GAP), _PAPER)
    for place, card in enumerate(page.cards):
        left, top = _GAP + place % columns * width, _GAP + place // columns * height
        _draw_card(sheet, card, left, top, width - _GAP)
    sheet.save(page.path)


def _layout(cards: Sequence[Card]) -> tuple[int, int, int]:
    """Width and height of an entry in pixels, and entries side by side."""
    sizes = [_size(card) for card in cards]
    width, height = (max(side) + _GAP for side in zip(*sizes))
    return width, height, max(1, min(len(cards), (_PAGE[0] - _GAP) // width))


def _fits(cards: Sequence[Card]) -> bool:
    _, height, columns = _layout(cards)
    return -(-len(cards) // columns) * height + _GAP <= _PAGE[1]


@dataclass(frozen=True)
class _Places:
    """Where a card's three pictures go, from their left upper corner, and how large they are."""

    excerpt: Excerpt
    enlarged: int  # side in pixels
    at: tuple[tuple[int, int], ...]  # left and top of the scene and of both enlarged tiles
    size: tuple[int, int]


def _places(card: Card) -> _Places:
    excerpt = card.excerpt(3, 230, 160)
    width, height = excerpt.cols * card.cell_size, excerpt.rows * card.cell_size
    enlarged = max(card.cell_size, min(2 * card.cell_size, 112))
    left, step = width + _GAP, enlarged + _GAP // 2
    if 2 * enlarged + _GAP // 2 <= height + _GAP:  # one above the other
        at = ((0, 0), (left, 0), (left, step))
        return _Places(excerpt, enlarged, at, (left + enlarged, max(height, step + enlarged)))
    at = ((0, 0), (left, 0), (left + step, 0))
    return _Places(excerpt, enlarged, at, (left + step + enlarged, max(height, enlarged)))


def _size(card: Card) -> tuple[int, int]:
    width, height = _places(card).size
    return width, height + 3 * _LINE + 6


def _draw_card(sheet: Image.Image, card: Card, left: int, top: int, width: int) -> None:
    draw_on = ImageDraw.Draw(sheet)
    bold, font = ImageFont.load_default(14), ImageFont.load_default(12)
    head = f"{card.number}"
    draw_on.text((left, top), head, fill=_TEXT, font=bold)
    indent = left + round(bold.getlength(head)) + 8
    if card.pair.verdict:
        draw_on.text((indent, top), card.pair.verdict, fill=_MARKS[card.pair.verdict], font=bold)
        indent += round(bold.getlength(card.pair.verdict)) + 8
    key = _fitted(_plain(card.pair.key), font, left + width - indent)
    draw_on.text((indent, top + 1), key, fill=_TEXT, font=font)
    places = _places(card)
    drawn = draw(card, places.enlarged)
    place = top + _LINE + 4
    if drawn is None:
        text = "not among the candidates, or cannot be drawn"
        draw_on.text((left, place), text, fill=_SOFT, font=font)
        return
    for pixels, (right, below) in zip((drawn.scene(places.excerpt), *drawn.enlarged), places.at):
        sheet.paste(Image.fromarray(pixels), (left + right, place + below))
    place += places.size[1] + 2
    for line in _lines(card, drawn.has_changed):
        draw_on.text((left, place), _fitted(line, font, width), fill=_SOFT, font=font)
        place += _LINE


def _lines(card: Card, has_changed: bool) -> tuple[str, str]:
    columns = card.pair.columns
    said = []
    for label, name in (
        ("ssim", "ssim"),
        ("hash", "phash_distance"),
        ("changed", "changed_pixel_share"),
        ("colour", "max_local_color_difference"),
        ("ink", "ink_difference"),
    ):
        value = columns.get(name)
        if value not in (None, ""):
            said.append(f"{label} {str(value)[:6]}")
    about = [f"{card.cell_size} px", card.pair.group or card.subset.name]
    if has_changed:
        about.append("ART HAS CHANGED")
    if columns.get("refusal"):
        about.append(f"not admitted: {columns['refusal']}")
    return "  ".join(said), _plain("  ".join(about))


def _plain(text: str) -> str:
    """Text that the font has; the rest by its number."""
    return "".join(
        char if char.isascii() and char.isprintable() else f"[U+{ord(char):04X}]" for char in text
    )


def _fitted(text: str, font: ImageFont.ImageFont | ImageFont.FreeTypeFont, width: int) -> str:
    """The text cut in its middle, where it is longer than ``width`` pixels: its ends tell most."""
    if font.getlength(text) <= width:
        return text
    kept = len(text) * width / font.getlength(text)
    while kept > 4 and font.getlength(_cut(text, int(kept))) > width:
        kept -= 1
    return _cut(text, int(kept))


def _cut(text: str, kept: int) -> str:
    side = max(1, (kept - 3) // 2)
    return f"{text[:side]}...{text[-side:]}"
