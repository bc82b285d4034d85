"""Read a release's text files without trusting a byte of them."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rosegen.data import schemas_dir
from rosegen.verify.fast_schema import Check, compile_schema
from rosegen.verify.report import Fault, fault

Row = Mapping[str, Any]

_LARGEST_TEXT = 1 << 30
_ID = re.compile(r"[A-Za-z0-9_]+")
_BOM = b"\xef\xbb\xbf"


class UnreadableError(Exception):
    """A file that cannot be read as what it should be; its message says why."""


def read_bytes(root: Path, relative: str, largest: int = _LARGEST_TEXT) -> bytes:
    """The bytes of a regular file that lies under ``root`` without any symbolic link on the way.

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
        if state.st_size > largest:
            raise UnreadableError(f"has {state.st_size} bytes, more than the {largest} it may have")
        return path.read_bytes()
    except FileNotFoundError:
        raise UnreadableError("is missing") from None
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UnreadableError(f"cannot be read: {error}") from None


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


@dataclass
class Table:
    """The rows of a JSON Lines file that are fit for further checks."""

    name: str
    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Line number, from 1, and row."""
    faults: list[Fault] = field(default_factory=list)
    lost: list[str | None] = field(default_factory=list)
    """Ids, where they can be told, of rows that are there but not fit."""
    whole: bool = True
    """Whether every row could be read."""


def _lines(data: bytes, table: Table) -> list[bytes]:
    if data.startswith(_BOM):
        table.faults.append(fault("layout", table.name, "starts with a byte order mark"))
        data = data[len(_BOM) :]
    if not data:
        return []
    lines = data.split(b"\n")
    if lines[-1]:
        table.faults.append(fault("layout", table.name, "the last line does not end with LF"))
    else:
        lines.pop()
    returns = sum(line.endswith(b"\r") for line in lines)
    if returns:
        detail = f"{returns} of {len(lines)} lines end with CR LF instead of LF"
        table.faults.append(fault("layout", table.name, detail))
        lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    return lines


def read_table(root: Path, name: str, shape: Shape | None, id_column: str) -> Table:
    """Read a JSON Lines file, line by line.

    Args:
        root: the release.
        name: the file's path from it.
        shape: that of a row, or None when any object will do.
        id_column: the column by which a fault names a row.
    """
    table = Table(name)
    try:
        lines = _lines(read_bytes(root, name), table)
    except UnreadableError as error:
        table.faults.append(fault("layout", name, str(error)))
        table.whole = False
        return table
    disordered = []
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        try:
            row = parse_json(line)
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
            disordered.append(number)
        table.rows.append((number, row))
    if disordered:
        detail = f"columns of {len(disordered)} rows are not in the release's order"
        table.faults.append(fault("schema", f"{name}:{disordered[0]}", detail))
    table.whole = not table.lost
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
