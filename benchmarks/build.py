"""Building and verifying a whole release by the command line: seconds and memory by workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import MB, Table, Way, interleaved, summarise
from rosegen.errors import RosegenError
from rosegen.packs import cache_dir

ROUNDS = 3

# Runs the command line, then reports the peak memory of this process and of its largest child.
# VmHWM is preferred: the peak that getrusage gives a child begins with that of its parent.
_PROGRAM = """
import json, resource, sys
from rosegen.cli import main
code = 0
try:
    main(sys.argv[1:])
except SystemExit as stop:
    code = stop.code
unit = 1 if sys.platform == "darwin" else 1024
own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
try:
    with open("/proc/self/status") as lines:
        own = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
except (OSError, StopIteration):
    pass
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
print(json.dumps([own, child]))
sys.exit(code)
"""


@dataclass(frozen=True)
class Peak:
    """Peak resident memory in bytes; pages shared after a fork count in both."""

    parent: int
    worker: int  # the largest


@dataclass
class Desk:
    """A folder to work in, with as many empty caches as are asked for."""

    root: Path
    pipeline: str
    caches: int = 0
    outs: list[Path] = field(default_factory=list)

    def build(self, workers: int, cold: bool) -> Peak:
        """Build the release; ``cold`` with nothing mined yet, but with all packs."""
        out = self.root / f"release-{workers}-{'cold' if cold else 'warm'}"
        cache = self._empty_cache() if cold else cache_dir()
        arguments = ["build", self.pipeline, "--out", str(out), "--force", "--offline"]
        return _run([*arguments, "--workers", str(workers)], cache)

    def verify(self, workers: int) -> Peak:
        """Verify the release that one worker built."""
        release = self.root / "release-1-warm"
        return _run(["verify", str(release), "--workers", str(workers)], cache_dir())

    def _empty_cache(self) -> Path:
        self.caches += 1
        cache = self.root / f"cache-{self.caches}"
        cache.mkdir()
        (cache / "packs").symlink_to((cache_dir() / "packs").resolve(), target_is_directory=True)
        return cache


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """A table for building and one for verifying."""
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder), "demo" if tiny else "rose-v0.1")
        desk.build(2, cold=False)  # now everything is mined
        yield _table(
            f"rosegen build {desk.pipeline}",
            [
                Way("1 worker", lambda: desk.build(1, cold=False)),
                Way("2 workers", lambda: desk.build(2, cold=False)),
                Way("1 worker, nothing mined", lambda: desk.build(1, cold=True)),
                Way("2 workers, nothing mined", lambda: desk.build(2, cold=True)),
            ],
            rounds,
        )
        yield _table(
            f"rosegen verify of {desk.pipeline}",
            [
                Way("1 worker", lambda: desk.verify(1)),
                Way("2 workers", lambda: desk.verify(2)),
            ],
            rounds,
        )


def _table(title: str, ways: Sequence[Way], rounds: int) -> Table:
    peaks: list[list[Peak]] = [[] for _ in ways]
    noting = [
        Way(way.name, lambda way=way, own=own: own.append(way.run()))
        for way, own in zip(ways, peaks)
    ]
    times = interleaved(noting, rounds)
    memory = [max(peak.parent for peak in own) for own in peaks]
    workers = [max(peak.worker for peak in own) for own in peaks]
    shown = [f"largest worker {peak / MB:.0f} MB" if peak else "" for peak in workers]
    return Table(title, rounds, summarise(ways, times, memory, shown))


def _run(arguments: Sequence[str], cache: Path) -> Peak:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments, "--quiet"],
        env={**os.environ, "ROSEGEN_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        why = " ".join(last) or "it said nothing"
        raise RosegenError(
            f"build: rosegen {arguments[0]} ended with code {done.returncode}: {why}; "
            "a negative code is a signal (9: killed, for want of memory perhaps): run it again"
        )
    return Peak(*json.loads(done.stdout.splitlines()[-1]))
