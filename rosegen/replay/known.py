"""What the columns that every replayed release has may hold: one schema, asked column by column."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from rosegen.data import item_schema, schemas_dir
from rosegen.replay.recovered import PATH_COLUMNS, posix

Schema = Mapping[str, Any]


@cache
def replayed_schema() -> dict[str, Any]:
    """The JSON Schema of a row made from published records, which do not tell all."""
    path = schemas_dir() / "replayed_item.schema.json"
    loosened = json.loads(path.read_text(encoding="utf-8"))["properties"]
    item = item_schema()
    return {**item, "properties": {**item["properties"], **loosened}}


def is_known(column: str) -> bool:
    """Whether every release has a column of that name."""
    return column in replayed_schema()["properties"]


def fits(column: str, value: Any) -> bool:
    """Whether a row may hold a value in a column that every release has.

    A path may have either slash, and must not leave its folder. Text must not be empty.
    """
    if column in PATH_COLUMNS and isinstance(value, str):
        value = posix(value)
        if ".." in value.split("/"):
            return False
    if _is_text(column):  # most are
        return isinstance(value, str) and value != ""
    return _validator(column).is_valid(value)


@cache
def _is_text(column: str) -> bool:
    schema = replayed_schema()["properties"][column]
    named = {"description", "type", "minLength"}.issuperset(schema)
    return named and schema["type"] in ("string", ["string", "null"])


def kind_of(column: str) -> str:
    """What a column holds, in words: ``text``, ``a number from 0 to 1``."""
    if column in PATH_COLUMNS:
        return "a path below a folder"
    schema = replayed_schema()["properties"][column]
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"] if value is not None)
    kinds = schema.get("type", "object")
    kind = next(each for each in ([kinds] if isinstance(kinds, str) else kinds) if each != "null")
    named = {"integer": "a whole number", "number": "a number", "array": "a list", "string": "text"}
    bounds = [schema[bound] for bound in ("minimum", "maximum") if bound in schema]
    span = f" from {bounds[0]} to {bounds[1]}" if len(bounds) == 2 else ""
    return f"{named.get(kind, kind)}{span}"


@cache
def _validator(column: str) -> Draft202012Validator:
    schema = replayed_schema()
    return Draft202012Validator({**schema["properties"][column], "$defs": schema["$defs"]})
