"""From a pipeline to a release of what a person accepted: mine, show, decide, check, build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from rosegen.curation import check_pairs
from rosegen.pair_list import decide, read_pair_list, write_pair_list
from tests.core_maker import SMALL
from tests.curation.browser import CHROMIUM, Browser
from tests.curation.maker import Run

ONE = ("--workers", "1")


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the PATH")
def test_what_is_accepted_in_a_browser_is_what_is_built(run: Run, tmp_path: Path) -> None:
    data = yaml.safe_load(SMALL.read_text(encoding="utf-8"))
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump(data), encoding="utf-8")
    pairs, sheet = tmp_path / "pairs.csv", tmp_path / "sheet.html"
    run("pairs", "mine", own, "--out", pairs, "--limit", 40, *ONE)
    listed = read_pair_list(pairs)
    assert len(listed) == 80
    assert run("pairs", "show", own, pairs, "--out", sheet, *ONE)[0] == 0

    # What would not do at every size is refused, the rest accepted.
    everything = tmp_path / "everything.csv"
    accepted = decide(listed, dict.fromkeys(range(1, 81), "accept"))
    write_pair_list(everything, [pair.row for pair in accepted])
    unfit = {(fault.subset, fault.key) for fault in check_pairs(own, everything, workers=1).faults}
    with Browser(tmp_path / "downloads") as browser:
        browser.open(sheet)
        for pair in listed:
            browser.press("r" if (pair.subset, pair.key) in unfit else "a")
        browser.press("s")
        saved = browser.downloaded("pairs.csv")
        assert browser.complaints() == []
        assert browser.asked_network() == []
    chosen = [pair for pair in read_pair_list(saved) if pair.verdict == "accept"]
    assert len(chosen) == 80 - len(unfit)

    saved.replace(pairs)
    code, said, complaint = run("pairs", "check", own, pairs, *ONE)
    assert (code, complaint) == (0, ""), said
    for subset in data["subsets"]:
        subset["curated"] = "pairs.csv"
    own.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert run("pairs", "check", own, pairs, *ONE)[0] == 0
    assert run("build", own, "--out", tmp_path / "release", *ONE)[0] == 0
    assert run("verify", tmp_path / "release", *ONE)[0] == 0
    rows = [
        json.loads(line)
        for split in ("dev", "test")
        for line in (tmp_path / "release" / f"metadata_{split}.jsonl").open(encoding="utf-8")
    ]
    built = {(row["rose_subset"], row["pair_key"]) for row in rows}
    assert len(built) == 34
    assert built <= {(pair.subset, pair.key) for pair in chosen}
