"""The sprite files: YAML text to checked, frozen records.

The format is described for authors in ``assets/sprites/README.md``. Everything that can be wrong
with a file without drawing it is found here, and named by file, kind and part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from rosegen.errors import RosegenError

PALETTE_FILE = "palette.yaml"
LONGEST_SIDE = 48
SHADES = ("none", "ball", "rim", "drop", "under")
TONES = 4  # outline, shadow, mid, light

_NAME = re.compile(r"[a-z0-9]+")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")

Colour = tuple[int, int, int]
Tone = tuple[Colour, Colour, Colour, Colour]


@dataclass(frozen=True)
class Part:
    """One grid at its place, with the settings that apply to it.

    ``mirror`` is None (drawn as it stands) or the role swaps of the reflected half. ``clip`` is
    None, "all", or the roles the part may be drawn onto.
    """

    rows: tuple[str, ...]
    at: tuple[int, int]
    mirror: Mapping[str, str] | None
    shade: str
    clip: str | None
    edge: bool
    moves: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Layer:
    """The parts of one depth; ``slot`` is None when the single part (named "") is always drawn."""

    slot: str | None
    variants: Mapping[str, Part]


@dataclass(frozen=True)
class Ramp:
    """A colour slot: groups of role characters, and for each variant the tone of every group."""

    groups: tuple[str, ...]
    variants: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Kind:
    """Everything needed to draw the sprites of one kind.

    ``choices`` lists the sprites: for each, a mapping from every slot to its variant.
    ``outline`` is "auto", "none" or a role.
    """

    where: str
    category: str
    name: str
    size: tuple[int, int]
    outline: str
    colours: Mapping[str, Colour]
    tones: Mapping[str, Tone]
    ramps: Mapping[str, Ramp]
    layers: tuple[Layer, ...]
    choices: tuple[Mapping[str, str], ...] = field(repr=False)


def read_kinds(root: Path) -> tuple[Kind, ...]:
    """All kinds of the sprite files directly under ``root``, by file name, then as written.

    Raises:
        RosegenError: no sprite file there, or a malformed one; names file, kind and part.
    """
    paths = sorted(path for path in root.glob("*.yaml") if path.name != PALETTE_FILE)
    if not paths:
        raise RosegenError(f"{root}: no sprite files (*.yaml); name the folder that holds them")
    colours: dict[str, Colour] = {}
    tones: dict[str, Tone] = {}
    palette = root / PALETTE_FILE
    if palette.is_file():
        data = _mapping(_load(palette), PALETTE_FILE, allowed=("colors", "tones"))
        colours = _colours(data, PALETTE_FILE)
        tones = _tones(data, PALETTE_FILE, known={})
    kinds: dict[tuple[str, str], Kind] = {}
    for path in paths:
        for kind in _read_file(path, colours, tones):
            if (kind.category, kind.name) in kinds:
                raise RosegenError(
                    f"{kind.where}: category {kind.category} already has this kind; rename it"
                )
            kinds[kind.category, kind.name] = kind
    return tuple(kinds.values())


def _read_file(
    path: Path, colours: Mapping[str, Colour], tones: Mapping[str, Tone]
) -> Iterable[Kind]:
    where = path.name
    data = _mapping(
        _load(path),
        where,
        allowed=("category", "colors", "tones", "kinds"),
        needed=("category", "kinds"),
    )
    category = _name(data["category"], f"{where}: category")
    colours = {**colours, **_colours(data, where)}
    tones = {**tones, **_tones(data, where, known=tones)}
    for name, raw in _mapping(data["kinds"], f"{where}: kinds").items():
        yield _kind(category, _name(name, f"{where}: kinds"), raw, where, colours, tones)


def _kind(
    category: str,
    name: str,
    raw: Any,
    file: str,
    colours: Mapping[str, Colour],
    tones: Mapping[str, Tone],
) -> Kind:
    where = f"{file}: {name}"
    data = _mapping(
        raw,
        where,
        allowed=("size", "mirror", "shade", "outline", "colors", "ramps", "layers", "sprites"),
        needed=("size", "ramps", "layers"),
    )
    size = _pair(data["size"], f"{where}: size")
    if not all(1 <= side <= LONGEST_SIDE for side in size):
        raise RosegenError(f"{where}: size {size} is not within 1 to {LONGEST_SIDE}; change it")
    colours = {**colours, **_colours(data, where)}
    ramps = {
        _name(slot, f"{where}: ramps"): _ramp(ramp, f"{where}: ramps: {slot}", tones)
        for slot, ramp in _mapping(data["ramps"], f"{where}: ramps").items()
    }
    bound = "".join(role for ramp in ramps.values() for role in "".join(ramp.groups) if role != "-")
    if not bound:
        raise RosegenError(f"{where}: ramps: no role bound; give at least one ramp")
    twice = sorted({role for role in bound if bound.count(role) > 1})
    if twice:
        raise RosegenError(f"{where}: ramps: roles {twice} bound twice; use other characters")
    roles = frozenset(bound) | frozenset(colours)
    outline = data.get("outline", "auto")
    if outline not in ("auto", "none") and outline not in roles:
        raise RosegenError(f"{where}: outline {outline!r} is not auto, none or a role; change it")
    defaults: dict[str, Any] = {key: data[key] for key in ("mirror", "shade") if key in data}
    layers = _layers(data["layers"], where, defaults, roles)
    slots = _slots(layers, ramps, where)
    return Kind(
        where=where,
        category=category,
        name=name,
        size=size,
        outline=outline,
        colours=colours,
        tones=tones,
        ramps=ramps,
        layers=layers,
        choices=_choices(data.get("sprites"), slots, f"{where}: sprites"),
    )


def _ramp(raw: Any, where: str, tones: Mapping[str, Tone]) -> Ramp:
    data = _mapping(raw, where, allowed=("roles", "tones"), needed=("roles", "tones"))
    groups = tuple(_text(data["roles"], where).split())
    if not groups or any(len(group) > TONES for group in groups):
        raise RosegenError(f"{where}: roles are groups of 1 to {TONES} characters; mend them")
    named = data["tones"]
    if isinstance(named, list):
        named = {_text(tone, where): tone for tone in named}
    variants: dict[str, tuple[str, ...]] = {}
    for variant, tone_names in _mapping(named, f"{where}: tones").items():
        chosen = tuple(_text(tone_names, where).split())
        unknown = [tone for tone in chosen if tone not in tones]
        if unknown:
            raise RosegenError(f"{where}: unknown tone {unknown[0]!r}; add it under tones")
        if len(chosen) != len(groups):
            raise RosegenError(
                f"{where}: {variant} has {len(chosen)} tones for {len(groups)} groups of roles;"
                " give one each"
            )
        variants[_name(variant, where)] = chosen
    if not variants:
        raise RosegenError(f"{where}: no tones; name at least one")
    return Ramp(groups, variants)


_PART_KEYS = ("at", "mirror", "shade", "clip", "edge", "moves")


def _layers(
    raw: Any, where: str, defaults: Mapping[str, Any], roles: frozenset[str]
) -> tuple[Layer, ...]:
    if not isinstance(raw, list) or not raw:
        raise RosegenError(f"{where}: layers is not a list of layers; give at least one")
    layers = []
    for number, entry in enumerate(raw, start=1):
        here = f"{where}: layer {number}"
        data = _mapping(entry, here, allowed=("slot", "variants", "grid", *_PART_KEYS[:-1]))
        if ("slot" in data) != ("variants" in data) or ("slot" in data) == ("grid" in data):
            raise RosegenError(f"{here}: give either slot and variants, or a grid alone")
        settings = {**defaults, **{key: data[key] for key in _PART_KEYS if key in data}}
        if "grid" in data:
            part = _part({**settings, "grid": data["grid"]}, here, roles)
            layers.append(Layer(None, {"": part}))
            continue
        slot = _name(data["slot"], here)
        variants: dict[str, Part] = {}
        for variant, body in _mapping(data["variants"], f"{where}: {slot}").items():
            part_where = f"{where}: {slot}: {variant}"
            own = (
                {"grid": body}
                if isinstance(body, str)
                else _mapping(body, part_where, allowed=("grid", *_PART_KEYS), needed=("grid",))
            )
            variants[_name(variant, part_where)] = _part({**settings, **own}, part_where, roles)
        layers.append(Layer(slot, variants))
    return tuple(layers)


def _part(data: Mapping[str, Any], where: str, roles: frozenset[str]) -> Part:
    rows = tuple(row.rstrip() for row in _text(data["grid"], where).splitlines())
    for number, row in enumerate(rows, start=1):
        unknown = [role for role in row if role not in roles and role not in ". "]
        if unknown:
            raise RosegenError(
                f"{where}: unknown role {unknown[0]!r} in row {number} of the grid;"
                " bind it in ramps or colors"
            )
    mirror = data.get("mirror", "false")
    swaps: Mapping[str, str] | None
    if isinstance(mirror, dict):
        swaps = {key: _text(value, where) for key, value in mirror.items()}
        for role in (*swaps, *swaps.values()):
            if role not in roles and role != ".":
                raise RosegenError(f"{where}: mirror swaps unknown role {role!r}; bind it")
    else:
        swaps = {} if _flag(mirror, f"{where}: mirror") else None
    shade = data.get("shade", "none")
    if shade not in SHADES:
        raise RosegenError(f"{where}: shade {shade!r} is not one of {', '.join(SHADES)}; change it")
    clip = data.get("clip")
    if clip is not None and clip != "all":
        unknown = [role for role in _text(clip, where) if role not in roles]
        if unknown:
            raise RosegenError(f"{where}: clip names unknown role {unknown[0]!r}; bind it")
    moves = _mapping(data.get("moves", {}), f"{where}: moves")
    return Part(
        rows=rows,
        at=_pair(data.get("at", "0 0"), f"{where}: at"),
        mirror=swaps,
        shade=shade,
        clip=clip,
        edge=_flag(data.get("edge", "false"), f"{where}: edge"),
        moves={slot: _pair(value, f"{where}: moves: {slot}") for slot, value in moves.items()},
    )


def _slots(
    layers: tuple[Layer, ...], ramps: Mapping[str, Ramp], where: str
) -> dict[str, tuple[str, ...]]:
    """Every slot with its variants: layers in order, then ramps."""
    slots: dict[str, tuple[str, ...]] = {}
    for layer in layers:
        if layer.slot is None:
            continue
        if layer.slot not in slots:
            if not layer.variants:
                raise RosegenError(f"{where}: {layer.slot}: no variants; give at least one")
            slots[layer.slot] = tuple(layer.variants)
        unknown = [name for name in layer.variants if name not in slots[layer.slot]]
        if unknown:
            raise RosegenError(
                f"{where}: {layer.slot}: a later layer has the new variant {unknown[0]!r};"
                " list it in the first layer of the slot"
            )
    for layer in layers:
        for variant, part in layer.variants.items():
            lost = [slot for slot in part.moves if slot not in slots]
            if lost:
                raise RosegenError(
                    f"{where}: {layer.slot}: {variant}: moves unknown slot {lost[0]!r}; name a slot"
                )
    for slot, ramp in ramps.items():
        if slot in slots:
            raise RosegenError(f"{where}: {slot} is both a ramp and a layer's slot; rename one")
        slots[slot] = tuple(ramp.variants)
    return slots


def _choices(
    raw: Any, slots: Mapping[str, tuple[str, ...]], where: str
) -> tuple[Mapping[str, str], ...]:
    if raw is None:
        raw = [dict.fromkeys(slots, "all")]
    if not isinstance(raw, list) or not raw:
        raise RosegenError(f"{where}: not a list of combinations; give a list or leave it out")
    chosen: dict[tuple[str, ...], Mapping[str, str]] = {}
    for number, entry in enumerate(raw, start=1):
        here = f"{where}: entry {number}"
        data = _mapping(entry, here, allowed=tuple(slots))
        options = [
            _options(data.get(slot, names[0]), names, f"{here}: {slot}")
            for slot, names in slots.items()
        ]
        for values in product(*options):
            if values in chosen:
                raise RosegenError(
                    f"{here}: {'-'.join(values)} is already listed; remove the repeat"
                )
            chosen[values] = dict(zip(slots, values, strict=True))
    return tuple(chosen.values())


def _options(raw: Any, names: tuple[str, ...], where: str) -> tuple[str, ...]:
    if raw == "all":
        return names
    wanted = tuple(_text(item, where) for item in (raw if isinstance(raw, list) else [raw]))
    unknown = [item for item in wanted if item not in names]
    if unknown:
        raise RosegenError(f"{where}: unknown variant {unknown[0]!r}; use {', '.join(names)}")
    return wanted


def _colours(data: Mapping[str, Any], where: str) -> dict[str, Colour]:
    colours: dict[str, Colour] = {}
    for role, value in _mapping(data.get("colors", {}), f"{where}: colors").items():
        if len(role) != 1 or role in ". -":
            raise RosegenError(f"{where}: colors: {role!r} is not a role; use one character")
        colours[role] = _hex(value, f"{where}: colors: {role}")
    return colours


def _tones(data: Mapping[str, Any], where: str, known: Mapping[str, Tone]) -> dict[str, Tone]:
    tones: dict[str, Tone] = {}
    for name, value in _mapping(data.get("tones", {}), f"{where}: tones").items():
        here = f"{where}: tones: {name}"
        if name in known:
            raise RosegenError(f"{here}: already in {PALETTE_FILE}; choose a new name")
        steps = [_hex(step, here) for step in _text(value, here).split()]
        if len(steps) != TONES:
            raise RosegenError(f"{here}: {len(steps)} colours; give outline, shadow, mid and light")
        tones[_name(name, here)] = (steps[0], steps[1], steps[2], steps[3])
    return tones


def _hex(value: Any, where: str) -> Colour:
    text = _text(value, where)
    if not _HEX.fullmatch(text):
        raise RosegenError(f"{where}: {text!r} is not a colour; write '#rrggbb' in quotes")
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _pair(value: Any, where: str) -> tuple[int, int]:
    try:
        x, y = (int(number) for number in _text(value, where).split())
    except ValueError:
        raise RosegenError(f"{where}: {value!r} is not two whole numbers; write e.g. 3 5") from None
    return x, y


def _flag(value: Any, where: str) -> bool:
    if value not in ("true", "false"):
        raise RosegenError(f"{where}: {value!r} is neither true nor false; change it")
    return bool(value == "true")


def _name(value: Any, where: str) -> str:
    text = _text(value, where)
    if not _NAME.fullmatch(text):
        raise RosegenError(f"{where}: bad name {text!r}; use a-z and 0-9 only")
    return text


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise RosegenError(f"{where}: {value!r} is not text; write a single value")
    return value


def _mapping(
    value: Any, where: str, allowed: Iterable[str] = (), needed: Iterable[str] = ()
) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RosegenError(f"{where}: not a mapping of names to values; see the format's README")
    allowed = tuple(allowed)
    unknown = [key for key in value if allowed and key not in allowed]
    if unknown:
        raise RosegenError(f"{where}: unknown key {unknown[0]!r}; use {', '.join(allowed)}")
    missing = [key for key in needed if key not in value]
    if missing:
        raise RosegenError(f"{where}: {missing[0]!r} is missing; add it")
    return value


def _construct_unique(construct: Callable[..., Any]) -> Callable[..., Any]:
    """A mapping constructor that refuses repeated keys, which YAML readers drop in silence."""

    def build(loader: Any, node: yaml.MappingNode) -> dict[str, Any]:
        seen = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"{key.value!r} appears twice", problem_mark=key.start_mark
                )
            seen.add(str(key.value))
        return dict(construct(loader, node, deep=True))

    return build


# The base loader reads every scalar as text: no surprises from `on`, `1` or `no` as names. The
# C parser is five times faster and is there in every wheel, though not in every build.
_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_Loader: Any = type("_Loader", (_BASE,), {})
_Loader.add_constructor(
    "tag:yaml.org,2002:map", _construct_unique(yaml.constructor.BaseConstructor.construct_mapping)
)


def _load(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except OSError as error:
        raise RosegenError(f"{path.name}: cannot be read ({error.strerror}); check it") from None
    except UnicodeDecodeError:
        raise RosegenError(f"{path.name}: not UTF-8 text; save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise RosegenError(f"{path.name}: line {line}: {error.problem}; mend the YAML") from None
    except yaml.YAMLError as error:
        raise RosegenError(f"{path.name}: {' '.join(str(error).split())}; mend the YAML") from None
