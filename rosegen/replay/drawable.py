"""Which recovered scenes a release can hold: what one cannot hold is lost, and it is said why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rosegen.replay.known import fits, kind_of
from rosegen.replay.published import PLAIN, Look
from rosegen.replay.records import printable
from rosegen.replay.recovered import Lost, RecoveredScene

_MOST_PIXELS = 1 << 27  # of an image: 400 MB while it is drawn
_LONGEST = 80


def drawable(
    scenes: Sequence[RecoveredScene], looks: Mapping[str, Look]
) -> tuple[list[RecoveredScene], list[Lost]]:
    """The scenes that can be drawn and written, and the others.

    Args:
        scenes: as recovered.
        looks: of subsets, where it is known.
    """
    sound: list[RecoveredScene] = []
    lost: list[Lost] = []
    for scene in scenes:
        reason = _wrong_by_itself(scene, looks.get(scene.subset, PLAIN))
        if reason is None:
            sound.append(scene)
        else:
            lost.append(Lost(scene.scene_id, reason))
    names = _names(sound)
    kept = []
    for scene in sound:
        if (scene.subset, scene.prefix) in names:
            kept.append(scene)
        else:
            known = ", ".join(f"{subset} with prefix {prefix}" for subset, prefix in names)
            reason = (
                f"its rows say it is of {scene.subset} and its ids have prefix {scene.prefix}, but "
                f"of other scenes there are {known}"
            )
            lost.append(Lost(scene.scene_id, reason))
    return kept, lost


def _names(scenes: Iterable[RecoveredScene]) -> list[tuple[str, str]]:
    """Subsets with their prefixes, no name twice whatever its case: those of most scenes."""
    taken: set[tuple[str, str]] = set()
    names = []
    for subset, prefix in dict(
        Counter((scene.subset, scene.prefix) for scene in scenes).most_common()
    ):
        own = {("subset", subset.casefold()), ("prefix", prefix.casefold())}
        if not own & taken:
            taken |= own
            names.append((subset, prefix))
    return names


def _wrong_by_itself(scene: RecoveredScene, look: Look) -> str | None:
    grid, count = scene.grid, len(scene.exceptions)
    if not fits("rose_subset", scene.subset):
        name = printable(scene.subset[:_LONGEST])
        return f"no folder can be called as its subset is: {name!r}"
    if count == 0 or 2 * count >= grid.rows * grid.cols:
        return f"{count} of its {grid.rows * grid.cols} cells are exceptions: there is no majority"
    width, height = grid.cols * grid.cell_size, grid.rows * grid.cell_size
    sizes = {
        "rows": grid.rows,
        "cols": grid.cols,
        "cell_size": grid.cell_size,
        "image_width": width,
        "image_height": height,
    }
    for column, size in sizes.items():
        if not fits(column, size):
            return f"its {column} is {size}, not {kind_of(column)}"
    if width * height > _MOST_PIXELS:
        return f"its image of {width} x {height} px is too large to be drawn"
    lines = look.grid_lines
    if lines is not None and 4 * lines.width > grid.cell_size:
        return f"grid lines of {lines.width} px leave too little of a cell of {grid.cell_size} px"
    return None
