"""A folder that a pipeline names in place is a pack like any other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.packs import Pack, fetch, folder_pack


@pytest.fixture
def art(tmp_path: Path) -> Path:
    folder = tmp_path / "My Art (2)"
    (folder / "birds").mkdir(parents=True)
    for rel in ("birds/owl.png", "birds/Owl.png", "crow.webp", "notes.txt", "tool.py"):
        (folder / rel).write_bytes(rel.encode())
    return folder


def pack_of(art: Path, kind: str = "images", **more: str) -> Pack:
    entry = {"folder": art.name, "license": "CC0-1.0", "attribution": "us", **more}
    return folder_pack(art.parent / "pipeline.yaml", entry, kind)  # type: ignore[arg-type]


def test_every_picture_of_the_folder_is_there_and_no_program(art: Path, tmp_path: Path) -> None:
    opened = fetch(pack_of(art), cache=tmp_path / "cache")
    assert opened.pack.name == "my-art-2"
    assert opened.files == ("birds/Owl.png", "birds/owl.png", "crow.webp", "notes.txt")
    assert opened.read("birds/owl.png") != opened.read("birds/Owl.png")


def test_it_may_be_given_a_name(art: Path) -> None:
    assert pack_of(art, name="mine").name == "mine"


def test_an_empty_folder_is_one_line_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RosegenError, match="empty holds no font, picture or table that"):
        fetch(pack_of(tmp_path / "empty"), cache=tmp_path / "cache")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match="names a missing folder"):
        fetch(pack_of(tmp_path / "gone"), cache=tmp_path / "cache")


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be on this system")
def test_a_colon_is_only_a_colon_and_a_backslash_is_told(art: Path, tmp_path: Path) -> None:
    (art / "a:b.png").write_bytes(b"x")
    (art / "a\\b.png").write_bytes(b"x")
    opened = fetch(pack_of(art), cache=tmp_path / "cache")
    assert "a:b.png" in opened.files
    assert opened.left_out == (("a\\b.png", "has a backslash in its name"),)


def test_what_cannot_be_taken_is_told_with_the_reason(art: Path, tmp_path: Path) -> None:
    for name in ("a.heic", "b.AVIF", "c.dfont", "d.pfb", "e.psd", ".f.heic"):
        (art / name).write_bytes(b"x")
    (art / "x.ttf").mkdir()
    (art / "x.ttf" / "inside.png").write_bytes(b"x")
    (art / "LICENSES").mkdir()
    (art / "link.png").symlink_to(art / "crow.webp")
    opened = fetch(pack_of(art), cache=tmp_path / "cache")
    assert "x.ttf/inside.png" in opened.files
    picture, font = "save the picture as PNG", "bring the font as ttf, otf or woff2"
    assert opened.left_out == (
        ("a.heic", f"is of a kind that is not read: {picture}"),
        ("b.AVIF", f"is of a kind that is not read: {picture}"),
        ("c.dfont", f"is of a kind that is not read: {font}"),
        ("d.pfb", f"is of a kind that is not read: {font}"),
        ("link.png", "is a link"),
        ("x.ttf", "is a folder"),
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_a_pipe_is_left_out_and_not_waited_for(art: Path, tmp_path: Path) -> None:
    os.mkfifo(art / "p.ttf")
    opened = fetch(pack_of(art), cache=tmp_path / "cache")
    assert opened.left_out == (("p.ttf", "is no plain file"),)


def test_a_folder_that_cannot_be_read_is_said_to_be_so(
    art: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root may read everything, the system is asked to refuse."""
    scandir, closed = os.scandir, {str(art / "birds")}

    def refusing(place: str) -> object:
        if str(place) in closed:
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refusing)
    opened = fetch(pack_of(art), cache=tmp_path / "cache")
    assert opened.files == ("crow.webp", "notes.txt")
    assert opened.left_out == (("birds", "is a folder that cannot be read"),)
    closed.add(str(art))
    with pytest.raises(RosegenError, match=r"cannot be read as a folder \(Permission denied\)"):
        fetch(pack_of(art), cache=tmp_path / "cache")


def test_pictures_of_one_stem_in_two_folders_keep_their_paths(art: Path, tmp_path: Path) -> None:
    (art / "fish").mkdir()
    (art / "fish" / "owl.png").write_bytes(b"an owl fish")
    opened = fetch(pack_of(art, "sprites"), cache=tmp_path / "cache")
    assert opened.images() == {
        "Owl": "birds/Owl.png",
        "birds/owl": "birds/owl.png",
        "crow": "crow.webp",
        "fish/owl": "fish/owl.png",
    }


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be on this system")
def test_a_name_that_is_no_unicode_breaks_nothing(art: Path, tmp_path: Path) -> None:
    (art / os.fsdecode(b"caf\xe9.png")).write_bytes(b"x")
    opened = fetch(pack_of(art), cache=tmp_path / "cache")
    assert os.fsdecode(b"caf\xe9.png") in opened.files
    assert fetch(pack_of(art), cache=tmp_path / "cache").sha256 == opened.sha256


def test_a_changed_file_is_another_pack(art: Path, tmp_path: Path) -> None:
    before = fetch(pack_of(art), cache=tmp_path / "cache").sha256
    (art / "crow.webp").write_bytes(b"another crow")
    assert fetch(pack_of(art), cache=tmp_path / "cache").sha256 != before
