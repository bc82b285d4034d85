"""Read a release's text files without trusting a byte of them."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

from rosegen.data import schemas_dir
from rosegen.verify.fast_schema import Check, compile_schema
from rosegen.verify.report import Fault, fault

Row = Mapping[str, Any]

_LARGEST_TEXT = 1 << 28
LARGEST_LINE = 1 << 20
"""Bytes of a row that are read; a row of the largest grid has about a tenth of that."""
_ID = re.compile(r"[A-Za-z0-9_]+")
_BOM = b"\xef\xbb\xbf"


class UnreadableError(Exception):
    """A file that cannot be read as what it should be; its message says why."""


def open_file(root: Path, relative: str, largest: int | None = None) -> IO[bytes]:
    """Open a regular file that lies under ``root`` without any symbolic link on the way.

    Args:
        root: the release.
        relative: the file's path from it, with forward slashes.
        largest: refuse a file of more bytes than this.

    Raises:
        UnreadableError: when there is no such file, or it is of another kind or too large.
    """
    path = root
    parts = relative.split("/")
    try:
        for part in parts:
            path = path / part
            state = os.lstat(path)
            if stat.S_ISLNK(state.st_mode):
                raise UnreadableError(f"{part} is a symbolic link")
        if not stat.S_ISREG(state.st_mode):
            raise UnreadableError("is not a regular file")
        if largest is not None and state.st_size > largest:
            raise UnreadableError(f"has {state.st_size} bytes, more than the {largest} it may have")
        return path.open("rb")
    except FileNotFoundError:
        raise UnreadableError("is missing") from None
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UnreadableError(f"cannot be read: {error}") from None


def read_bytes(root: Path, relative: str, largest: int = _LARGEST_TEXT) -> bytes:
    """The bytes of a file that ``open_file`` opens.

    Raises:
        UnreadableError: as there.
    """
    with open_file(root, relative, largest) as file:
        try:
            return file.read()
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return record


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:40]} is too large a number")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_without_repeats, parse_constant=_no_constant, parse_float=_finite
)


def parse_json(data: bytes) -> Any:
    """One JSON document, read strictly.

    Raises:
        ValueError: when the bytes are not UTF-8 or not one JSON document, a name stands twice in
            an object, a number is not finite or too long, or the nesting is too deep.
    """
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 at byte {error.start + 1}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None


@dataclass(frozen=True)
class Shape:
    """What a record must look like."""

    check: Check
    columns: tuple[str, ...] = ()
    """Its columns in their order; none where no order is asked for."""
    open: bool = False
    """Whether columns beyond these may follow."""

    def in_order(self, record: Mapping[str, Any]) -> bool:
        """Whether the columns stand as they should."""
        names = tuple(record)
        return names == self.columns or (self.open and names[: len(self.columns)] == self.columns)


@cache
def known_shape(schema: str) -> Shape:
    """The shape that a schema of the project gives.

    Args:
        schema: such as ``manifest``.
    """
    path = schemas_dir() / f"{schema}.schema.json"
    document: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Shape(compile_schema(document, exact_integers=True), tuple(document["properties"]))


@dataclass(frozen=True)
class Line:
    """A line of a file."""

    number: int
    """From 1."""
    start: int
    """Its first byte in the file."""
    data: bytes
    """Without the bytes that end it; cut short where it is too long to be read."""

    @property
    def is_too_long(self) -> bool:
        """Whether it has more bytes than are read."""
        return len(self.data) > LARGEST_LINE


@dataclass
class Ends:
    """How the lines of a file begin and end."""

    name: str
    lines: int = 0
    returns: int = 0
    """Lines that end with CR LF."""
    marked: bool = False
    """Whether it starts with a byte order mark."""
    cut: bool = False
    """Whether the last line has no end."""

    def faults(self) -> list[Fault]:
        """What is wrong with them."""
        found = []
        if self.marked:
            found.append("starts with a byte order mark")
        if self.cut:
            found.append("the last line does not end with LF")
        if self.returns:
            found.append(f"{self.returns} of {self.lines} lines end with CR LF instead of LF")
        return [fault("layout", self.name, detail) for detail in found]


def lines_of(file: IO[bytes], ends: Ends, number: int = 1) -> Iterator[Line]:
    """The lines of a file, one after the other.

    Args:
        file: the file, at the beginning of a line.
        ends: what is noted of them.
        number: of that line.

    Raises:
        UnreadableError: the disk does not give them.
    """
    try:
        start = file.tell()
        while data := file.readline(LARGEST_LINE + 2):
            following = data
            read = len(data)
            while not following.endswith(b"\n") and (following := file.readline(LARGEST_LINE)):
                read += len(following)
            if start == 0 and data.startswith(_BOM):
                ends.marked = True
                data = data[len(_BOM) :]
                if not data:
                    return
            ends.lines += 1
            ends.cut = not following
            data = data.removesuffix(b"\n")
            ends.returns += data.endswith(b"\r")
            yield Line(number, start, data.removesuffix(b"\r"))
            number += 1
            start += read
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None


@dataclass
class Table:
    """Rows of a JSON Lines file that are fit for further checks."""

    name: str
    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Line number, from 1, and row."""
    faults: list[Fault] = field(default_factory=list)
    lost: list[str | None] = field(default_factory=list)
    """Ids, where they can be told, of rows that are there but not fit."""
    disordered: list[int] = field(default_factory=list)
    """Line numbers of rows whose columns are not in their order."""


def read_rows(name: str, lines: Iterable[Line], shape: Shape | None, id_column: str) -> Table:
    """Read lines of a JSON Lines file.

    Args:
        name: the file's path from the release.
        lines: some of its lines.
        shape: that of a row, or None when any object will do.
        id_column: the column by which a fault names a row.
    """
    table = Table(name)
    for line in lines:
        where = f"{name}:{line.number}"
        try:
            if line.is_too_long:
                raise ValueError(f"a line of more than {LARGEST_LINE} bytes")
            row = parse_json(line.data)
        except ValueError as error:
            table.faults.append(fault("schema", where, f"not a JSON object: {error}"))
            table.lost.append(None)
            continue
        label = row.get(id_column) if isinstance(row, dict) else None
        label = label if isinstance(label, str) and _ID.fullmatch(label) else None
        if not isinstance(row, dict):
            table.faults.append(fault("schema", where, "not a JSON object"))
            table.lost.append(None)
            continue
        problem = shape.check(row) if shape else None
        if problem is not None:
            detail = f"{problem[0].lstrip('.') or 'row'}: {problem[1]}"
            at = f"{label} ({where})" if label else where
            table.faults.append(fault("schema", at, detail))
            table.lost.append(label)
            continue
        if shape and not shape.in_order(row):
            table.disordered.append(line.number)
        table.rows.append((line.number, row))
    return table


def read_document(root: Path, name: str) -> tuple[Any, Fault | None]:
    """Read a JSON file: what it holds, or the fault that it has."""
    try:
        data = read_bytes(root, name)
        if data.startswith(_BOM):
            return None, fault("layout", name, "starts with a byte order mark")
        return parse_json(data), None
    except UnreadableError as error:
        return None, fault("layout", name, str(error))
    except ValueError as error:
        return None, fault("schema", name, f"not JSON: {error}")


def read_record(root: Path, name: str, schema: str) -> tuple[dict[str, Any] | None, Fault | None]:
    """Read a JSON file that must obey a schema: the record, or the fault that it has."""
    record, wrong = read_document(root, name)
    if wrong is not None:
        return None, wrong
    problem = known_shape(schema).check(record)
    if problem is not None:
        return None, fault("schema", name, f"{problem[0].lstrip('.') or 'file'}: {problem[1]}")
    return record, None
