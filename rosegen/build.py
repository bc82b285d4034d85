"""From a pipeline file to a release: pairs, scenes, items, images, split, files. Start here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rosegen
from rosegen.draws import Draws
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.files import write_json, write_jsonl, write_text
from rosegen.licenses import refuse_licenses
from rosegen.opening import Progress, make_pool, open_packs, pack_records
from rosegen.packs import OpenPack
from rosegen.pair_list import ACCEPT, of_subset, read_pair_list
from rosegen.pairing import Match, Pairing, pair_up
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.placement import place
from rosegen.plan import ScenePlan, plan_subset
from rosegen.release.card import make_card, make_licenses
from rosegen.release.made import MadeSubset
from rosegen.release.manifest import manifest_rows, rejection_rows
from rosegen.release.row_schema import row_schema
from rosegen.release.rows import SOURCE_COLUMNS, Row, SceneIds, bridge_row, image_path, make_row
from rosegen.release.split import dev_scenes
from rosegen.release.summary import make_summary
from rosegen.release.writer import SUMMARY, staged
from rosegen.scene import T1B, Pair, Scene
from rosegen.sources.base import Candidate, Refusal
from rosegen.tasks import make_bridges, make_items
from rosegen.workshop import Rendered, RenderTask, render_scene, source_of


@dataclass(frozen=True)
class Selection:
    """Which scenes of a pipeline are made. What is made does not depend on what is left out."""

    subsets: tuple[str, ...] = ()  # none named: all
    limit: int | None = None  # the first so many scenes of each subset
    scenes: frozenset[int] = field(default_factory=frozenset)  # none named: all
    shard: tuple[int, int] | None = None  # (i, n), i from 1

    def takes(self, number: int) -> bool:
        """Whether scene ``number`` of a subset is made."""
        if self.limit is not None and number > self.limit:
            return False
        if self.scenes and number not in self.scenes:
            return False
        return self.shard is None or (number - 1) % self.shard[1] == self.shard[0] - 1

    def check(self, pipeline: Pipeline) -> tuple[Subset, ...]:
        """The subsets that are made.

        Raises:
            RosegenError: a subset that the pipeline has not, or a number out of range.
        """
        known = {subset.name: subset for subset in pipeline.subsets}
        for name in self.subsets:
            if name not in known:
                raise RosegenError(
                    f"{pipeline.path}: no subset {name!r} (it has {', '.join(known)})"
                )
        chosen = tuple(s for s in pipeline.subsets if not self.subsets or s.name in self.subsets)
        if self.limit is not None and self.limit < 1:
            raise RosegenError(f"--limit {self.limit}: at least 1 scene must be made")
        if self.shard is not None and not 1 <= self.shard[0] <= self.shard[1]:
            raise RosegenError(f"--shard {self.shard[0]}/{self.shard[1]}: I must be from 1 to N")
        if not any(self.takes(n) for s in chosen for n in range(1, s.scenes + 1)):
            raise RosegenError(f"{pipeline.path}: no scene is left to make by what was chosen")
        return chosen


@dataclass(frozen=True)
class Build:
    """What was built."""

    out: Path
    summary: Mapping[str, Any]
    built: bool  # False when it stood there already


def build(
    pipeline: Pipeline | Path | str,
    out: Path | str,
    *,
    workers: int | None = None,
    selection: Selection | None = None,
    force: bool = False,
    offline: bool = False,
    progress: Progress | None = None,
) -> Build:
    """Build a release.

    Args:
        pipeline: a pipeline, its file, or the name of a shipped one.
        out: the release's folder; takes its name only when all is there.
        workers: processes; None for every core. Changes nothing but the time.
        selection: which scenes; None for all.
        force: whether a release that stands at ``out`` is replaced.
        offline: whether packs come from the cache alone.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: for anything the user can mend. Nothing is left behind then.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = load_pipeline(pipeline)
    selection = selection or Selection()
    out = Path(out)
    subsets = selection.check(pipeline)
    tell = progress or (lambda stage, done, total: None)
    opened = open_packs(subsets, pipeline.licenses, offline, tell)
    records = pack_records(subsets, opened)
    standing = None if force else _standing(out, pipeline, selection, records)
    if standing is not None:
        return Build(out, standing, built=False)
    with staged(out, force) as stage, make_pool(workers, subsets, opened) as pool:
        made = [make_subset(subset, selection, pool, tell, pipeline.licenses) for subset in subsets]
        rendered = _render(stage, made, pool, tell)
        summary = _write(stage, pipeline, made, rendered, records, selection)
    return Build(out, summary, built=True)


def make_subset(
    subset: Subset,
    selection: Selection,
    pool: LocalPool,
    tell: Progress,
    licenses: Sequence[str] | None = None,
) -> MadeSubset:
    """The pairs of all scenes of a subset, and the scenes that are chosen.

    Raises:
        RosegenError: the pool cannot fill the subset, or has art whose licence is not allowed.
    """
    tell(f"{subset.name}: pairs", 0, subset.scenes)
    plans = plan_subset(subset)
    source = source_of(subset.name)
    candidates = offered(subset, source.candidates(pool))
    if licenses is not None:
        tiles = {tile.license: tile.name for pair in candidates for tile in (pair.a, pair.b)}
        refuse_licenses(((name, license) for license, name in tiles.items()), licenses)
    # All scenes are paired even when few are made: which pair is left for a scene depends on
    # those before it.
    pairing = pair_up(subset, plans, candidates, pool)
    tell(f"{subset.name}: pairs", subset.scenes, subset.scenes)
    scenes = make_scenes(subset, [plan for plan in plans if selection.takes(plan.number)], pairing)
    refused = (*_left_out(source.config.packs), *source.refused())
    return MadeSubset(subset, pairing, dev_scenes(subset, pairing), scenes, refused)


def make_scenes(subset: Subset, plans: Iterable[ScenePlan], pairing: Pairing) -> tuple[Scene, ...]:
    """The scenes of those plans that have got a pair."""
    matched = ((plan, pairing.matches.get(plan.number)) for plan in plans)
    return tuple(make_scene(subset, plan, match) for plan, match in matched if match is not None)


def _left_out(packs: Mapping[str, OpenPack]) -> list[Refusal]:
    """The files of folders that could not even be taken."""
    return [
        Refusal(name.encode("utf-8", "backslashreplace").decode(), reason)
        for pack in packs.values()
        for name, reason in pack.left_out
    ]


def offered(subset: Subset, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that may be used: all, or those that a person accepted.

    Raises:
        RosegenError: the list of accepted pairs cannot be read, or fits none of the candidates.
    """
    if subset.curated is None:
        return list(candidates)
    if not subset.curated.exists():
        raise RosegenError(
            f"{subset.name}: no list of accepted pairs at {subset.curated}: rosegen pairs mine "
            f"writes one"
        )
    listed = of_subset(read_pair_list(subset.curated), subset.name)
    accepted = {(pair.group, pair.key) for pair in listed if pair.verdict == ACCEPT}
    found = [c for c in candidates if (c.group, c.key) in accepted or ("", c.key) in accepted]
    if not found:
        raise RosegenError(
            f"{subset.name}: of {len(accepted)} accepted pairs in {subset.curated} none is among "
            f"the {len(candidates)} candidates: see rosegen pairs check"
        )
    return found


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
    )


def _check_fields(subset: Subset, fields: Mapping[str, Any]) -> None:
    known = {*SOURCE_COLUMNS, *subset.source_class.columns}
    for name in fields:
        if name not in known:
            raise RosegenError(
                f"{subset.name}: kind {subset.kind} fills a column {name!r} that it has not "
                f"declared: add it to its columns"
            )


def _render(
    stage: Path, made: Sequence[MadeSubset], pool: LocalPool, tell: Progress
) -> dict[tuple[str, int], Rendered]:
    tasks = []
    for part in made:
        (stage / "images" / part.subset.name).mkdir(parents=True)
        for scene in part.scenes:
            ids = SceneIds(part.subset.prefix, scene.number)
            tasks.append(
                RenderTask(
                    scene,
                    stage / image_path(part.subset.name, ids.plain_image),
                    stage / image_path(part.subset.name, ids.cued_image),
                )
            )
    rendered = {}
    for done, (task, result) in enumerate(zip(tasks, pool.map(render_scene, tasks, chunk=4))):
        rendered[task.scene.subset, task.scene.number] = result
        tell("scenes", done + 1, len(tasks))
    return rendered


def _write(
    stage: Path,
    pipeline: Pipeline,
    made: Sequence[MadeSubset],
    rendered: Mapping[tuple[str, int], Rendered],
    packs: Sequence[Mapping[str, Any]],
    selection: Selection,
) -> dict[str, Any]:
    rows: list[Row] = []
    bridges: dict[str, list[Row]] = {"global_click": [], "matched_local_count": []}
    for part in made:
        wording, style = part.subset.wording, part.subset.cue_style
        for scene in part.scenes:
            split = part.split_of(scene.number)
            for item in make_items(scene, wording, style):
                rows.append(make_row(pipeline, part.subset, scene, split, item))
            for item in make_bridges(scene, wording, style) if pipeline.bridges else ():
                name = "global_click" if item.template == T1B else "matched_local_count"
                bridges[name].append(bridge_row(pipeline, part.subset, scene, split, item))
    for split in ("dev", "test"):
        write_jsonl(stage / f"metadata_{split}.jsonl", _of_split(rows, split))
        if pipeline.bridges:
            for name, own in bridges.items():
                path = stage / "bridges" / name / f"metadata_{split}.jsonl"
                write_jsonl(path, _of_split(own, split))
    write_jsonl(stage / "manifest.jsonl", manifest_rows(made, rendered))
    write_jsonl(stage / "rejections.jsonl", rejection_rows(made))
    summary = make_summary(
        pipeline,
        made,
        rows,
        sum(len(own) for own in bridges.values()),
        packs,
        complete=selection == Selection(),
    )
    schema = row_schema(pipeline.columns)
    write_json(stage / "item.schema.json", schema)
    write_text(stage / "README.md", make_card(pipeline, summary, schema))
    write_text(stage / "LICENSES.md", make_licenses(summary, packs))
    write_json(stage / SUMMARY, summary)
    return summary


def _of_split(rows: Sequence[Row], split: str) -> list[Row]:
    return [row for row in rows if row["split"] == split]


def _standing(
    out: Path, pipeline: Pipeline, selection: Selection, packs: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The summary of the release at ``out`` when it is the very one that would be built."""
    try:
        summary: dict[str, Any] = json.loads((out / SUMMARY).read_bytes())
        same = (
            summary["complete"]
            and len(list((out / "images").glob("*/*.png"))) == summary["counts"]["images"]
            and selection == Selection()
            and summary["pipeline"]["sha256"] == pipeline.sha256
            and summary["rosegen_version"] == rosegen.__version__
            and summary["packs"] == list(packs)
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return summary if same else None
