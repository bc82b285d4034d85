"""Prompts by template: ROSE's English as it is, any other language whole, nothing left unsaid."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.data import assets_dir
from rosegen.geometry import Box, Phrases, Region, RegionType
from rosegen.scene import T1, T1B, T2, T2B, T3, T4, T5
from rosegen.wording import ENGLISH, Wording, WordingProblem, read_wording
from rosegen.yaml_file import problem_of, read_checked
from tests.core_maker import LAW

LANGUAGES = sorted((assets_dir() / "prompts").glob("*.yaml"))
boxes = st.tuples(*[st.integers(1, 99)] * 4).map(
    lambda n: Box(min(n[0], n[1]), max(n[0], n[1]), min(n[2], n[3]), max(n[2], n[3]))
)
regions = st.builds(
    Region,
    st.sampled_from([RegionType.ROW_RANGE, RegionType.COL_RANGE, RegionType.RECTANGLE]),
    boxes,
)


def wording_of(path: object) -> Wording:
    read = read_wording(read_checked(path, "prompts").data, bridges=True)  # type: ignore[arg-type]
    assert isinstance(read, Wording), read
    return read


@pytest.mark.parametrize("path", LANGUAGES, ids=lambda path: path.stem)
def test_a_shipped_language_says_everything_in_its_own_words(path: object) -> None:
    words = wording_of(path)
    assert not words.is_english
    assert set(words.tasks) == set(ENGLISH.tasks)
    for part in ("tasks", "cues"):
        own, english = getattr(words, part), getattr(ENGLISH, part)
        assert all(own[key] != english[key] for key in english)
    assert all(mine != theirs for mine, theirs in zip(words.regions, Phrases()))
    for symbol in ("COUNT(n)", "DONE", "SUBMIT(n)", "COUNT(3)", "CLICK(R2,C5)"):
        assert symbol in words.instructions
    assert {"red", "blue"} <= set(words.colors)
    again = read_wording({**words.as_dict()}, bridges=True)
    assert isinstance(again, Wording)
    assert again.as_dict() == words.as_dict()


@pytest.mark.parametrize("path", LANGUAGES, ids=lambda path: path.stem)
@LAW
@given(region=regions)
def test_a_prompt_names_the_bounds_of_its_region_and_nothing_else(
    path: object, region: Region
) -> None:
    words = wording_of(path)
    for template in (T2, T3, T5, T2B):
        asked = words.ask(template, region)
        wanted = region.params
        lines = sorted({*wanted.values()}) if len(wanted) == 2 else sorted(wanted.values())
        if len(wanted) == 2 and len(set(wanted.values())) == 1:
            lines = lines[:1]
        assert sorted(map(int, re.findall(r"\d+", asked))) == lines
        assert "{" not in asked
    marked = words.ask(T4, region, "MASK", "rot")
    assert "rot" in marked
    assert not re.search(r"\d", marked)


def test_roses_english_is_to_the_letter() -> None:
    rows = Region(RegionType.ROW_RANGE, Box(3, 5, 1, 9))
    whole = Region.whole(9, 9)
    assert ENGLISH.ask(T1, whole) == (
        "Count the number of cells that are different from the majority in the whole grid. "
        "Answer only in the format: COUNT(n)."
    )
    assert ENGLISH.ask(T1B, whole) == (
        "Click all cells that are different from the majority in the whole grid. "
        "Answer only using CLICK(Rr,Cc); ...; DONE."
    )
    assert ENGLISH.ask(T2B, rows) == (
        "Count the number of cells that are different from the majority in rows 3 to 5. "
        "Answer only in the format: COUNT(n)."
    )


def test_english_may_change_a_part_and_keep_the_rest() -> None:
    read = read_wording({"language": "en", "regions": {"row": "on line {r1}"}}, bridges=True)
    assert isinstance(read, Wording)
    line = Region(RegionType.ROW_RANGE, Box(4, 4, 1, 9))
    assert "majority on line 4." in read.ask(T3, line)
    assert read.tasks == ENGLISH.tasks


def test_the_shared_part_always_ends_in_one_line_break() -> None:
    for text in ("COUNT DONE SUBMIT", "COUNT DONE SUBMIT\n\n\n"):
        read = read_wording({"language": "en-GB", "global": text}, bridges=False)
        assert isinstance(read, Wording)
        assert read.instructions == "COUNT DONE SUBMIT\n"


# What is said, and what is wrong with it.
BAD = {
    "a language without a shared part": ({"language": "it"}, "no 'global' in it"),
    "a task without its region": (
        {"tasks": {T2: "How many? COUNT(n)"}},
        "does not say {where}",
    ),
    "a rectangle with three bounds": (
        {"regions": {"rectangle": "{r1} {r2} {c1}"}},
        "does not say {c2}",
    ),
    "a row with a column": ({"regions": {"row": "{r1} {c1}"}}, "{c1} is no placeholder"),
    "numbers run together": ({"regions": {"rows": "rows {r1}{r2}"}}, "run together"),
    "rows spelled as columns": (
        {"regions": {"row": "at line {r1}", "column": "at line {c1}"}},
        "is spelled as column is",
    ),
    "a number in a cue": (
        {"cues": {"MASK": "in part 1, {color}"}},
        "has a number, where only the cue",
    ),
    "cues alike": (
        {"cues": {"OUTLINE_BOX": "in the {color} part", "MASK": "in the {color} part"}},
        "both cues are called the same",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_model_could_not_understand_is_refused(case: str) -> None:
    data, says = BAD[case]
    read = read_wording({"language": "en", **data}, bridges=False)
    assert isinstance(read, WordingProblem)
    assert says in read.message


@pytest.mark.parametrize(
    "data",
    [
        {"language": "english please"},
        {"tasks": {"T9": "?"}},
        {"regions": {"row": "one\ntwo {r1}"}},
        {"cues": {"BLINK": "x"}},
        {"colors": {"red": "rot 1"}},
        {"globel": "x"},
    ],
)
def test_the_schema_refuses_other_shapes(data: dict[str, object]) -> None:
    assert problem_of({"language": "en", **data}, "prompts") is not None


def test_prompts_say_their_language() -> None:
    problem = problem_of({"cues": {"MASK": "in the {color} part"}}, "prompts")
    assert problem is not None
    assert "language" in problem.message
