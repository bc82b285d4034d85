"""Read rows: JSON Lines (gzip or not, BOM or not, CRLF or not), CSV and Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from rosegen.errors import RosegenError

Row = dict[str, Any]
Unread = Callable[[str, bytes, str], None]
"""Told of a line that is no row: where it stands, the line, and what is wrong with it."""
Doubled = Callable[[str, dict[str, list[Any]]], None]
"""Told of a row in which keys stand twice: where it stands, and all values of each such key."""

_GZIP, _PARQUET, _BOM = b"\x1f\x8b", b"PAR1", b"\xef\xbb\xbf"
_BUFFER = 1 << 20  # bytes: a row of metadata has 4 KB
_LONGEST = 1 << 24  # bytes of a row, characters of one of CSV: memory is bounded by it
_MOST_INFLATED = 500  # times the size of a gzip file; rows have 5 to 50
_BATCH = 256  # rows of Parquet at once
_BLANK = object()
_MAY_BE_CUT = (float, list, dict)  # orjson reads an integer beyond 64 bits as a float


def read_rows(
    path: Path,
    exact_numbers: bool = False,
    unread: Unread | None = None,
    doubled: Doubled | None = None,
) -> Iterator[tuple[str, Row]]:
    """Yield (where, row) for each row of a file; blank lines are passed over.

    The kind of file is told from its first bytes (gzip, Parquet), else from its name (``.csv``);
    anything else is JSON Lines. An empty field of a CSV is null, for CSV has no null. What has more
    than 16 MiB is no row, and a gzip file that grows 500-fold holds none worth the memory.

    Args:
        path: the file.
        exact_numbers: read JSON numbers beyond 64 bits as the integers they are (slower).
        unread: called with each line of JSON Lines that is no row, which is then passed over; an
            error when None.
        doubled: called before a row of JSON Lines is given in which, at any depth, a key stands
            twice, so that only its last value is heard (several times slower).

    Raises:
        RosegenError: the file cannot be read, or a line is not a row; says file and line.
    """
    try:
        with io.BufferedReader(path.open("rb", buffering=0), _BUFFER) as file:
            start = file.peek(4)[:4]  # a pipe can be read but once
            if start == _PARQUET:
                yield from _parquet(path)
                return
            with _inflated(path, file) if start[:2] == _GZIP else file as stream:
                if path.name.lower().removesuffix(".gz").endswith(".csv"):
                    yield from _csv(path, stream)
                else:
                    yield from _json_lines(path, stream, exact_numbers, unread, doubled)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RosegenError(
            f"{path}: is a broken gzip file ({error}): fetch or write it again"
        ) from error
    except OSError as error:
        raise RosegenError(f"{path}: cannot be read: {error.strerror or error}") from error


def _inflated(path: Path, file: io.BufferedIOBase) -> io.BufferedIOBase:
    """What is in a gzip file, read a megabyte at a time."""
    size = path.stat().st_size  # 0 of a pipe
    most = max(_BUFFER, _MOST_INFLATED * size) if size else None
    return io.BufferedReader(_Inflating(path, gzip.open(file), most), _BUFFER)


class _Inflating(io.RawIOBase):
    """What is in a gzip file, up to a size."""

    def __init__(self, path: Path, stream: gzip.GzipFile, most: int | None) -> None:
        self._path, self._stream, self._most = path, stream, most
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Raises RosegenError where there is more than that."""
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        self._size += len(data)
        if self._most is not None and self._size > self._most:
            raise RosegenError(
                f"{self._path}: is a gzip file of more than {_MOST_INFLATED} times its own size: "
                "unpack it first if it is meant to be"
            )
        return len(data)


def _json_lines(
    path: Path,
    stream: io.BufferedIOBase,
    exact: bool,
    unread: Unread | None,
    doubled: Doubled | None,
) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(_lines(stream), start=1):
        if number == 1:
            line = line.removeprefix(_BOM)  # noqa: PLW2901
        try:
            row = _row_of(line, exact)
        except _NoRowError as error:
            if unread is None:
                raise RosegenError(f"{path}:{number}: {error}: {error.advice}") from error
            unread(f"{path}:{number}", line, str(error))
            continue
        if row is _BLANK:
            continue
        if doubled is not None and (twice := _standing_twice(line)):
            doubled(f"{path}:{number}", twice)
        yield f"{path}:{number}", row


def _lines(stream: io.BufferedIOBase) -> Iterator[bytes]:
    """Each line, whatever ends it; of one that has too many bytes, no more than show it.

    What follows such a line is read from the next line feed on.
    """
    held = b""  # the beginning of a line that a carriage return may end
    for chunk in iter(partial(stream.readline, _LONGEST + 1), b""):
        if len(chunk) <= _LONGEST and not held and b"\r" not in chunk:
            yield chunk
            continue
        whole = held + chunk
        if len(chunk) <= _LONGEST or chunk.endswith(b"\n"):
            held = b""
        else:
            ended, end, held = whole.rpartition(b"\r")
            whole = ended + end
        yield from whole.splitlines()
        if len(held) > _LONGEST:
            yield held
            held = b""
            _pass_over_line(stream)
    if held:
        yield held


def _pass_over_line(stream: io.BufferedIOBase) -> None:
    for chunk in iter(partial(stream.readline, _LONGEST + 1), b""):
        if chunk.endswith(b"\n"):
            return


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
    if len(line) > _LONGEST:
        raise _NoRowError(f"has more than {_LONGEST:,} bytes")
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


def _standing_twice(line: bytes) -> dict[str, list[Any]]:
    """All values of each key that stands twice in one object of a line that is JSON."""
    found: dict[str, list[Any]] = {}

    def note(pairs: list[tuple[str, Any]]) -> Row:
        row = dict(pairs)
        if len(row) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            for key, value in pairs:
                if counts[key] > 1:
                    found.setdefault(key, []).append(value)
        return row

    try:
        json.loads(line, object_pairs_hook=note)
    except (ValueError, RecursionError):  # what is read otherwise, too
        return {}
    return found


def _kind(value: object) -> str:
    names = {list: "list", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def _csv(path: Path, stream: Any) -> Iterator[tuple[str, Row]]:
    before = csv.field_size_limit(_LONGEST)
    header: list[str] = []
    line = 0
    try:
        # Bytes that are no UTF-8 become half surrogate pairs, which no UTF-8 holds.
        with io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
            lines = _RowText(text)
            reader = csv.reader(lines, strict=True)
            for fields in reader:
                lines.size = 0
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


class _RowText:
    """The lines of a CSV, while ``size`` is that of no more than a row may have."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self._stream = stream
        self.size = 0  # characters since it was last set to 0

    def __iter__(self) -> Iterator[str]:
        for line in iter(partial(self._stream.readline, _LONGEST + 1), ""):
            self.size += len(line)
            if self.size > _LONGEST:
                raise csv.Error(f"a row of more than {_LONGEST:,} characters")
            yield line


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
            _refuse_bomb(path, file.metadata, {*names}.difference(wanted))
            for batch in file.iter_batches(batch_size=_BATCH, columns=wanted):
                _refuse_long_rows(path, number, batch)
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}: row {number}", {key: plain(value) for key, value in row.items()}
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise RosegenError(
            f"{path}: is no sound Parquet file ({reason}): fetch or write it again"
        ) from error


def _refuse_bomb(path: Path, metadata: Any, unread: set[str]) -> None:
    """Raise RosegenError where the columns that are read grow too much."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    columns = (group.column(place) for group in groups for place in range(group.num_columns))
    size = sum(
        column.total_uncompressed_size
        for column in columns
        if column.path_in_schema.split(".")[0] not in unread
    )
    if size > max(_BUFFER, _MOST_INFLATED * path.stat().st_size):
        raise RosegenError(
            f"{path}: is a Parquet file of more than {_MOST_INFLATED} times its own size: write it "
            "without compression if it is meant to be"
        )


def _refuse_long_rows(path: Path, before: int, batch: Any) -> None:
    if batch.nbytes <= _LONGEST:
        return
    for place in range(batch.num_rows):
        if batch.slice(place, 1).nbytes > _LONGEST:
            raise RosegenError(
                f"{path}: row {before + place + 1}: has more than {_LONGEST:,} bytes: mend or "
                "remove the row"
            )


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
