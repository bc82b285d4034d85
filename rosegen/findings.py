"""What the doctor found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``mend`` is what to do where it is not as it should be."""

    what: str
    ok: bool
    detail: str
    mend: str = ""
