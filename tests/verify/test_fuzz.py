"""Whatever bytes a release has, verifying it ends in a report, never in a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosegen.verify import verify_release
from tests.verify.release_maker import Release, default_specs, make_release

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
    "dataset_version", "protocol_version", "prompt_global", "image_note", "name", "version", "kind",
    "source", "attribution", "homepage", "license", "sha256", "rosegen_version", "toolchain",
    "candidates", "admitted", "difficulty_rule", "wanted", "h2_label", "h3_title", "complete",
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
