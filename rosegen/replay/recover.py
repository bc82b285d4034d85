"""Rows become scenes: the records of each scene are heard, and the scene is what they agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from pathlib import Path

from rosegen.pipeline import Difficulty
from rosegen.replay.account import (
    Core,
    Shared,
    read_context,
    read_core,
    read_cue,
    read_published,
    read_shared,
)
from rosegen.replay.columns import COLUMNS, PRIMITIVES, mended
from rosegen.replay.customs import customs_of, makers_of
from rosegen.replay.derive import BRIDGE_FIELDS, computed_columns, derive_row
from rosegen.replay.faults import compare, contradictions, fault
from rosegen.replay.few_columns import with_few_columns
from rosegen.replay.records import Placed, Record, read_records, whole
from rosegen.replay.recovered import Customs, Lost, Recovered, RecoveredScene, scene_id
from rosegen.scene import ORIGINS, T1, T4, Context, Grid
from rosegen.wording import ENGLISH, Wording


@dataclass(frozen=True)
class _Group:
    """The records that speak of one scene, each item once."""

    prefix: str
    number: int
    seed: int | None
    records: tuple[Record, ...]
    rule: Difficulty | None
    customs: Customs


def recover(
    paths: Iterable[Path],
    wordings: Mapping[str, Wording] | None = None,
    rule: Difficulty | None = None,
    may_be_empty: Container[Path] = (),
) -> Recovered:
    """Recover every scene that ROSE's public records tell of, and name what contradicts it.

    The rows may be main rows, bridge rows of either kind, or any mix, of ROSE or of rosegen. A
    scene needs one row that agrees with itself about subset, grid and exceptions. Where such rows
    disagree, the scene is what most of them say, or of two accounts that as many give the one whose
    rows are sound otherwise; where there is none, it is lost. Every row of a recovered scene is
    then held against ``derive_row``.

    What most rows of a prefix do alike and otherwise than ROSE's is taken for the custom of their
    release (``customs_of``).

    Args:
        paths: JSON Lines (gzip or not) or Parquet, in any order.
        wordings: subset name to the wording of its prompts, where it is known to the last word;
            that of the others is taken to be ROSE's.
        rule: of difficulty, where it is known.
        may_be_empty: those of the files that need not hold a row.

    Raises:
        RosegenError: a file cannot be read, or no line of it is a row.
    """
    records, ill_written = read_records(paths, may_be_empty)
    records, left_out = with_few_columns(records)
    makers = makers_of(records)
    recovered, faults = _recover(records, wordings or {}, rule, makers)
    customs = customs_of(records, faults, makers)
    if customs != makers:
        recovered, faults = _recover(records, wordings or {}, rule, customs)
    placed = sorted([*ill_written, *left_out, *faults], key=lambda each: each[0])
    return replace(recovered, faults=tuple(each for _, each in placed))


def _recover(
    records: Iterable[Record],
    wordings: Mapping[str, Wording],
    rule: Difficulty | None,
    customs: Mapping[str, Customs],
) -> tuple[Recovered, list[Placed]]:
    """What is found, its faults left out, and they with their places."""
    seeds = _seeds(records)
    faults: list[Placed] = []
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
        group = _Group(prefix, number, seeds.get(prefix), heard, rule, customs[prefix])
        found, wrong = _recover_scene(group, wordings)
        faults += [*twice, *wrong]
        if isinstance(found, Lost):
            lost.append(found)
        else:
            scenes.append(found)
    return Recovered(tuple(scenes), (), tuple(lost)), faults


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


def _once_each(records: Iterable[Record]) -> tuple[tuple[Record, ...], list[Placed]]:
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


def _recover_scene(
    group: _Group, wordings: Mapping[str, Wording]
) -> tuple[RecoveredScene | Lost, list[Placed]]:
    read = [(record, *read_core(record.row)) for record in group.records]
    core = _core_of(group, [(record, own) for record, own, _ in read if own is not None], wordings)
    if core is None:
        wrong = [
            (record.place, each) for record, _, of in read for each in contradictions(record, of)
        ]
        return Lost(scene_id(group.prefix, group.number), _why_lost(read)), wrong
    witnesses = [record for record, own, _ in read if own == core]
    heard = [
        (scene, _wrong_in(group.records, scene))
        for scene in _candidates(core, witnesses, group, wordings.get(core.subset))
    ]
    fewest = min(len(wrong) for _, wrong in heard)
    best = [(scene, wrong) for scene, wrong in heard if len(wrong) == fewest]
    # Where two accounts are as good, the first is taken, and neither is said to be right.
    named: dict[tuple[int, str], Placed] = {}
    for _, wrong in best:
        for place, each in wrong:
            named.setdefault((place, each.field), (place, each))
    return best[0][0], list(named.values())


def _core_of(
    group: _Group, told: Sequence[tuple[Record, Core]], wordings: Mapping[str, Wording]
) -> Core | None:
    """What most records say; of two that as many say, the one whose records are sound otherwise."""
    votes = Counter(core for _, core in told)
    most = max(votes.values(), default=0)
    best = [core for core, count in votes.items() if count == most]
    if len(best) > 1:
        best = [core for core in best if _is_sound(core, group, told, wordings)]
    return best[0] if len(best) == 1 else None


def _is_sound(
    core: Core,
    group: _Group,
    told: Sequence[tuple[Record, Core]],
    wordings: Mapping[str, Wording],
) -> bool:
    """Whether nothing in the records that say so speaks against it."""
    own = [record for record, said in told if said == core]
    alone = replace(group, records=tuple(own))
    scenes = _candidates(core, own, alone, wordings.get(core.subset))
    return any(not _wrong_in(own, scene) for scene in scenes)


def _wrong_in(records: Iterable[Record], scene: RecoveredScene) -> list[Placed]:
    return [(record.place, each) for record in records for each in compare(record, scene)]


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


def _candidates(
    core: Core, witnesses: Iterable[Record], group: _Group, wording: Wording | None
) -> Iterator[RecoveredScene]:
    """What the scene may be: one, unless its records differ beyond the core, or about T3.

    The best is the one that makes fewest of their fields wrong, and of those the first.
    """
    customs, words = group.customs, wording or ENGLISH
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
        wording=replace(words, instructions=customs.instructions or words.instructions),
        all_words=wording is not None,
        rule=group.rule,
        customs=customs,
    )
    published = {
        each.template: read_published(each, bare) for each in group.records if each.template
    }
    for shared, contexts in product(_accounts(bare, witnesses), _contexts(core, group)):
        scene = replace(
            bare,
            split=shared.split,
            grid=replace(bare.grid, profile=shared.profile or ""),
            primitive_type=_primitive_type(bare),
            image_split=shared.image_split,
            columns=shared.columns,
            contexts=contexts,
            published=published,
        )
        scene = replace(
            scene, columns=mended(scene.primitive_type, scene.columns, customs.by_rosegen)
        )
        computed = computed_columns(scene)
        yield replace(
            scene, columns={key: of for key, of in scene.columns.items() if key not in computed}
        )


def _primitive_type(scene: RecoveredScene) -> str | None:
    """That of ROSE's subset of the name, unless rosegen made one that is called so."""
    told, roses = scene.customs.primitive_type, PRIMITIVES.get(scene.subset)
    return (told or roses) if scene.customs.by_rosegen else (roses or told)


def _accounts(bare: RecoveredScene, witnesses: Iterable[Record]) -> list[Shared]:
    """The different accounts of what a scene's records share, each filled from the others."""
    columns = frozenset(COLUMNS.get(bare.subset, ()))
    fields = frozenset([*derive_row(bare, T1), *BRIDGE_FIELDS]) - columns | bare.customs.loose
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
