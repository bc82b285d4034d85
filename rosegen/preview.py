"""Contact sheets: what a person looks at before a benchmark is released."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from rosegen.build import offered
from rosegen.files import disk_error
from rosegen.opening import Progress, make_pool, open_packs
from rosegen.pairing import Match, blocks_of, make_deck, pair_up
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.plan import plan_subset
from rosegen.portion import make_scene
from rosegen.release.rows import SceneIds
from rosegen.render.grid import lined
from rosegen.scene import Scene
from rosegen.selection import Selection
from rosegen.workshop import source_of

_PAPER, _TEXT = (238, 238, 238), (30, 30, 30)
_LARGE = 144
_GAP = 8
_LINE = 14
_COLUMNS = 4


def preview(
    pipeline: Pipeline | Path | str,
    out: Path | str,
    *,
    pairs: int = 60,
    selection: Selection | None = None,
    workers: int | None = None,
    offline: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Write a contact sheet for each subset: its first pairs, large and at cell size, measured.

    Where there are fewer pairs than the subset wants, the sheet shows those there are.

    Args:
        pipeline: a pipeline, its file, or the name of a shipped one.
        out: folder of the sheets, ``<subset>.png``.
        pairs: how many pairs of each subset.
        selection: which subsets.
        workers: processes; None for every core.
        offline: whether packs come from the cache alone.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: for anything the user can mend.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = load_pipeline(pipeline)
    selection = selection or Selection(limit=pairs)
    out = Path(out)
    tell: Callable[[str, int, int], None] = progress or (lambda stage, done, total: None)
    subsets = selection.check(pipeline)
    opened = open_packs(subsets, pipeline.licenses, offline, tell)
    numbers = selection.numbers(pipeline)
    written = []
    with make_pool(workers, subsets, opened) as pool:
        for subset in subsets:
            tell(f"{subset.name}: pairs", 0, subset.scenes)
            plans, chosen = plan_subset(subset), numbers[subset.name]
            candidates = offered(subset, source_of(subset.name).candidates(pool))
            deck = make_deck(subset, candidates, pool)
            matches: dict[int, Match] = {}
            for block in blocks_of(subset, plans[: chosen[-1]]):
                matches |= pair_up(subset, block, deck, pool, as_far_as_it_goes=True).matches
            shown = [plans[number - 1] for number in chosen if number in matches]
            scenes = [make_scene(subset, plan, matches[plan.number]) for plan in shown]
            sheet = contact_sheet(subset, scenes)
            path = out / f"{subset.name}.png"
            try:
                out.mkdir(parents=True, exist_ok=True)
                sheet.save(path)
            except OSError as error:
                raise disk_error(path, error) from error
            written.append(path)
    return written


def contact_sheet(subset: Subset, scenes: Sequence[Scene]) -> Image.Image:
    """The pairs of some scenes of a subset, majority left and exception right."""
    cell = max(scene.grid.cell_size for scene in scenes)
    width = 2 * _large(cell) + 2 * cell + 5 * _GAP
    height = _large(cell) + 4 * _LINE + 2 * _GAP
    columns = min(_COLUMNS, len(scenes))
    rows = -(-len(scenes) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), _PAPER)
    for index, scene in enumerate(scenes):
        at = (index % columns * width, index // columns * height)
        sheet.paste(_entry(subset, scene, width, height), at)
    return sheet


def _entry(subset: Subset, scene: Scene, width: int, height: int) -> Image.Image:
    """One pair: both tiles large, both at cell size, and what was measured."""
    entry = Image.new("RGB", (width, height), _PAPER)
    source, cell = source_of(scene.subset), scene.grid.cell_size
    large = _large(cell)
    left = _GAP
    for size in (large, cell):
        for tile in (scene.pair.majority, scene.pair.exception):
            pixels = lined(source.draw(tile, size), subset.grid_lines)
            entry.paste(Image.fromarray(pixels), (left, _GAP))
            left += size + _GAP
    draw, font = ImageDraw.Draw(entry), ImageFont.load_default(11)
    measures = scene.pair.measures
    lines = (
        f"{SceneIds(subset.prefix, scene.number).scene}  {cell} px  {scene.pair.similarity_level}",
        f"ssim {measures['ssim']:.3f}  phash {measures['phash_distance']}  "
        f"changed {measures['changed_pixel_share']:.3f}",
        f"local colour {measures['max_local_color_difference']:.1f}  "
        f"similarity {scene.pair.similarity:.4f}",
        _ascii(scene.pair.key)[: width // 6],
    )
    for number, line in enumerate(lines):
        draw.text((_GAP, large + 2 * _GAP + number * _LINE - 4), line, fill=_TEXT, font=font)
    return entry


def _large(cell: int) -> int:
    return max(_LARGE, round(cell * 1.5))


def _ascii(text: str) -> str:
    return "".join(char if char.isascii() else f"U+{ord(char):X}" for char in text)
