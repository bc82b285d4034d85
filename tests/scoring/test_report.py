"""The report and its plots: whole, harmless, the same every time, and there for any data."""

from __future__ import annotations

import base64
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageColor

from rosegen.build import Build
from rosegen.scoring import Evaluation, compare, evaluate
from rosegen.scoring.items import Area, Cell
from rosegen.scoring.pictures import CLICKED, REGION, RIGHT, WIDEST, outline, scene_picture
from rosegen.scoring.report import write_report
from rosegen.scoring.shown import label, shown
from tests.scoring.scene_maker import (
    ROSE_SUBSETS,
    SIZE,
    T3,
    answer,
    metadata,
    predictions,
    says,
)

Row = dict[str, Any]

PLOTS = {
    "gap_dumbbell",
    "conditioned_action",
    "subset_by_template",
    "difficulty_scaling",
    "failures",
}
ROWS = metadata(dict.fromkeys(ROSE_SUBSETS, 12), seed=1)
HOSTILE = (
    '"><script>alert(1)</script><img src=x onerror=alert(2)> --!> ]]> {{ 7 * 7 }} '
    "\u202eevil\u202c \x07\x1b[31m\x00 \ud800 \u2028 \ufffe"
)
VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """What a test asks of a page: its tags in balance, its attributes, its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def values(self, attribute: str) -> list[str]:
        return [found[attribute] for _, found in self.tags if attribute in found]


def scored(rows: Any, said: Any, **options: Any) -> Evaluation:
    return evaluate(rows, said, resamples=100, **options)


def report(folder: Path, *evaluations: Evaluation) -> Page:
    """Write a report, of several models with their comparison, and read its page."""
    comparison = None
    if len(evaluations) > 1:
        names = [evaluation.name for evaluation in evaluations]
        comparison = compare([evaluation.scored for evaluation in evaluations], names, 0, 100)
    folder.mkdir(parents=True, exist_ok=True)
    write_report(folder, evaluations, comparison)
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def plots_in(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "plots").glob("*.svg")}


def with_images(folder: Path, rows: Sequence[Row]) -> Path:
    """A release on disk whose scenes are grey squares of 40 pixels a cell."""
    (folder / "images").mkdir(parents=True)
    Image.new("RGB", (40 * SIZE, 40 * SIZE), "#cccccc").save(folder / "images" / "scene.png")
    lines = [json.dumps({**row, "image": "images/scene.png"}) + "\n" for row in rows]
    (folder / "metadata_test.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def picture_of(uri: str) -> Image.Image:
    head, _, data = uri.partition(",")
    assert head == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def is_near(picture: Image.Image, place: tuple[int, int], colour: str) -> bool:
    found, wanted = picture.getpixel(place), ImageColor.getrgb(colour)
    assert isinstance(found, tuple)
    return all(abs(a - b) < 40 for a, b in zip(found, wanted))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of one model that is right about two times in three."""
    folder = tmp_path_factory.mktemp("one")
    report(folder, scored(ROWS, predictions(ROWS, model="One")))
    return folder


@pytest.fixture(scope="module")
def page(one: Path) -> Page:
    return Page((one / "report.html").read_text(encoding="utf-8"))


# The page


def test_the_page_is_balanced_and_says_its_language(page: Page) -> None:
    assert page.unbalanced == []
    assert page.open == []
    assert page.all("html") == [{"lang": "en"}]


def test_the_page_needs_nothing_from_the_network(one: Path, page: Page) -> None:
    text = (one / "report.html").read_text(encoding="utf-8")
    linked = [value for name in ("src", "href", "xlink:href") for value in page.values(name)]
    assert linked
    assert all(value.startswith(("#", "data:image/png;base64,")) for value in linked)
    assert set(re.findall(r"url\((.)", text)) == {"#"}
    assert not re.search(r"https?://|@import|<script|<link|<iframe", text)
    policy = [found["content"] for found in page.all("meta") if "http-equiv" in found]
    assert policy == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]


def test_every_id_is_there_once_and_every_link_leads_to_one(one: Path, page: Page) -> None:
    text = (one / "report.html").read_text(encoding="utf-8")
    ids = page.values("id")
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    links = [value[1:] for name in ("href", "xlink:href") for value in page.values(name)]
    pointed_at = links + page.values("aria-labelledby") + re.findall(r"url\(#([^)]+)\)", text)
    assert set(pointed_at) <= set(ids)


def test_tables_have_headers_and_pictures_have_words(page: Page) -> None:
    assert len(page.all("table")) == len(page.all("caption")) >= 5
    assert {found.get("scope") for found in page.all("th")} == {"col", "row", "rowgroup"}
    assert all(found["alt"] for found in page.all("img"))
    spoken = [found["aria-label"] for found in page.all("div") if found.get("role") == "img"]
    assert len(spoken) == len(PLOTS)
    assert all(len(words) > 40 for words in spoken)


def test_the_page_has_the_numbers_of_the_evaluation(page: Page) -> None:
    evaluation = scored(ROWS, predictions(ROWS, model="One"))
    values = {(s.group, s.level, s.metric): s for s in evaluation.statistics}
    overall, gap = values["overall", "Avg.", "PASS"], values["gap", "Gap", "PASS"]
    assert None not in (overall.value, overall.low, overall.high, gap.value)
    interval = f"[{100 * (overall.low or 0):.1f}, {100 * (overall.high or 0):.1f}]"
    assert f"PASS{100 * (overall.value or 0):.1f} {interval}" in page.text
    assert f"Gap{100 * (gap.value or 0):.1f} [" in page.text
    counts = evaluation.failure_counts()["all"]
    for kind, count in counts.items():
        assert (kind.replace("_", " ") + "\n" in page.text) is (count > 0)


def test_digits_are_those_asked_for(tmp_path: Path) -> None:
    write_report(tmp_path, [scored(ROWS, predictions(ROWS))], digits=3)
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert re.search(r"PASS\d+\.\d{3} \[\d+\.\d{3}, \d+\.\d{3}\]", page.text)


def test_the_same_input_gives_the_same_bytes(one: Path, tmp_path: Path) -> None:
    report(tmp_path, scored(ROWS, predictions(ROWS, model="One")))
    names = ["report.html", *(f"plots/{name}.{kind}" for name in PLOTS for kind in ("svg", "png"))]
    different = [
        name for name in names if (one / name).read_bytes() != (tmp_path / name).read_bytes()
    ]
    assert different == []


# What models say


def test_what_a_model_says_is_escaped_spelt_out_and_shortened(tmp_path: Path) -> None:
    said = [
        {"item_id": row["item_id"], "model": HOSTILE, "raw_text": HOSTILE + "x" * 20_000}
        for row in ROWS
    ]
    page = report(tmp_path, scored(ROWS, said))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)</script><img src=x onerror=alert(2)> --!> ]]> {{ 7 * 7 }}" in page.text
    assert page.all("script") == []
    assert page.values("onerror") == []
    assert page.unbalanced == page.open == []
    assert "⟨U+202E⟩evil⟨U+202C⟩ ⟨U+0007⟩⟨U+001B⟩[31m⟨U+0000⟩ ⟨U+D800⟩" in page.text
    assert not set(text) & set("\u202e\u202c\x07\x1b\x00\u2028\ufffe")
    assert re.search(r"x… \(20,\d{3} characters\)", page.text)
    assert len(text) < 400_000


def test_a_hostile_name_stays_text_in_the_plots(tmp_path: Path) -> None:
    names = [f"{HOSTILE} $\\frac{{1}}{{0}}$ {number}" for number in range(2)]
    evaluations = [
        scored(ROWS, [{**row, "model": name} for row in predictions(ROWS)]) for name in names
    ]
    page = report(tmp_path, *evaluations)
    assert plots_in(tmp_path) == PLOTS
    assert page.all("script") == []
    assert page.unbalanced == []
    for path in (tmp_path / "plots").glob("*.svg"):
        tags = {node.tag.rpartition("}")[2] for node in ElementTree.parse(path).iter()}
        assert tags <= {
            "svg",
            "defs",
            "style",
            "g",
            "path",
            "text",
            "tspan",
            "use",
            "clipPath",
            "rect",
        }


@given(st.text(st.characters(codec=None)), st.integers(0, 60))
def test_shown_text_has_no_hidden_character_and_a_bounded_length(text: str, limit: int) -> None:
    spelt = shown(text, limit)
    hidden = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
    assert not [c for c in spelt if c not in "\n\t" and unicodedata.category(c) in hidden]
    assert len(spelt) <= 10 * limit + len("… (1,000 characters)")
    assert len(label(text)) <= 40
    assert "\n" not in label(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=50))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text, 50) == text


# Plots


def test_each_plot_is_a_png_and_an_svg_of_the_size_of_a_page(one: Path) -> None:
    assert plots_in(one) == PLOTS
    for name in PLOTS:
        with Image.open(one / "plots" / f"{name}.png") as picture:
            picture.load()
            assert picture.format == "PNG"
            assert 900 <= picture.width <= 1400
            assert 200 <= picture.height <= 1400
            assert len(np.unique(np.asarray(picture.convert("L")))) > 20
        root = ElementTree.parse(one / "plots" / f"{name}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert 300 <= float(root.attrib["viewBox"].split()[2]) <= 504


def test_plots_bear_no_date_and_no_version(one: Path) -> None:
    for path in (one / "plots").iterdir():
        data = path.read_bytes()
        assert b"dc:date" not in data
        assert matplotlib.__version__.encode() not in data


def test_plots_heed_no_settings_of_the_user_and_leave_them_be(one: Path, tmp_path: Path) -> None:
    mine = {"font.size": 31.0, "figure.facecolor": "red", "svg.fonttype": "path"}
    with matplotlib.rc_context(mine):
        report(tmp_path, scored(ROWS, predictions(ROWS, model="One")))
        assert {name: matplotlib.rcParams[name] for name in mine} == mine
    for name in PLOTS:
        assert (tmp_path / f"plots/{name}.svg").read_bytes() == (
            one / f"plots/{name}.svg"
        ).read_bytes()


def test_on_the_page_neutral_colours_follow_the_reader_and_in_files_they_are_fixed(
    one: Path,
) -> None:
    text = (one / "report.html").read_text(encoding="utf-8")
    figures = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert len(figures) == len(PLOTS)
    for figure in figures:
        assert "var(--ink)" in figure
        assert "#1a1a1a" not in figure
    used = set(re.findall(r"var\((--[\w-]+)\)", text))
    assert used <= set(re.findall(r"(--[\w-]+):", text))
    assert all(
        "var(" not in path.read_text(encoding="utf-8") for path in (one / "plots").glob("*.svg")
    )


def test_numbers_stand_in_the_heat_map(one: Path) -> None:
    evaluation = scored(ROWS, predictions(ROWS, model="One"))
    svg = (one / "plots/subset_by_template.svg").read_text(encoding="utf-8")
    texts = Counter(re.findall(r">([^<>]+)</text>", svg))
    wanted = Counter(
        f"{100 * s.value:.1f}"
        for s in evaluation.statistics
        if s.group == "subset_template" and s.metric == "PASS" and s.value is not None
    )
    assert wanted.total() == 25
    assert wanted - texts == Counter()


# Data that is not all there


def test_a_partial_run_comes_with_a_warning(tmp_path: Path) -> None:
    said = [*predictions(ROWS)[:40], {"item_id": "elsewhere", "raw_text": "COUNT(1)"}]
    said.append(dict(said[0]))
    page = report(tmp_path, scored(ROWS, said, allow_partial=True, duplicates="first"))
    warning = page.text[page.text.index("m: 260 of 300 items have no prediction") :][:900]
    assert "ChineseGlyph 20 of 60" in warning
    assert "not comparable with those of the whole split" in " ".join(warning.split())
    assert "Predictions for items that are not in the split: 1 (elsewhere)." in warning
    assert "Items answered more than once: 1" in warning
    assert page.unbalanced == []


def test_a_full_run_comes_without_a_warning(page: Page) -> None:
    assert "warning" not in page.values("class")


def test_one_task_alone_is_reported(tmp_path: Path) -> None:
    rows = metadata(dict.fromkeys(ROSE_SUBSETS, 11), templates=[T3])
    page = report(tmp_path, scored(rows, predictions(rows)))
    assert plots_in(tmp_path) == PLOTS - {"conditioned_action"}
    assert "L-Clk" in page.text
    assert "Action Ret.\n" not in page.text[: page.text.index("How to read this", 500)]
    assert "None" not in page.text
    assert "nan" not in page.text.lower().split()


def test_a_template_nobody_knows_is_reported(tmp_path: Path) -> None:
    rows = metadata({"ROSE-EmojiStyle": 11}, templates=["T9_OTHER"])
    page = report(tmp_path, scored(rows, predictions(rows, skill=0.2)))
    assert page.unbalanced == []
    assert plots_in(tmp_path) == {"difficulty_scaling", "failures"}
    assert ">other tasks</text>" in (tmp_path / "plots/failures.svg").read_text(encoding="utf-8")


def test_a_release_of_other_subsets_is_reported_without_roses(tmp_path: Path) -> None:
    rows = metadata({f"Fruit {number} <i>": 11 for number in range(7)})
    page = report(tmp_path, scored(rows, predictions(rows)))
    assert "Fruit 6 <i> PASS" in page.text
    assert "ChineseGlyph" not in page.text
    svg = (tmp_path / "plots/subset_by_template.svg").read_text(encoding="utf-8")
    assert "Fruit 6 &lt;i&gt;" in svg
    assert "ChineseGlyph" not in svg


def test_a_few_scenes_are_reported_without_intervals(tmp_path: Path) -> None:
    rows = metadata({"ROSE-PixelEdit": 2})
    page = report(tmp_path, scored(rows, predictions(rows, skill=0.5)))
    assert not re.search(r"\d \[\d", page.text)
    assert plots_in(tmp_path) >= {"gap_dumbbell", "subset_by_template", "difficulty_scaling"}


def test_a_perfect_model_has_no_failures_to_show(tmp_path: Path) -> None:
    page = report(tmp_path, scored(ROWS, says(ROWS, [True] * len(ROWS))))
    assert plots_in(tmp_path) == PLOTS - {"failures"}
    assert "No item failed." in page.text
    assert "Examples" not in page.text


def test_a_model_whose_api_only_gave_errors_shows_them(tmp_path: Path) -> None:
    said = [
        {"item_id": row["item_id"], "model": "m", "raw_text": None, "error": "429 <b>slow down</b>"}
        for row in ROWS
    ]
    page = report(tmp_path, scored(ROWS, said))
    assert plots_in(tmp_path) == PLOTS - {"conditioned_action"}
    assert page.text.count("429 <b>slow down</b>") == 2
    assert "the API gave an error" in page.text


def test_several_models_stand_side_by_side_with_their_comparison(tmp_path: Path) -> None:
    models = {"Ada": 0.9, "Bob": 0.6, "Cyd": 0.3, "Dan": 0.7}
    evaluations = [
        scored(ROWS, predictions(ROWS, model=name, skill=skill)) for name, skill in models.items()
    ]
    page = report(tmp_path, *evaluations)
    assert plots_in(tmp_path) == PLOTS
    assert "Paired, on the 300 items that all models answered" in page.text
    assert re.search(r"Ada - Cyd \(p < 0\.0001\)", page.text)
    headings = [found["id"] for found in page.all("h2") if found["id"].startswith("model-")]
    assert headings == ["model-1", "model-2", "model-3", "model-4"]
    for path in (tmp_path / "plots").glob("*.svg"):
        assert all(f">{name}</text>" in path.read_text(encoding="utf-8") for name in models)


def test_a_model_without_a_statistic_does_not_hide_another(tmp_path: Path) -> None:
    failed = [{**row, "raw_text": None, "error": "no"} for row in predictions(ROWS, model="Off")]
    page = report(tmp_path, scored(ROWS, predictions(ROWS, model="On")), scored(ROWS, failed))
    assert plots_in(tmp_path) == PLOTS
    spoken = next(found["aria-label"] for found in page.all("div") if "Off: L-Cnt" in str(found))
    assert "Off: L-Cnt | T1 –, L-Clk | T1 –" in spoken
    assert re.search(r"On: L-Cnt \| T1 \d", spoken)


# Examples and pictures


def test_examples_show_the_task_the_right_answer_and_what_was_said(tmp_path: Path) -> None:
    rows = [{**row, "prompt": f"Rules\n\nDo this with {row['item_id']}."} for row in ROWS]
    said = predictions(rows, skill=0.3)
    page = report(tmp_path, scored(rows, said))
    by_id = {row["item_id"]: row["raw_text"] for row in said}
    shown_items = re.findall(r"Do this with (\S+)\.\n", page.text)
    assert len(shown_items) >= 10
    assert "Rules" not in page.text
    for name in shown_items:
        card = page.text[page.text.index(f"Do this with {name}.") :][:600]
        assert (by_id[name] or "Said") in card
    assert any(answer(row) in page.text for row in rows if row["item_id"] in shown_items)


def test_at_most_two_examples_of_a_kind_are_shown(page: Page) -> None:
    groups = page.values("class").count("examples")
    assert groups >= 5
    assert groups < len(page.all("article")) <= 2 * groups


def test_a_picture_rings_the_right_cell_crosses_the_click_and_outlines_the_region(
    tmp_path: Path,
) -> None:
    folder = with_images(tmp_path, [])
    area = Area(SIZE, SIZE, (2, 4, 1, 3))
    uri = scene_picture(folder, "images/scene.png", area, {(3, 2)}, {(6, 6)}, [(5, 5)])
    assert uri is not None
    picture = picture_of(uri)
    assert picture.size == (240, 240)
    assert is_near(picture, (60, 100 - 18), RIGHT)
    assert is_near(picture, (180, 180), CLICKED)
    assert is_near(picture, (60, 40), REGION)
    assert is_near(picture, (120, 60), REGION)
    assert is_near(picture, (1, 100), REGION)  # at the border, moved in
    assert is_near(picture, (140, 20), "#cccccc")
    assert is_near(picture, (60, 100), "#cccccc")  # a ring leaves its cell to be seen


def test_a_large_picture_is_made_small(tmp_path: Path) -> None:
    Image.new("RGBA", (1800, 900)).save(tmp_path / "large.png")
    uri = scene_picture(tmp_path, "large.png", Area(3, 6, (1, 3, 1, 6)), set(), set(), [])
    assert uri is not None
    picture = picture_of(uri)
    assert picture.size == (WIDEST, WIDEST // 2)
    assert picture.getpixel((5, 5)) == (255, 255, 255)  # what is transparent is paper


@pytest.mark.parametrize("name", ["../secret.png", "missing.png", "broken.png", "a\0b", "."])
def test_an_image_that_is_missing_broken_or_outside_the_release_is_not_shown(
    tmp_path: Path, name: str
) -> None:
    Image.new("RGB", (60, 60)).save(tmp_path / "secret.png")
    release = tmp_path / "release"
    release.mkdir()
    (release / "broken.png").write_bytes((tmp_path / "secret.png").read_bytes()[:60])
    area = Area(SIZE, SIZE, (1, 6, 1, 6))
    assert scene_picture(release, name, area, set(), set(), []) is None
    assert scene_picture(tmp_path, "secret.png", area, set(), set(), []) is not None


def test_a_release_with_images_has_them_in_its_report(tmp_path: Path) -> None:
    folder = with_images(tmp_path / "release", ROWS)
    page = report(tmp_path / "out", scored(folder, predictions(ROWS, skill=0.4)))
    pictures = page.all("img")
    assert len(pictures) == len(page.all("article")) > 10
    assert all(picture_of(found["src"]).size == (240, 240) for found in pictures)
    assert all(found["alt"].startswith("The scene, 6 rows by 6 columns.") for found in pictures)
    assert str(tmp_path) not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Split test of release (metadata_test.jsonl)" in page.text


def test_a_release_that_is_gone_costs_only_the_pictures(tmp_path: Path) -> None:
    folder = with_images(tmp_path / "release", ROWS)
    evaluation = scored(folder, predictions(ROWS, skill=0.4))
    (folder / "metadata_test.jsonl").unlink()
    page = report(tmp_path / "out", evaluation)
    assert page.all("img") == []
    assert len(page.all("article")) > 10


@given(st.data())
def test_the_outline_runs_between_cells_asked_about_and_others(data: st.DataObject) -> None:
    rows, cols = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    r1, r2 = sorted(data.draw(st.tuples(st.integers(1, rows), st.integers(1, rows))))
    c1, c2 = sorted(data.draw(st.tuples(st.integers(1, cols), st.integers(1, cols))))
    area = Area(rows, cols, (r1, r2, c1, c2), data.draw(st.booleans()))
    grid = {(row, col) for row in range(1, rows + 1) for col in range(1, cols + 1)}
    inside = {cell for cell in grid if area.holds(cell)}

    def sides(edge: tuple[Cell, Cell]) -> set[Cell]:
        (x0, y0), (x1, _) = edge
        flat = x1 > x0  # lies between a cell and the one below it
        return {(y0, x0 + 1), (y0 + 1, x0 + 1)} if flat else {(y0 + 1, x0), (y0 + 1, x0 + 1)}

    edges = outline(area)
    assert all(len(sides(edge) & inside) == 1 for edge in edges)
    around = sum(
        (row + i, col + j) not in inside
        for row, col in inside
        for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0))
    )
    assert len(edges) == len(set(edges)) == (0 if inside == grid else around)


def test_the_report_of_a_real_release_is_small_and_shows_its_scenes(
    demo: Build, tmp_path: Path
) -> None:
    path = demo.out / "metadata_test.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    said = [
        {"item_id": row["item_id"], "model": "m", "raw_text": f"CLICK(R1,C{place % 9}); DONE"}
        for place, row in enumerate(rows)
    ]
    page = report(tmp_path, scored(demo.out, said))
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    assert page.all("img")
    widths = {picture_of(found["src"]).width for found in page.all("img")}
    assert max(widths) <= WIDEST
