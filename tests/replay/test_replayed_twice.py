"""A release of stand-ins is a release like any other: it is replayed again, and is the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.verify import verify_release
from tests.replay.maker import lines, release_rows, run
from tests.replay.test_options import build_options
from tests.replay.test_own_releases import bare, images
from tests.replay.test_own_sprites import build_own


@pytest.mark.usefixtures("packs_cached")
@pytest.mark.parametrize("from_bare_files", [False, True], ids=["folder", "bare files"])
@pytest.mark.parametrize("make", [build_options, build_own], ids=["glyphs", "sprites"])
def test_what_stood_in_once_is_shown_again_and_said_again(
    make: Callable[[Path], Path],
    from_bare_files: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    original, first, second = make(tmp_path / "work"), tmp_path / "first", tmp_path / "second"
    ran = run(capsys, original, "--out", first, "--substitute")
    assert (ran.code, ran.err) == (0, [])
    rows = release_rows(first)
    assert any(row["substituted"] for row in rows)
    records = bare(first, tmp_path / "bare") if from_bare_files else first
    ran = run(capsys, records, "--out", second)
    assert (ran.code, ran.err) == (0, [])
    assert release_rows(second) == rows
    if not from_bare_files:  # which tell the look
        assert images(second) == images(first)
    said = [
        [note for note in lines(made / "replay_notes.jsonl") if note["note"] == "substitution"]
        for made in (first, second)
    ]
    assert said[0] == said[1] != []
    report = verify_release(second, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]
