"""Whether a JSON Schema that somebody else wrote is one that ``fast_schema`` can compile."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_DEEPEST = 8
_KINDS = frozenset({"object", "array", "string", "boolean", "null", "number", "integer"})


def schema_problem(schema: object, depth: int = 0) -> str | None:
    """What is wrong with a schema, if anything.

    Args:
        schema: any JSON value.
        depth: how many schemas it lies in.
    """
    if not isinstance(schema, Mapping):
        return "a schema must be an object"
    if depth > _DEEPEST:
        return "schemas are nested too deeply"
    for keyword, value in schema.items():
        form = _FORMS.get(keyword)
        if form is None:
            return f"{keyword!r} is not a keyword that is supported"
        if not form(value):
            return f"{keyword} cannot be {value!r}"
    for part in _parts(schema):
        problem = schema_problem(part, depth + 1)
        if problem is not None:
            return problem
    return None


def _parts(schema: Mapping[str, Any]) -> list[object]:
    parts = [*schema.get("properties", {}).values()]
    parts += [schema["items"]] if "items" in schema else []
    rest = schema.get("additionalProperties", True)
    return parts if isinstance(rest, bool) else [*parts, rest]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _is_pattern(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _is_type(value: object) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in _KINDS for name in names)


def _are_scalars(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_scalar, value))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


_FORMS: Mapping[str, Callable[[object], bool]] = {
    "title": _is_text,
    "description": _is_text,
    "type": _is_type,
    "enum": _are_scalars,
    "const": _is_scalar,
    "minimum": _is_number,
    "maximum": _is_number,
    "minLength": _is_count,
    "pattern": _is_pattern,
    "minItems": _is_count,
    "maxItems": _is_count,
    "items": _is_object,
    "required": _are_texts,
    "properties": _is_object,
    "additionalProperties": lambda value: isinstance(value, bool) or _is_object(value),
}
"""Keyword to what its value must be. References are none of them: a column stands for itself."""
