"""Random draws that any machine makes alike.

Every draw comes from SHA-256 over (seed, subset, scene number, stage), read in counter mode, so any
scene can be made alone, in any order, on any worker. Nothing here uses a generator whose stream a
library may change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws named by its key, e.g. ``Draws(2026, "ROSE-ChineseGlyph", 7, "cells")``."""

    def __init__(self, *key: str | int) -> None:
        # JSON-like quoting is not needed: the separator cannot occur in a subset's name or a stage.
        self._key = "\x1f".join(str(part) for part in key).encode()
        self._block = 0
        self._buffer = b""

    def _word(self) -> int:
        """The next 64 bits."""
        if not self._buffer:
            counter = self._block.to_bytes(8, "big")
            self._buffer = hashlib.sha256(self._key + b"\x1f" + counter).digest()
            self._block += 1
        word, self._buffer = self._buffer[:8], self._buffer[8:]
        return int.from_bytes(word, "big")

    def below(self, n: int) -> int:
        """A uniform integer in [0, n), by rejection, so that no value is favoured.

        Raises:
            ValueError: when ``n`` is not in [1, 2**64].
        """
        if not 1 <= n <= 1 << 64:
            raise ValueError(f"cannot draw below {n}")
        limit = (1 << 64) - (1 << 64) % n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def between(self, low: int, high: int) -> int:
        """A uniform integer in [low, high]."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of ``items`` in a drawn order (Fisher-Yates)."""
        drawn = list(items)
        for i in range(len(drawn) - 1, 0, -1):
            j = self.below(i + 1)
            drawn[i], drawn[j] = drawn[j], drawn[i]
        return drawn

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """``k`` different ones of ``items``, in draw order.

        Raises:
            ValueError: when there are fewer than ``k``.
        """
        if k > len(items):
            raise ValueError(f"cannot draw {k} of {len(items)}")
        pool = list(items)
        for i in range(k):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]


def apportion(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """Whole numbers that add up to ``total`` in proportion to ``shares`` (largest remainders).

    Ties go to the earlier key. Shares are taken as exact decimals, so the result is the same
    everywhere.

    Raises:
        ValueError: when no share is positive or one is negative.
    """
    exact = {key: Fraction(str(share)) for key, share in shares.items()}
    weight = sum(exact.values())
    if weight <= 0 or any(share < 0 for share in exact.values()):
        raise ValueError("shares must not be negative and must not all be zero")
    ideal = {key: share * total / weight for key, share in exact.items()}
    counts = {key: int(value) for key, value in ideal.items()}
    order = sorted(counts, key=lambda key: counts[key] - ideal[key])
    for key in order[: total - sum(counts.values())]:
        counts[key] += 1
    return counts
