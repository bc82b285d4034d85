"""Pack files: the ones that ship, and what is said of malformed ones."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from rosegen.data import assets_dir, schemas_dir
from rosegen.errors import RosegenError
from rosegen.packs import Pack, cache_dir, load_packs
from rosegen.packs.store import _named_members

SHIPPED = load_packs()

GOOD = """\
name: tiny
kind: fonts
default: true
source:
  type: pypi
  package: tiny-art
  version: "1.0"
  sha256: SHA
license: OFL-1.1
attribution: us
homepage: https://example.org
files:
  - "*.ttf"
contents:
  faces:
    - {name: Tiny-Regular, family: Tiny, file: tiny.ttf, index: 0}
""".replace("SHA", "ab" * 32)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(_schema())
    assert not Draft202012Validator(_schema()).is_valid({})


@pytest.mark.parametrize("path", sorted((assets_dir() / "packs").iterdir()), ids=lambda p: p.name)
def test_a_shipped_pack_file_fits_the_schema(path: Path) -> None:
    assert path.suffix == ".yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    Draft202012Validator(_schema()).validate(data)
    assert SHIPPED[path.stem].path == path


@pytest.mark.parametrize("pack", SHIPPED.values(), ids=SHIPPED)
def test_a_shipped_pack_is_free_and_names_its_files(pack: Pack) -> None:
    assert not {"NC", "ND", "LicenseRef"} & set(pack.license.replace("-", " ").split())
    assert pack.source.sha256 is not None
    for member in _named_members(pack.contents):
        assert any(fnmatchcase(member, glob) for glob in pack.files), member


def test_what_ships_suffices_for_every_kind() -> None:
    kinds = [pack.kind for pack in SHIPPED.values() if pack.default]
    assert {"fonts", "emoji", "sprites", "characters"} == set(kinds)
    faces = [face for pack in SHIPPED.values() for face in pack.contents.get("faces", [])]
    assert len({face["name"] for face in faces}) == len(faces) >= 8
    assert list(SHIPPED) == sorted(SHIPPED)


def test_a_good_file(tmp_path: Path) -> None:
    pack = _load(tmp_path, GOOD)
    assert (pack.kind, pack.license, pack.default) == ("fonts", "OFL-1.1", True)
    assert (pack.source.type, pack.source.label) == ("pypi", "tiny-art 1.0")
    assert pack.contents["faces"][0]["name"] == "Tiny-Regular"
    assert isinstance(hash(pack), int)


def test_a_folder_pack_needs_no_hash(tmp_path: Path) -> None:
    start, end = GOOD.index("source:"), GOOD.index("license:")
    text = GOOD[:start] + "source: {type: folder, path: ../art}\n" + GOOD[end:]
    assert _load(tmp_path, text).source.sha256 is None


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("kind: fonts", "kind: fnots", 2, "kind: 'fnots' is not one of"),
        ("name: tiny", "name: other", 1, "must be the file's own name"),
        ("files:", "colour: red\nfiles:", 12, "'colour' is unknown here"),
        ("ab" * 32, "abc", 8, "source.sha256: 'abc' does not match"),
        ('"1.0"', "1.0", 7, "source.version: 1.0 is not of type 'string'"),
        ("license: OFL-1.1\n", "", 1, "'license' is a required property"),
        ("index: 0", "index: -1", 16, "contents.faces.0.index: -1 is less than"),
        ("kind: fonts", "kind: sprites", 15, "'faces' is unknown here"),
        ("homepage", "license", 11, "'license' is given twice"),
        ("default: true", "default: [true", 4, "not valid YAML"),
        ("attribution: us", "attribution: \t- @", 10, "not valid YAML"),
        ("attribution: us", "attribution: \0", None, "not valid YAML"),
        ("attribution: us", "? [a, b]\n: us", 10, "not valid YAML"),
        (GOOD, "", 1, "the file is empty"),
        (GOOD, "just words", 1, "'just words' is not of type 'object'"),
    ],
)
def test_a_malformed_file_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int | None, words: str
) -> None:
    with pytest.raises(RosegenError) as caught:
        _load(tmp_path, GOOD.replace(old, new))
    message = str(caught.value)
    where = tmp_path / "tiny.yaml"
    assert message.startswith(f"{where}: " if line is None else f"{where}:{line}: "), message
    assert words in message and "\n" not in message


def test_two_ways_to_read_one_pack(tmp_path: Path) -> None:
    contents = GOOD.index("contents:")
    text = GOOD[:contents].replace("fonts", "sprites") + (
        "contents:\n  dicebear: a.json\n  images: {glob: '*'}\n"
    )
    with pytest.raises(RosegenError, match="one of images, sheet, dicebear must be given"):
        _load(tmp_path, text)


def test_two_faces_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(GOOD.replace("name: tiny", "name: other"))
    with pytest.raises(RosegenError, match=r"tiny.yaml: face 'Tiny-Regular' is already .*other"):
        _load(tmp_path, GOOD)


def test_unreadable(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(RosegenError, match="cannot be read as UTF-8"):
        load_packs(tmp_path)
    with pytest.raises(RosegenError, match="no such folder of asset packs"):
        load_packs(tmp_path / "nowhere")


def test_the_cache_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path
    monkeypatch.delenv("ROSEGEN_CACHE")
    assert cache_dir().name in {"rosegen", "Cache"}


def _load(folder: Path, text: str) -> Pack:
    (folder / "tiny.yaml").write_text(text, encoding="utf-8")
    return load_packs(folder)["tiny"]


def _schema() -> dict[str, object]:
    schema: dict[str, object] = json.loads(
        (schemas_dir() / "asset_pack.schema.json").read_text(encoding="utf-8")
    )
    return schema
