"""Whatever option of a source shows in a picture is in the pictures of a replay, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib.tables.TupleVariation import TupleVariation

from rosegen.build import build
from rosegen.replay import replay
from rosegen.replay.assets import Places, Tiles, resolve, substitute
from rosegen.replay.assets.tiles import GlyphTile, TileStyle
from rosegen.sources.glyph import Glyph
from rosegen.sources.pixel import PixelEdit
from rosegen.verify import verify_release
from tests.core_maker import cached_pack
from tests.replay.assets.maker import font, glyph_scene, tiles_of
from tests.replay.maker import lines, run
from tests.sources.font_maker import box, made, saved

# How high the crossbar of each letter lies, in units of 1/1000 em.
LETTERS = dict(zip("ABCDEFGHIJ", range(100, 600, 50)))
WEIGHT = ("wght", 100, 400, 900, "Weight")

PIPELINE = """
format: 1
name: Options
bridges: true
defaults:
  scenes: 12
  dev_scenes: 2
  background: "#102040"
  repeat_pairs: true
  grid:
    profiles: {small: {lines: [6, 8], share: 1}}
    exceptions: {1: 1, 2: 2}
  admission: &window
    ssim: [-1, 0.9999]
    phash_distance: [0, 64]
    changed_pixel_share: [0.0001, 1]
    max_local_color_difference: [1, 1000]
    ink_difference: [0, 1]
subsets:
  - name: Letters
    prefix: LE
    kind: glyph
    packs: [{folder: type, license: OFL-1.1, attribution: me}]
    grid: {cell_size: [30, 40]}
    options:
      pairs: [[A, B], [C, D], [E, F], [G, H], [I, J]]
      faces: [Bars-Regular, {name: Bars-Regular, axes: {wght: 762.5}}]
      em: 0.61
      color: "#f0e0a0"
  - name: Stretched
    prefix: ST
    kind: sprite
    packs: []
    ink: 0.66
    grid: {cell_size: [30, 50]}
    options: {compare: edits, takes: 1, operations: [mirror], resize: stretch}
"""


def variable_font(path: Path, wider: int = 90) -> Path:
    """Letters of a stem and a crossbar, the stem ``wider`` units wider at the heaviest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    glyphs = {
        letter: [box(100, 0, 200, 700), box(100, height, 400, height + 60)]
        for letter, height in LETTERS.items()
    }
    names = {"psName": "Bars-Regular", "familyName": "Bars", "fullName": "Bars Regular"}
    cmap = {ord(letter): letter for letter in LETTERS}
    bold = TupleVariation({"wght": (0, 1, 1)}, [(0, 0)] * 2 + [(wider, 0)] * 2 + [(0, 0)] * 8)
    deltas = {letter: [bold] for letter in LETTERS}
    return saved(made(glyphs, cmap, names=names, axes=[WEIGHT], deltas=deltas), path)


def build_options(folder: Path, pipeline: str = PIPELINE) -> Path:
    """The release of a pipeline, its font in ``type`` beside it."""
    variable_font(folder / "type" / "bars.ttf")
    (folder / "options.yaml").write_text(pipeline, encoding="utf-8")
    return build(folder / "options.yaml", folder / "Options", workers=1, offline=True).out


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that sets every option that shows. Tests must not change it."""
    return build_options(tmp_path_factory.mktemp("options"))


def fonts_of(release: Path) -> Path:
    return release.parent / "type"


def test_every_option_that_shows_is_honoured_picture_by_picture(
    release: Path, tmp_path: Path
) -> None:
    made_again = replay(
        [release], tmp_path / "made", fonts=[fonts_of(release)], workers=1, offline=True
    )
    assert (made_again.faults, made_again.lost, made_again.substituted) == ((), (), 0)
    was, now = (lines(folder / "manifest.jsonl") for folder in (release, made_again.out))
    assert was == now
    assert len(now) == 48
    faces = {row["font_name"] for row in lines(release / "metadata_test.jsonl")}
    assert faces == {"Bars-Regular", "Bars-Regular@wght=762.5", None}
    assert lines(made_again.out / "replay_notes.jsonl") == []
    report = verify_release(made_again.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]


def test_no_option_of_a_source_is_new_to_replay() -> None:
    """Options either choose what is drawn, which every row tells, or are read by replay."""
    chosen = {"characters", "texts", "pairs", "exclude", "faces", "shortlist", "least_ssim"}
    assert set(Glyph.options) - chosen == {"color", "em"}
    chosen = {"compare", "own_sprites", "operations", "takes"}
    assert set(PixelEdit.options) - chosen == {"resize"}


def with_options(
    release: Path, folder: Path, subset: str, options: dict[str, Any], drop: str
) -> Path:
    """The rows of a release without a column, beside a summary of other options."""
    folder.mkdir()
    for split in ("dev", "test"):
        rows = lines(release / f"metadata_{split}.jsonl")
        text = "".join(json.dumps({**row, drop: None}) + "\n" for row in rows)
        (folder / f"metadata_{split}.jsonl").write_text(text, encoding="utf-8")
    summary = json.loads((release / "export_summary.json").read_text(encoding="utf-8"))
    summary["sources"][subset]["options"] |= options
    (folder / "export_summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder


@pytest.mark.parametrize("drop", ["font_size", "asset_resize_mode"])
def test_an_option_tells_what_a_column_does_not(drop: str, release: Path, tmp_path: Path) -> None:
    records = with_options(release, tmp_path / "records", "Letters", {}, drop)
    again = replay([records], tmp_path / "made", fonts=[fonts_of(release)], workers=1, offline=True)
    was, now = (lines(folder / "manifest.jsonl") for folder in (release, again.out))
    assert was == now


@pytest.mark.parametrize(
    ("subset", "options"),
    [
        ("Letters", {"color": "blue"}),
        ("Letters", {"color": "#12345"}),
        ("Letters", {"color": 7}),
        ("Letters", {"em": 7}),
        ("Letters", {"em": "big"}),
        ("Stretched", {"resize": "tile"}),
        ("Stretched", {"resize": ["integer"]}),
    ],
)
def test_an_option_that_means_nothing_is_one_line(
    subset: str,
    options: dict[str, Any],
    release: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = with_options(release, tmp_path / "records", subset, options, "ssim")
    ran = run(capsys, records, "--out", tmp_path / "made", "--fonts", fonts_of(release))
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert "export_summary.json: cannot be read as the summary of a release" in ran.err[0]


def test_a_stand_in_is_drawn_in_the_colours_of_its_release() -> None:
    places = Places(packs={"noto-sans-cjk-vf": cached_pack("noto-sans-cjk-vf")})
    style = TileStyle(background=(16, 32, 64), color=(240, 224, 160))
    wanted = glyph_scene("NoSuch")
    missing = resolve(wanted, places, style)
    assert not isinstance(missing, Tiles)
    found = substitute(wanted, missing, places, style)
    assert isinstance(found, Tiles)
    for tile in (found.majority, found.exception):
        assert isinstance(tile, GlyphTile)
        assert tile.color == (240, 224, 160)


def test_text_that_has_the_colour_of_its_background_is_not_drawn(tmp_path: Path) -> None:
    font(tmp_path / "han.ttf", "Han")
    style = TileStyle(background=(16, 32, 64), color=(16, 32, 64))
    found = resolve(glyph_scene("Han"), Places(fonts=(tmp_path,)), style)
    assert str(found) == "scene SOMESCENE_000001: the two tiles look the same at 48 px"


# --- a face at a place of its axes


def bars(name: str) -> Any:
    return glyph_scene(name, "A", "B")


@pytest.mark.parametrize("name", ["Bars-Regular", "bars regular", "Bars", "file.ttf"])
def test_a_variable_font_is_set_to_the_place_its_name_says(tmp_path: Path, name: str) -> None:
    variable_font(tmp_path / "file.ttf")
    places = Places(fonts=(tmp_path,))
    widths = []
    for place in ("", "@wght=400", "@wght=650", "@wght=900"):
        tile = tiles_of(bars(name + place), places).majority
        assert tile.name == f"Bars-Regular{place}/A"
        drawn = tile.draw(1000)
        widths.append(int((drawn < 128).any(axis=2).sum(axis=1)[drawn.shape[0] // 2]))
    # Of the em of 720 px the stem is 0.1, and 0.09 more at the heaviest.
    assert widths == [72, 72, 104, 137]


def test_of_two_fonts_of_a_name_the_one_with_the_axis_is_meant(tmp_path: Path) -> None:
    variable_font(tmp_path / "variable.ttf")
    font(tmp_path / "static.ttf", "Bars-Regular", glyphs={n: [box(0, 0, 9, 9)] for n in "AB"})
    tile = tiles_of(bars("Bars-Regular@wght=900"), Places(fonts=(tmp_path,))).majority
    assert isinstance(tile, GlyphTile)
    assert (Path(tile.face.path).name, tile.face.location) == ("variable.ttf", (("wght", 900.0),))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Bars-Regular@wdth=80", "no axis 'wdth' (its axes: wght 100 to 900)"),
        ("Bars-Regular@wght=901", "axis wght goes from 100 to 900, not 901"),
        ("Bars-Regular@wght=nan", "axis wght goes from 100 to 900, not nan"),
        ("Bars-Regular@wght=bold", "'wght=bold' is no place of an axis"),
        ("Bars-Regular@wght=700,", "'' is no place of an axis"),
    ],
)
def test_a_place_that_a_font_has_not_is_told_in_a_line(
    tmp_path: Path, name: str, said: str
) -> None:
    variable_font(tmp_path / "bars.ttf")
    found = resolve(bars(name), Places(fonts=(tmp_path,)))
    assert str(found).startswith(f"font {name}: ") and said in str(found)


@pytest.mark.parametrize("name", ["Other@wght=700", "@wght=700", "Bars-Regular@", "Bars@Home"])
def test_a_font_that_is_not_there_at_any_place_is_named(tmp_path: Path, name: str) -> None:
    variable_font(tmp_path / "bars.ttf")
    assert str(resolve(bars(name), Places(fonts=(tmp_path,)))) == f"font {name}"
