"""What a source writes into rows: columns that are known, with values that they allow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rosegen.release.row_schema import row_schema
from rosegen.release.rows import SOURCE_COLUMNS
from rosegen.sources.base import Candidate
from rosegen.testing.breach import Breach, calling, shown
from rosegen.testing.subject import Subject
from rosegen.verify.fast_schema import compile_schema

_RULE = "fields"


def column_breaches(subject: Subject) -> Iterator[Breach]:
    """The first rule for ``fields`` that is broken, tried in both directions."""
    checks = _checks(subject)
    for pair in subject.some():
        for flipped in (False, True):
            for side in subject.cell_sizes:
                breach = _breach(subject, checks, pair, flipped, side)
                if breach is not None:
                    yield breach
                    return


def _checks(subject: Subject) -> Mapping[str, Callable[[Any], tuple[str, str] | None]]:
    """What a value of each column must be."""
    columns = subject.source.columns
    schema = row_schema(columns)
    return {
        name: compile_schema(
            {**schema["properties"][name], "$defs": schema["$defs"]}, exact_integers=True
        )
        for name in (*SOURCE_COLUMNS, *columns)
    }


def _breach(
    subject: Subject,
    checks: Mapping[str, Callable[[Any], tuple[str, str] | None]],
    pair: Candidate,
    flipped: bool,
    side: int,
) -> Breach | None:
    where = f"{pair.key!r} at {side} px{', flipped,' if flipped else ''}"
    mend = "return a table of column to value for every pair, in both directions"
    with calling(_RULE, f"fields of {where}", mend):
        fields: Any = subject.opening.fields(pair, flipped, side)
        again: Any = subject.opening.fields(pair, flipped, side)
    if not isinstance(fields, Mapping):
        return Breach(_RULE, f"fields of {where} gives {shown(fields)}", mend)
    for name, value in fields.items():
        if name not in checks:
            what = f"fields of {where} fills a column {name!r} that nobody declared"
            return Breach(_RULE, what, "declare it in columns")
        problem = checks[name](value)
        if problem is not None:
            what = f"{name}{problem[0]} of {where} {problem[1]}"
            return Breach(_RULE, what, "give what the column's schema allows, or widen it")
    try:
        json.dumps(dict(fields), allow_nan=False)
    except (TypeError, ValueError) as error:
        what = f"fields of {where} cannot be written as JSON ({error})"
        return Breach(_RULE, what, "give plain values: int(...), float(...), str(...)")
    if fields != again:
        return Breach(_RULE, f"fields of {where} differ from call to call", "let nothing vary")
    return None
