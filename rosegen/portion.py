"""What a worker makes of a portion of scenes: images, rows, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rosegen.draws import Draws
from rosegen.engine.journal import Entry, Files, record, whole_entry
from rosegen.engine.local import LocalPool
from rosegen.engine.store import Store
from rosegen.errors import RosegenError
from rosegen.files import json_line
from rosegen.opening import arrive
from rosegen.pairing import Deck, Match, Pairing, Rejection, pair_up
from rosegen.pipeline import Pipeline, Subset
from rosegen.placement import place
from rosegen.plan import Planner, ScenePlan
from rosegen.release.finishing import BRIDGES, MANIFEST, REJECTIONS
from rosegen.release.manifest import image_row, rejection_row, unfit_row
from rosegen.release.rows import SOURCE_COLUMNS, SceneIds, bridge_row, image_path, make_row
from rosegen.release.tally import (
    Tally,
    add,
    tally_bridge,
    tally_image,
    tally_rejection,
    tally_scene,
)
from rosegen.scene import T1B, Pair, Scene
from rosegen.selection import Portion
from rosegen.sources.base import Refusal
from rosegen.tasks import make_bridges, make_items
from rosegen.workshop import Bench, render_scene, source_of


@dataclass(frozen=True)
class Job:
    """What every worker of a build has.

    Attributes:
        pipeline: the pipeline.
        store: where the release is written.
        decks: by subset, the candidates, where each portion is paired by itself.
    """

    pipeline: Pipeline
    store: Store
    decks: Mapping[str, Deck]


@dataclass(frozen=True)
class Order:
    """A portion that is to be made.

    Attributes:
        portion: which scenes.
        pairing: of these scenes, where their subset is paired as one.
        unfit: art that could be no tile, for the subset's first portion.
    """

    portion: Portion
    pairing: Pairing | None
    unfit: tuple[Refusal, ...] = ()


_jobs: list[Job] = []


def take_job(benches: Mapping[str, Bench], job: Job) -> None:
    """Make the job known to this process."""
    arrive(benches)
    _jobs[:] = [job]
    _planner.cache_clear()


@lru_cache(maxsize=64)
def _planner(subset: str) -> Planner:
    return Planner(_subset(subset))


def _subset(name: str) -> Subset:
    return next(subset for subset in _jobs[0].pipeline.subsets if subset.name == name)


def portion_made(portion: Portion) -> Entry | None:
    """What an earlier build recorded of a portion, if all of it is there."""
    return whole_entry(_jobs[0].store, portion.unit)


def make_portion(order: Order) -> Entry:
    """Make the scenes of a portion, write them, and record that they are whole.

    Raises:
        RosegenError: a scene cannot be made.
        OSError: the disk will not take it.
    """
    job, portion = _jobs[0], order.portion
    subset, planner = _subset(portion.subset), _planner(portion.subset)
    plans = [planner.plan(number) for number in portion.numbers]
    pairing = order.pairing or _paired(subset, portion, planner, job.decks[subset.name])
    files, tally = Files(job.store), Tally()
    sections: dict[str, list[bytes]] = {}

    def write(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        sections.setdefault(name, []).extend(map(json_line, rows))

    refused = [unfit_row(subset, refusal) for refusal in order.unfit]
    refused += [rejection_row(subset, each) for each in _of(pairing.rejections, portion)]
    write(REJECTIONS, refused)
    for row in refused:
        add(tally, tally_rejection(row))
    for plan in plans:
        scene = make_scene(subset, plan, pairing.matches[plan.number])
        rows = _write_scene(job.pipeline, subset, scene, files)
        for name, own in rows.items():
            write(name, own)
            for row in own if name.startswith("bridges/") else ():
                add(tally, tally_bridge(row))
        add(tally, tally_image(rows[MANIFEST][0]))
        add(tally, tally_scene(rows[f"metadata_{scene.split}.jsonl"]))
    joined = {name: b"".join(lines) for name, lines in sections.items()}
    return record(job.store, portion.unit, files, joined, tally)


def _paired(subset: Subset, portion: Portion, planner: Planner, deck: Deck) -> Pairing:
    """The pairing of the whole block that the portion is of: who is left out changes nothing."""
    block = [number for number in portion.block if number <= subset.scenes]
    return pair_up(subset, [planner.plan(number) for number in block], deck, LocalPool(1))


def _of(rejections: Iterable[Rejection], portion: Portion) -> list[Rejection]:
    numbers = set(portion.numbers)
    own = (rejection for rejection in rejections if rejection.scene in numbers)
    return sorted(own, key=lambda rejection: rejection.scene)


def _write_scene(
    pipeline: Pipeline, subset: Subset, scene: Scene, files: Files
) -> dict[str, list[dict[str, Any]]]:
    """Write a scene's images.

    Returns:
        Name of a file of the release to the scene's rows in it.
    """
    ids, split = SceneIds(subset.prefix, scene.number), scene.split
    rendered = render_scene(scene)
    for image_id, data in ((ids.plain_image, rendered.plain), (ids.cued_image, rendered.cued)):
        files.write(image_path(subset.name, image_id), data)
    wording, style = subset.wording, subset.cue_style
    rows = {
        f"metadata_{split}.jsonl": [
            make_row(pipeline, subset, scene, item) for item in make_items(scene, wording, style)
        ],
        MANIFEST: [
            image_row(subset, scene, False, rendered.plain_sha256),
            image_row(subset, scene, True, rendered.cued_sha256),
        ],
    }
    for item in make_bridges(scene, wording, style) if pipeline.bridges else ():
        name = f"{BRIDGES[item.template != T1B]}/metadata_{split}.jsonl"
        rows[name] = [bridge_row(pipeline, subset, scene, item)]
    return rows


def is_flipped(subset: Subset, number: int) -> bool:
    """Whether a scene's majority is tile ``b`` of its candidate."""
    return Draws(subset.seed, subset.name, number, "direction").below(2) == 1


def make_scene(subset: Subset, plan: ScenePlan, match: Match) -> Scene:
    """A scene from its plan and its pair."""
    candidate, verdict = match.candidate, match.verdict
    flipped = is_flipped(subset, plan.number)
    tiles = (candidate.a, candidate.b)
    hashes = (verdict.a_sha256, verdict.b_sha256)
    majority, exception = reversed(tiles) if flipped else tiles
    majority_sha256, exception_sha256 = reversed(hashes) if flipped else hashes
    if verdict.measures is None:
        raise ValueError("a pair that was never measured was matched")
    fields = source_of(subset.name).fields(candidate, flipped, plan.grid.cell_size)
    _check_fields(subset, fields)
    pair = Pair(
        key=candidate.key,
        majority=majority,
        exception=exception,
        measures=verdict.measures.as_dict(),
        similarity=verdict.similarity,
        similarity_level=subset.similarity_level(verdict.measures.ssim),
        fields=fields,
        majority_sha256=majority_sha256,
        exception_sha256=exception_sha256,
    )
    placement = place(subset, plan)
    return Scene(
        subset.name,
        plan.number,
        plan.grid,
        placement.exceptions,
        pair,
        placement.contexts,
        plan.cue,
        plan.split,
    )


def _check_fields(subset: Subset, fields: Mapping[str, Any]) -> None:
    known = {*SOURCE_COLUMNS, *subset.source_class.columns}
    for name in fields:
        if name not in known:
            raise RosegenError(
                f"{subset.name}: kind {subset.kind} fills a column {name!r} that it has not "
                f"declared: add it to its columns"
            )
