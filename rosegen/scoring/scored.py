"""Score all predictions in one pass over the metadata, in memory that does not grow with texts."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from rosegen.errors import RosegenError
from rosegen.files import disk_error
from rosegen.row_files import name_of
from rosegen.scoring.columns import Columns
from rosegen.scoring.failures import failures_of
from rosegen.scoring.items import gold_of
from rosegen.scoring.names import TEMPLATE_ALIASES
from rosegen.scoring.predictions import Predictions
from rosegen.scoring.release import Metadata, item_id_of
from rosegen.scoring.score import UNSCORABLE, score_item

_IN_MEMORY = 1 << 26  # bytes
Progress = Callable[[str, int, int], None]


class Spool:
    """The scored rows as lines, in memory or, when there are many, in a nameless file."""

    def __init__(self, folder: str | None = None) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=folder)  # noqa: SIM115
        self._folder = folder
        self._starts = array("Q", [0])

    def append(self, line: bytes) -> None:
        """Keep a line."""
        try:
            self._file.write(line)
        except OSError as error:
            raise disk_error(Path(self._folder or tempfile.gettempdir()), error) from error
        self._starts.append(self._starts[-1] + len(line))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def lines(self, order: Any) -> Iterator[bytes]:
        """The lines of these places, in this order; read them all before others are asked for."""
        starts, at = self._starts, -1
        for place in order:
            start, end = starts[place], starts[place + 1]
            if start != at:
                self._file.seek(start)
            yield self._file.read(end - start)
            at = end

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


@dataclass
class Coverage:
    """Which items were expected, and which were answered."""

    expected: int
    missing: list[str]  # sorted
    extra: list[str]  # sorted
    duplicates: list[str]  # sorted; answered more than once
    prediction_rows: int
    expected_by_subset: Counter[str] = field(default_factory=Counter)
    expected_by_template: Counter[str] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """Whether each expected item was answered, and nothing else."""
        return not self.missing and not self.extra


@dataclass
class Scored:
    """Scored rows, sorted by item id as text."""

    model: str
    split: str
    columns: Columns
    coverage: Coverage
    ids: list[str]
    spool: Spool
    order: Any  # places in the spool, sorted by item id

    def lines(self, only: Any = None) -> Iterator[bytes]:
        """The rows as lines of JSON; ``only`` says which, a boolean a row."""
        return self.spool.lines((self.order if only is None else self.order[only]).tolist())

    def rows(self, only: Any = None) -> Iterator[dict[str, Any]]:
        """The rows, in ROSE's order of keys."""
        return map(json.loads, self.lines(only))


def score_all(
    metadata: Metadata,
    predictions: Predictions,
    split: str,
    *,
    allow_partial: bool = False,
    near_miss_l1: int = 1,
    spool_folder: str | None = None,
    progress: Progress | None = None,
) -> Scored:
    """Score every item that has a prediction.

    Raises:
        RosegenError: an item of the split has no prediction (unless ``allow_partial``), none has
            one, an item stands twice in the metadata, or a row cannot be scored.
    """
    coverage = Coverage(0, [], [], predictions.duplicates, predictions.rows)
    columns, spool = Columns(), Spool(spool_folder)
    ids: list[str] = []
    seen: set[str] = set()
    total = len(predictions.by_id)
    for where, item in metadata.rows(split):
        item_id = item_id_of(item, where)
        if item_id in seen:
            raise RosegenError(f"{where}: item {item_id} stands twice: remove one of the rows")
        seen.add(item_id)
        template = str(item.get("task_template"))
        coverage.expected_by_subset[name_of(item.get("rose_subset"))] += 1
        coverage.expected_by_template[TEMPLATE_ALIASES.get(template, template)] += 1
        said = predictions.take(item_id)
        if said is None:
            coverage.missing.append(item_id)
            continue
        try:
            gold = gold_of(item)
            row = score_item(item, gold, *said, near_miss_l1=near_miss_l1)
            line = line_of(row)
        except UNSCORABLE as error:
            raise RosegenError(
                f"{where}: item {item_id} cannot be scored: {error}: mend the row"
            ) from error
        columns.add(row, item, failures_of(row, gold.area))
        spool.append(line)
        ids.append(item_id)
        if progress and len(ids) % 2048 == 0:
            progress("items", len(ids), total)
    coverage.expected = len(seen)
    coverage.missing.sort()
    coverage.extra = sorted(predictions.by_id)
    _refuse_holes(metadata, predictions, coverage, split, allow_partial, len(ids))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.intp)
    columns.finish(order)
    ids.sort()
    return Scored(predictions.model, split, columns, coverage, ids, spool, order)


def _refuse_holes(
    metadata: Metadata,
    predictions: Predictions,
    coverage: Coverage,
    split: str,
    allow_partial: bool,
    scored: int,
) -> None:
    shown = metadata.called
    if not coverage.expected:
        raise RosegenError(f"{shown}: has no item of the split {split}: give another --split")
    if not scored:
        raise RosegenError(
            f"{predictions.source}: none of its {len(coverage.extra):,} items is in {shown} "
            f"(first are {', '.join(coverage.extra[:3])} and {', '.join(coverage.missing[:3])}): "
            "predictions and release do not belong together"
        )
    if coverage.missing and not allow_partial:
        raise RosegenError(
            f"{predictions.source}: {len(coverage.missing):,} of {coverage.expected:,} items of "
            f"the split {split} are missing (first are {', '.join(coverage.missing[:10])}): "
            "predict them too, or say --allow-partial"
        )


def line_of(row: dict[str, Any]) -> bytes:
    """One line of JSON."""
    try:
        return orjson.dumps(row) + b"\n"
    except TypeError:  # an integer beyond 64 bits, or half a surrogate pair
        text = json.dumps(row, ensure_ascii=False)
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:
            return json.dumps(row).encode() + b"\n"
