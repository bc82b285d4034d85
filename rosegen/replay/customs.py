"""What rows do otherwise than ROSE's, yet alike: a custom of their release, and no mistake.

A release of rosegen may bear the names of ROSE's subsets and have words, sizes of type or a rule of
difficulty of its own, which its rows alone tell when nothing else of it is at hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rosegen.replay.known import is_known
from rosegen.replay.records import Placed, Record, text, whole
from rosegen.replay.recovered import ROW_TEMPLATES, Customs, Fault
from rosegen.scene import T4, T5

_LEAST = 3  # rows that do alike; fewer may be mistaken
_ROSEGENS = "background_pack"  # every row of a release of rosegen's has it, and none of ROSE's


def makers_of(records: Iterable[Record]) -> dict[str, Customs]:
    """By prefix, who made most of its rows and what most say their tiles are, and no more."""
    by_prefix: dict[str, list[Record]] = {}
    for record in records:
        if record.scene is not None:
            by_prefix.setdefault(record.scene[0], []).append(record)
    return {
        prefix: Customs(
            2 * sum(text(record.row, _ROSEGENS) is not None for record in own) > len(own),
            _commonest(own, "primitive_type"),
        )
        for prefix, own in by_prefix.items()
    }


def customs_of(
    records: Sequence[Record], faults: Iterable[Placed], makers: Mapping[str, Customs]
) -> dict[str, Customs]:
    """By prefix, the customs that most of its rows have.

    Args:
        records: all of them.
        faults: what is wrong with them if they have no customs of their own.
        makers: of ``makers_of``.
    """
    places = {record.place: record for record in records}
    wrong: dict[str, dict[str, Counter[str]]] = {}  # by prefix, field, template
    for place, fault in faults:
        record = places.get(place)
        if record is not None and record.scene and record.template and _is_meant(record, fault):
            by_field = wrong.setdefault(record.scene[0], {})
            by_field.setdefault(fault.field, Counter())[record.template] += 1
    found = dict(makers)
    for prefix, by_field in wrong.items():
        own = [record for record in records if record.scene and record.scene[0] == prefix]
        if makers[prefix].by_rosegen:
            found[prefix] = _with_words(found[prefix], by_field, own)
        loose = _differing(own, {name for name in by_field if not is_known(name)})
        found[prefix] = replace(found[prefix], loose=loose)
    return found


def _is_meant(record: Record, fault: Fault) -> bool:
    """Whether a field that is not as was thought may be so on purpose."""
    said = record.row.get(fault.field)
    if fault.field != "prompt_local":
        return said is not None
    params = record.row.get("region_params")
    inner = params.get("exclude_params", params) if isinstance(params, dict) else {}
    bounds = {whole(bound) for bound in inner.values()} if isinstance(inner, dict) else set()
    # In whatever words, an instruction names the bounds of its region; T4's is marked instead.
    named = {int(number) for number in re.findall("[0-9]{1,4}", str(said))}
    return isinstance(said, str) and (record.template == T4 or bounds <= named)


def _with_words(
    customs: Customs, wrong: Mapping[str, Counter[str]], own: Sequence[Record]
) -> Customs:
    """The customs with the words that are not as was thought."""
    totals = Counter(record.template for record in own if record.template)
    counts, globally = (
        wrong.get(field, Counter[str]()) for field in ("prompt_local", "prompt_global")
    )
    # Of few rows, all must be worded otherwise, and each must agree with itself.
    few = counts == globally == totals and all(map(_says_its_parts, own))
    others = few or _most(globally.total(), totals.total())
    instructions = _commonest(own, "prompt_global") if others else None
    worded = {name for name, count in counts.items() if few or _most(count, totals[name])}
    if worded or instructions:  # then nothing is known of those that no row tells
        worded |= {T4, T5, *set(ROW_TEMPLATES).difference(totals)}
    return replace(customs, instructions=instructions, worded=frozenset(worded))


def _says_its_parts(record: Record) -> bool:
    """Whether a row's prompt is its instructions and its own instruction."""
    parts = (str(record.row.get(part)) for part in ("prompt_global", "prompt_local"))
    return record.row.get("prompt") == "\n".join(parts)


def _most(count: int, total: int) -> bool:
    return count >= _LEAST and 2 * count > total


def _commonest(records: Iterable[Record], field: str) -> str | None:
    said = (text(record.row, field) for record in records)
    counts = Counter(value for value in said if value is not None)
    return counts.most_common(1)[0][0] if counts else None


def _differing(records: Iterable[Record], columns: set[str]) -> frozenset[str]:
    """Those that differ from row to row in most scenes that have them in several rows."""
    said: dict[str, dict[int, list[str]]] = {}  # by column and scene
    for record in records:
        if record.scene is None:
            continue
        for name in columns.intersection(record.row):
            scenes = said.setdefault(name, {})
            scenes.setdefault(record.scene[1], []).append(repr(record.row[name]))
    found = []
    for name, scenes in said.items():
        kinds = [len(set(values)) for values in scenes.values() if len(values) > 1]
        differing = sum(count > 1 for count in kinds)
        if sum(kinds) - len(kinds) >= _LEAST and 2 * differing > len(kinds):
            found.append(name)
    return frozenset(found)
