"""Say in one line why a picture is not taken, and what to do."""

from __future__ import annotations

from pathlib import Path


class Refusal(Exception):
    """Why a picture is not taken, and what to do; the file is named by who catches it."""


def shown(path: Path | str) -> str:
    """A path in one line that every terminal and file can hold."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(path))


def one_line(text: str) -> str:
    """The start of a library's message."""
    words = " ".join(text.split())
    return shown(words if len(words) <= 120 else words[:117] + "...")
