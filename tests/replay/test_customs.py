"""Releases that bear ROSE's names and have customs of their own: no contradiction, as published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.replay import derive_row, recover
from rosegen.replay.records import labels_of
from rosegen.scene import T1, T4, T5
from tests.replay.maker import Row, made_bridges, made_rows, without_nulls, write


def smaller_type(row: Row) -> None:
    if row["font_size"] is not None:
        row["font_size"] = int(row["cell_size"] * 0.6)


def another_rule(row: Row) -> None:
    if not row["item_id"].endswith("__GCLK"):
        row["difficulty"] = "hard" if row["rows"] > 9 else "medium"


def other_instructions(row: Row) -> None:
    row["prompt_global"] = "Antworte knapp.\n"
    row["prompt"] = row["prompt_global"] + "\n" + row["prompt_local"]


def other_words(row: Row) -> None:
    row["prompt_local"] = row["prompt_local"].replace("Count the number of", "How many are the")
    row["prompt"] = row["prompt_global"] + "\n" + row["prompt_local"]


def another_color(row: Row) -> None:
    for word in ("red", "blue"):
        row["prompt_local"] = row["prompt_local"].replace(f" {word} ", " dark green ")
    row["prompt"] = row["prompt_global"] + "\n" + row["prompt_local"]


def another_kind(row: Row) -> None:
    row["primitive_type"] = "TYPE" if row["font_size"] else "SPRITE"


@pytest.mark.parametrize(
    "custom",
    [smaller_type, another_rule, other_instructions, other_words, another_color, another_kind],
)
def test_what_all_rows_of_a_release_of_rosegens_do_alike_is_as_published(
    custom: Callable[[Row], None], tmp_path: Path
) -> None:
    rows = made_rows()
    for row in rows:
        custom(row)
    assert rows != made_rows()
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert (recovered.faults, recovered.lost) == ((), ())
    scenes = {scene.scene_id: scene for scene in recovered.scenes}
    for row in rows:
        published = without_nulls(row)
        if not row["bridge_task"]:
            del published["bridge_task"]
        assert derive_row(scenes[row["scene_id"]], row["task_template"]) == published


def test_a_row_that_does_not_keep_to_the_words_of_the_others_is_named(tmp_path: Path) -> None:
    rows = made_rows()
    for row in rows:
        other_instructions(row)
    rows[3]["prompt_global"] = "You"
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert {(f.where, f.field) for f in recovered.faults} == {("rows.jsonl:4", "prompt_global")}
    assert recovered.scenes[0].wording.instructions == "Antworte knapp.\n"


@pytest.mark.parametrize("template", [T1, T4, T5])
def test_one_prompt_in_other_words_is_named_whatever_its_task(
    template: str, tmp_path: Path
) -> None:
    """A release of rosegen's that keeps to its English keeps to it in T4 and T5, too."""
    rows = made_rows()
    place = next(i for i, row in enumerate(rows) if row["task_template"] == template)
    rows[place]["prompt_local"] = "Click all cells that are different. DONE."
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert {(f.where, f.field) for f in recovered.faults} == {
        (f"rows.jsonl:{place + 1}", "prompt_local"),
    }


def test_what_most_of_roses_own_rows_do_wrongly_is_wrong(tmp_path: Path) -> None:
    """Without a word of rosegen's in them, rows are ROSE's, and its habits are known."""
    rows = [without_nulls(row) for row in made_bridges()]
    for row in rows:
        for key in [key for key in row if key.endswith(("_pack", "_license")) or key == "ssim"]:
            del row[key]
        other_words(row)
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    named = {f.where for f in recovered.faults if f.field == "prompt_local"}
    assert named == {
        f"rows.jsonl:{n + 1}" for n, row in enumerate(rows) if row["task_mode"] == "COUNT"
    }


def test_files_are_called_by_the_end_of_their_paths_that_tells_them_apart() -> None:
    def labels(*paths: str) -> list[str]:
        return list(labels_of([Path(path) for path in paths]).values())

    assert labels("/a/b/rows.jsonl") == ["rows.jsonl"]
    assert labels("/a/x.jsonl", "/b/y.jsonl") == ["x.jsonl", "y.jsonl"]
    assert labels("/a/x.jsonl", "/b/x.jsonl") == ["a/x.jsonl", "b/x.jsonl"]
    assert labels("/r/x.jsonl", "/r/bridges/a/x.jsonl", "/r/bridges/b/x.jsonl") == [
        "x.jsonl",
        "a/x.jsonl",
        "b/x.jsonl",
    ]
    assert labels("x.jsonl", "/x.jsonl") == ["x.jsonl", "/x.jsonl"]
    assert labels() == []
