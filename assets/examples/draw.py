"""Draw the example art anew: ``python draw.py [FOLDER]``, by default beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

from draw_dials import DIALS
from draw_scenes import SCENES
from draw_svg import picture


def main(folder: Path) -> None:
    """Write every picture below ``folder``."""
    pictures = {
        f"dials/{name}-{at}.svg": draw(**state)
        for name, (draw, states) in DIALS.items()
        for at, state in enumerate(states, 1)
    }
    for draw, versions in SCENES.items():
        for name, version, edit in versions:
            pictures[f"scenes/{name}.svg"] = draw(**version)
            pictures[f"scenes/{name}.edit.svg"] = draw(**{**version, **edit})
    for name, drawing in pictures.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture(drawing).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
