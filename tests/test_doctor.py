"""The doctor names what is missing, and the command that mends it."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from PIL import Image

from rosegen import doctor, doctor_pipeline
from rosegen.cli import main
from rosegen.doctor import examine
from rosegen.errors import RosegenError
from rosegen.packs import load_packs
from rosegen.sources.font_file import list_faces
from tests.sources.font_maker import box, made, saved

TERMS = "license: CC0-1.0, attribution: me}]"


def pipeline_of(folder: Path, text: str, licenses: str = "licenses: [CC0-1.0, OFL-1.1]") -> Path:
    """A pipeline of one subset, ``Mine``."""
    path = folder / "mine.yaml"
    subset = f"  - {{name: Mine, prefix: MI, {text}}}\n"
    path.write_text(f"format: 1\nname: Mine\n{licenses}\nsubsets:\n{subset}", encoding="utf-8")
    return path


def make_art(folder: Path) -> None:
    """A broken font, a sound one, and a picture with its edit, listed under a licence."""
    for name in ("fonts", "latin", "art"):
        (folder / name).mkdir()
    (folder / "fonts" / "broken.ttf").write_bytes(b"\0\1\0\0" + bytes(60))
    glyphs = {name: [box(100, 0, 300 + 40 * place, 700)] for place, name in enumerate("abc")}
    saved(made(glyphs, {ord(name): name for name in glyphs}), folder / "latin" / "plain.ttf")
    for name, level in (("a.png", 40), ("a.edit.png", 90)):
        picture = Image.new("RGB", (40, 40), (200, level, 0))
        picture.paste((0, 0, level), (5, 5, 20, 30))
        picture.save(folder / "art" / name)
    listed = "a,b,license\na.png,a.edit.png,GPL-3.0-only\n"
    (folder / "pairs.csv").write_text(listed, encoding="utf-8")


def test_everything_a_build_depends_on_is_looked_at() -> None:
    found = {each.what: each for each in examine()}
    for what in (
        "python",
        "freetype",
        "raqm",
        "resvg",
        "harfbuzz",
        "pip",
        "cache",
        "packs",
        "kinds",
    ):
        assert what in found
    assert found["resvg"].ok
    assert found["packages"].ok
    assert all(each.mend for each in found.values() if not each.ok)


def test_a_missing_package_comes_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = doctor.version

    def version(name: str) -> str:
        if name == "orjson":
            raise PackageNotFoundError(name)
        return "0.1" if name == "numpy" else real(name)

    monkeypatch.setattr(doctor, "requires", lambda name: ["orjson>=3.10", "numpy>=1.26"])
    monkeypatch.setattr(doctor, "version", version)
    found = {each.what: each for each in examine()}
    assert (found["orjson"].ok, found["orjson"].detail) == (False, "absent")
    assert found["orjson"].mend.startswith("pip install 'orjson")
    assert (found["numpy"].ok, found["numpy"].detail) == (False, "0.1")
    assert "packages" not in found


def test_an_empty_cache_says_what_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "cache"))
    packs = next(each for each in examine() if each.what == "packs")
    assert not packs.ok
    assert packs.mend.startswith("rosegen assets fetch ")
    assert "twemoji" in packs.mend


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 10**8

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda folder: Usage)
    found = {each.what: each for each in examine()}
    assert not found["cache"].ok
    assert "0.1 GB free" in found["cache"].detail
    assert "ROSEGEN_CACHE" in found["cache"].mend


@pytest.mark.parametrize(
    ("text", "what", "says"),
    [
        ("kind: sprite, scenes: 2", "Mine", "kind sprite"),
        ("kind: sprite, scenes: 2, packs: [nowhere]", "Mine", "no asset pack 'nowhere'"),
        ("kind: spright, scenes: 2", "pipeline", "unknown kind 'spright'"),
        (
            "kind: sprite, scenes: 2, packs: [{folder: gone, license: CC0-1.0, attribution: me}]",
            "Mine",
            "names a missing folder",
        ),
        (
            "kind: glyph, scenes: 2, options: {characters: [abc]}, packs: [{folder: fonts, "
            + TERMS,
            "Mine",
            "broken.ttf",
        ),
        (
            "kind: glyph, scenes: 2, options: {characters: ['script:Thai']}, "
            "packs: [{folder: latin, " + TERMS,
            "Mine",
            "no face has two of the texts",
        ),
        (
            "kind: image_pairs, scenes: 2, options: {pairs: pairs.csv}, "
            "packs: [{folder: art, " + TERMS,
            "Mine",
            "but not that of art/a.edit.png (GPL-3.0-only)",
        ),
        (
            "kind: image_pairs, scenes: 4, packs: [{folder: art, " + TERMS,
            "Mine",
            "1 candidate pair for 4 scenes, of which each wants a pair",
        ),
    ],
)
def test_a_pipeline_is_looked_at_too(text: str, what: str, says: str, tmp_path: Path) -> None:
    make_art(tmp_path)
    found = {each.what: each for each in examine(pipeline_of(tmp_path, text))}
    assert says in found[what].detail
    assert found[what].ok is (says == "kind sprite")


def test_a_pipeline_is_looked_at_without_what_others_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "cache"))
    path = pipeline_of(tmp_path, "kind: sprite, scenes: 2")
    found = {each.what: each for each in examine(path)}
    assert "packs" not in found
    assert found["Mine"].ok
    assert "candidate pairs for 2 scenes" in found["Mine"].detail


def test_what_the_build_would_fetch_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "cache"))
    path = pipeline_of(tmp_path, "kind: glyph, scenes: 2, packs: [noto-sans, noto-serif]")
    finding = {each.what: each for each in examine(path)}["Mine"]
    assert "not yet fetched" in finding.detail
    assert "rosegen assets fetch noto-sans noto-serif" in finding.detail
    assert not (tmp_path / "cache").exists()


def test_without_npm_what_comes_by_npm_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "cache"))
    npm = next(pack.name for pack in load_packs().values() if pack.source.type == "npm")
    path = pipeline_of(tmp_path, f"kind: sprite, scenes: 2, packs: [{npm}]", licenses="")
    found = []
    for where in ("/usr/bin/npm", None):
        monkeypatch.setattr(shutil, "which", lambda name, where=where: where)
        found.append({each.what: each for each in examine(path)}["Mine"])
    assert [each.ok for each in found] == [True, False]
    assert found[1].mend == "install Node.js"


def test_mining_that_takes_long_is_left_to_the_preview(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_art(tmp_path)
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(doctor_pipeline, "_PATIENCE", 0.0)
    path = pipeline_of(
        tmp_path,
        "kind: glyph, scenes: 2, options: {characters: [abc]}, packs: [{folder: latin, " + TERMS,
    )
    finding = {each.what: each for each in examine(path)}["Mine"]
    assert finding.ok
    assert "mining its pairs takes long and was left to rosegen sources preview" in finding.detail


def test_a_font_is_tried_with_a_character_it_has(tmp_path: Path) -> None:
    """A music font has no letter of any language."""
    font = made({"space": [], "clef": [box(100, 0, 600, 700)]}, {0x20: "space", 0x1D11E: "clef"})
    (face,) = list_faces(saved(font, tmp_path / "music.ttf"))
    assert doctor._drawn_in(face) == "U+1D11E"


def test_a_font_that_draws_nothing_is_told(tmp_path: Path) -> None:
    font = made({"space": [], "a": []}, {0x20: "space", 0x61: "a"})
    (face,) = list_faces(saved(font, tmp_path / "blank.ttf"))
    with pytest.raises(RosegenError, match="draws nothing in"):
        doctor._drawn_in(face)


@pytest.mark.parametrize("under", ["", "deeper/still"])
def test_a_cache_that_is_a_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, under: str
) -> None:
    (tmp_path / "passwd").write_text("me", encoding="utf-8")
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "passwd" / under))
    finding = {each.what: each for each in examine(tmp_path / "none.yaml")}["cache"]
    assert not finding.ok
    assert "is a file, not a folder" in finding.detail
    assert "ROSEGEN_CACHE" in finding.mend


def test_the_command_line_prints_a_line_each_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["doctor"], ["doctor", "--json"]):
        try:
            main(arguments)
        except SystemExit as ended:
            assert ended.code == 1  # something on this machine is not as it should be
        out = capsys.readouterr().out
        if "--json" in arguments:
            assert {"what", "ok", "detail", "mend"} == set(json.loads(out)[0])
        else:
            assert all(line.startswith(("ok ", "BAD", "    ")) for line in out.splitlines())
