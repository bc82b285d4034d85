"""Compare scenes with each other: what a subset, or the whole release, has in common.

What scenes say is noted batch by batch, and compared when all have said it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from rosegen.verify.english import RoseEnglish
from rosegen.verify.report import Fault, fault
from rosegen.verify.rules import Rules
from rosegen.verify.said import Said, Topic
from rosegen.verify.scenes import Scene, SceneKey
from rosegen.verify.sides import Stand
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T1, T4, T5, ids
from rosegen.verify.wording import Wording, unlike

WORDED_FREELY = (T4, T5)
"""Templates of whose ROSE English the dataset's description does not fix every word."""
_SET_IN_TYPE = "CHINESE_GLYPH"
"""What ROSE's rows call tiles that are set in type."""

_COLUMN, _INSTRUCTIONS, _WORDING, _EM = "column", "instructions", "wording", "em"

ByPrefix = Mapping[str, Rules]


def note_together(
    said: Said, scenes: Iterable[Scene], rules: ByPrefix, odd: Collection[str]
) -> None:
    """Note what must be alike in scenes that have been checked.

    Args:
        said: where it is noted.
        scenes: the scenes.
        rules: by prefix, those of each subset.
        odd: ids of the items whose instruction is known to be wrong.
    """
    for scene in scenes:
        own = rules.get(scene.key[0], Rules())
        subset = str(scene.shared["rose_subset"])
        if isinstance(own.words, Wording):
            said.note((_INSTRUCTIONS, subset), scene.shared["prompt_global"], scene.key)
        else:
            _note_column(said, "prompt_global", subset, scene)
        _note_column(said, "primitive_type", subset, scene)
        if not scene.partial:
            _note_column(said, "protocol_version", "", scene)
        if isinstance(own.words, RoseEnglish):
            _note_wording(said, subset, scene, odd)
        _note_em(said, subset, scene, own)


def _note_column(said: Said, column: str, subset: str, scene: Scene) -> None:
    if scene.shared[column] is not None:
        said.note((_COLUMN, column, subset), scene.shared[column], scene.key)


def _note_wording(said: Said, subset: str, scene: Scene, odd: Collection[str]) -> None:
    """Instructions of ROSE's own English are alike but for cue and region."""
    for template in WORDED_FREELY:
        row, area = scene.rows.get(template), scene.areas.get(template)
        if row is not None and area is not None and row["item_id"] not in odd:
            text = row["prompt_local"].replace(area.phrase, "...")
            said.note((_WORDING, subset, template, row["cue_type"]), text, scene.key)


def _note_em(said: Said, subset: str, scene: Scene, rules: Rules) -> None:
    """``font_size`` is the em that the source's options give, in whole pixels of the cell."""
    says = scene.shared["font_size"]
    if not rules.known or says is None:
        return
    # No options are told of a replayed one, so that only ROSE's own share of the cell is known.
    if rules.replayed and scene.shared["primitive_type"] != _SET_IN_TYPE:
        return
    wanted = int(scene.shared["cell_size"] * rules.em) if _is_share(rules.em) else None
    said.note((_EM, subset), None if says == wanted else (says, wanted), scene.key)


def _is_share(em: Any) -> bool:
    return not isinstance(em, bool) and isinstance(em, (int, float)) and 0 < em <= 1


def check_together(said: Said, rules: ByPrefix) -> list[Fault]:
    """What scenes do not have in common that must have it.

    Args:
        said: what all scenes say.
        rules: by prefix, those of each subset.
    """
    faults: list[Fault] = []
    for topic, _ in said.about(_INSTRUCTIONS):
        faults += _check_instructions(said, topic, rules)
    for topic, values in said.about(_COLUMN):
        faults += _check_column(said, topic, values)
    for topic, values in said.about(_EM):
        faults += _check_em(said, topic, values, rules)
    for topic, values in said.about(_WORDING):
        faults += _check_wording(said, topic, values)
    return faults


def _who(said: Said, topic: Topic, values: Iterable[Any]) -> list[tuple[SceneKey, Any]]:
    """The scenes that say one of some values, in their order, and what they say."""
    found = ((key, value) for value in values for key in said.who(topic, value))
    return sorted(found, key=lambda entry: entry[0])


def _scene_id(key: SceneKey) -> str:
    return ids(*key, T1)[1]


def _check_column(said: Said, topic: Topic, values: Mapping[Any, int]) -> Iterator[Fault]:
    agreed = max(values, key=lambda value: values[value])
    for key, value in _who(said, topic, [each for each in values if each != agreed]):
        detail = f"{topic[1]} is {value!r}, but {agreed!r} elsewhere"
        yield fault("scene", _scene_id(key), detail)


def _check_instructions(said: Said, topic: Topic, rules: ByPrefix) -> Iterator[Fault]:
    """``prompt_global`` is what the subset's wording says."""
    subset = topic[1]
    told = said.topics[topic]
    wanted = _wording_of(told, rules).instructions
    odd = [text for text in told if text != wanted]
    if odd and len(odd) == len(told):
        here, there = unlike(odd[0], wanted)
        detail = f"prompts.{subset}.global has {there!r} where prompt_global says {here!r}"
        yield fault("summary", SUMMARY, detail)
        return
    for key, text in _who(said, topic, odd):
        here, there = unlike(text, wanted)
        detail = f"prompt_global says {here!r} where the wording of {subset} has {there!r}"
        yield fault("scene", _scene_id(key), detail)


def _wording_of(told: Mapping[Any, Mapping[tuple[str, int], int]], rules: ByPrefix) -> Wording:
    """The wording of the first scene that says something of a topic."""
    prefix = min(batch for bits in told.values() for batch in bits)[0]
    words = rules[prefix].words
    if not isinstance(words, Wording):
        raise TypeError(f"{prefix} has no wording of its own")
    return words


def _check_wording(said: Said, topic: Topic, values: Mapping[str, int]) -> Iterator[Fault]:
    _, subset, template, _ = topic
    agreed = max(values, key=lambda text: values[text])
    for text in values:
        if text == agreed:
            continue
        here, there = unlike(text, agreed)
        detail = f"prompt_local says {here!r} where others of {subset} say {there!r}"
        strays = [ids(*key, template)[0] for key in said.who(topic, text)]
        if len(strays) == values[agreed]:  # either may be the one that strays
            other = ids(*next(said.who(topic, agreed)), template)[0]
            yield fault("prompt", f"{strays[0]} or {other}", detail)
        else:
            yield from (fault("prompt", item_id, detail) for item_id in strays)


def _check_em(
    said: Said, topic: Topic, values: Mapping[Any, int], rules: ByPrefix
) -> Iterator[Fault]:
    subset = topic[1]
    path = f"sources.{subset}.options.em"
    odd = _who(said, topic, [value for value in values if value is not None])
    if not odd:
        return
    em = rules[odd[0][0][0]].em
    if not _is_share(em):
        yield fault("summary", SUMMARY, f"{path} is {em!r}, which is no share of the cell")
        return
    if len(odd) == sum(values.values()) > 1:
        key, (says, wanted) = odd[0]
        detail = f"{path} gives {_scene_id(key)}, the first of {len(odd)}, a font_size of"
        told = f"{detail} {wanted}, but all have others, it {says}"
        yield fault("summary", SUMMARY, told)
        return
    for key, (says, wanted) in odd:
        detail = f"font_size is {says!r}, but must be {wanted!r}"
        yield fault("field", _scene_id(key), detail)


def pairs_of(scenes: Iterable[Scene]) -> list[Stand]:
    """The pair of each scene that tells it: the same in both directions, of one subset."""
    found = []
    for scene in scenes:
        pair = scene.pair
        if pair is not None:
            shown = scene.shared["pair_key"] or " and ".join(pair[1:])
            found.append(Stand("\0".join(pair), f"pair {shown!r} is", scene.key, scene.split))
    return found
