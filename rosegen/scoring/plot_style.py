"""What all plots share: colours, type, and how a figure becomes the same bytes every time."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, LINE, PAPER = "#1a1a1a", "#5f6368", "#d8dadf", "#ffffff"
# Told apart by people with any of the common colour deficiencies (Okabe and Ito 2008).
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
MARKERS = ("o", "s", "^", "D", "v", "P")
# The five tasks: counting in blues, action in oranges, told apart by lightness, too.
TASK_COLOURS = ("#0b5394", "#6fb1da", "#fbb161", "#e0560f", "#86290a")
WIDTH = 7.0  # inches: the text of a page with two columns
_DPI = 200

# Fonts with the characters that the one matplotlib brings has not, where they are installed.
_OTHER_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Zen Hei",
)
_FONTS = re.compile(r"('DejaVu Sans'(?:, '[^']*')*)")
_SETTINGS: dict[str, Any] = {
    "font.size": 8,
    "text.parse_math": False,  # a model may have dollars in its name
    "text.color": INK,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.labelsize": 8,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.6,
    "axes.facecolor": PAPER,
    "axes.axisbelow": True,
    "axes.grid.axis": "y",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": PAPER,
    "figure.titlesize": 9.5,
    "figure.titleweight": "bold",
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "rosegen",
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 7.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 7.5,
}
# In a page, colours have names, so that a dark page can have others: --model-1, --task-1 ...
PAGE_COLOURS = {
    **{INK: "ink", MUTED: "muted", LINE: "line", PAPER: "paper"},
    **{tint: f"model-{place}" for place, tint in enumerate(PALETTE, start=1)},
    **{tint: f"task-{place}" for place, tint in enumerate(TASK_COLOURS, start=1)},
}


@dataclass(frozen=True)
class Plot:
    """A finished plot."""

    name: str  # of its files
    title: str
    note: str  # how to read it
    alt: str  # what it shows, for those who do not see it
    svg: str
    png: bytes


def finished(name: str, figure: Figure, title: str, note: str, alt: str) -> Plot:
    """Write a figure out, without dates or versions."""
    figure.suptitle(title, x=0.01, ha="left")
    files = {}
    empty: dict[str, dict[str, Any]] = {
        "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
        "png": {"Software": None},
    }
    for kind, metadata in empty.items():
        file = io.BytesIO()
        figure.savefig(file, format=kind, dpi=_DPI, metadata=metadata)
        files[kind] = file.getvalue()
    svg = re.sub(
        r"<[^>]+>", lambda tag: _FONTS.sub(r"\1, sans-serif", tag[0]), files["svg"].decode()
    )
    return Plot(name, title, note, alt, svg, files["png"])


def inlined(plot: Plot) -> str:
    """The SVG as an element of an HTML document, which scales with the page.

    It has no prologue, name space or style sheet (that would be the whole page's); its ids are its
    own (those of two figures are alike); its colours are CSS variables: ``--ink``, ``--muted``,
    ``--line``, ``--paper``, and those of models and tasks from ``--model-1`` and ``--task-1``.
    """
    text = plot.svg[plot.svg.index("<svg") :]
    text = re.sub(
        r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL
    )
    text = re.sub(r"<[^>]+>", lambda tag: _own(tag[0], plot.name), text)
    return re.sub(r"^<svg[^>]*>", _head, text)


def _own(tag: str, prefix: str) -> str:
    tag = re.sub(r"\s+xmlns(:\w+)?=\"[^\"]*\"", "", tag)
    tag = re.sub(r"(\bid=\"|url\(#|href=\"#)", rf"\g<1>{prefix}-", tag)
    return re.sub(
        r": (#[0-9a-f]{6})\b",
        lambda tint: f": var(--{PAGE_COLOURS[tint[1]]})" if tint[1] in PAGE_COLOURS else tint[0],
        tag,
    )


def _head(tag: re.Match[str]) -> str:
    """An SVG's first tag: as wide as its column, in proportion to a figure of full width."""
    box = re.search(r"viewBox=\"0 0 ([\d.]+) [\d.]+\"", tag[0])
    if box is None:
        return tag[0]
    share = 100 * float(box[1]) / (72 * WIDTH)
    return f'<svg {box[0]} style="width: {share:.2f}%" aria-hidden="true">'


@contextmanager
def drawing() -> Iterator[None]:
    """Figures made and written inside look the same, whatever the user's own settings are."""
    import matplotlib  # noqa: PLC0415  # slow to import
    from matplotlib.font_manager import fontManager  # noqa: PLC0415

    installed = {font.name for font in fontManager.ttflist}
    fonts = ["DejaVu Sans", *(name for name in _OTHER_FONTS if name in installed)]
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS | {"font.family": fonts})
        yield


def colour(place: int) -> str:
    """The colour of the n-th model, from 0."""
    return PALETTE[place % len(PALETTE)]


def marker(place: int) -> str:
    """The marker of the n-th model, from 0: a second sign for who cannot tell the colours."""
    return MARKERS[place % len(MARKERS)]


def ink_on(tint: tuple[float, float, float]) -> str:
    """Black or white, whichever is easier to read on a colour (contrast of WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in tint]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Not quite black and white: those are the ink and the paper, which a dark page turns over.
    return "#111111" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#fdfdfd"


def percent_axis(axes: Axes, which: str, high: float = 100.0) -> None:
    """Let an axis run from 0 to ``high`` percent, with a grid."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xlim if which == "x" else axes.set_ylim)(0.0, high)
    axis.set_ticks(range(0, 101, 20))
    axes.grid(True, axis=which)  # type: ignore[arg-type]
