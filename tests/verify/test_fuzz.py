"""Whatever bytes a release has, verifying it ends in a report, never in a traceback."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosegen.verify import verify_release
from tests.verify.release_maker import LINE_COLOR, Release, default_specs, make_release
from tests.verify.replay_maker import make_replayed

# The same examples every time: what a run finds, the next run finds too.
bounded = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
    | st.sampled_from(
        ["R1,C1", "EXCLUSION", "GLOBAL", "MASK", "dev", "SQIMG_000002", "..", "\ud800"]
    ),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Release:
    specs = default_specs()
    return make_release(tmp_path_factory.mktemp("fuzz") / "sound", specs[:3])


@bounded
@given(data=st.data())
def test_broken_bytes(sound: Release, tmp_path: Path, data: st.DataObject) -> None:
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(sound.root, copy)
    files = sorted(path for path in copy.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files))
    old = path.read_bytes()
    start = data.draw(st.integers(0, len(old)))
    length = data.draw(st.integers(0, 40) | st.integers(0, len(old)))
    new = old[:start] + data.draw(st.binary(max_size=12)) + old[start + length :]
    path.write_bytes(new)
    report = verify_release(copy, workers=1)
    text = path.suffix == ".md" or path.name == "rejections.jsonl"
    if new != old and not text and json_differs(old, new, path):
        assert not report.ok, path.name
    for each in report.faults:
        str(each).encode()
    json.loads(report.to_json())


def json_differs(old: bytes, new: bytes, path: Path) -> bool:
    """Whether the change means anything: blanks between JSON tokens do not."""
    if path.suffix == ".png":
        return True

    def read(data: bytes) -> list[Any]:
        lines = [data] if path.suffix == ".json" else data.split(b"\n")
        return [json.loads(line) if line else None for line in lines]

    try:
        was, now = read(old), read(new)
    except ValueError:
        return True
    return was != now and not free_text_only(was, now)


FREE = {
    "dataset_version", "protocol_version", "image_note", "name", "version", "kind",
    "source", "attribution", "homepage", "license", "sha256", "rosegen_version", "toolchain",
    "candidates", "admitted", "difficulty_rule", "wanted", "h2_label", "h3_title", "complete",
    "language", "options", "curated", "background", "ink", "grid_lines",
}  # fmt: skip
"""Names whose values nothing else in a release determines. A release that says it is not complete
may lack whole subsets, of which it holds no trace; one that says it is complete is held to that."""


def free_text_only(was: Any, now: Any) -> bool:
    """Whether two JSON values differ only where a release may say what it likes."""
    if isinstance(was, dict) and isinstance(now, dict):
        if was.keys() != now.keys():
            return False
        return all(key in FREE or free_text_only(was[key], now[key]) for key in was)
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(free_text_only, was, now))
    close = isinstance(was, float) and isinstance(now, float) and abs(was - now) < 1e-3
    return bool(was == now) or close


@bounded
@given(data=st.data())
def test_well_formed_nonsense(sound: Release, tmp_path: Path, data: st.DataObject) -> None:
    copy = tmp_path / "copy"
    if not copy.exists():
        shutil.copytree(sound.root, copy)
    name = data.draw(
        st.sampled_from(["metadata_test.jsonl", "manifest.jsonl", "export_summary.json"])
    )
    text = (sound.root / name).read_text(encoding="utf-8")
    records = (
        [json.loads(text)] if name.endswith(".json") else list(map(json.loads, text.splitlines()))
    )
    for _ in range(data.draw(st.integers(1, 3))):
        inner: Any = data.draw(st.sampled_from(records))
        while True:
            key = data.draw(
                st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner)))
            )
            if isinstance(inner[key], (dict, list)) and inner[key] and data.draw(st.booleans()):
                inner = inner[key]
            else:
                inner[key] = data.draw(junk)
                break
    (copy / name).write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    report = verify_release(copy, workers=1)
    was = (
        [json.loads(text)] if name.endswith(".json") else [json.loads(r) for r in text.splitlines()]
    )
    assert not report.ok or free_text_only(was, records)
    for each in report.faults:
        str(each).encode()
    shutil.copy(sound.root / name, copy / name)


SECTIONS = ("prompts", "cues", "sources", "columns", "licenses", "pools", "rejections", "replayed")


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Of two subsets, whose items use every word of their wording."""
    return make_release(tmp_path_factory.mktemp("fuzz") / "rich")


def everywhere(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every member of a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in members:
        found.append((*here, key))
        if isinstance(inner, (dict, list)):
            found += everywhere(inner, (*here, key))
    return found


@bounded
@given(data=st.data())
def test_any_one_change_of_the_new_sections(rich: Release, data: st.DataObject) -> None:
    """It is found, unless nothing else in the release could tell; and never a traceback."""
    section = data.draw(st.sampled_from(SECTIONS))
    summary = copy.deepcopy(rich.summary)
    steps = data.draw(st.sampled_from(everywhere({section: summary[section]})))
    inner: Any = summary
    for step in steps[:-1]:
        inner = inner[step]
    kept = inner[steps[-1]]
    if data.draw(st.booleans()):
        text = kept if isinstance(kept, str) else "a"
        inner[steps[-1]] = data.draw(junk | st.sampled_from([text + "é", "{where}", text[:-1], ""]))
    elif isinstance(inner, dict):
        del inner[steps[-1]]
    else:
        inner.append(kept)
    path = rich.root / "export_summary.json"
    path.write_text(json.dumps(summary), encoding="utf-8")
    report = verify_release(rich.root, workers=1)
    for each in report.faults:
        str(each).encode()
    assert not report.ok or free_text_only(rich.summary, summary), steps


def test_grid_lines_are_free_only_towards_fewer(rich: Release) -> None:
    """A line that is there may be art, so that none, or a thinner one, is no fault."""
    for lines, sound in (
        (None, True),
        ({"color": list(LINE_COLOR), "width": 1}, True),
        ({"color": list(LINE_COLOR), "width": 3}, False),
        ({"color": [0, 0, 0], "width": 2}, False),
    ):
        summary = copy.deepcopy(rich.summary)
        summary["sources"]["ROSE-Marks"]["grid_lines"] = lines
        path = rich.root / "export_summary.json"
        path.write_text(json.dumps(summary), encoding="utf-8")
        assert verify_release(rich.root, workers=1).ok is sound, lines


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return make_replayed(tmp_path_factory.mktemp("fuzz") / "replayed")


def may_be_free(name: str, row: Any, column: str) -> bool:
    """What only a record of a replayed release tells: nothing there could gainsay it."""
    if name == "export_summary.json":
        return column == "cues"  # of T4 items there are none of either cue
    alone = row["scene_id"] in ("MKSCENE_000001", "MKSCENE_000003")  # told of by one row
    return column in ("difficulty", "similarity_level") or alone


@bounded
@given(data=st.data())
def test_well_formed_nonsense_in_a_replayed_release(
    replayed: Release, tmp_path: Path, data: st.DataObject
) -> None:
    copied = tmp_path / "copy"
    if not copied.exists():
        shutil.copytree(replayed.root, copied)
    name = data.draw(
        st.sampled_from(
            [
                "metadata_test.jsonl",
                "bridges/global_click/metadata_test.jsonl",
                "bridges/matched_local_count/metadata_test.jsonl",
                "manifest.jsonl",
                "export_summary.json",
                "item.schema.json",
            ]
        )
    )
    text = (replayed.root / name).read_text(encoding="utf-8")
    lines = [text] if name.endswith(".json") else text.splitlines()
    was, records = list(map(json.loads, lines)), list(map(json.loads, lines))
    paths = [steps for steps in everywhere(records) if len(steps) > 1]
    steps = data.draw(st.sampled_from(paths))
    inner: Any = records
    for step in steps[:-1]:
        inner = inner[step]
    inner[steps[-1]] = data.draw(junk)
    (copied / name).write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    report = verify_release(copied, workers=1)
    for each in report.faults:
        str(each).encode()
    if name == "item.schema.json":
        assert not report.ok or json.dumps(was) == json.dumps(records)
    else:
        free = free_text_only(was, records) or may_be_free(name, was[steps[0]], str(steps[1]))
        assert not report.ok or free, steps
    shutil.copy(replayed.root / name, copied / name)
