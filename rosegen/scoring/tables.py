"""Tables as files: CSV as ROSE's evaluator writes it."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """UTF-8 with BOM and CRLF, for spreadsheets; a column for each key, in the order they come."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
