"""``rosegen new pipeline``: a file that loads as it is, and says what else could be set."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from PIL import Image

from rosegen.build import build
from rosegen.cli import main
from rosegen.errors import RosegenError
from rosegen.new import Folder, new_pipeline
from rosegen.packs import Pack
from rosegen.pipeline import load_pipeline
from rosegen.sources.character_sets import read_spec
from rosegen.sources.registry import kinds
from tests.core_maker import cached_pack
from tests.sources.font_maker import box, made, saved

FOLDERS = ("image_pairs", "image_pool")


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def art(tmp_path: Path) -> Folder:
    """A folder with a colon and a quote in its name."""
    path = tmp_path / 'my: "art"'
    path.mkdir()
    return Folder(path, "CC0-1.0 OR MIT", 'Me: "us" \\ and\tÜ')


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind not in FOLDERS])
def test_the_file_of_a_kind_loads(kind: str, tmp_path: Path) -> None:
    path = new_pipeline("letters", kind, out=tmp_path / "letters.yaml")
    (subset,) = load_pipeline(path).subsets
    assert (subset.name, subset.kind, subset.prefix, subset.scenes) == ("letters", kind, "LETT", 20)


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kinds()[kind].pack_kinds])
def test_the_file_of_a_kind_loads_with_a_folder(kind: str, tmp_path: Path, art: Folder) -> None:
    path = new_pipeline("mine", kind, art, tmp_path / "mine.yaml")
    pack = load_pipeline(path).subsets[0].packs[0]
    assert isinstance(pack, Pack)
    assert (path.parent / pack.source.package).resolve() == art.path.resolve()
    assert (pack.license, pack.attribution) == (art.license, art.attribution)
    assert not Path(pack.source.package).is_absolute()


def test_what_it_says_of_defaults_is_what_holds(tmp_path: Path) -> None:
    path = new_pipeline("badges", "sprite", out=tmp_path / "badges.yaml")
    text = path.read_text(encoding="utf-8")
    head, mark, rest = text.partition("take the # before its lines away.\n")
    assert mark
    told = [
        f"    {line[5:]}"
        for line in rest.splitlines()
        if not line.startswith("    # ") or line.startswith("    #  ")
    ]
    (tmp_path / "said.yaml").write_text(head + "\n".join(told) + "\n", encoding="utf-8")
    one, other = load_pipeline(path).subsets[0], load_pipeline(tmp_path / "said.yaml").subsets[0]
    assert one == other
    for name in ("seed", "ink", "grid", "regions", "cues", "admission", "repeat_pairs"):
        assert f"    #{name}:" in rest


def test_a_file_with_a_folder_builds(tmp_path: Path) -> None:
    folder = tmp_path / "tiles"
    folder.mkdir()
    for n in range(6):
        tile = Image.new("RGB", (16, 16), (200, 40 * n, 90))
        for k in range(4, 12):
            tile.putpixel((k, (k * (n + 3)) % 16), (20, 20, 20))
        tile.save(folder / f"tile-{n}.png")
    art = Folder(folder, "CC0-1.0", "the tests")
    path = new_pipeline("tiles", "sprite", art, tmp_path / "tiles.yaml")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("scenes: 20", "scenes: 4"), encoding="utf-8")
    built = build(path, tmp_path / "out", workers=1, offline=True)
    assert built.summary["packs"][0]["attribution"] == "the tests"


@pytest.mark.parametrize("kind", ["emoji", "glyph", "sprite"])
def test_a_file_of_shipped_art_builds_as_it_is(kind: str, tmp_path: Path) -> None:
    path = new_pipeline("mine", kind, out=tmp_path / "mine.yaml")
    for pack in load_pipeline(path).subsets[0].packs:
        assert isinstance(pack, str)
        cached_pack(pack)
    built = build(path, tmp_path / "out", workers=1, offline=True)
    assert built.summary["counts"]["scenes"] == 20


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(RosegenError, match="is there already"):
        new_pipeline("mine", "sprite", out=path)
    assert path.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "kind", "out", "why"),
    [
        ("a b", "sprite", "a.yaml", "name it in letters"),
        ("../a", "sprite", "a.yaml", "name it in letters"),
        ("", "sprite", "a.yaml", "name it in letters"),
        ("a", "paintings", "a.yaml", "unknown kind 'paintings'"),
        ("a", "sprite", "a.txt", "ends in .yaml"),
        ("a", "sprite", "none/a.yaml", "no such folder"),
        *[("a", kind, "a.yaml", "needs a folder") for kind in FOLDERS if kind in kinds()],
    ],
)
def test_what_is_no_use_is_refused(
    tmp_path: Path, name: str, kind: str, out: str, why: str
) -> None:
    with pytest.raises(RosegenError, match=why) as caught:
        new_pipeline(name, kind, out=tmp_path / out)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("license", "attribution", "folder", "why"),
    [
        ("CC0-1.0 AND (", "me", ".", "is no SPDX licence expression"),
        (" ", "me", ".", "--license is empty"),
        ("MIT", "", ".", "--attribution is empty"),
        ("MIT", "me", "none", "no such folder"),
        ("CC0_1.0", "me", ".", "license"),
    ],
)
def test_art_without_terms_is_refused(
    tmp_path: Path, license: str, attribution: str, folder: str, why: str
) -> None:
    art = Folder(tmp_path / folder, license, attribution)
    with pytest.raises(RosegenError, match=why):
        new_pipeline("mine", "sprite", art, tmp_path / "mine.yaml")
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_wrote_and_what_is_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("new", "pipeline", "one", "--kind", "sprite", capsys=capsys)
    assert (code, err) == (0, "")
    assert out.splitlines() == ["one.yaml", "next: rosegen sources preview one.yaml"]
    code, out, err = run("new", "pipeline", "two", "--kind", "sprite", "-q", capsys=capsys)
    assert (code, out, err) == (0, "", "")
    code, out, _ = run("new", "pipeline", "three", "--kind", "sprite", "--json", capsys=capsys)
    assert (code, json.loads(out)) == (0, {"out": "three.yaml"})
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "one.yaml",
        "three.yaml",
        "two.yaml",
    ]


def test_a_kind_that_there_is_not_is_told_before_all_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("new", "pipeline", "one", "--kind", "image_poool", "--folder", "art")
    code, out, err = run(*arguments, capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith("rosegen: unknown kind 'image_poool': is image_pool meant?")


def font_of(points: Iterable[int], path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    cmap = {point: f"g{point:X}" for point in points}
    saved(made({name: [box(50, 0, 450, 700)] for name in cmap.values()}, cmap), path)


THAI, LATIN = range(0xE01, 0xE2F), range(0x41, 0x5B)


@pytest.mark.parametrize(
    ("points", "spec"),
    [
        ([*THAI, *range(0x20, 0x7F), *range(0xC0, 0x180)], "script:Thai"),
        ([*LATIN, *range(0x61, 0x7B), 0x3A9, 0x3C0], "script:Latin"),
        (range(0x1D100, 0x1D127), "block:Musical Symbols"),
        (range(0xE000, 0xE010), "block:Private Use Area"),
        ([*LATIN, *range(0x4E00, 0x4E80)], "gb2312"),
    ],
)
def test_a_pipeline_of_fonts_begins_with_their_own_script(
    tmp_path: Path, points: Iterable[int], spec: str
) -> None:
    font_of(points, tmp_path / "fonts" / "deeper.ttf")
    art = Folder(tmp_path / "fonts", "OFL-1.1", "me")
    path = new_pipeline("mine", "glyph", art, tmp_path / "mine.yaml")
    assert load_pipeline(path).subsets[0].options == {"characters": [spec]}
    assert sum(map(read_spec(spec).holds, points)) >= 15


def test_a_broken_font_is_told_and_nothing_written(tmp_path: Path) -> None:
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts" / "broken.ttf").write_bytes(b"no font")
    with pytest.raises(RosegenError, match=r"broken\.ttf"):
        new_pipeline(
            "mine", "glyph", Folder(tmp_path / "fonts", "MIT", "me"), tmp_path / "mine.yaml"
        )
    assert [path.name for path in tmp_path.iterdir()] == ["fonts"]


def test_a_folder_wants_its_licence_and_its_maker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("new", "pipeline", "one", "--kind", "sprite", "--folder", ".")
    code, out, err = run(*arguments, capsys=capsys)
    assert (code, out) == (2, "")
    assert err == "rosegen: --license and --attribution must be given, too: art needs a licence\n"
    assert list(tmp_path.iterdir()) == []
