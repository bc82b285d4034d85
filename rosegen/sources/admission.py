"""The admission window: alike enough to be hard, different enough to be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rosegen.sources.similarity import Measures


@dataclass(frozen=True)
class Window:
    """Bounds on measures, inclusive: measure to (lowest, highest)."""

    bounds: Mapping[str, tuple[float, float]]

    def refusal(self, measures: Measures) -> str | None:
        """Why a pair is refused, such as ``ssim_below_0.4``; None when it is admitted."""
        values = measures.as_dict()
        for name, (low, high) in self.bounds.items():
            if values[name] < low:
                return f"{name}_below_{low:g}"
            if values[name] > high:
                return f"{name}_above_{high:g}"
        return None
