"""The schemas: sound, complete in themselves, and a description for every property."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rosegen.data import schemas_dir

SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(schemas_dir().glob("*.schema.json"))
}


def parts(schema: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Every subschema with the path to it."""
    if isinstance(schema, dict):
        yield where, schema
        for key, value in schema.items():
            yield from parts(value, f"{where}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from parts(value, f"{where}/{index}")


def resolved(schema: Any, part: dict[str, Any]) -> dict[str, Any]:
    """A subschema with what its reference says."""
    if "$ref" not in part:
        return part
    target = schema
    for step in part["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    return {**target, **part}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_and_stands_alone(name: str) -> None:
    schema = SCHEMAS[name]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    assert schema["title"]
    assert schema["description"]
    for where, part in parts(schema):
        if isinstance(part.get("$ref"), str):
            assert part["$ref"].startswith("#/"), where
            assert resolved(schema, part), where


def test_ids_are_unique() -> None:
    ids = [schema["$id"] for schema in SCHEMAS.values()]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_property_is_described(name: str) -> None:
    schema = SCHEMAS[name]
    bare = [
        f"{where}/properties/{key}"
        for where, part in parts(schema)
        # A condition, and what holds under it, speak of properties described elsewhere.
        if not {"if", "allOf"} & set(where.split("/")) and isinstance(part.get("properties"), dict)
        for key, value in part["properties"].items()
        if isinstance(value, dict)  # ``true`` is no description of its own either
        and not resolved(schema, value).get("description")
    ]
    assert not bare


@pytest.mark.parametrize("name", ["item", "manifest", "export_summary"])
def test_records_of_a_release_always_have_all_their_keys(name: str) -> None:
    """So that a loader never has to guess."""
    for where, part in parts(SCHEMAS[name]):
        if isinstance(part.get("properties"), dict) and part.get("type") == "object":
            assert sorted(part["required"]) == sorted(part["properties"]), where
            assert part["additionalProperties"] is False, where
