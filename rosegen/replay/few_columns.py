"""A release has room for so many columns of its records' own: what is beyond is left out, told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rosegen.replay.known import is_known
from rosegen.replay.own_columns import SUBSTITUTED
from rosegen.replay.records import Placed, Record, printable
from rosegen.replay.recovered import Fault

_MOST_COLUMNS = 1000
_NAMED = 3  # of the keys that are left out of a row
_LONGEST_NAME = 80


def with_few_columns(records: list[Record]) -> tuple[list[Record], list[Placed]]:
    """The records without columns beyond the number that a release may have, and who had them.

    Those are kept that most rows have, and of those that as many have, the first by name: the same
    in whatever order the rows are read.
    """
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(record.row.keys())
    own = [name for name in counts if not is_known(name) and name != SUBSTITUTED]
    if len(own) <= _MOST_COLUMNS:
        return records, []
    left_out = set(sorted(own, key=lambda name: (-counts[name], name))[_MOST_COLUMNS:])
    kept: list[Record] = []
    faults: list[Placed] = []
    for record in records:
        row = {name: value for name, value in record.row.items() if name not in left_out}
        if len(row) < len(record.row):
            gone = sorted(left_out.intersection(record.row))
            names = ", ".join(name[:_LONGEST_NAME] for name in gone[:_NAMED])
            more = ", ..." * (len(gone) > _NAMED)
            says = printable(f"{len(gone):,} keys that are left out ({names}{more})")
            should = f"of {_MOST_COLUMNS:,} columns at most that not every release has"
            fault = Fault(record.where, record.item_id, "row", says, should)
            faults.append((record.place, fault))
            record = replace(record, row=row)  # noqa: PLW2901
        kept.append(record)
    return kept, faults
