"""Pictures that people bring.

A picture is told by its content. Its size is looked at before anything is decoded, and what cannot
be shown rightly is refused in one line rather than shown wrongly.
"""

from __future__ import annotations

from rosegen.sources.pictures.listing import SUFFIXES, list_pictures, twins
from rosegen.sources.pictures.model import Picture
from rosegen.sources.pictures.opening import open_picture, open_picture_bytes
from rosegen.sources.pictures.size import LARGEST_SIDE

__all__ = [
    "LARGEST_SIDE",
    "SUFFIXES",
    "Picture",
    "list_pictures",
    "open_picture",
    "open_picture_bytes",
    "twins",
]
