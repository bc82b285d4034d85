"""Random draws that any machine makes alike.

Every draw comes from SHA-256 over (seed, subset, scene number, stage), read in counter mode, so any
scene can be made alone, in any order, on any worker. Nothing here uses a generator whose stream a
library may change.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
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


class Permutation:
    """A drawn order of the numbers below ``size``, told one place at a time.

    It takes no memory and no time to set up, so that a scene's share of a quota can be told without
    dealing out all others. Made of a Feistel network whose round function is SHA-256; numbers it
    sends beyond ``size`` are sent on until they fall below it (J. Black, P. Rogaway, Ciphers with
    arbitrary finite domains, CT-RSA 2002: cycle walking).

    Args:
        size: at least 1.
        key: names the order, as for ``Draws``.
    """

    def __init__(self, size: int, *key: str | int) -> None:
        if size < 1:
            raise ValueError(f"cannot order {size} numbers")
        self._size = size
        # Halves of fewer bits than 3 would leave some orders of few numbers more frequent.
        self._half = max(3, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        named = hashlib.sha256("\x1f".join(str(part) for part in key).encode())
        self._rounds = [named.copy() for _ in range(_ROUNDS)]
        for number, digest in enumerate(self._rounds):
            digest.update(b"\x1fround" + bytes([number]))

    def __getitem__(self, place: int) -> int:
        """The number at a place, both from 0.

        Raises:
            IndexError: there is no such place.
        """
        if not 0 <= place < self._size:
            raise IndexError(place)
        while True:
            left, right = place >> self._half, place & self._mask
            for keyed in self._rounds:
                digest = keyed.copy()
                digest.update(right.to_bytes(8, "big"))
                word = int.from_bytes(digest.digest()[:8], "big")
                left, right = right, left ^ (word & self._mask)
            place = left << self._half | right
            if place < self._size:
                return place


_ROUNDS = 6


class Deal:
    """Values dealt out to ``sum(counts)`` places in a drawn order, each as often as its count says.

    Args:
        counts: value to how many places get it.
        key: names the order.
    """

    def __init__(self, counts: Mapping[str, int], *key: str | int) -> None:
        self._values = list(counts)
        self._ends = list(accumulate(counts.values()))
        self._order = Permutation(max(self._ends[-1], 1), *key)

    def __getitem__(self, place: int) -> str:
        """The value at a place, from 0."""
        return self._values[bisect_right(self._ends, self._order[place])]


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
