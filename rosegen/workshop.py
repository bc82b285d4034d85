"""What every worker holds: the sources of the subsets, opened once, and the work done with them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosegen.pipeline import Subset
from rosegen.render.cue import CueStyle, CueType, masked
from rosegen.render.grid import cued_image, lined, plain_image
from rosegen.render.hashing import pixel_sha256, pixel_sha256_of_two
from rosegen.render.png import BandEncoder, Palette
from rosegen.scene import T4, Scene
from rosegen.sources.base import Candidate, Pool, Source, SourceConfig, Unavailable
from rosegen.sources.pool_cache import remembered
from rosegen.sources.registry import open_source
from rosegen.sources.similarity import Measures, measure, measure_visibility, similarity
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Bench:
    """A subset and how to open its source."""

    subset: Subset
    config: SourceConfig


_benches: dict[str, Bench] = {}
_sources: dict[str, Source] = {}


def prepare(benches: Mapping[str, Bench]) -> None:
    """Make the subsets known to this process; their sources are opened when first needed."""
    if _benches.keys() != benches.keys() or any(
        _benches[name].config.identity != bench.config.identity for name, bench in benches.items()
    ):
        _sources.clear()
    _benches.clear()
    _benches.update(benches)


def source_of(subset: str) -> Source:
    """The opened source of a subset."""
    if subset not in _sources:
        _sources[subset] = open_source(_benches[subset].config)
        _sources[subset].open()
    return _sources[subset]


def subset_of(name: str) -> Subset:
    """The subset of a name."""
    return _benches[name].subset


@dataclass(frozen=True)
class Trial:
    """A candidate tried at one cell size, in pixels, and under each of some cues."""

    subset: str
    candidate: Candidate
    cell_size: int
    cues: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """How a trial went. ``refusal`` is None when the pair is admitted."""

    refusal: str | None
    measures: Measures | None = None
    similarity: float = 0.0
    a_sha256: str = ""
    b_sha256: str = ""
    look: str = ""  # the same for two candidates whose art is the same


def try_candidate(trial: Trial) -> Verdict:
    """Draw a candidate's tiles and hold them against the admission window."""
    source = source_of(trial.subset)
    subset = subset_of(trial.subset)
    try:
        a = source.draw(trial.candidate.a, trial.cell_size)
        b = source.draw(trial.candidate.b, trial.cell_size)
    except Unavailable as reason:
        return Verdict(str(reason))
    measures = measure(a, b, subset.background)
    refusal = subset.window.refusal(measures.as_dict())
    for cue in trial.cues:
        refusal = refusal or _hidden_by_cue(a, b, CueType(cue), subset)
    if refusal is not None:
        return Verdict(refusal, measures)
    return Verdict(
        None,
        measures,
        similarity(a, b, subset.background),
        pixel_sha256([lined(a, subset.grid_lines)]),
        pixel_sha256([lined(b, subset.grid_lines)]),
        _look(source, trial.candidate),
    )


@dataclass(frozen=True)
class Look:
    """A candidate whose art is asked for."""

    subset: str
    candidate: Candidate


def look_of(asked: Look) -> str:
    """The same for two candidates whose art is the same, whichever tile is the majority.

    A candidate that cannot be drawn has a look of its own.
    """
    try:
        return _look(source_of(asked.subset), asked.candidate)
    except Unavailable:
        return f"{asked.candidate.group}/{asked.candidate.key}"


def looks_of(subset: str, candidates: Sequence[Candidate], pool: Pool) -> list[str]:
    """The looks of candidates; of rosegen's own sources they are kept for the next build."""
    source = source_of(subset)
    asked = [Look(subset, candidate) for candidate in candidates]

    def ask() -> list[str]:
        return list(pool.map(look_of, asked, chunk=16))

    if not type(source).__module__.startswith("rosegen."):
        return ask()  # what it draws may change with its code, which nobody tells the version of
    names = "\n".join(f"{candidate.group}\t{candidate.key}" for candidate in candidates)
    own = [art.sha256 for art in source.own_art(source.config.options)]
    key = {
        "mined": "looks",
        "source": source.config.identity,
        "own": own,
        "candidates": hashlib.sha256(names.encode()).hexdigest(),
        **toolchain(),
    }
    return [str(look) for look in remembered(source.config.cache, key, ask)]


def _look(source: Source, candidate: Candidate) -> str:
    digests = sorted(
        hashlib.sha256(source.art(tile)).hexdigest() for tile in (candidate.a, candidate.b)
    )
    return "-".join(digests)


def _hidden_by_cue(a: Pixels, b: Pixels, cue: CueType, subset: Subset) -> str | None:
    """Whether the pair, seen under the cue, is still different enough for the window."""
    least = subset.window.least_visible()
    style = subset.cue_style
    if cue is CueType.MASK:
        a, b = masked(a, style), masked(b, style)
    else:
        a, b = _framed(a, style), _framed(b, style)
    refusal = least.refusal(measure_visibility(a, b))
    return None if refusal is None else f"under_{cue.value.lower()}_{refusal}"


def _framed(tile: Pixels, style: CueStyle) -> Pixels:
    """A tile with the box's stroke on all four sides: the most of it that a cell can lose."""
    half = style.half_width(tile.shape[0])
    framed = np.empty_like(tile)
    framed[:] = style.outline_color
    framed[half:-half, half:-half] = tile[half:-half, half:-half]
    return framed


@dataclass(frozen=True)
class Rendered:
    """A scene's two images as PNG files, and their pixel hashes."""

    plain: bytes
    cued: bytes
    plain_sha256: str
    cued_sha256: str


def render_scene(scene: Scene) -> Rendered:
    """Draw a scene's plain image and its image with the cue."""
    grid = scene.grid
    source, subset = source_of(scene.subset), subset_of(scene.subset)
    majority, exception = (
        lined(source.draw(tile, grid.cell_size), subset.grid_lines)
        for tile in (scene.pair.majority, scene.pair.exception)
    )
    plain = plain_image(grid.rows, grid.cols, majority, exception, scene.exceptions)
    style = subset.cue_style
    box = scene.contexts[T4].region.box
    cued = cued_image(plain, grid.cell_size, box, CueType(scene.cue), style)
    palette = Palette.of({**plain.bands, **cued.bands}.values()) if subset.palette else None
    encoder = BandEncoder(palette)
    hashes = pixel_sha256_of_two(plain.parts, cued.parts)
    return Rendered(plain.png(encoder), cued.png(encoder), *hashes)
