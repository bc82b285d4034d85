"""Every pair that a pipeline's sources can offer, measured and judged, as a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from rosegen.curation.judging import SAME_ART, Judgement, Question, cues_of, judge, middle
from rosegen.curation.kept import Kept
from rosegen.curation.offer import candidates_of, in_order
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.files import placed
from rosegen.opening import Progress, make_pool, open_packs
from rosegen.pair_list import UNDECIDED, read_pair_list, refuse_ending, write_pair_list
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.selection import Selection
from rosegen.sources.base import Candidate

Row = dict[str, Any]

_BATCH = 256  # pairs that are handed to the pool at a time


@dataclass
class MinedSubset:
    """What was found for a subset."""

    name: str
    cell_size: int  # pixels
    candidates: int
    tried: int = 0  # fewer where a limit was reached
    admitted: int = 0
    listed: int = 0
    refused: dict[str, int] = field(default_factory=dict)  # reason to how often


@dataclass(frozen=True)
class Mined:
    """A list that was mined.

    Attributes:
        out: the list.
        subsets: those that were mined.
        rows: pairs in the list.
        kept: verdicts that were there already, of pairs mined again.
        changed: verdicts that were there, taken back because the pair's art has changed.
        carried: pairs with a verdict or a note that were not mined again, and are still listed.
    """

    out: Path
    subsets: tuple[MinedSubset, ...]
    rows: int
    kept: int
    changed: int
    carried: int


def mine_pairs(
    pipeline: Pipeline | Path | str,
    out: Path | str,
    *,
    subsets: Sequence[str] = (),
    cell_size: int | None = None,
    limit: int | None = None,
    refused_too: bool = False,
    workers: int | None = None,
    offline: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Mined:
    """Write a list of the pairs that a build could use.

    Args:
        pipeline: a pipeline, its file, or the name of a shipped one.
        out: the list, ``.csv``, ``.jsonl`` or ``.parquet``.
        subsets: which; none named: all.
        cell_size: pixels at which pairs are measured; None for the middle of each subset's span.
        limit: list at most so many pairs of each subset, as varied as so many can be.
        refused_too: whether pairs outside the admission window are listed as well.
        workers: processes; None for every core. Changes nothing but the time.
        offline: whether packs come from the cache alone.
        force: whether a list that stands at ``out`` gives way; its verdicts and notes are kept.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: for anything the user can mend. The list at ``out`` is then as it was.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = load_pipeline(pipeline)
    out = Path(out)
    refuse_ending(out)
    chosen = Selection(tuple(subsets)).check(pipeline)
    kept = _standing(out, force)
    tell: Progress = progress or (lambda stage, done, total: None)
    opened = open_packs(chosen, pipeline.licenses, offline, tell)
    found: list[MinedSubset] = []
    with placed(out.parent) as stage, make_pool(workers, chosen, opened) as pool:

        def rows() -> Iterator[Row]:
            for subset in pipeline.subsets:
                if subset not in chosen:
                    yield from kept.of_others(subset.name)
                    continue
                offered = in_order(subset, candidates_of(subset, pool, pipeline.licenses))
                size = cell_size or middle(subset)
                mined = MinedSubset(subset.name, size, len(offered))
                found.append(mined)
                yield from map(
                    kept.onto, _mined(subset, mined, offered, pool, limit, refused_too, tell)
                )
                yield from kept.left(subset.name)
            yield from chain(*map(kept.of_others, _unknown(kept, pipeline)), kept.left(""))

        count = write_pair_list(stage / out.name, rows(), kept.extra)
    return Mined(out, tuple(found), count, kept.kept, kept.changed, kept.carried)


def _standing(out: Path, force: bool) -> Kept:
    """What a list at ``out`` says.

    Raises:
        RosegenError: something stands there that is no list, or may not give way.
    """
    if not out.exists():
        return Kept()
    pairs = read_pair_list(out)
    if not force:
        said = sum(pair.verdict != UNDECIDED for pair in pairs)
        raise RosegenError(
            f"{out}: a list stands there, with {said} verdicts: give --force to mine it anew (its "
            f"verdicts and notes are kept), or name another --out"
        )
    return Kept(pairs)


def _unknown(kept: Kept, pipeline: Pipeline) -> list[str]:
    """The subsets that a list speaks of and the pipeline does not have."""
    known = {"", *(subset.name for subset in pipeline.subsets)}
    return [name for name in dict.fromkeys(p.subset for p in kept.pairs) if name not in known]


def _mined(
    subset: Subset,
    mined: MinedSubset,
    offered: Sequence[Candidate],
    pool: LocalPool,
    limit: int | None,
    refused_too: bool,
    tell: Progress,
) -> Iterator[Row]:
    """The rows of a subset; counts them into ``mined``."""
    stage = f"{subset.name}: pairs"
    looks: set[tuple[str, ...]] = set()
    for candidate, judgement in _judged(subset, mined.cell_size, offered, pool, refused_too):
        reason = judgement.refusals[0][1] if judgement.refusals else ""
        if not reason and judgement.look in looks:
            reason = SAME_ART
        mined.tried += 1
        if reason:
            mined.refused[reason] = mined.refused.get(reason, 0) + 1
        else:
            looks.add(judgement.look)
            mined.admitted += 1
        if refused_too or not reason:
            mined.listed += 1
            yield _row(subset, candidate, mined.cell_size, reason, judgement)
        if limit is None:
            tell(stage, mined.tried, len(offered))
        else:
            tell(stage, mined.listed, limit)
            if mined.listed == limit:
                return


def _judged(
    subset: Subset,
    cell_size: int,
    offered: Sequence[Candidate],
    pool: LocalPool,
    refused_too: bool,
) -> Iterator[tuple[Candidate, Judgement]]:
    """Each candidate with its judgement; a pool is never given more than it needs for a while."""
    for start in range(0, len(offered), _BATCH):
        batch = offered[start : start + _BATCH]
        questions = [
            Question(subset.name, candidate, (cell_size,), cues_of(subset), refused_too)
            for candidate in batch
        ]
        yield from zip(batch, pool.map(judge, questions, chunk=8))


def _row(
    subset: Subset, candidate: Candidate, cell_size: int, reason: str, judgement: Judgement
) -> Row:
    measures: Mapping[str, float] = (
        {} if judgement.measures is None else judgement.measures.as_dict()
    )
    return {
        "subset": subset.name,
        "group": candidate.group,
        "key": candidate.key,
        "a": candidate.a.name,
        "b": candidate.b.name,
        "verdict": UNDECIDED,
        "note": "",
        "cell_size": cell_size,
        "refusal": reason,
        **measures,
        "similarity": None if judgement.measures is None else judgement.similarity,
        "a_sha256": judgement.a_sha256,
        "b_sha256": judgement.b_sha256,
    }
