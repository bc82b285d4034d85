"""Pictures made on the spot for the tests of reading them, and what a reading gives."""

from __future__ import annotations

import io
import struct
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import tifffile
from PIL import Image

from rosegen.errors import RosegenError
from rosegen.sources.pictures import Picture, open_picture
from tests.core_maker import noise
from tests.sources.pictures.profile_maker import cmyk_profile, rgb_profile

Pixels = npt.NDArray[np.uint8]
Samples = npt.NDArray[np.integer[Any]]


def reading(tmp_path: Path, data: bytes, **options: int) -> Picture:
    """What comes of these bytes in a file."""
    path = tmp_path / "picture"
    path.write_bytes(data)
    return open_picture(path, **options)


def refusal(tmp_path: Path, data: bytes, **options: int) -> str:
    """Why a file of these bytes is refused, in one line, without its name."""
    with pytest.raises(RosegenError) as caught:
        reading(tmp_path, data, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{tmp_path / 'picture'}: ")
    return text.removeprefix(f"{tmp_path / 'picture'}: ")


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    """A file as Pillow writes it."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def opaque(rgb: Pixels) -> Pixels:
    """RGBA of (height, width, 3)."""
    return np.dstack([rgb, np.full(rgb.shape[:2], 255, np.uint8)])


def grey(plane: Pixels) -> Pixels:
    """RGB of (height, width)."""
    return np.dstack([plane] * 3)


# A PNG writer of its own, which knows every depth, filter and order of rows.


def chunk(kind: bytes, content: bytes) -> bytes:
    crc = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + crc


def paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def rows_of(samples: Samples, depth: int) -> bytes:
    """Filtered rows of samples (height, width, bands), each filter in its turn."""
    height, _, bands = samples.shape
    step, out, above = max(1, depth * bands // 8), b"", None
    for number in range(height):
        flat = samples[number].reshape(-1)
        if depth == 16:
            row = flat.astype(">u2").tobytes()
        else:
            bits = (flat[:, None] >> np.arange(depth - 1, -1, -1)) & 1
            row = np.packbits(bits.astype(np.uint8).reshape(-1)).tobytes()
        above = above or bytes(len(row))
        method, packed = number % 5, bytearray()
        for i, value in enumerate(row):
            left, up = (row[i - step] if i >= step else 0), above[i]
            corner = above[i - step] if i >= step else 0
            guess = (0, left, up, (left + up) // 2, paeth(left, up, corner))[method]
            packed.append((value - guess) & 255)
        out += bytes([method]) + bytes(packed)
        above = row
    return out


ADAM7 = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)


def png(
    samples: Samples, depth: int, colour: int, interlaced: bool = False, extra: bytes = b""
) -> bytes:
    """A PNG of samples (height, width[, bands]); ``extra`` stands before its pixels."""
    samples = samples if samples.ndim == 3 else samples[..., None]
    height, width, _ = samples.shape
    parts = [samples]
    if interlaced:
        parts = [samples[top::down, left::right] for top, left, down, right in ADAM7]
    body = b"".join(rows_of(part, depth) for part in parts if part.size)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + extra
        + chunk(b"IDAT", zlib.compress(body))
        + chunk(b"IEND", b"")
    )


def deep(seed: int, *shape: int) -> npt.NDArray[np.uint16]:
    """Noise of 16 bits, with the values in it that rounding turns on."""
    values = np.random.default_rng(seed).integers(0, 65536, shape).astype(np.uint16)
    flat = values.reshape(-1)
    edges = np.array([0, 128, 129, 256, 257, 65280, 65406, 65407, 65535], np.uint16)[: flat.size]
    flat[: edges.size] = edges
    return values


def to_eight(samples: npt.NDArray[np.uint16]) -> Pixels:
    """Samples of 0 to 65535 to the nearest of 0 to 255."""
    return np.rint(samples / 257).astype(np.uint8)


def tiff(samples: npt.NDArray[Any], order: Any = "<", **options: Any) -> bytes:
    """A TIFF as tifffile writes it."""
    file = io.BytesIO()
    with tifffile.TiffWriter(file, byteorder=order) as writer:
        writer.write(samples, **options)
    return file.getvalue()


HEAD = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
BOX = '<rect x="2" y="2" width="6" height="6" fill="#c83c5a"/>'


def svg(body: str = BOX, size: str = 'viewBox="0 0 20 10"') -> bytes:
    """An SVG; a box on a canvas of 20 x 10 unless told otherwise."""
    return f"<svg {HEAD} {size}>{body}</svg>".encode()


@lru_cache(maxsize=1)
def samples() -> dict[str, bytes]:
    """A good file of each kind and coding."""
    pixels = noise(1, 17, 23, 4) | np.array([0, 0, 0, 1], np.uint8)
    image = Image.fromarray(pixels)
    rgb = image.convert("RGB")
    few = rgb.quantize(40)
    others = [few.transpose(Image.Transpose.FLIP_LEFT_RIGHT)]
    exif = Image.Exif()
    exif[0x0112] = 6
    extras = {"icc_profile": rgb_profile((2, 1, 0)), "exif": exif}
    return {
        "png": saved(image, "PNG", **extras),
        "deep png": png(deep(1, 5, 6, 2), 16, 4, interlaced=True),
        "palette png": saved(few, "PNG", transparency=3),
        "animated png": saved(rgb, "PNG", save_all=True, append_images=others),
        "jpeg": saved(rgb, "JPEG", **extras),
        "progressive jpeg": saved(rgb, "JPEG", progressive=True),
        "cmyk jpeg": saved(rgb.convert("CMYK"), "JPEG", icc_profile=cmyk_profile()[:900]),
        "gif": saved(few, "GIF", transparency=3),
        "animated gif": saved(few, "GIF", save_all=True, append_images=others),
        "webp": saved(image, "WEBP", **extras),
        "lossless webp": saved(image, "WEBP", lossless=True),
        "animated webp": saved(rgb, "WEBP", save_all=True, append_images=others, lossless=True),
        "bmp": saved(rgb, "BMP"),
        "palette bmp": saved(few, "BMP"),
        "ico": saved(image.resize((32, 32)), "ICO", sizes=[(16, 16), (32, 32)]),
        "bmp ico": saved(image.resize((32, 32)), "ICO", sizes=[(16, 16)], bitmap_format="bmp"),
        "tiff": saved(image, "TIFF", **extras),
        "lzw tiff": saved(image, "TIFF", compression="tiff_lzw"),
        "jpeg tiff": saved(rgb, "TIFF", compression="jpeg"),
        "deep tiff": tiff(deep(1, 5, 6, 3), photometric="rgb", compression="zlib"),
        "paged tiff": saved(rgb, "TIFF", save_all=True, append_images=others),
        "svg": svg(),
    }
