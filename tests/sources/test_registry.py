"""Kinds that installed packages bring, through real entry points in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from rosegen.sources.registry import kinds, lent, source_class
from tests.core_maker import ROOT
from tests.test_testing import Notched

SQUARES = dedent(
    """
    import numpy as np
    from rosegen.scene import Tile
    from rosegen.sources.base import Candidate, OwnArt, Source

    class Squares(Source):
        '''A square, and one with a notch.'''
        kind = "{kind}"
        primitive_type = "SQUARES"
        columns = {{"{kind}_grey": {{"type": "integer", "description": "Grey of the square."}}}}

        @classmethod
        def own_art(cls, options):
            return [OwnArt("{kind}", "CC0-1.0", "the tests")]

        def tile(self, grey, notch):
            recipe = {{"grey": grey, "notch": notch}}
            return Tile(f"{kind}/{{grey}}-{{notch}}", "{kind}", "CC0-1.0", recipe)

        def candidates(self, pool):
            return [
                Candidate(f"{{grey}}-{{notch}}", "{kind}", self.tile(grey, -1),
                          self.tile(grey, notch), (f"grey {{grey}}", f"notch {{notch}}"))
                for grey in range(0, 80, 20) for notch in range(6)
            ]

        def draw(self, tile, cell_size):
            cell = np.full((cell_size, cell_size, 3), 255, np.uint8)
            cell[8:-8, 8:-8] = tile.recipe["grey"]
            if tile.recipe["notch"] >= 0:
                left = 8 + 5 * tile.recipe["notch"]
                cell[8:20, left : left + 8] = 255
            return cell

        def fields(self, pair, flipped, cell_size):
            return {{"{kind}_grey": pair.a.recipe["grey"]}}
    """
)


def install(
    folder: Path, package: str, code: str, kind: str, value: str = "", module: str = ""
) -> Path:
    """Put a module and its metadata where an installer would."""
    module = module or package
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[rosegen.sources]\n{kind} = {value or f'{module}:Squares'}\n"
    )
    (info / "RECORD").write_text(f"{module}.py,,\n")
    return folder


def rosegen(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process that has what is installed in ``site``."""
    return subprocess.run(
        [sys.executable, "-m", "rosegen", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "COLUMNS": "200"},
    )


def pipeline(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.yaml"
    subset = {"name": "Mine", "prefix": "MI", "kind": kind, "scenes": 6}
    path.write_text(json.dumps({"format": 1, "name": "mine", "subsets": [subset]}))
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def listed(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return {row["kind"]: row for row in json.loads(done.stdout)["kinds"]}


def test_a_kind_of_a_package_is_listed_built_and_verified(site: Path, tmp_path: Path) -> None:
    install(site, "my-squares", SQUARES.format(kind="squares"), "squares", module="my_squares")
    row = listed(rosegen(site, "sources", "list", "--json"))["squares"]
    assert row["about"] == "A square, and one with a notch."
    assert list(row["columns"]) == ["squares_grey"]
    path = pipeline(tmp_path, "squares")
    built = rosegen(site, "build", str(path), "--out", "out", "--workers", "2", "--json")
    assert built.returncode == 0, built.stderr
    assert json.loads(built.stdout)["counts"]["scenes"] == 6
    verified = rosegen(site, "verify", "out", "--workers", "2")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    summary = json.loads((tmp_path / "out" / "export_summary.json").read_text("utf-8"))
    (art,) = summary["packs"]
    assert (art["source"], art["version"], art["license"]) == ("my_squares", "1.0", "CC0-1.0")
    rows = (tmp_path / "out" / "metadata_test.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(row)["squares_grey"] for row in rows} <= {0, 20, 40, 60}


def test_one_worker_builds_what_two_build(site: Path, tmp_path: Path) -> None:
    install(site, "squares", SQUARES.format(kind="squares"), "squares")
    path = pipeline(tmp_path, "squares")
    for workers in ("1", "2"):
        built = rosegen(site, "build", str(path), "--out", workers, "--workers", workers)
        assert built.returncode == 0, built.stderr
    for name in ("manifest.jsonl", "metadata_dev.jsonl", "metadata_test.jsonl"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


# Name to code, kind and entry point of a package that is no use, and what is said of it.
BROKEN = {
    "fails": ("import no_such_module", "bad", "", "ModuleNotFoundError: No module named"),
    "raises": ("raise ValueError('two\\nlines')", "bad", "", "ValueError: two lines"),
    "exits": ("raise SystemExit(3)", "bad", "", "SystemExit: 3"),
    "absent": ("", "bad", "absent:Nothing", "has no attribute 'Nothing'"),
    "strange": ("Squares = dict", "bad", "", "is no subclass of rosegen.sources.base.Source"),
    "misnamed": (
        SQUARES.format(kind="other"),
        "bad",
        "",
        "its kind is 'other': name both the same",
    ),
    "clash": (SQUARES.format(kind="sprite"), "sprite", "", "is called as one of rosegen's own"),
    "unfinished": (
        "from rosegen.sources.base import Source\n"
        "class Squares(Source):\n"
        "    kind = 'bad'\n"
        "    def candidates(self, pool): return []\n",
        "bad",
        "",
        "class Squares lacks draw, primitive_type",
    ),
}


@pytest.mark.parametrize("package", BROKEN)
def test_a_broken_source_is_told_in_one_line_and_disturbs_no_other(
    site: Path, tmp_path: Path, package: str
) -> None:
    code, kind, value, reason = BROKEN[package]
    install(site, package, code, kind, value)
    install(site, "squares", SQUARES.format(kind="squares"), "squares")
    done = rosegen(site, "sources", "list", "--json")
    assert {"squares", "sprite", "emoji"} <= set(listed(done))
    broken = json.loads(done.stdout)["broken"]
    assert list(broken) == [kind]
    assert reason in broken[kind]
    assert package in broken[kind]
    assert "\n" not in broken[kind]
    other = rosegen(site, "build", str(pipeline(tmp_path, "squares")), "--out", "out", "-q")
    assert other.returncode == 0, other.stderr
    if kind != "sprite":
        used = rosegen(site, "build", str(pipeline(tmp_path, kind)), "--out", "bad", "-q")
        assert used.returncode == 2
        assert len(used.stderr.splitlines()) == 1
        assert reason in used.stderr
        assert not (tmp_path / "bad").exists()


def test_the_list_of_sources_says_which_cannot_be_used_and_why(site: Path) -> None:
    install(site, "fails", "import no_such_module", "bad")
    done = rosegen(site, "sources", "list")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("bad ")]
    assert "of fails cannot be loaded (ModuleNotFoundError" in line
    assert any(line.startswith("sprite ") for line in done.stdout.splitlines())


def test_two_packages_that_bring_one_kind_are_both_named(site: Path, tmp_path: Path) -> None:
    for package in ("one", "two"):
        install(site, package, SQUARES.format(kind="squares"), "squares")
    done = rosegen(site, "build", str(pipeline(tmp_path, "squares")), "--out", "out")
    assert done.returncode == 2
    assert "one and two bring a source 'squares' each: uninstall one" in done.stderr


def test_a_package_that_is_found_twice_is_one(site: Path, tmp_path: Path) -> None:
    install(site, "squares", SQUARES.format(kind="squares"), "squares")
    again = install(tmp_path / "again", "squares", SQUARES.format(kind="squares"), "squares")
    done = subprocess.run(
        [sys.executable, "-m", "rosegen", "sources", "list", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (site, again, ROOT)))},
    )
    told = json.loads(done.stdout)
    assert [row["kind"] for row in told["kinds"]].count("squares") == 1
    assert told["broken"] == {}


def test_a_lent_class_is_a_kind_only_while_it_is_lent() -> None:
    before = kinds()
    with lent(Notched):
        assert source_class("notched", {}) is Notched
        assert kinds() == {**before, "notched": Notched}
    assert kinds() == before
