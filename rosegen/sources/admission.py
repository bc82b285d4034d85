"""The admission window: alike enough to be hard, different enough to be seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """Bounds on measures, inclusive: measure to (lowest, highest)."""

    bounds: Mapping[str, tuple[float, float]]

    def refusal(self, measures: Mapping[str, float]) -> str | None:
        """Why a pair is refused, such as ``ssim_below_0.4``; None when it is admitted."""
        for name, (low, high) in self.bounds.items():
            if measures[name] < low:
                return f"{name}_below_{low:g}"
            if measures[name] > high:
                return f"{name}_above_{high:g}"
        return None

    def least_visible(self) -> Window:
        """The half of the window that says "different enough to be seen"."""
        return Window(
            {
                "ssim": (-1.0, self.bounds["ssim"][1]),
                "changed_pixel_share": (self.bounds["changed_pixel_share"][0], 1.0),
                "max_local_color_difference": (
                    self.bounds["max_local_color_difference"][0],
                    math.inf,
                ),
            }
        )
