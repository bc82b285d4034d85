"""The benchmarks run and agree; how fast anything is, no test says."""

from __future__ import annotations

import json

import pytest

from benchmarks.__main__ import QUICK, main


@pytest.mark.usefixtures("packs_cached")
@pytest.mark.parametrize("name", QUICK)
def test_a_quick_benchmark_compares_ways_that_agree(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main([name, "--rounds", "1", "--tiny", "--json"])
    tables = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert tables
    for table in tables:
        assert table["benchmark"] == name
        assert table["lines"][0]["ratio"] == 1
        assert len(table["lines"]) >= 2


@pytest.mark.usefixtures("packs_cached")
def test_tables_are_printed_in_aligned_columns(capsys: pytest.CaptureFixture[str]) -> None:
    main(["schema", "--rounds", "1", "--tiny"])
    title, head, *lines = capsys.readouterr().out.rstrip().splitlines()
    assert "schema of" in title
    column = head.index("median") + len("median")
    assert all(line[column : column + 2] == "  " for line in lines[:2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no benchmark 'nothing' (known are png,"),
        (["--rounds", "0"], "--rounds"),
    ],
)
def test_a_wrong_call_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
