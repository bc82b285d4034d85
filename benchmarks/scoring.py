"""``rosegen evaluate`` as a whole process, against the same scores in plain Python.

The plain way (``benchmarks/plain_scoring.py``) parses JSON with the standard library and writes
ROSE's eight files; rosegen writes those and its own (intervals, failures, tables).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.material import rows
from benchmarks.measure import Table, Way, interleaved, summarise
from rosegen.errors import RosegenError

ROUNDS = 7
ITEMS = 5_560  # the test split of ROSE v0.1
MANY = (10_000, 100_000, 1_000_000)  # what scoring_scale scores

# Runs a module as python -m does, then reports the peak memory of the process. VmHWM is preferred:
# the peak that getrusage gives a child begins with that of its parent.
_PROGRAM = """
import resource, runpy, sys
del sys.argv[0]
code = 0
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
except SystemExit as stop:
    code = stop.code
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
peak *= 1 if sys.platform == "darwin" else 1024
try:
    with open("/proc/self/status") as lines:
        peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
except (OSError, StopIteration):
    pass
print(peak, file=sys.stderr)
sys.exit(code)
"""


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """One table."""
    items = 200 if tiny else ITEMS
    with tempfile.TemporaryDirectory() as name:
        desk = Path(name)
        metadata, predictions = write_material(desk, items)
        peaks: list[list[int]] = [[], [], []]
        commands: list[tuple[str, Callable[[], int]]] = [
            (
                "plain Python",
                lambda: run("benchmarks.plain_scoring", metadata, predictions, desk / "a"),
            ),
            ("rosegen evaluate", lambda: run_evaluate(metadata, predictions, desk / "b")),
            ("rosegen --help (start-up)", lambda: run("rosegen", "--help")),
        ]
        for _, command in commands:
            command()
        notes = _check(desk / "a", desk / "b")
        ways = [
            Way(title, lambda command=command, own=own: own.append(command()))
            for (title, command), own in zip(commands, peaks)
        ]
        times = interleaved(ways, rounds)
        lines = summarise(ways, times, [max(own) for own in peaks], ["" for _ in ways])
        yield Table(f"scoring {items:,} predictions, whole processes", rounds, lines, tuple(notes))


def write_material(desk: Path, items: int) -> tuple[Path, Path]:
    """Metadata of so many items, as a release has it, and a third of them answered wrongly.

    The rows are those of the demo, again and again under other ids; the answers are drawn with a
    fixed seed.
    """
    some = [{**row, "split": "test"} for row in rows(5)]
    draw = random.Random(0)
    metadata, predictions = desk / "metadata_test.jsonl", desk / "predictions.jsonl"
    with metadata.open("w", encoding="utf-8") as out, predictions.open("w") as said:
        for number in range(items):
            row = dict(some[number % len(some)])
            copy = number // len(some)
            row["item_id"], row["scene_id"] = (
                f"{row[name]}_{copy:06}" for name in ("item_id", "scene_id")
            )
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            answer = {
                "item_id": row["item_id"],
                "model": "m",
                "raw_text": _answer(row["answer"], draw),
                "error": None,
            }
            said.write(json.dumps(answer) + "\n")
    return metadata, predictions


def _answer(right: str, draw: random.Random) -> str:
    if draw.random() < 2 / 3:
        return right
    return draw.choice(
        [
            right.replace("R1", "R2").replace("(1)", "(2)"),
            f"The answer is {right}",
            "COUNT(0)",
            "CLICK(R3,C3); CLICK(R3,C4); DONE",
            "CLICK(R1,C1); CLICK(R99,C1); SUBMIT(2)",
            "",
        ]
    )


def run_evaluate(metadata: Path, predictions: Path, out: Path) -> int:
    """Score by the command line; return the peak of resident memory in bytes."""
    return run("rosegen", "evaluate", metadata, predictions, "--out", out, "--quiet")


def run(module: str, *arguments: str | Path) -> int:
    """Run a module as a program; return the peak of its resident memory in bytes.

    Raises:
        RosegenError: it ended with an error.
    """
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, module, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:]
        raise RosegenError(f"scoring: {module} ended with code {done.returncode}: {said}")
    return int(done.stderr.splitlines()[-1])


def _check(plain: Path, ours: Path) -> Sequence[str]:
    def read(folder: Path) -> list[Any]:
        lines = (folder / "per_item_eval.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    a, b = read(plain), read(ours)
    if a != b:
        raise RosegenError("scoring: the two ways do not score alike")
    fields = sum(map(len, a))
    return [f"both agree in all {fields:,} fields of {len(a):,} rows"]
