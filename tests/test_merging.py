"""Merging: shards become the release that one build makes, and what is amiss is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.build import Build, build
from rosegen.cli import main
from rosegen.errors import RosegenError
from rosegen.merging import merge
from rosegen.selection import Selection
from rosegen.verify import verify_release

COUNT = 4


@pytest.fixture(scope="module")
def shards(packs_cached: None, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("shards")
    made = []
    for number in range(1, COUNT + 1):
        shard = Selection(shard=(number, COUNT))
        out = folder / f"shard-{number}"
        made.append(build("demo", out, workers=1, selection=shard, offline=True).out)
    return made


@pytest.fixture
def copies(shards: list[Path], tmp_path: Path) -> list[Path]:
    return [Path(shutil.copytree(shard, tmp_path / shard.name)) for shard in shards]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("link", [False, True], ids=["copied", "linked"])
def test_the_merged_release_is_that_of_one_build_byte_for_byte(
    shards: list[Path], demo: Build, tmp_path: Path, link: bool
) -> None:
    merged = merge([shards[2], shards[0], shards[3], shards[1]], tmp_path / "whole", link=link)
    assert merged.shards == COUNT
    assert files(merged.out) == files(demo.out)
    assert verify_release(merged.out, workers=1).ok
    image = next((merged.out / "images").rglob("*.png"))
    assert (image.stat().st_nlink > 1) is link


def test_each_shard_verifies_alone(shards: list[Path]) -> None:
    for shard in shards:
        report = verify_release(shard, workers=1)
        assert report.ok, [str(fault) for fault in report.faults]


def test_a_merge_from_the_command_line(
    shards: list[Path], demo: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["merge", *map(str, shards), "--out", str(tmp_path / "whole"), "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["shards"] == COUNT
    assert said["counts"] == demo.summary["counts"]


def drop(shards: list[Path]) -> list[Path]:
    return [shards[0], shards[3]]


def double(shards: list[Path]) -> list[Path]:
    return [*shards, shards[1]]


def other_seed(shards: list[Path]) -> list[Path]:
    path = shards[2] / "export_summary.json"
    summary = json.loads(path.read_text())
    summary["pipeline"]["sha256"] = "0" * 64
    path.write_text(json.dumps(summary))
    return shards


def other_version(shards: list[Path]) -> list[Path]:
    path = shards[2] / "export_summary.json"
    summary = json.loads(path.read_text())
    summary["rosegen_version"] = "9.9"
    summary["toolchain"]["pillow"] = "9.9"
    path.write_text(json.dumps(summary))
    return shards


def other_pack(shards: list[Path]) -> list[Path]:
    path = shards[1] / "export_summary.json"
    summary = json.loads(path.read_text())
    shared = json.loads((shards[0] / "export_summary.json").read_text())["packs"]
    summary["packs"] = [{**pack, "sha256": "0" * 64} for pack in shared]
    path.write_text(json.dumps(summary))
    return shards


def other_count(shards: list[Path]) -> list[Path]:
    path = shards[2] / "export_summary.json"
    summary = json.loads(path.read_text())
    summary["selection"]["shard"] = [3, 5]
    path.write_text(json.dumps(summary))
    return shards


def no_shard(shards: list[Path]) -> list[Path]:
    path = shards[2] / "export_summary.json"
    summary = json.loads(path.read_text())
    summary["selection"]["shard"] = None
    path.write_text(json.dumps(summary))
    return shards


def no_summary(shards: list[Path]) -> list[Path]:
    (shards[2] / "export_summary.json").unlink()
    return shards


def cut_rows(shards: list[Path]) -> list[Path]:
    path = shards[2] / "metadata_test.jsonl"
    path.write_bytes(path.read_bytes()[:-50])
    return shards


def fewer_rows(shards: list[Path]) -> list[Path]:
    path = shards[2] / "metadata_test.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[5:]))
    return shards


def lost_image(shards: list[Path]) -> list[Path]:
    next((shards[2] / "images").rglob("*.png")).unlink()
    return shards


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (drop, "of 4 shards 2 are missing: 2, 3"),
        (double, "shard 2 is given 2 times ("),
        (other_seed, "shard-3 differs from {0}/shard-1 in pipeline"),
        (other_version, "shard-3 differs from {0}/shard-1 in rosegen_version, pillow"),
        (other_pack, "shard-2 differs from {0}/shard-1 in pack "),
        (other_count, "shard-3 differs from {0}/shard-1 in selection"),
        (no_shard, "shard-3: is no shard of a release"),
        (no_summary, "shard-3/export_summary.json: cannot be read"),
        (cut_rows, "metadata_test.jsonl:"),
        (fewer_rows, "their summaries say 25: rosegen verify tells which"),
        (lost_image, ".png: is missing: build this shard again"),
    ],
)
def test_what_is_amiss_is_named_and_nothing_is_left(
    copies: list[Path], tmp_path: Path, harm: Callable[[list[Path]], list[Path]], says: str
) -> None:
    given = harm(copies)
    before = files(tmp_path)
    with pytest.raises(RosegenError) as refused:
        merge(given, tmp_path / "whole")
    assert says.format(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert files(tmp_path) == before
    assert not any(path.name.startswith(".whole") for path in tmp_path.iterdir())


def test_a_release_that_stands_gives_way_only_to_force(shards: list[Path], tmp_path: Path) -> None:
    merge(shards, tmp_path / "whole")
    with pytest.raises(RosegenError, match="give --force to replace it"):
        merge(shards, tmp_path / "whole")
    merge(shards, tmp_path / "whole", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
