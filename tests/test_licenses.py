"""Which licences a pipeline allows: SPDX expressions are understood, not compared as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosegen.build import build
from rosegen.errors import RosegenError
from rosegen.licenses import entry_problem, is_allowed, license_problem, refuse_licenses
from rosegen.packs import load_pack, load_packs
from rosegen.pipeline import load_pipeline


@pytest.mark.parametrize(
    ("expression", "allowed", "holds"),
    [
        ("CC0-1.0", ["CC0-1.0"], True),
        ("cc0-1.0", ["CC0-1.0"], True),
        ("CC-BY-4.0", ["CC0-1.0"], False),
        ("MIT OR GPL-3.0-only", ["MIT"], True),
        ("MIT AND GPL-3.0-only", ["MIT"], False),
        ("MIT AND (OFL-1.1 OR GPL-3.0-only)", ["MIT", "OFL-1.1"], True),
        ("Apache-2.0 OR GPL-3.0-only WITH Font-exception-2.0", ["GPL-3.0-only"], False),
        ("GPL-3.0-only WITH Font-exception-2.0", ["GPL-3.0-only WITH Font-exception-2.0"], True),
        ("LicenseRef-mine", ["LicenseRef-mine"], True),
        ("LicenseRef-mine", ["LicenseRef-yours"], False),
    ],
)
def test_an_expression_is_allowed_when_a_way_through_it_is(
    expression: str, allowed: list[str], holds: bool
) -> None:
    assert is_allowed(expression, allowed) is holds


BROKEN = ["MIT AND", "(MIT", "MIT or and", "MIT MIT", "MIT\n", " MIT", "", "MIT WITH MIT"]


@pytest.mark.parametrize("expression", BROKEN)
def test_what_is_no_expression_is_an_error(expression: str) -> None:
    with pytest.raises(RosegenError, match="is no SPDX licence") as caught:
        is_allowed(expression, ["MIT"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "near"),
    [
        ("CC0", "CC0-1.0"),
        ("cc0", "CC0-1.0"),
        ("CC0_1.0", "CC0-1.0"),
        ("CC-BY-4", "CC-BY-4.0"),
        ("CC BY-SA", "CC-BY-SA-4.0"),
        ("OFL", "OFL-1.1"),
        ("Apache 2.0", "Apache-2.0"),
        ("MIT OR Apache", "Apache-2.0"),
        ("GPL-3.0-only WITH Font-exception", "Font-exception-2.0"),
    ],
)
def test_a_licence_that_nearly_has_its_id_is_told_it(expression: str, near: str) -> None:
    problem = license_problem(expression)
    assert problem is not None
    assert problem.endswith(f": is {near} meant?")


def test_a_licence_that_is_like_no_other_is_told_of_ids_of_ones_own() -> None:
    problem = license_problem("AllMineHandsOff")
    assert problem is not None
    assert problem.endswith("name one of your own LicenseRef-...")


@pytest.mark.parametrize(
    "expression",
    [
        "cc0-1.0",
        "GPL-2.0+",
        "Apache-2.0+",
        "GPL-3.0",
        "LicenseRef-mine AND (MIT OR 0BSD)",
        "GPL-2.0-only WITH Font-exception-2.0",
        "DocumentRef-here:LicenseRef-mine",
    ],
)
def test_what_spdx_allows_is_allowed(expression: str) -> None:
    assert license_problem(expression) is None


def test_an_entry_of_the_list_is_one_licence() -> None:
    assert entry_problem("GPL-3.0-only WITH Font-exception-2.0") is None
    assert "more than one licence" in str(entry_problem("MIT OR ISC"))
    assert "is CC0-1.0 meant?" in str(entry_problem("CC0"))


def test_every_shipped_pack_has_an_expression_that_can_be_read() -> None:
    licenses = {pack.license for pack in load_packs().values()}
    assert all(is_allowed(license, [license]) in (True, False) for license in licenses)
    assert is_allowed("OFL-1.1", licenses)


def test_everything_that_is_not_allowed_is_named_at_once() -> None:
    art = [("one", "CC-BY-NC-4.0"), ("two", "MIT"), ("three", "GPL-3.0-only")]
    with pytest.raises(RosegenError, match=r"one \(CC-BY-NC-4.0\), three \(GPL-3.0-only\)"):
        refuse_licenses(art, ["MIT"])


PIPELINE = """format: 1
name: Licensed
licenses: [{licenses}]
subsets:
  - {{name: Mine, prefix: MI, kind: sprite, scenes: 2{more}}}
"""


@pytest.mark.parametrize(
    ("licenses", "more", "line", "says"),
    [
        ("CC0-1.0, cc0", "", 3, "licenses.1: 'cc0' is no SPDX licence id: is CC0-1.0 meant?"),
        ("MIT OR", "", 3, "licenses.0: 'MIT OR' is no SPDX licence expression"),
        ("MIT OR ISC", "", 3, "licenses.0: 'MIT OR ISC' is more than one licence"),
        (
            "MIT",
            ", packs: [{folder: art, license: CC0, attribution: me}]",
            5,
            "packs.0.license: 'CC0' is no SPDX licence id: is CC0-1.0 meant?",
        ),
    ],
)
def test_a_pipeline_that_names_no_licence_is_refused_at_its_line(
    tmp_path: Path, licenses: str, more: str, line: int, says: str
) -> None:
    path = tmp_path / "licensed.yaml"
    path.write_text(PIPELINE.format(licenses=licenses, more=more), encoding="utf-8")
    with pytest.raises(RosegenError) as caught:
        load_pipeline(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert says in str(caught.value)


def test_a_pack_file_that_names_no_licence_is_refused_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "noto-sans.yaml"
    shipped = load_packs()["noto-sans"].path.read_text(encoding="utf-8")
    path.write_text(shipped.replace("license: OFL-1.1", "license: OFL"), encoding="utf-8")
    line = shipped[: shipped.index("license: OFL-1.1")].count("\n") + 1
    with pytest.raises(RosegenError, match=rf":{line}: license: 'OFL' is no .* is OFL-1.1 meant"):
        load_pack(path)


def test_art_of_a_source_under_no_licence_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "licensed.yaml"
    path.write_text(PIPELINE.format(licenses="CC0-1.0", more=""), encoding="utf-8")
    monkeypatch.setattr("rosegen.sources.pixel.OWN_LICENSE", "WhateverLicense")
    with pytest.raises(RosegenError, match="own_art 'rosegen-sprites': 'WhateverLicense' is no"):
        build(path, tmp_path / "out", offline=True, workers=1)


def test_a_pack_outside_the_list_stops_the_build_before_anything_is_fetched(tmp_path: Path) -> None:
    path = tmp_path / "licensed.yaml"
    text = PIPELINE.format(licenses="CC0-1.0", more=", packs: [craftax]")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosegenError, match=r"allows CC0-1.0, but not that of craftax \(MIT\)"):
        build(path, tmp_path / "out", offline=True, workers=1)
    assert not (tmp_path / "out").exists()


def test_art_that_a_source_brings_itself_counts_too(tmp_path: Path) -> None:
    path = tmp_path / "licensed.yaml"
    path.write_text(PIPELINE.format(licenses="MIT", more=""), encoding="utf-8")
    with pytest.raises(RosegenError, match=r"not that of rosegen-sprites \(CC0-1.0\)"):
        build(path, tmp_path / "out", offline=True, workers=1)
    path.write_text(PIPELINE.format(licenses="CC0-1.0", more=""), encoding="utf-8")
    made = build(path, tmp_path / "out", offline=True, workers=1)
    assert made.summary["licenses"] == {"CC0-1.0": 4}
    assert "| CC0-1.0 | 4 |" in (made.out / "README.md").read_text(encoding="utf-8")
