"""Drawing one sprite: parts stacked as role codes, shaded, outlined, coloured last.

A drawing is an integer array of *codes*: 0 is transparent, then four codes for each group of
roles (outline, shadow, mid, light, in that order), then one for each fixed colour. Colours are
looked up at the end, so the palettes of a kind share one drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosegen.errors import RosegenError
from rosegen.sources.sprites_format import TONES, Kind, Part

Codes = NDArray[np.int16]
Mask = NDArray[np.bool_]

_OUTLINE, _SHADOW, _MID, _LIGHT = range(TONES)


@dataclass(frozen=True)
class _Step:
    """One part of a sprite: layer number, variant, shift to the right and down."""

    layer: int
    variant: str
    shift: tuple[int, int]


class Drawer:
    """Draws the sprites of one kind."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._groups = [
            (slot, index, roles)
            for slot, ramp in kind.ramps.items()
            for index, roles in enumerate(ramp.groups)
        ]
        self._ramp_end = 1 + TONES * len(self._groups)
        self._code = {role: self._ramp_end + i for i, role in enumerate(kind.colours)}
        for number, (_, _, roles) in enumerate(self._groups):
            for step, role in enumerate(roles):
                if role != "-":
                    self._code[role] = 1 + TONES * number + step
        self._casts = self._cast_table()
        self._parts: dict[tuple[int, str], Codes] = {}
        self._tables: dict[tuple[str, ...], NDArray[np.uint32]] = {}
        # What the last sprite was after each step: the next one mostly begins alike.
        self._trail: list[tuple[_Step, Codes]] = []

    def shape(self, choice: Mapping[str, str]) -> Codes:
        """Codes (height + 2, width + 2) for one choice of every slot: the working canvas in a
        frame of one pixel, where the outline finds room.

        Raises:
            RosegenError: a part leaves the canvas.
        """
        steps = self._steps(choice)
        kept = 0
        while kept < min(len(steps), len(self._trail)) and steps[kept] == self._trail[kept][0]:
            kept += 1
        del self._trail[kept:]
        width, height = self._kind.size
        canvas: Codes = np.zeros((height + 2, width + 2), np.int16)
        if self._trail:
            canvas = self._trail[-1][1]
        for step in steps[kept:]:
            canvas = canvas.copy()
            self._lay(canvas, step)
            self._trail.append((step, canvas))
        if self._kind.outline == "none":
            return canvas
        edge = self._outline(canvas)
        return np.where(edge > 0, edge, canvas)

    def _steps(self, choice: Mapping[str, str]) -> list[_Step]:
        """The parts to lay, bottom first, each with its shift."""
        layers = [
            (number, "" if layer.slot is None else choice[layer.slot], layer)
            for number, layer in enumerate(self._kind.layers)
        ]
        layers = [entry for entry in layers if entry[1] in entry[2].variants]
        shifts: dict[str | None, tuple[int, int]] = {}
        for _, variant, layer in layers:
            for slot, (dx, dy) in layer.variants[variant].moves.items():
                x, y = shifts.get(slot, (0, 0))
                shifts[slot] = x + dx, y + dy
        return [
            _Step(number, variant, shifts.get(layer.slot, (0, 0)))
            for number, variant, layer in layers
        ]

    def colour(self, shape: Codes, choice: Mapping[str, str]) -> NDArray[np.uint8]:
        """RGBA (height, width, 4) of a drawing in the colours of the choice."""
        chosen = tuple(choice[slot] for slot in self._kind.ramps)
        if chosen not in self._tables:
            self._tables[chosen] = self._colour_table(choice)
        return self._tables[chosen][shape].view(np.uint8).reshape(*shape.shape, 4)

    def _colour_table(self, choice: Mapping[str, str]) -> NDArray[np.uint32]:
        """The colour of each code; packed, as one look-up a pixel is faster than four."""
        table = np.zeros((self._ramp_end + len(self._kind.colours), 4), np.uint8)
        for number, (slot, index, _) in enumerate(self._groups):
            tone = self._kind.tones[self._kind.ramps[slot].variants[choice[slot]][index]]
            start = 1 + TONES * number
            table[start : start + TONES, :3] = tone
        for i, colour in enumerate(self._kind.colours.values()):
            table[self._ramp_end + i, :3] = colour
        table[1:, 3] = 255
        return table.view(np.uint32)[:, 0]

    def _part(self, step: _Step, part: Part, where: str) -> Codes:
        key = (step.layer, step.variant)
        if key not in self._parts:
            drawn = self._place(part, where)
            if part.shade in ("ball", "rim", "drop"):
                drawn = self._shaded(drawn, part.shade)
            self._parts[key] = drawn
        return self._parts[key]

    def _place(self, part: Part, where: str) -> Codes:
        """The grid at its place on the canvas, with its reflection."""
        width, height = self._kind.size
        drawn: Codes = np.zeros((height + 2, width + 2), np.int16)
        left, top = part.at
        for y, row in enumerate(part.rows, start=top):
            for x, role in enumerate(row, start=left):
                if role in ". ":
                    continue
                if not (0 <= x < width and 0 <= y < height):
                    raise RosegenError(
                        f"{where}: pixel at {x} {y} is outside the {width} x {height} canvas;"
                        " move the part or enlarge size"
                    )
                if part.mirror is not None:
                    if 2 * x >= width:
                        raise RosegenError(
                            f"{where}: pixel at {x} {y} is right of the middle of a mirrored part;"
                            " draw the left half only"
                        )
                    swapped = part.mirror.get(role, role)
                    if swapped != "." and width - 1 - x != x:
                        drawn[y + 1, width - x] = self._code[swapped]
                drawn[y + 1, x + 1] = self._code[role]
        return drawn

    def _lay(self, canvas: Codes, step: _Step) -> None:
        """Put a part on the canvas, in place."""
        layer = self._kind.layers[step.layer]
        part = layer.variants[step.variant]
        where = f"{self._kind.where}: {layer.slot or f'layer {step.layer + 1}'}: {step.variant}"
        drawn = self._part(step, part, where)
        if step.shift != (0, 0):
            drawn = _moved(drawn, *step.shift, where)
        inside = drawn > 0
        if part.clip == "all":
            inside &= canvas > 0
        elif part.clip is not None:
            inside &= np.isin(canvas, [self._code[role] for role in part.clip])
        if part.edge:
            edge = self._outline(drawn * inside)
            np.copyto(canvas, edge, where=edge > 0)
        if part.shade == "under":
            drawn = self._tinted(canvas, drawn)
        np.copyto(canvas, drawn, where=inside)

    def _tinted(self, below: Codes, drawn: Codes) -> Codes:
        """The part with the tone step of the pixels below it, where both are of a ramp."""
        step_below = (below - 1) % TONES
        ramped = (drawn > 0) & (drawn < self._ramp_end) & (below > 0) & (below < self._ramp_end)
        return np.where(ramped, drawn - (drawn - 1) % TONES + step_below, drawn).astype(np.int16)

    def _shaded(self, drawn: Codes, shade: str) -> Codes:
        """Flat mid areas of each group with light from the top left."""
        result = drawn.copy()
        for number in range(len(self._groups)):
            mid = 1 + TONES * number + _MID
            for area in _areas(drawn == mid):
                shadow, light = _ball(area) if shade == "ball" else _rim(area)
                result[area & shadow] = mid + _SHADOW - _MID
                if shade != "drop":
                    result[area & light & ~shadow] = mid + _LIGHT - _MID
        return result

    def _cast_table(self) -> Codes:
        """For each code the code of the outline it casts, 0 for those that cast none."""
        codes = np.arange(self._ramp_end + len(self._kind.colours), dtype=np.int16)
        dark = np.where(codes < self._ramp_end, codes - (codes - 1) % TONES, 1)
        casts = np.where(codes == dark, 0, dark)
        own = self._kind.outline
        if own not in ("auto", "none"):
            casts = np.where((codes == dark) | (codes == self._code[own]), 0, self._code[own])
        casts[0] = 0
        return casts.astype(np.int16)

    def _outline(self, codes: Codes) -> Codes:
        """Codes of the outline around ``codes``, whose border is blank: 0 where there is none."""
        cast = self._casts[codes]
        edge: Codes = np.zeros_like(codes)
        # The order settles whose tone an outline pixel takes where two ramps meet.
        edge[1:] = cast[:-1]
        for to, from_ in (
            (edge[:, :-1], cast[:, 1:]),
            (edge[:, 1:], cast[:, :-1]),
            (edge[:-1], cast[1:]),
        ):
            np.copyto(to, from_, where=to == 0)
        edge[codes > 0] = 0
        return edge


def _moved(drawn: Codes, dx: int, dy: int, where: str) -> Codes:
    moved = _shifted(drawn, dx, dy)
    if np.count_nonzero(moved) != np.count_nonzero(drawn):
        raise RosegenError(f"{where}: moved by {dx} {dy} it leaves the canvas; enlarge size")
    return moved


def _shifted(array: NDArray[np.int16], dx: int, dy: int) -> NDArray[np.int16]:
    """The array moved right by dx and down by dy, 0 where nothing moves in."""
    height, width = array.shape
    out = np.zeros_like(array)
    if abs(dx) < width and abs(dy) < height:
        out[max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)] = array[
            max(-dy, 0) : height + min(-dy, 0), max(-dx, 0) : width + min(-dx, 0)
        ]
    return out


def _areas(mask: Mask) -> list[Mask]:
    """The 4-connected areas of a mask, in reading order."""
    rest = dict.fromkeys(zip(*(axis.tolist() for axis in np.nonzero(mask)), strict=True))
    areas = []
    while rest:
        todo = [next(iter(rest))]
        area: Mask = np.zeros_like(mask)
        del rest[todo[0]]
        while todo:
            y, x = todo.pop()
            area[y, x] = True
            for near in ((y, x + 1), (y, x - 1), (y + 1, x), (y - 1, x)):
                if near in rest:
                    del rest[near]
                    todo.append(near)
        areas.append(area)
    return areas


def _ball(area: Mask) -> tuple[Mask, Mask]:
    """Shadow crescent down right and light blob up left, in the area's bounding box."""
    ys, xs = np.nonzero(area)
    middle_y, middle_x = (ys.min() + ys.max()) / 2, (xs.min() + xs.max()) / 2
    radius_y, radius_x = (np.ptp(ys) + 1) / 2, (np.ptp(xs) + 1) / 2
    v, u = np.indices(area.shape)
    dx, dy = (u - middle_x) / radius_x, (v - middle_y) / radius_y
    # Sums and products only: they are the same to the last bit everywhere, square roots may not be.
    shadow = (dx + 0.22) ** 2 + (dy + 0.28) ** 2 > 0.96
    light = (dx + 0.34) ** 2 + (dy + 0.42) ** 2 < 0.176
    return shadow & ((dx > 0) | (dy > 0.3)), light


def _rim(area: Mask) -> tuple[Mask, Mask]:
    """Shadow along the lower right edge and light along the upper left one, one pixel wide."""
    filled = area.astype(np.int16)
    shadow = ~((_shifted(filled, -1, 0) > 0) & (_shifted(filled, 0, -1) > 0))
    light = ~((_shifted(filled, 1, 0) > 0) & (_shifted(filled, 0, 1) > 0))
    return shadow, light
