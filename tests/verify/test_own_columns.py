"""Columns that only some sources know: declared once, and held to what was declared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosegen.verify.fast_schema import compile_schema
from rosegen.verify.row_shape import row_shape
from rosegen.verify.schema_form import schema_problem
from tests.verify.checking import check_only, verified
from tests.verify.release_maker import ITEM_SCHEMA, Release, make_release, row_schema

SUMMARY = "export_summary.json"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return make_release(tmp_path / "release")


@pytest.mark.parametrize(
    ("item", "column", "value", "detail"),
    [
        ("SQITEM_000002", "tone", "20", "tone: '20' is not of type integer or null"),
        ("SQITEM_000002", "tone", 20.0, "tone: 20.0 is not of type"),
        ("SQITEM_000002", "tone", -1, "tone: -1 is less than 0"),
        ("MKITEM_000002", "size", "huge", "size: 'huge' is not one of"),
        ("MKITEM_000002", "parts", [""], "parts[0]"),
        ("MKITEM_000001__GCLK", "parts", "square", "parts"),
    ],
)
def test_a_value_that_its_column_does_not_allow(
    release: Release, item: str, column: str, value: object, detail: str
) -> None:
    release.row(item)[column] = value
    release.write()
    # What cannot be read cannot be counted, so that a bridge row lacks in the counts, too.
    check_only(release, "schema", item, detail, most=2)


def test_a_column_says_the_same_in_every_row_of_a_scene(release: Release) -> None:
    for item, column, value, kind in (
        ("SQITEM_000003", "tone", 21, "scene"),
        ("SQITEM_000003", "tone", None, "scene"),
        ("MKITEM_000003", "parts", ["square", "mark"], "scene"),
        ("MKITEM_000001__GCLK", "size", "big", "bridge"),
        ("MLCNT_SQITEM_000003", "tone", 21, "bridge"),
    ):
        row = release.row(item)
        kept = row[column]
        row[column] = value
        release.write()
        check_only(release, kind, item, f"{column} is {value!r}")
        row[column] = kept


def test_own_columns_stand_last_and_in_order(release: Release) -> None:
    for row in release.metadata["dev"]:
        row["tone"] = row.pop("tone")
    release.write()
    check_only(release, "schema", "metadata_dev.jsonl:1", "not in the release's order")


def test_own_columns_must_be_there(release: Release) -> None:
    del release.row("SQITEM_000002")["tone"]
    release.write()
    check_only(release, "schema", "SQITEM_000002", "tone is missing")


@pytest.mark.parametrize(
    ("name", "column", "detail"),
    [
        ("cols", {"type": "integer"}, "columns.cols is the name of a column that every"),
        ("new", {"type": "string"}, "columns.new has no description"),
        ("new", {"type": "string", "description": " "}, "columns.new has no description"),
        ("new", {"description": "What."}, "columns.new has no type"),
        ("new", {"type": "text", "description": "What."}, "columns.new type cannot be 'text'"),
        ("new", {"type": [], "description": "What."}, "columns.new type cannot be []"),
        ("new", {"type": "string", "format": "date"}, "'format' is not a keyword"),
        ("new", {"$ref": "#/$defs/box"}, "'$ref' is not a keyword"),
        ("new", {"type": "string", "const": "a", "description": "What."}, "can have no const"),
        ("new", {"type": "string", "pattern": "("}, "pattern cannot be '('"),
        ("new", {"type": "integer", "minimum": "1"}, "minimum cannot be '1'"),
        ("new", {"type": "array", "items": [{}]}, "items cannot be [{}]"),
        ("new", {"type": "array", "items": {"oneOf": []}}, "'oneOf' is not a keyword"),
        ("new", {"type": "object", "properties": {"a": 1}}, "a schema must be an object"),
        ("new", {"type": "object", "properties": {"a": True}}, "a schema must be an object"),
        ("new", {"type": "object", "additionalProperties": {"not": {}}}, "'not' is not a keyword"),
        ("new", {"type": "object", "required": "a"}, "required cannot be 'a'"),
        ("new", {"type": "string", "enum": [["a"]]}, "enum cannot be [['a']]"),
        ("new", {"type": "string", "enum": []}, "enum cannot be []"),
    ],
)
def test_a_column_that_is_declared_wrongly(
    release: Release, name: str, column: dict[str, Any], detail: str
) -> None:
    release.summary["columns"] = {**release.summary["columns"], name: column}
    tables = [*release.metadata.values(), *release.bridges.values()]
    for row in (row for rows in tables for row in rows):
        row.setdefault(name, {"what": ["ever"]})
    release.write()
    check_only(release, "summary", SUMMARY, detail)


def test_schemas_within_schemas_have_an_end(release: Release) -> None:
    column: dict[str, Any] = {}
    for _ in range(300):
        column = {"items": column}
    release.summary["columns"]["tone"].update(column)
    release.write()
    check_only(release, "summary", SUMMARY, "columns.tone schemas are nested too deeply")


@pytest.mark.parametrize(
    ("steps", "value", "detail"),
    [
        (("properties", "tone", "minimum"), 1, "properties.tone is not that"),
        (("properties", "tone", "minimum"), False, "properties.tone is not that"),
        (("properties", "tone", "description"), "Red.", "properties.tone is not that"),
        (("properties", "tone", "type"), "integer", "properties.tone is not that"),
        (("properties", "rows", "maximum"), 999, "properties.rows is not that"),
        (("properties", "more"), {"type": "string"}, "properties.more is not that"),
        (("$defs", "box", "required"), [], "$defs is not that"),
        (("$id",), "urn:other", "$id is not that"),
        (("title",), None, "title is not that"),
        (("properties",), [], "properties are no object"),
        (("required",), ["item_id"], "required is not that"),
    ],
)
def test_the_schema_in_the_release_is_that_of_its_rows(
    release: Release, steps: tuple[str, ...], value: object, detail: str
) -> None:
    *parents, last = steps
    inner = release.schema
    for step in parents:
        inner = inner[step]
    inner[last] = value
    release.write()
    check_only(release, "schema", "item.schema.json", detail)


def test_the_schema_in_the_release_has_the_columns_in_order(release: Release) -> None:
    columns = release.schema["properties"]
    columns["rows"] = columns.pop("rows")
    release.write()
    check_only(release, "schema", "item.schema.json", "not in the order of columns")


@pytest.mark.parametrize(
    ("data", "kind", "detail"),
    [
        (b"{", "schema", "not JSON"),
        (b"[]", "schema", "is not a JSON Schema"),
        (b"null", "schema", "is not a JSON Schema"),
        (b'{"a": 1, "a": 1}', "schema", "stands twice"),
        (b"\xef\xbb\xbf{}", "layout", "byte order mark"),
    ],
)
def test_a_schema_file_that_is_none(release: Release, data: bytes, kind: str, detail: str) -> None:
    (release.root / "item.schema.json").write_bytes(data)
    check_only(release, kind, "item.schema.json", detail)


def test_without_a_summary_own_columns_may_be_what_they_are(release: Release) -> None:
    (release.root / SUMMARY).unlink()
    report = verified(release)
    assert [(each.kind, each.where) for each in report.faults] == [("layout", SUMMARY)]


def test_no_column_of_its_own_is_the_item_schema() -> None:
    assert row_schema({}, replayed=False) == ITEM_SCHEMA
    shape = row_shape({}, replayed=False)
    assert shape.columns == tuple(ITEM_SCHEMA["properties"])
    assert not shape.open


keywords = st.sampled_from(
    [
        "type", "enum", "const", "minimum", "maximum", "minLength", "pattern", "minItems",
        "maxItems", "items", "required", "properties", "additionalProperties", "description",
        "title", "$ref", "oneOf",
    ]
)  # fmt: skip
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["string", "integer", "null", "object", "^a$", "(", "[", "a{2,1}", ""]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keywords, inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=500, deadline=None)
@given(schema=values, value=values)
def test_what_is_called_sound_can_be_compiled_and_used(schema: Any, value: Any) -> None:
    if schema_problem(schema) is None:
        problem = compile_schema(schema)(value)
        assert problem is None or json.dumps(problem)
    else:
        assert isinstance(schema_problem(schema), str)


@settings(max_examples=300, deadline=None)
@given(
    column=st.dictionaries(keywords, values, max_size=4).map(
        lambda schema: {"description": "What.", "type": "string", **schema}
    )
)
def test_any_column_ends_in_a_shape(column: dict[str, Any]) -> None:
    shape = row_shape({"new": column}, replayed=False)
    assert shape.columns[-1] == "new"
