"""Lists of pairs: read as they are meant, and every slip told with its file and line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.sources.pair_file import ListedPair, read_pairs
from tests.core_maker import LAW

NAMES = ["cat.png", "dog.png", "art/cow.svg", "art/Emu.PNG", 'odd, "1"\n.png', "-x.png", "🐱.png"]
AT_HAND = {name: f"p/{name}" for name in NAMES}


def read(tmp_path: Path, text: str | bytes, name: str = "pairs.csv") -> list[ListedPair]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_pairs(path, AT_HAND)


def slip(tmp_path: Path, text: str | bytes, name: str = "pairs.csv") -> str:
    """What is said of a list, in one line, after its path."""
    with pytest.raises(RosegenError) as caught:
        read(tmp_path, text, name)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(tmp_path / name))
    return message.removeprefix(str(tmp_path / name))


TABLE = "group,a,note,b,key,license\n,cat.png,hm,dog.png,,\nfarm,art/cow.svg,,cat.png,k1,MIT\n"
EXPECTED = [
    ListedPair(2, "p/cat.png", "p/dog.png", None, None, None),
    ListedPair(3, "p/art/cow.svg", "p/cat.png", "k1", "farm", "MIT"),
]


def test_csv_tsv_and_jsonl_say_the_same(tmp_path: Path) -> None:
    rows = [
        {"a": "cat.png", "b": "dog.png", "key": None, "more": [1]},
        {"a": "art/cow.svg", "b": "cat.png", "key": "k1", "group": "farm", "license": "MIT"},
    ]
    lines = "\n" + "".join(json.dumps(row) + "\n" for row in rows)
    assert read(tmp_path, TABLE) == EXPECTED
    assert read(tmp_path, TABLE.replace(",", "\t"), "pairs.TSV") == EXPECTED
    assert read(tmp_path, lines, "pairs.jsonl") == EXPECTED


def test_byte_order_mark_line_ends_and_blank_lines_do_not_matter(tmp_path: Path) -> None:
    text = "\ufeffa,b\r\n\r\ncat.png,dog.png\r\n , \r\ncat.png,art/cow.svg"
    assert [(pair.line, pair.b) for pair in read(tmp_path, text)] == [
        (3, "p/dog.png"),
        (5, "p/art/cow.svg"),
    ]


def test_odd_names_and_backslashes_are_found(tmp_path: Path) -> None:
    text = 'a,b\n"odd, ""1""\n.png",-x.png\n🐱.png,art\\cow.svg\n./cat.png, dog.png\n'
    found = read(tmp_path, text)
    assert [(pair.line, pair.a, pair.b) for pair in found] == [
        (2, 'p/odd, "1"\n.png', "p/-x.png"),
        (4, "p/🐱.png", "p/art/cow.svg"),
        (5, "p/cat.png", "p/dog.png"),
    ]


def test_a_name_is_found_however_unicode_spells_it_but_only_if_it_is_one(tmp_path: Path) -> None:
    composed, apart = "\u00e9.png", "e\u0301.png"
    path = tmp_path / "pairs.csv"
    path.write_text(f"a,b\n{composed},x.png\n", encoding="utf-8")
    assert read_pairs(path, {apart: "one", "x.png": "x"})[0].a == "one"
    assert read_pairs(path, {apart: "one", composed: "other", "x.png": "x"})[0].a == "other"


SLIPS = {
    "empty": ("", ": is empty"),
    "only blank": ("\n \n", ": is empty"),
    "only a header": ("a,b\n", ": lists no pair"),
    "no header": ("cat.png,dog.png\n", ":1: no column 'a' (it has: cat.png, dog.png)"),
    "a missing column": ("\na,c\n", ":2: no column 'b' (it has: a, c)"),
    "a column twice": ("a,b,a\n", ":1: two columns 'a'"),
    "other delimiters": ("a;b\ncat.png;dog.png\n", ":1: no column 'a' (it has: a;b)"),
    "a missing cell": ("a,b\ncat.png\n", ":2: has no 'b'"),
    "an empty cell": ("a,b\n,cat.png\n", ":2: has no 'a'"),
    "too many cells": ("a,b\nodd, 1.png,cat.png\n", ":2: has 3 cells and the header 2"),
    "an open quote": ('a,b\ncat.png,dog.png\n"cat.png,dog.png\n', ":3: cannot be read as .csv"),
    "a picture like no other": (
        "a,b\ncat.png,nothere.webp\n",
        ":2: no such picture 'nothere.webp': none of the 7 pictures there is called so (the",
    ),
    "no such picture": ("a,b\ncat.png,bog.png\n", ":2: no such picture 'bog.png': is dog.png me"),
    "another case": ("a,b\ncat.png,art/EMU.png\n", ":2: no such picture 'art/EMU.png': is art/Emu"),
    "another folder": ("a,b\ncow.svg,cat.png\n", "no such picture 'cow.svg': is art/cow.svg meant"),
    "nothing near": ("a,b\ncat.png,zzzzzzzz\n", "no such picture 'zzzzzzzz': none of the 7"),
    "itself": ("a,b\ncat.png,.\\cat.png\n", ":2: cat.png is paired with itself"),
    "a pair twice": ("a,b\ncat.png,dog.png\ncat.png,dog.png\n", ":3: cat.png and dog.png are alr"),
    "a pair turned": ("a,b\ncat.png,dog.png\n\ndog.png,cat.png\n", "already paired in line 2"),
    "a key twice": (
        "a,b,key\ncat.png,dog.png,k\ncat.png,-x.png,k\n",
        ":3: key 'k' is already that of line 2",
    ),
    "no licence": ("a,b,license\ncat.png,dog.png,ask me!\n", ":2: license: 'ask me!' is no SPDX"),
    "nearly a licence": ("a,b,license\ncat.png,dog.png,CC0\n", ":2: license: 'CC0' is no SPDX"),
    "two licences": (
        "a,b,license\ncat.png,dog.png,MIT\ncat.png,-x.png,CC0-1.0\n",
        ":3: cat.png is under CC0-1.0 here and under MIT in line 2",
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_in_a_table_is_told_with_its_line(tmp_path: Path, name: str) -> None:
    text, message = SLIPS[name]
    assert message in slip(tmp_path, text)


JSON_SLIPS = {
    "no JSON": ('{"a": "cat.png", "b": "dog.png"}\n{"a": ', ":2: is not JSON"),
    "no object": ("[1]\n", ":1: is no JSON object"),
    "a missing key": ('{"a": "cat.png"}\n', ":1: has no 'b'"),
    "null": ('{"a": "cat.png", "b": null}\n', ":1: has no 'b'"),
    "a number": ('{"a": "cat.png", "b": 7}\n', ":1: 'b' is 7, not a text"),
    "a key that is no text": (
        '{"a": "cat.png", "b": "dog.png", "key": [1]}\n',
        "'key' is [1], not",
    ),
    "half a letter": ('{"a": "cat.png", "b": "\\ud83d"}\n', ":1: 'b' is not Unicode"),
    "too deep": ("[" * 100_000 + "\n", ":1: is not JSON"),
}


@pytest.mark.parametrize("name", JSON_SLIPS)
def test_a_slip_in_jsonl_is_told_with_its_line(tmp_path: Path, name: str) -> None:
    text, message = JSON_SLIPS[name]
    assert message in slip(tmp_path, text, "pairs.jsonl")


@pytest.mark.parametrize("coding", ["utf-16", "latin-1"])
def test_another_encoding_is_told_with_its_line(tmp_path: Path, coding: str) -> None:
    data = "a,b\ncat.png,dog.png\nü.png,cat.png\n".encode(coding)
    line = 1 if coding == "utf-16" else 3
    assert slip(tmp_path, data).startswith(f":{line}: is not UTF-8 (byte 0x")


def test_a_list_that_is_not_there_or_of_another_kind_is_told(tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match=r"none\.csv: cannot be read \(No such file"):
        read_pairs(tmp_path / "none.csv", AT_HAND)
    (tmp_path / "folder.csv").mkdir()
    names = ["folder.csv"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.csv")
        names.append("pipe.csv")
    for name in names:
        with pytest.raises(RosegenError, match=rf"{name}: cannot be read \(not a plain file\)"):
            read_pairs(tmp_path / name, AT_HAND)
    assert "must end in .csv, .tsv or .jsonl" in slip(tmp_path, TABLE, "pairs.xlsx")


@settings(LAW, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=80) | st.text("ab,\n\"'\t{}[]:\\catpngdo.é\0", max_size=80),
    st.sampled_from(["x.csv", "x.tsv", "x.jsonl"]),
)
def test_whatever_a_file_holds_it_is_read_or_refused_in_one_line(
    tmp_path: Path, data: bytes | str, name: str
) -> None:
    try:
        found = read(tmp_path, data, name)
    except RosegenError as error:
        assert "\n" not in str(error)
        str(error).encode()
    else:
        assert found
