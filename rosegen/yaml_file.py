"""Read a YAML file that a JSON Schema describes; every complaint names file and line."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from rosegen.data import schemas_dir
from rosegen.errors import RosegenError


@dataclass(frozen=True)
class CheckedYaml:
    """A file's data, which its schema allows, and the lines it came from."""

    path: Path
    data: Any
    root: yaml.Node | None

    def line(self, *steps: str | int) -> int:
        """The line (from 1) of the value that ``steps`` lead to, or of the last that exists."""
        return _line(self.root, steps)

    def error(self, message: str, *steps: str | int) -> RosegenError:
        """An error at the line of the value that ``steps`` lead to."""
        where = ".".join(str(step) for step in steps) or "the file"
        return RosegenError(f"{self.path}:{self.line(*steps)}: {where}: {message}")


def read_checked(path: Path, schema: str) -> CheckedYaml:
    """Read a YAML file and check it against ``schemas/<schema>.schema.json``.

    Raises:
        RosegenError: the file cannot be read, is not YAML, repeats a key, or breaks the schema.
    """
    root, data = _read(path)
    if root is None:
        raise RosegenError(f"{path}:1: the file is empty")
    checked = CheckedYaml(path, data, root)
    checked = CheckedYaml(path, _plain(checked, data, ()), root)
    problem = problem_of(data, schema)
    if problem is not None:
        raise checked.error(problem.message, *problem.steps)
    return checked


_DEEPEST = 40  # tables within tables; no file of ours has more than eight


class _Loader(yaml.SafeLoader):
    """Keys are text as it stands in the file, as JSON would have it: ``1:`` is "1"."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        mapping = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key must be plain text", key.start_mark
                )
            mapping[key.value] = self.construct_object(value, deep=True)
        return mapping

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except ValueError as error:  # a date that never was, a number that is too long
            raise yaml.constructor.ConstructorError(
                None, None, str(error), node.start_mark
            ) from error


def _plain(checked: CheckedYaml, value: Any, steps: tuple[str | int, ...]) -> Any:
    """Data as JSON has it: whole numbers without a point, and no infinity."""
    if isinstance(value, dict | list) and len(steps) > _DEEPEST:
        raise checked.error("nested too deeply, or within itself", *steps[:1])
    if isinstance(value, dict):
        return {key: _plain(checked, item, (*steps, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(checked, item, (*steps, index)) for index, item in enumerate(value)]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise checked.error("must be a finite number", *steps)
        return int(value) if value.is_integer() else value
    return value


@dataclass(frozen=True)
class Problem:
    """What is wrong with a piece of data, and the steps that lead to it."""

    message: str
    steps: tuple[str | int, ...]


def problem_of(data: Any, schema: str) -> Problem | None:
    """The likeliest reason why data breaks ``schemas/<schema>.schema.json``; None when it fits."""
    problem = best_match(_validator(schema).iter_errors(data))
    if problem is None:
        return None
    return Problem(explain(problem), (*problem.absolute_path, *_unknown_keys(problem)[:1]))


def _read(path: Path) -> tuple[yaml.Node | None, Any]:
    """A YAML file as its node tree, which knows the lines, and as plain data."""
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        root = loader.get_single_node()
        _refuse_repeated_keys(path, root, set())
        return root, None if root is None else loader.construct_document(root)
    except FileNotFoundError:
        raise RosegenError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RosegenError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RosegenError(f"{path}:{line}: not valid YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise RosegenError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise RosegenError(f"{path}:1: nested too deeply") from error


@cache
def _validator(schema: str) -> Draft202012Validator:
    text = (schemas_dir() / f"{schema}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def explain(problem: ValidationError) -> str:
    """A schema's complaint in words that tell what to write, where its own words do not."""
    unknown = _unknown_keys(problem)
    choices: Any = problem.validator_value
    if unknown:
        known: Any = problem.schema
        return unknown_name(unknown[0], known["properties"])
    if problem.validator == "oneOf" and all("required" in choice for choice in choices):
        names = ", ".join(choice["required"][0] for choice in choices)
        return f"exactly one of {names} must be given"
    if problem.validator == "pattern":
        schema: Any = problem.schema
        if "examples" in schema:
            example = json.dumps(schema["examples"][0], ensure_ascii=False)
            return f"{problem.instance!r} is not written like {example}"
        if choices.startswith("^[^\\n]+$"):
            return f"{problem.instance!r} is not one line"
    return str(problem.message)


def unknown_name(name: str, known: Iterable[str]) -> str:
    """What to say of a setting that there is not: the nearest, or all that there are."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    advice = f"is {near[0]} meant?" if near else f"known are {', '.join(names) or 'none'}"
    return f"{name!r} is unknown here: {advice}"


def _unknown_keys(problem: ValidationError) -> list[str]:
    """The keys a mapping should not have, when that is the complaint: it stands at their line."""
    if problem.validator != "additionalProperties":
        return []
    mapping: Any = problem.instance
    schema: Any = problem.schema
    return [key for key in mapping if key not in schema["properties"]]


def _line(root: yaml.Node | None, steps: Iterable[Any]) -> int:
    if root is None:
        return 1
    node, line = root, root.start_mark.line
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if key.value == str(step)]
            if not found:
                break
            # What << merges in stands before a table's own keys, which win.
            line, node = found[-1][0].start_mark.line, found[-1][1]
        elif isinstance(node, yaml.SequenceNode):
            if int(step) >= len(node.value):
                break
            node = node.value[int(step)]
            line = node.start_mark.line
    return int(line) + 1


def _refuse_repeated_keys(path: Path, node: yaml.Node | None, met: set[int]) -> None:
    """YAML's reader keeps the last of two equal keys without a word; a file of ours must not."""
    if id(node) in met:  # an alias of what was looked at already, perhaps within itself
        return
    met.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated_keys(path, item, met)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise RosegenError(f"{path}:{line}: {key.value!r} is given twice")
                seen.add(key.value)
            _refuse_repeated_keys(path, value, met)
