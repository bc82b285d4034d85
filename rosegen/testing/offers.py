"""What a source lists: candidates with sound keys, tiles that can be sent about, and refusals."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

from rosegen.data import item_schema
from rosegen.scene import Tile
from rosegen.sources.base import Refusal
from rosegen.testing.breach import Breach, calling, first_of, shown
from rosegen.testing.declaration import wrong_license
from rosegen.testing.subject import Subject
from rosegen.verify.fast_schema import compile_schema

_PATH = compile_schema(item_schema()["properties"]["background_path"])
_PLAIN = "put only texts, numbers, lists and tables with text keys into recipes"
_LONGEST_REASON = 60
_MOST_REASONS = 24


def offer_breaches(subject: Subject) -> Iterator[Breach]:
    """Every rule for candidates and their tiles that is broken."""
    for look in (_wrong_words, _wrong_tiles):
        by_mend: dict[str, list[Breach]] = {}
        for breach in look(subject):
            by_mend.setdefault(breach.mend, []).append(breach)
        for alike in by_mend.values():
            yield from first_of(alike)
        if by_mend:
            return
    yield from first_of(list(_repeats(subject)))


def _breach(what: str, mend: str) -> Breach:
    return Breach("candidates", what, mend)


def _wrong_words(subject: Subject) -> Iterator[Breach]:
    for pair in subject.candidates:
        kinds: Any = pair.kinds
        for name, text in (("key", pair.key), ("group", pair.group)):
            if not isinstance(text, str) or not text.strip() or not _is_utf8(text):
                yield _breach(f"a {name} is {shown(text)}", f"make every {name} a text")
        if (
            not isinstance(kinds, tuple)
            or not kinds
            or any(not isinstance(kind, str) or not kind for kind in kinds)
        ):
            yield _breach(
                f"the kinds of {pair.key!r} are {shown(kinds)}",
                "give a tuple of texts, at least one: pairs are spread over them",
            )


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _wrong_tiles(subject: Subject) -> Iterator[Breach]:
    met: dict[str, Tile] = {}
    for pair in subject.candidates:
        for tile in (pair.a, pair.b):
            if not isinstance(tile, Tile):
                what = f"{pair.key!r} has {shown(tile)} for a tile"
                yield _breach(what, "give rosegen.scene.Tile")
                return
            other = met.get(tile.name)
            if other is None:
                met[tile.name] = tile
                wrong = _wrong_tile(subject, tile)
                if wrong is not None:
                    yield _breach(f"tile {shown(tile.name)} {wrong[0]}", wrong[1])
            elif other != tile:
                yield _breach(
                    f"two tiles are called {tile.name!r}",
                    "put into the name what tells them apart: rows name tiles by it",
                )
        if pair.a == pair.b:
            yield _breach(f"{pair.key!r} is one tile twice", "pair tiles that differ")
    for tile in subject.tiles():
        with calling("candidates", f"sending tile {tile.name!r} to a worker", _PLAIN):
            pickle.loads(pickle.dumps(tile))


def _wrong_tile(subject: Subject, tile: Tile) -> tuple[str, str] | None:
    name: Any = tile.name
    if not isinstance(name, str) or not name or not _is_utf8(name) or _PATH(name) is not None:
        return "has no name that a row can hold", "name it like a path, such as my-shapes/star-7"
    if tile.pack not in subject.pack_names:
        known = ", ".join(subject.pack_names) or "none"
        return (
            f"is of pack {shown(tile.pack)}, but there are {known}",
            "name a pack of the subset, or the name of own_art",
        )
    wrong = wrong_license(tile.license)
    if wrong is not None:
        return wrong, "say its licence as SPDX does, such as CC0-1.0 or MIT"
    return _wrong_recipe(tile)


def _wrong_recipe(tile: Tile) -> tuple[str, str] | None:
    try:
        text = json.dumps(dict(tile.recipe), allow_nan=False)
    except (TypeError, ValueError) as error:
        return f"has a recipe that cannot be written ({error})", _PLAIN
    if json.loads(text) != tile.recipe:
        return f"has a recipe that JSON changes: {shown(dict(tile.recipe))}", _PLAIN
    return None


def _repeats(subject: Subject) -> Iterator[Breach]:
    """A key twice in a group, or one pair of tiles under two keys."""
    keys: set[tuple[str, str]] = set()
    pairs: dict[tuple[str, frozenset[str]], str] = {}
    for pair in subject.candidates:
        if (pair.group, pair.key) in keys:
            yield _breach(
                f"key {pair.key!r} comes twice in group {pair.group!r}",
                "give each pair a key of its own",
            )
            continue
        keys.add((pair.group, pair.key))
        other = pairs.setdefault((pair.group, frozenset((pair.a.name, pair.b.name))), pair.key)
        if other != pair.key:
            yield _breach(
                f"{other!r} and {pair.key!r} are the same two tiles",
                "list a pair once, whichever tile comes first: both directions are made of it",
            )


def refusal_breaches(subject: Subject) -> Iterator[Breach]:
    """What is wrong with what the source says it left out."""
    rule, mend = "refused", "give rosegen.sources.base.Refusal(tile, reason, detail)"
    with calling(rule, "refused", mend):
        refused: Any = list(subject.opening.refused())
    for each in refused:
        texts = (each.tile, each.reason, each.detail) if isinstance(each, Refusal) else (None,)
        if any(not isinstance(text, str) or not _is_utf8(text) for text in texts):
            yield Breach(rule, f"it lists {shown(each)}", mend)
            return
        if not each.tile or not each.reason:
            yield Breach(rule, f"{shown(each)} says not what, or not why", "say both")
            return
        if len(each.reason) > _LONGEST_REASON or "\n" in each.reason:
            yield Breach(
                rule,
                f"the reason {shown(each.reason)} is long",
                f"say it in {_LONGEST_REASON} characters, and the rest in detail",
            )
            return
    reasons = {each.reason for each in refused}
    if len(reasons) > _MOST_REASONS:
        yield Breach(
            rule,
            f"there are {len(reasons)} different reasons, such as {shown(min(reasons))}",
            "use few, for refusals are counted by them, and put particulars into detail",
        )
