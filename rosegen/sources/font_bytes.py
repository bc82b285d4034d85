"""The bytes of a font file: unpacked when it is a web font, its tables found and looked over.

HarfBuzz never trusts a length or an offset, and sees a broken table as an empty one. So what would
pass unseen is checked here: that every table lies inside the file, and that those no face can do
without are there.
"""

from __future__ import annotations

import io
import struct
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import uharfbuzz as hb
from fontTools.ttLib import TTFont
from fontTools.ttLib.woff2 import WOFF2DirectoryEntry

from rosegen.errors import RosegenError

_NEEDED = ("cmap", "head", "maxp")
_SFNT_KINDS = (b"\x00\x01\x00\x00", b"OTTO", b"true")
_MOST_FACES = 1024
_MOST_UNPACKED = 1 << 28  # bytes a packed web font may grow to: twice the largest pan-CJK face
_PART = 16  # bytes of a woff2 file unpacked at a time; not even they grow to 64 MiB
_LONGEST_NAME = 200


def plain(text: str) -> str:
    """The text in one line that can be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def short(name: str) -> str:
    """The name, cut when nobody would want to read on."""
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


@lru_cache(maxsize=16)
def blob(path: str) -> Any:
    """The file as HarfBuzz reads it: mapped into memory, or unpacked."""
    unpacked = _unpacked(path)
    if unpacked is not None:
        return hb.Blob(unpacked)
    try:
        return hb.Blob.from_file_path(path)
    except (OSError, hb.HarfBuzzError) as error:
        raise RosegenError(f"{path}: cannot read the font ({error})") from error


def open_bytes(path: Path) -> BinaryIO:
    """The font's bytes, unpacked, to be read from any place."""
    unpacked = _unpacked(str(path))
    return path.open("rb") if unpacked is None else io.BytesIO(unpacked)


def face_offsets(path: Path) -> tuple[int, ...]:
    """Where each face's table directory starts (OpenType 1.9.1, "Font Collections")."""
    with open_bytes(path) as stream:
        start = stream.read(12)
        if start[:4] in _SFNT_KINDS:
            return (0,)
        if start[:4] != b"ttcf":
            raise RosegenError(
                f"{path}: not a font that can be read (wanted: ttf, otf, ttc, otc, woff, woff2)"
            )
        count = struct.unpack(">L", start[8:])[0] if len(start) == 12 else 0
        if not 1 <= count <= _MOST_FACES:
            raise RosegenError(f"{path}: a collection of {count} faces (wanted 1 to {_MOST_FACES})")
        offsets = stream.read(4 * count)
    if len(offsets) < 4 * count:
        raise RosegenError(f"{path}: the file is cut short in its list of faces")
    return struct.unpack(f">{count}L", offsets)


def read_tables(stream: BinaryIO, offset: int, place: str) -> dict[str, tuple[int, int]]:
    """Tag to offset and length of a face's tables, all inside the file.

    Args:
        stream: the font's bytes.
        offset: where the face's table directory starts.
        place: the file and face, for errors.
    """
    size = stream.seek(0, io.SEEK_END)
    stream.seek(offset)
    header = stream.read(12)
    if len(header) < 12 or header[:4] not in _SFNT_KINDS:
        raise RosegenError(f"{place}: no table directory where the face should start")
    count = struct.unpack_from(">H", header, 4)[0]
    directory = stream.read(16 * count)
    if len(directory) < 16 * count:
        raise RosegenError(f"{place}: the file is cut short in its table directory")
    tables = {}
    for tag, _, start, length in struct.iter_unpack(">4sLLL", directory):
        name = tag.decode("latin-1")
        if start + length > size:
            raise RosegenError(
                f"{place}: table {plain(name)!r} ends at byte {start + length}, the file at {size}"
            )
        tables[name] = (start, length)
    missing = [tag for tag in _NEEDED if tag not in tables]
    if missing:
        raise RosegenError(f"{place}: the font has no table {', '.join(missing)}")
    return tables


def check_head(stream: BinaryIO, table: tuple[int, int], place: str) -> None:
    """HarfBuzz would take 1000 units to the em for a broken ``head`` table, without a word."""
    stream.seek(table[0])
    head = stream.read(min(table[1], 20))
    magic, units = struct.unpack_from(">L2xH", head, 12) if len(head) == 20 else (0, 0)
    if magic != 0x5F0F3CF5 or not 16 <= units <= 16384:
        raise RosegenError(f"{place}: the head table is broken")


@lru_cache(maxsize=16)
def _unpacked(path: str) -> bytes | None:
    """The font inside a woff or woff2 file; None for a file that is not packed."""
    try:
        with Path(path).open("rb") as stream:
            kind = stream.read(4)
    except OSError as error:
        raise RosegenError(f"{path}: cannot read the font ({error.strerror})") from error
    if kind not in (b"wOFF", b"wOF2"):
        return None
    try:
        return _unpack(path)
    except RosegenError:
        raise
    except ImportError as error:
        raise RosegenError(
            f"{path}: reading woff2 needs the brotli package (pip install brotli); or bring the "
            f"ttf or otf"
        ) from error
    except MemoryError as error:
        raise RosegenError(f"{path}: the web font is too large to unpack") from error
    except Exception as error:  # fontTools lets through whatever a broken file makes it trip over
        detail = short(plain(str(error))) or type(error).__name__
        raise RosegenError(f"{path}: the web font is broken ({detail})") from error


def _unpack(path: str) -> bytes:
    with Path(path).open("rb") as file:
        if file.read(4) == b"wOF2":
            _check_brotli(file, path)
    with TTFont(path, recalcBBoxes=False, recalcTimestamp=False, lazy=True) as font:
        entries = list(font.reader.tables.values())
        if sum(entry.origLength for entry in entries) > _MOST_UNPACKED:
            raise RosegenError(f"{path}: the web font unpacks to more than {_MOST_UNPACKED} bytes")
        if font.flavor == "woff":
            for entry in entries:
                _check_deflated(font.reader.file, entry, path)
        font.flavor = None
        out = io.BytesIO()
        font.save(out, reorderTables=None)
    return out.getvalue()


def _check_brotli(file: BinaryIO, path: str) -> None:
    """fontTools unpacks a woff2 file whole before it looks at its length: no bomb may reach it."""
    from brotli import Decompressor  # type: ignore[import-untyped]  # noqa: PLC0415

    file.seek(0)
    tables, packed = struct.unpack(">12xH6xL24x", file.read(48))  # WOFF 2.0, 4.1
    length = 0
    for _ in range(tables):
        entry = WOFF2DirectoryEntry()
        entry.fromFile(file)
        length += entry.length
    if length > _MOST_UNPACKED:
        raise RosegenError(f"{path}: the web font unpacks to more than {_MOST_UNPACKED} bytes")
    stream, count = Decompressor(), 0
    while packed > 0 and (part := file.read(min(packed, _PART))):
        packed -= len(part)
        count += len(stream.process(part))
        if count > length:
            raise RosegenError(f"{path}: the web font is longer than it says")


def _check_deflated(file: BinaryIO, entry: Any, path: str) -> None:
    """fontTools inflates a table whole before it looks at its length: no bomb may reach it."""
    if entry.length == entry.origLength:
        return
    file.seek(entry.offset)
    inflater = zlib.decompressobj()
    inflater.decompress(file.read(entry.length), entry.origLength + 1)
    if inflater.unconsumed_tail:
        raise RosegenError(f"{path}: table {plain(str(entry.tag))!r} is longer than it says")
