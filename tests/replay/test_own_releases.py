"""Releases of rosegen's own, replayed from their folders and from their bare files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from rosegen.build import build
from rosegen.pipeline import load_pipeline
from rosegen.replay import replay
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, OwnArt, Pool, Source
from rosegen.sources.registry import lent
from rosegen.verify import verify_release
from tests.core_maker import SMALL
from tests.replay.conftest import FRENCH
from tests.replay.maker import by_id, lines, release_rows, run, same_files, write

TABLES = (
    *(f"metadata_{split}.jsonl" for split in ("dev", "test")),
    *(
        f"bridges/{bridge}/metadata_{split}.jsonl"
        for bridge in ("global_click", "matched_local_count")
        for split in ("dev", "test")
    ),
)


def bare(release: Path, folder: Path) -> Path:
    """The rows of a release and nothing else of it."""
    for name in TABLES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(release / name, folder / name)
    return folder


def again(records: Path, out: Path, **options: Any) -> Path:
    """Replayed without a fault, a loss or a stand-in."""
    made = replay([records], out, workers=1, offline=True, **options)
    assert (made.faults, made.lost, made.substituted) == ((), (), 0)
    return made.out


def assert_same_rows(original: Path, made: Path) -> None:
    """Equal in every column, in their order, file by file."""
    seen = 0
    for name in TABLES:
        rows = lines(made / name)
        assert [row.pop("substituted") for row in rows] == [None] * len(rows)
        assert [list(row) for row in rows] == [list(row) for row in lines(original / name)]
        assert rows == lines(original / name)
        seen += len(rows)
    assert seen > 100


def images(release: Path) -> dict[str, str]:
    return {row["image_id"]: row["pixel_sha256"] for row in lines(release / "manifest.jsonl")}


@pytest.mark.parametrize("name", ["small", "french"])
def test_from_its_folder_a_release_is_itself_again_picture_by_picture(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    original: Path = request.getfixturevalue(name)
    made = again(original, tmp_path / "made")
    assert_same_rows(original, made)
    assert images(made) == images(original)
    assert sum(row["cue_type"] != "NONE" for row in lines(made / "manifest.jsonl")) >= 16
    for row in lines(original / "manifest.jsonl"):
        assert (made / row["image"]).read_bytes() == (original / row["image"]).read_bytes()
    assert lines(made / "replay_notes.jsonl") == []
    was, now = (
        json.loads((release / "export_summary.json").read_text(encoding="utf-8"))
        for release in (original, made)
    )
    told = ("name", "counts", "difficulty", "difficulty_rule", "cues", "prompts", "sources")
    assert {key: now[key] for key in told} == {key: was[key] for key in told}
    assert (now["licenses"], now["replayed"], now["complete"]) == (was["licenses"], True, False)


@pytest.mark.parametrize("name", ["small", "french"])
def test_from_its_bare_files_the_rows_are_equal_in_every_column(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Words of another language and a rule of difficulty of its own are as the rows have them."""
    original: Path = request.getfixturevalue(name)
    made = again(bare(original, tmp_path / "bare"), tmp_path / "made")
    assert_same_rows(original, made)
    if name == "small":  # which looks as ROSE is drawn
        assert images(made) == images(original)
    else:  # how it looks no row tells, but that a picture is another can be seen
        notes = lines(made / "replay_notes.jsonl")
        assert all("drawn here it is" in note["text"] for note in notes)
        assert len(notes) == 16


@pytest.mark.parametrize("name", ["small", "french"])
def test_a_replayed_release_is_replayed_alike(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    first = again(request.getfixturevalue(name), tmp_path / "first")
    second = again(first, tmp_path / "second")
    assert same_files(first, second, but=("export_summary.json", "README.md"))


@pytest.mark.parametrize("source", ["folder", "bare files"])
@pytest.mark.parametrize("name", ["small", "french"])
def test_a_replayed_release_verifies(
    name: str, source: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    original: Path = request.getfixturevalue(name)
    records = original if source == "folder" else bare(original, tmp_path / "bare")
    made = again(records, tmp_path / "made")
    report = verify_release(made, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
    prompts = json.loads((made / "export_summary.json").read_text(encoding="utf-8"))["prompts"]
    if source == "bare files":  # in ROSE's words, or in words that nothing else tells
        assert set(prompts.values()) == (set() if name == "small" else {None})


@pytest.mark.parametrize("tables", [TABLES[:2], TABLES[2:], TABLES[1:2], TABLES[4:5]])
@pytest.mark.parametrize("name", ["small", "french"])
def test_files_named_in_their_releases_folder_are_read_with_all_that_it_tells(
    name: str, tables: Sequence[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Whatever items they lead to are those of the release, the bridges' dataset with them."""
    original: Path = request.getfixturevalue(name)
    made = replay([original / name for name in tables], tmp_path / "made", workers=1, offline=True)
    assert (made.faults, made.lost, made.compared.differing) == ((), (), ())
    whole, rows = by_id(release_rows(original)), by_id(release_rows(made.out))
    assert made.compared.images == len(lines(made.out / "manifest.jsonl")) > 0
    assert rows == {item: {**whole[item], "substituted": None} for item in rows}
    told = [row["item_id"] for table in tables for row in lines(original / table)]
    bridged = {item for item, row in whole.items() if row["source_item_id"] in told}
    assert set(told) | bridged <= set(rows)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", ["small", "french"])
def test_a_file_that_lies_alone_gives_a_release_that_verifies(
    name: str, table: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """However few rows it has: a release of two scenes may keep one of them for development."""
    original: Path = request.getfixturevalue(name)
    shutil.copy(original / table, tmp_path / "rows.jsonl")
    made = again(tmp_path / "rows.jsonl", tmp_path / "made")
    whole, rows = by_id(release_rows(original)), by_id(release_rows(made))
    own = {row["item_id"] for row in lines(original / table)}
    assert own <= set(rows)
    for item in own:
        assert rows[item] == {**whole[item], "substituted": None}
    report = verify_release(made, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]


def test_a_bridge_of_a_subset_in_known_words_must_be_there(french: Path, tmp_path: Path) -> None:
    """One of a subset in unknown words need not: nothing tells what it would ask."""
    folder = tmp_path / "main"
    folder.mkdir()
    for table in TABLES[:2]:
        shutil.copy(french / table, folder)
    made = replay(list(folder.iterdir()), tmp_path / "made", workers=1, offline=True).out
    path = made / "bridges/global_click/metadata_test.jsonl"
    rows = lines(path)
    assert {row["rose_subset"] for row in rows} == {"ROSE-PixelContent"}
    write(path, rows[1:])
    report = verify_release(made, workers=1)
    found = {(fault.kind, fault.where) for fault in report.faults}
    assert ("bridge", rows[0]["item_id"]) in found


def test_one_row_in_words_of_its_own_is_as_published(french: Path, tmp_path: Path) -> None:
    row = lines(french / "metadata_test.jsonl")[0]
    made = again(write(tmp_path / "rows.jsonl", [row]), tmp_path / "made")
    assert release_rows(made) == [{**row, "substituted": None}]
    torn = {**row, "prompt": "Comptez."}
    again_made = replay(
        [write(tmp_path / "torn.jsonl", [torn])], tmp_path / "again", workers=1, offline=True
    )
    named = {fault.field for fault in again_made.faults}
    assert named == {"prompt_global", "prompt_local", "prompt"}


def test_bridges_that_nothing_tells_the_words_of_are_not_made(tmp_path: Path) -> None:
    head, _, _ = FRENCH.partition("  - {name: ROSE-PixelContent")
    (tmp_path / "petit.yaml").write_text(head.replace("bridges: true", "bridges: false"), "utf-8")
    original = build(tmp_path / "petit.yaml", tmp_path / "Petit", workers=1, offline=True).out
    rows = [{**row, "substituted": None} for row in release_rows(original)]
    made = again(write(tmp_path / "rows.jsonl", rows), tmp_path / "made")
    assert by_id(release_rows(made)) == by_id(rows)
    assert not (made / "bridges").exists()
    assert "bridges/" not in (made / "README.md").read_text(encoding="utf-8")
    summary = json.loads((made / "export_summary.json").read_text(encoding="utf-8"))
    assert (summary["bridges"], summary["counts"]["bridge_items"]) == (False, 0)
    asked = again(original, tmp_path / "asked")  # whose summary has the words
    (first, *_) = lines(asked / "bridges/global_click/metadata_test.jsonl")
    assert first["prompt_local"].startswith("Cliquez sur toutes les cases de toute la grille")


def test_two_parts_of_a_release_are_one_again(small: Path, tmp_path: Path) -> None:
    """As shards on two machines are: their summaries stand around them."""
    folders = [tmp_path / name for name in ("a", "b")]
    for place, folder in enumerate(folders):
        bare(small, folder)
        shutil.copy(small / "export_summary.json", folder)
        for name in TABLES:
            rows = [row for row in lines(folder / name) if int(row["scene_id"][-1]) % 2 == place]
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / name).write_text(text, encoding="utf-8")
    made = replay(folders, tmp_path / "made", workers=1, offline=True)
    assert (made.faults, made.lost) == ((), ())
    whole = by_id(release_rows(small))
    rows = by_id(release_rows(made.out))
    assert {name: {**row, "substituted": None} for name, row in whole.items()} == rows
    assert images(made.out) == images(small)


def test_two_releases_that_give_one_subset_two_looks_are_refused(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    bare(small, other)
    summary = json.loads((small / "export_summary.json").read_text(encoding="utf-8"))
    summary["sources"]["Edits"]["ink"] = 0.5
    (other / "export_summary.json").write_text(json.dumps(summary), encoding="utf-8")
    ran = run(capsys, small, other, "--out", tmp_path / "made")
    assert (ran.code, len(ran.err)) == (2, 1)
    assert "Edits looks otherwise" in ran.err[0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("cues", "Edits", "outline_color"), [300, 0, 0]),
        (("cues", "Edits", "outline_half_width"), "wide"),
        (("sources", "Edits", "grid_lines"), {"color": [0, 0], "width": 1}),
        (("sources", "Edits", "ink"), 7),
        (("prompts", "Edits", "tasks"), {"T1_COUNT_GLOBAL": "How many?"}),
        (("prompts", "Edits"), "fr"),
        (("counts",), []),
        (("packs",), [1]),
    ],
)
def test_a_broken_summary_beside_the_rows_is_one_line(
    path: tuple[str, ...],
    value: Any,
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = bare(small, tmp_path / "records")
    summary = json.loads((small / "export_summary.json").read_text(encoding="utf-8"))
    inner = summary
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    (records / "export_summary.json").write_text(json.dumps(summary), encoding="utf-8")
    ran = run(capsys, records, "--out", tmp_path / "made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert "export_summary.json: cannot be read as the summary of a release" in ran.err[0]
    assert not (tmp_path / "made").exists()


def test_a_prompt_that_is_not_in_the_words_of_its_release_is_named(
    french: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """T4's and T5's, too, since the summary tells all words."""
    records = tmp_path / "records"
    shutil.copytree(french, records)
    mutilated = {}
    rows = lines(records / "metadata_test.jsonl")
    for row in rows[:5]:
        mutilated[row["item_id"]] = row["prompt_local"]
        row["prompt_local"] = row["prompt_local"].replace("Comptez", "Trouvez") + " Merci."
        row["prompt"] = row["prompt_global"] + "\n" + row["prompt_local"]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (records / "metadata_test.jsonl").write_text(text, encoding="utf-8")
    ran = run(capsys, records, "--out", tmp_path / "made")
    assert ran.code == 1
    named = {(line.split(": ")[1], line.split(": ")[2].split(" ")[0]) for line in ran.out[:-2]}
    assert named == {(name, key) for name in mutilated for key in ("prompt_local", "prompt")}
    made = by_id(release_rows(tmp_path / "made"))
    assert {name: made[name]["prompt_local"] for name in mutilated} == mutilated


# --- subsets that replay cannot draw


class Dots(Source):
    """A source of somebody's own: a dot here or there."""

    kind = "dots"
    primitive_type = "DOTS"
    columns = {"shift": {"description": "Pixels to the right.", "type": "integer"}}  # noqa: RUF012

    @classmethod
    def own_art(cls, options: Any) -> Sequence[OwnArt]:
        return (OwnArt("my-dots", "CC0-1.0", "me"),)

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        tiles = [Tile(f"my-dots/{n}", "my-dots", "CC0-1.0", {"shift": n}) for n in range(12)]
        return [
            Candidate(
                f"{n}__{n + 1}", "", tiles[n], tiles[n + 1], (tiles[n].name, tiles[n + 1].name)
            )
            for n in range(11)
        ]

    def draw(self, tile: Tile, cell_size: int) -> npt.NDArray[np.uint8]:
        drawn = np.full((cell_size, cell_size, 3), 255, np.uint8)
        left = 1 + tile.recipe["shift"]
        drawn[4:12, left : left + 4] = (200, 30, 30)
        return drawn

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> dict[str, Any]:
        return {"shift": 1}


def mixed(folder: Path) -> Path:
    """A release of a subset that replay can draw, one of a lent source, one of image pairs."""
    (folder / "art").mkdir(parents=True)
    for number in range(6):
        pixels = np.full((24, 24, 3), (250, 200, 40 * number), np.uint8)
        pixels[2:8, 2:20] = (20, 90, 40)
        Image.fromarray(pixels).save(folder / f"art/p{number}.png")
        pixels[12:18, 4 + number : 12 + number] = (20, 40, 90)
        Image.fromarray(pixels).save(folder / f"art/p{number}.edit.png")
    text = SMALL.read_text(encoding="utf-8")
    window = text[text.index("    admission: &window") : text.index("  - name: Contents")]
    window = window.replace(" &window", "")
    head, tail = text.split("  - name: Contents")
    pipeline = folder / "mixed.yaml"
    pipeline.write_text(
        f"{head}  - name: Dots\n    prefix: DO\n    kind: dots\n    scenes: 6\n    dev_scenes: 1\n"
        f"    packs: []\n    repeat_pairs: true\n{window}"
        "  - name: Pictures\n    prefix: PI\n    kind: image_pairs\n    scenes: 6\n"
        "    dev_scenes: 1\n    repeat_pairs: true\n"
        f"    packs: [{{folder: art, license: CC0-1.0, attribution: me}}]\n{window}"
        f"  - name: Contents{tail}",
        encoding="utf-8",
    )
    return build(load_pipeline(pipeline), folder / "Mixed", workers=1, offline=True).out


@pytest.mark.parametrize("source", ["folder", "bare files"])
def test_subsets_that_replay_cannot_draw_are_named_and_the_rest_is_done(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with lent(Dots):
        original = mixed(tmp_path / "work")
    records = original if source == "folder" else bare(original, tmp_path / "bare")
    ran = run(capsys, records, "--out", tmp_path / "made")
    assert (ran.code, ran.err) == (1, [])
    lost = [line for line in ran.out if ": lost: " in line]
    assert len(lost) == 12 == len(ran.out) - 2
    assert {line[:2] for line in lost} == {"DO", "PI"}
    assert all("cannot draw" in line or "cannot be drawn" in line for line in lost)
    made = by_id(release_rows(tmp_path / "made"))
    whole = by_id(release_rows(original))
    assert {row["rose_subset"] for row in made.values()} == {"Edits", "Contents"}
    for name, row in made.items():
        assert row == {**whole[name], "substituted": None}
    kept = {name: digest for name, digest in images(original).items() if name[:2] in ("ED", "CO")}
    assert images(tmp_path / "made") == kept
