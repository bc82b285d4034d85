"""What draws and measures: the versions that a release records."""

from __future__ import annotations

import platform
import zlib
from importlib.metadata import version

import numpy
import PIL
from PIL import features

import rosegen


def toolchain() -> dict[str, str]:
    """Name to version of everything whose version could show in a pixel or a measure."""
    return {
        "rosegen": rosegen.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "pillow": PIL.__version__,
        "freetype": features.version_module("freetype2") or "absent",
        "resvg_py": version("resvg_py"),
        "blackrenderer": version("blackrenderer"),
        "uharfbuzz": version("uharfbuzz"),
        "fonttools": version("fonttools"),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }
