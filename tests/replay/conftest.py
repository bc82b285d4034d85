"""Two releases of rosegen's own, of its own sprites alone, so that no pack is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosegen.build import build
from tests.core_maker import SMALL

FRENCH = """
format: 1
name: Petit
bridges: true
difficulty: {hard_at: 1, points: [{field: global_target_count, at_least: 3}]}
defaults:
  scenes: 8
  dev_scenes: 2
  background: "#f0e8d0"
  grid_lines: {color: "#888888", width: 1}
  ink: 0.7
  grid:
    profiles: {small: {lines: [6, 8], share: 1}}
    cell_size: [20, 28]
    exceptions: {1: 1, 2: 2, 3: 1}
  regions:
    range_lines: [1, 3]
    rectangle_sides: [2, 5]
    rectangle_coverage: [0.05, 0.5]
    type_shares: {ROW_RANGE: 1, COL_RANGE: 1, RECTANGLE: 2}
  cues:
    shares: {OUTLINE_BOX: 1, MASK: 1}
    outline_color: "#00a000"
    outline_name: green
    outline_half_width: 0.08
    mask_color: "#a000a0"
    mask_name: purple
    mask_alpha: 90
  admission:
    ssim: [-1, 0.9999]
    phash_distance: [0, 64]
    changed_pixel_share: [0.0001, 1]
    max_local_color_difference: [1, 1000]
subsets:
  - {name: Retouches, prefix: RE, seed: 9999999, kind: sprite, prompts: fr, packs: [],
     options: {compare: edits, takes: 1}}
  - {name: ROSE-PixelContent, prefix: CO, seed: 8, kind: sprite, packs: [],
     options: {compare: relatives}}
"""


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small pipeline's release. Tests must not change it."""
    out = tmp_path_factory.mktemp("small") / "Small"
    return build(SMALL, out, workers=1, offline=True).out


@pytest.fixture(scope="session")
def french(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that looks and asks otherwise than ROSE. Tests must not change it."""
    folder = tmp_path_factory.mktemp("french")
    pipeline = folder / "petit.yaml"
    pipeline.write_text(FRENCH, encoding="utf-8")
    return build(pipeline, folder / "Petit", workers=1, offline=True).out
