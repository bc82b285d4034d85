"""The predictions of one model, by item id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rosegen.errors import RosegenError
from rosegen.row_files import Row, name_of, plain, read_rows

TEXT_COLUMNS = ("raw_text", "prediction", "response")
Duplicates = Literal["error", "first", "last"]
_UNNAMED = object()  # a row without the key "model", as opposed to one where it is null


@dataclass
class Predictions:
    """What a model said. ``by_id`` is emptied as items are scored."""

    source: str
    by_id: dict[str, tuple[Any, Any, Any]]  # text, error, model or _UNNAMED
    rows: int  # in the file
    items: int  # that have a row
    duplicates: list[str]  # ids given more than once, each once
    model: str

    def take(self, item_id: str) -> tuple[Any, Any, Any] | None:
        """Remove and return (text, error, model) of an item."""
        found = self.by_id.pop(item_id, None)
        if found is not None and found[2] is _UNNAMED:
            return found[0], found[1], self.model
        return found


def load_predictions(
    source: str | Path | Any,
    *,
    text_column: str | None = None,
    model: str | None = None,
    duplicates: Duplicates = "error",
    unnamed: str | None = None,
) -> Predictions:
    """Read predictions: rows with ``item_id``, a text, and, if known, ``model`` and ``error``.

    Args:
        source: a file (JSON Lines, .gz, CSV, Parquet), a pandas DataFrame, or rows.
        text_column: the column of the answers; by default the first that any row has of
            ``raw_text``, ``prediction`` and ``response``.
        model: the model's name; by default the one that the rows give.
        duplicates: what to do with a second row of an item: refuse, keep the first or the last.
        unnamed: the model's name where no row gives one; by default the file's.

    Raises:
        RosegenError: a file cannot be read, a row has no ``item_id``, there is no such column,
            an item comes twice, or the rows name several models.
    """
    shown = str(source) if isinstance(source, str | Path) else "the predictions given"
    by_id: dict[str, tuple[Any, Any, Any]] = {}
    twice: dict[str, str] = {}
    same: dict[Any, Any] = {}  # models and errors recur: keep one of each
    names: set[str] = set()
    count = 0
    answers = _Answers(text_column)
    for where, row in _rows(source):
        count += 1
        item_id = row.get("item_id")
        if item_id is None:
            raise RosegenError(f"{where}: has no item_id: give the id of the item it answers")
        key = name_of(item_id)
        text = answers.read(row, where)
        error, name = row.get("error"), row.get("model", _UNNAMED)
        if isinstance(error, str):
            error = same.setdefault(error, error)
        if isinstance(name, str):
            name = same.setdefault(name, name)
        if name is not _UNNAMED and name is not None and str(name).strip():
            names.add(name_of(name).strip())
        if key in by_id:
            twice.setdefault(key, where)
            if duplicates == "first":
                continue
        by_id[key] = (text, error, name)
    if not count:
        raise RosegenError(f"{shown}: holds no predictions")
    column = answers.column(shown)
    if any(len(present) > 1 for present in answers.shapes):
        by_id = {
            key: (text.get(column) if isinstance(text, _Several) else text, error, name)
            for key, (text, error, name) in by_id.items()
        }
    if twice and duplicates == "error":
        first = next(iter(twice))
        raise RosegenError(
            f"{twice[first]}: item {first} is given twice, as are {len(twice) - 1:,} others "
            f"({', '.join(sorted(twice)[:10])}): remove one of each, or say "
            "--duplicates first or last"
        )
    return Predictions(
        shown, by_id, count, len(by_id), sorted(twice), _model(source, shown, names, model, unnamed)
    )


class _Several(dict[str, Any]):
    """The known columns of one row, until it is told which of them counts."""


class _Answers:
    """Which column of a file holds the answers: one for all rows, told when all are read."""

    def __init__(self, given: str | None) -> None:
        self.known = (given,) if given else TEXT_COLUMNS
        self.others: dict[str, None] = {}  # columns of rows with neither an answer nor an error
        self.shapes: dict[tuple[str, ...], str] = {}  # known columns of a row with an answer: where
        self.answered: set[str] = set()  # columns that hold an answer anywhere
        self._empty: set[str] = set()

    def read(self, row: Mapping[str, Any], where: str) -> Any:
        """The answer in a row, or, where a row has several of the columns, all of them."""
        present = tuple(name for name in self.known if name in row)
        if not present:
            if row.get("error") in (None, "", "None"):
                self.others.update(dict.fromkeys(row))
            return None
        answered = [name for name in present if row[name] is not None]
        if not answered:
            self._empty.update(present)
            return None
        self.answered.update(answered)
        if present not in self.shapes:
            self.shapes[present] = where
        if len(present) == 1:
            return row[present[0]]
        return _Several((name, row[name]) for name in present)

    def column(self, shown: str) -> str:
        """The first of the known columns that holds an answer, else the first there is.

        Raises:
            RosegenError: there is none, or some rows answer in one column, some in another.
        """
        found = self.answered or self._empty
        column = next((name for name in self.known if name in found), None)
        if column is None and not self.others:
            return self.known[0]  # every row says why there is no answer
        if column is None:
            raise RosegenError(
                f"{shown}: no row has {' or '.join(self.known)} (columns are "
                f"{', '.join(self.others)}): name the column of the answers with --text-column"
            )
        for present, where in self.shapes.items():
            if column not in present:
                raise RosegenError(
                    f"{where}: answers in {present[0]}, other rows in {column}: "
                    "say which with --text-column"
                )
        return column


def _rows(source: Any) -> Iterator[tuple[str, Row]]:
    if isinstance(source, str | Path):
        return read_rows(Path(source), exact_numbers=True)
    return rows_of(source)


def rows_of(source: Any) -> Iterator[tuple[str, Row]]:
    """(where, row) of a pandas DataFrame or of rows in memory."""
    if hasattr(source, "to_dict") and hasattr(source, "columns"):
        if not source.columns.is_unique:
            raise RosegenError("the DataFrame has a column twice: rename or drop one of them")
        source = source.to_dict("records")
    if not isinstance(source, Iterable):
        raise RosegenError(f"{type(source).__name__} is neither a path, a DataFrame nor rows")
    for number, row in enumerate(source, start=1):
        if not isinstance(row, Mapping):
            raise RosegenError(f"row {number}: is a {type(row).__name__}, not a mapping")
        try:
            record = {str(key): plain(value) for key, value in row.items()}
        except RecursionError as error:
            raise RosegenError(
                f"row {number}: is nested too deeply: mend or remove the row"
            ) from error
        yield f"row {number}", record


def _model(source: Any, shown: str, names: set[str], given: str | None, unnamed: str | None) -> str:
    if given and given.strip():
        return name_of(given).strip()
    if len(names) > 1:
        raise RosegenError(
            f"{shown}: names {len(names)} models ({', '.join(sorted(names)[:10])}): "
            "say which with --model, or split the file"
        )
    if names:
        return names.pop()
    if unnamed is not None:
        return unnamed
    if isinstance(source, str | Path):
        return name_of(Path(Path(source).resolve().name.removesuffix(".gz")).stem)
    return "model"
