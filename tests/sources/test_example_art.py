"""The example art: what its program draws, whole, and pairs that suit a benchmark."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rosegen.data import assets_dir
from rosegen.sources.pictures import open_picture
from rosegen.sources.similarity import Measures, Pixels, measure

ART = assets_dir() / "examples"
DIALS = tuple(sorted(path.stem for path in (ART / "dials").glob("*.svg")))
EDITS = tuple(sorted(path.stem for path in (ART / "scenes").glob("*.edit.svg")))
SIDE = 144


@pytest.fixture(scope="module")
def art() -> Mapping[str, Pixels]:
    """Every picture under its stem: RGBA of ``SIDE`` pixels."""
    return {path.stem: open_picture(path, svg_side=SIDE).rgba for path in ART.rglob("*.svg")}


def test_the_pictures_are_what_the_program_draws(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-B", str(ART / "draw.py"), str(tmp_path)], check=True)
    drawn = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.svg")}
    shipped = {path.relative_to(ART): path.read_bytes() for path in ART.rglob("*.svg")}
    assert sorted(drawn) == sorted(shipped)
    assert [name for name, data in drawn.items() if shipped[name] != data] == []


def test_there_are_enough_and_every_edit_has_its_original() -> None:
    assert len(DIALS) >= 60 and len(EDITS) >= 40
    originals = {path.stem for path in (ART / "scenes").glob("*.svg")} - set(EDITS)
    assert originals == {name.removesuffix(".edit") for name in EDITS}


def test_a_picture_fills_its_canvas_and_is_not_cut_off(art: Mapping[str, Pixels]) -> None:
    for name, pixels in art.items():
        rows, columns = np.nonzero(pixels[..., 3])
        assert rows.min() > 0 and rows.max() < SIDE - 1, name
        assert columns.min() > 0 and columns.max() < SIDE - 1, name
        assert max(np.ptp(rows), np.ptp(columns)) > 0.85 * SIDE, name


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_can_be_seen_but_does_not_stand_out(art: Mapping[str, Pixels], edit: str) -> None:
    measures = between(art[edit.removesuffix(".edit")], art[edit])
    assert 0.01 <= measures.changed_pixel_share <= 0.2
    assert 20 <= measures.max_local_color_difference <= 90
    assert 0.65 <= measures.ssim <= 0.99
    assert measures.mean_color_difference <= 1.5


def test_dials_of_one_instrument_are_more_alike_than_those_of_two(
    art: Mapping[str, Pixels],
) -> None:
    instruments = sorted({name.rpartition("-")[0] for name in DIALS})
    states = [[art[f"{name}-{at}"] for at in range(1, 5)] for name in instruments]
    within = [between(a, b).ssim for four in states for a, b in combinations(four, 2)]
    across = [between(a[0], b[0]).ssim for a, b in combinations(states, 2)]
    assert len(within) == 6 * len(DIALS) / 4
    assert max(across) < 0.6 < min(within)
    assert max(within) < 1


def between(a: Pixels, b: Pixels) -> Measures:
    """How alike two pictures are on white, in cells of half their side."""
    return measure(_on_white(a), _on_white(b))


def _on_white(rgba: Pixels) -> Pixels:
    picture = Image.fromarray(rgba)
    paper = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    return np.asarray(paper.convert("RGB").reduce(2))
