"""Draw an SVG in a process of its own.

A drawing may overflow the renderer's stack, ask for more memory than there is (which ends the
process) or take for ever.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import resvg_py

from rosegen.sources.pictures.refusal import Refusal, one_line

_DRAWING_SECONDS = 30
_DRAWING_BYTES = 4 << 30

_DRAW = """
import sys
sys.path.insert(0, sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]),) * 2)
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
    command = [sys.executable, "-I", "-S", "-c", _DRAW, place, str(side), str(_DRAWING_BYTES)]
    try:
        done = subprocess.run(
            command, input=svg, capture_output=True, timeout=_DRAWING_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Refusal("takes too long to draw: save it as PNG") from error
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["the renderer stopped"]
    raise Refusal(f"cannot be drawn ({one_line(lines[0])}): save it as PNG")
