"""``rosegen new source``: a package that installs, passes its own test, and builds."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rosegen.cli import main
from rosegen.errors import RosegenError
from rosegen.new import new_source
from tests.core_maker import ROOT

FILES = ["README.md", "pipeline.yaml", "pyproject.toml", "stars.py", "tests", "tests/test_stars.py"]


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def python(*arguments: str, cwd: Path, paths: tuple[Path, ...]) -> subprocess.CompletedProcess[str]:
    """Run Python where these folders are searched for packages, and no network is asked."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (*paths, ROOT, *_given_paths()))),
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        },
    )


def _given_paths() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "stars"
    new_source("stars", folder)
    return folder


def test_it_writes_code_a_test_a_pipeline_and_a_project_file(package: Path) -> None:
    written = sorted(path.relative_to(package).as_posix() for path in package.rglob("*"))
    assert written == FILES
    for path in package.rglob("*.*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "$" not in text.replace("$ ", ""), path
            assert text.endswith("\n")
    code = (package / "stars.py").read_text(encoding="utf-8").splitlines()
    assert len(code) < 60
    assert max(map(len, code)) <= 100


def test_its_own_test_passes(package: Path) -> None:
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package, paths=(package,))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_a_mistake_in_it_is_told_by_its_own_test(package: Path) -> None:
    module = package / "stars.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('{"stars_rays": pair', '{"stars_ray": pair'), encoding="utf-8")
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package, paths=(package,))
    assert done.returncode == 1
    assert "fields: fields of 'stars/5-0-0'" in done.stdout
    assert "fills a column 'stars_ray' that nobody declared: declare it in columns" in done.stdout


def test_it_installs_and_every_pipeline_knows_its_kind(package: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling, which builds the package, is not installed")
    site = tmp_path / "site"
    installed = python(
        *("-m", "pip", "install", "--no-deps", "--no-build-isolation", "--target", str(site), "."),
        cwd=package,
        paths=(),
    )
    assert installed.returncode == 0, installed.stdout + installed.stderr
    assert (site / "stars.py").is_file()
    assert not (site / "tests").exists()
    away = tmp_path / "away"
    away.mkdir()
    listed = python("-m", "rosegen", "sources", "list", "--json", cwd=away, paths=(site,))
    assert "stars" in [row["kind"] for row in json.loads(listed.stdout)["kinds"]]
    path = str(package / "pipeline.yaml")
    for arguments in (
        ("sources", "preview", path, "--pairs", "4", "--workers", "2"),
        ("build", path, "--out", "out", "--workers", "2"),
        ("verify", "out", "--workers", "2"),
    ):
        done = python("-m", "rosegen", *arguments, cwd=away, paths=(site,))
        assert done.returncode == 0, done.stdout + done.stderr
    card = (away / "out" / "README.md").read_text(encoding="utf-8")
    assert "| `stars_rays` | integer | Rays of the star. |" in card
    again = python("-m", "rosegen", "new", "source", "stars", cwd=away, paths=(site,))
    assert again.returncode == 2
    assert "there is a kind 'stars' already" in again.stderr


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Stars", "cannot be the name of a Python module"),
        ("my-stars", "cannot be the name of a Python module"),
        ("my stars", "cannot be the name of a Python module"),
        ("7stars", "cannot be the name of a Python module"),
        ("étoiles", "cannot be the name of a Python module"),
        ("../stars", "cannot be the name of a Python module"),
        ("", "cannot be the name of a Python module"),
        ("class", "cannot be the name of a Python module"),
        ("json", "there is a Python module 'json' already"),
        ("numpy", "there is a Python module 'numpy' already"),
        ("rosegen", "there is a Python module 'rosegen' already"),
        ("sprite", "there is a kind 'sprite' already"),
    ],
)
def test_a_name_that_is_no_use_is_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(RosegenError, match=why):
        new_source(name, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(package: Path) -> None:
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    with pytest.raises(RosegenError, match="holds files already"):
        new_source("stars", package)
    assert {p: p.read_bytes() for p in package.rglob("*") if p.is_file()} == before
    taken = package.parent / "taken"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(RosegenError, match="is in the way"):
        new_source("stars", taken)
    assert taken.read_text(encoding="utf-8") == "mine"


def test_names_of_several_words_fit_everywhere(tmp_path: Path) -> None:
    new_source("my_round_2_shapes", tmp_path)
    assert "class MyRound2Shapes(Source):" in (tmp_path / "my_round_2_shapes.py").read_text("utf-8")
    project = (tmp_path / "pyproject.toml").read_text("utf-8")
    assert 'name = "rosegen-my-round-2-shapes"' in project
    assert 'my_round_2_shapes = "my_round_2_shapes:MyRound2Shapes"' in project
    assert "prefix: MYRO" in (tmp_path / "pipeline.yaml").read_text("utf-8")


def test_the_command_says_what_it_wrote_and_what_is_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("new", "source", "stars", capsys=capsys)
    assert (code, err) == (0, "")
    *files, following = out.splitlines()
    assert all((tmp_path / name).is_file() for name in files)
    assert following == "next: cd stars && pip install -e . && pytest"
    code, out, _ = run("new", "source", "moons", "--out", "here/moons", "--json", capsys=capsys)
    told = json.loads(out)
    assert (code, told["out"]) == (0, "here/moons")
    assert all((tmp_path / name).is_file() for name in told["files"])
    code, out, err = run("new", "source", "class", capsys=capsys)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    code, out, err = run("new", "source", "suns", "-q", capsys=capsys)
    assert (code, out, err) == (0, "", "")
