"""Dials: sixteen instruments, each in four states that differ in one detail from the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from draw_svg import (
    INK,
    arc,
    bar,
    box,
    circle,
    flip,
    hand,
    join,
    oval,
    path,
    polar,
    polygon,
    ring_of,
    shift,
    star,
    ticks,
    turn,
    wedge,
)

HOURS = tuple(range(0, 360, 30))
QUARTERS = (0, 90, 180, 270)


def wall_clock(hour: float = 305, minute: float = 72, drop: float = 180) -> str:
    """A round clock; one drop on its face marks an hour."""
    return join(
        circle(64, 64, 58, "#e07a5f"),
        circle(64, 64, 46, "#fdf6e3"),
        ticks(64, 64, 37, 41, HOURS, "#8d8371"),
        circle(*polar(64, 64, 36, drop), 5.5, "#81b29a"),
        hand(64, 64, hour, 24, 8),
        hand(64, 64, minute, 36, 6),
        circle(64, 64, 5, "#e07a5f"),
    )


def alarm_clock(hour: float = 120, minute: float = 330, right_bell: str = "#f2b134") -> str:
    """Two bells, two feet and a hammer between the bells."""
    return join(
        bar(38, 106, 28, 120, INK, 8),
        bar(90, 106, 100, 120, INK, 8),
        box(60, 10, 8, 22, "#c9ccd6"),
        turn(-38, 64, 70, path("M46 18A18 18 0 0 1 82 18Z", "#f2b134")),
        turn(38, 64, 70, path("M46 18A18 18 0 0 1 82 18Z", right_bell)),
        circle(64, 70, 46, "#3d8b8b"),
        circle(64, 70, 35, "#f7f7f2"),
        ticks(64, 70, 27, 31, HOURS, "#3d8b8b", 3),
        hand(64, 70, hour, 17, 7),
        hand(64, 70, minute, 26, 5),
        circle(64, 70, 4, "#e4572e"),
        box(50, 5, 28, 9, "#e4572e", 4),
    )


def pressure_gauge(
    needle: float = -62, bands: Sequence[str] = ("#5fad56", "#f2c14e", "#d1495b"), screw: float = 0
) -> str:
    """A brass gauge on a pipe, with bands from safe to unsafe."""
    starts = (-130, -20, 65)
    ends = (-20, 65, 130)
    return join(
        box(50, 98, 28, 16, "#a67c37"),
        box(42, 110, 44, 12, "#c99a4b", 3),
        circle(64, 56, 50, "#c99a4b"),
        circle(64, 56, 41, "#fbfbf7"),
        *(arc(64, 56, 33, *span, 9) for span in zip(starts, ends, bands)),
        ticks(64, 56, 28, 37, range(-130, 131, 26), "#fbfbf7", 2),
        ticks(64, 56, 31, 37, (-130, 130), INK, 3),
        turn(screw, 64, 80, box(53, 76, 22, 9, "#2b59c3", 3)),
        hand(64, 56, needle, 31, 7, INK, 11),
        circle(64, 56, 6, "#c99a4b"),
    )


def compass(needle: float = 38, north: str = "#d62839", south: str = "#e8ecf1") -> str:
    """A needle over a rose of eight points."""
    tip, tail = polar(64, 70, 37, needle), polar(64, 70, -37, needle)
    left, right = polar(64, 70, 8, needle - 90), polar(64, 70, 8, needle + 90)
    return join(
        circle(64, 12, 8, "none", "#a67c37", 5),
        circle(64, 70, 52, "#d9a441"),
        circle(64, 70, 43, "#1d3557"),
        star(64, 70, 28, 9, 4, "#457b9d", 45, width=0),
        star(64, 70, 40, 10, 4, "#a8c5da", 0, width=0),
        ring_of(64, 70, 38, range(30, 360, 30), 1.8, "#d9a441"),
        polygon((left, tip, right), north),
        polygon((left, tail, right), south),
        circle(64, 70, 4.5, "#d9a441"),
    )


def sundial(shadow: float = 40, sun: float = 64, rays: int = 11) -> str:
    """A stone plate, a triangular gnomon and the shadow it throws."""
    plate = [polar(64, 66, 60, 45 * (at + 0.5)) for at in range(8)]
    inner = [polar(64, 66, 52, 45 * (at + 0.5)) for at in range(8)]
    angles = [-100 + 200 * at / (rays - 1) for at in range(rays)]
    return join(
        polygon(plate, "#b8b2a7"),
        polygon(inner, "#d8d3c8", "#8f897d", 1.5),
        circle(64, 72, 42, "#ebe7dd", "#8f897d", 1.5),
        ticks(64, 72, 30, 38, angles, "#6b6558", 4),
        wedge(64, 72, 34, shadow - 9, shadow + 9, "#8a8577", width=0),
        polygon(((58, 74), (70, 74), (64, 36)), "#c77b30"),
        polygon(((64, 74), (70, 74), (64, 36)), "#8f5420", width=0),
        star(sun, 98, 11, 6, 8, "#e9b44c", 0, INK, 2),
    )


def speedometer(needle: float = -48, lamps: Sequence[int] = (36, 92), band: int = 4) -> str:
    """Half a disc with a fan of segments and two lamps; one segment is red."""
    colours = ["#d9d9e3"] * 6
    colours[band] = "#ff595e"
    spans = [(-90 + 30 * at, -90 + 30 * (at + 1)) for at in range(6)]
    return shift(
        0,
        -6,
        path("M4 88A60 60 0 0 1 124 88V104A8 8 0 0 1 116 112H12A8 8 0 0 1 4 104Z", "#33415c"),
        *(
            wedge(64, 86, 50, start + 1.5, end - 1.5, colour, width=0)
            for (start, end), colour in zip(spans, colours)
        ),
        wedge(64, 86, 34, -90, 90, "#33415c", width=0),
        hand(64, 86, needle, 45, 7, "#ffca3a"),
        circle(64, 86, 10, "#7d8597"),
        box(50, 98, 28, 9, "#0b132b", 2, "#7d8597", 1.5),
        *(circle(x, 98, 7, "#8ac926" if at == 0 else "#5c677d") for at, x in enumerate(lamps)),
    )


def barometer(needle: float = -35, pointer: float = 60, level: float = 30) -> str:
    """A wooden board with a dial and a thermometer beneath."""
    return join(
        path("M64 3C74 3 80 10 82 16H108V84C108 94 100 98 92 99L84 125H44L36 99C28 98 20 94 20 84"
             "V16H46C48 10 54 3 64 3Z", "#8c5a34"),
        circle(64, 52, 36, "#d6a45c"),
        circle(64, 52, 29, "#fcf8ec"),
        arc(64, 52, 23, -120, -40, "#5b8fb9", 6),
        arc(64, 52, 23, 40, 120, "#eeb868", 6),
        ticks(64, 52, 24, 27, range(-120, 121, 40), "#6b4423", 2),
        hand(64, 52, pointer, 22, 6, "#b8860b", 6, 1),
        hand(64, 52, needle, 25, 6, INK, 8),
        circle(64, 52, 4, "#d6a45c"),
        box(40, 99, 48, 14, "#fcf8ec", 7),
        circle(48, 106, 5, "#d62828", width=0),
        bar(48, 106, 48 + level, 106, "#d62828", 7),
    )  # fmt: skip


def stopwatch(sweep: float = 50, small: tuple[float, float] = (64, 89), button: float = 42) -> str:
    """A crown, a button at its side and a small dial in the face."""
    return join(
        turn(button, 64, 72, box(59, 14, 10, 14, "#9f86c0", 2)),
        box(58, 12, 12, 14, "#9f86c0"),
        box(49, 3, 30, 11, "#5e548e", 4),
        circle(64, 72, 50, "#5e548e"),
        circle(64, 72, 40, "#faf7ff"),
        ticks(64, 72, 34, 37, range(0, 360, 15), "#9f86c0", 1.8),
        ticks(64, 72, 31, 37, QUARTERS, INK, 3.5),
        circle(*small, 12, "#e0d6f2", "#9f86c0", 2),
        hand(*small, 200, 10, 4, INK),
        hand(64, 72, sweep, 34, 6, "#e5383b", 11),
        circle(64, 72, 4.5, INK),
    )


def pocket_watch(
    hour: float = 35, minute: float = 290, seconds: tuple[float, float] = (64, 92), side: float = 1
) -> str:
    """A gold case with a bow and a chain, and small seconds."""
    chain = join(*(oval(82 + 8 * at, 8 + 3 * at * at / 2, 5, 3.4, "none", "#b07d12", 2.5)
                   for at in range(5)))  # fmt: skip
    return join(
        chain if side > 0 else flip(64, chain),
        circle(64, 13, 9, "none", "#b07d12", 4.5),
        box(57, 17, 14, 9, "#e3b23c", 2),
        circle(64, 75, 50, "#e3b23c"),
        circle(64, 75, 41, "#fffdf5", "#b07d12", 2),
        ticks(64, 75, 32, 37, HOURS, "#7f5539", 3),
        circle(*seconds, 10, "#f2e3bd", "#b07d12", 2),
        hand(*seconds, 315, 8, 3.5, "#7f5539"),
        hand(64, 75, hour, 21, 8, "#264653", tip=0.1),
        hand(64, 75, minute, 31, 7, "#264653", tip=0.1),
        circle(64, 75, 4, "#e3b23c"),
    )


def tomato_timer(dial: float = 0, leaf: float = 0, mark: str = "#fff3e6") -> str:
    """A kitchen timer in the shape of a tomato."""
    leaves = [-68, -34, 0, 34, 68]
    return join(
        oval(64, 76, 56, 46, "#e63946"),
        path("M22 52C30 40 42 36 52 37C40 42 31 51 28 62C24 62 20 58 22 52Z", "#f4838b", width=0),
        path("M9 84C24 92 104 92 119 84C118 90 116 96 113 101"
             "C100 109 28 109 15 101C12 96 10 90 9 84Z", "#fff3e6"),
        *(bar(x, 92 - abs(x - 64) / 20, x, 99 - abs(x - 64) / 20, INK, 3)
          for x in (32, 48, 80, 96)),
        polygon(((64 + dial, 88), (57 + dial, 103), (71 + dial, 103)), "#2a9d8f"),
        *(turn(angle + leaf, 64, 36, path("M64 36C56 24 58 14 64 8C70 14 72 24 64 36Z", "#2a9d4a"))
          for angle in leaves),
        circle(64, 36, 8, "#1f7a3a"),
        circle(88, 60, 7.5, mark, width=0),
    )  # fmt: skip


def cuckoo_clock(
    hour: float = 320,
    minute: float = 100,
    swing: float = 14,
    cones: tuple[float, float] = (112, 98),
) -> str:
    """A little house with a pendulum and two weights."""
    weights = join(*(
        join(bar(x, 84, x, y - 8, "#9c7a3c", 2), path(
            f"M{x - 5} {y - 8}H{x + 5}L{x + 4} {y + 8}L{x} {y + 13}L{x - 4} {y + 8}Z", "#7a4a21"))
        for x, y in zip((34, 94), cones)
    ))  # fmt: skip
    return join(
        weights,
        turn(swing, 64, 80, bar(64, 80, 64, 110, "#9c7a3c", 3), circle(64, 113, 8, "#e9c46a")),
        box(26, 34, 76, 54, "#a4703f"),
        polygon(((64, 4), (118, 44), (108, 52), (64, 20), (20, 52), (10, 44)), "#386641"),
        path("M57 36V30A7 7 0 0 1 71 30V36Z", "#3b2415"),
        circle(64, 62, 22, "#f4ead5"),
        ticks(64, 62, 15, 18, HOURS, "#6f4518", 2.2),
        hand(64, 62, hour, 11, 6),
        hand(64, 62, minute, 17, 4.5),
        circle(64, 62, 3, "#bc4749", width=0),
        circle(34, 79, 4, "#bc4749", width=0),
        circle(94, 79, 4, "#bc4749", width=0),
    )


def fuel_gauge(
    needle: float = 20, drop: tuple[float, float] = (86, 96), reserve: float = -52
) -> str:
    """A square instrument with a fan of marks and a drop."""
    x, y = drop
    return join(
        box(8, 12, 112, 106, "#264653", 22),
        box(16, 20, 96, 90, "#1b3038", 15, "#43646f", 2),
        arc(64, 92, 56, reserve - 10, reserve + 10, "#e76f51", 9),
        ticks(64, 92, 51, 60, (-52, -26, 0, 26, 52), "#f1faee", 4),
        ticks(64, 92, 55, 60, (-39, -13, 13, 39), "#8fb3bd", 2.5),
        path(f"M{x} {y - 13}C{x + 9} {y - 2} {x + 8} {y + 7} {x} {y + 8}"
             f"C{x - 8} {y + 7} {x - 9} {y - 2} {x} {y - 13}Z", "#f4a261"),
        hand(64, 92, needle, 47, 8, "#f1faee"),
        circle(64, 92, 9, "#2a9d8f"),
    )  # fmt: skip


def volume_knob(lit: int = 7, pointer: float = 30, peak: int = 10) -> str:
    """A knob in a ring of lamps."""
    angles = [-135 + 27 * at for at in range(11)]
    lamps = ["#35d07f" if at < lit else "#4a4e69" for at in range(11)]
    lamps[peak] = "#ff4d6d"
    return join(
        *(circle(*polar(64, 66, 53, angle), 7, lamp) for angle, lamp in zip(angles, lamps)),
        star(64, 66, 41, 37, 24, "#4a4e69"),
        circle(64, 66, 31, "#6b7090"),
        path("M41 56A25 25 0 0 1 64 41A25 25 0 0 1 76 44A36 36 0 0 0 41 56Z", "#9296b5", width=0),
        turn(pointer, 64, 66, box(59, 35, 10, 25, "#f8f9fa", 5)),
    )


def phone_dial(stop: float = 125, pip: int = 3, card: str = "#f1e4c3") -> str:
    """The finger wheel of a telephone; one hole shows a pip of another colour."""
    holes = [-150 + 28 * at for at in range(10)]
    pips = ["#d62246" if at == pip else "#f8f4e6" for at in range(10)]
    return join(
        circle(64, 64, 59, "#1f6f78"),
        circle(64, 64, 49, "#e9f1ee"),
        *(join(circle(*polar(64, 64, 37, angle), 9.2, "#12454b"),
               circle(*polar(64, 64, 37, angle), 5, shown, width=0))
          for angle, shown in zip(holes, pips)),
        turn(stop, 64, 64, box(60, 3, 8, 30, "#c9ccd6", 3)),
        circle(64, 64, 19, "#1f6f78"),
        circle(64, 64, 13, card, width=1.5),
    )  # fmt: skip


def moon_dial(phase: float = 12, hour: float = 215, minute: float = 150, side: float = 1) -> str:
    """A night-blue dial with the moon in a window."""
    small = star(45, 45, 7, 2.9, 5, "#ffe8a3", width=0)
    return join(
        path("M16 124L26 100H102L112 124Z", "#6d4c3d"),
        circle(64, 60, 57, "#b5838d"),
        circle(64, 60, 48, "#22223b"),
        path("M36 52A28 28 0 0 1 92 52Z", "#4a5899", "#b5838d", 3),
        circle(64, 41, 10.5, "#ffe8a3", width=0),
        circle(64 + phase, 37, 9.5, "#4a5899", width=0),
        small if side > 0 else flip(64, small),
        ticks(64, 60, 39, 43, HOURS, "#f2e9e4", 2.6),
        hand(64, 60, hour, 22, 7, "#f2cc8f"),
        hand(64, 60, minute, 34, 6, "#f2cc8f"),
        circle(64, 60, 5, "#b5838d"),
    )


def radar(sweep: float = 45, echoes: Sequence[tuple[float, float]] = ((28, 120), (36, 250))) -> str:
    """A green screen: a sweep and its echoes (distance, angle)."""
    return join(
        box(6, 6, 116, 116, "#55606e", 16),
        *(circle(x, y, 5, "#aab4c0", width=1.5) for x in (17, 111) for y in (17, 111)),
        circle(64, 64, 50, "#0b3d2e"),
        wedge(64, 64, 48, sweep - 48, sweep - 24, "#14603f", width=0),
        wedge(64, 64, 48, sweep - 24, sweep, "#1f8f5a", width=0),
        *(circle(64, 64, r, "none", "#3fbf7f", 1.5) for r in (16, 32, 47)),
        bar(16, 64, 112, 64, "#3fbf7f", 1.5),
        bar(64, 16, 64, 112, "#3fbf7f", 1.5),
        bar(64, 64, *polar(64, 64, 47, sweep), "#c6ffd9", 3.5),
        *(circle(*polar(64, 64, r, angle), 6, "#d4ff5c", width=0) for r, angle in echoes),
    )


DIALS: Mapping[str, tuple[Callable[..., str], Sequence[Mapping[str, Any]]]] = {
    "alarm-clock": (
        alarm_clock,
        ({}, {"minute": 10}, {"right_bell": "#e4572e"}, {"hour": 175}),
    ),
    "barometer": (barometer, ({}, {"needle": 5}, {"pointer": 105}, {"level": 10})),
    "compass": (
        compass,
        ({}, {"needle": 58}, {"needle": 20}, {"north": "#e8ecf1", "south": "#d62839"}),
    ),
    "cuckoo-clock": (
        cuckoo_clock,
        ({}, {"swing": -14}, {"cones": (98, 112)}, {"minute": 215}),
    ),
    "fuel-gauge": (
        fuel_gauge,
        ({}, {"needle": -8}, {"drop": (42, 96)}, {"reserve": 52}),
    ),
    "moon-dial": (moon_dial, ({}, {"phase": -12}, {"hour": 255}, {"side": -1})),
    "phone-dial": (
        phone_dial,
        ({}, {"stop": 160}, {"card": "#8f4a34"}, {"pip": 6}),
    ),
    "pocket-watch": (
        pocket_watch,
        ({}, {"hour": 350}, {"seconds": (82, 80)}, {"side": -1}),
    ),
    "pressure-gauge": (
        pressure_gauge,
        (
            {},
            {"needle": -25},
            {"bands": ("#5fad56", "#d1495b", "#f2c14e")},
            {"screw": 90},
        ),
    ),
    "radar": (
        radar,
        (
            {},
            {"sweep": 75},
            {"echoes": ((28, 150), (36, 250))},
            {"echoes": ((28, 120), (36, 215))},
        ),
    ),
    "speedometer": (
        speedometer,
        ({}, {"needle": -20}, {"band": 3}, {"lamps": (92, 36)}),
    ),
    "stopwatch": (stopwatch, ({}, {"sweep": 85}, {"button": -42}, {"small": (48, 80)})),
    "sundial": (sundial, ({}, {"shadow": -32}, {"sun": 46}, {"rays": 7})),
    "tomato-timer": (
        tomato_timer,
        ({}, {"dial": -17}, {"leaf": 15}, {"mark": "#7a1f2b"}),
    ),
    "volume-knob": (
        volume_knob,
        ({}, {"lit": 5}, {"pointer": 62}, {"peak": 9}),
    ),
    "wall-clock": (wall_clock, ({}, {"minute": 105}, {"hour": 265}, {"drop": 240})),
}
