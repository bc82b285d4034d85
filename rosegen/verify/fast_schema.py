"""JSON Schema (2020-12) compiled to closures, for the few keywords this project's schemas use.

A general validator takes several seconds over a release's rows; this takes a fraction of one. A
keyword that is not known here is an error when the schema is compiled, never a check left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Problem = tuple[str, str]
"""Where in the value (as ``.region_params.r1``) and what is wrong."""
Check = Callable[[Any], "Problem | None"]

_ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}


def compile_schema(schema: Mapping[str, Any], *, exact_integers: bool = False) -> Check:
    """A function that returns the first problem of a value, or None.

    Args:
        schema: a JSON Schema whose ``$ref`` point into its own ``$defs``.
        exact_integers: refuse ``3.0`` where an integer is wanted, which JSON Schema allows; a
            loader would take such a column for floats.

    Raises:
        ValueError: when the schema has a keyword, or a use of one, that is not known here.
    """
    return _Compiler(schema, exact_integers).compile(schema)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


def _is_exact_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
}


_SURE: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int,),
}


def _same(value: Any, wanted: Any) -> bool:
    """JSON equality of a value and a scalar: 1 equals 1.0, and neither equals true."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return bool(value == wanted)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Compiler:
    def __init__(self, root: Mapping[str, Any], exact_integers: bool) -> None:
        self._definitions = root.get("$defs", {})
        self._open: list[str] = []
        integer = _is_exact_integer if exact_integers else _is_integer
        self._types = {**_TYPES, "integer": integer}

    def compile(self, schema: Mapping[str, Any]) -> Check:
        makers: dict[str, Callable[[Mapping[str, Any]], Check]] = {
            "$ref": self._reference,
            "type": self._type,
            "enum": lambda part: self._enumeration(part["enum"]),
            "const": lambda part: self._enumeration([part["const"]]),
            "minimum": self._minimum,
            "maximum": self._maximum,
            "minLength": self._min_length,
            "pattern": self._pattern,
            "minItems": self._min_items,
            "maxItems": self._max_items,
            "items": self._items,
            "required": self._required,
            "properties": self._members,
        }
        known = _ANNOTATIONS | set(makers) | {"additionalProperties"}
        unknown = set(schema) - known
        if unknown:
            raise ValueError(f"schema keywords not supported: {', '.join(sorted(unknown))}")
        checks = [make(schema) for keyword, make in makers.items() if keyword in schema]
        if "additionalProperties" in schema and "properties" not in schema:
            checks.append(self._members(schema))
        if len(checks) == 1:
            return checks[0]
        if not checks:
            return lambda value: None
        first, rest = checks[0], checks[1:]
        # Of the keywords below, null is subject to these alone.
        to_null = not {"$ref", "enum", "const"}.isdisjoint(schema)

        def check(value: Any) -> Problem | None:
            problem = first(value)
            if problem is not None or (value is None and not to_null):
                return problem
            for each in rest:
                problem = each(value)
                if problem is not None:
                    return problem
            return None

        return check

    def _reference(self, schema: Mapping[str, Any]) -> Check:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name not in self._definitions or name in self._open:
            raise ValueError(f"schema reference not supported: {schema['$ref']}")
        self._open.append(name)
        compiled = self.compile(self._definitions[name])
        self._open.pop()
        return compiled

    def _type(self, schema: Mapping[str, Any]) -> Check:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        tests = [self._types[name] for name in names]
        wanted = " or ".join(names)
        # Most values are of just these types; others, such as 3.0 for an integer, are looked into.
        sure = frozenset(kind for name in names for kind in _SURE[name])

        def check(value: Any) -> Problem | None:
            if type(value) in sure:
                return None
            for test in tests:
                if test(value):
                    return None
            return "", f"{_shown(value)} is not of type {wanted}"

        return check

    def _enumeration(self, allowed: list[Any]) -> Check:
        if any(isinstance(each, (dict, list)) for each in allowed):
            raise ValueError("enum and const are supported for scalars only")
        texts = frozenset(each for each in allowed if isinstance(each, str))
        others = [each for each in allowed if not isinstance(each, str)]

        def check(value: Any) -> Problem | None:
            if isinstance(value, str):
                if value in texts:
                    return None
            elif any(_same(value, each) for each in others):
                return None
            return "", f"{_shown(value)} is not one of {', '.join(map(repr, allowed))}"

        return check

    def _minimum(self, schema: Mapping[str, Any]) -> Check:
        least = schema["minimum"]

        def check(value: Any) -> Problem | None:
            if _is_number(value) and value < least:
                return "", f"{_shown(value)} is less than {least}"
            return None

        return check

    def _maximum(self, schema: Mapping[str, Any]) -> Check:
        most = schema["maximum"]

        def check(value: Any) -> Problem | None:
            if _is_number(value) and value > most:
                return "", f"{_shown(value)} is more than {most}"
            return None

        return check

    def _min_length(self, schema: Mapping[str, Any]) -> Check:
        least = schema["minLength"]

        def check(value: Any) -> Problem | None:
            if isinstance(value, str) and len(value) < least:
                return "", f"{_shown(value)} is shorter than {least}"
            return None

        return check

    def _pattern(self, schema: Mapping[str, Any]) -> Check:
        # In a JSON Schema "$" is the end of the text; in Python a newline may still follow it.
        ended = re.sub(r"(?<!\\)((?:\\\\)*)\$$", r"\1\\Z", schema["pattern"])
        search = re.compile(ended).search

        def check(value: Any) -> Problem | None:
            if isinstance(value, str) and search(value) is None:
                return "", f"{_shown(value)} does not look like {schema['pattern']}"
            return None

        return check

    def _min_items(self, schema: Mapping[str, Any]) -> Check:
        least = schema["minItems"]

        def check(value: Any) -> Problem | None:
            if isinstance(value, list) and len(value) < least:
                return "", f"has {len(value)} entries, fewer than {least}"
            return None

        return check

    def _max_items(self, schema: Mapping[str, Any]) -> Check:
        most = schema["maxItems"]

        def check(value: Any) -> Problem | None:
            if isinstance(value, list) and len(value) > most:
                return "", f"has {len(value)} entries, more than {most}"
            return None

        return check

    def _items(self, schema: Mapping[str, Any]) -> Check:
        each = self.compile(schema["items"])

        def check(value: Any) -> Problem | None:
            if isinstance(value, list):
                for index, entry in enumerate(value):
                    problem = each(entry)
                    if problem is not None:
                        return f"[{index}]{problem[0]}", problem[1]
            return None

        return check

    def _required(self, schema: Mapping[str, Any]) -> Check:
        names = schema["required"]

        def check(value: Any) -> Problem | None:
            if isinstance(value, dict):
                for name in names:
                    if name not in value:
                        return "", f"{name} is missing"
            return None

        return check

    def _members(self, schema: Mapping[str, Any]) -> Check:
        members = {name: self.compile(part) for name, part in schema.get("properties", {}).items()}
        rest = schema.get("additionalProperties", True)
        others = self.compile(rest) if isinstance(rest, Mapping) else None

        def check(value: Any) -> Problem | None:
            if not isinstance(value, dict):
                return None
            for name, entry in value.items():
                member = members.get(name, others)
                if member is not None:
                    problem = member(entry)
                    if problem is not None:
                        return f".{name}{problem[0]}", problem[1]
                elif rest is False:
                    return "", f"{_shown(name)} is not a known name here"
            return None

        return check
