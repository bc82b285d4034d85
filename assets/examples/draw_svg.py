"""Shapes as lines of SVG, for the example art.

Coordinates are those of a 128 x 128 canvas, y downwards; angles are degrees clockwise from twelve
o'clock. A shape has an outline unless its width is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

INK = "#2f3142"
OUTLINE = 2.5


def picture(*parts: str) -> str:
    """A whole SVG file."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128">'
    return "\n".join((head, *(part for part in parts if part), "</svg>")) + "\n"


def join(*parts: str) -> str:
    """Several shapes as one part; empty ones leave nothing."""
    return "\n".join(part for part in parts if part)


def circle(x: float, y: float, r: float, fill: str, line: str = INK, width: float = OUTLINE) -> str:
    """A disc around (x, y)."""
    return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}"{_paint(fill, line, width)}/>'


def oval(
    x: float, y: float, rx: float, ry: float, fill: str, line: str = INK, width: float = OUTLINE
) -> str:
    """An ellipse around (x, y)."""
    place = f'cx="{_n(x)}" cy="{_n(y)}" rx="{_n(rx)}" ry="{_n(ry)}"'
    return f"<ellipse {place}{_paint(fill, line, width)}/>"


def box(
    x: float,
    y: float,
    w: float,
    h: float,
    fill: str,
    corner: float = 0,
    line: str = INK,
    width: float = OUTLINE,
) -> str:
    """A rectangle whose top left is (x, y), with rounded corners."""
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}"'
    corners = f' rx="{_n(corner)}"' if corner else ""
    return f"<rect {place}{corners}{_paint(fill, line, width)}/>"


def path(d: str, fill: str, line: str = INK, width: float = OUTLINE) -> str:
    """A filled path."""
    return f'<path d="{d}"{_paint(fill, line, width)}/>'


def stroke(d: str, colour: str = INK, width: float = OUTLINE) -> str:
    """A path that is only a line, with round ends."""
    return (
        f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{_n(width)}" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
    )


def bar(
    x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = OUTLINE
) -> str:
    """A straight line with round ends."""
    return stroke(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}", colour, width)


def polygon(
    points: Iterable[tuple[float, float]], fill: str, line: str = INK, width: float = OUTLINE
) -> str:
    """A closed figure with straight sides."""
    return path("M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points) + "Z", fill, line, width)


def polar(x: float, y: float, r: float, angle: float) -> tuple[float, float]:
    """The point ``r`` away from (x, y)."""
    turned = math.radians(angle)
    return x + r * math.sin(turned), y - r * math.cos(turned)


def arc(x: float, y: float, r: float, start: float, end: float, colour: str, width: float) -> str:
    """A part of a ring, from ``start`` clockwise to ``end``, less than a full turn."""
    return (
        f'<path d="M{_arc(x, y, r, start, end)}" fill="none" stroke="{colour}" '
        f'stroke-width="{_n(width)}"/>'
    )


def wedge(
    x: float,
    y: float,
    r: float,
    start: float,
    end: float,
    fill: str,
    line: str = INK,
    width: float = OUTLINE,
) -> str:
    """A slice of a disc, from ``start`` clockwise to ``end``, less than a full turn."""
    return path(f"M{_n(x)} {_n(y)}L{_arc(x, y, r, start, end)}Z", fill, line, width)


def star(
    x: float,
    y: float,
    outer: float,
    inner: float,
    points: int,
    fill: str,
    turned: float = 0,
    line: str = INK,
    width: float = OUTLINE,
) -> str:
    """A star, its first point at ``turned``."""
    step = 180 / points
    corners = [
        polar(x, y, inner if at % 2 else outer, turned + at * step) for at in range(2 * points)
    ]
    return polygon(corners, fill, line, width)


def ring_of(x: float, y: float, r: float, dots: Iterable[float], size: float, fill: str) -> str:
    """Dots without an outline at these angles."""
    return join(*(circle(*polar(x, y, r, angle), size, fill, width=0) for angle in dots))


def ticks(
    x: float,
    y: float,
    inner: float,
    outer: float,
    angles: Iterable[float],
    colour: str = INK,
    width: float = OUTLINE,
) -> str:
    """Marks of a scale at these angles."""
    return join(
        *(
            bar(*polar(x, y, inner, angle), *polar(x, y, outer, angle), colour, width)
            for angle in angles
        )
    )


def hand(
    x: float,
    y: float,
    angle: float,
    length: float,
    width: float,
    fill: str = INK,
    tail: float = 0,
    tip: float = 0.35,
) -> str:
    """A clock's hand: ``width`` at the hub, ``tip`` of it at the end, ``tail`` behind the hub."""
    back, front = polar(x, y, -tail, angle), polar(x, y, length, angle)
    ends = ((back, width / 2, -90), (front, width * tip / 2, -90))
    left = [polar(*point, half, angle + side) for point, half, side in ends]
    right = [polar(*point, half, angle - side) for point, half, side in reversed(ends)]
    return polygon(left + right, fill, fill, 1)


def turn(angle: float, x: float, y: float, *parts: str) -> str:
    """Parts turned clockwise about (x, y)."""
    return _group(f"rotate({_n(angle)} {_n(x)} {_n(y)})", parts)


def shift(dx: float, dy: float, *parts: str) -> str:
    """Parts moved."""
    return _group(f"translate({_n(dx)} {_n(dy)})", parts)


def flip(x: float, *parts: str) -> str:
    """Parts mirrored left to right about the upright line at ``x``."""
    return _group(f"matrix(-1 0 0 1 {_n(2 * x)} 0)", parts)


def scale(factor: float, x: float, y: float, *parts: str) -> str:
    """Parts made larger or smaller about (x, y)."""
    place = f"{_n(x - factor * x)} {_n(y - factor * y)}"
    return _group(f"matrix({_n(factor)} 0 0 {_n(factor)} {place})", parts)


def _group(transform: str, parts: Iterable[str]) -> str:
    return f'<g transform="{transform}">\n{join(*parts)}\n</g>'


def _arc(x: float, y: float, r: float, start: float, end: float) -> str:
    (x1, y1), (x2, y2) = polar(x, y, r, start), polar(x, y, r, end)
    large = int(end - start > 180)
    return f"{_n(x1)} {_n(y1)}A{_n(r)} {_n(r)} 0 {large} 1 {_n(x2)} {_n(y2)}"


def _paint(fill: str, line: str, width: float) -> str:
    if not width:
        return f' fill="{fill}"'
    return f' fill="{fill}" stroke="{line}" stroke-width="{_n(width)}" stroke-linejoin="round"'


def _n(value: float) -> str:
    """A number with at most two decimals: no machine rounds these another way."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
