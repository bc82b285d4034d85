"""Items: every answer worked out again, every prompt as ROSE words it."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from rosegen.geometry import Box, Cell, Region, RegionType
from rosegen.render.cue import CueType
from rosegen.scene import (
    BRIDGE_TEMPLATES,
    T1,
    T2,
    T3,
    T4,
    T5,
    TEMPLATES,
    Context,
    Grid,
    Scene,
    whole_grid,
)
from rosegen.tasks import Item, make_bridges, make_items
from rosegen.wording import ENGLISH, PROMPT_GLOBAL
from tests.core_maker import REFERENCE, pair, scenes, small_subset

STYLE = small_subset().cue_style
ORIGIN = dict(zip(BRIDGE_TEMPLATES, (T1, T3)))
PHRASES = {
    "in row 4": Region(RegionType.ROW_RANGE, Box(4, 4, 1, 9)),
    "in rows 3 to 5": Region(RegionType.ROW_RANGE, Box(3, 5, 1, 9)),
    "in column 8": Region(RegionType.COL_RANGE, Box(1, 9, 8, 8)),
    "in columns 2 to 4": Region(RegionType.COL_RANGE, Box(1, 9, 2, 4)),
    "from row 4 column 5 to row 8 column 9": Region(RegionType.RECTANGLE, Box(4, 8, 5, 9)),
}


def scene_with(region: Region, rows: int = 9, cols: int = 9, cue: str = "MASK") -> Scene:
    """A scene all of whose tasks speak of one region."""
    grid = Grid("small", rows, cols, 20)
    context = Context(region, "partial")
    return Scene(
        subset="S",
        number=1,
        grid=grid,
        exceptions=(Cell(5, 5), Cell(1, 1)),
        pair=pair(),
        contexts={
            T1: whole_grid(grid),
            T2: context,
            T3: context,
            T4: Context(Region(RegionType.VISUAL_REGION, region.box), "partial"),
            T5: replace(context, excluded=True),
        },
        cue=cue,
        split="test",
    )


def answer_by_hand(scene: Scene, template: str, mode: str) -> str:
    box = scene.contexts[ORIGIN.get(template, template)].region.box
    asked = []
    for row, col in sorted(scene.exceptions):
        inside = box.r1 <= row <= box.r2 and box.c1 <= col <= box.c2
        if inside != (template == T5):
            asked.append(f"CLICK(R{row},C{col}); ")
    end = {"COUNT": "", "CLICK": "DONE", "CLICK_COUNT": f"SUBMIT({len(asked)})"}[mode]
    return f"COUNT({len(asked)})" if mode == "COUNT" else "".join(asked) + end


@pytest.mark.parametrize("subset", [0, 1])
def test_answers_are_what_the_grid_says(subset: int) -> None:
    modes = ["COUNT", "COUNT", "CLICK", "CLICK", "CLICK_COUNT", "CLICK", "COUNT"]
    for scene in scenes(subset):
        items = [*make_items(scene, ENGLISH, STYLE), *make_bridges(scene, ENGLISH, STYLE)]
        assert [item.template for item in items] == [*TEMPLATES, *BRIDGE_TEMPLATES]
        assert [item.mode for item in items] == modes
        for item in items:
            assert item.answer == answer_by_hand(scene, item.template, item.mode)
            assert item.prompt_local.endswith(f" {item.output_format}.")


@pytest.mark.parametrize("phrase", PHRASES)
def test_prompts_name_the_region(phrase: str) -> None:
    t1, t2, t3, _, t5 = make_items(scene_with(PHRASES[phrase]), ENGLISH, STYLE)
    majority = "cells that are different from the majority"
    assert t1.prompt_local == (
        f"Count the number of {majority} in the whole grid. Answer only in the format: COUNT(n)."
    )
    assert t2.prompt_local == (
        f"Count the number of {majority} {phrase}. Answer only in the format: COUNT(n)."
    )
    assert t3.prompt_local == (
        f"Click all {majority} {phrase}. Answer only using CLICK(Rr,Cc); ...; DONE."
    )
    assert t5.prompt_local.startswith(
        f"Click all {majority} in the whole grid, except those {phrase}"
    )
    assert t5.prompt_local.endswith("Answer only using CLICK(Rr,Cc); ...; SUBMIT(n).")


@pytest.mark.parametrize(("cue", "marked"), [("MASK", "blue"), ("OUTLINE_BOX", "red")])
def test_the_marked_region_is_named_by_its_look_alone(cue: str, marked: str) -> None:
    for region in PHRASES.values():
        item = make_items(scene_with(region, cue=cue), ENGLISH, STYLE)[3]
        assert item.template == T4
        assert re.search(r"\d", item.prompt_local) is None
        assert "row" not in item.prompt_local
        assert "column" not in item.prompt_local
        assert f" {marked} " in item.prompt_local
    assert STYLE.color_name(CueType(cue)) == marked


@lru_cache(maxsize=2)
def rose_rows(bridge: str) -> list[dict[str, Any]]:
    path = REFERENCE / "rose_v0.1" / f"{bridge}.metadata_test.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"ROSE's public rows are not at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_item(row: dict[str, Any], which: int) -> Item:
    """The item rosegen makes of the grid, the exceptions and the region of a row."""
    region = Region.from_params(
        RegionType(row["region_type"]), row["region_params"], row["rows"], row["cols"]
    )
    scene = scene_with(region, row["rows"], row["cols"])
    cells = tuple(Cell(*cell) for cell in row["target_cells"])
    return make_bridges(replace(scene, exceptions=cells), ENGLISH, STYLE)[which]


@pytest.mark.parametrize(("bridge", "which"), [("global_click", 0), ("matched_local_count", 1)])
def test_the_wording_is_roses_own_to_the_letter(bridge: str, which: int) -> None:
    rows = rose_rows(bridge)
    assert len(rows) == 1112
    for row in rows:
        item = as_item(row, which)
        assert item.template == row["task_template"]
        assert item.mode == row["task_mode"]
        assert item.prompt_local == row["prompt_local"]
        assert row["prompt_global"] == PROMPT_GLOBAL
        assert PROMPT_GLOBAL + "\n" + item.prompt_local == row["prompt"]
        assert item.output_format == row["expected_output_format"]
        assert item.answer == row["ground_truth_formal_answer"]
        assert [cell.label for cell in item.targets] == row["ground_truth_clicks"]
