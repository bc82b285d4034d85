"""``replay_notes.jsonl``: what was wrong, left out, taken to be so, or replaced; a line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosegen.replay.differing import Differing
from rosegen.replay.making import Made
from rosegen.replay.records import printable
from rosegen.replay.recovered import Fault, Lost

NAME = "replay_notes.jsonl"

_LONGEST = 200  # characters of a name or a value

Row = dict[str, Any]
LeftOut = tuple[str, str, Any]
"""A scene's id, a column, and a value that no row may hold."""


def make_notes(
    faults: Iterable[Fault],
    lost: Iterable[Lost],
    differing: Iterable[Differing],
    left_out: Iterable[LeftOut],
    made: Iterable[Made],
) -> list[Row]:
    """All notes, the gravest first.

    Args:
        faults: where records contradict themselves or each other.
        lost: scenes that are not there.
        differing: pictures that are not those of the release.
        left_out: values of the records that are not there.
        made: the scenes that are.
    """
    notes: list[Row] = [{"note": "contradiction", **vars(fault)} for fault in faults]
    notes += [{"note": "lost", "scene_id": each.scene_id, "reason": each.reason} for each in lost]
    notes += [{"note": "differing", **vars(each)} for each in differing]
    notes += [
        {
            "note": "left_out",
            "scene_id": scene_id,
            "field": printable(name)[:_LONGEST],
            "says": ascii(value)[:_LONGEST],
        }
        for scene_id, name, value in left_out
    ]
    for each in made:
        scene_id = each.scene.scene_id
        notes += [
            {"note": "substitution", "scene_id": scene_id, "wanted": one.wanted, "used": one.used}
            for one in each.shown.substitutions
        ]
        notes += [
            {"note": "assumption", "scene_id": scene_id, "text": text} for text in each.shown.notes
        ]
    return notes
