"""Keep standard error quiet while a library in C reads a broken file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_SILENCE = threading.Lock()


@contextmanager
def silenced() -> Iterator[None]:
    """Keep the whole process from writing to standard error.

    libtiff writes there about every broken file, past Python, and Pillow does not stop it.
    """
    with _SILENCE, ExitStack() as stack:
        try:
            kept = os.dup(2)
        except OSError:  # it is closed, and all is silent
            yield
            return
        stack.callback(os.close, kept)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, nowhere)
        os.dup2(nowhere, 2)
        stack.callback(os.dup2, kept, 2)
        yield
