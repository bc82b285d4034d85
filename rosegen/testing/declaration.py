"""What a source's class says of itself: names, options, columns, and the art that it brings."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from rosegen.data import item_schema
from rosegen.errors import RosegenError
from rosegen.licenses import license_problem
from rosegen.packs import Kind
from rosegen.release.row_schema import features, row_schema
from rosegen.release.rows import SOURCE_COLUMNS
from rosegen.sources.base import OwnArt, Source
from rosegen.sources.registry import kinds, source_class
from rosegen.testing.breach import Breach, BreachError, calling, shown
from rosegen.verify.fast_schema import compile_schema

_RULE = "declaration"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PRIMITIVE = re.compile(r"[A-Z][A-Z0-9_]*")
_FIXED = ("name", "prefix", "kind")  # a subset's own, whatever its source


def class_of(source: type[Source] | str, options: Mapping[str, Any]) -> type[Source]:
    """The class under test.

    Raises:
        BreachError: there is none, or the registry would give another for its kind.
    """
    if isinstance(source, str):
        try:
            return source_class(source, options)
        except RosegenError as error:
            raise _stop(str(error), "give check_source a kind of `rosegen sources list`") from None
    if not (isinstance(source, type) and issubclass(source, Source)):
        raise _stop(f"{shown(source)} is no source", "derive from rosegen.sources.base.Source")
    kind = getattr(source, "kind", None)
    if not isinstance(kind, str) or not _NAME.fullmatch(kind):
        raise _stop(f"kind is {shown(kind)}", "name it in small letters, such as my_shapes")
    standing = kinds().get(kind)
    if standing is not None and not issubclass(source, standing):
        other = f"{standing.__module__}.{standing.__qualname__}"
        raise _stop(f"kind {kind!r} is that of {other} already", "choose another name")
    with calling(_RULE, "variant", "return a class for every set of options"):
        chosen = source.variant(options)
    if chosen is not source and not issubclass(chosen, source):
        raise _stop(
            f"with these options its variant is {getattr(chosen, '__qualname__', chosen)}",
            "give check_source the options that lead to the class, or the class they lead to",
        )
    return chosen


def _stop(what: str, mend: str) -> BreachError:
    return BreachError(Breach(_RULE, what, mend))


def declaration_breaches(kind: type[Source], options: Mapping[str, Any]) -> Iterator[Breach]:
    """Everything that is wrong with a class before it is used."""
    for what, mend in (
        *_names(kind),
        *_variants(kind),
        *_place(kind),
        *_options(kind),
        *_columns(kind),
        *_settings(kind),
        *_art(kind, options),
    ):
        yield Breach(_RULE, what, mend)


Pairs = Iterator[tuple[str, str]]


def _names(kind: type[Source]) -> Pairs:
    lacking = sorted(kind.__abstractmethods__) if inspect.isabstract(kind) else []
    if lacking:
        yield f"{kind.__qualname__} does not define {', '.join(lacking)}", "define it"
    primitive = getattr(kind, "primitive_type", None)
    if not isinstance(primitive, str) or not _PRIMITIVE.fullmatch(primitive):
        yield f"primitive_type is {shown(primitive)}", "name it in capitals, such as MY_SHAPES"
    if not (kind.__doc__ or "").strip():
        yield "the class has no docstring", "say in one line what its pairs are: lists show that"
    packs: Any = kind.pack_kinds
    if not isinstance(packs, tuple) or any(name not in get_args(Kind) for name in packs):
        yield f"pack_kinds is {shown(packs)}", f"make it a tuple of {', '.join(get_args(Kind))}"


def _variants(kind: type[Source]) -> Pairs:
    with calling(_RULE, "variants", "return a tuple of every class that variant can give"):
        listed = kind in kind.variants()
    if not listed:
        yield f"variants does not list {kind.__qualname__}", "list every class variant can give"


def _place(kind: type[Source]) -> Pairs:
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    if found is not kind:
        yield (
            f"other processes cannot import {kind.__module__}.{kind.__qualname__}",
            "define it at the top of a module, under its own name",
        )


def _options(kind: type[Source]) -> Pairs:
    declared: Any = kind.options
    if not isinstance(declared, Mapping):
        yield f"options is {shown(declared)}", "make it a table of name to JSON Schema"
        return
    for name, schema in declared.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            yield f"an option is called {shown(name)}", "name it in small letters"
            continue
        wrong = _wrong_schema(schema)
        if wrong is not None:
            yield f"option {name!r} {wrong}", "mend its JSON Schema"
        elif not {"type", "enum", "const", "anyOf", "oneOf"} & set(schema):
            yield f"option {name!r} takes anything", "say its type, or its values as enum"
    files: Any = kind.option_files
    if not isinstance(files, tuple) or any(name not in declared for name in files):
        yield f"option_files is {shown(files)}", "make it a tuple of names of options"


def _wrong_schema(schema: Any) -> str | None:
    """Why something is no JSON Schema that can be written as JSON."""
    if not isinstance(schema, Mapping):
        return f"is {shown(schema)}, no JSON Schema"
    try:
        text = json.dumps(dict(schema), allow_nan=False)
        Draft202012Validator.check_schema(json.loads(text))
    except (TypeError, ValueError) as error:
        return f"cannot be written as JSON ({error})"
    except SchemaError as error:
        return f"is no JSON Schema ({' '.join(error.message.split())})"
    return None


def _columns(kind: type[Source]) -> Pairs:
    declared: Any = kind.columns
    if not isinstance(declared, Mapping):
        yield f"columns is {shown(declared)}", "make it a table of name to JSON Schema"
        return
    for name, column in declared.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            yield f"a column is called {shown(name)}", "name it in small letters"
        elif name in SOURCE_COLUMNS:
            yield (
                f"column {name!r} is there in every release already",
                "fill it in fields without declaring it, or rename yours",
            )
        elif name in item_schema()["properties"]:
            yield f"column {name!r} is one of rosegen's own", "rename it"
        else:
            for wrong, mend in _column(column):
                yield f"column {name!r} {wrong}", mend


def _column(column: Any) -> Pairs:
    wrong = _wrong_schema(column)
    if wrong is not None:
        yield wrong, "mend its JSON Schema"
        return
    said = column.get("description")
    if not isinstance(said, str) or not said.strip() or "\n" in said or "|" in said:
        yield "has no description of one line", "add one (without |): the dataset card shows it"
    wrong = _wrong_type(column)
    if wrong is not None:
        yield wrong, "a loader must know the one type of every value"
        return
    try:
        schema = row_schema({"column": column})
        compile_schema(schema)
        features(schema)
    except (ValueError, re.error) as error:
        yield f"cannot be checked ({error})", "leave that out: `rosegen verify` must understand it"


def _wrong_type(schema: Mapping[str, Any]) -> str | None:
    """Why a loader could not tell the type of a value; None when it can."""
    if "type" not in schema:
        return "has no type"
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    types = [name for name in named if name != "null"]
    if len(types) != 1:
        return f"has {len(types)} types besides null"
    listed = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    alien = [v for v in listed if not Draft202012Validator({"type": named}).is_valid(v)]
    if alien:
        return f"lists {shown(alien[0])}, which is not of type {types[0]}"
    if types[0] == "array":
        items = schema.get("items")
        return "has no items" if not isinstance(items, Mapping) else _wrong_type(items)
    if types[0] == "object":
        return _wrong_record(schema)
    return None


def _wrong_record(schema: Mapping[str, Any]) -> str | None:
    parts = schema.get("properties")
    if not parts:
        return "is an object without properties"
    if sorted(schema.get("required", ())) != sorted(parts):
        return "does not require every property"
    if schema.get("additionalProperties") is not False:
        return "allows additionalProperties"
    return next((wrong for wrong in map(_wrong_type, parts.values()) if wrong), None)


def _settings(kind: type[Source]) -> Pairs:
    """What their values are worth shows when a subset is made of them."""
    declared: Any = kind.settings
    if not isinstance(declared, Mapping):
        yield f"settings is {shown(declared)}", "make it a table of a subset's settings"
        return
    for name in _FIXED:
        if name in declared:
            yield f"settings say {name!r}", "leave it to the pipeline"
    try:
        json.dumps(dict(declared), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"settings cannot be written as JSON ({error})", "use tables, lists and plain values"


def _art(kind: type[Source], options: Mapping[str, Any]) -> Pairs:
    with calling(_RULE, "own_art", "return the OwnArt that comes with the source, or nothing"):
        brought = list(kind.own_art(options))
    for art in brought:
        if not isinstance(art, OwnArt):
            yield f"own_art gives {shown(art)}", "give rosegen.sources.base.OwnArt"
            continue
        for what, text in (("name", art.name), ("attribution", art.attribution)):
            if not isinstance(text, str) or not text.strip() or "\n" in text:
                yield f"own_art has the {what} {shown(text)}", "say it in one line"
        wrong = wrong_license(art.license)
        if wrong is not None:
            yield f"own_art {art.name!r} {wrong}", "say its licence, such as CC0-1.0 or MIT"
        if art.sha256 and not re.fullmatch(r"[0-9a-f]{64}", art.sha256):
            yield f"own_art {art.name!r} has the sha256 {shown(art.sha256)}", "leave it empty"


def wrong_license(expression: Any) -> str | None:
    """Why something is no SPDX expression; None when it is one."""
    if not isinstance(expression, str) or not expression.strip():
        return f"has the licence {shown(expression)}"
    problem = license_problem(expression)
    return None if problem is None else f"has a licence that cannot be read: {problem}"
