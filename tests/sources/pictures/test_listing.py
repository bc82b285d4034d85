"""The picture files of a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.sources.pictures import list_pictures, twins


def test_pictures_of_a_folder_are_listed_in_one_order_everywhere(tmp_path: Path) -> None:
    names = ["b.png", "a/z.GIF", "B.jpg", "a.png", "a/é.svg", "a-b/1.tiff", "z.webp"]
    hidden = [".a.png", ".git/a.png", "a/.cache/b.png", "a/._z.gif"]
    others = ["notes.txt", "a/png", "Thumbs.db"]
    for name in names + hidden + others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = list_pictures(tmp_path)
    assert found == [
        tmp_path / name
        for name in ["B.jpg", "a-b/1.tiff", "a.png", "a/z.GIF", "a/é.svg", "b.png", "z.webp"]
    ]


def test_links_that_lead_in_circles_end(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.png").touch()
    (tmp_path / "in" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "in" / "self.png").symlink_to("self.png")
    (tmp_path / "folder.png").symlink_to("in", target_is_directory=True)
    (tmp_path / "link.png").symlink_to("in/a.png")
    # Links to files count, whole or broken; links to folders do not.
    assert list_pictures(tmp_path) == [
        tmp_path / name for name in ("in/a.png", "in/self.png", "link.png")
    ]


def test_a_hidden_folder_that_is_named_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / ".mine"
    folder.mkdir()
    (folder / "a.png").touch()
    assert list_pictures(folder) == [folder / "a.png"]


@pytest.mark.parametrize("name", ["nothing", "file.png", "a\0b"])
def test_what_is_no_folder_cannot_be_listed(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.png").touch()
    with pytest.raises(RosegenError, match="folder") as caught:
        list_pictures(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_names_that_some_systems_take_for_one_are_told_apart() -> None:
    names = [
        "B/a.png",
        "b/A.png",
        "b/a.PNG",
        "caf\u00e9.png",
        "cafe.png",
        "cafe\u0301.png",
        "CAFE.png",
    ]
    paths = [Path("in", name) for name in names]
    found = [
        (a.relative_to("in").as_posix(), b.relative_to("in").as_posix()) for a, b in twins(paths)
    ]
    assert found == [
        ("B/a.png", "b/A.png"),
        ("B/a.png", "b/a.PNG"),
        ("caf\u00e9.png", "cafe\u0301.png"),
        ("cafe.png", "CAFE.png"),
    ]


def test_twins_are_both_listed(tmp_path: Path) -> None:
    names = ["a.png", "A.png", "\u00e9.png", "e\u0301.png"]
    for name in names:
        (tmp_path / name).touch()
    if len(os.listdir(tmp_path)) < len(names):  # noqa: PTH208
        pytest.skip("this system takes such names for one file")
    found = list_pictures(tmp_path)
    assert [path.name for path in found] == ["A.png", "a.png", "e\u0301.png", "\u00e9.png"]
    assert twins(found) == [(found[0], found[1]), (found[2], found[3])]
