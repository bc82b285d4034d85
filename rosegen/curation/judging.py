"""Hold a pair against the admission window, as a build does, under every cue its scenes may get."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from rosegen.pipeline import Subset
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Source, Unavailable
from rosegen.sources.similarity import Measures, similarity
from rosegen.workshop import Trial, source_of, try_candidate

SAME_ART = "same_art_as_another_pair"


@dataclass(frozen=True)
class Question:
    """A candidate, and the cell sizes in pixels and the cues that it is to be judged at."""

    subset: str
    candidate: Candidate
    cell_sizes: tuple[int, ...]
    cues: tuple[str, ...]
    refused_too: bool = True  # whether all is to be known of a pair that is refused


@dataclass(frozen=True)
class Judgement:
    """How a candidate does.

    Attributes:
        refusals: (cell size, reason) for each size at which it is not admitted.
        measures: at the first size; None when it cannot be drawn.
        similarity: at the first size, as a build has it.
        a_sha256: of the art of tile ``a``; empty when it cannot be drawn.
        b_sha256: of the art of tile ``b``.
    """

    refusals: tuple[tuple[int, str], ...]
    measures: Measures | None = None
    similarity: float = 0.0
    a_sha256: str = ""
    b_sha256: str = ""

    @property
    def look(self) -> tuple[str, ...]:
        """Equal for two pairs of the same art, in either direction."""
        return tuple(sorted((self.a_sha256, self.b_sha256)))


def cues_of(subset: Subset) -> tuple[str, ...]:
    """The cues that the scenes of a subset may get."""
    return tuple(cue for cue, share in subset.cue_shares.items() if share > 0)


def middle(subset: Subset) -> int:
    """The cell size in the middle of the subset's span."""
    return sum(subset.cell_size) // 2


def judge(question: Question) -> Judgement:
    """Try a candidate at each size under each cue (for a pool's workers)."""
    candidate = question.candidate
    trials = (
        Trial(question.subset, candidate, cell_size, question.cues)
        for cell_size in question.cell_sizes
    )
    verdicts = [try_candidate(trial) for trial in trials]
    refusals = tuple(
        (cell_size, verdict.refusal)
        for cell_size, verdict in zip(question.cell_sizes, verdicts)
        if verdict.refusal is not None
    )
    first = verdicts[0]
    if refusals and not question.refused_too:
        return Judgement(refusals, first.measures)
    source = source_of(question.subset)
    likeness = first.similarity
    if first.refusal is not None and first.measures is not None:
        # A trial tells it of admitted pairs alone.
        a, b = (source.draw(tile, question.cell_sizes[0]) for tile in (candidate.a, candidate.b))
        likeness = similarity(a, b, source.config.background)
    arts = (art_sha256(source, tile) for tile in (candidate.a, candidate.b))
    return Judgement(refusals, first.measures, likeness, *arts)


def art_sha256(source: Source, tile: Tile) -> str:
    """The hash of a tile's art, whatever the cell size; empty when there is none."""
    try:
        return hashlib.sha256(source.art(tile)).hexdigest()
    except Unavailable:
        return ""
