"""Rows become scenes: the records of each scene are heard, and the scene is what they agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from pathlib import Path

from rosegen.replay.account import (
    Core,
    Shared,
    read_context,
    read_core,
    read_cue,
    read_published,
    read_shared,
)
from rosegen.replay.columns import COLUMNS, PRIMITIVES
from rosegen.replay.derive import BRIDGE_FIELDS, computed_columns, derive_row
from rosegen.replay.faults import compare, contradictions, fault
from rosegen.replay.records import Record, read_records, whole
from rosegen.replay.recovered import ORIGINS, Fault, Lost, Recovered, RecoveredScene, scene_id
from rosegen.scene import T1, T4, Context, Grid

_Placed = tuple[int, Fault]  # with the place of its record


@dataclass(frozen=True)
class _Group:
    """The records that speak of one scene, each item once."""

    prefix: str
    number: int
    seed: int | None
    records: tuple[Record, ...]


def recover(paths: Iterable[Path]) -> Recovered:
    """Recover every scene that ROSE's public records tell of, and name what contradicts it.

    The rows may be main rows, bridge rows of either kind, or any mix, of ROSE or of rosegen. A
    scene needs one row that agrees with itself about subset, grid and exceptions. Where such rows
    disagree, the scene is what most of them say; where no account has most, it is lost. Every row
    of a recovered scene is then held against ``derive_row``.

    Args:
        paths: JSON Lines (gzip or not) or Parquet, in any order.

    Raises:
        RosegenError: a file cannot be read, or a line of it is no row.
    """
    records = read_records(paths)
    seeds = _seeds(records)
    faults: list[_Placed] = []
    by_scene: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        if record.scene is None:
            faults.append((record.place, fault(record, "scene_id", "an id like CHSCENE_000001")))
        else:
            by_scene.setdefault(record.scene, []).append(record)
    scenes: list[RecoveredScene] = []
    lost: list[Lost] = []
    prefixes = list(dict.fromkeys(prefix for prefix, _ in by_scene))
    for prefix, number in sorted(by_scene, key=lambda of: (prefixes.index(of[0]), of[1])):
        heard, twice = _once_each(by_scene[prefix, number])
        found, wrong = _recover_scene(_Group(prefix, number, seeds.get(prefix), heard))
        faults += [*twice, *wrong]
        if isinstance(found, Lost):
            lost.append(found)
        else:
            scenes.append(found)
    faults.sort(key=lambda placed: placed[0])
    return Recovered(tuple(scenes), tuple(each for _, each in faults), tuple(lost))


def _seeds(records: Iterable[Record]) -> dict[str, int]:
    """The seed of each subset, by prefix: what most of its item seeds begin with."""
    votes: dict[str, Counter[int]] = {}
    for record in records:
        item_seed = whole(record.row.get("item_seed"))
        if record.scene is not None and item_seed is not None:
            prefix, number = record.scene
            seed, rest = divmod(item_seed, 10**8)
            if rest // 10 == number:
                votes.setdefault(prefix, Counter())[seed] += 1
    return {prefix: counts.most_common(1)[0][0] for prefix, counts in votes.items()}


def _once_each(records: Iterable[Record]) -> tuple[tuple[Record, ...], list[_Placed]]:
    """The first record of each item; another of the same item is named and not heard."""
    first: dict[str, Record] = {}
    heard = []
    twice = []
    for record in records:
        known = first.setdefault(record.template or f"unknown {record.place}", record)
        if known is record:
            heard.append(record)
        else:
            should = f"there once, and its item is at {known.where}"
            twice.append((record.place, fault(record, "item_id", should)))
    return tuple(heard), twice


def _recover_scene(group: _Group) -> tuple[RecoveredScene | Lost, list[_Placed]]:
    read = [(record, *read_core(record.row)) for record in group.records]
    votes = Counter(core for _, core, _ in read if core is not None).most_common(2)
    if not votes or len({count for _, count in votes}) < len(votes):
        wrong = [
            (record.place, each) for record, _, of in read for each in contradictions(record, of)
        ]
        return Lost(scene_id(group.prefix, group.number), _why_lost(read)), wrong
    core = votes[0][0]
    witnesses = [record for record, own, _ in read if own == core]
    heard = [
        (
            scene,
            [(record.place, each) for record in group.records for each in compare(record, scene)],
        )
        for scene in _candidates(core, witnesses, group)
    ]
    return min(heard, key=lambda pair: len(pair[1]))


def _why_lost(read: Iterable[tuple[Record, Core | None, object]]) -> str:
    accounts: dict[Core, str] = {}
    for record, core, _ in read:
        if core is not None:
            accounts.setdefault(core, record.where)
    if not accounts:
        where = ", ".join(record.where for record, _, _ in read)
        return f"no row of it agrees with itself about subset, grid and exceptions ({where})"
    one, other, *_ = accounts
    fields = ", ".join(one.differs(other))
    return f"{accounts[one]} and {accounts[other]} disagree about {fields}"


def _candidates(core: Core, witnesses: Iterable[Record], group: _Group) -> Iterator[RecoveredScene]:
    """What the scene may be: one, unless its records differ beyond the core, or about T3.

    The best is the one that makes fewest of their fields wrong, and of those the first.
    """
    bare = RecoveredScene(
        subset=core.subset,
        prefix=group.prefix,
        number=group.number,
        seed=group.seed,
        split=None,
        grid=Grid("", core.rows, core.cols, core.cell_size),
        exceptions=core.exceptions,
        primitive_type=None,
        image_split=None,
        columns={},
        contexts={},
        cue=next((read_cue(each.row) for each in group.records if each.template == T4), None),
        published={
            each.template: read_published(each, core.subset)
            for each in group.records
            if each.template
        },
    )
    for shared, contexts in product(_accounts(bare, witnesses), _contexts(core, group)):
        scene = replace(
            bare,
            split=shared.split,
            grid=replace(bare.grid, profile=shared.profile or ""),
            primitive_type=PRIMITIVES.get(core.subset, shared.primitive_type),
            image_split=shared.image_split,
            columns=shared.columns,
            contexts=contexts,
        )
        computed = computed_columns(scene)
        yield replace(
            scene, columns={key: of for key, of in scene.columns.items() if key not in computed}
        )


def _accounts(bare: RecoveredScene, witnesses: Iterable[Record]) -> list[Shared]:
    """The different accounts of what a scene's records share, each filled from the others."""
    fields = {*derive_row(bare, T1), *BRIDGE_FIELDS}.difference(COLUMNS.get(bare.subset, ()))
    told = [read_shared(record.row, fields) for record in witnesses]
    accounts: list[Shared] = []
    for own in told:
        account = reduce(Shared.filled, told, own)
        if account not in accounts:
            accounts.append(account)
    return accounts


def _contexts(core: Core, group: _Group) -> Iterator[dict[str, Context]]:
    """The regions of the templates: T3's may be told by two records, and told differently."""
    told: dict[str, list[Context]] = {T1: [core.whole]}
    for record in group.records:
        template = ORIGINS.get(record.template or "", record.template)
        context = read_context(record, core)
        if template is not None and context is not None:
            known = told.setdefault(template, [])
            if context not in known:
                known.append(context)
    for chosen in product(*told.values()):
        yield dict(zip(told, chosen))
