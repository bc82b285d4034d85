"""What the Hub reads of a dataset card."""

from __future__ import annotations

import pytest

from rosegen.release.card import _size_category


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (7_560, "1K<n<10K"),
        (99_999, "10K<n<100K"),
        (500_000, "100K<n<1M"),
        (50_000_000, "10M<n<100M"),
        (10**9, "1B<n<10B"),
        (10**12 - 1, "100B<n<1T"),
        (10**12, "n>1T"),
    ],
)
def test_the_size_category_is_one_of_the_hubs(rows: int, name: str) -> None:
    assert _size_category(rows) == name
