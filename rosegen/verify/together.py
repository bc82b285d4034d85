"""Compare scenes with each other: what a subset, or the whole release, has in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from rosegen.verify.english import RoseEnglish
from rosegen.verify.report import Fault, fault
from rosegen.verify.rules import Rules
from rosegen.verify.scenes import Scene, majority
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T4, T5
from rosegen.verify.wording import Wording, unlike

WORDED_FREELY = (T4, T5)
"""Templates of whose ROSE English the dataset's description does not fix every word."""
_SET_IN_TYPE = "CHINESE_GLYPH"
"""What ROSE's rows call tiles that are set in type."""

ByPrefix = Mapping[str, Rules]


def _by_subset(scenes: Iterable[Scene]) -> dict[str, list[Scene]]:
    found: dict[str, list[Scene]] = {}
    for scene in scenes:
        found.setdefault(str(scene.shared["rose_subset"]), []).append(scene)
    return found


def check_uniform(scenes: Sequence[Scene], rules: ByPrefix) -> list[Fault]:
    """Columns that are the same in a whole release, or in a whole subset."""
    faults: list[Fault] = []
    for subset, members in _by_subset(scenes).items():
        words = rules.get(members[0].key[0], Rules()).words
        if isinstance(words, Wording):
            faults += _check_instructions(subset, members, words)
        else:
            faults += _check_column("prompt_global", members)
        faults += _check_column("primitive_type", members)
    return faults + _check_column("protocol_version", [each for each in scenes if not each.partial])


def _check_column(column: str, scenes: Sequence[Scene]) -> list[Fault]:
    told = [scene for scene in scenes if scene.shared[column] is not None]
    agreed = majority([scene.shared[column] for scene in told]) if told else None
    return [
        fault(
            "scene",
            scene.scene_id,
            f"{column} is {scene.shared[column]!r}, but {agreed!r} elsewhere",
        )
        for scene in told
        if scene.shared[column] != agreed
    ]


def _check_instructions(subset: str, scenes: Sequence[Scene], words: Wording) -> list[Fault]:
    """``prompt_global`` is what the subset's wording says."""
    wanted = words.instructions
    odd = [scene for scene in scenes if scene.shared["prompt_global"] != wanted]
    if not odd:
        return []
    if len(odd) == len(scenes):
        here, there = unlike(odd[0].shared["prompt_global"], wanted)
        detail = f"prompts.{subset}.global has {there!r} where prompt_global says {here!r}"
        return [fault("summary", SUMMARY, detail)]
    faults = []
    for scene in odd:
        here, there = unlike(scene.shared["prompt_global"], wanted)
        detail = f"prompt_global says {here!r} where the wording of {subset} has {there!r}"
        faults.append(fault("scene", scene.scene_id, detail))
    return faults


def check_wording(scenes: Iterable[Scene], rules: ByPrefix, odd: Collection[str]) -> list[Fault]:
    """Of ROSE's own English, instructions of T4 and T5 are alike but for cue and region.

    Args:
        scenes: the scenes, checked.
        rules: by prefix, those of each subset.
        odd: ids of the items whose instruction is known to be wrong.
    """
    worded: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for scene in scenes:
        if not isinstance(rules.get(scene.key[0], Rules()).words, RoseEnglish):
            continue
        for template in WORDED_FREELY:
            row, area = scene.rows.get(template), scene.areas.get(template)
            if row is None or area is None or row["item_id"] in odd:
                continue
            key = (str(scene.shared["rose_subset"]), template, row["cue_type"])
            text = row["prompt_local"].replace(area.phrase, "...")
            worded.setdefault(key, {}).setdefault(text, []).append(row["item_id"])
    faults = []
    for (subset, _, _), wordings in worded.items():
        (agreed, first), *others = sorted(wordings.items(), key=lambda entry: -len(entry[1]))
        for text, item_ids in others:
            here, there = unlike(text, agreed)
            detail = f"prompt_local says {here!r} where others of {subset} say {there!r}"
            if len(item_ids) == len(first):  # either may be the one that strays
                faults.append(fault("prompt", f"{item_ids[0]} or {first[0]}", detail))
            else:
                faults += [fault("prompt", item_id, detail) for item_id in item_ids]
    return faults


def check_font_sizes(scenes: Iterable[Scene], rules: ByPrefix) -> list[Fault]:
    """``font_size`` is the em that the source's options give, in whole pixels of the cell."""
    faults: list[Fault] = []
    for subset, members in _by_subset(scenes).items():
        own = rules.get(members[0].key[0], Rules())
        typeset = [scene for scene in members if scene.shared["font_size"] is not None]
        if own.replayed:  # no options are told, so that only ROSE's own share of the cell is known
            typeset = [s for s in typeset if s.shared["primitive_type"] == _SET_IN_TYPE]
        if own.known and typeset:
            faults += _check_em(subset, typeset, own.em)
    return faults


def _check_em(subset: str, scenes: Sequence[Scene], em: object) -> list[Fault]:
    path = f"sources.{subset}.options.em"
    if isinstance(em, bool) or not isinstance(em, (int, float)) or not 0 < em <= 1:
        return [fault("summary", SUMMARY, f"{path} is {em!r}, which is no share of the cell")]
    odd = []
    for scene in scenes:
        says, wanted = scene.shared["font_size"], int(scene.shared["cell_size"] * em)
        if says != wanted:
            odd.append((scene, says, wanted))
    if len(odd) == len(scenes) > 1:
        scene, says, wanted = odd[0]
        detail = f"{path} gives {scene.scene_id}, the first of {len(scenes)}, a font_size of"
        return [fault("summary", SUMMARY, f"{detail} {wanted}, but all have others, it {says}")]
    return [
        fault("field", scene.scene_id, f"font_size is {says!r}, but must be {wanted!r}")
        for scene, says, wanted in odd
    ]


def check_leaks(scenes: Iterable[Scene]) -> list[Fault]:
    """No pair of a subset, in either direction, stands on both sides of the split."""
    faults = []
    first: dict[tuple[str, str, str], Scene] = {}
    for scene in scenes:
        pair = scene.pair
        if pair is None:
            continue
        other = first.setdefault(pair, scene)
        if other.split != scene.split:
            shown = scene.shared["pair_key"] or " and ".join(pair[1:])
            detail = f"pair {shown!r} is {scene.split} here and {other.split} in {other.scene_id}"
            faults.append(fault("split", scene.scene_id, detail))
    return faults
