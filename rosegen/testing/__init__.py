"""Does a source keep the contract of ``rosegen.sources.base.Source``? One test for anyone's own.

from rosegen.testing import check_source

def test_my_source_keeps_the_contract() -> None:
    check_source(MySource)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rosegen.sources.base import Source
from rosegen.testing.breach import Breach, BreachError
from rosegen.testing.columns import column_breaches
from rosegen.testing.declaration import class_of, declaration_breaches
from rosegen.testing.determinism import determinism_breaches
from rosegen.testing.elsewhere import refuse_to_start_again
from rosegen.testing.offers import offer_breaches, refusal_breaches
from rosegen.testing.release import admission_breaches, release_breaches
from rosegen.testing.subject import Subject, prepared
from rosegen.testing.tiles import tile_breaches

__all__ = ["SourceProblem", "check_source", "problems_of_source"]


class SourceProblem(AssertionError):
    """A source that breaks the contract; the message names every rule and how to mend it."""


# Each stage takes for granted what those before it have found in order.
_STAGES: Sequence[Sequence[Callable[[Subject], Iterable[Breach]]]] = (
    (offer_breaches, refusal_breaches),
    (tile_breaches, column_breaches),
    (determinism_breaches,),
    (admission_breaches,),
    (release_breaches,),
)


def check_source(
    source: type[Source] | str,
    *,
    options: Mapping[str, Any] | None = None,
    packs: Sequence[str | Mapping[str, Any]] = (),
    background: str | None = None,
    scenes: int = 6,
) -> None:
    """Raise unless a source keeps the contract. It takes seconds and leaves nothing behind.

    Another process imports the source's module meanwhile: a script calls this below
    ``if __name__ == "__main__":``.

    Args:
        source: the class, or the kind of one that is installed.
        options: as a pipeline gives them.
        packs: as a pipeline names them; relative paths start at the current folder.
        background: ``#rrggbb``; None for the source's own setting.
        scenes: how many the release that is built has.

    Raises:
        SourceProblem: it breaks a rule.
        RosegenError: a pack cannot be had.
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
    problems = problems_of_source(
        source, options=options, packs=packs, background=background, scenes=scenes
    )
    if problems:
        name = source if isinstance(source, str) else getattr(source, "__qualname__", source)
        raise SourceProblem("\n- ".join([f"{name} is no sound source:", *problems]))


def problems_of_source(
    source: type[Source] | str,
    *,
    options: Mapping[str, Any] | None = None,
    packs: Sequence[str | Mapping[str, Any]] = (),
    background: str | None = None,
    scenes: int = 6,
) -> list[str]:
    """Every rule that a source breaks, each as ``rule: what is wrong: how to mend it``.

    What can only be told of a source that keeps some other rule is not looked at while it does not.
    Arguments and errors are those of ``check_source``.
    """
    refuse_to_start_again()
    options = options or {}
    found: list[Breach] = []
    try:
        kind = class_of(source, options)
        found += declaration_breaches(kind, options)
        if not found:
            with prepared(kind, options, packs, background, scenes) as subject:
                for stage in _STAGES:
                    for look in stage:
                        found += look(subject)
                    if found:
                        break
    except BreachError as error:
        found.append(error.breach)
    return [str(breach) for breach in found]
