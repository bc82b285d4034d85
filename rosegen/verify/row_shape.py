"""What the rows of one release look like: the item schema, and columns of the release's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rosegen.data import schemas_dir
from rosegen.verify.fast_schema import compile_schema
from rosegen.verify.reading import Shape, read_document
from rosegen.verify.report import Fault, fault
from rosegen.verify.schema_form import schema_problem

NAME = "item.schema.json"
_SUMMARY = "export_summary.json"

Columns = Mapping[str, Any]
"""The summary's ``columns``: name to JSON Schema."""


@cache
def _document(name: str) -> dict[str, Any]:
    path = schemas_dir() / f"{name}.schema.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _item_schema(replayed: bool) -> dict[str, Any]:
    """The schema of a row without columns of the release's own."""
    item = _document("item")
    if not replayed:
        return item
    return {
        **item,
        "properties": {**item["properties"], **_document("replayed_item")["properties"]},
    }


def _problem(name: str, column: Mapping[str, Any]) -> str | None:
    """What is wrong with an own column, if anything."""
    if name in _document("item")["properties"]:
        return "is the name of a column that every release has"
    problem = schema_problem(column)
    if problem is not None:
        return problem
    if not column.get("description", "").strip():
        return "has no description"
    if "type" not in column:
        return "has no type"
    # Rows of other subsets have null there, which nothing but null could be equal to.
    return "can have no const: null is allowed, too" if "const" in column else None


def own_columns(columns: Columns | None) -> tuple[str, ...]:
    """The names of a release's own columns, in their order; they stand last in a row."""
    known = _document("item")["properties"]
    return tuple(name for name in columns or () if name not in known)


def column_faults(columns: Columns) -> list[Fault]:
    """What is wrong with the columns a release says are its own.

    Args:
        columns: those of the summary, which obeys its schema.
    """
    problems = ((name, _problem(name, column)) for name, column in columns.items())
    return [
        fault("summary", _SUMMARY, f"columns.{name} {problem}")
        for name, problem in problems
        if problem is not None
    ]


def _nullable(column: Mapping[str, Any]) -> dict[str, Any]:
    kinds = column["type"] if isinstance(column["type"], list) else [column["type"]]
    changed: dict[str, Any] = {"type": kinds if "null" in kinds else [*kinds, "null"]}
    if "enum" in column and None not in column["enum"]:
        changed["enum"] = [*column["enum"], None]
    return {**column, **changed}


def _row_schema(columns: Columns, replayed: bool) -> dict[str, Any]:
    """The JSON Schema of a row; a column whose own schema is broken may hold anything."""
    item = _item_schema(replayed)
    own = {
        name: _nullable(columns[name]) if _problem(name, columns[name]) is None else {}
        for name in own_columns(columns)
    }
    return {
        **item,
        "properties": {**item["properties"], **own},
        "required": [*item["required"], *own],
    }


def row_shape(columns: Columns | None, replayed: bool) -> Shape:
    """The shape of a release's rows.

    Args:
        columns: the release's own; None when they are not known, so that any may follow.
        replayed: whether the release was made from published records, which do not tell all.
    """
    schema = _row_schema(columns or {}, replayed)
    if columns is None:
        schema["additionalProperties"] = True
    check = compile_schema(schema, exact_integers=True)
    return Shape(check, tuple(schema["properties"]), open=columns is None)


def check_row_schema(root: Path, columns: Columns | None, replayed: bool) -> list[Fault]:
    """The release's ``item.schema.json`` says of its rows just what they are checked for.

    Args:
        root: the release.
        columns: the release's own; None when they are not known.
        replayed: as for ``row_shape``.
    """
    found, wrong = read_document(root, NAME)
    if wrong is not None:
        return [wrong]
    if columns is None or column_faults(columns):
        return []
    difference = _difference(_row_schema(columns, replayed), found)
    return [] if difference is None else [fault("schema", NAME, difference)]


def _difference(wanted: Mapping[str, Any], found: Any) -> str | None:
    """Where a JSON document is another than the one wanted; the order of columns counts."""
    if not isinstance(found, dict):
        return "is not a JSON Schema"
    for name in dict.fromkeys([*wanted, *found]):
        if name != "properties" and not _same(wanted, found, name):
            return f"{name} is not that of rows of this release"
    columns, said = wanted["properties"], found["properties"]
    if not isinstance(said, dict):
        return "properties are no object"
    for name in dict.fromkeys([*columns, *said]):
        if not _same(columns, said, name):
            return f"properties.{name} is not that of rows of this release"
    return None if list(columns) == list(said) else "properties are not in the order of columns"


def _same(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> bool:
    """Whether two objects have the same under a name: 1, 1.0 and true are three things."""
    if name not in one or name not in other:
        return False
    texts = (json.dumps(each[name], sort_keys=True) for each in (one, other))
    return next(texts) == next(texts)
