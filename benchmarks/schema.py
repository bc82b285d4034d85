"""The verifier's compiled schema, against the jsonschema package, on a release's rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from benchmarks.material import rows
from benchmarks.measure import Table, Way, compare
from rosegen.data import schemas_dir
from rosegen.errors import RosegenError
from rosegen.verify.fast_schema import compile_schema

ROUNDS = 5


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """One table."""
    document = json.loads((schemas_dir() / "item.schema.json").read_text(encoding="utf-8"))
    good = rows(1 if tiny else 5)
    general, fast = Draft202012Validator(document), compile_schema(document)

    def valid_by_jsonschema(each: Sequence[Any]) -> list[bool]:
        return [general.is_valid(row) for row in each]

    def valid_by_ours(each: Sequence[Any]) -> list[bool]:
        return [fast(row) is None for row in each]

    def check(results: Sequence[list[bool]]) -> list[str]:
        if not all(all(result) for result in results):
            raise RosegenError("schema: a row of the demo is not valid")
        bad = list(_damaged(good[0]))
        refused = [each(bad).count(False) for each in (valid_by_jsonschema, valid_by_ours)]
        if valid_by_jsonschema(bad) != valid_by_ours(bad):
            raise RosegenError(f"schema: of {len(bad)} damaged rows they refuse {refused}")
        return [f"both refuse the same {refused[0]} of {len(bad)} damaged rows"]

    ways: list[tuple[str, Callable[[Sequence[Any]], list[bool]]]] = [
        ("jsonschema", valid_by_jsonschema),
        ("compiled", valid_by_ours),
    ]
    yield compare(
        f"schema of {len(good)} rows",
        [Way(name, lambda v=validate: v(good)) for name, validate in ways],
        rounds,
        check,
    )


def _damaged(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The row without each of its columns, and with something else in each."""
    for name in row:
        yield {key: value for key, value in row.items() if key != name}
        for other in (None, -1, 0.5, "no such value", [1], {"other": True}):
            yield {**row, name: other}
    yield {**row, "a column that is not known": 1}
