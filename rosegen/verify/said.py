"""Who says what: what scenes say of one topic, kept so small that all scenes of a release fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rosegen.verify.scenes import SceneKey

Topic = tuple[str, ...]
BatchKey = tuple[str, int]
"""Prefix of the ids of some scenes, and which of its batches they are, from 0."""


@dataclass
class Said:
    """What scenes say of topics; a scene is one bit, among those of its batch."""

    size: int
    """Scenes of a batch."""
    topics: dict[Topic, dict[Any, dict[BatchKey, int]]] = field(default_factory=dict)

    def note(self, topic: Topic, value: Any, key: SceneKey) -> None:
        """Note what a scene says; values are told apart as dictionaries do."""
        prefix, number = key
        batch, place = divmod(number - 1, self.size)
        bits = self.topics.setdefault(topic, {}).setdefault(value, {})
        bits[prefix, batch] = bits.get((prefix, batch), 0) | 1 << place

    def add(self, other: Said) -> None:
        """Add what other scenes say."""
        for topic, values in other.topics.items():
            own = self.topics.setdefault(topic, {})
            for value, bits in values.items():
                known = own.setdefault(value, {})
                for batch, mask in bits.items():
                    known[batch] = known.get(batch, 0) | mask

    def about(self, kind: str) -> Iterator[tuple[Topic, dict[Any, int]]]:
        """The topics of a kind, each with its values and how many scenes say them."""
        for topic, values in self.topics.items():
            if topic[0] == kind:
                yield topic, {value: _count(bits) for value, bits in values.items()}

    def who(self, topic: Topic, value: Any) -> Iterator[SceneKey]:
        """The scenes that say something, in the order of their batches."""
        for (prefix, batch), mask in self.topics[topic][value].items():
            for place in range(self.size):
                if mask >> place & 1:
                    yield prefix, batch * self.size + place + 1


def _count(bits: dict[BatchKey, int]) -> int:
    return sum(mask.bit_count() for mask in bits.values())
