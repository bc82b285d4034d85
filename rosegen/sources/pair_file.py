"""Read a list of pairs of pictures: CSV, TSV or JSONL; every complaint with file and line."""

from __future__ import annotations

import csv
import difflib
import io
import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.licenses import license_problem
from rosegen.sources.pictures.refusal import one_line, shown

COLUMNS = ("a", "b")
OPTIONAL_COLUMNS = ("key", "group", "license")

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class ListedPair:
    """One line of a list.

    Attributes:
        line: where it starts, from 1.
        a: a picture, as ``read_pairs`` was told to call it.
        b: the other.
        key: names the pair; None where the list leaves that to the source, as the following.
        group: what scenes are shared out over.
        license: SPDX expression of both pictures.
    """

    line: int
    a: str
    b: str
    key: str | None
    group: str | None
    license: str | None


def read_pairs(path: Path, names: Mapping[str, str]) -> list[ListedPair]:
    """Read a list of pairs.

    Args:
        path: a ``.csv``, ``.tsv`` or ``.jsonl`` file in UTF-8, with the columns ``a`` and ``b`` and
            perhaps ``key``, ``group`` and ``license``; others are passed over.
        names: what a list may call each picture at hand, to what the result calls it; in the list
            backslashes count as slashes.

    Returns:
        The pairs in the order of the file, at least one.

    Raises:
        RosegenError: the file is not such a list, or names a picture that is not at hand, a picture
            with itself, or a pair, a key or two licences of a picture twice.
    """
    found = []
    lookup = _Lookup(names)
    pairs: dict[frozenset[str], int] = {}
    keys: dict[str, int] = {}
    licenses: dict[str, tuple[str, int]] = {}
    for line, row in _rows(path):
        where = f"{shown(path)}:{line}"
        texts = [_text(row, column, where) for column in COLUMNS]
        a, b = (lookup.find(text, where) for text in texts)
        one, other = map(shown, texts)
        if a == b:
            raise RosegenError(f"{where}: {one} is paired with itself: name another picture")
        listed = pairs.setdefault(frozenset((a, b)), line)
        if listed != line:
            raise RosegenError(
                f"{where}: {one} and {other} are already paired in line {listed}: drop one"
            )
        key, group, license = (
            _text(row, column, where).strip() or None for column in OPTIONAL_COLUMNS
        )
        if key is not None and keys.setdefault(key, line) != line:
            raise RosegenError(
                f"{where}: key {shown(key)!r} is already that of line {keys[key]}: give each pair "
                "its own"
            )
        if license is not None:
            _check_license(license, {a: one, b: other}, licenses, line, where)
        found.append(ListedPair(line, a, b, key, group, license))
    if not found:
        raise RosegenError(f"{shown(path)}: lists no pair: give a and b, one pair a line")
    return found


def _check_license(
    license: str,
    pair: Mapping[str, str],
    licenses: dict[str, tuple[str, int]],
    line: int,
    where: str,
) -> None:
    problem = license_problem(license)
    if problem is not None:
        raise RosegenError(f"{where}: license: {one_line(problem)}")
    for name, text in pair.items():
        other, listed = licenses.setdefault(name, (license, line))
        if other != license:
            raise RosegenError(
                f"{where}: {text} is under {license} here and under {other} in line "
                f"{listed}: give it one licence"
            )


class _Lookup:
    """Finds the pictures that a list means."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        # What is typed is composed, as a rule, and the names of files on some systems are not.
        self._composed: dict[str, list[str]] = {}
        for name in names:
            self._composed.setdefault(unicodedata.normalize("NFC", name), []).append(name)

    def find(self, text: str, where: str) -> str:
        """What the picture is called that ``text`` means.

        Raises:
            RosegenError: there is none; the message names the nearest.
        """
        path = "/".join(part for part in text.replace("\\", "/").split("/") if part != ".")
        for name in (text, path, path.strip()):
            if name in self._names:
                return self._names[name]
        composed = self._composed.get(unicodedata.normalize("NFC", path.strip()), [])
        if len(composed) == 1:
            return self._names[composed[0]]
        near = self._nearest(path)
        if near:
            advice = f"is {shown(near)} meant?"
        else:
            some = ", ".join(map(shown, sorted(self._names)[:3]))
            advice = (
                f"none of the {len(self._names)} pictures there is called so (the first are "
                f"{some}); paths start from the pack's folder"
            )
        raise RosegenError(f"{where}: no such picture {shown(text)!r}: {advice}")

    def _nearest(self, path: str) -> str | None:
        """A picture of that name in another folder, or one spelled nearly so."""
        path = path.casefold()
        folded = {name.casefold(): name for name in sorted(self._names, reverse=True)}
        base = path.rpartition("/")[2]
        alike = sorted(name for name in folded if name.rpartition("/")[2] == base)
        alike = alike or difflib.get_close_matches(path, folded, 1, 0.7)
        return folded[alike[0]] if alike else None


def _text(row: Mapping[str, Any], column: str, where: str) -> str:
    """A cell; empty where it may be and is."""
    value = row.get(column)
    if value is None or value == "":
        if column in COLUMNS:
            raise RosegenError(f"{where}: has no {column!r}: name a picture")
        return ""
    if not isinstance(value, str):
        raise RosegenError(f"{where}: {column!r} is {one_line(json.dumps(value))}, not a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:  # half a pair of JSON escapes
        raise RosegenError(f"{where}: {column!r} is not Unicode: {shown(value)!r}") from error
    return value


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each row with the line it starts at."""
    suffix = path.suffix.lower()
    if suffix not in (*_DELIMITERS, ".jsonl"):
        raise RosegenError(
            f"{shown(path)}: is no list of pairs: its name must end in .csv, .tsv or .jsonl"
        )
    text = _decoded(path)
    if not text.strip():
        raise RosegenError(f"{shown(path)}: is empty: give a and b, one pair a line")
    if suffix == ".jsonl":
        yield from _json_rows(path, text)
    else:
        yield from _table_rows(path, text, _DELIMITERS[suffix])


def _decoded(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for without end
            raise OSError("not a plain file")
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RosegenError(
            f"{shown(path)}: cannot be read ({reason}): check the option pairs"
        ) from error
    if len(data) > _MOST_BYTES:
        raise RosegenError(f"{shown(path)}: is larger than {_MOST_BYTES >> 20} MiB: split the list")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RosegenError(
            f"{shown(path)}:{line}: is not UTF-8 (byte {data[error.start]:#04x}): save it as UTF-8"
        ) from error


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        where = f"{shown(path)}:{line}"
        try:
            row = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise RosegenError(f"{where}: is not JSON ({one_line(str(error))})") from error
        if not isinstance(row, dict):
            raise RosegenError(f'{where}: is no JSON object: write {{"a": ..., "b": ...}}')
        for column in COLUMNS:
            if column not in row:
                raise RosegenError(f"{where}: has no {column!r}: name a picture")
        yield line, row


def _table_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    start = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise RosegenError(
                f"{shown(path)}:{start}: cannot be read as {path.suffix} ({error})"
            ) from error
        line, start = start, reader.line_num + 1
        where = f"{shown(path)}:{line}"
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = [cell.strip() for cell in cells]
            _check_header(where, header)
            continue
        if len(cells) > len(header):
            raise RosegenError(
                f"{where}: has {len(cells)} cells and the header {len(header)}: put double "
                "quotes around what holds the delimiter"
            )
        yield line, dict(zip(header, cells))


def _check_header(where: str, header: list[str]) -> None:
    for column in (*COLUMNS, *OPTIONAL_COLUMNS):
        if column in COLUMNS and column not in header:
            has = one_line(", ".join(header))
            raise RosegenError(
                f"{where}: no column {column!r} (it has: {has}): the first line names the "
                "columns a and b"
            )
        if header.count(column) > 1:
            raise RosegenError(f"{where}: two columns {column!r}: drop one")
