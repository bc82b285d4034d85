"""Open a picture that someone brings, whatever it is and whoever made it."""

from __future__ import annotations

import stat
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from rosegen.errors import RosegenError
from rosegen.sources.pictures.finishing import finished
from rosegen.sources.pictures.ico import decode_ico
from rosegen.sources.pictures.jpeg import decode_jpeg
from rosegen.sources.pictures.kind import kind_of
from rosegen.sources.pictures.model import Decoded, Picture
from rosegen.sources.pictures.png import decode_png
from rosegen.sources.pictures.raster import decode_raster
from rosegen.sources.pictures.refusal import Refusal, one_line, shown
from rosegen.sources.pictures.size import LARGEST_SIDE, MOST_PIXELS
from rosegen.sources.pictures.svg import decode_svg
from rosegen.sources.pictures.tiff import decode_tiff

_MOST_BYTES = 128 << 20


def open_picture(path: Path, *, max_side: int = LARGEST_SIDE, svg_side: int = 512) -> Picture:
    """Read one picture: PNG, JPEG, GIF, WebP, BMP, ICO, TIFF or SVG, told by its content.

    The first frame or page is taken, and the largest size of an icon. Colours with an ICC profile
    are converted to sRGB; 16 bits a channel become 8 by rounding (65535 is 255).

    Args:
        path: the file.
        max_side: the most pixels a side may have; an SVG's stated width and height count, too.
        svg_side: pixels of the longer side that an SVG is drawn with, at most ``max_side``.

    Raises:
        RosegenError: it is no such picture, is damaged, has more than 40 million pixels or 128
            MiB, shows nothing, or cannot be shown rightly; one line that says what to do.
    """
    with _named(str(path)):
        return _picture_of(_bytes_of(path), max_side, svg_side)


def open_picture_bytes(
    data: bytes, name: str, *, max_side: int = LARGEST_SIDE, svg_side: int = 512
) -> Picture:
    """Read one picture that is no file of its own, such as a member of an archive.

    Args:
        data: what the file would hold.
        name: what messages call it.
        max_side: as for ``open_picture``.
        svg_side: as for ``open_picture``.

    Raises:
        RosegenError: as for ``open_picture``.
    """
    with _named(name):
        return _picture_of(data, max_side, svg_side)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Refuse by this name."""
    try:
        yield
    except Refusal as refusal:
        raise RosegenError(f"{shown(name)}: {refusal}") from refusal


def _bytes_of(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise Refusal("is a folder, not a picture: name a file in it")
        if not stat.S_ISREG(mode):  # a pipe would be waited for without end
            raise Refusal("is not a plain file: name a picture file")
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        if path.is_symlink():
            raise Refusal("is a link to a file that is not there: mend the link") from error
        raise Refusal("is not there: check the name") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Refusal(f"cannot be read ({reason}): check its name and permissions") from error


def _picture_of(data: bytes, max_side: int, svg_side: int) -> Picture:
    if not data:
        raise Refusal("is empty (0 bytes): bring the picture again")
    if len(data) > _MOST_BYTES:
        raise Refusal(f"is larger than {_MOST_BYTES >> 20} MiB: make it smaller")
    kind = kind_of(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return finished(_decoded(data, kind, max_side, min(svg_side, max_side)))
    except Refusal:
        raise
    except Image.DecompressionBombError as error:
        raise Refusal(f"has more than {MOST_PIXELS} pixels: make it smaller") from error
    except MemoryError as error:
        raise Refusal("needs more memory than there is: make it smaller") from error
    except Exception as error:  # there is nothing a decoder might not raise, fed with nonsense
        reason = one_line(str(error)) or type(error).__name__
        if isinstance(error, UnidentifiedImageError):
            reason = "its header makes no sense"
        elif isinstance(error, struct.error):
            reason = "it ends before the picture does"
        raise Refusal(_damaged(kind, reason)) from error


def _decoded(data: bytes, kind: str, max_side: int, svg_side: int) -> Decoded:
    if kind == "SVG":
        return decode_svg(data, max_side, svg_side)
    if kind == "PNG":
        return decode_png(data, max_side)
    if kind == "ICO":
        return decode_ico(data, max_side)
    if kind == "JPEG":
        return decode_jpeg(data, max_side)
    if kind == "TIFF":
        return decode_tiff(data, max_side)
    return decode_raster(data, kind, max_side)


def _damaged(kind: str, reason: str) -> str:
    return (
        f"cannot be read as {kind}; it is damaged, cut short or unusual ({reason}): bring it "
        "again, or save it as PNG where it opens"
    )
