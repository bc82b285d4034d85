"""What in a record contradicts itself or its scene: one fault a field, each one printable line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rosegen.replay.account import CUES, LEVELS, SPLITS, Wrong
from rosegen.replay.asked import REGION_FIELDS, levels_told
from rosegen.replay.columns import COLUMNS, is_of_glyphs
from rosegen.replay.derive import BRIDGE_FIELDS, derive_row
from rosegen.replay.known import fits, is_known, kind_of
from rosegen.replay.records import Record, printable, template_name
from rosegen.replay.recovered import PATH_COLUMNS, ROW_TEMPLATES, Fault, RecoveredScene, posix

_TEN_THOUSAND = re.compile("/[0-9]{4,}/(?=[^/]+$)")  # the folder of an image among very many
_LONGEST = 100
_LEAD = 30
_GLYPHLESS = "absent, for its tiles are not two texts that are told"
# What a field must be when nothing tells its value.
_KINDS = {
    "cue_type": " or ".join(CUES),
    "image_cue_type": " or ".join(CUES),
    "difficulty": ", ".join(LEVELS),
    "split": " or ".join(SPLITS),
    "item_seed": "(seed * 10**7 + scene) * 10 + task",
}


def compare(record: Record, scene: RecoveredScene) -> Iterator[Fault]:
    """Hold a record against its scene, field by field, in the order of ROSE's keys.

    Paths may be written with either slash, those of images with or without a numbered folder, T5
    by either name, whole numbers with a ``.0``. A column that not all releases have is compared
    where it is there. A region that is none of the grid's is one fault; what follows from it is
    left alone.
    """
    row = record.row
    if record.template is None:
        yield fault(record, "task_template", f"one of {', '.join(ROW_TEMPLATES)}")
        return
    derived = derive_row(scene, record.template)
    no_region = scene.context(record.template) is None
    for field, should in derived.items():
        if field not in row:
            if _must_be_there(field, should, scene):
                yield fault(record, field, "there" if should is None else _shown(should, None))
        elif no_region and field in REGION_FIELDS:
            if field == "region_params":
                grid = f"{scene.grid.rows} x {scene.grid.cols}"
                yield fault(record, field, f"the bounds of a region of the grid of {grid}")
        elif should is None:
            yield fault(record, field, _KINDS.get(field) or _kind_of(field))
        elif not _same(field, row[field], should):
            yield fault(record, field, _shown(should, row[field]), should)
    levels = {} if scene.rule else levels_told(scene, record.template)
    if derived["difficulty"] == row.get("difficulty") and len(set(levels.values())) > 1:
        other = next(level for level in levels.values() if level != row.get("difficulty"))
        yield fault(record, "difficulty", f'"{other}", as another row about its region says')
    for field in BRIDGE_FIELDS:
        if field in row and field not in derived and row[field] is not False:
            yield fault(record, field, "absent")
    for field in row:
        # What a record says and no row may hold is no column of the scene.
        if field not in derived and field not in BRIDGE_FIELDS and is_known(field):
            alone = is_of_glyphs(field) and fits(field, row[field])
            yield fault(record, field, _GLYPHLESS if alone else kind_of(field))


def _must_be_there(field: str, should: Any, scene: RecoveredScene) -> bool:
    """Whether a row must have a field: each that ROSE's have, or rosegen's if the scene has it."""
    roses_own = field in COLUMNS.get(scene.subset, ())
    if scene.customs.by_rosegen:
        return is_known(field) and (should is not None or not roses_own)
    return roses_own or field not in scene.columns


def _kind_of(field: str) -> str:
    return kind_of(field) if is_known(field) else "text"


def contradictions(record: Record, wrong: tuple[Wrong, ...]) -> Iterator[Fault]:
    """The faults of a record that has no scene to be held against."""
    for each in wrong:
        yield fault(record, each.field, each.should)


def fault(record: Record, field: str, should: str, value: Any = None) -> Fault:
    """A fault in one field; ``value`` is what it should be, where a long text is cut to fit."""
    written = {**record.row, **record.with_nan}
    says = _shown(written[field], value) if field in written else "nothing"
    return Fault(record.where, record.item_id, printable(field), says, should)


def _same(field: str, says: Any, should: Any) -> bool:
    if field in ("task_template", "source_task_template"):
        says = template_name(says)
    if field in PATH_COLUMNS and isinstance(says, str) and isinstance(should, str):
        says, should = posix(says), posix(should)
        if field == "image":
            says, should = _TEN_THOUSAND.sub("/", says), _TEN_THOUSAND.sub("/", should)
        return bool(says == should)
    return _equal(says, should)


def _equal(a: Any, b: Any) -> bool:
    """Equality that keeps true and 1 apart, but not 46 and 46.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    return a is b or bool(a == b)


def _shown(value: Any, other: Any) -> str:
    """A value as JSON; a long one as the part around where it leaves the other."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST:
        like = json.dumps(other, ensure_ascii=False)
        split = next((i for i, (a, b) in enumerate(zip(text, like)) if a != b), len(like))
        start = max(0, min(split - _LEAD, len(text) - _LONGEST))
        end = start + _LONGEST
        text = f"{'...' * (start > 0)}{text[start:end]}{'...' * (end < len(text))}"
    return printable(text)
