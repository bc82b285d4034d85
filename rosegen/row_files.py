"""Read rows: JSON Lines (gzip or not, BOM or not, CRLF or not), CSV and Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from rosegen.errors import RosegenError

Row = dict[str, Any]
Unread = Callable[[str, bytes, str], None]
"""Told of a line that is no row: where it stands, the line, and what is wrong with it."""

_GZIP, _PARQUET, _BOM = b"\x1f\x8b", b"PAR1", b"\xef\xbb\xbf"
_BUFFER = 1 << 20  # bytes: a row of metadata has 4 KB
_MOST_TEXT = 1 << 28  # characters in one field of a CSV
_BLANK = object()
_MAY_BE_CUT = (float, list, dict)  # orjson reads an integer beyond 64 bits as a float


def read_rows(
    path: Path, exact_numbers: bool = False, unread: Unread | None = None
) -> Iterator[tuple[str, Row]]:
    """Yield (where, row) for each row of a file; blank lines are passed over.

    The kind of file is told from its first bytes (gzip, Parquet), else from its name (``.csv``);
    anything else is JSON Lines. An empty field of a CSV is null, for CSV has no null.

    Args:
        path: the file.
        exact_numbers: read JSON numbers beyond 64 bits as the integers they are (slower).
        unread: called with each line of JSON Lines that is no row, which is then passed over; an
            error when None.

    Raises:
        RosegenError: the file cannot be read, or a line is not a row; says file and line.
    """
    try:
        with io.BufferedReader(path.open("rb", buffering=0), _BUFFER) as file:
            start = file.peek(4)[:4]  # a pipe can be read but once
            if start == _PARQUET:
                yield from _parquet(path)
                return
            with gzip.open(file) if start[:2] == _GZIP else file as stream:
                if path.name.lower().removesuffix(".gz").endswith(".csv"):
                    yield from _csv(path, stream)
                else:
                    yield from _json_lines(path, stream, exact_numbers, unread)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RosegenError(
            f"{path}: is a broken gzip file ({error}): fetch or write it again"
        ) from error
    except OSError as error:
        raise RosegenError(f"{path}: cannot be read: {error.strerror or error}") from error


def _json_lines(
    path: Path, stream: Any, exact: bool, unread: Unread | None
) -> Iterator[tuple[str, Row]]:
    number = 0
    for chunk in stream:
        for line in chunk.splitlines() if b"\r" in chunk else (chunk,):
            number += 1
            if number == 1:
                line = line.removeprefix(_BOM)  # noqa: PLW2901
            try:
                row = _row_of(line, exact)
            except _NoRowError as error:
                if unread is None:
                    raise RosegenError(f"{path}:{number}: {error}: {error.advice}") from error
                unread(f"{path}:{number}", line, str(error))
                continue
            if row is not _BLANK:
                yield f"{path}:{number}", row


class _NoRowError(Exception):
    """A line is no row."""

    def __init__(self, reason: str, advice: str = "mend or remove the line") -> None:
        super().__init__(reason)
        self.advice = advice


def _row_of(line: bytes, exact: bool) -> Any:
    """The row of a line; ``_BLANK`` for a line of nothing but white space.

    Raises:
        _NoRowError: it is no JSON object.
    """
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        row = _loads(line)
        if row is _BLANK:
            return row
    if type(row) is not dict:
        raise _NoRowError(f"holds a JSON {_kind(row)}", "write one JSON object a line")
    if type(row.get("item_id")) is float or (
        exact and any(type(value) in _MAY_BE_CUT for value in row.values())
    ):
        row = _loads(line)
    return row


def _loads(line: bytes) -> Any:
    """What the standard library reads: NaN, lone surrogates and big numbers, too.

    A line of nothing but white space, as Unicode has it, is ``_BLANK``.
    """
    try:
        text = line.decode("utf-8").strip()
        return json.loads(text) if text else _BLANK
    except UnicodeDecodeError as error:
        raise _NoRowError(f"is not UTF-8 ({error.reason})", "save it as UTF-8") from error
    except RecursionError as error:
        raise _NoRowError("is nested too deeply") from error
    except ValueError as error:
        raise _NoRowError(f"is not JSON ({error})") from error


def _kind(value: object) -> str:
    names = {list: "list", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def _csv(path: Path, stream: Any) -> Iterator[tuple[str, Row]]:
    before = csv.field_size_limit(_MOST_TEXT)
    header: list[str] = []
    line = 0
    try:
        # Bytes that are no UTF-8 become half surrogate pairs, which no UTF-8 holds.
        with io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
            reader = csv.reader(text, strict=True)
            for fields in reader:
                where = f"{path}:{line + 1}"  # where the row begins: it may have line breaks
                line = reader.line_num
                "".join(fields).encode()
                if not header:
                    header = fields
                    if len(set(header)) < len(header):
                        raise RosegenError(f"{where}: a column is named twice: rename one of them")
                elif fields and len(fields) != len(header):
                    raise RosegenError(
                        f"{where}: has {len(fields)} fields, not the {len(header)} of the header: "
                        "mend the line"
                    )
                elif fields:
                    yield where, {name: value or None for name, value in zip(header, fields)}
    except UnicodeEncodeError as error:
        raise RosegenError(f"{where}: is not UTF-8: save it as UTF-8") from error
    except csv.Error as error:
        raise RosegenError(f"{path}:{line + 1}: is not CSV ({error}): mend it") from error
    finally:
        csv.field_size_limit(before)


def _parquet(path: Path) -> Iterator[tuple[str, Row]]:
    import pyarrow  # noqa: PLC0415  # a tenth of a second that other files need not wait for
    import pyarrow.parquet  # noqa: PLC0415

    try:
        number = 0
        with pyarrow.parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if len(set(names)) < len(names):
                raise RosegenError(f"{path}: a column is named twice: rename one of them")
            wanted = [field.name for field in file.schema_arrow if not _is_media(field.type)]
            for batch in file.iter_batches(batch_size=4096, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}: row {number}", {key: plain(value) for key, value in row.items()}
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise RosegenError(
            f"{path}: is no sound Parquet file ({reason}): fetch or write it again"
        ) from error


def _is_media(kind: Any) -> bool:
    """Whether a column holds files, as Hugging Face writes pictures: megabytes to no purpose."""
    return str(kind) == "struct<bytes: binary, path: string>"


def plain(value: Any) -> Any:
    """A value as JSON would have it: what data frames say for null is None.

    Raises:
        RecursionError: lists or records in it are nested too deeply.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if hasattr(value, "tolist"):  # a NumPy number or array
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return str(value)  # a date, a decimal: JSON has no such thing


def name_of(value: Any) -> str:
    """A name or an id as text that every file can hold: half a surrogate pair is spelled out."""
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
