"""What a subset is when its pipeline does not say: small, mixed, and like ROSE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosegen.scene import T2, T3, T4, T5

_CASES = {"zero": 25, "partial": 50, "all": 25}

SETTINGS: Mapping[str, Any] = {
    "seed": 1,
    "packs": [],
    "background": "#ffffff",
    "ink": 0.84,
    "repeat_pairs": False,
    "grid": {
        "profiles": {
            "small": {"lines": [7, 9], "share": 1},
            "medium": {"lines": [10, 12], "share": 1},
            "large": {"lines": [13, 15], "share": 1},
        },
        "cell_size": [48, 72],
        "exceptions": {"1": 25, "2": 25, "3": 20, "4": 20, "5": 10},
    },
    "regions": {
        "range_lines": [1, 3],
        "rectangle_sides": [2, 5],
        "rectangle_coverage": [0.05, 0.40],
        "type_shares": {"ROW_RANGE": 1, "COL_RANGE": 1, "RECTANGLE": 1},
    },
    "region_cases": dict.fromkeys((T2, T3, T4, T5), _CASES),
    "cues": {
        "shares": {"OUTLINE_BOX": 50, "MASK": 50},
        "outline_color": "#e02020",
        "outline_name": "red",
        "outline_half_width": 0.035,
        "mask_color": "#3070f0",
        "mask_name": "blue",
        "mask_alpha": 64,
    },
    "admission": {
        "ssim": [0.5, 0.98],
        "phash_distance": [0, 32],
        "changed_pixel_share": [0.01, 0.40],
        "max_local_color_difference": [18, 110],
    },
}
"""By the keys of ``schemas/subset.schema.json``. A source's own ``settings`` go before these, a
pipeline's ``defaults`` before both, a subset's own settings before all."""

DIFFICULTY: Mapping[str, Any] = {
    "hard_at": 2,
    "points": [
        {"field": "rows", "at_least": 13},
        {"field": "global_target_count", "at_least": 4},
        {"field": "region_target_count", "equals": 0},
    ],
}
"""The rule of a pipeline that has none: ROSE's, without what speaks of ROSE's own subsets."""
