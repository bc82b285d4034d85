"""From a pipeline file to a release: pairs, scenes, items, images, split, files. Start here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rosegen
from rosegen.data import assets_dir
from rosegen.draws import Draws
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.files import write_json, write_jsonl, write_text
from rosegen.packs import OpenPack, cache_dir, fetch, load_pack, load_packs
from rosegen.pairing import Match, pair_up
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.placement import place
from rosegen.plan import ScenePlan, plan_subset
from rosegen.release.card import make_card, make_licenses
from rosegen.release.made import MadeSubset
from rosegen.release.manifest import manifest_rows, rejection_rows
from rosegen.release.rows import Row, SceneIds, bridge_row, image_path, make_row
from rosegen.release.split import dev_scenes
from rosegen.release.summary import make_summary
from rosegen.release.writer import SUMMARY, staged
from rosegen.scene import T1B, Pair, Scene
from rosegen.sources.base import SourceConfig
from rosegen.sources.pixel_art import OWN_LICENSE, OWN_PACK, own_sha256
from rosegen.sources.registry import source_class
from rosegen.tasks import make_bridges, make_items
from rosegen.workshop import Bench, Rendered, RenderTask, prepare, render_scene, source_of

Progress = Callable[[str, int, int], None]


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
    packs = open_packs(subsets, offline, tell)
    pack_records = _pack_records(packs, subsets)
    standing = None if force else _standing(out, pipeline, selection, pack_records)
    if standing is not None:
        return Build(out, standing, built=False)
    with staged(out, force) as stage, make_pool(workers, subsets, packs) as pool:
        made = [make_subset(subset, selection, pool, tell) for subset in subsets]
        rendered = _render(stage, made, pool, tell)
        summary = _write(stage, pipeline, made, rendered, pack_records, selection)
    return Build(out, summary, built=True)


def open_packs(
    subsets: Sequence[Subset], offline: bool = False, tell: Progress | None = None
) -> dict[str, OpenPack]:
    """The packs the subsets name, fetched where the cache lacks them.

    Raises:
        RosegenError: a pack that nobody defines, or that cannot be had.
    """
    known = load_packs()
    names = list(dict.fromkeys(name for subset in subsets for name in subset.packs))
    opened = {}
    for done, name in enumerate(names):
        if tell is not None:
            tell("packs", done, len(names))
        pack = load_pack(Path(name)) if name.endswith(".yaml") else known.get(name)
        if pack is None:
            user = next(subset.name for subset in subsets if name in subset.packs)
            raise RosegenError(
                f"{user}: no asset pack {name!r} (known are {', '.join(known)}; a pack file of "
                f"your own is named by its path, ending in .yaml)"
            )
        opened[name] = fetch(pack, offline=offline)
    return opened


def source_config(subset: Subset, packs: Mapping[str, OpenPack]) -> SourceConfig:
    """How to open a subset's source."""
    return SourceConfig(
        name=subset.source,
        options=subset.options,
        packs={packs[name].pack.name: packs[name] for name in subset.packs},
        cache=cache_dir(),
        background=subset.background,
        ink=subset.ink,
    )


def make_pool(
    workers: int | None, subsets: Sequence[Subset], packs: Mapping[str, OpenPack]
) -> LocalPool:
    """Workers that have the sources of these subsets open; so has this process."""
    benches = {s.name: Bench(s, source_config(s, packs)) for s in subsets}
    prepare(benches)
    for name in benches:
        source_of(name)  # workers forked from here have all sources open
    if workers == 1:
        return LocalPool(1)
    return LocalPool(workers, initializer=prepare, initargs=(benches,))


def make_subset(
    subset: Subset, selection: Selection, pool: LocalPool, tell: Progress
) -> MadeSubset:
    """The pairs of all scenes of a subset, and the scenes that are chosen."""
    tell(f"{subset.name}: pairs", 0, subset.scenes)
    plans = plan_subset(subset)
    candidates = source_of(subset.name).candidates(pool)
    # All scenes are paired even when few are made: which pair is left for a scene depends on
    # those before it.
    pairing = pair_up(subset, plans, candidates, pool)
    tell(f"{subset.name}: pairs", subset.scenes, subset.scenes)
    scenes = tuple(
        make_scene(subset, plan, pairing.matches[plan.number])
        for plan in plans
        if selection.takes(plan.number)
    )
    return MadeSubset(subset, pairing, dev_scenes(subset, pairing), scenes)


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
    pair = Pair(
        key=candidate.key,
        majority=majority,
        exception=exception,
        measures=verdict.measures.as_dict(),
        similarity=verdict.similarity,
        similarity_level=subset.similarity_level(verdict.measures.ssim),
        fields=source_of(subset.name).fields(candidate, flipped, plan.grid.cell_size),
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
        style = part.subset.cue_style
        for scene in part.scenes:
            split = part.split_of(scene.number)
            for item in make_items(scene, style):
                rows.append(make_row(pipeline, part.subset, scene, split, item))
            for item in make_bridges(scene, style) if pipeline.bridges else ():
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
        {part.subset.name: part.scenes for part in made},
        {part.subset.name: part.pairing for part in made},
        rows,
        sum(len(own) for own in bridges.values()),
        packs,
        complete=selection == Selection(),
    )
    write_text(stage / "README.md", make_card(pipeline, summary))
    write_text(stage / "LICENSES.md", make_licenses(summary, packs))
    write_json(stage / SUMMARY, summary)
    return summary


def _of_split(rows: Sequence[Row], split: str) -> list[Row]:
    return [row for row in rows if row["split"] == split]


def _pack_records(packs: Mapping[str, OpenPack], subsets: Sequence[Subset]) -> list[dict[str, Any]]:
    records = [
        {
            "name": pack.pack.name,
            "kind": pack.pack.kind,
            "source": pack.pack.source.package,
            "version": pack.pack.source.version,
            "sha256": pack.sha256,
            "license": pack.pack.license,
            "attribution": pack.pack.attribution,
            "homepage": pack.pack.homepage,
        }
        for pack in packs.values()
    ]
    if any(
        "sprites" in source_class(subset.source).pack_kinds
        and subset.options.get("own_sprites", True)
        for subset in subsets
    ):
        records.append(
            {
                "name": OWN_PACK,
                "kind": "sprites",
                "source": "rosegen",
                "version": rosegen.__version__,
                "sha256": own_sha256(assets_dir() / "sprites"),
                "license": OWN_LICENSE,
                "attribution": "rosegen's own sprites, by the rosegen authors",
                "homepage": "assets/sprites",
            }
        )
    return records


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
