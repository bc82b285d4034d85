"""A real Chromium, driven over a pipe with its DevTools protocol: keys, files, what is shown."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 60  # seconds that any one answer may take, on however busy a machine

# Chromium takes orders on descriptor 3 and answers on descriptor 4.
_START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""

_CODES = {"ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Enter": 13, "Escape": 27}


class Browser:
    """A browser with an empty profile, and one page in it.

    Args:
        downloads: folder that the page's downloads go to.
    """

    def __init__(self, downloads: Path, *flags: str) -> None:
        self.downloads = downloads
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        answers, their_answers = os.pipe()
        their_orders, orders = os.pipe()
        command = [
            str(CHROMIUM),
            "--headless",
            "--window-size=1366,900",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
            f"--user-data-dir={self._profile.name}",
            "--remote-debugging-pipe",
            *flags,
        ]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(their_orders), str(their_answers), *command],
            pass_fds=(their_orders, their_answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_orders)
        os.close(their_answers)
        self._orders, self._answers = orders, answers
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[Mapping[str, Any]] = []
        target = self.order("Target.createTarget", url="about:blank")["targetId"]
        session = self.order("Target.attachToTarget", targetId=target, flatten=True)
        self._session = session["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.order(f"{domain}.enable")
        self.order(
            "Browser.setDownloadBehavior",
            behavior="allow",
            downloadPath=str(downloads),
            eventsEnabled=True,
        )

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._orders)
        os.close(self._answers)
        self._profile.cleanup()

    # The protocol

    def order(self, method: str, **parameters: Any) -> Any:
        """Send an order and wait for its answer."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._orders, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, wanted: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
        """The first event that fits, of those since the last order to open a page."""
        for event in self.events:
            if wanted(event):
                return event
        while True:
            self.events.append(self._receive())
            if wanted(self.events[-1]):
                return self.events[-1]

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
            assert ready, f"the browser said nothing for {PATIENCE} s"
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser has gone"
            self._rest += part
        message, self._rest = self._rest.split(b"\0", 1)
        found: dict[str, Any] = json.loads(message)
        return found

    # What tests do with a page

    def open(self, page: Path) -> None:
        """Open a file, and wait until it has loaded."""
        self.events.clear()
        self.order("Page.navigate", url=page.as_uri())
        self.wait_for(lambda event: event.get("method") == "Page.loadEventFired")

    def forget(self) -> None:
        """Have pages remember nothing of earlier ones."""
        self.order("Storage.clearDataForOrigin", origin="file://", storageTypes="all")

    def run(self, script: str) -> Any:
        """The value of an expression, waited for where it is a promise."""
        result = self.order(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_until(self, condition: str) -> None:
        """Wait until an expression is true."""
        self.run(
            "new Promise((done) => { const look = () => (" + condition + ")"
            " ? done() : requestAnimationFrame(look); look(); })"
        )

    def press(self, *keys: str) -> None:
        """Press and let go of keys: ``a``, ``?``, ``ArrowDown``."""
        for key in keys:
            self.hold(key)
            self.release(key)

    def hold(self, key: str) -> None:
        """Press a key and keep it down."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = {"windowsVirtualKeyCode": _CODES[key]} if key in _CODES else {}
        self.order("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)

    def release(self, key: str) -> None:
        """Let go of a key."""
        self.order("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.order("Input.insertText", text=text)

    def choose_file(self, selector: str, path: Path) -> None:
        """Give a file to a file input."""
        document = self.order("DOM.getDocument")["root"]["nodeId"]
        node = self.order("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        self.order("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def downloaded(self, name: str) -> Path:
        """Wait for a download to end, and give its file."""
        self.wait_for(
            lambda event: (
                event.get("method") == "Browser.downloadProgress"
                and event["params"]["state"] == "completed"
            )
        )
        self.events.clear()
        return self.downloads / name

    def screenshot(self, path: Path, width: int = 1366, height: int = 900) -> None:
        """What is to be seen, as a PNG file."""
        self.order(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        path.write_bytes(base64.b64decode(self.order("Page.captureScreenshot")["data"]))

    def asked_network(self) -> list[str]:
        """Addresses beyond the page itself that it asked for since it was opened."""
        requests = [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]

    def complaints(self) -> list[str]:
        """Errors of scripts, and what the page's policy stopped."""
        return [
            json.dumps(event["params"])
            for event in self.events
            if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
        ]
