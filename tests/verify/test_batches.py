"""A release's report is the same however many of its scenes are checked at a time."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from rosegen.verify import index, verify_release
from rosegen.verify.report import Fault
from tests.verify.checking import check_only
from tests.verify.release_maker import Release, make_release

FILES = (
    "metadata_dev.jsonl",
    "metadata_test.jsonl",
    "manifest.jsonl",
    "bridges/global_click/metadata_test.jsonl",
    "bridges/matched_local_count/metadata_test.jsonl",
)
IDS = ("item_id", "scene_id", "image_id", "item_seed", "task_template", "split", "pair_key")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return make_release(tmp_path_factory.mktemp("batches") / "sound")


def report(root: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> set[Fault]:
    monkeypatch.setattr(index, "_SMALLEST", size)
    monkeypatch.setattr(index, "_LARGEST", size)
    return set(verify_release(root, workers=1).faults)


def disturb(root: Path, chance: random.Random) -> str:
    """Do something to the rows of a file; says what."""
    name = chance.choice(FILES)
    path = root / name
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if isinstance(row, dict)]
    what = chance.choice(("shuffle", "double", "drop", "swap", "copy ids", "null", "no row"))
    one, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    column = chance.choice([each for each in IDS if each in rows[one]])
    lines: list[Any] = rows
    if what == "shuffle":
        chance.shuffle(rows)
    elif what == "double":
        rows.insert(other, rows[one])
    elif what == "drop":
        del rows[one]
    elif what == "swap":
        rows[one][column], rows[other][column] = rows[other][column], rows[one][column]
    elif what == "copy ids":
        for each in ("item_id", "scene_id", "image_id", "item_seed"):
            if each in rows[one] and each != column:
                rows[one][each] = rows[other][each]
    elif what == "null":
        rows[one][column] = None
    else:
        lines = [*rows[:one], "no row", *rows[one:]]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return f"{what} {column} of {one} and {other} in {name}"


@pytest.mark.parametrize("seed", range(40))
def test_rows_that_stand_elsewhere(
    sound: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(sound.root, copied)
    chance = random.Random(seed)
    done = [disturb(copied, chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
    one, two, all_at_once = (report(copied, size, monkeypatch) for size in (1, 2, 16))
    assert one == all_at_once, done
    assert two == all_at_once, done


def test_a_pair_on_both_sides_is_found_across_batches(
    sound: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(sound.root, copied)
    pairs: dict[str, set[str]] = {}
    for split in ("dev", "test"):
        path = copied / f"metadata_{split}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            if row["rose_subset"] == "ROSE-Squares":
                row["pair_key"] = "a__b"
                pairs.setdefault(row["pair_key"], set()).add(split)
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        path.write_text(text, encoding="utf-8")
    assert pairs == {"a__b": {"dev", "test"}}
    faults = report(copied, 1, monkeypatch)
    torn = [each for each in faults if each.kind == "split" and "pair 'a__b' is" in each.detail]
    assert torn
    assert faults == report(copied, 16, monkeypatch)


def test_a_line_without_end_is_not_read_to_its_end(sound: Release, tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(sound.root, copied)
    path = copied / "metadata_test.jsonl"
    path.write_bytes(path.read_bytes() + b'{"item_id": "' + b"a" * (1 << 21) + b'"}\n')
    found = verify_release(copied, workers=1)
    check_only(found, "schema", "metadata_test.jsonl:", "a line of more than 1048576 bytes", 99)
