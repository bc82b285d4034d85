"""Scenes: fourteen motifs in three versions each, every one with an edit of one detail."""

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
    stroke,
    ticks,
    turn,
)

Points = Sequence[tuple[float, float]]


def lighthouse(
    stripe: str = "#d1495b",
    roof: str = "#2b3a67",
    bands: Sequence[int] = (1, 3),
    window: float = 66,
    gull: float = 104,
    beam: float = 1,
) -> str:
    """A striped tower on a rock, with a gull beside it."""

    def half(y: float) -> float:
        return 9 + (y - 40) * 0.11

    light = polygon(((72, 26), (120, 14), (120, 40)), "#ffe9a8", width=0)
    tower = [40 + 14 * at for at in range(6)]
    slices = [
        polygon(
            ((64 - half(y), y), (64 + half(y), y), (64 + half(y + 14), y + 14),
             (64 - half(y + 14), y + 14)),
            stripe if at in bands else "#fffaf2",
        )
        for at, y in enumerate(tower[:5])
    ]  # fmt: skip
    return join(
        light if beam > 0 else flip(64, light),
        path("M22 116C26 100 40 104 46 100C54 96 76 96 84 102C92 100 104 106 106 116Z", "#8d99ae"),
        *slices,
        path("M59 110V101A5 5 0 0 1 69 101V110Z", roof),
        box(59.5, window - 7, 9, 14, "#457b9d", 4, width=2),
        box(50, 35, 28, 6, roof, 2),
        box(55, 19, 18, 16, "#ffd166"),
        polygon(((51, 19), (77, 19), (64, 5)), roof),
        path("M6 116Q16 108 26 116T46 116T66 116T86 116T106 116T122 116V124H6Z", "#5fa8d3"),
        stroke(f"M{gull - 13} 62Q{gull - 7} 53 {gull} 62Q{gull + 7} 53 {gull + 13} 62", INK, 4),
    )


def sailboat(
    hull: str = "#bc4749",
    sail: str = "#fdf0d5",
    patch: str = "#f4a261",
    pennant: float = 1,
    ports: Points = ((48, 96), (64, 96), (80, 96)),
    emblem: tuple[str, float] = ("disc", 64),
    sun: float = 20,
    jib: str = "#a7c957",
) -> str:
    """A boat under two sails in the sun; the mainsail bears an emblem."""
    flag = polygon(((62, 6), (62, 19), (84, 12)), "#e63946")
    shape, y = emblem
    emblems = {
        "disc": circle(79, y, 9, patch),
        "bars": join(*(bar(74, y + dy, 87 + dy / 2, y + dy, patch, 5.5) for dy in (-5, 5))),
        "star": star(79, y, 11, 5, 5, patch, width=2),
    }
    return join(
        circle(sun, 28, 11, "#ffd166"),
        flag if pennant > 0 else flip(62, flag),
        bar(62, 6, 62, 90, "#7f5539", 5),
        path("M67 22C92 40 104 62 106 80H67Z", sail),
        path("M57 28C46 46 34 62 20 80H57Z", jib),
        emblems[shape],
        path("M14 86H114C110 102 102 110 92 112H38C26 110 18 100 14 86Z", hull),
        *(circle(x, port, 4.5, "#fdf0d5") for x, port in ports),
        path("M4 110Q14 102 24 110T44 110T64 110T84 110T104 110T124 110V122H4Z", "#4ea8de"),
    )


def teapot(
    body: str = "#3d8b8b",
    trim: str = "#f2cc8f",
    knob: str = "#f2cc8f",
    motif: str = "dots",
    steam: float = 0,
    band: float = 88,
    handle: float = 0,
    side: float = 1,
) -> str:
    """A round pot with a spout, a handle and a pattern."""
    motifs = {
        "dots": ring_of(62, 74, 14, range(0, 360, 72), 4.5, trim),
        "flower": join(ring_of(62, 74, 9, range(0, 360, 72), 6, trim), circle(62, 74, 5, knob)),
        "star": star(62, 74, 17, 7.5, 5, trim, width=0),
        "heart": path("M62 88C44 76 46 62 55 62C59 62 62 66 62 68C62 66 65 62 69 62"
                      "C78 62 80 76 62 88Z", trim, width=0),
    }  # fmt: skip
    pot = join(
        *(shift(0, handle, stroke("M32 58C6 46 2 88 34 90", colour, width))
          for colour, width in ((INK, 12), (body, 7))),
        path("M90 88C104 86 104 56 114 50L124 56C116 66 116 96 92 104Z", body),
        oval(62, 78, 40, 36, body),
        path(f"M24 {band}Q62 {band + 14} 100 {band}L98 {band + 8}Q62 {band + 22} 26 {band + 8}Z",
             trim, width=0),
        motifs[motif],
        path("M38 49Q62 28 86 49Q62 56 38 49Z", body),
        circle(62, 33, 6.5, knob),
        box(42, 110, 40, 7, trim, 3),
    )  # fmt: skip
    puff = stroke("M116 40Q110 34 116 28T114 16", "#b8c0cc", 5)
    return join(pot if side > 0 else flip(64, pot), shift(steam, 0, puff))


def bicycle(
    frame: str = "#2a9d8f",
    basket: str = "#c68b59",
    saddle: float = 0,
    mudguard: float = 30,
    lamp: str = "#ffd166",
    bag: bool = False,
) -> str:
    """A town bicycle seen from its right."""

    def wheel(x: float) -> str:
        spokes = ticks(x, 86, 0, 21, range(0, 360, 30), "#adb5bd", 1.2)
        return join(spokes, circle(x, 86, 23, "none", INK, 4.5), circle(x, 86, 4, frame, width=2))

    return shift(
        0, -7,
        wheel(30),
        wheel(98),
        arc(30, 86, 28, -90 + mudguard, 30 + mudguard, frame, 5),
        stroke("M30 86L60 88L84 54H48ZM48 54L60 88", frame, 5.5),
        stroke("M98 86L82 46", frame, 5.5),
        bar(48, 54, 45, 44 - saddle, INK, 4),
        shift(0, -saddle, path("M32 40Q44 34 56 40Q50 47 34 46Z", "#7f4f24")),
        stroke("M82 46L80 38Q70 34 66 41", INK, 4),
        box(88, 38, 26, 19, basket, 4),
        *(bar(x, 42, x, 53, "#8a5a34", 2) for x in (95, 101, 107)),
        circle(109, 63, 5, lamp),
        circle(60, 88, 7, "#e9ecef"),
        bar(60, 88, 66, 99, INK, 3.5),
        bar(61, 100, 71, 98, INK, 4.5),
        box(14, 60, 24, 17, "#e76f51", 3) if bag else "",
    )  # fmt: skip


def cottage(
    wall: str = "#fefae0",
    roof: str = "#bc6c25",
    door: str = "#386641",
    chimney: float = 84,
    attic: str = "round",
    tree: float = 1,
    lit: str = "#8ecae6",
) -> str:
    """A house with a chimney, two windows and a tree."""
    green = join(
        box(10, 88, 7, 26, "#7f5539"),
        oval(14, 78, 11, 20, "#6a994e"),
    )
    holes = {
        "round": circle(64, 49, 7.5, "#8ecae6"),
        "square": box(57, 42, 14, 14, "#8ecae6"),
        "none": "",
    }
    return join(
        green if tree > 0 else flip(64, green),
        box(chimney, 18, 13, 32, "#a44a3f"),
        box(chimney - 2, 14, 17, 7, "#8d99ae", 1),
        box(26, 58, 76, 56, wall),
        polygon(((64, 22), (114, 64), (14, 64)), roof),
        holes[attic],
        path("M54 114V88A10 10 0 0 1 74 88V114Z", door),
        circle(70, 101, 2, "#ffd166", width=0),
        *(join(box(x, 73, 19, 21, colour), bar(x + 9.5, 74, x + 9.5, 93, INK, 2))
          for x, colour in ((31, "#8ecae6"), (78, lit))),
        box(6, 112, 116, 8, "#8ab17d", 4),
    )  # fmt: skip


def balloon(
    first: str = "#ef476f",
    second: str = "#ffd166",
    belt: str = "#26547c",
    star_at: float = 0,
    gore: str = "",
    cloud: float = 1,
    rider: bool = True,
) -> str:
    """A hot-air balloon with a basket, drifting past a cloud."""
    pilot = join(
        circle(64, 98, 6.5, "#f1c27d"),
        box(54, 90, 20, 4, second, 2, width=2),
        box(58, 86, 12, 5, second, 2, width=2),
    )
    puff = join(
        oval(24, 104, 18, 9, "#dfe7ef"),
        oval(32, 98, 11, 9, "#dfe7ef", width=0),
    )
    return join(
        puff if cloud > 0 else flip(64, puff),
        bar(46, 82, 56, 104, INK, 2),
        bar(82, 82, 72, 104, INK, 2),
        path("M64 4C96 4 108 28 106 44C104 62 90 74 80 84H48C38 74 24 62 22 44C20 28 32 4 64 4Z",
             first),
        path("M64 4C78 4 86 24 85 44C84 62 78 74 74 84H54C50 74 44 62 43 44C42 24 50 4 64 4Z",
             second),
        path("M64 4C70 4 73 24 72.5 44C72 62 70 74 68 84H60C58 74 56 62 55.5 44C55 24 58 4 64 4Z",
             gore or first),
        path("M23 50Q64 66 105 50L101 61Q64 76 27 61Z", belt),
        star(64 + star_at, 61 - abs(star_at) / 9, 8.5, 3.6, 5, second, width=0),
        box(48, 82, 32, 6, belt, 2),
        pilot if rider else "",
        box(54, 103, 20, 17, "#b08968", 3),
        *(join(bar(x, 104, x, 110, INK, 2), circle(x, 112, 4.5, "#ddb892")) for x in (50, 78)),
    )  # fmt: skip


def cactus(
    pot: str = "#e07a5f",
    green: str = "#588157",
    flower: str = "#f28482",
    left: float = 0,
    right: float = 0,
    zigzag: bool = True,
    bloom: float = 64,
    bud: bool = True,
) -> str:
    """A cactus with two arms in a painted pot."""
    arm = "M64 74H86Q94 74 94 66V50"
    other = "M64 64H44Q36 64 36 56V42"
    zigzags = stroke("M44 104L50 97L57 104L64 97L71 104L78 97L84 104", "#fefae0", 3.5)
    dots = join(*(circle(x, 101, 3.5, "#fefae0", width=0) for x in (48, 58.7, 69.3, 80)))
    return join(
        *(shift(0, dy, stroke(d, INK, 19), stroke(d, green, 14))
          for d, dy in ((arm, right), (other, left))),
        box(50, 18, 28, 76, green, 14),
        *(bar(x, y, x, y + 5, "#dad7cd", 2.5)
          for x, y in ((58, 34), (69, 44), (58, 56), (70, 66), (59, 76))),
        star(bloom, 17, 12, 6, 6, flower, width=2),
        circle(bloom, 17, 4, "#ffe066", width=0),
        circle(94, 42 + right, 8, flower) if bud else "",
        path("M38 92H90L84 122H44Z", pot),
        box(34, 84, 60, 10, pot, 3),
        zigzags if zigzag else dots,
    )  # fmt: skip


def engine(
    body: str = "#9b2226",
    trim: str = "#e9d8a6",
    wheel: str = "#ee9b00",
    dome: float = 56,
    window: str = "#94d2bd",
    rod: float = 0,
) -> str:
    """A steam engine heading right."""
    big = [(32, 98), (62, 98)]
    return join(
        *(circle(x, y, r, "#ced4da") for x, y, r in ((70, 18, 7), (82, 12, 9))),
        path("M96 84L122 110H92Z", "#6c757d"),
        box(44, 48, 62, 42, body, 6),
        box(106, 52, 8, 34, INK, 3),
        *(box(x, 48, 5, 42, trim, width=0) for x in (66, 86)),
        box(10, 26, 38, 64, body, 3),
        box(4, 18, 50, 10, INK, 4),
        box(18, 38, 22, 20, window, 3),
        path("M88 48L86 26H104L102 48Z", INK),
        box(82, 20, 26, 8, trim, 2),
        path(f"M{dome} 48V40A9 9 0 0 1 {dome + 18} 40V48Z", trim),
        circle(116, 62, 6, "#ffd166"),
        box(8, 86, 102, 8, "#495057", 2),
        *(join(circle(x, y, 16, wheel), circle(x, y, 5, INK, width=0),
               *(bar(*polar(x, y, 7, a), *polar(x, y, 13, a), INK, 2.5) for a in range(0, 360, 60)))
          for x, y in big),
        circle(92, 104, 10, wheel),
        circle(92, 104, 3, INK, width=0),
        bar(32, 98 + rod, 62, 98 + rod, trim, 6.5),
        bar(6, 118, 122, 118, "#7f5539", 5),
    )  # fmt: skip


def fish(
    body: str = "#f77f00",
    stripe: str = "#fff3e0",
    fin: str = "#d62828",
    stripes: Sequence[float] = (50, 70),
    bubbles: Points = ((112, 40), (118, 26)),
    weed: float = 16,
    back: float = 0,
) -> str:
    """A fish among weeds, blowing bubbles."""

    def band(x: float) -> str:
        h = 29 * (1 - ((x - 60) / 42) ** 2) ** 0.5
        return path(f"M{x - 5} {64 - h:.2f}Q{x + 7} 64 {x - 5} {64 + h:.2f}H{x + 5}"
                    f"Q{x + 17} 64 {x + 5} {64 - h:.2f}Z", stripe)  # fmt: skip

    return join(
        stroke(f"M{weed} 122Q{weed - 8} 110 {weed} 100T{weed} 82", "#52796f", 6),
        stroke(f"M{weed + 10} 122Q{weed + 18} 114 {weed + 10} 106T{weed + 10} 94", "#84a98c", 6),
        path("M26 64L4 42Q14 64 4 88Z", fin),
        shift(back, 0, path("M44 38Q54 18 78 24Q74 32 78 40Z", fin)),
        path("M52 90Q54 106 68 106Q68 98 72 90Z", fin),
        path("M18 64C30 40 48 34 64 34C86 34 100 50 104 66C100 80 86 94 64 94C48 94 30 88 18 64Z",
             body),
        *(band(x) for x in stripes),
        path("M58 66Q42 62 40 76Q52 82 60 74Z", fin),
        circle(88, 58, 7.5, "#ffffff"),
        circle(90, 58, 3.5, INK, width=0),
        stroke("M103 68Q96 74 91 72", INK, 3),
        *(circle(x, y, 6.5 if at % 2 else 5, "#bde0fe", "#4a90c2", 2)
          for at, (x, y) in enumerate(bubbles)),
    )  # fmt: skip


def robot(
    shell: str = "#8ecae6",
    plate: str = "#023047",
    glow: str = "#ffb703",
    aerial: float = 64,
    panel: str = "bars",
    wave: float = 0,
) -> str:
    """A robot with a panel on its chest and one arm that may be raised."""
    panels = {
        "bars": join(*(bar(54 + 7 * at, 94, 54 + 7 * at, 90 - 4 * (at % 3), glow, 4)
                       for at in range(4))),
        "dial": join(circle(64, 88, 9, "#f1faee"), hand(64, 88, 50, 8, 4, "#e63946")),
        "heart": path("M64 97C52 89 54 80 59 80C62 80 64 83 64 84C64 83 66 80 69 80"
                      "C74 80 76 89 64 97Z", "#e63946", width=0),
        "lights": join(*(circle(55 + 9 * at, 88, 3.5, glow, width=0) for at in range(3))),
    }  # fmt: skip
    limb = join(bar(0, 0, 0, 24, INK, 10), bar(0, 0, 0, 24, shell, 5.5), circle(0, 27, 6, plate))
    return join(
        bar(aerial, 32, aerial, 14, INK, 3.5),
        circle(aerial, 11, 5.5, glow),
        shift(34, 78, turn(20, 0, 0, limb)),
        shift(94, 78, turn(-20 - wave, 0, 0, limb)),
        box(46, 106, 12, 15, plate, 3),
        box(70, 106, 12, 15, plate, 3),
        box(34, 30, 60, 36, shell, 10),
        *(box(x, 41, 7, 14, plate, 2) for x in (27, 94)),
        box(41, 37, 46, 21, plate, 8),
        *(circle(x, 47.5, 6, glow, width=0) for x in (53, 75)),
        box(38, 70, 52, 38, shell, 8),
        box(48, 77, 32, 22, plate, 4),
        panels[panel],
    )  # fmt: skip


def owl(
    feather: str = "#9c6644",
    belly: str = "#ede0d4",
    iris: str = "#ffba08",
    look: tuple[float, float] = (0, 0),
    marks: Sequence[int] = (3, 2, 3),
    leaves: Sequence[float] = (18, 112),
    moon: float = 104,
) -> str:
    """An owl on a branch under the moon."""
    rows = [
        stroke(f"M{64 + 13 * (at - (count - 1) / 2) - 5} {78 + 10 * row}q5 6 10 0", feather, 3)
        for row, count in enumerate(marks)
        for at in range(count)
    ]
    dx, dy = look
    return join(
        circle(moon, 20, 13, "#ffe8a3"),
        polygon(((34, 34), (36, 6), (58, 22)), feather),
        polygon(((94, 34), (92, 6), (70, 22)), feather),
        path("M64 16C92 16 100 38 100 66C100 96 86 112 64 112"
             "C42 112 28 96 28 66C28 38 36 16 64 16Z", feather),
        oval(64, 90, 25, 24, belly, width=0),
        *rows,
        path("M29 64C20 78 22 94 34 102C40 90 38 76 29 64Z", "#7f5539"),
        path("M99 64C108 78 106 94 94 102C88 90 90 76 99 64Z", "#7f5539"),
        *(join(circle(x, 44, 16, belly), circle(x, 44, 10.5, iris, width=2),
               circle(x + dx, 44 + dy, 5, INK, width=0)) for x in (48, 80)),
        polygon(((58, 52), (70, 52), (64, 65)), "#f48c06"),
        stroke("M7 116Q64 108 121 114", "#6f4518", 8),
        *(oval(x, 107, 10, 5.5, "#6a994e") for x in leaves),
        *(stroke(f"M{x} 108v8M{x + 6} 108v8", "#f48c06", 4) for x in (50, 72)),
    )  # fmt: skip


def toadstools(
    cap: str = "#d62828",
    spot: str = "#fff8f0",
    small: str = "#f77f00",
    spots: Points = ((44, 42), (64, 30), (84, 44), (60, 50)),
    rise: float = 0,
    snail: float = 1,
    frill: bool = True,
    door: bool = False,
) -> str:
    """A large toadstool, a small one and a snail in the grass."""
    crawler = join(
        path("M14 116Q14 110 22 110H38Q44 110 44 102Q50 102 49 110Q48 117 40 117H18Z", "#e9c46a"),
        circle(27, 104, 9.5, "#b5651d"),
        stroke("M27 104q4 -4 5 1t-7 4t-4 -9", INK, 2),
        bar(45, 102, 43, 96, INK, 2),
        bar(48, 102, 49, 96, INK, 2),
    )
    return join(
        path(f"M99 118L100 {96 - rise}H108L109 118Z", "#fefae0"),
        shift(0, -rise, path("M87 98Q104 68 121 98Z", small),
              circle(104, 90, 4, spot, width=0)),
        path("M50 118C54 100 54 80 52 62H76C74 80 74 100 80 118Z", "#fefae0"),
        path("M51 72Q64 82 77 72L78 80Q64 90 50 80Z", "#e6dcc3") if frill else "",
        path("M57 118V104A7 7 0 0 1 71 104V118Z", "#7f5539") if door else "",
        path("M14 64C16 28 42 8 64 8C86 8 112 28 114 64C98 72 30 72 14 64Z", cap),
        *(oval(x, y, 7.5, 6.5, spot, width=0) for x, y in spots),
        path("M8 122Q12 108 16 118Q22 106 26 118Q34 110 36 118H92Q96 106 100 118Q106 108 110 118"
             "Q116 110 120 122Z", "#6a994e"),
        crawler if snail > 0 else flip(31, crawler),
    )  # fmt: skip


def rocket(
    hull: str = "#edf2f4",
    nose: str = "#ef233c",
    glass: str = "#48cae4",
    port: float = 50,
    second: bool = True,
    planet: float = 106,
    stars: Points = ((18, 40), (110, 78)),
    ring: bool = True,
) -> str:
    """A rocket taking off past a planet and stars."""
    orbit = turn(-20, planet, 26, oval(planet, 26, 19, 5.5, "none", "#c9a227", 4))
    return join(
        orbit if ring else "",
        circle(planet, 26, 9.5, "#f4a261"),
        path("M52 100Q46 116 64 125Q82 116 76 100Z", "#ff9f1c"),
        path("M58 100Q55 110 64 117Q73 110 70 100Z", "#ffe066", width=0),
        path("M42 66L22 90V108L44 94Z", nose),
        path("M86 66L106 90V108L84 94Z", nose),
        path("M64 4C84 22 90 50 86 78L80 102H48L42 78C38 50 44 22 64 4Z", hull),
        path("M64 4C73 12 79 22 82.500 34H45.500C49 22 55 12 64 4Z", nose),
        circle(64, port, 10.5, glass, width=4),
        circle(64, port + 22, 6, glass, width=3) if second else "",
        path("M43 82Q64 90 85 82L83 90Q64 98 45 90Z", nose, width=0),
        *(star(x, y, 8, 3.2, 4, "#ffd60a", width=1.5) for x, y in stars),
    )  # fmt: skip


def windmill(
    wall: str = "#f5ebe0",
    cap: str = "#9d0208",
    cloth: str = "#fdf0d5",
    turned: float = 22,
    patch: int = -1,
    window: float = 74,
    door: str = "#386641",
    tulips: Sequence[str] = ("#ef476f", "#ffd166", "#ef476f"),
    side: float = 1,
) -> str:
    """A tower mill with four sails and three tulips."""
    sail = (
        "M61 44V6H64V44Z",
        "M64 8H77V36H64Z",
    )
    arms = [
        turn(turned + 90 * at, 64, 44, path(sail[1], "#a0714a" if at == patch else cloth),
             *(bar(64, y, 77, y, INK, 1.3) for y in (15, 22, 29)),
             path(sail[0], "#7f5539", width=1.5))
        for at in range(4)
    ]  # fmt: skip
    flowers = join(*(
        join(bar(x, 118, x, 106, "#52796f", 3),
             path(f"M{x - 5} 98L{x - 2} 101L{x} 97L{x + 2} 101L{x + 5} 98V104"
                  f"A5 5 0 0 1 {x - 5} 104Z", colour, width=2))
        for x, colour in zip((12, 25, 38), tulips)
    ))  # fmt: skip
    return join(
        path("M50 46H78L90 118H38Z", wall),
        path("M47 50Q64 14 81 50Z", cap),
        path("M55 118V100A9 9 0 0 1 73 100V118Z", door),
        box(58, window, 12, 13, "#8ecae6", 2),
        *arms,
        circle(64, 44, 5, "#ffd166"),
        bar(6, 120, 122, 120, "#6a994e", 6),
        flowers if side > 0 else flip(64, flowers),
    )


Settings = Mapping[str, Any]

# Motif to its versions: name, what it is drawn with, and what the edit changes.
SCENES: Mapping[Callable[..., str], Sequence[tuple[str, Settings, Settings]]] = {
    lighthouse: (
        ("lighthouse-red", {}, {"window": 94}),
        (
            "lighthouse-blue",
            {"stripe": "#1d6fa3", "roof": "#bc4749", "bands": (0, 2, 4), "beam": -1},
            {"gull": 24},
        ),
        (
            "lighthouse-green",
            {"stripe": "#4f9d69", "roof": "#5c4742", "bands": (0, 3), "gull": 22},
            {"bands": (0, 2)},
        ),
    ),
    sailboat: (
        ("sailboat-red", {}, {"pennant": -1}),
        (
            "sailboat-blue",
            {"hull": "#1d3557", "sail": "#f1faee", "patch": "#e63946", "jib": "#a8dadc",
             "emblem": ("bars", 64), "sun": 106},
            {"emblem": ("star", 64)},
        ),
        (
            "sailboat-brown",
            {"hull": "#7f5539", "sail": "#e9c46a", "patch": "#bc6c25", "jib": "#e76f51",
             "pennant": -1, "ports": ((40, 96), (56, 96), (72, 96), (88, 96)), "sun": 106},
            {"emblem": ("disc", 50)},
        ),
    ),
    teapot: (
        ("teapot-teal", {}, {"handle": 9}),
        (
            "teapot-rose",
            {"body": "#d98ba6", "trim": "#fff1e6", "knob": "#7a306c", "motif": "flower",
             "side": -1, "steam": -104},
            {"band": 50},
        ),
        (
            "teapot-blue",
            {"body": "#3a5a98", "trim": "#f4f1de", "knob": "#e07a5f", "motif": "star"},
            {"motif": "heart"},
        ),
    ),
    bicycle: (
        ("bicycle-green", {}, {"saddle": 9}),
        (
            "bicycle-red",
            {"frame": "#d62839", "basket": "#e9c46a", "lamp": "#fefae0", "bag": True},
            {"bag": False},
        ),
        (
            "bicycle-violet",
            {"frame": "#7251b5", "basket": "#b7b7a4", "saddle": 6, "mudguard": 20},
            {"basket": "#5a4636"},
        ),
    ),
    cottage: (
        ("cottage-brown", {}, {"chimney": 32}),
        (
            "cottage-slate",
            {"wall": "#f1dca7", "roof": "#5c677d", "door": "#bc4749", "attic": "square",
             "tree": -1, "chimney": 30},
            {"lit": "#3d405b"},
        ),
        (
            "cottage-pink",
            {"wall": "#f7c6c7", "roof": "#6d597a", "door": "#355070", "attic": "round"},
            {"attic": "none"},
        ),
    ),
    balloon: (
        ("balloon-red", {}, {"star_at": 22}),
        (
            "balloon-green",
            {"first": "#2a9d8f", "second": "#e9f5db", "belt": "#e76f51", "cloud": -1},
            {"rider": False},
        ),
        (
            "balloon-blue",
            {"first": "#3a86ff", "second": "#ffbe0b", "belt": "#fb5607"},
            {"gore": "#1d4fa8"},
        ),
    ),
    cactus: (
        ("cactus-terracotta", {}, {"right": 14}),
        (
            "cactus-blue",
            {"pot": "#457b9d", "green": "#3a7d44", "flower": "#ffb703", "left": 8, "zigzag": False},
            {"bud": False},
        ),
        (
            "cactus-plum",
            {"pot": "#7b506f", "green": "#70a288", "flower": "#f25f5c", "right": 10},
            {"bloom": 53},
        ),
    ),
    engine: (
        ("engine-red", {}, {"dome": 68}),
        (
            "engine-green",
            {"body": "#2d6a4f", "trim": "#f4d58d", "wheel": "#bf0603", "window": "#cfe8ef",
             "dome": 68},
            {"window": "#344e41"},
        ),
        (
            "engine-blue",
            {"body": "#1d4e89", "trim": "#f7b267", "wheel": "#c9cba3", "rod": 9},
            {"rod": -9},
        ),
    ),
    fish: (
        ("fish-orange", {}, {"stripes": (42, 70)}),
        (
            "fish-blue",
            {"body": "#4895ef", "stripe": "#f9c74f", "fin": "#3f37c9", "stripes": (44, 58, 72),
             "weed": 96},
            {"bubbles": ((112, 40), (98, 24))},
        ),
        (
            "fish-green",
            {"body": "#90be6d", "stripe": "#43aa8b", "fin": "#f3722c", "stripes": (46, 66),
             "bubbles": ((110, 90), (118, 76))},
            {"back": -16},
        ),
    ),
    robot: (
        ("robot-blue", {}, {"aerial": 46}),
        (
            "robot-yellow",
            {"shell": "#f9c74f", "plate": "#4d4d59", "glow": "#90f1ef", "panel": "dial",
             "aerial": 82},
            {"wave": 32},
        ),
        (
            "robot-lilac",
            {"shell": "#cdb4db", "plate": "#3c2a4d", "glow": "#80ffdb", "panel": "heart",
             "wave": 110},
            {"panel": "lights"},
        ),
    ),
    owl: (
        ("owl-brown", {}, {"look": (-5, 2)}),
        (
            "owl-grey",
            {"feather": "#7d8597", "belly": "#f1f3f5", "iris": "#90be6d", "marks": (2, 3, 2),
             "moon": 22, "leaves": (18, 96)},
            {"moon": 106},
        ),
        (
            "owl-rust",
            {"feather": "#bb5a3c", "belly": "#ffe5d4", "iris": "#f9c74f", "look": (3, -3),
             "leaves": (14, 32), "marks": (4, 3, 2)},
            {"leaves": (14, 106)},
        ),
    ),
    toadstools: (
        ("toadstools-red", {}, {"spots": ((44, 42), (64, 30), (84, 44), (98, 56))}),
        (
            "toadstools-violet",
            {"cap": "#7b2cbf", "spot": "#ffd6ff", "small": "#c77dff", "frill": False,
             "door": True},
            {"snail": -1},
        ),
        (
            "toadstools-brown",
            {"cap": "#a0522d", "spot": "#f5deb3", "small": "#6b8e23",
             "spots": ((34, 52), (54, 34), (78, 30), (94, 52))},
            {"rise": 11},
        ),
    ),
    rocket: (
        ("rocket-red", {}, {"port": 58}),
        (
            "rocket-blue",
            {"hull": "#caf0f8", "nose": "#023e8a", "glass": "#ffd166", "planet": 22,
             "stars": ((108, 36), (16, 82))},
            {"ring": False},
        ),
        (
            "rocket-gold",
            {"hull": "#ffe8d6", "nose": "#6a994e", "glass": "#8ecae6", "second": False,
             "stars": ((20, 24), (108, 74), (18, 74))},
            {"stars": ((20, 24), (108, 54), (18, 74))},
        ),
    ),
    windmill: (
        ("windmill-red", {}, {"window": 84, "turned": 22}),
        (
            "windmill-blue",
            {"wall": "#dee2e6", "cap": "#1d4e89", "cloth": "#ffffff", "turned": 45,
             "door": "#bc4749", "tulips": ("#ff6d00", "#ff6d00", "#ff6d00"), "side": -1},
            {"turned": 34},
        ),
        (
            "windmill-brown",
            {"wall": "#d4a373", "cap": "#582f0e", "cloth": "#faedcd", "turned": 10,
             "window": 78},
            {"patch": 1},
        ),
    ),
}  # fmt: skip
