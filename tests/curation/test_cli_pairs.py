"""rosegen pairs: exit codes, what is printed, and one line where something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rosegen.pair_list import read_pair_list
from tests.curation.maker import Run, decided, pipeline, spot

pytestmark = pytest.mark.usefixtures("spots")

ONE = ("--workers", "1")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A pipeline of seven pairs."""
    return pipeline(tmp_path, [spot(n) for n in range(7)])


def test_mine_says_what_it_found(run: Run, made: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    code, said, complaint = run("pairs", "mine", made, "--out", out, *ONE)
    assert (code, complaint) == (0, "")
    assert said == (
        "Spots: 7 pairs listed, measured at 50 px (7 candidates, 7 tried; refused most for: "
        f"none)\n{out} holds 7 pairs\n"
    )
    decided(out, {"k00": "accept", "k01": "refuse"})
    _, said, _ = run("pairs", "mine", made, "--out", out, "--force", *ONE)
    assert said.endswith(f"{out} holds 7 pairs; 2 verdicts kept\n")
    code, said, complaint = run("pairs", "mine", made, "--out", out, "--force", "-q", *ONE)
    assert (code, said, complaint) == (0, "", "")


def test_mine_says_what_became_of_verdicts(run: Run, made: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    run("pairs", "mine", made, "--out", out, *ONE)
    decided(out, {"k00": "accept", "k01": "refuse", "k06": "accept"})
    changed = pipeline(tmp_path, [spot(0), spot(44, "k01")])
    _, said, _ = run("pairs", "mine", changed, "--out", out, "--force", *ONE)
    assert said.endswith(
        "holds 3 pairs; 1 verdict kept; 1 decided pair that was not mined again stays as it "
        "was; 1 verdict taken back, for the art has changed\n"
    )


def test_mine_as_json(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "pairs.parquet"
    broken = {"key": "broken", "group": "g", "a": "broken", "b": None}
    made = pipeline(tmp_path, [broken, *(spot(n) for n in range(3))])
    options = ("--limit", "5", "--cell-size", "44", "--subset", "Spots", "--json")
    code, said, _ = run("pairs", "mine", made, "--out", out, *options, *ONE)
    told = json.loads(said)
    assert (code, told["rows"], told["out"]) == (0, 3, str(out))
    assert told["subsets"][0]["cell_size"] == 44
    assert told["subsets"][0]["refused"] == {"cannot_be_drawn": 1}
    assert len(read_pair_list(out)) == 3


def test_show_says_what_it_wrote(run: Run, made: Path, tmp_path: Path) -> None:
    pairs, sheet, pages = tmp_path / "pairs.csv", tmp_path / "in" / "s.html", tmp_path / "pages"
    run("pairs", "mine", made, "--out", pairs, *ONE)
    code, said, complaint = run("pairs", "show", made, pairs, "--out", sheet, "--png", pages, *ONE)
    assert (code, complaint) == (0, "")
    assert said == f"{sheet} shows 7 pairs (0.0 MB); 1 page in {pages}\n"
    assert sheet.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    _, said, _ = run("pairs", "show", made, pairs, "--out", sheet, "--json", *ONE)
    told = json.loads(said)
    assert (told["pairs"], told["size"], told["pages"]) == (7, sheet.stat().st_size, [])


def test_check_says_clean_or_what_is_wrong(run: Run, made: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    run("pairs", "mine", made, "--out", pairs, *ONE)
    decided(pairs, {"k06": "refuse", "*": "accept"})
    code, said, _ = run("pairs", "check", made, pairs, *ONE)
    counts = "Spots: 6 accepted for 6 scenes (1 dev), 1 refused, 0 undecided"
    assert (code, said) == (0, f"{pairs}: clean ({counts})\n")
    fewer = pipeline(tmp_path, [spot(n) for n in range(5)])
    code, said, _ = run("pairs", "check", fewer, pairs, *ONE)
    lines = said.splitlines()
    assert (code, len(lines)) == (1, 3)
    listed = {pair.key: pair.place for pair in read_pair_list(pairs)}
    assert lines[0] == (
        f"{listed['k05']}: Spots g k05: not among the 5 candidates: no pair has this key"
    )
    assert lines[1].startswith(f"{pairs}: Spots: the pool has pairs for 5 of 6 scenes")
    assert lines[2] == f"{pairs}: 2 faults ({counts})"


def test_check_as_json(run: Run, made: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    run("pairs", "mine", made, "--out", pairs, *ONE)
    code, said, _ = run("pairs", "check", made, pairs, "--json", *ONE)
    told = json.loads(said)
    assert (code, told["ok"], len(told["faults"])) == (1, False, 1)
    assert told["faults"][0]["message"] == "no accepted pair is among its candidates"
    assert told["subsets"][0]["undecided"] == 7


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("mine", "spots.yaml", "--out", "pairs.txt"), "pairs.txt: name it .csv, .jsonl"),
        (("mine", "spots.yaml", "--out", "p.csv", "--subset", "X"), "no subset 'X' (it has Spots)"),
        (("mine", "spots.yaml", "--out", "p.csv", "--limit", "0"), "'--limit'"),
        (("mine", "spots.yaml", "--out", "p.csv", "--cell-size", "9"), "'--cell-size'"),
        (("mine", "spots.yaml", "--out", "file/p.csv"), "in the way"),
        (("mine", "none.yaml", "--out", "p.csv"), "none.yaml"),
        (("show", "spots.yaml", "none.csv", "--out", "s.html"), "none.csv: cannot be read"),
        (("show", "spots.yaml", "pairs.csv", "--out", "pairs.csv"), "name the sheet .html"),
        (("show", "spots.yaml", "pairs.csv", "--out", "file/s.html"), "in the way"),
        (("show", "spots.yaml", "pairs.csv", "--out", "s.html", "--png", "file"), "in the way"),
        (("show", "spots.yaml", "file", "--out", "s.html"), "file:1: is not JSON"),
        (("check", "spots.yaml", "none.csv"), "none.csv: cannot be read"),
    ],
)
def test_what_a_user_can_mend_is_one_line(
    run: Run,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    run("pairs", "mine", "spots.yaml", "--out", "pairs.csv", "-q", *ONE)
    Path("file").write_text("no folder\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, said, told = run("pairs", *arguments, *ONE)
    assert (code, said) == (2, "")
    assert told.startswith("rosegen: ")
    assert told.count("\n") == 1
    assert complaint in told
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
