"""What this machine has, what a build would miss, and the command that mends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import islice
from pathlib import Path

from packaging.requirements import Requirement
from PIL import features

import rosegen
from rosegen.doctor_pipeline import examine_pipeline
from rosegen.engine.local import available_cores
from rosegen.errors import RosegenError
from rosegen.findings import Finding
from rosegen.packs import OpenPack, cache_dir, fetch, load_packs, status
from rosegen.sources.font_file import FontFace, characters, list_faces
from rosegen.sources.pictures import open_picture_bytes
from rosegen.sources.registry import broken_kinds, kinds
from rosegen.sources.text_tile import draw

_LEAST_FREE = 2.0  # GB: the packs take 0.3, the whole of ROSE v0.1 0.15, and both twice for a while
_TRIED = 32  # characters of a font, of which one must leave ink


def examine(pipeline: Path | str | None = None) -> list[Finding]:
    """Everything a build depends on, each as one finding.

    Args:
        pipeline: a file, or a shipped one's name: look whether it can be built, rather than
            whether the packs of the shipped ones are at hand.
    """
    findings = [
        Finding("rosegen", True, rosegen.__version__),
        Finding(
            "python",
            sys.version_info >= (3, 10),
            sys.version.split()[0],
            "install Python 3.10 or newer",
        ),
        Finding("cores", True, str(available_cores())),
        *_requirements(),
        *_drawing(),
        *_clients(),
        _free("cache", cache_dir(), "set ROSEGEN_CACHE to another folder"),
        _free("here", Path.cwd(), "build on another disk"),
        *(_packs() if pipeline is None else ()),
        *_sources(),
    ]
    return findings if pipeline is None else findings + list(examine_pipeline(pipeline))


def _requirements() -> Iterator[Finding]:
    """The packages rosegen needs: each that is not as it must be, or all in one line."""
    try:
        wanted = [Requirement(text) for text in requires("rosegen") or ()]
    except PackageNotFoundError:
        yield Finding("packages", True, "rosegen runs uninstalled: what it needs was not looked at")
        return
    wrong = 0
    for need in wanted:
        if need.marker is not None and not need.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(need.name)
        except PackageNotFoundError:
            found = ""
        if not found or not need.specifier.contains(found, prereleases=True):
            wrong += 1
            yield Finding(need.name, False, found or "absent", f"pip install '{need}'")
    if not wrong:
        yield Finding("packages", True, "all that rosegen needs, in versions it can use")


def _drawing() -> Iterator[Finding]:
    """What draws, tried."""
    freetype, mend = features.version("freetype2"), "pip install --force-reinstall pillow"
    yield Finding("freetype", bool(freetype), freetype or "Pillow has none", mend)
    raqm = features.version("raqm")
    yield Finding(
        "raqm", True, f"{raqm or 'absent'} (not used: texts are shaped by HarfBuzz in uharfbuzz)"
    )
    yield _tried("resvg", "resvg-py", _draws_svg)
    yield _tried("harfbuzz", "uharfbuzz", _draws_text)


def _tried(what: str, package: str, trial: object) -> Finding:
    mend = f"pip install --force-reinstall {package}"
    try:
        detail = trial()  # type: ignore[operator]
    except RosegenError as error:
        return Finding(what, False, f"{version(package)}: {error}", mend)
    return Finding(what, True, f"{version(package)}: {detail}")


def _draws_svg() -> str:
    svg = (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">'
        b'<rect width="8" height="4" fill="#f00"/></svg>'
    )
    rgba = open_picture_bytes(svg, "a trial", svg_side=8).rgba
    if tuple(rgba[1, 1]) != (255, 0, 0, 255) or rgba[6, 1, 3] != 0:
        raise RosegenError("draws a red half as something else")
    return "draws"


def _draws_text() -> str:
    font = next(_cached_fonts(), None)
    if font is None:
        return "not tried, no font is cached"
    for rel in font.files:
        if rel.lower().endswith((".ttf", ".otf", ".ttc")):
            face = list_faces(font.path(rel))[0]
            return f"draws {_drawn_in(face)} in {face.postscript_name}"
    return "not tried, no plain font is cached"


def _drawn_in(face: FontFace) -> str:
    """A character of the face that leaves ink: ``U+0041``.

    Raises:
        RosegenError: none of the first that ought to does.
    """
    points = sorted(characters(face).mapped)
    visible = (point for point in points if unicodedata.category(chr(point))[0] in "LNPS")
    for point in islice(visible, _TRIED):
        if draw(face, chr(point), 64).any():
            return f"U+{point:04X}"
    raise RosegenError(f"draws nothing in {face.label}")


def _cached_fonts() -> Iterator[OpenPack]:
    for pack in load_packs().values():
        if pack.kind == "fonts" and pack.default and status([pack])[0].cached:
            yield fetch(pack, offline=True)


def _clients() -> Iterator[Finding]:
    """What brings packs."""
    result = subprocess.run(
        [sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False
    )
    pip = " ".join(result.stdout.split()[:2])
    yield Finding("pip", bool(pip), pip or "absent", "python -m ensurepip")
    npm = shutil.which("npm")
    yield Finding("npm", True, npm or "absent (packs of npm need it: install Node.js)")


def _free(what: str, folder: Path, mend: str) -> Finding:
    nearest = folder
    while not nearest.exists():
        nearest = nearest.parent
    free = shutil.disk_usage(nearest).free / 1e9
    if not nearest.is_dir():
        inside = "" if nearest == folder else f"{folder}: "
        return Finding(what, False, f"{inside}{nearest} is a file, not a folder", mend)
    if not os.access(nearest, os.W_OK):
        return Finding(what, False, f"{folder} cannot be written", mend)
    return Finding(what, free >= _LEAST_FREE, f"{folder} ({free:.1f} GB free)", mend)


def _packs() -> Iterator[Finding]:
    try:
        rows = status([pack for pack in load_packs().values() if pack.default])
    except RosegenError as error:
        yield Finding("packs", False, str(error), "mend the pack file")
        return
    missing = [row.name for row in rows if not row.cached]
    if missing:
        detail = f"not cached: {', '.join(missing)}"
        yield Finding("packs", False, detail, f"rosegen assets fetch {' '.join(missing)}")
    else:
        yield Finding("packs", True, f"{len(rows)} cached")


def _sources() -> Iterator[Finding]:
    """The kinds of sources, and those of installed packages that cannot be loaded."""
    broken = broken_kinds()
    yield Finding("kinds", True, ", ".join(kinds()))
    for name, reason in broken.items():
        yield Finding(f"kind {name}", False, reason, "mend or uninstall the package")
