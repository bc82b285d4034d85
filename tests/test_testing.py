"""The contract test: sound sources pass it, and every rule that is broken is named."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw

from rosegen.scene import Tile
from rosegen.sources.base import Candidate, OwnArt, Pool, Refusal, Source, Unavailable
from rosegen.sources.pixel import PixelContent
from rosegen.sources.registry import kinds
from rosegen.testing import SourceProblem, check_source, problems_of_source
from tests.core_maker import ROOT, cached_pack

Pixels = npt.NDArray[np.uint8]

NOTCHES, SHADES = 8, 4


class Notched(Source):
    """A square, and the same square with a piece cut out of its rim."""

    kind = "notched"
    primitive_type = "NOTCHED"
    options: Mapping[str, Any] = {"shades": {"type": "integer", "minimum": 1, "maximum": SHADES}}
    columns: Mapping[str, Any] = {
        "notched_shade": {"type": "integer", "minimum": 0, "description": "Grey of the square."},
        "notched_square": {"enum": ["majority", "exception"], "type": "string", "description": "x"},
    }
    settings: Mapping[str, Any] = {"ink": 0.8, "grid": {"cell_size": [40, 60]}}

    @classmethod
    def own_art(cls, options: Mapping[str, Any]) -> Sequence[OwnArt]:
        return [OwnArt("notched", "CC0-1.0", "the tests")]

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        return [
            Candidate(f"{shade}-{notch}", "notched", *pair, (f"shade {shade}", f"notch {notch}"))
            for shade in range(self.config.options.get("shades", SHADES))
            for notch in range(NOTCHES)
            for pair in [(self.tile(shade, -1), self.tile(shade, notch))]
        ]

    def tile(self, shade: int, notch: int) -> Tile:
        recipe = {"shade": shade, "notch": notch}
        return Tile(f"notched/{shade}/{notch}", "notched", "CC0-1.0", recipe)

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        cell = np.empty((cell_size, cell_size, 3), np.uint8)
        cell[:] = self.config.background
        side = int(cell_size * self.config.ink)
        top = (cell_size - side) // 2
        cell[top : top + side, top : top + side] = 20 * tile.recipe["shade"]
        notch, step = tile.recipe["notch"], side // NOTCHES
        if notch >= 0:
            left = top + notch * step
            cell[top : top + side // 6, left : left + max(2, step)] = self.config.background
        return cell

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        side = "majority" if flipped else "exception"
        return {"notched_shade": pair.a.recipe["shade"], "notched_square": side}


def test_a_sound_source_passes() -> None:
    assert problems_of_source(Notched) == []


def test_it_passes_with_options_and_on_another_background() -> None:
    assert problems_of_source(Notched, options={"shades": 2}, background="#f0e0ff") == []


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary, cache = tmp_path / "temporary", tmp_path / "cache"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("ROSEGEN_CACHE", str(cache))
    environment, known = dict(os.environ), kinds()
    check_source(Notched)
    problems_of_source(AllAlike)
    assert list(temporary.iterdir()) == []
    assert not cache.exists()
    assert dict(os.environ) == environment
    assert kinds() == known


def test_the_error_is_an_assertion_that_lists_the_problems() -> None:
    with pytest.raises(SourceProblem) as caught:
        check_source(TwoColumnFaults)
    assert isinstance(caught.value, AssertionError)
    head, *problems = str(caught.value).splitlines()
    assert head == "TwoColumnFaults is no sound source:"
    assert [problem[:13] for problem in problems] == ["- declaration"] * 2
    assert problems == [f"- {problem}" for problem in problems_of_source(TwoColumnFaults)]


SCRIPT = """
from tests.test_testing import Notched
from rosegen.testing import problems_of_source

class Mine(Notched):
    '''Squares of one's own.'''
    kind = "mine"
    columns = {}

    def fields(self, pair, flipped, cell_size):
        return {}

"""


def ran(script: Path) -> str:
    """What a script prints."""
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stderr == ""
    return done.stdout


def test_a_source_in_a_script_is_checked_when_the_script_runs(tmp_path: Path) -> None:
    script = tmp_path / "my_script.py"
    call = 'if __name__ == "__main__":\n    print(problems_of_source(Mine))\n'
    script.write_text(SCRIPT + call, encoding="utf-8")
    assert ran(script) == "[]\n"


def test_a_script_that_other_processes_would_run_again_is_told(tmp_path: Path) -> None:
    script = tmp_path / "my_script.py"
    script.write_text(SCRIPT + "print(problems_of_source(Mine))\n", encoding="utf-8")
    said = ran(script)
    assert said.count("\n") == 1
    assert "another process that imports" in said
    assert "my_script.py would call check_source again" in said
    assert 'below `if __name__ == "__main__":`' in said


# Sources that break one rule each. --------------------------------------------------------------


class SpacedKind(Notched):
    """Its kind is no name."""

    kind = "notched squares"


class SmallPrimitive(Notched):
    """Its primitive type is in small letters."""

    primitive_type = "notched"


class Undocumented(Notched):
    __doc__ = None


class StrangePacks(Notched):
    """There is no such kind of pack."""

    pack_kinds: Any = ("paintings",)


class MisspelledType(Notched):
    """An option of a type that there is not."""

    options: Mapping[str, Any] = {"size": {"type": "integr"}}


class AnyOption(Notched):
    """An option that takes anything."""

    options: Mapping[str, Any] = {"size": {"description": "How large."}}


class Unlisted(Notched):
    """It is none of the classes it says its options can mean."""

    @classmethod
    def variants(cls) -> tuple[type[Source], ...]:
        return (Notched,)


class NoSuchFile(Notched):
    """An option that names a file, and is no option."""

    option_files = ("list",)


def with_column(name: str, **schema: Any) -> Mapping[str, Any]:
    return {**Notched.columns, name: schema}


class UndescribedColumn(Notched):
    """A column without a description."""

    columns: Mapping[str, Any] = with_column("size", type="integer")


class MeasureColumn(Notched):
    """A column that every row has."""

    columns: Mapping[str, Any] = with_column("ssim", type="number", description="Likeness.")


class StandardColumn(Notched):
    """A column that sources need not declare."""

    columns: Mapping[str, Any] = with_column("font_name", type="string", description="The font.")


class TwoTypes(Notched):
    """A column of numbers or texts."""

    columns: Mapping[str, Any] = with_column(
        "size", type=["integer", "string", "null"], description="Size."
    )


class UnknownKeyword(Notched):
    """A column with a rule that verify does not know."""

    columns: Mapping[str, Any] = with_column(
        "size", type="integer", multipleOf=2, description="Size."
    )


class Untyped(Notched):
    """A column that lists values and not their type."""

    columns: Mapping[str, Any] = with_column("size", enum=["s", "l"], description="Size.")


class ListOfAnything(Notched):
    """A column of lists of who knows what."""

    columns: Mapping[str, Any] = with_column("sizes", type="array", description="Sizes.")


class LooseRecord(Notched):
    """A column of records that may lack a key."""

    columns: Mapping[str, Any] = with_column(
        "size", type="object", properties={"w": {"type": "integer"}}, description="Size."
    )


class AlienValue(Notched):
    """A column that lists a value of another type."""

    columns: Mapping[str, Any] = with_column(
        "size", type="integer", enum=[1, "2"], description="Size."
    )


class BrokenPattern(Notched):
    """A column whose pattern is none."""

    columns: Mapping[str, Any] = with_column(
        "size", type="string", pattern="[a-", description="Size."
    )


class TwoColumnFaults(Notched):
    """Two columns are wrong."""

    columns: Mapping[str, Any] = {"a": {"type": "integer"}, "b": {"type": "string"}}


class MisspelledSetting(Notched):
    """A setting that subsets do not have."""

    settings: Mapping[str, Any] = {"ink_share": 0.5}


class BackwardsSetting(Notched):
    """Its cells are smallest at the largest."""

    settings: Mapping[str, Any] = {"grid": {"cell_size": [60, 40]}}


class NamedSubset(Notched):
    """It names the subset."""

    settings: Mapping[str, Any] = {**Notched.settings, "name": "mine"}


class UnreadableArt(Notched):
    """Art under a licence that is no expression."""

    @classmethod
    def own_art(cls, options: Mapping[str, Any]) -> Sequence[OwnArt]:
        return [OwnArt("notched", "free for all (", "the tests")]


class UnknownLicense(Notched):
    """Art under a licence that reads well and is none."""

    @classmethod
    def own_art(cls, options: Mapping[str, Any]) -> Sequence[OwnArt]:
        return [OwnArt("notched", "WhateverLicense", "the tests")]


class UncreditedArt(Notched):
    """Art that nobody made."""

    @classmethod
    def own_art(cls, options: Mapping[str, Any]) -> Sequence[OwnArt]:
        return [OwnArt("notched", "CC0-1.0", "")]


class Unfinished(Source):
    """Nothing is drawn."""

    kind = "unfinished"
    primitive_type = "UNFINISHED"

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        return []


class Namesake(Notched):
    """It would be called as one of rosegen's own."""

    kind = "sprite"


def local_class() -> type[Source]:
    class Local(Notched):
        """No other process can import it."""

    return Local


class Changed(Notched):
    """Notched, but for what is listed."""

    def change(self, pairs: list[Candidate]) -> Any:
        return pairs

    def candidates(self, pool: Pool) -> Any:
        return self.change(list(super().candidates(pool)))


def remade(pair: Candidate, **changed: Any) -> Candidate:
    return Candidate(**{**vars(pair), **changed})


def retiled(pair: Candidate, **changed: Any) -> Candidate:
    return remade(pair, b=Tile(**{**vars(pair.b), **changed}))


class Generates(Changed):
    """It gives its candidates one by one."""

    def change(self, pairs: list[Candidate]) -> Any:
        return iter(pairs)


class ListsKeys(Changed):
    """It lists keys."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [pair.key for pair in pairs]


class HasNone(Changed):
    """It finds no pair."""

    def change(self, pairs: list[Candidate]) -> Any:
        return []


class Fails(Changed):
    """It fails while listing."""

    def change(self, pairs: list[Candidate]) -> Any:
        raise KeyError("no pack")


class KeyTwice(Changed):
    """Two pairs of one key."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [*pairs, remade(pairs[0], b=pairs[1].b)]


class BothWays(Changed):
    """A pair once in each direction."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [*pairs, remade(pairs[0], key="back", a=pairs[0].b, b=pairs[0].a)]


class OneTile(Changed):
    """A tile paired with itself."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [*pairs, remade(pairs[0], key="self", b=pairs[0].a)]


class NoKinds(Changed):
    """Pairs that are of no kind."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [remade(pair, kinds=()) for pair in pairs]


class OneKind(Changed):
    """Kinds that are a text, not texts."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [remade(pair, kinds="notched") for pair in pairs]


class NoGroup(Changed):
    """Pairs without a group."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [remade(pair, group="") for pair in pairs]


class UnlicensedTile(Changed):
    """A tile under a licence that is no expression."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [*pairs[1:], retiled(pairs[0], license="CC0-1.0 AND")]


class PackOfNobody(Changed):
    """Tiles of a pack that nobody named."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [retiled(pair, pack="squares") for pair in pairs]


class TupleRecipe(Changed):
    """A recipe with a tuple, which JSON makes a list."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [retiled(pair, recipe={**pair.b.recipe, "at": (1, 2)}) for pair in pairs]


class SetRecipe(Changed):
    """A recipe that JSON cannot write."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [retiled(pair, recipe={**pair.b.recipe, "at": {1, 2}}) for pair in pairs]


class BackslashName(Changed):
    """A tile named as a path of Windows."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [retiled(pair, name=pair.b.name.replace("/", "\\")) for pair in pairs]


class OneName(Changed):
    """Tiles that differ, and are called the same."""

    def change(self, pairs: list[Candidate]) -> Any:
        return [retiled(pair, name="notched") for pair in pairs]


class Drawn(Notched):
    """Notched, but for the pixels."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return pixels

    def draw(self, tile: Tile, cell_size: int) -> Any:
        return self.change(super().draw(tile, cell_size), tile)

    def art(self, tile: Tile) -> bytes:
        return Notched.draw(self, tile, 64).tobytes()


class Floats(Drawn):
    """Pixels from 0 to 1."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return pixels / 255


class Translucent(Drawn):
    """Pixels with an alpha channel."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return np.dstack([pixels, pixels[..., :1]])


class Pictures(Drawn):
    """Pictures of Pillow."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return Image.fromarray(pixels)


class EvenOnly(Drawn):
    """Tiles a pixel short where the cell's side is odd."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return pixels[: len(pixels) // 2 * 2]


class Blank(Drawn):
    """Nothing to see."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return np.full_like(pixels, self.config.background)


class ToTheEdge(Drawn):
    """Squares that fill the cell."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        pixels[:, -1] = 0
        return pixels


class AlwaysWhite(Drawn):
    """White behind every tile."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        pixels[(pixels == self.config.background).all(axis=-1)] = 255
        return pixels


class OneBuffer(Drawn):
    """Every tile is drawn into the same array."""

    buffers: ClassVar[dict[int, Pixels]] = {}

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        buffer = self.buffers.setdefault(len(pixels), pixels)
        buffer[:] = pixels
        return buffer


class GivesItsOwn(Drawn):
    """Tiles are kept, and what is kept is given away."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.kept: dict[tuple[str, int], Pixels] = {}

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return self.kept.setdefault((tile.name, len(pixels)), pixels)


class DrawsNone(Drawn):
    """No tile can be drawn."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        raise Unavailable("no_square")


class LongExcuse(Drawn):
    """A tile that is unavailable, at length."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        raise Unavailable("the square could not be drawn today")


class FailsToDraw(Drawn):
    """Tiles fail."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        raise ZeroDivisionError("no ink")


class SameArt(Notched):
    """Art is told by the shade alone."""

    def art(self, tile: Tile) -> bytes:
        return bytes([tile.recipe["shade"]])


class ByHash(Changed):
    """The order of a set."""

    def change(self, pairs: list[Candidate]) -> Any:
        named = {pair.key: pair for pair in pairs}
        return [named[key] for key in {*named}]


_made = count()


class EachTimeFewer(Changed):
    """Every instance lists fewer."""

    def change(self, pairs: list[Candidate]) -> Any:
        return pairs[next(_made) :]


class NeedsCandidates(Notched):
    """Drawing needs what listing found out."""

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        self.listed = True
        return super().candidates(pool)

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        pixels = super().draw(tile, cell_size)
        pixels[cell_size // 2, cell_size // 2] = 99 if hasattr(self, "listed") else 98
        return pixels


class DrawnByHash(Drawn):
    """A dot whose grey is the hash of the tile's name."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        pixels[len(pixels) // 2, len(pixels) // 2] = hash(tile.name) % 256
        return pixels


def process_of(task: int) -> int:
    return os.getpid()


class ByWorkers(Notched):
    """It lists as many as there are processes."""

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        own = {*pool.map(process_of, range(8))} == {os.getpid()}
        return [*super().candidates(pool)][0 if own else 1 :]


class LocalTask(Notched):
    """It gives workers what cannot be sent."""

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        numbers = list(pool.map(lambda number: number, range(4)))
        return [*super().candidates(pool)][numbers[0] :]


class AllAlike(Drawn):
    """Squares without a notch to be seen."""

    def change(self, pixels: Pixels, tile: Tile) -> Any:
        return Notched.draw(self, self.tile(tile.recipe["shade"], -1), len(pixels))


class Filled(Notched):
    """Notched, but for what rows say."""

    more: Mapping[str, Any] = {}

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Any:
        return {**super().fields(pair, flipped, cell_size), **self.more}


class UndeclaredField(Filled):
    """It fills a column that it has not declared."""

    more: Mapping[str, Any] = {"notched_size": 3}


class WrongField(Filled):
    """It fills a column with what its schema refuses."""

    more: Mapping[str, Any] = {"notched_shade": -1}


class NumpyField(Filled):
    """It fills a column with a number of NumPy's."""

    more: Mapping[str, Any] = {"notched_shade": np.int64(3)}


class OneWayField(Filled):
    """It cannot be flipped."""

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Any:
        return {"notched_shade": [pair.a.recipe["shade"]][int(flipped)]}


class VaryingField(Filled):
    """Its rows vary."""

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Any:
        return {"notched_shade": next(_made)}


class LongReason(Notched):
    """It refuses at length."""

    def refused(self) -> Sequence[Refusal]:
        return [
            Refusal("a", "the square was refused because it is not a square but a circle, alas")
        ]


class ManyReasons(Notched):
    """It refuses each for a reason of its own."""

    def refused(self) -> Sequence[Refusal]:
        return [Refusal(f"tile {n}", f"like tile {n + 1}") for n in range(40)]


class RefusesTexts(Notched):
    """It refuses in texts."""

    def refused(self) -> Any:
        return ["tile 3"]


class Few(Changed):
    """Four pairs only."""

    def change(self, pairs: list[Candidate]) -> Any:
        return pairs[:4]


BROKEN: Iterable[tuple[Any, str, str]] = (
    ("no_such_kind", "declaration", "unknown kind 'no_such_kind'"),
    (Image.Image, "declaration", "is no source"),
    (SpacedKind, "declaration", "kind is 'notched squares'"),
    (SmallPrimitive, "declaration", "primitive_type is 'notched'"),
    (Undocumented, "declaration", "no docstring"),
    (StrangePacks, "declaration", "pack_kinds is ('paintings',)"),
    (MisspelledType, "declaration", "option 'size' is no JSON Schema"),
    (AnyOption, "declaration", "option 'size' takes anything"),
    (Unlisted, "declaration", "variants does not list Unlisted"),
    (NoSuchFile, "declaration", "option_files is ('list',)"),
    (UndescribedColumn, "declaration", "column 'size' has no description"),
    (MeasureColumn, "declaration", "column 'ssim' is one of rosegen's own"),
    (StandardColumn, "declaration", "column 'font_name' is there in every release already"),
    (TwoTypes, "declaration", "column 'size' has 2 types"),
    (UnknownKeyword, "declaration", "column 'size' cannot be checked"),
    (Untyped, "declaration", "column 'size' has no type"),
    (ListOfAnything, "declaration", "column 'sizes' has no items"),
    (LooseRecord, "declaration", "column 'size' does not require every property"),
    (AlienValue, "declaration", "column 'size' lists '2'"),
    (BrokenPattern, "declaration", "column 'size' is no JSON Schema"),
    (MisspelledSetting, "declaration", "'ink_share'"),
    (BackwardsSetting, "declaration", "the lowest 60 is above the highest 40"),
    (NamedSubset, "declaration", "settings say 'name'"),
    (UnreadableArt, "declaration", "licence that cannot be read"),
    (UnknownLicense, "declaration", "'WhateverLicense' is no SPDX licence id"),
    (UncreditedArt, "declaration", "own_art has the attribution ''"),
    (Unfinished, "declaration", "Unfinished does not define draw"),
    (Namesake, "declaration", "kind 'sprite' is that of rosegen.sources.pixel"),
    (local_class(), "declaration", "other processes cannot import"),
    (Generates, "candidates", "gives a list_iterator"),
    (ListsKeys, "candidates", "lists a str"),
    (HasNone, "candidates", "there are none"),
    (Fails, "candidates", "candidates raises KeyError: 'no pack' (test_testing.py:"),
    (KeyTwice, "candidates", "key '0-0' comes twice"),
    (BothWays, "candidates", "'0-0' and 'back' are the same two tiles"),
    (OneTile, "candidates", "'self' is one tile twice"),
    (NoKinds, "candidates", "the kinds of '0-0' are () (and 31 more such)"),
    (OneKind, "candidates", "the kinds of '0-0' are 'notched'"),
    (NoGroup, "candidates", "a group is ''"),
    (UnlicensedTile, "candidates", "tile 'notched/0/0' has a licence that cannot be read"),
    (PackOfNobody, "candidates", "is of pack 'squares', but there are notched"),
    (TupleRecipe, "candidates", "has a recipe that JSON changes"),
    (SetRecipe, "candidates", "has a recipe that cannot be written"),
    (BackslashName, "candidates", "has no name that a row can hold"),
    (OneName, "candidates", "two tiles are called 'notched'"),
    (LongReason, "refused", "is long"),
    (ManyReasons, "refused", "40 different reasons"),
    (RefusesTexts, "refused", "it lists 'tile 3'"),
    (Floats, "tile", "gives float64 (40, 40, 3)"),
    (Translucent, "tile", "gives uint8 (40, 40, 4)"),
    (Pictures, "tile", "gives Image"),
    (EvenOnly, "tile", "at 51 px gives uint8 (50, 51, 3)"),
    (Blank, "tile", "is all background"),
    (ToTheEdge, "tile", "touches the edge of its cell"),
    (AlwaysWhite, "tile", "has another background than the subset's"),
    (OneBuffer, "tile", "changes when another tile is drawn"),
    (GivesItsOwn, "tile", "is drawn from the array that was given away"),
    (DrawsNone, "tile", "none of the"),
    (LongExcuse, "tile", "is Unavailable for"),
    (FailsToDraw, "tile", "raises ZeroDivisionError: no ink (test_testing.py:"),
    (SameArt, "art", "the tiles of '0-0' have the same art"),
    (UndeclaredField, "fields", "fills a column 'notched_size' that nobody declared"),
    (WrongField, "fields", "-1 is less than 0"),
    (NumpyField, "fields", "is not of type integer"),
    (OneWayField, "fields", "flipped, raises IndexError"),
    (VaryingField, "fields", "differ from call to call"),
    (EachTimeFewer, "determinism", "a second instance lists"),
    (NeedsCandidates, "determinism", "a second instance draws other pixels"),
    (ByWorkers, "determinism", "two workers lists 31 candidates, not 32"),
    (LocalTask, "determinism", "with 2 workers, raises"),
    (ByHash, "determinism", "another process lists candidates in another order"),
    (DrawnByHash, "determinism", "another process draws other pixels"),
    (AllAlike, "admission", "none of 32 pairs tried (of 32) is admitted; refused most for ssim_"),
    (Few, "release", "the pool has pairs for 4 of 6 scenes"),
)


@pytest.mark.parametrize(
    ("source", "rule", "what"),
    BROKEN,
    ids=[getattr(source, "__name__", str(source)) for source, _, _ in BROKEN],
)
def test_a_broken_rule_is_named_and_how_to_mend_it(source: Any, rule: str, what: str) -> None:
    problems = problems_of_source(source)
    assert [problem.partition(": ")[0] for problem in problems] == [rule], problems
    assert what in problems[0]
    mend = problems[0].rpartition(": ")[2]
    assert len(mend.split()) >= 2
    assert "\n" not in problems[0]


def test_fewer_scenes_can_be_asked_for_where_there_are_few_pairs() -> None:
    assert problems_of_source(Few, scenes=4) == []


def test_the_options_must_lead_to_the_class_that_is_given() -> None:
    (problem,) = problems_of_source(PixelContent, options={"compare": "edits"})
    assert "its variant is PixelEdit" in problem


def test_options_that_the_source_does_not_have_are_told() -> None:
    (problem,) = problems_of_source(Notched, options={"shadows": 2})
    assert "options.shadows: Check: kind notched has no such option: 'shadows' is" in problem
    assert "is shades meant?" in problem


# rosegen's own. -----------------------------------------------------------------------------------


def drawings(folder: Path) -> list[Mapping[str, Any]]:
    """A folder of rings with a gap, and of the same with another gap."""
    folder.mkdir()
    for number in range(8):
        for suffix, gap in (("", 0), (".edit", 40)):
            image = Image.new("RGB", (96, 96), "white")
            start = 45 * number + gap
            ImageDraw.Draw(image).arc((8, 8, 88, 88), start, start + 300, fill="black", width=14)
            image.save(folder / f"ring-{number}{suffix}.png")
    return [{"folder": str(folder), "license": "CC0-1.0", "attribution": "the tests"}]


OWN: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "sprite": [
        {"options": {"compare": "edits", "takes": 1, "operations": ["recolour"]}},
        {"options": {"compare": "relatives"}, "background": "#203020"},
    ],
    "emoji": [
        {
            "options": {"compare": "emoji", "groups": ["Flags"]},
            "packs": ["twemoji", "emoji-data", "emoji-names-zh"],
        },
        {
            "options": {"compare": "providers", "groups": ["Objects"]},
            "packs": ["twemoji", "openmoji", "emoji-data", "emoji-names-zh"],
        },
    ],
    "glyph": [
        {"options": {"characters": ["абвгдежзийклмнопрстуфхцчшщъыьэюя"]}, "packs": ["noto-sans"]}
    ],
    "image_pairs": [{"packs": "drawings"}],
    "image_pool": [{"packs": "drawings"}],
}


@pytest.mark.parametrize(
    ("kind", "given"), [(kind, given) for kind, several in OWN.items() for given in several]
)
def test_rosegens_own_sources_keep_the_contract(
    kind: str, given: Mapping[str, Any], tmp_path: Path
) -> None:
    if kind not in kinds():
        pytest.skip(f"there is no kind {kind} yet")
    given = dict(given)
    if given.get("packs") == "drawings":
        given["packs"] = drawings(tmp_path / "drawings")
    for pack in given.get("packs", ()):
        if isinstance(pack, str):
            cached_pack(pack)
    assert problems_of_source(kind, **given) == []


def test_every_source_of_rosegens_own_is_checked_here() -> None:
    own = {kind for kind, source in kinds().items() if source.__module__.startswith("rosegen.")}
    assert own <= set(OWN)
