"""Prompts in any language are put together anew from the words the summary gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.verify import Fault
from rosegen.verify.grid import Area
from rosegen.verify.wording import Wording
from tests.verify.checking import verified
from tests.verify.release_maker import (
    ENGLISH,
    FRENCH,
    Region,
    Release,
    Words,
    default_specs,
    make_release,
)

SUMMARY = "export_summary.json"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return make_release(tmp_path / "release")


def check_one(release: Release, kind: str, where: str, detail: str) -> Fault:
    """A release's one fault, which must be this one."""
    report = verified(release)
    assert len(report.faults) == 1, "\n".join(map(str, report.faults))
    (found,) = report.faults
    assert (found.kind, found.where) == (kind, where), str(found)
    assert detail in found.detail, str(found)
    return found


def say(row: dict[str, Any], local: str) -> None:
    row["prompt_local"], row["prompt"] = local, row["prompt_global"] + "\n" + local


@pytest.mark.parametrize(
    "item",
    [
        *(f"MKITEM_{number:06d}" for number in range(1, 6)),
        "MKITEM_000001__GCLK",
        "MLCNT_MKITEM_000003",
    ],
)
def test_a_changed_word_of_any_prompt_is_found(release: Release, item: str) -> None:
    row = release.row(item)
    assert "cases" in row["prompt_local"]
    say(row, row["prompt_local"].replace("cases", "colonnes"))
    release.write()
    found = check_one(release, "prompt", item, "prompt_local says 'colonnes'")
    assert "its wording has 'cases'" in found.detail


def test_t4_must_speak_of_the_cue_that_is_drawn(release: Release) -> None:
    row = release.row("MKITEM_000004")
    assert "dans la zone bleue" in row["prompt_local"]
    say(row, row["prompt_local"].replace("dans la zone bleue", "dans le cadre rouge"))
    release.write()
    check_one(release, "prompt", "MKITEM_000004", "'le cadre rouge,'")


def test_wrong_bounds_in_another_language_are_one_fault(release: Release) -> None:
    for item, key in (
        ("MKITEM_000002", "r2"),
        ("MKITEM_000003", "c1"),
        ("MKITEM_000004", "r1"),
        ("MLCNT_MKITEM_000003", "c2"),
        ("MKITEM_000007", "r2"),  # of one row
    ):
        bounds = release.row(item)["region_params"]
        kept = bounds[key]
        bounds[key] = kept + 1 if key in ("r2", "c2") else kept - 1
        release.write()
        check_one(release, "region", item, "and the row's counts say")
        bounds[key] = kept
    release.row("MKITEM_000005")["region_params"]["exclude_params"]["c1"] = 1
    release.write()
    check_one(release, "region", "MKITEM_000005", "but the prompt and the row's counts say all")


def section(release: Release, name: str) -> Any:
    return release.summary[name]["ROSE-Marks"]


@pytest.mark.parametrize(
    ("part", "old", "new", "count"),
    [
        ("tasks.T2_COUNT_LOCAL_NUMERIC", "cases", "cellules", 3),
        ("tasks.T4_CLICK_VISUAL_REGION", "Format", "Forme", 3),
        ("tasks.T1B_CLICK_GLOBAL", "cases", "cellules", 3),
        ("regions.whole", "toute", "notre", 6),  # T1 and T1B
        ("regions.columns", "de la", "depuis la", 4),  # T3 and T2B of two scenes
        ("regions.rectangle", "aux", "dans les", 3),
        ("cues.MASK", "zone", "case", 2),
    ],
)
def test_a_changed_word_in_the_summary_is_one_fault(
    release: Release, part: str, old: str, new: str, count: int
) -> None:
    table, name = part.split(".")
    words = section(release, "prompts")[table]
    assert old in words[name]
    words[name] = words[name].replace(old, new)
    release.write()
    found = check_one(release, "summary", SUMMARY, f"prompts.ROSE-Marks.{part}")
    assert f": none of {count} items is worded so" in found.detail


def test_another_colour_or_other_instructions_are_one_fault(release: Release) -> None:
    section(release, "cues")["mask_name"] = "verte"
    release.write()
    check_one(release, "summary", SUMMARY, "prompts.ROSE-Marks.cues.MASK: none of 2 items")
    section(release, "cues")["mask_name"] = "bleue"
    section(release, "prompts")["global"] = "Les lignes sont comptées à partir de 1.\n"
    release.write()
    check_one(release, "summary", SUMMARY, "prompts.ROSE-Marks.global has")


def test_one_scene_with_other_instructions(release: Release) -> None:
    tables = [*release.metadata.values(), *release.bridges.values()]
    for row in (row for rows in tables for row in rows):
        if row["scene_id"] == "MKSCENE_000002":
            row["prompt_global"] = "Soyez bref.\n"
            row["prompt"] = "Soyez bref.\n\n" + row["prompt_local"]
    release.write()
    check_one(release, "scene", "MKSCENE_000002", "prompt_global says 'Soyez bref.")


Change = Callable[[dict[str, Any], dict[str, Any]], object]


def put(table: str, name: str, text: str) -> Change:
    return lambda prompts, cues: prompts[table].update({name: text})


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (put("regions", "row", "à cette ligne"), "regions.row does not name {r1}"),
        (put("regions", "rows", "de la ligne {r1} à la fin"), "regions.rows does not name {r2}"),
        (put("regions", "rectangle", "{r1}, {c1}, {r2}"), "regions.rectangle does not name {c2}"),
        (put("regions", "column", "{c1} et {r1}"), "regions.column has {r1}, which nothing"),
        (put("regions", "whole", "de {r1} à {r2}"), "regions.whole has {r1}, which nothing"),
        (put("regions", "columns", "de {c1}{c2}"), "regions.columns runs numbers together"),
        (put("regions", "row", "ligne 0{r1}"), "regions.row runs numbers together"),
        (
            lambda prompts, cues: prompts["regions"].update(
                row="au rang {r1}", column="au rang {c1}"
            ),
            "regions.row and regions.column are spelled the same",
        ),
        (
            put("tasks", "T3_CLICK_LOCAL_NUMERIC", "Cliquez. DONE"),
            "T3_CLICK_LOCAL_NUMERIC does not",
        ),
        (
            put("tasks", "T2B_COUNT_LOCAL_MATCHED", "Comptez. COUNT"),
            "MATCHED does not name {where}",
        ),
        (
            put("tasks", "T5_CLICK_COUNT_EXCLUSION", "Sauf {where} !"),
            "the answer's format (SUBMIT)",
        ),
        (put("tasks", "T1_COUNT_GLOBAL", "{where} {how} COUNT(n)"), "T1_COUNT_GLOBAL has {how}"),
        (
            lambda prompts, cues: prompts["tasks"].update(T1B_CLICK_GLOBAL=None),
            "tasks.T1B_CLICK_GLOBAL is null, but the release has bridges",
        ),
        (put("cues", "MASK", "aux lignes 2 à 4"), "cues.MASK gives a number"),
        (put("cues", "MASK", "aux lignes ٢ à ٤"), "cues.MASK gives a number"),
        (put("cues", "MASK", "sous {where}"), "cues.MASK has {where}"),
        (lambda prompts, cues: cues.update(mask_name="#3070f0"), "cues.MASK gives a number"),
        (lambda prompts, cues: cues.update(mask_name="{color}"), "cues.MASK has {color}"),
        (
            lambda prompts, cues: prompts["cues"].update(MASK="ici", OUTLINE_BOX="ici"),
            "cues: both are called the same",
        ),
        (
            lambda prompts, cues: prompts.update({"global": "Bref, {where}.\n"}),
            "global has {where}",
        ),
    ],
)
def test_a_wording_that_leaves_a_model_in_the_dark(
    release: Release, change: Change, detail: str
) -> None:
    change(section(release, "prompts"), section(release, "cues"))
    release.write()
    details = [each.detail for each in verified(release).faults if each.kind == "summary"]
    assert any(f"prompts.ROSE-Marks: {detail}" in each or detail in each for each in details), (
        details
    )


@pytest.mark.parametrize(
    ("words", "detail"),
    [
        (replace(FRENCH, cues=dict.fromkeys(FRENCH.cues, "ici")), "both are called the same"),
        (replace(FRENCH, colors={"OUTLINE_BOX": "no. 1", "MASK": "bleue"}), "gives a number"),
        (
            replace(FRENCH, regions={**FRENCH.regions, "rows": "après la ligne {r1}"}),
            "regions.rows does not name {r2}",
        ),
        (replace(FRENCH, submit="Tout, sauf {where}."), "tells the answer's format (SUBMIT)"),
    ],
)
def test_prompts_that_are_built_of_a_bad_wording(tmp_path: Path, words: Words, detail: str) -> None:
    """The rows agree with it, so that nothing but the wording is at fault."""
    specs = default_specs()[3:]
    for spec in specs:
        spec.words = words
    check_one(make_release(tmp_path / "r", specs), "summary", SUMMARY, detail)


def test_only_a_replayed_release_may_keep_its_words_to_itself(release: Release) -> None:
    del release.summary["prompts"]["ROSE-Marks"]
    release.write()
    check_one(release, "summary", SUMMARY, "prompts has no ROSE-Marks")


def test_bridges_need_no_words_where_there_are_none(tmp_path: Path) -> None:
    release = make_release(tmp_path / "r", bridges=False)
    tasks = section(release, "prompts")["tasks"]
    tasks.update(T1B_CLICK_GLOBAL=None, T2B_COUNT_LOCAL_MATCHED=None)
    release.write()
    assert verified(release).faults == ()


CHINESE = replace(
    FRENCH,
    count="请数出{where}与多数不同的单元格。只按格式回答:COUNT(n)。",
    regions={
        "whole": "整个网格中",
        "row": "第{r1}行中",
        "rows": "第{r1}行至第{r2}行中",
        "column": "第{c1}列中",
        "columns": "第{c1}列至第{c2}列中",
        "rectangle": "从第{r1}行第{c1}列到第{r2}行第{c2}列的区域中(第{r1}行起)",
    },
)


@given(
    words=st.sampled_from([ENGLISH, FRENCH, CHINESE]),
    template=st.sampled_from(["T2_COUNT_LOCAL_NUMERIC", "T5_CLICK_COUNT_EXCLUSION"]),
    kind=st.sampled_from(["ROW_RANGE", "COL_RANGE", "RECTANGLE"]),
    rows=st.tuples(st.integers(1, 30), st.integers(1, 30)).map(sorted),
    cols=st.tuples(st.integers(1, 30), st.integers(1, 30)).map(sorted),
)
def test_a_region_is_read_back_from_any_prompt(
    words: Words, template: str, kind: str, rows: list[int], cols: list[int]
) -> None:
    (r1, r2), (c1, c2) = rows, cols
    if kind == "ROW_RANGE":
        c1, c2 = 1, 30
    if kind == "COL_RANGE":
        r1, r2 = 1, 30
    look = {"outline_name": "red", "mask_name": "blue"}
    wording = Wording.of(words.entry, look)
    local = words.ask(template, Region(kind, r1, r2, c1, c2), "MASK")
    row = {"task_template": template, "prompt_local": local}
    area = Area(kind, (r1, r2, c1, c2), outside=template.startswith("T5"))
    assert wording.area(row, 30, 30) == area
    assert wording.problem(row, area) is None
    assert wording.area(row, r2 - 1, c2 - 1) is None
