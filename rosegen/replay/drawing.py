"""Draw a recovered scene: its plain image, and the one with its cue where a record tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rosegen.geometry import Box, Cell
from rosegen.render.cue import CueType
from rosegen.render.grid import cued_image, lined, plain_image
from rosegen.render.hashing import pixel_sha256
from rosegen.render.png import BandEncoder
from rosegen.replay.assets import Tiles
from rosegen.replay.published import Look
from rosegen.scene import Grid


@dataclass(frozen=True)
class DrawTask:
    """A scene to draw. ``cue`` is None where there is no image with one."""

    grid: Grid
    exceptions: tuple[Cell, ...]
    tiles: Tiles
    look: Look
    plain_path: Path
    cued_path: Path
    cue: tuple[CueType, Box] | None


@dataclass(frozen=True)
class Drawn:
    """Hashes of the decoded pixels; None for a cued image that is not there."""

    plain_sha256: str
    cued_sha256: str | None
    majority_sha256: str
    exception_sha256: str


def draw_scene(task: DrawTask) -> Drawn:
    """Draw and write a scene's images.

    Raises:
        RosegenError: the file of a tile can no longer be read.
    """
    grid, look = task.grid, task.look
    majority, exception = (
        lined(tile.draw(grid.cell_size, look.tiles.background), look.grid_lines)
        for tile in (task.tiles.majority, task.tiles.exception)
    )
    plain = plain_image(grid.rows, grid.cols, majority, exception, task.exceptions)
    encoder = BandEncoder()
    task.plain_path.parent.mkdir(parents=True, exist_ok=True)
    task.plain_path.write_bytes(plain.png(encoder))
    cued_sha256 = None
    if task.cue is not None:
        kind, box = task.cue
        cued = cued_image(plain, grid.cell_size, box, kind, look.cue_style)
        task.cued_path.write_bytes(cued.png(encoder))
        cued_sha256 = cued.sha256()
    return Drawn(plain.sha256(), cued_sha256, pixel_sha256([majority]), pixel_sha256([exception]))
