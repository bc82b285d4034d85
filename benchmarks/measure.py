"""Time several ways of doing one thing, in turns, and take their peak memory.

The ways run one after another in every round, so that whatever else the machine does falls on all
of them; a ratio is taken within a round, and the median of the rounds is reported.
"""

from __future__ import annotations

import ctypes
import gc
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows: there is no peak memory to be had
    resource = None  # type: ignore[assignment]

MB = 1_000_000


@dataclass(frozen=True)
class Way:
    """One way of doing the thing: its name and a call without arguments that does it all."""

    name: str
    run: Callable[[], Any]


@dataclass(frozen=True)
class Line:
    """What was measured of one way.

    ``median`` is in seconds, ``spread`` the interquartile range as a share of it, ``ratio`` how
    many times as fast as the first way, ``memory`` in bytes (None when it cannot be told).
    """

    way: str
    median: float
    spread: float
    ratio: float
    memory: int | None
    output: str = ""


@dataclass(frozen=True)
class Table:
    """One comparison. ``lines`` start with the obvious way; ``notes`` say what else was seen."""

    title: str
    rounds: int
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()


def compare(
    title: str,
    ways: Sequence[Way],
    rounds: int,
    check: Callable[[Sequence[Any]], Sequence[str]],
    output: Callable[[Any], str] = lambda result: "",
) -> Table:
    """Check that all ways give the same, then measure them.

    Args:
        title: what is compared, and on what.
        ways: the obvious way first.
        rounds: how often each is timed, at least 1.
        check: given the results in order, returns notes for the table, or raises.
        output: what the table shows of a result, such as its size.

    Raises:
        RosegenError: from ``check``, when two ways do not give the same.
    """
    results = [way.run() for way in ways]
    notes = check(results)
    outputs = [output(result) for result in results]
    del results
    memory = [peak_growth(way.run) for way in ways]
    times = interleaved(ways, rounds)
    return Table(title, rounds, summarise(ways, times, memory, outputs), tuple(notes))


def interleaved(ways: Sequence[Way], rounds: int) -> list[list[float]]:
    """Seconds of every way in every round; each round starts with another way."""
    times: list[list[float]] = [[] for _ in ways]
    for turn in range(rounds):
        for place in range(len(ways)):
            index = (turn + place) % len(ways)
            gc.collect()
            start = time.perf_counter()
            result = ways[index].run()
            times[index].append(time.perf_counter() - start)
            del result  # the next way must find the memory as this one did
    return times


def summarise(
    ways: Sequence[Way],
    times: Sequence[Sequence[float]],
    memory: Sequence[int | None],
    outputs: Sequence[str],
) -> tuple[Line, ...]:
    """A line for each way."""
    lines = []
    for index, way in enumerate(ways):
        median = statistics.median(times[index])
        ratio = statistics.median(first / own for first, own in zip(times[0], times[index]))
        spread = _interquartile(times[index]) / median
        lines.append(Line(way.name, median, spread, ratio, memory[index], outputs[index]))
    return tuple(lines)


def _interquartile(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def peak_growth(run: Callable[[], Any]) -> int | None:
    """Bytes by which a forked child's resident memory grows at most while it does ``run``.

    Unlike tracemalloc this sees what libraries allocate in C. Pages of files (the code of those
    libraries, new to a child that was just forked) are left out where the system tells them apart.
    None where there is no fork.
    """
    if resource is None or not hasattr(os, "fork"):
        return None
    _return_free_memory()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # A BLAS keeps threads; it has its own handlers that make forking safe.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            before = peak_rss(resource.RUSAGE_SELF) - _file_pages()
            result = run()  # held, so that its own size counts
            after = peak_rss(resource.RUSAGE_SELF) - _file_pages()
            os.write(writer, str(max(after - before, 0)).encode())
            del result
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        grown = pipe.read()
    os.waitpid(child, 0)
    return int(grown) if grown else None


def peak_rss(who: int) -> int:
    """Peak resident memory in bytes; ``who`` is one of ``resource``'s RUSAGE constants."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit


def _file_pages() -> int:
    """Resident bytes of mapped files; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssFile"))
    except (OSError, StopIteration):
        return 0


def _return_free_memory() -> None:
    """Give freed memory back to the system, lest a child reuse it and seem to need none."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def as_text(table: Table) -> str:
    """The table in aligned columns."""
    rows = [("way", "median", "spread", "ratio", "memory", "output")]
    for line in table.lines:
        memory = "-" if line.memory is None else f"{line.memory / MB:.1f} MB"
        rows.append(
            (
                line.way,
                _duration(line.median),
                f"{line.spread:.0%}",
                f"{line.ratio:.3g}x" if line.ratio < 100 else f"{line.ratio:.0f}x",
                memory,
                line.output,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    texts = [f"{table.title} ({table.rounds} rounds)"]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        texts.append("  ".join(["  " + row[0].ljust(widths[0]), *cells]).rstrip())
    return "\n".join([*texts, *(f"  {note}" for note in table.notes)])


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"
