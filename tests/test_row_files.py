"""Rows are read alike from JSON Lines, CSV and Parquet; a bad one is told by file and line."""

from __future__ import annotations

import datetime
import decimal
import gzip
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.row_files import name_of, plain, read_rows
from rosegen.scoring.predictions import rows_of
from tests.core_maker import LAW
from tests.scoring.maker import Row, is_one_line, jsonl, write, write_parquet

ROWS: list[Row] = [{"item_id": "a", "raw_text": "COUNT(1)\r\né"}, {"item_id": "b", "raw_text": ""}]
LINES = jsonl(ROWS)


def rows_in(path: Path, exact_numbers: bool = False) -> list[Row]:
    return [row for _, row in read_rows(path, exact_numbers)]


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.removesuffix("\n"),
        "\ufeff" + LINES,
        "\ufeff\n" + LINES,
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", "\r"),
        LINES.replace("\n", "\n\n \t \r\n"),
        gzip.compress(LINES.encode()),
        gzip.compress(("\ufeff" + LINES).encode()),
        gzip.compress(LINES[:20].encode()) + gzip.compress(LINES[20:].encode()),
    ],
    ids=["plain", "unended", "BOM", "BOM-blank", "CRLF", "CR", "blanks", "gz", "gz-BOM", "two-gz"],
)
def test_json_lines_are_read_whatever_ends_them(tmp_path: Path, content: str | bytes) -> None:
    assert rows_in(write(tmp_path / "said.jsonl", content)) == ROWS


@pytest.mark.parametrize("name", ["said.jsonl", "said.jsonl.gz", "said.txt", "said"])
def test_gzip_is_told_by_its_first_bytes_not_by_the_name(tmp_path: Path, name: str) -> None:
    assert rows_in(write(tmp_path / name, gzip.compress(LINES.encode()))) == ROWS
    assert rows_in(write(tmp_path / name, LINES)) == ROWS


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs pipes that have a path")
@pytest.mark.parametrize(
    "content", [LINES.encode(), gzip.compress(LINES.encode())], ids=["plain", "gz"]
)
def test_a_pipe_is_read_from_its_first_byte(content: bytes) -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(content)
    try:
        assert rows_in(Path(f"/dev/fd/{reader}")) == ROWS
    finally:
        os.close(reader)


def test_a_line_is_counted_by_its_file_blank_or_not(tmp_path: Path) -> None:
    path = write(tmp_path / "said.jsonl", '{"a": 1}\n\n{"a": 2}\r{"a": 3}\r\n{"a": 4}\n')
    assert [where for where, _ in read_rows(path)] == [f"{path}:{n}" for n in (1, 3, 4, 5)]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{'a': 1}", "is not JSON"),
        ('{"a": 1', "is not JSON"),
        ('{"a": 1} {"a": 2}', "is not JSON"),
        ("\0", "is not JSON"),
        (b'{"a": "\xe9"}', "is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "is not UTF-8"),
        ("[1]", "a JSON list"),
        ('"a"', "a JSON string"),
        ("3", "a JSON number"),
        ("1e3", "a JSON number"),
        ("true", "a JSON boolean"),
        ("null", "a JSON null"),
        pytest.param('{"a": %s}' % ("[" * 100_000 + "]" * 100_000), "nested too deeply", id="deep"),
        pytest.param('{"a": %s}' % ("[" * 100_000), "nested too deeply", id="deep and open"),
        pytest.param('{"a": %s}' % ("1" * 5000), "4300", id="5000 digits"),
    ],
)
def test_a_bad_line_is_told_by_file_and_line(tmp_path: Path, line: str | bytes, why: str) -> None:
    bad = line if isinstance(line, bytes) else line.encode()
    path = write(tmp_path / "said.jsonl", LINES.encode() + bad)
    with pytest.raises(RosegenError, match=why) as error:
        rows_in(path, exact_numbers=True)
    assert str(error.value).startswith(f"{path}:3: ")
    assert is_one_line(error)


def test_rows_before_a_bad_line_are_given_first(tmp_path: Path) -> None:
    rows = read_rows(write(tmp_path / "said.jsonl", LINES + "{"))
    assert [next(rows)[1], next(rows)[1]] == ROWS
    with pytest.raises(RosegenError, match=":3: is not JSON"):
        next(rows)


@pytest.mark.parametrize("name", ["said.jsonl", "said.csv", "said.parquet"])
@pytest.mark.parametrize(
    "content", ["", "\ufeff", "\n\n", gzip.compress(b"")], ids=["none", "BOM", "blank", "gz"]
)
def test_an_empty_file_has_no_rows(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert rows_in(write(tmp_path / name, content)) == []


def broken_gzips() -> Iterator[bytes]:
    whole = gzip.compress(LINES.encode() * 50)
    yield whole[:-20]  # cut off
    yield whole[:12]
    yield whole[:-8] + bytes(8)  # another check sum
    yield whole + b"and more"
    yield whole[:30] + b"\xff" * 20 + whole[50:]


@pytest.mark.parametrize("name", ["said.jsonl.gz", "said.csv.gz"])
@pytest.mark.parametrize(
    "content", list(broken_gzips()), ids=["cut", "stub", "sum", "tail", "hole"]
)
def test_a_broken_gzip_file_is_told_as_such(tmp_path: Path, name: str, content: bytes) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(RosegenError, match="broken gzip file|is not CSV") as error:
        rows_in(path)
    assert str(path) in str(error.value)
    assert is_one_line(error)


@pytest.mark.parametrize("name", ["nowhere/said.jsonl", ".", "x" * 300])
def test_a_file_that_cannot_be_opened_is_told_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RosegenError, match="cannot be read") as error:
        rows_in(tmp_path / name)
    assert str(error.value).startswith(str(tmp_path / name))


# What has too many bytes


SHORT = 200
LONG = json.dumps({"item_id": "long", "raw_text": "x" * SHORT})


@pytest.fixture
def short_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a row had no more than a few bytes."""
    monkeypatch.setattr("rosegen.row_files._LONGEST", SHORT)


@pytest.mark.usefixtures("short_rows")
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("said.jsonl", LINES + LONG + "\n" + LINES, 3),
        ("said.jsonl", (LINES + LONG + "\n").replace("\n", "\r") + LINES, 3),
        ("said.jsonl", LINES + "\0" * 3000, 3),
        ("said.csv", f"item_id,raw_text\na,b\nc,{'x' * SHORT}\nd,e\n", 3),
        ("said.csv", 'item_id,raw_text\na,b\nc,"' + "x\n" * SHORT, 3),
        ("said.csv", "x" * 3000, 1),
    ],
    ids=["row", "CR", "NULs", "field", "lines of a field", "header"],
)
def test_a_row_of_too_many_bytes_is_told_by_file_and_line(
    tmp_path: Path, name: str, content: str, line: int, pack: Any
) -> None:
    path = write(tmp_path / name, pack(content.encode()))
    with pytest.raises(RosegenError, match=f"more than {SHORT}") as error:
        rows_in(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert is_one_line(error)


@pytest.mark.usefixtures("short_rows")
@pytest.mark.parametrize("length", [SHORT - 1, SHORT, SHORT + 1, 3 * SHORT, 5000])
def test_rows_after_one_of_too_many_bytes_are_read_where_it_is_passed_over(
    tmp_path: Path, length: int
) -> None:
    told: list[tuple[str, int, str]] = []
    line = json.dumps({"a": ""})
    line = line.replace('""', f'"{"x" * (length - len(line))}"')
    path = write(tmp_path / "said.jsonl", f"{LINES}{line}\n{LINES}")
    rows = list(
        read_rows(path, unread=lambda where, line, why: told.append((where, len(line), why)))
    )
    wheres = [where for where, _ in rows]
    assert wheres[:2] + wheres[-2:] == [f"{path}:{number}" for number in (1, 2, 4, 5)]
    if length <= SHORT:
        assert (len(rows), told) == (5, [])
    else:
        assert (len(rows), told) == (4, [(f"{path}:3", SHORT + 1, "has more than 200 bytes")])


@pytest.mark.usefixtures("short_rows")
@given(st.binary(max_size=30).map(lambda of: of * 30), st.booleans())
@LAW
def test_lines_of_any_length_are_counted_as_they_stand(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, returned: bool
) -> None:
    content = content.replace(b"\n", b"").replace(b"\r", b"")
    end = b"\r" if returned else b"\n"
    path = write(tmp_path_factory.getbasetemp() / "any.jsonl", end.join([b"[", content, b"[", b""]))
    told: list[str] = []
    assert list(read_rows(path, unread=lambda where, line, why: told.append(where))) == []
    many = len(content) > SHORT
    first, *_, last = told
    assert first == f"{path}:1"
    assert last == f"{path}:3" or (returned and many)


def test_a_gzip_file_that_grows_beyond_measure_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "said.jsonl.gz", gzip.compress(b"{}\n" * 3_000_000))
    with pytest.raises(RosegenError, match="gzip file of more than 500 times") as error:
        for _ in read_rows(path):
            pass
    assert is_one_line(error)


def test_a_line_of_millions_of_bytes_that_are_none_of_a_row_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "said.jsonl", bytes(20_000_000))
    with pytest.raises(RosegenError, match=":1: has more than 16,777,216 bytes"):
        rows_in(path)


@pytest.mark.usefixtures("short_rows")
def test_a_row_of_parquet_of_too_many_bytes_is_told_by_its_number(tmp_path: Path) -> None:
    rows = [{"item_id": "a"}, {"item_id": "b" * SHORT}]
    with pytest.raises(RosegenError, match=r"rows\.parquet: row 2: has more than 200 bytes"):
        rows_in(write_parquet(tmp_path / "rows.parquet", rows))
    many = [{"item_id": f"{number:0100d}"} for number in range(50)]
    assert rows_in(write_parquet(tmp_path / "many.parquet", many)) == many


def test_a_parquet_file_that_grows_beyond_measure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.table({"item_id": ["x" * 10_000_000]})
    pa.parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    with pytest.raises(RosegenError, match="Parquet file of more than 500 times") as error:
        rows_in(path)
    assert is_one_line(error)


# Numbers and texts


@pytest.mark.parametrize(
    "value",
    [
        "1" * 30,
        f"[{'1' * 30}]",
        f'{{"n": [-{"9" * 30}]}}',
        "18446744073709551616",
        "1.5",
        "1e400",
        "-0.0",
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\u0000"',
        "NaN",
        "-Infinity",
    ],
)
def test_a_value_is_what_the_standard_library_reads(tmp_path: Path, value: str) -> None:
    line = f'{{"item_id": "a", "raw_text": {value}}}'
    (row,) = rows_in(write(tmp_path / "said.jsonl", line), exact_numbers=True)
    want = json.loads(line)
    assert repr(row) == repr(want)  # NaN is not NaN, and -0.0 is 0.0


ANY_TEXT = st.text(st.characters(codec=None))  # half surrogate pairs, too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(ANY_TEXT, part, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(ANY_TEXT, JSON, max_size=4), max_size=4))
@LAW
def test_any_json_lines_are_what_the_standard_library_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any.jsonl", jsonl(rows))
    assert repr(rows_in(path, exact_numbers=True)) == repr(rows)


# CSV


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_csv_has_quoted_line_breaks_and_null_for_an_empty_field(
    tmp_path: Path, mark: str, end: str, pack: Any
) -> None:
    lines = ["item_id,raw_text,error", 'a,"CLICK(R1,C1);\nDONE ""é""",', "", 'b,"",x']
    path = write(tmp_path / "said.csv", pack((mark + end.join(lines)).encode()))
    assert rows_in(path) == [
        {"item_id": "a", "raw_text": 'CLICK(R1,C1);\nDONE "é"', "error": None},
        {"item_id": "b", "raw_text": None, "error": "x"},
    ]


def test_csv_is_told_by_its_name_in_any_case_gzip_or_not(tmp_path: Path) -> None:
    content = b"item_id\na\n"
    for name in ("a.csv", "A.CSV", "a.csv.gz", "A.Csv.GZ"):
        packed = gzip.compress(content) if name.lower().endswith("gz") else content
        assert rows_in(write(tmp_path / name, packed)) == [{"item_id": "a"}]


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        ("item_id,raw_text\na,b\nc\n", 3, "has 1 fields, not the 2 of the header"),
        ("item_id,raw_text\na,b,c\n", 2, "has 3 fields, not the 2"),
        ('item_id,raw_text\na,"1\n2"\n\nb\n', 5, "has 1 fields"),
        ('item_id,raw_text\na,"1\n2"\nb,"3\n', 4, "is not CSV"),
        ('item_id,raw_text\na,"1"2\n', 2, "is not CSV"),
        ("item_id,a,item_id\n1,2,3\n", 1, "a column is named twice"),
        ("item_id,raw_text\na,b\nc,\xe9\n".encode("latin-1"), 3, "is not UTF-8"),
        ("item_id,\xe9\na,b\n".encode("latin-1"), 1, "is not UTF-8"),
        ("item_id,raw_text\na,b\n".encode("utf-16"), 1, "is not UTF-8|is not CSV"),
    ],
)
def test_a_bad_row_of_csv_is_told_by_file_and_the_line_it_begins_on(
    tmp_path: Path, content: str | bytes, line: int, why: str
) -> None:
    path = write(tmp_path / "said.csv", content)
    with pytest.raises(RosegenError, match=why) as error:
        rows_in(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert is_one_line(error)


def test_a_csv_field_may_be_longer_than_python_s_csv_allows_at_first(tmp_path: Path) -> None:
    text = "x" * 200_000
    path = write(tmp_path / "said.csv", f"item_id,raw_text\na,{text}\n")
    assert rows_in(path) == [{"item_id": "a", "raw_text": text}]


# Parquet and data frames


def test_parquet_is_read_with_nulls_and_nested_records(tmp_path: Path) -> None:
    rows = [
        {"item_id": "a", "region_params": {"r1": 1}, "cells": [[1, 2]], "score": 0.5},
        {"item_id": "b", "region_params": None, "cells": [], "score": float("nan")},
        {"item_id": None, "region_params": {"inner": {"c1": 3}}, "cells": None, "score": None},
    ]
    nulls = {"r1": None, "inner": None}
    assert rows_in(write_parquet(tmp_path / "rows.bin", rows)) == [
        {**rows[0], "region_params": {**nulls, "r1": 1}},
        {**rows[1], "score": None},
        {**rows[2], "region_params": {**nulls, "inner": {"c1": 3}}},
    ]


def test_pictures_in_a_parquet_file_are_left_in_it(tmp_path: Path) -> None:
    picture = {"bytes": b"\x89PNG", "path": "a.png"}
    path = write_parquet(tmp_path / "rows.parquet", [{"item_id": "a", "image": picture}])
    assert rows_in(path) == [{"item_id": "a"}]


def broken_parquets() -> Iterator[bytes]:
    """A Parquet file cut off, and with one byte changed at many places."""
    buffer = pa.BufferOutputStream()
    rows = pa.table({"item_id": ["añb"] * 3, "raw_text": ["COUNT(1)", None, "é"]})
    pa.parquet.write_table(rows, buffer, compression="none", use_dictionary=False)
    whole = buffer.getvalue().to_pybytes()
    yield from (b"PAR1", whole[: len(whole) // 2], whole[:-1])
    for place in range(4, len(whole) - 4, 7):
        yield whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]


def test_a_broken_parquet_file_is_told_in_one_line(tmp_path: Path) -> None:
    told = 0
    for number, content in enumerate(broken_parquets()):
        path = write(tmp_path / f"{number}.parquet", content)
        try:
            rows_in(path)  # some changes hit what nobody reads
        except RosegenError as error:
            told += 1
            assert len(str(error).splitlines()) == 1
            assert str(error).startswith(str(path))
    assert told >= 20


def test_a_column_named_twice_is_refused_in_every_format(tmp_path: Path) -> None:
    double = pa.table([pa.array(["a"]), pa.array(["b"])], names=["item_id", "item_id"])
    path = tmp_path / "rows.parquet"
    pa.parquet.write_table(double, path)
    with pytest.raises(RosegenError, match="named twice"):
        rows_in(path)
    frame = pd.DataFrame([["a", "b"]], columns=["item_id", "item_id"])
    with pytest.raises(RosegenError, match="a column twice"):
        list(rows_of(frame))


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (float("nan"), None),
        (np.float64("nan"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([np.array(["R1,C1"], object), None], object), [["R1,C1"], None]),
        ((1, float("nan")), [1, None]),
        (b"COUNT(1)", "COUNT(1)"),
        (b"\xff", "\\xff"),
        ({1: {"a": float("nan")}, (2, 3): []}, {"1": {"a": None}, "(2, 3)": []}),
        (decimal.Decimal("1.50"), "1.50"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (3 + 4j, "(3+4j)"),
        (float("inf"), float("inf")),
        (10**30, 10**30),
    ],
)
def test_a_value_in_memory_becomes_what_json_can_hold(value: Any, want: Any) -> None:
    got = plain(value)
    assert (got, type(got)) == (want, type(want))
    json.dumps(got)


def test_rows_in_memory_that_are_none_are_told() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    for source, why in [
        (3, "int is neither a path, a DataFrame nor rows"),
        (None, "NoneType is neither"),
        (["a"], "row 1: is a str"),
        ({"item_id": "a"}, "row 1: is a str"),
        ([{}, ["item_id"]], "row 2: is a list"),
        (pd.Series(["a"]), "row 1: is a str"),
        ([{"raw_text": cyclic}], "row 1: is nested too deeply"),
    ]:
        with pytest.raises(RosegenError, match=why):
            list(rows_of(source))


@given(ANY_TEXT)
@LAW
def test_a_name_is_itself_where_a_file_can_hold_it_and_always_can_be_written(name: str) -> None:
    shown = name_of(name)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert (shown == name) == (not any("\ud800" <= letter <= "\udfff" for letter in name))
