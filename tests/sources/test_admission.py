"""The admission window: its bounds belong to it, and a refusal names the measure and the bound."""

from __future__ import annotations

import pytest

from rosegen.sources.admission import Window
from rosegen.sources.similarity import Measures

WINDOW = Window(
    {
        "ssim": (0.4, 0.98),
        "phash_distance": (2, 24),
        "changed_pixel_share": (0.01, 0.3),
        "max_local_color_difference": (15, 100),
        "ink_difference": (0, 0.2),
    }
)
INSIDE = Measures(0.7, 10, 0.1, 40.0, 3.0, 0.1)


def but(name: str, value: float) -> dict[str, float]:
    return {**INSIDE.as_dict(), name: value}


@pytest.mark.parametrize("name", WINDOW.bounds)
def test_bounds_are_inclusive(name: str) -> None:
    low, high = WINDOW.bounds[name]
    for value in (low, high):
        assert WINDOW.refusal(but(name, value)) is None
    below, above = (but(name, value) for value in (low - 1e-6, high + 1e-6))
    assert WINDOW.refusal(below) == f"{name}_below_{low:g}"
    assert WINDOW.refusal(above) == f"{name}_above_{high:g}"


def test_measures_without_bounds_do_not_matter() -> None:
    assert WINDOW.refusal(but("mean_color_difference", 1e6)) is None


def test_of_a_pair_that_is_seen_at_all_only_three_measures_are_asked() -> None:
    least = WINDOW.least_visible()
    names = ("ssim", "changed_pixel_share", "max_local_color_difference")
    seen = dict(zip(names, (0.1, 1.0, 999.0)))
    assert least.refusal(seen) is None
    assert least.refusal({**seen, "ssim": 0.99}) == "ssim_above_0.98"
    assert least.refusal({**seen, "changed_pixel_share": 0}) == "changed_pixel_share_below_0.01"
