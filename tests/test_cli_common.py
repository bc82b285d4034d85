"""How the command line counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosegen.cli import main
from rosegen.cli.common import counted
from tests.core_maker import SMALL


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 faults"), (1, "1 fault"), (2, "2 faults"), (1234, "1,234 faults")]
)
def test_one_is_told_in_the_singular(count: int, text: str) -> None:
    assert counted(count, "fault") == text


def test_a_release_of_one_scene_and_its_one_fault_are_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = ["--subset", "Edits", "--limit", "1", "--workers", "1", "--offline"]
    main(["build", str(SMALL), "--out", str(out), *options])
    assert "built 1 scene, 2 images, 5 items" in capsys.readouterr().out
    (out / "stray.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["verify", str(out), "--workers", "1"])
    assert ": 1 fault (1 scene, 2 images, " in capsys.readouterr().out
