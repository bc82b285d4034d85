"""What replay finds in ROSE's public records: scenes, faults, and what is lost. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from rosegen.geometry import Cell
from rosegen.scene import BRIDGE_TEMPLATES, ORIGINS, TEMPLATES, Context, Grid
from rosegen.wording import ENGLISH, Wording

if TYPE_CHECKING:
    from rosegen.pipeline import Difficulty

ROW_TEMPLATES = (*TEMPLATES, *BRIDGE_TEMPLATES)
PATH_COLUMNS = frozenset({"background_path", "target_path", "image"})


@dataclass(frozen=True)
class Published:
    """What only the record of one template says of its scene; None where it says nothing.

    ``prompt`` is kept where nothing else tells the wording, ``note`` for T4 alone.
    """

    dataset_version: str | None = None
    protocol_version: str | None = None
    difficulty: str | None = None
    prompt: str | None = None  # prompt_local
    note: str | None = None  # image_note


@dataclass(frozen=True)
class Customs:
    """What the records of one prefix have in common, and ROSE's have not: it is as published.

    Attributes:
        by_rosegen: whether rosegen made them, so that no habit of ROSE's is theirs.
        primitive_type: what most of them say their tiles are.
        instructions: their ``prompt_global``, where it is not what was thought.
        worded: templates whose ``prompt_local`` is as published.
        loose: columns that differ from row to row of a scene, so that they are none of the scene.
    """

    by_rosegen: bool = False
    primitive_type: str | None = None
    instructions: str | None = None
    worded: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()

    @property
    def has_own_words(self) -> bool:
        """Whether their prompts are worded in a way that nothing but they tell."""
        return self.instructions is not None or bool(self.worded)


@dataclass(frozen=True)
class RecoveredScene:
    """A scene as its records tell it.

    ``contexts`` has T1 always, T3 from its own row or from T2B's, and any other template whose
    row was there. A case is as published, ``fallback_<got>_wanted_<wanted>`` included.
    ``columns`` holds everything that follows from nothing else, as it was written.
    """

    subset: str
    prefix: str
    number: int  # from 1
    seed: int | None  # the subset's
    split: str | None
    grid: Grid  # profile "" where no row names it
    exceptions: tuple[Cell, ...]  # in draw order
    primitive_type: str | None
    image_split: str | None
    columns: Mapping[str, Any]
    contexts: Mapping[str, Context]  # template, T1 to T5, to context
    cue: str | None  # OUTLINE_BOX or MASK, as T4's row says
    published: Mapping[str, Published] = field(default_factory=dict)  # by template of the row
    wording: Wording = ENGLISH
    all_words: bool = False  # whether the wording is that of T4 and T5, too
    rule: Difficulty | None = None  # that the release itself tells
    customs: Customs = Customs()

    @property
    def scene_id(self) -> str:
        """``CHSCENE_000002``."""
        return scene_id(self.prefix, self.number)

    def context(self, template: str) -> Context | None:
        """The context of any of the seven templates, None when no record gives it."""
        return self.contexts.get(ORIGINS.get(template, template))

    def path(self, column: str) -> PurePosixPath | None:
        """An asset column such as ``background_path`` as a path, whichever slash it has.

        None when the scene has no such column, or no text in it.
        """
        value = self.columns.get(column)
        return PurePosixPath(posix(value)) if isinstance(value, str) else None


@dataclass(frozen=True)
class Fault:
    """A field of a record that contradicts its record or its scene. ``str`` gives one line."""

    where: str  # file:line, or file: row n
    item_id: str
    field: str
    says: str
    should: str

    def __str__(self) -> str:
        return (
            f"{self.where}: {self.item_id}: {self.field} says {self.says}, should be {self.should}"
        )


@dataclass(frozen=True)
class Lost:
    """A scene that its records do not give. ``str`` gives one line."""

    scene_id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.scene_id}: lost: {self.reason}"


@dataclass(frozen=True)
class Recovered:
    """All that was found: scenes by subset and number, faults in the order of the records."""

    scenes: tuple[RecoveredScene, ...]
    faults: tuple[Fault, ...]
    lost: tuple[Lost, ...]


def scene_id(prefix: str, number: int) -> str:
    """``CHSCENE_000002``."""
    return f"{prefix}SCENE_{number:06d}"


def posix(path: str) -> str:
    """A path with forward slashes; ROSE's asset paths have backslashes."""
    return path.replace("\\", "/")
