"""Which licences a pipeline allows: SPDX expressions are understood, not compared as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosegen.build import build
from rosegen.errors import RosegenError
from rosegen.licenses import is_allowed, refuse_licenses
from rosegen.packs import load_packs


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


@pytest.mark.parametrize("expression", ["MIT AND", "(MIT", "MIT or and", "MIT MIT"])
def test_what_is_no_expression_is_an_error(expression: str) -> None:
    with pytest.raises(RosegenError, match="is no SPDX licence expression") as caught:
        is_allowed(expression, ["MIT"])
    assert "\n" not in str(caught.value)


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
