"""A release on the Hub: downloaded at a pinned commit, from a Hub of our own on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "someone/ROSE-mini"
ITEMS = [
    {
        "item_id": f"XITEM_{number:06}",
        "scene_id": "XSCENE_000001",
        "rose_subset": "ROSE-PixelEdit",
        "split": "test",
        "task_template": "T1_COUNT_GLOBAL",
        "task_mode": "COUNT",
        "region_type": "GLOBAL",
        "rows": 3,
        "cols": 3,
        "ground_truth_count": 1,
        "ground_truth_clicks": ["R1,C2"],
        "all_target_cells": ["R1,C2"],
    }
    for number in (1, 2)
]
FILES = {"metadata_test.jsonl": "".join(json.dumps(item) + "\n" for item in ITEMS).encode()}


class Hub(BaseHTTPRequestHandler):
    """The two requests that reading one file takes: what a revision is, and the file at it."""

    asked: list[str]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path.startswith("/api/datasets/someone/gated"):
            self._answer(403, b"", {"X-Error-Code": "GatedRepo"})
        elif self.path.startswith("/api/datasets/someone/broken"):
            self._answer(400, b"")
        elif not self.path.removeprefix("/api").startswith(f"/datasets/{REPO}"):
            self._answer(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif self.path in (f"/api/datasets/{REPO}", f"/api/datasets/{REPO}/revision/v1"):
            document = {"id": REPO, "sha": COMMIT, "siblings": []}
            self._answer(200, json.dumps(document).encode(), {"Content-Type": "application/json"})
        elif self.path.startswith("/api/"):
            self._answer(404, b"", {"X-Error-Code": "RevisionNotFound"})
        else:
            name = self.path.rsplit(f"/resolve/{COMMIT}/", 1)[-1]
            if name in FILES:
                head = {"ETag": '"one"', "X-Repo-Commit": COMMIT}
                self._answer(200, FILES[name], head)
            else:
                head = {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT}
                self._answer(404, b"", head)

    def _answer(self, status: int, body: bytes, head: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(head or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub() -> Iterator[tuple[str, list[str]]]:
    """The address of a running Hub, and the paths it was asked for."""
    asked: list[str] = []
    handler = type("Handler", (Hub,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def run(tmp_path: Path, endpoint: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own: where the Hub is, is read at import."""
    predictions = tmp_path / "predictions.jsonl"
    rows = ({"item_id": item["item_id"], "model": "m", "raw_text": "COUNT(1)"} for item in ITEMS)
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    environment = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_XET": "1",
        "NO_PROXY": "*",
    }
    environment.pop("HF_HUB_OFFLINE", None)
    command = [sys.executable, "-m", "rosegen", "evaluate", *arguments[:1], str(predictions)]
    return subprocess.run(
        [*command, "--out", str(tmp_path / "out"), "-q", *arguments[1:]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_release_on_the_hub_is_scored_at_a_pinned_commit(
    tmp_path: Path, hub: tuple[str, list[str]]
) -> None:
    done = run(tmp_path, hub[0], REPO, "--revision", "v1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    summary = json.loads((tmp_path / "out" / "evaluation_summary.json").read_text())
    assert (summary["dataset_repo_id"], summary["dataset_revision"]) == (REPO, COMMIT)
    assert summary["overall"]["pass_rate"] == 1.0
    assert f"/datasets/{REPO}/resolve/{COMMIT}/metadata_test.jsonl" in hub[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("someone/none",),
            "someone/none on the Hub (there is no such path here): there is no such dataset",
        ),
        (("someone/gated",), "someone/gated on the Hub (there is no such path here): is gated"),
        (
            ("someone/broken",),
            "someone/broken on the Hub (there is no such path here): cannot be read",
        ),
        (
            (REPO, "--revision", "v9"),
            f"{REPO} on the Hub (there is no such path here): there is no revision v9",
        ),
        (
            (REPO, "--split", "dev"),
            f"{REPO} on the Hub (there is no such path here): holds no metadata_dev.jsonl",
        ),
    ],
)
def test_what_the_hub_refuses_is_one_line(
    tmp_path: Path, hub: tuple[str, list[str]], arguments: tuple[str, ...], said: str
) -> None:
    done = run(tmp_path, hub[0], *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"rosegen: {said}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_hub_that_nobody_runs_is_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, "http://127.0.0.1:9", REPO)
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"rosegen: {REPO} on the Hub (there is no such path here): cannot be "
    )
    assert done.stderr.count("\n") == 1
