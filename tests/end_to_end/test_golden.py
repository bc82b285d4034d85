"""The demo release, image by image, as it was when a person last looked at it.

``tests/golden/demo.json`` holds the pixel hash of each image and the versions that drew them. After
a change that is meant to show, look at the new images and write the file anew:

    ROSEGEN_RENEW_GOLDEN=1 python -m pytest tests/end_to_end/test_golden.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rosegen.build import Build
from rosegen.toolchain import toolchain

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "demo.json"
DRAWING = ("freetype", "resvg_py", "blackrenderer", "rosegen")


def test_the_demo_looks_as_it_did(demo: Build) -> None:
    text = (demo.out / "manifest.jsonl").read_text(encoding="utf-8")
    images = {row["image"]: row["pixel_sha256"] for row in map(json.loads, text.splitlines())}
    versions = {name: toolchain()[name] for name in DRAWING}
    if os.environ.get("ROSEGEN_RENEW_GOLDEN"):
        GOLDEN.write_text(json.dumps({"toolchain": versions, "images": images}, indent=1) + "\n")
    golden = json.loads(GOLDEN.read_text())
    if golden["toolchain"] != versions:
        pytest.skip(f"the golden images were drawn by {golden['toolchain']}, these by {versions}")
    changed = [name for name in images if images[name] != golden["images"].get(name)]
    assert images.keys() == golden["images"].keys()
    assert not changed, f"look at these in {demo.out}: {changed}"
