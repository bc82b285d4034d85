"""Fixtures of curation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rosegen.sources.registry import lent
from tests.curation.maker import Run, Spots, runner


@pytest.fixture
def spots() -> Iterator[None]:
    """The source of spotted tiles can be named in a pipeline."""
    with lent(Spots):
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in this process."""
    return runner(capsys)
