"""The compiled schemas must agree with a general validator, whatever they are given."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosegen.data import schemas_dir
from rosegen.verify.fast_schema import compile_schema
from tests.verify.release_maker import (
    OWN_COLUMNS,
    bridge_rows,
    default_specs,
    item_row,
    make_release,
)

jsonschema = pytest.importorskip("jsonschema")

NAMES = ("item", "manifest", "rejection", "export_summary")
SCHEMAS = {
    name: json.loads((schemas_dir() / f"{name}.schema.json").read_text(encoding="utf-8"))
    for name in NAMES
}
FAST = {name: compile_schema(schema) for name, schema in SCHEMAS.items()}
ORACLE = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-1, 3)
    | st.floats(allow_nan=False)
    | st.text(max_size=5).filter(lambda text: not text.endswith("\n"))
    | st.sampled_from(["dev", "T1_COUNT_GLOBAL", "CHIMG_000001", "R1,C1", "R0,C1", 1.0, 1.5, 0.0])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["r1", "r2", "c1", "c2", "x", "wanted"]), inner, max_size=4
        )
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    release = make_release(tmp_path_factory.mktemp("made") / "release")
    spec = default_specs()[0]
    rows = [item_row(spec, "T5_CLICK_COUNT_EXCLUSION", 5), *bridge_rows(spec)]
    return {
        "item": [bare(row) for row in rows],
        "manifest": release.manifest[:2],
        "rejection": release.rejections,
        "export_summary": [release.summary],
    }


def bare(row: dict[str, Any]) -> dict[str, Any]:
    """A row without columns of the release's own."""
    return {name: value for name, value in row.items() if name not in OWN_COLUMNS}


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every member of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, entry in inner:
        found.append((*here, key))
        if isinstance(entry, (dict, list)):
            found += places(entry, (*here, key))
    return found


@settings(max_examples=400, deadline=None)
@given(data=st.data(), name=st.sampled_from(NAMES))
def test_agrees_with_jsonschema_on_mutated_records(
    samples: dict[str, list[Any]], data: st.DataObject, name: str
) -> None:
    record = deepcopy(data.draw(st.sampled_from(samples[name])))
    for _ in range(data.draw(st.integers(0, 2))):
        *parents, last = data.draw(st.sampled_from(places(record)))
        inner = record
        for key in parents:
            inner = inner[key]
        change = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "replace":
            inner[last] = data.draw(values)
        elif change == "remove":
            del inner[last]
        elif isinstance(inner, dict):
            inner[data.draw(st.text(max_size=3))] = data.draw(values)
        else:
            inner.append(data.draw(values))
    assert (FAST[name](record) is None) == ORACLE[name].is_valid(record)


@settings(max_examples=200, deadline=None)
@given(value=values)
def test_agrees_with_jsonschema_on_any_value(value: Any) -> None:
    for name in NAMES:
        assert (FAST[name](value) is None) == ORACLE[name].is_valid(value)


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_sound_and_described(name: str) -> None:
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:rosegen:schema:{name}:1"

    def described(part: dict[str, Any]) -> None:
        for key, inner in part.get("properties", {}).items():
            assert inner.get("description"), key
            described(inner)
        if part.get("type") == "object":
            assert "additionalProperties" in part
        for key in ("additionalProperties", "items"):
            if isinstance(part.get(key), dict):
                described(part[key])
        for inner in part.get("$defs", {}).values():
            described(inner)

    described(schema)


def test_where_a_problem_is() -> None:
    row = bare(item_row(default_specs()[0], "T1_COUNT_GLOBAL", 1))
    row["region_params"]["exclude_params"]["r1"] = "x"
    where, problem = FAST["item"](row) or ("", "")
    assert where == ".region_params.exclude_params.r1"
    assert "'x' is not of type integer or null" in problem
    row = bare(item_row(default_specs()[0], "T1_COUNT_GLOBAL", 1))
    row["target_cells"][1][0] = 0
    assert (FAST["item"](row) or ("", ""))[0] == ".target_cells[1][0]"


def test_exact_integers() -> None:
    schema = {"type": "integer"}
    assert compile_schema(schema)(3.0) is None
    assert compile_schema(schema, exact_integers=True)(3.0) is not None
    assert compile_schema(schema, exact_integers=True)(3) is None
    assert compile_schema(schema)(True) is not None


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": []},
        {"$ref": "https://example.org/x.json"},
        {"$ref": "#/$defs/none"},
        {"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
        {"enum": [[1]]},
    ],
)
def test_what_is_not_supported_is_an_error(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="support"):
        compile_schema(schema)


def test_a_pattern_ends_where_the_text_ends() -> None:
    check = compile_schema({"pattern": "^a$"})
    assert check("a") is None
    assert check("a\n") is not None
    assert compile_schema({"pattern": r"^a\$"})("a$b") is None
    assert compile_schema({"pattern": r"^a\\$"})("a\\\n") is not None


def test_schemas_are_found_as_files() -> None:
    assert {path.name for path in Path(schemas_dir()).glob("*.json")} >= {
        f"{name}.schema.json" for name in NAMES
    }


def test_a_schema_without_conditions_allows_anything() -> None:
    assert compile_schema({"description": "Anything."})({"a": [None]}) is None
