"""What a release's rows look like: one JSON Schema, and the same as features of the Hub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosegen.data import item_schema

Schema = Mapping[str, Any]


def row_schema(columns: Mapping[str, Schema]) -> dict[str, Any]:
    """The JSON Schema of a row.

    Args:
        columns: what only sources of this release know; they stand last, and are null in rows of
            subsets that do not fill them.
    """
    schema = item_schema()
    own = {name: _nullable(column) for name, column in columns.items()}
    return {
        **schema,
        "properties": {**schema["properties"], **own},
        "required": [*schema["required"], *own],
    }


def _nullable(column: Schema) -> dict[str, Any]:
    kinds = column["type"] if isinstance(column["type"], list) else [column["type"]]
    own = {**column, "type": kinds if "null" in kinds else [*kinds, "null"]}
    if "enum" in column and None not in column["enum"]:
        own["enum"] = [*column["enum"], None]
    return own


_DTYPES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}


def features(schema: Schema) -> list[dict[str, Any]]:
    """A row's columns as the Hub's ``dataset_info.features`` has them, so that none is guessed."""
    return [
        {"name": name, **_feature(schema, column)} for name, column in schema["properties"].items()
    ]


def _feature(schema: Schema, column: Schema) -> dict[str, Any]:
    if "$ref" in column:
        column = schema["$defs"][column["$ref"].rpartition("/")[2]]
    kind = _kind(column)
    if kind == "object":
        fields = column["properties"].items()
        return {"struct": [{"name": name, **_feature(schema, part)} for name, part in fields]}
    if kind == "array":
        item = _feature(schema, column["items"])
        return {"list": item.get("dtype", item)}
    return {"dtype": _DTYPES[kind]}


def _kind(column: Schema) -> str:
    """The JSON type of a column, null apart; of ``const`` and ``enum``, that of their values."""
    if "type" in column:
        kinds = column["type"] if isinstance(column["type"], list) else [column["type"]]
        return next(str(kind) for kind in kinds if kind != "null")
    values = [column["const"]] if "const" in column else column["enum"]
    value = next(value for value in values if value is not None)
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return names[type(value)]
