"""Writing: whole or not at all, never over something else, and one line when the disk refuses."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosegen.errors import RosegenError
from rosegen.files import write_json, write_jsonl, write_text
from rosegen.release.finishing import SUMMARY
from rosegen.release.writer import staged


def full_disk(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def release(out: Path, text: str = "old") -> Path:
    write_text(out / SUMMARY, "{}\n")
    write_text(out / "rows.jsonl", text)
    return out


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_staged_gets_its_name_at_the_end(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "release"
    with staged(out, False) as stage:
        assert stage.parent == out.parent
        write_text(stage / "a" / "b.txt", "x")
        assert not out.exists()
    assert (out / "a" / "b.txt").read_text() == "x"
    assert names(out.parent) == ["release"]
    assert os.name == "nt" or out.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("error", [RosegenError("no"), KeyError("k"), KeyboardInterrupt()])
def test_an_error_leaves_nothing_and_is_passed_on(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(error)), staged(tmp_path / "out", False) as stage:
        write_text(stage / "half.txt", "x")
        raise error
    assert names(tmp_path) == []


def test_an_error_leaves_the_old_release_as_it_was(tmp_path: Path) -> None:
    out = release(tmp_path / "out")
    with pytest.raises(KeyError), staged(out, True) as stage:
        release(stage, "new")
        raise KeyError
    assert names(tmp_path) == ["out"]
    assert (out / "rows.jsonl").read_text() == "old"


def test_a_release_is_replaced_only_when_told(tmp_path: Path) -> None:
    out = release(tmp_path / "out")
    with pytest.raises(RosegenError, match="another release stands there: give --force"):
        staged(out, False).__enter__()
    with staged(out, True) as stage:
        release(stage, "new")
    assert (out / "rows.jsonl").read_text() == "new"
    assert names(tmp_path) == ["out"]


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with staged(out, False) as stage:
        release(stage)
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_release_is_never_replaced(force: bool, tmp_path: Path) -> None:
    file, folder, link = tmp_path / "file", tmp_path / "folder", tmp_path / "link"
    write_text(file, "mine")
    write_text(folder / "notes.txt", "mine")
    release(tmp_path / "real")
    link.symlink_to(tmp_path / "real", target_is_directory=True)
    before = names(tmp_path)
    for out, says in (
        (file, "is in the way"),
        (folder, "holds other files"),
        (link, "is in the way"),
    ):
        with pytest.raises(RosegenError, match=says) as caught:
            staged(out, force).__enter__()
        assert str(out) in str(caught.value)
    assert names(tmp_path) == before
    assert (folder / "notes.txt").read_text() == "mine"


def test_what_appears_while_building_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(RosegenError, match="another release"), staged(out, False) as stage:
        release(stage, "new")
        release(out)
    assert (out / "rows.jsonl").read_text() == "old"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    "target", ["pathlib.Path.write_bytes", "os.rename", "tempfile.mkdtemp", "pathlib.Path.mkdir"]
)
def test_a_full_disk_is_one_line_and_leaves_nothing(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with pytest.raises(RosegenError) as caught, monkeypatch.context() as patch:
        patch.setattr(target, full_disk)
        with staged(out, False) as stage:
            write_text(stage / "rows.jsonl", "x")
    assert str(caught.value) == f"{out}: the disk is full: free some space and run it again"
    assert names(tmp_path) == []


def test_another_refusal_names_the_file(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "x")
    with pytest.raises(RosegenError, match="cannot be written") as caught:
        staged(tmp_path / "file" / "out", False).__enter__()
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "file") in str(caught.value)


def test_a_name_the_disk_cannot_take_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RosegenError):
        staged(tmp_path / ("x" * 300), False).__enter__()


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "broken"), KeyboardInterrupt()], ids=["disk", "ctrl-c"]
)
@pytest.mark.parametrize("fails", [(2,), (2, 3)], ids=["second", "second and way back"])
def test_the_old_release_outlives_whatever_stops_the_exchange(
    error: BaseException, fails: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exchange is two renames; the second, or that and the way back, may fail."""
    out = release(tmp_path / "out")
    calls: list[Path] = []
    rename: Callable[..., None] = os.rename

    def failing(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) in fails:
            raise error
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises((RosegenError, KeyboardInterrupt)), staged(out, True) as stage:
        release(stage, "new")
    kept = [path.read_text() for path in tmp_path.rglob("rows.jsonl")]
    assert "old" in kept


def test_files_are_utf_8_with_line_feeds(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "rows.jsonl", [{"b": "未", "a": None}, {"b": "❤️", "a": 1.0}])
    assert (tmp_path / "rows.jsonl").read_bytes() == (
        '{"b": "未", "a": null}\n{"b": "❤️", "a": 1.0}\n'.encode()
    )
    write_json(tmp_path / "one.json", {"b": ["末"], "a": 2})
    raw = (tmp_path / "one.json").read_bytes()
    assert raw.endswith(b"}\n")
    assert b"\r" not in raw
    assert "末".encode() in raw
    assert json.loads(raw) == {"b": ["末"], "a": 2}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_not_written(value: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_jsonl(tmp_path / "rows.jsonl", [{"x": value}])
    assert names(tmp_path) == []
