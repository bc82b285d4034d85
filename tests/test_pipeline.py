"""Pipeline files: the shipped ones are sound, and every mistake is one line at its own line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rosegen.data import assets_dir, pipelines_dir
from rosegen.errors import RosegenError
from rosegen.packs import load_packs
from rosegen.pipeline import Difficulty, Pipeline, Point, load_pipeline
from rosegen.placement import place
from rosegen.plan import plan_subset
from rosegen.sources.pixel_art import OWN_PACK
from rosegen.sources.registry import source_class
from tests.core_maker import SMALL, small_pipeline

SHIPPED = sorted(path.stem for path in pipelines_dir().glob("*.yaml"))
TEXT = SMALL.read_text(encoding="utf-8")


def refusal(tmp_path: Path, text: str) -> tuple[int, str]:
    """The line an error names, and the whole of its one-line message."""
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosegenError) as caught:
        load_pipeline(path)
    message = str(caught.value)
    assert "\n" not in message
    found = re.match(re.escape(str(path)) + r":(\d+): ", message)
    assert found is not None, message
    return int(found[1]), message


def line_of(text: str, fragment: str) -> int:
    """The line (from 1) of the only place where a fragment stands."""
    assert text.count(fragment) == 1, fragment
    return text[: text.index(fragment)].count("\n") + 1


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_pipelines_are_sound(name: str) -> None:
    pipeline = load_pipeline(name)
    packs = load_packs()
    for subset in pipeline.subsets:
        source = source_class(subset.kind, subset.options)
        named = [packs[pack].kind if isinstance(pack, str) else pack.kind for pack in subset.packs]
        assert set(named) <= set(source.pack_kinds)
        assert subset.packs or source.kind == "sprite"
        if source.kind == "sprite":
            assert set(subset.group_shares) <= {*subset.packs, OWN_PACK}
    names = {subset.name for subset in pipeline.subsets}
    profiles = {profile for subset in pipeline.subsets for profile in subset.profiles}
    for point in pipeline.difficulty.points:
        assert point.subset is None or point.subset in names
        if point.field == "rose_subset":
            assert point.equals in names
        if point.field == "grid_size_profile":
            assert point.equals in profiles | {"large"}


def test_rose_v01_has_roses_own_size() -> None:
    pipeline = load_pipeline("rose-v0.1")
    assert [(s.name, s.prefix, s.seed, s.scenes, s.dev_scenes) for s in pipeline.subsets] == [
        ("ROSE-ChineseGlyph", "CH", 2026, 412, 111),
        ("ROSE-EmojiStyle", "ESTY", 2026, 300, 79),
        ("ROSE-EmojiContent", "ECON", 2026, 300, 79),
        ("ROSE-PixelEdit", "PEDIT", 2027, 300, 79),
        ("ROSE-PixelContent", "PCONT", 2027, 200, 52),
    ]


def test_a_subset_wins_over_the_defaults_key_by_key(tmp_path: Path) -> None:
    pipeline = small_pipeline()
    assert [subset.scenes for subset in pipeline.subsets] == [24, 10]
    path = tmp_path / "own.yaml"
    own = "    prefix: ED\n    grid: {cell_size: [30, 40]}\n"
    path.write_text(TEXT.replace("    prefix: ED\n", own), encoding="utf-8")
    first, second = load_pipeline(path).subsets
    assert first.cell_size == (30, 40)
    assert first.profiles == second.profiles
    assert second.cell_size == (16, 24)


def test_line_ends_do_not_make_another_pipeline(tmp_path: Path) -> None:
    path = tmp_path / "crlf.yaml"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert load_pipeline(path).sha256 == small_pipeline().sha256


def test_a_name_that_is_no_file_lists_the_shipped_ones() -> None:
    with pytest.raises(RosegenError, match="no shipped pipeline of that name") as caught:
        load_pipeline("rose")
    assert all(name in str(caught.value) for name in SHIPPED)


# What is replaced, by what, where the complaint stands, and what it says.
MISTAKES = {
    "typo in the file": ("bridges: true", "brigdes: true", "brigdes", "is bridges meant?"),
    "typo in the defaults": ("  dev_scenes: 6", "  dev_scene: 6", "dev_scene:", "dev_scene"),
    "typo deeper": ("    cell_size:", "    cel_size:", "cel_size", "is cell_size meant?"),
    "typo in a subset": ("    prefix: ED", "    prefex: ED", "prefex", "is prefix meant?"),
    "wrong type": ("scenes: 24", 'scenes: "24"', 'scenes: "24"', "not of type 'integer'"),
    "wrong type in a subset": ("seed: 7", "seed: seven", "seed: seven", "not of type 'integer'"),
    "out of range": ("mask_alpha: 64", "mask_alpha: 255", "mask_alpha", "maximum of 254"),
    "not a colour": ('"#e02020"', '"red"', 'outline_color: "red"', 'is not written like "#00a040"'),
    "unknown kind": (
        "kind: sprite",
        "kind: spright",
        "spright",
        "unknown kind 'spright': is sprite meant?",
    ),
    "no shipped prompts": (
        "takes: 1",
        "takes: 1\n    prompts: xx",
        "prompts: xx",
        "shipped are de,",
    ),
    "prompts that are nowhere": (
        "takes: 1",
        "takes: 1\n    prompts: nope.yaml",
        "prompts: nope",
        "no prompts at ",
    ),
    "a pack file that is nowhere": (
        "    packs: []\n",
        "    packs: [nope.yaml]\n",
        "packs: [nope",
        "no pack file at ",
    ),
    "a list of pictures that is nowhere": (
        "kind: sprite\n    options:\n      compare: edits\n      takes: 1\n    packs: []",
        "kind: image_pairs\n    options:\n      pairs: nope.csv\n    packs: []",
        "pairs: nope",
        "no pairs at ",
    ),
    "half a translation": (
        "    packs: []\n",
        "    packs: []\n    prompts: {language: it, global: Ciao}\n",
        "prompts:",
        "not in it yet: T1_COUNT_GLOBAL",
    ),
    "a region not named": (
        "    packs: []\n",
        "    packs: []\n    prompts: {language: en, regions: {rows: from row {r1}}}\n".replace(
            "from row {r1}", '"from row {r1}"'
        ),
        "prompts:",
        "does not say {r2}",
    ),
    "prompts of no language": (
        "    packs: []\n",
        '    packs: []\n    prompts: {cues: {MASK: "in the {color} part"}}\n',
        "prompts:",
        "'language'",
    ),
    "an unknown placeholder": (
        "    packs: []\n",
        '    packs: []\n    prompts: {language: en, cues: {MASK: "in the {colour} part"}}\n',
        "prompts:",
        "{colour} is no placeholder (known: {color})",
    ),
    "a prompt without a format": (
        "    packs: []\n",
        "    packs: []\n"
        "    prompts: {language: en, global: Look.,\n"
        '      tasks: {T1_COUNT_GLOBAL: "How many {where}?"}}\n',
        "tasks: {T1",
        "tells the answer's format (COUNT...)",
    ),
    "a folder without a licence": (
        "    packs: []\n",
        "    packs: [{folder: art, attribution: me}]\n",
        "folder: art",
        "'license' is a required property",
    ),
    "lines that hide the cue": (
        "    packs: []\n",
        '    packs: []\n    grid_lines: {color: "#e02020"}\n',
        "grid_lines:",
        "in the colour of the cue",
    ),
    "lines nearly in the colour of the cue": (
        "    packs: []\n",
        '    packs: []\n    grid_lines: {color: "#E52424"}\n',
        "grid_lines:",
        "apart in CIELAB, and must be 15",
    ),
    "a box in the colour of the ground": (
        '"#e02020"',
        '"#ffffff"',
        "outline_color:",
        "the box would hardly be seen: it is 0.0 from the background",
    ),
    "a box nearly in the colour of the ground": (
        '"#e02020"',
        '"#FEFEFE"',
        "outline_color:",
        "the box would hardly be seen: it is 0.3 from the background",
    ),
    "a mask of next to no weight": (
        "mask_alpha: 64",
        "mask_alpha: 1",
        "mask_alpha:",
        "the mask would hardly be seen: it is 0.6 from the background",
    ),
    "a mask in the colour of the ground": (
        '"#3070f0"',
        '"#ffffff"',
        "mask_color:",
        "the mask would hardly be seen: it is 0.0 from the background",
    ),
    "a ground in the colour of the box": (
        "    packs: []\n",
        '    packs: []\n    background: "#e02828"\n',
        "background:",
        "the box would hardly be seen",
    ),
    "a box of another colour that is called red": (
        "    packs: []\n",
        '    packs: []\n    cues: {outline_color: "#00ff00"}\n',
        "cues: {outline_color",
        "say beside it what prompts call this colour (outline_name: green)",
    ),
    "a mask of another colour that is called blue": (
        "    packs: []\n",
        '    packs: []\n    cues: {mask_color: "#ffff00"}\n',
        "cues: {mask_color",
        "say beside it what prompts call this colour (mask_name: yellow)",
    ),
    "lines that fill the cell": (
        "    packs: []\n",
        '    packs: []\n    grid_lines: {color: "#cccccc", width: 5}\n',
        "grid_lines:",
        "lines of 5 px leave too little",
    ),
    "unknown option": ("takes: 1", "tekes: 1", "tekes", "no such option: 'tekes' is unknown here"),
    "an option that is like no other": (
        "takes: 1",
        "zzz: 1",
        "zzz",
        "known are",
    ),
    "lowest above highest": ("[16, 24]", "[24, 16]", "[24, 16]", "lowest 24 is above"),
    "lines crossed": ("[9, 10]", "[10, 9]", "[10, 9]", "lowest 10 is above"),
    "too many dev": ("dev_scenes: 6", "dev_scenes: 11", "dev_scenes: 11", "more dev_scenes"),
    "all shares zero": ("{1: 1, 2: 2, 4: 1}", "{1: 0, 2: 0}", "{1: 0, 2: 0}", "every share"),
    "all cases zero": (
        "T4_CLICK_VISUAL_REGION: {zero: 1, partial: 2, all: 1}",
        "T4_CLICK_VISUAL_REGION: {zero: 0, all: 0}",
        "T4_CLICK_VISUAL_REGION",
        "every share is zero",
    ),
    "impossible partial quota": (
        "{1: 1, 2: 2, 4: 1}",
        "{1: 9, 2: 1}",
        "T2_COUNT_LOCAL_NUMERIC",
        "12 partial regions wanted, but only 2 of 24 scenes",
    ),
    "no rectangle fits": ("[0.05, 0.5]", "[0.9, 0.95]", "[6, 8]", "no rectangle covers"),
    "no rectangle has room": ("4: 1}", "19: 1}", "[6, 8]", "has room for 19 exceptions"),
    "range is the grid": ("range_lines: [1, 3]", "range_lines: [6, 6]", "[6, 8]", "the whole grid"),
    "twin names": ("name: Contents", "name: edits", "name: edits", "used twice"),
    "twin prefixes": ("prefix: CO", "prefix: ED", "{compare: relatives}", "used twice"),
    "repeated key": ("  scenes: 24", "  scenes: 24\n  scenes: 9", "scenes: 9", "given twice"),
    "two conditions": ("at_least: 3}", "at_least: 3, equals: 3}", "at_least: 3", "exactly one"),
    "not YAML": ("bridges: true", "bridges: [true", "difficulty", "not valid YAML"),
    "not a table": ("subsets:\n", "subsets:\n  - 5\n", "- 5", "not of type 'object'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_at_its_own_line(case: str, tmp_path: Path) -> None:
    old, new, where, says = MISTAKES[case]
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    line, message = refusal(tmp_path, text)
    expected = line_of(text, where)
    if case == "twin prefixes":
        expected -= 3
    assert (line, says in message) == (expected, True), message


@pytest.mark.parametrize("text", ["", "[]", "just words", "format: 1\n"])
def test_what_is_no_pipeline_is_refused(text: str, tmp_path: Path) -> None:
    line, _ = refusal(tmp_path, text)
    assert line == 1


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    for data in (b"\xff\xfe\x00", b"name: a\x00b\n"):
        path.write_bytes(data)
        with pytest.raises(RosegenError, match=r"cannot be read|not valid YAML") as caught:
            load_pipeline(path)
        assert "\n" not in str(caught.value)


def test_a_mistake_beside_a_merged_table_stands_at_its_own_line(tmp_path: Path) -> None:
    """``<<: *other`` brings the same keys along; the complaint is about the file's own."""
    text = TEXT.replace("  grid:\n", "  grid: &grid\n", 1)
    own = "    prefix: ED\n    grid:\n      <<: *grid\n      cell_size: [44, 33]\n"
    text = text.replace("    prefix: ED\n", own)
    line, message = refusal(tmp_path, text)
    assert line == line_of(text, "[44, 33]"), message


def test_a_mistake_in_the_defaults_stands_there_though_a_subset_adds_to_the_table(
    tmp_path: Path,
) -> None:
    text = TEXT.replace("[16, 24]", "[24, 16]")
    text = text.replace("    prefix: ED\n", "    prefix: ED\n    grid: {exceptions: {2: 1}}\n")
    line, message = refusal(tmp_path, text)
    assert line == line_of(text, "[24, 16]"), message


def test_a_cue_that_is_never_shown_need_not_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "boxes.yaml"
    text = TEXT.replace("mask_alpha: 64", "mask_alpha: 1")
    path.write_text(text.replace("{OUTLINE_BOX: 1, MASK: 1}", "{OUTLINE_BOX: 1}"), encoding="utf-8")
    assert load_pipeline(path).subsets[0].cue_style.mask_alpha == 1


def test_colours_may_be_written_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "capitals.yaml"
    path.write_text(TEXT.replace('"#e02020"', '"#E02020"'), encoding="utf-8")
    assert load_pipeline(path).subsets[0].cue_style == small_pipeline().subsets[0].cue_style


# What is replaced, and by what.
NONSENSE = {
    "no exceptions": ("{1: 1, 2: 2, 4: 1}", "{0: 1, 2: 3}"),
    "fewer than no exceptions": ("{1: 1, 2: 2, 4: 1}", "{-1: 1, 2: 3}"),
    "half an exception": ("{1: 1, 2: 2, 4: 1}", "{1.5: 1, 2: 3}"),
    "exceptions that are no number": ("{1: 1, 2: 2, 4: 1}", "{true: 1, 2: 3}"),
    "an infinite share": ("{1: 1, 2: 2, 4: 1}", "{1: .inf, 2: 3}"),
    "a share that is no number": ("{1: 1, 2: 2, 4: 1}", "{1: .nan, 2: 3}"),
    "a bound that is no number": ("[-1, 0.9999]", "[.nan, 0.9999]"),
    "a profile that is no name": ("      small:\n", "      7:\n"),
    "a date that never was": ("name: Small", "name: 2024-13-45"),
    "a list within itself": ("subsets:\n", "subsets: &all [*all]\nrest:\n"),
    "an option of another type": ("takes: 1", "takes: many"),
    "an option that is no list": ("takes: 1", "operations: 5"),
    "words at least a number": ("profile, equals: large}", "profile, at_least: 3}"),
    "a point for an unknown subset": ("subset: Edits}", "subset: Edit}"),
}


@pytest.mark.parametrize("case", NONSENSE)
def test_what_no_pipeline_can_mean_is_refused_at_a_line(case: str, tmp_path: Path) -> None:
    old, new = NONSENSE[case]
    assert old in TEXT
    refusal(tmp_path, TEXT.replace(old, new, 1))


def test_a_pipeline_of_five_lines_has_the_rest_from_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text(
        "format: 1\nname: Short\nsubsets:\n  - {name: Mine, prefix: MI, kind: sprite, scenes: 8}\n",
        encoding="utf-8",
    )
    (subset,) = load_pipeline(path).subsets
    assert (subset.scenes, subset.dev_scenes, subset.primitive_type) == (8, 2, "PIXEL_EDIT")
    assert subset.wording.language == "en"
    assert plan_subset(subset)


def test_prompts_of_a_shipped_language_name_the_colours_in_it(tmp_path: Path) -> None:
    path = tmp_path / "french.yaml"
    path.write_text(TEXT.replace("takes: 1", "takes: 1\n    prompts: fr"), encoding="utf-8")
    french, english = load_pipeline(path).subsets
    assert (french.cue_style.outline_name, french.cue_style.mask_name) == ("rouge", "bleu")
    assert (english.cue_style.outline_name, english.cue_style.mask_name) == ("red", "blue")
    assert french.wording.language == "fr"


def test_a_language_that_has_no_word_for_the_cue_is_asked_for_one(tmp_path: Path) -> None:
    words = (assets_dir() / "prompts" / "fr.yaml").read_text(encoding="utf-8")
    (tmp_path / "own.yaml").write_text(words[: words.index("colors:")], encoding="utf-8")
    path = tmp_path / "pipeline.yaml"
    path.write_text(TEXT.replace("takes: 1", "takes: 1\n    prompts: own.yaml"), encoding="utf-8")
    with pytest.raises(RosegenError, match=r"outline_name: the prompts are in fr: .*'red'"):
        load_pipeline(path)


def test_a_prompts_file_without_a_language_is_refused(tmp_path: Path) -> None:
    words = (assets_dir() / "prompts" / "fr.yaml").read_text(encoding="utf-8")
    own = tmp_path / "own.yaml"
    own.write_text(words.replace("language: fr\n", ""), encoding="utf-8")
    path = tmp_path / "pipeline.yaml"
    path.write_text(TEXT.replace("takes: 1", "takes: 1\n    prompts: own.yaml"), encoding="utf-8")
    with pytest.raises(RosegenError, match=r"own.yaml:\d+: .*'language'"):
        load_pipeline(path)


def test_what_a_pipeline_names_besides_packs_is_part_of_it(tmp_path: Path) -> None:
    words = tmp_path / "own.yaml"
    words.write_bytes((assets_dir() / "prompts" / "fr.yaml").read_bytes())
    path = tmp_path / "pipeline.yaml"
    path.write_text(TEXT.replace("takes: 1", "takes: 1\n    prompts: own.yaml"), encoding="utf-8")
    before = load_pipeline(path).sha256
    words.write_text(words.read_text(encoding="utf-8").replace("rouge", "vermeil"), "utf-8")
    assert load_pipeline(path).sha256 != before


def test_whole_numbers_may_be_written_with_a_point(tmp_path: Path) -> None:
    """JSON Schema calls 24.0 an integer, so such a file is either refused or means 24."""
    text = TEXT.replace("scenes: 24", "scenes: 24.0").replace("[16, 24]", "[16.0, 24]")
    path = tmp_path / "floats.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        pipeline = load_pipeline(path)
    except RosegenError:
        return
    plans = plan_subset(pipeline.subsets[0])
    assert plans == plan_subset(small_pipeline().subsets[0])
    assert all(type(plan.grid.cell_size) is int for plan in plans)


def test_grids_between_the_smallest_and_the_largest_have_rectangles_too(tmp_path: Path) -> None:
    """2 x 2 covers a 16th of 8 x 8 and 4 x 4 of 16 x 16, but nothing does of 9 x 9."""
    text = TEXT.replace("[0.05, 0.5]", "[0.0625, 0.0625]").replace("[6, 8]", "[8, 16]")
    text = text.replace("[9, 10]", "[8, 8]")
    path = tmp_path / "narrow.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosegenError, match=r"narrow.yaml:\d+: .*no rectangle"):
        load_pipeline(path)


def test_a_point_of_difficulty_counts_where_its_condition_holds() -> None:
    rule = Difficulty(
        2,
        (
            Point("rows", None, at_least=9),
            Point("cue_type", None, equals="MASK"),
            Point("ssim", "A", at_most=0.5),
        ),
    )
    row = {"rose_subset": "A", "rows": 9, "cue_type": "NONE", "ssim": 0.5}
    assert rule.of(row) == "hard"
    assert rule.of({**row, "rose_subset": "B"}) == "medium"
    assert rule.of({**row, "rose_subset": "B", "cue_type": "MASK"}) == "hard"
    assert rule.of({**row, "rows": 8}) == "medium"


@pytest.mark.parametrize("name", SHIPPED)
def test_every_scene_of_a_shipped_pipeline_can_be_placed(name: str) -> None:
    pipeline: Pipeline = load_pipeline(name)
    for subset in pipeline.subsets:
        for plan in plan_subset(subset):
            placed = place(subset, plan)
            assert len(set(placed.exceptions)) == plan.exceptions
            for template, case in plan.cases.items():
                assert placed.contexts[template].case == case


@pytest.mark.parametrize("old", ["name: Small", "prefix: ED"])
def test_a_line_end_is_no_part_of_a_name(tmp_path: Path, old: str) -> None:
    """Python's ``$`` would let one trailing line end pass."""
    key, value = old.split(": ")
    path = tmp_path / "bad.yaml"
    path.write_text(TEXT.replace(old, f'{key}: "{value}\\n"', 1), encoding="utf-8")
    with pytest.raises(RosegenError, match="is not written like"):
        load_pipeline(path)
