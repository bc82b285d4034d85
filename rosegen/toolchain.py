"""What draws and measures: the versions that a release records."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from types import MappingProxyType

import numpy
import PIL
from PIL import features

import rosegen


@cache
def toolchain() -> Mapping[str, str]:
    """Name to version of everything whose version could show in a pixel or a measure."""
    return MappingProxyType(
        {
            "rosegen": rosegen.__version__,
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "pillow": PIL.__version__,
            "freetype": features.version_module("freetype2") or "absent",
            "resvg_py": version("resvg_py"),
            "blackrenderer": version("blackrenderer"),
            "uharfbuzz": version("uharfbuzz"),
            "fonttools": version("fonttools"),
            "zlib-ng": version("zlib-ng"),
        }
    )
