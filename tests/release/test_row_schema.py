"""A release's row schema and the Hub's features are one thing said twice."""

from __future__ import annotations

from typing import Any

import jsonschema

from rosegen.data import item_schema
from rosegen.release.row_schema import features, row_schema

OWN = {
    "angle": {"description": "Degrees.", "type": "integer", "minimum": 0},
    "shape": {"description": "Which.", "enum": ["disc", "ring"], "type": "string"},
    "names": {
        "description": "All of them.",
        "type": "array",
        "items": {"description": "One.", "type": "string"},
    },
    "weight": {"description": "Maybe.", "type": ["number", "null"]},
}


def test_own_columns_stand_last_and_may_be_null() -> None:
    schema = row_schema(OWN)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(schema["properties"])[-4:] == list(OWN)
    assert schema["required"][-4:] == list(OWN)
    for name in OWN:
        column = {**schema["properties"][name], "$defs": schema["$defs"]}
        assert jsonschema.Draft202012Validator(column).is_valid(None)
    shape = jsonschema.Draft202012Validator(schema["properties"]["shape"])
    assert shape.is_valid("ring")
    assert not shape.is_valid("square")


def test_the_schema_of_every_release_is_left_as_it_is() -> None:
    before = list(item_schema()["properties"])
    row_schema(OWN)
    assert list(item_schema()["properties"]) == before
    assert row_schema({}) == item_schema()


def test_features_name_every_column_once_in_order() -> None:
    schema = row_schema(OWN)
    found = {each["name"]: each for each in features(schema)}
    assert list(found) == list(schema["properties"])
    wanted: dict[str, Any] = {
        "item_id": {"dtype": "string"},
        "item_seed": {"dtype": "int64"},
        "region_ratio": {"dtype": "float64"},
        "bridge_task": {"dtype": "bool"},
        "bridge_type": {"dtype": "string"},
        "ground_truth_clicks": {"list": "string"},
        "target_cells": {"list": {"list": "int64"}},
        "angle": {"dtype": "int64"},
        "shape": {"dtype": "string"},
        "names": {"list": "string"},
        "weight": {"dtype": "float64"},
    }
    assert {
        name: {k: v for k, v in found[name].items() if k != "name"} for name in wanted
    } == wanted
    params = {each["name"]: each for each in found["region_params"]["struct"]}
    assert params["r1"] == {"name": "r1", "dtype": "int64"}
    assert [each["name"] for each in params["exclude_params"]["struct"]] == ["r1", "r2", "c1", "c2"]
