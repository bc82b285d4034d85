"""Lists of pairs that a person has looked at: which are accepted, which are refused.

A list is a CSV, JSON Lines or Parquet file with a row a pair. ``key`` and ``verdict`` must be
there; ``group`` and ``subset`` where a key alone does not tell a pair; the rest is to be read by
people (what ``rosegen pairs mine`` measured). Columns that rosegen does not know are kept.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from rosegen.errors import RosegenError
from rosegen.row_files import name_of, read_rows

Row = dict[str, Any]

ACCEPT, REFUSE, UNDECIDED = VERDICTS = ("accept", "refuse", "")
COLUMNS = (
    "subset",
    "group",
    "key",
    "a",
    "b",
    "verdict",
    "note",
    "cell_size",
    "refusal",
    "ssim",
    "phash_distance",
    "changed_pixel_share",
    "max_local_color_difference",
    "mean_color_difference",
    "ink_difference",
    "similarity",
    "a_sha256",
    "b_sha256",
)
ENDINGS = (".csv", ".jsonl", ".parquet")

_SAID = ("subset", "group", "key", "verdict", "note")  # what is used of a list
_WHOLE = {"cell_size", "phash_distance"}
_FRACTIONS = {
    "ssim",
    "changed_pixel_share",
    "max_local_color_difference",
    "mean_color_difference",
    "ink_difference",
    "similarity",
}
_BATCH = 4096  # rows written to a Parquet file at a time


@dataclass(frozen=True)
class ListedPair:
    """A pair of a list. ``subset`` and ``group`` are empty where the list does not say."""

    subset: str
    group: str
    key: str
    verdict: str  # accept, refuse, or empty while nobody has decided
    note: str
    place: str  # file and line
    columns: Mapping[str, Any]  # all that the row has, as it is written

    @property
    def row(self) -> Row:
        """The pair as a row to write: every column it came with, and those of a list."""
        said = {name: getattr(self, name) for name in _SAID}
        return {**dict.fromkeys(COLUMNS), **self.columns, **said}

    def had_other_art(self, *sha256s: str) -> bool:
        """Whether the list knows the art of the two tiles, and it was not this (in any order)."""
        known = [str(self.columns.get(name) or "") for name in ("a_sha256", "b_sha256")]
        return all(known) and sorted(known) != sorted(sha256s)


def read_pair_list(path: Path) -> tuple[ListedPair, ...]:
    """Read a list.

    Raises:
        RosegenError: the file cannot be read, lacks a column, has a verdict that is none, or names
            a pair twice; file and line are named.
    """
    pairs = tuple(_pair(place, row) for place, row in read_rows(path))
    first: dict[tuple[str, str, str], ListedPair] = {}
    for pair in pairs:
        other = first.setdefault((pair.subset, pair.group, pair.key), pair)
        if other is not pair:
            raise RosegenError(f"{pair.place}: {pair.key} stands already at {other.place}")
    return pairs


def of_subset(pairs: Iterable[ListedPair], subset: str) -> list[ListedPair]:
    """The pairs that speak of a subset, or of none in particular."""
    return [pair for pair in pairs if pair.subset in ("", subset)]


def decide(
    pairs: Sequence[ListedPair], verdicts: Mapping[int, str], notes: Mapping[int, str] | None = None
) -> tuple[ListedPair, ...]:
    """The list with some verdicts given, and the rest as it was.

    Args:
        pairs: the list.
        verdicts: number of the pair, from 1 as sheets show it, to ``accept``, ``refuse`` or
            nothing.
        notes: number of the pair to what is to be remembered of it.

    Raises:
        RosegenError: no pair has the number, or a verdict is none.
    """
    notes = notes or {}
    for number in (*verdicts, *notes):
        if not 1 <= number <= len(pairs):
            raise RosegenError(f"pair {number}: the list has pairs 1 to {len(pairs)}")
    for number, verdict in verdicts.items():
        if verdict not in VERDICTS:
            raise RosegenError(f"pair {number}: {verdict!r} is no verdict: accept, refuse or ''")
    return tuple(
        replace(pair, verdict=verdicts.get(n, pair.verdict), note=notes.get(n, pair.note))
        for n, pair in enumerate(pairs, start=1)
    )


def _pair(place: str, row: Mapping[str, Any]) -> ListedPair:
    texts = {name: _text(row.get(name)) for name in _SAID}
    for name in ("key", "verdict"):
        if name not in row:
            raise RosegenError(f"{place}: no column {name!r} (it must have key and verdict)")
    if not texts["key"]:
        raise RosegenError(f"{place}: key is empty")
    verdict = texts["verdict"].strip().lower()
    if verdict not in VERDICTS:
        raise RosegenError(
            f"{place}: verdict is {texts['verdict']!r}: write accept or refuse, or nothing"
        )
    return ListedPair(**{**texts, "verdict": verdict}, place=place, columns=row)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


# Writing


def refuse_ending(path: Path) -> None:
    """Refuse a name whose ending does not say what kind of list to write.

    Raises:
        RosegenError: the ending is none of ``ENDINGS``.
    """
    if path.suffix.lower() not in ENDINGS:
        raise RosegenError(f"{path}: name it .csv, .jsonl or .parquet: its ending says the format")


def write_pair_list(
    path: Path, rows: Iterable[Mapping[str, Any]], extra: Sequence[str] = ()
) -> int:
    """Write a list in the format that its name ends in, a row at a time; say how many rows.

    Args:
        path: the file; its folder exists.
        rows: by column; a column that a row lacks is empty.
        extra: columns after those of ``COLUMNS``.

    Raises:
        RosegenError: the ending is none of ``ENDINGS``.
        OSError: the disk will not take it.
    """
    refuse_ending(path)
    names = (*COLUMNS, *(name for name in extra if name not in COLUMNS))
    typed = ({name: _typed(name, row.get(name)) for name in names} for row in rows)
    if path.suffix.lower() == ".parquet":
        return _write_parquet(path, names, typed)
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix.lower() == ".csv":
            return _write_csv(file, names, typed)
        return _write_json_lines(file, typed)


def _typed(name: str, value: Any) -> Any:
    """A value as its column has it: a number, or a text that any file can hold; None for neither.

    What a person wrote into a column of numbers and is none goes.
    """
    if name in _WHOLE or name in _FRACTIONS:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return None
        if name in _FRACTIONS:
            return number if math.isfinite(number) else None
        return int(number) if number.is_integer() else None
    if value is None:
        return "" if name in COLUMNS else None
    return name_of(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _write_csv(file: TextIO, names: Sequence[str], rows: Iterable[Row]) -> int:
    plain = csv.writer(file, lineterminator="\n")
    # A carriage return within a field was left bare by some versions of Python.
    quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    plain.writerow(names)
    count = 0
    for row in rows:
        values = ["" if row[name] is None else row[name] for name in names]
        broken = any(isinstance(value, str) and "\r" in value for value in values)
        (quoted if broken else plain).writerow(values)
        count += 1
    return count


def _write_json_lines(file: TextIO, rows: Iterable[Row]) -> int:
    count = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        count += 1
    return count


def _write_parquet(path: Path, names: Sequence[str], rows: Iterable[Row]) -> int:
    import pyarrow  # noqa: PLC0415  # a tenth of a second that other files need not wait for
    import pyarrow.parquet  # noqa: PLC0415

    schema = pyarrow.schema([(name, _arrow_type(pyarrow, name)) for name in names])
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


def _arrow_type(pyarrow: Any, name: str) -> Any:
    if name in _WHOLE:
        return pyarrow.int64()
    return pyarrow.float64() if name in _FRACTIONS else pyarrow.string()


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield batch
