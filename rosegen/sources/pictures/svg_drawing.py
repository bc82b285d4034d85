"""Draw an SVG in a process of its own.

A drawing may overflow the renderer's stack, ask for more memory than there is (which ends the
process) or take for ever.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import resvg_py

from rosegen.sources.pictures.refusal import Refusal, one_line

_LEAST_SECONDS, _MOST_SECONDS = 6, 30
"""Of the processor, for a drawing of ``_SMALL`` pixels a side and for the largest.

A usual one takes a twentieth of a second."""
_SMALL = 512
_PATIENCE = 3  # times as long on the clock, where others use the processor, too
_DRAWING_BYTES = 4 << 30

_TOO_LONG = "takes too long to draw: save it as PNG"

_DRAW = """
import sys
sys.path.insert(0, sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]),) * 2)
    seconds = int(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
except (ImportError, ValueError, OSError):
    pass  # not on this system
import resvg_py
svg, side = sys.stdin.buffer.read().decode(), int(sys.argv[2])
try:
    png = resvg_py.svg_to_bytes(
        svg_string=svg, width=side, height=side, dpi=96, skip_system_fonts=True
    )
except ValueError as error:
    sys.exit(str(error))
sys.stdout.buffer.write(bytes(png))
"""


def drawn(svg: bytes, side: int) -> bytes:
    """The PNG of an SVG, its longer side ``side`` pixels.

    Raises:
        Refusal: it cannot be drawn, or not in time.
    """
    place = str(Path(resvg_py.__file__).parent.parent)
    seconds = min(max(_LEAST_SECONDS, _LEAST_SECONDS * side // _SMALL), _MOST_SECONDS)
    limits = [str(side), str(_DRAWING_BYTES), str(seconds)]
    command = [sys.executable, "-I", "-S", "-c", _DRAW, place, *limits]
    try:
        done = subprocess.run(
            command, input=svg, capture_output=True, timeout=_PATIENCE * seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Refusal(_TOO_LONG) from error
    if done.returncode == -getattr(signal, "SIGXCPU", 0) != 0:
        raise Refusal(_TOO_LONG)
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["the renderer stopped"]
    raise Refusal(f"cannot be drawn ({one_line(lines[0])}): save it as PNG")
