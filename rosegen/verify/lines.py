"""The lines around cells, which are part of every tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosegen.verify.png import Pixels


@dataclass(frozen=True)
class GridLines:
    """A line inside a cell along each of its sides."""

    color: tuple[int, int, int]
    width: int
    """Pixels on each side."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> GridLines:
        """Read a subset's ``grid_lines`` in the summary's ``sources``."""
        red, green, blue = record["color"]
        return cls((red, green, blue), record["width"])

    def lacking(self, tile: Pixels) -> list[str]:
        """The sides of a tile, uint8 (cell, cell, 3), that are not drawn so."""
        width = self.width
        sides = {
            "top": tile[:width],
            "bottom": tile[-width:],
            "left": tile[:, :width],
            "right": tile[:, -width:],
        }
        return [name for name, strip in sides.items() if (strip != self.color).any()]
